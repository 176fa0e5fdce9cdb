// SPDX-License-Identifier: BSD-2-Clause
/*
 * refuse: a library that is loaded before others (LD_PRELOAD), in whose presence the kernel seems to
 * refuse some BPF programs: those whose name begins with a word in SONDE_TEST_REFUSE; and perf_event_open with the
 * errno in SONDE_TEST_REFUSE_PERF, as a kernel of Debian's does.
 *
 * libbpf calls bpf(2) through syscall(3), which this one stands in front of.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMPLAINT "R1 invalid mem access 'a test'\nprocessed 1 insns\n"

static bool is_refused(const char *program)
{
	char *words = strdup(getenv("SONDE_TEST_REFUSE") ?: ""), *save = NULL;
	bool found = false;

	for (char *word = strtok_r(words, ",", &save); word; word = strtok_r(NULL, ",", &save))
		found |= !strncmp(program, word, strlen(word));
	free(words);
	return found;
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	const union bpf_attr *attr;
	va_list args;
	long a[6];

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	attr = (const void *)a[1];
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD && is_refused(attr->prog_name)) {
		if (attr->log_level && attr->log_size > sizeof(COMPLAINT))
			strcpy((char *)attr->log_buf, COMPLAINT);
		errno = EACCES;
		return -1;
	}
	if (number == SYS_perf_event_open && getenv("SONDE_TEST_REFUSE_PERF")) {
		errno = atoi(getenv("SONDE_TEST_REFUSE_PERF"));
		return -1;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
