// SPDX-License-Identifier: BSD-2-Clause
#include "base/amount.h"

#include "base/clock.h"

struct amount amount_count(uint64_t count)
{
	struct amount amount;

	count_format(amount.text, sizeof(amount.text), count);
	return amount;
}

struct amount amount_size(uint64_t bytes)
{
	struct amount amount;

	size_format(amount.text, sizeof(amount.text), bytes);
	return amount;
}

struct amount amount_time(uint64_t ns)
{
	struct amount amount;

	duration_format(amount.text, sizeof(amount.text), ns);
	return amount;
}

struct amount amount_count_or_blank(uint64_t count)
{
	return count ? amount_count(count) : (struct amount){""};
}

struct amount amount_time_or_blank(uint64_t ns, bool known)
{
	return known ? amount_time(ns) : (struct amount){""};
}
