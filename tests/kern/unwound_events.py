#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks of events (record --stack) of a program without frame pointers are whole: of a task that waits, that wakes another,
that calls the kernel and returns, that reads a disk, and of tracepoints of the kernel."""
import platform

from harness import (check, equal, events, finish, make_loop, path, record, require_root, run,
                     skip)
from mounts import has_tracefs

LEAST = 20  # of each event
PROGRAM = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define AFTER __asm__ volatile("")
static int there[2], back[2], disk;
static char *room;

KEEP void act(void)
{
	char byte = 0;

	if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1 ||
	    pread(disk, room, 4096, 0) != 4096 || !getppid())
		exit(1);
	AFTER;
}
KEEP int compare(const void *a, const void *b)
{
	act();
	return *(const int *)a - *(const int *)b;
}
KEEP void sort(volatile int *seed)
{
	int numbers[3] = {*seed, 2, 1};
	volatile char unused[300];

	unused[*seed & 127] = 1;
	qsort(numbers, 3, sizeof(numbers[0]), compare);
	AFTER;
}
KEEP void go_on(int ms)
{
	struct timespec now, end;
	volatile int seed = 3;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	do {
		sort(&seed);
		usleep(3000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec || now.tv_nsec < end.tv_nsec);
}
static void *answer(void *arg)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	disk = argc > 1 ? open(argv[1], O_RDONLY | O_DIRECT) : -1;
	if (disk < 0 || pipe(there) || pipe(back) || posix_memalign((void **)&room, 4096, 4096) ||
	    pthread_create(&thread, NULL, answer, NULL))
		return 1;
	go_on(2000);
	return 0;
}
"""
FLAGS = ("-O2", "-fomit-frame-pointer", "-fasynchronous-unwind-tables", "-D_GNU_SOURCE", "-pthread")
CHAIN = ["act", "compare", "sort", "go_on", "main", "_start"]
EVENTS = ["sched.switch", "sched.waking", "sys.getppid", "sys.exit", "disk.bio"]
KERNELS = ["kernel:sched:sched_switch", "kernel:sched:sched_waking", "kernel:block:block_bio_queue"]


def functions(event):
    names = event.get("names", {}).get("user_stack") or []
    return [(name or "?").split("+")[0] for name in names]


def is_whole(event):
    rest = iter(functions(event))
    return all(name in rest for name in CHAIN) and \
        event["names"].get("stack_state") == "WHOLE"


require_root()
if platform.machine() != "x86_64":
    skip("tables for unwinding are for x86-64")
with open(path("deepact.c"), "w", encoding="ascii") as source:
    source.write(PROGRAM)
run("cc", *FLAGS, "-o", path("deepact"), path("deepact.c"))
loop = make_loop(path("image"))
wanted = EVENTS + (KERNELS if has_tracefs() else [])
trace, done = record("-e", ",".join(wanted), "--stack", "*=user", "--", path("deepact"),
                     "/dev/" + loop, good=None)
# 6: under a filter disk.bio is measured in part; 3: the kernel does not run a tracepoint's program within itself.
check(done.returncode in (3, 6), "status %d: %s" % (done.returncode, done.stderr))
shown = [event for event in events(trace, good=None)
         if event.get("comm") == "deepact" and event["event"] in wanted]
tids = [event["tid"] for event in shown if event["event"] == "disk.bio"]
shown = [event for event in shown if tids and event["tid"] == tids[0]]
whole = [event for event in shown if is_whole(event)]
began = whole[0]["time"] if whole else 0
for name in wanted:
    mine = [event for event in shown if event["event"] == name]
    good = [event for event in mine if is_whole(event)]
    check(len(good) >= LEAST, "%s: %d of %d stacks are whole" % (name, len(good), len(mine)))
    if name in ("sys.getppid", "disk.bio", "kernel:block:block_bio_queue"):
        bad = [functions(event) for event in mine if event["time"] >= began and not is_whole(event)]
        equal("%s: stacks that are not whole since the first that is" % name, bad[:3], [])
finish()
