/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_log: lines about what the clients of a relay do, for an operator that uses -v. relay, and what ingest
 * consists of, write them. Errors are not such lines: they are always reported.
 */
#ifndef SONDE_LIVE_SESSION_RELAY_LOG_H
#define SONDE_LIVE_SESSION_RELAY_LOG_H

enum relay_log_level {
	RELAY_LOG_NONE,
	RELAY_LOG_SESSIONS, /* -v: clients that connect and leave, sessions */
	RELAY_LOG_STREAMS, /* -vv: also streams and chunks */
	RELAY_LOG_PACKETS, /* -vvv: also each packet */
};

/* All zeros: nothing is written. */
struct relay_log {
	enum relay_log_level level;
	void (*write)(void *ctx, const char *text);
	void *ctx;
};

/* Writes a line, if @log has @level. */
void relay_log_say(const struct relay_log *log, enum relay_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* SONDE_LIVE_SESSION_RELAY_LOG_H */
