// SPDX-License-Identifier: BSD-2-Clause
#include "output/latency_write.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyse/latency.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/json_writer.h"

#define BAR_WIDTH 40u
#define POWERS 65u /* numbers of 0 to 64 bits */

static unsigned int bit_length(uint64_t ns)
{
	return ns ? 64u - (unsigned int)__builtin_clzll(ns) : 0;
}

/* Whatever there is shows: one mark at least. */
static size_t bar(uint64_t count, uint64_t most)
{
	size_t marks = (size_t)((double)count * BAR_WIDTH / (double)most + 0.5);

	return count && !marks ? 1 : marks;
}

/* A bound of a range, in @unit; NULL: a number. */
static void format_bound(char *text, size_t len, uint64_t bound, const char *unit)
{
	if (unit && !strcmp(unit, "ns"))
		duration_format(text, len, bound);
	else
		(void)snprintf(text, len, "%llu", (unsigned long long)bound);
}

/* The numbers of @bits bits: from 2^(bits - 1) to below 2^bits. */
static void write_power(struct buffer *out, unsigned int bits, uint64_t count, uint64_t most,
			const char *unit)
{
	char from[32], to[32], amount[32];

	format_bound(from, sizeof(from), bits ? 1ull << (bits - 1) : 0, unit);
	format_bound(to, sizeof(to), bits < 64 ? 1ull << bits : UINT64_MAX, unit);
	count_format(amount, sizeof(amount), count);
	buffer_format(out, "%11s - %-11s %13s", from, to, amount);
	if (count) {
		buffer_string(out, "  ");
		buffer_pad(out, '#', bar(count, most));
	}
	buffer_char(out, '\n');
}

static void write_powers(const struct latency *latency, const char *unit, struct buffer *out)
{
	uint64_t counts[POWERS] = {0}, most = 1;
	struct latency_bucket bucket;
	unsigned int bits;
	size_t at = 0;

	if (!latency->count)
		return;
	while (latency_next(latency, &at, &bucket)) {
		bits = bit_length(bucket.from_ns);
		counts[bits] += bucket.count;
		if (counts[bits] > most)
			most = counts[bits];
	}
	for (bits = bit_length(latency->min_ns); bits <= bit_length(latency->max_ns); bits++)
		write_power(out, bits, counts[bits], most, unit);
}

void latency_write_text(const struct latency *latency, struct buffer *out)
{
	write_powers(latency, "ns", out);
}

void latency_write_values(const char *title, const struct latency *latency, const char *unit,
			  struct buffer *out)
{
	const bool named = unit && strcmp(unit, "ns");

	buffer_format(out, "\n%s%s%s%s\n", title, named ? " (" : "", named ? unit : "",
		      named ? ")" : "");
	write_powers(latency, unit, out);
}

void latency_write_titled(const char *title, const struct latency *latency, struct buffer *out)
{
	if (latency->count)
		buffer_format(out, "\n%s\n", title);
	latency_write_text(latency, out);
}

/* Half open, as ranges that follow each other are read best; the very last can't be. */
static void write_bucket(const struct latency_bucket *bucket, struct json_writer *json)
{
	json_writer_object(json, NULL);
	json_writer_uint(json, "from_ns", bucket->from_ns);
	json_writer_uint(json, "to_ns", bucket->last_ns + (bucket->last_ns < UINT64_MAX));
	json_writer_uint(json, "count", bucket->count);
	json_writer_end(json);
}

void latency_write_json(const struct latency *latency, struct json_writer *json)
{
	struct latency_bucket bucket;
	size_t at = 0;

	json_writer_uint(json, "count", latency->count);
	json_writer_uint(json, "total_ns", latency->total_ns);
	if (latency->count) {
		json_writer_uint(json, "min_ns", latency->min_ns);
		json_writer_uint(json, "avg_ns", latency->total_ns / latency->count);
		json_writer_uint(json, "p50_ns", latency_percentile(latency, 500));
		json_writer_uint(json, "p90_ns", latency_percentile(latency, 900));
		json_writer_uint(json, "p99_ns", latency_percentile(latency, 990));
		json_writer_uint(json, "max_ns", latency->max_ns);
	}
	json_writer_array(json, "histogram");
	while (latency_next(latency, &at, &bucket))
		write_bucket(&bucket, json);
	json_writer_end(json);
}

void latency_write_object(const struct latency *latency, const char *key, struct json_writer *json)
{
	json_writer_object(json, key);
	latency_write_json(latency, json);
	json_writer_end(json);
}
