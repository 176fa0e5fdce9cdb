// SPDX-License-Identifier: BSD-2-Clause
#include "record/host.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "schema/syscalls.h"

#ifndef SONDE_VERSION
#define SONDE_VERSION "unknown"
#endif

bool host_add(struct host *host, const char *name, const char *text, int64_t number)
{
	if (host->env_count == HOST_ENV_MAX)
		return false;
	host->env[host->env_count++] =
		(struct trace_env){.name = name, .text = text, .number = number};
	return true;
}

/* First line of a small file of /proc or /sys; empty if it is missing. */
static void read_line(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read_at(fd, to, room - 1, 0);

	to[len > 0 ? len : 0] = 0;
	to[strcspn(to, "\n")] = 0;
	fd_close(fd);
}

static void format_now(char *to, size_t room)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(to, room, "%Y-%m-%dT%H:%M:%S%z", &tm);
}

void host_init(struct host *host)
{
	memset(host, 0, sizeof(*host));
	uname(&host->uts);
	read_line("/proc/sys/kernel/random/boot_id", host->boot_id, sizeof(host->boot_id));
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  host->clock_source, sizeof(host->clock_source));
	format_now(host->created, sizeof(host->created));

	host_add(host, "hostname", host->uts.nodename, 0);
	host_add(host, "domain", "kernel", 0);
	host_add(host, "sysname", host->uts.sysname, 0);
	host_add(host, "kernel_release", host->uts.release, 0);
	host_add(host, "kernel_version", host->uts.version, 0);
	host_add(host, "machine", host->uts.machine, 0);
	host_add(host, "boot_id", host->boot_id, 0);
	host_add(host, "clock_source", host->clock_source, 0);
	host_add(host, "trace_creation_datetime", host->created, 0);
	host_add(host, "tracer_name", "sonde", 0);
	host_add(host, "tracer_version", SONDE_VERSION, 0);
	host_add(host, "syscalls", syscalls_native_text, 0);
	host_add(host, "syscalls_compat", syscalls_compat_text, 0);
}
