// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_number.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"

/* Digits behind a point at most: 10^18 is the greatest power of ten in 63 bits. */
#define PLACES_MAX 18u

static const struct {
	const char *name;
	uint64_t scale;
	bool is_time;
} units[] = {
	{"ns", 1, true},	  {"us", 1000, true},	    {"ms", 1000000, true},
	{"s", 1000000000, true},  {"m", 60000000000, true}, {"h", 3600000000000, true},
	{"k", 1ull << 10, false}, {"K", 1ull << 10, false}, {"M", 1ull << 20, false},
	{"G", 1ull << 30, false}, {"T", 1ull << 40, false},
};

/* Units of fields, as the metadata has them. */
static const struct {
	const char *name;
	uint64_t ns;
} field_units[] = {
	{"ns", 1}, {"us", 1000}, {"us/8", 125}, {"us/4", 250}, {"ms", 1000000}, {"s", 1000000000},
};

static int fail(struct diag *diag, size_t at, const char *why)
{
	(void)diag_set(diag, -EINVAL, "%s", why);
	if (diag)
		diag->offset = at;
	return -EINVAL;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* "0x1f", "0o17", "0b101": the base, and past the prefix. A leading zero alone is decimal. */
static int base_of(const char *text, size_t len, size_t *at)
{
	static const struct {
		char letter;
		int base;
	} prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (len < 3 || text[0] != '0' || text[1] != prefixes[i].letter)
			continue;
		if (digit(text[2]) >= prefixes[i].base)
			break;
		*at = 2;
		return prefixes[i].base;
	}
	*at = 0;
	return 10;
}

/* Digits from *@at on, appended to @value; false: more than 64 bits. */
static bool take_digits(const char *text, size_t len, int base, size_t *at, __int128 *value,
			unsigned int *count)
{
	for (*count = 0; *at < len && digit(text[*at]) < base; ++*at, ++*count) {
		*value = *value * base + digit(text[*at]);
		if (*value > UINT64_MAX)
			return false;
	}
	return true;
}

/* The unit at *@at, if there are letters. */
static int take_unit(const char *text, size_t len, size_t *at, struct expr_number *number,
		     struct diag *diag)
{
	size_t end = *at, letters;

	if (end < len && text[end] == '%') {
		number->is_percent = true;
		*at = end + 1;
		return 0;
	}
	while (end < len && is_letter(text[end]))
		end++;
	letters = end - *at;
	if (!letters)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const char *unit = text + *at, *rest = unit + strlen(units[i].name);
		size_t left;

		if (letters < strlen(units[i].name) ||
		    memcmp(unit, units[i].name, strlen(units[i].name)) != 0)
			continue;
		left = letters - strlen(units[i].name);
		if (left && (units[i].is_time || !((left == 1 && (*rest == 'B' || *rest == 'i')) ||
						   (left == 2 && !memcmp(rest, "iB", 2)))))
			continue;
		number->value *= units[i].scale;
		number->is_time = units[i].is_time;
		*at = end;
		return 0;
	}
	return fail(diag, *at, "no such unit: there are ns us ms s m h, K M G T, and %");
}

int expr_number_parse(const char *text, size_t len, struct expr_number *ret, struct diag *diag)
{
	struct expr_number number = {.parts = 1};
	unsigned int count, places = 0;
	size_t at;
	int base = base_of(text, len, &at);

	if (!take_digits(text, len, base, &at, &number.value, &count))
		return fail(diag, 0, "this number has more than 64 bits");
	/* ".." is of a range. */
	if (base == 10 && at + 1 < len && text[at] == '.' && digit(text[at + 1]) < 10) {
		at++;
		if (!take_digits(text, len, 10, &at, &number.value, &places) || places > PLACES_MAX)
			return fail(diag, 0, "this number has too many digits");
		for (; places; places--)
			number.parts *= 10;
	}
	if (take_unit(text, len, &at, &number, diag))
		return -EINVAL;
	*ret = number;
	return (int)at;
}

uint64_t expr_unit_ns(const char *unit)
{
	for (size_t i = 0; unit && i < sizeof(field_units) / sizeof(field_units[0]); i++) {
		if (!strcmp(unit, field_units[i].name))
			return field_units[i].ns;
	}
	return 0;
}

/* 64 bits times an hour in ns are 106 bits; 10^18 times a second in ns are 90. */
__int128 expr_number_floor(const struct expr_number *number, uint64_t unit_ns, bool *exact)
{
	__int128 parts = (__int128)number->parts * unit_ns;
	__int128 whole = number->value / parts;

	*exact = whole * parts == number->value;
	if (!*exact && number->value < 0)
		whole--;
	return whole;
}

double expr_number_double(const struct expr_number *number, uint64_t unit_ns)
{
	return (double)number->value / ((double)number->parts * (double)unit_ns);
}
