// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_clock.h"

#include <errno.h>

#include "base/clock.h"
#include "record_format/magnet/magnet_record.h"
#include "wire/magnet.h"

int magnet_clock_take(struct magnet_clock *clock, const struct magnet_head *sysinfo,
		      uint64_t rate_hz)
{
	bool good = rate_hz || sysinfo->size > 0;

	clock->start = sysinfo->timestamp;
	/* Seconds that 64 bits of ns cannot hold are ignored. */
	clock->wall_ns = sysinfo->sockid < (uint64_t)INT64_MAX / NS_PER_SEC ?
				 (int64_t)(sysinfo->sockid * NS_PER_SEC) :
				 0;
	if (rate_hz)
		clock->rate_hz = rate_hz;
	else if (!good)
		clock->rate_hz = MAGNET_RATE_HZ;
	else if (sysinfo->size < MAGNET_RATE_IS_KHZ_BELOW)
		clock->rate_hz = (uint64_t)sysinfo->size * 1000;
	else
		clock->rate_hz = (uint64_t)sysinfo->size;
	return good ? 0 : -EBADMSG;
}

/* Floor, also below 0. */
static int64_t second_of(int64_t ns)
{
	int64_t second = ns / (int64_t)NS_PER_SEC;

	return ns % (int64_t)NS_PER_SEC < 0 ? second - 1 : second;
}

void magnet_clock_make(struct magnet_clock *clock, int64_t first_ns, struct magnet_head *sysinfo)
{
	int64_t second = second_of(first_ns) - 1;

	if (second < 0)
		second = 0;
	*sysinfo = (struct magnet_head){
		.sockid = (uint64_t)second,
		.event = MAGNET_SYSINFO,
		.size = MAGNET_RATE_HZ,
	};
	(void)magnet_clock_take(clock, sysinfo, 0);
}

int64_t magnet_clock_ns(const struct magnet_clock *clock, uint64_t timestamp)
{
	/* A record may be from before the start: another CPU's counter. */
	int64_t delta = (int64_t)(timestamp - clock->start);
	__int128 ns = (__int128)delta * (int64_t)NS_PER_SEC;
	__int128 rate = (__int128)clock->rate_hz;

	ns = ns < 0 ? -((-ns + rate - 1) / rate) : ns / rate;
	ns += clock->wall_ns;
	if (ns > INT64_MAX)
		return INT64_MAX;
	return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

uint64_t magnet_clock_ticks(const struct magnet_clock *clock, int64_t ns)
{
	__int128 delta = (__int128)ns - clock->wall_ns;
	__int128 scaled = delta * (__int128)clock->rate_hz;
	__int128 ticks;
	uint64_t timestamp;

	ticks = scaled < 0 ? -(-scaled / (int64_t)NS_PER_SEC) :
			     (scaled + (int64_t)NS_PER_SEC - 1) / (int64_t)NS_PER_SEC;
	timestamp = clock->start + (uint64_t)ticks;
	return timestamp ?: 1;
}
