/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lttng_health: what liblttng-ctl (lttng_health_query) asks a daemon of LTTng at its UNIX stream socket, and the answer, as
 * lttng-tools 2.13 has them. The daemon closes the connection after the answer. All integers have the machine's byte order.
 *
 *	request		u32 command (0: check); in early versions u32 component (0), u32 command
 *	answer		u64, a bit for each thread that is in error; in early versions u32
 */
#ifndef SONDE_WIRE_LTTNG_HEALTH_H
#define SONDE_WIRE_LTTNG_HEALTH_H

#define LTTNG_HEALTH_CHECK 0u
#define LTTNG_HEALTH_REQUEST_BYTES 4u
#define LTTNG_HEALTH_REQUEST_BYTES_MAX 8u

/* The threads of lttng-relayd: numbers of the bits. Ours does the work of all of them in one event loop. */
enum lttng_health_relayd {
	LTTNG_HEALTH_DISPATCHER,
	LTTNG_HEALTH_WORKER,
	LTTNG_HEALTH_LISTENER,
	LTTNG_HEALTH_LIVE_DISPATCHER,
	LTTNG_HEALTH_LIVE_WORKER,
	LTTNG_HEALTH_LIVE_LISTENER,
	LTTNG_HEALTH_RELAYD_COUNT,
};

#endif /* SONDE_WIRE_LTTNG_HEALTH_H */
