// SPDX-License-Identifier: BSD-2-Clause
/*
 * count: counts the events of a trace by class, as `sonde stats` does; and of a field, in whatever
 * events have it, tells the smallest, the average and the largest value.
 *
 *	cc -o count count.c $(pkg-config --cflags --libs sonde)
 *	./count T
 *	./count T snd_cwnd 'event == "tcp.ack"'
 */
#include <sonde/sonde.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What is counted of one class. */
struct tally {
	const struct sonde_field *field; /* NULL: its events do not have it */
	uint64_t events;
	uint64_t values; /* events that have it */
	double smallest, largest, sum;
};

static void tally_add(struct tally *tally, const struct sonde_event *event)
{
	double value;

	tally->events++;
	if (!sonde_value_is_present(event, tally->field))
		return;
	value = sonde_value_double(event, tally->field);
	if (!tally->values || value < tally->smallest)
		tally->smallest = value;
	if (!tally->values || value > tally->largest)
		tally->largest = value;
	tally->sum += value;
	tally->values++;
}

static void tally_print(const struct tally *tally, const struct sonde_class *of)
{
	const char *unit;

	printf("%10" PRIu64 "  %s", tally->events, sonde_class_name(of));
	if (tally->values) {
		unit = sonde_field_unit(tally->field);
		printf("  %s %g .. %g .. %g%s%s", sonde_field_name(tally->field), tally->smallest,
		       tally->sum / (double)tally->values, tally->largest, unit ? " " : "",
		       unit ? unit : "");
	}
	printf("\n");
}

static int fail(const struct sonde_error *error)
{
	fprintf(stderr, "count: %s\n", error->text);
	return 1;
}

/* All events of @source; 0, or -errno and *@error. Handles were looked up once, for each class. */
static int count(struct sonde_source *source, struct tally *tallies, uint64_t *events,
		 struct sonde_error *error)
{
	const struct sonde_event *event;
	int got;

	while ((got = sonde_next(source, &event, error)) > 0) {
		if (sonde_event_is_lost(event))
			continue;
		tally_add(&tallies[sonde_class_index(sonde_event_class(event))], event);
		++*events;
	}
	return got;
}

/* What could not be read, and what was never recorded: exit statuses as sonde has them. */
static int report(const struct sonde_source *source, const struct tally *tallies, uint64_t events)
{
	const char *problem;
	size_t i;

	printf("%" PRIu64 " events, %" PRIu64 " lost\n", events, sonde_lost_events(source));
	for (i = 0; i < sonde_class_count(source); i++) {
		if (tallies[i].events)
			tally_print(&tallies[i], sonde_class_get(source, i));
	}
	for (i = 0; (problem = sonde_problem(source, i)); i++)
		fprintf(stderr, "count: %s\n", problem);
	if (i)
		return 1;
	return sonde_lost_events(source) || sonde_lost_packets(source) ? 3 : 0;
}

static int run(struct sonde_source *source, const char *field, struct sonde_error *error)
{
	struct tally *tallies = calloc(sonde_class_count(source), sizeof(*tallies));
	uint64_t events = 0;
	int status = 1;
	size_t i;

	if (!tallies) {
		fprintf(stderr, "count: no memory\n");
		return status;
	}
	for (i = 0; field && i < sonde_class_count(source); i++)
		tallies[i].field = sonde_class_field_find(sonde_class_get(source, i), field);
	if (count(source, tallies, &events, error))
		(void)fail(error);
	else
		status = report(source, tallies, events);
	free(tallies);
	return status;
}

int main(int argc, char **argv)
{
	struct sonde_source *source;
	struct sonde_error error;
	int status;

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: count SOURCE [FIELD [EXPRESSION]]\n");
		return 2;
	}
	if (sonde_open(argv[1], &source, &error))
		return fail(&error);
	if (argc > 3 && sonde_filter_where(source, argv[3], &error))
		status = fail(&error);
	else
		status = run(source, argc > 2 ? argv[2] : NULL, &error);
	sonde_close(source);
	return status;
}
