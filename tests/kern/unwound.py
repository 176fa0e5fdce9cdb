#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks of a program without frame pointers are whole, from where it is to its first function: through a library, a
callback of the C library, a signal's handler, in a thread, after exec, and in code that was mapped late."""
import os
import platform
import shutil

from harness import check, equal, events, finish, path, record, require_root, run, skip

RATE = "997"
LEAST = 20  # samples with a whole stack
PROGRAM = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
int lib_sort(int (*compare)(const void *, const void *));
static char *library;

KEEP int leaf(int x)
{
	for (volatile int i = 0; i < 20000; i++)
		;
	return x + 1;
}
KEEP int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return leaf(*x) > leaf(*y) ? 1 : -1;
}
KEEP int outer(int x)
{
	volatile char room[200];

	room[x & 127] = 1;
	return lib_sort(compare) + room[x & 127];
}
/* @ms of the process's CPU time. */
KEEP int burn(int ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);
	int n = 0;

	while (clock() < end)
		n += outer(n);
	return n;
}
KEEP void handler(int number)
{
	(void)number;
	burn(2000);
	__asm__ volatile("");
}
KEEP void *in_thread(void *arg)
{
	return (char *)arg + burn(2000);
}
KEEP int late(int ms)
{
	void *lib = dlopen(library, RTLD_NOW);
	int (*sort)(int (*)(const void *, const void *)) = lib ? dlsym(lib, "late_sort") : NULL;
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);
	int n = 0;

	while (sort && clock() < end)
		n += sort(compare);
	return n + 1;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int n = 0;

	library = argc > 2 ? argv[2] : NULL;
	if (!strcmp(argv[1], "chain"))
		n = burn(2000);
	if (!strcmp(argv[1], "signal")) {
		signal(SIGUSR1, handler);
		n = kill(getpid(), SIGUSR1) + 1;
	}
	if (!strcmp(argv[1], "thread")) {
		pthread_create(&thread, NULL, in_thread, NULL);
		n = pthread_join(thread, NULL) + 1;
	}
	if (!strcmp(argv[1], "exec")) {
		n = burn(1500);
		execl(argv[2], argv[2], "chain", (char *)NULL);
	}
	if (!strcmp(argv[1], "late"))
		n = burn(300) + late(1500);
	return n == 0;
}
"""
LIBRARY = r"""
#include <stdlib.h>
int %s(int (*compare)(const void *, const void *))
{
	int numbers[64];

	for (int i = 0; i < 64; i++)
		numbers[i] = i * 37 %% 64;
	qsort(numbers, 64, sizeof(numbers[0]), compare);
	return numbers[0] + 1;
}
"""
FLAGS = ("-O2", "-fomit-frame-pointer", "-fasynchronous-unwind-tables", "-D_GNU_SOURCE")


def build():
    """The program, and the library that it opens late."""
    made = {}
    for name, function in (("early", "lib_sort"), ("late", "late_sort")):
        with open(path(name + ".c"), "w", encoding="ascii") as file:
            file.write(LIBRARY % function)
        made[name] = path("lib%s.so" % name)
        run("cc", *FLAGS, "-shared", "-fPIC", "-o", made[name], path(name + ".c"))
    with open(path("deep.c"), "w", encoding="ascii") as file:
        file.write(PROGRAM)
    run("cc", *FLAGS, "-pthread", "-o", path("deep"), path("deep.c"), made["early"], "-ldl",
        "-Wl,-rpath," + os.path.dirname(made["early"]))
    shutil.copy(path("deep"), path("deeper"))
    return path("deep"), made["late"]


def functions(event):
    """Of a stack whose mappings were not known in time, none has a name."""
    names = event["names"].get("user_stack", [None])
    return [(name or "?").split("+")[0] for name in names]


def in_order(wanted, names):
    """Each of @wanted is in @names, in that order."""
    rest = iter(names)
    return all(name in rest for name in wanted)


def samples_of(*args):
    trace, unused = record("-e", "cpu.sample", "--rate", RATE, "--detail", "full", "--", *args)
    return [event for event in events(trace)
            if event["event"] == "cpu.sample" and event["comm"] in ("deep", "deeper") and
            event["fields"]["user_depth"]]


def whole_from_the_first(what, shown, wanted, first="leaf"):
    """As soon as the recorder knows the process, every stack is whole."""
    good = [in_order(wanted, functions(event)) and event["fields"]["cut"] == 0 for event in shown]
    own = [(event, is_good) for event, is_good in zip(shown, good) if functions(event)[0] == first]
    since = good.index(True) if True in good else len(good)
    began = shown[since]["time"] if since < len(shown) else 0
    later = [(event, is_good) for event, is_good in own if event["time"] >= began]
    bad = [functions(event) for event, is_good in later if not is_good]
    check(sum(good) >= LEAST, "%s: %d of %d stacks are whole" % (what, sum(good), len(good)))
    equal("%s: stacks that are not whole since the first that is" % what, bad[:3], [])


SORTED = ["leaf", "compare", "lib_sort", "outer"]
ENDS = ["main", "_start"]

require_root()
if platform.machine() != "x86_64":
    skip("tables for unwinding are for x86-64")
program, late_library = build()
whole_from_the_first("chain", samples_of(program, "chain"), SORTED + ["burn"] + ENDS)
whole_from_the_first("signal", samples_of(program, "signal"),
                     SORTED + ["burn", "handler"] + ENDS)
whole_from_the_first("thread", samples_of(program, "thread"), SORTED + ["burn", "in_thread"])
both = samples_of(program, "exec", path("deeper"))
for name in ("deep", "deeper"):
    whole_from_the_first("exec: " + name, [event for event in both if event["comm"] == name],
                         SORTED + ["burn"] + ENDS)
whole_from_the_first("late", [event for event in samples_of(program, "late", late_library)
                              if "late" in functions(event) or "late_sort" in functions(event)],
                     ["leaf", "compare", "late_sort", "late"] + ENDS)
finish()
