// SPDX-License-Identifier: BSD-2-Clause
/*
 * watch: shows events of a trace while it is being recorded, until its recorder ends: the time, the
 * task, and the name of each.
 *
 *	cc -o watch watch.c $(pkg-config --cflags --libs sonde)
 *	sonde record -e sched.exec -o T &
 *	./watch T
 *	./watch T 'comm ~ "nginx*"'
 */
#include <sonde/sonde.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static void show(const struct sonde_event *event)
{
	const char *comm = sonde_event_comm(event);

	printf("%" PRId64 " %s %s\n", sonde_event_time_ns(event), comm ? comm : "-",
	       sonde_event_name(event));
}

static int watch(struct sonde_source *source, struct sonde_error *error)
{
	const struct sonde_event *event;
	int got;

	while ((got = sonde_next(source, &event, error)) > 0 || got == -EAGAIN) {
		if (got > 0)
			show(event);
		else
			fflush(stdout); /* nothing has come for a moment */
	}
	return got;
}

int main(int argc, char **argv)
{
	struct sonde_source *source;
	struct sonde_error error;
	int err;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: watch SOURCE [EXPRESSION]\n");
		return 2;
	}
	err = sonde_follow(argv[1], &source, &error);
	if (!err) {
		err = argc > 2 ? sonde_filter_where(source, argv[2], &error) : 0;
		err = err ? err : watch(source, &error);
		sonde_close(source);
	}
	if (err)
		fprintf(stderr, "watch: %s\n", error.text);
	return err ? 1 : 0;
}
