/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sieve: which events of a batch go on to the view: those that satisfy an expression, on the CPUs that
 * were asked for. The others are learned from. What class an event is of decides, by one table,
 * whether there is anything to do with it at all.
 */
#ifndef SONDE_ANALYSE_SIEVE_H
#define SONDE_ANALYSE_SIEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct event_source;
struct analysis;
struct where;

struct sieve {
	const struct analysis *analysis;
	struct where *where; /* NULL = no expression */
	uint8_t *heed; /* by event_class.index */
	bool *taught; /* likewise: needed from before the time that is shown; NULL = not sought yet */
	size_t class_count;
	bool brief; /* but for routine (gap_is_routine) */
	bool open; /* everything goes through, or all but routine */
};

/* Events that go on, one behind the other. */
struct sieve_run {
	const struct event *events;
	size_t count;
};

/* -ENOMEM. Borrows @analysis, whose selection is bound, and @where, which is bound too, or NULL. */
int sieve_init(struct sieve *sieve, const struct analysis *analysis, struct where *where);
void sieve_fini(struct sieve *sieve);

/*
 * How many of the @count events are done with: @run has those of them that go on, of which there may
 * be none. Give it to the view before the next call: a view writes names as they are at that event.
 */
size_t sieve_next(struct sieve *sieve, const struct event *events, size_t count,
		  struct sieve_run *run);
/* Whether @event is not shown although its class is. */
bool sieve_hides(const struct sieve *sieve, const struct event *event);
/* All of @events are only learned from. */
void sieve_learn(struct sieve *sieve, const struct event *events, size_t count);

/*
 * Tells @source, once, what it may leave out: to be called behind each batch, since the first events
 * tell what the times that were asked for mean. 0 or -errno.
 */
int sieve_seek(struct sieve *sieve, struct event_source *source);
/* The same as often as the times of the selection have moved on. */
int sieve_seek_again(struct sieve *sieve, struct event_source *source);

#endif /* SONDE_ANALYSE_SIEVE_H */
