/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock: times in ns, and times and amounts as people write and read them.
 */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_SEC 1000000000ull
#define NS_PER_MS 1000000ull
#define NS_PER_US 1000ull

uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);
/* CPU time of this process, all its threads. */
uint64_t clock_cpu_ns(void);
/* CLOCK_REALTIME minus CLOCK_MONOTONIC, from the tightest of several readings. */
int64_t clock_wall_offset_ns(void);

/* "500ms", "10s", "1.5m", "2h"; a bare number is seconds. -EINVAL for anything else. */
int duration_parse(const char *text, uint64_t *ret_ns);
/* "64K", "4M", "1G", powers of 1024; a bare number is bytes. */
int size_parse(const char *text, uint64_t *ret_bytes);
/* Short, for people: "1.25 ms", "3.4 MB". The text goes to @text, which is returned. */
char *duration_format(char *text, size_t room, uint64_t ns);
char *size_format(char *text, size_t room, uint64_t bytes);
/* "12,345,678" */
char *count_format(char *text, size_t room, uint64_t count);

#endif /* SONDE_BASE_CLOCK_H */
