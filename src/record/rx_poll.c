// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_poll.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "probe/catalogue.h"
#include "record/rx_place.h"
#include "rx/rx_message.h"
#include "wire/measure.h"
#include "wire/rx_debug.h"

/* A server that lives answers in milliseconds; one that is busy gets time, and no more to do. */
#define WAIT_NS (500 * NS_PER_MS)
#define TRIES 3u
#define WINDOW 1024u /* of all servers together */
/* At the end, for answers that are on their way: a server takes one that comes back to it for a bad packet. */
#define FAREWELL_NS (100 * NS_PER_MS)
#define SPREAD_NS NS_PER_SEC /* servers are asked one after the other within that, or a period */

struct rx_poll {
	struct rx_poll_config config;
	struct rx_client *client;
	int epoll_fd;
	int timer_fd;
	struct rx_place_out out;
	struct rx_place *places;
};

static void limit(struct measurement *m, const char *why)
{
	m->hooks[0].usable = false;
	snprintf(m->hooks[0].reason, sizeof(m->hooks[0].reason), "%s", why);
}

void rx_poll_limit(struct catalogue *cat, size_t servers, bool overwrite)
{
	for (uint32_t id = RX_STATS; id <= RX_SILENT; id++) {
		struct measurement *m = catalogue_get(cat, id);

		if (overwrite)
			limit(m, "what servers answer is not kept in memory, as --mode overwrite "
				 "would have it");
		if (servers)
			continue;
		limit(m, "no server is named: --rx HOST[:PORT]");
		m->never = true; /* "all measurements" does not include it */
	}
}

static int watch(const struct rx_poll *poll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(poll->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_fds(struct rx_poll *poll, struct diag *diag)
{
	int err;

	poll->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	poll->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	err = poll->epoll_fd < 0 || poll->timer_fd < 0 ? -errno :
	      watch(poll, poll->timer_fd)	       ?:
							 watch(poll, rx_client_fd(poll->client));
	return err ? diag_set(diag, err, "a timer: %s", strerror(-err)) : 0;
}

static void begin_places(struct rx_poll *poll)
{
	uint64_t spread_ns = poll->config.period_ns < SPREAD_NS ? poll->config.period_ns :
								  SPREAD_NS;
	uint64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < poll->config.count; i++)
		poll->places[i] = (struct rx_place){
			.name = poll->config.servers[i].name,
			.address = poll->config.servers[i].address,
			.due_ns = now_ns + i * spread_ns / poll->config.count,
		};
}

int rx_poll_open(const struct rx_poll_config *config, struct notes *notes, struct rx_poll **ret,
		 struct diag *diag)
{
	const struct rx_client_config client = {
		.wait_ns = WAIT_NS,
		.tries = TRIES,
		.window = WINDOW,
		.any_address = config->any_address,
	};
	struct rx_poll *poll = calloc(1, sizeof(*poll));
	int err;

	if (!poll)
		return diag_set(diag, -ENOMEM, "no memory");
	poll->config = *config;
	poll->out = (struct rx_place_out){
		.notes = notes, .tid = config->tid, .all_conns = config->all_conns};
	poll->epoll_fd = poll->timer_fd = -1;
	poll->places = calloc(config->count, sizeof(*poll->places));
	err = poll->places ? rx_client_open(&client, &poll->client, diag) :
			     diag_set(diag, -ENOMEM, "no memory");
	err = err ?: open_fds(poll, diag);
	if (err) {
		rx_poll_close(poll);
		return err;
	}
	begin_places(poll);
	*ret = poll;
	return 0;
}

void rx_poll_close(struct rx_poll *poll)
{
	if (!poll)
		return;
	for (size_t i = 0; poll->places && i < poll->config.count; i++)
		rx_place_fini(&poll->places[i]);
	rx_client_close(poll->client);
	(void)fd_close(poll->epoll_fd);
	(void)fd_close(poll->timer_fd);
	free(poll->places);
	free(poll);
}

int rx_poll_fd(const struct rx_poll *poll)
{
	return poll->epoll_fd;
}

void rx_poll_want(struct rx_poll *poll, uint32_t wanted)
{
	poll->out.wanted = wanted;
}

static int ask(struct rx_poll *poll, struct rx_place *place, enum rx_place_question question,
	       int32_t what, int32_t index, uint64_t now_ns)
{
	const struct rx_query query = {.type = RX_TYPE_DEBUG, .what = what, .index = index};

	place->asked = question;
	place->asked_ns = now_ns;
	return rx_client_ask(poll->client, &place->address, &query,
			     (uint64_t)(place - poll->places) << 32 | (uint32_t)index);
}

static int ask_record(struct rx_poll *poll, struct rx_place *place, uint64_t now_ns)
{
	int32_t index = rx_place_next_record(&poll->out, place);

	if (index < 0)
		return 0;
	place->list_due_ns = now_ns + (uint64_t)((double)NS_PER_SEC / poll->config.rate);
	return ask(poll, place, RX_PLACE_RECORD, place->list.what, index, now_ns) ?: 1;
}

/* A round comes before what is left of a list, which is in no hurry. 1: it was asked something; 0, -errno. */
static int ask_place(struct rx_poll *poll, struct rx_place *place, uint64_t now_ns)
{
	uint64_t periods;

	if (place->asked != RX_PLACE_NOTHING)
		return 0;
	if (!poll->out.wanted) {
		place->paused = true;
		return 0;
	}
	if (place->wants_stats) {
		place->wants_stats = false;
		return ask(poll, place, RX_PLACE_STATS, RX_DEBUG_STATS, 0, now_ns) ?: 1;
	}
	if (now_ns >= place->due_ns) {
		periods = 1 + (now_ns - place->due_ns) / poll->config.period_ns;
		place->due_ns += periods * poll->config.period_ns;
		rx_place_begin(&poll->out, place, periods);
		return ask(poll, place, RX_PLACE_BASIC, RX_DEBUG_BASIC, 0, now_ns) ?: 1;
	}
	return now_ns >= place->list_due_ns ? ask_record(poll, place, now_ns) : 0;
}

/* Whose turn it is; how many, or -errno. */
static int ask_due(struct rx_poll *poll)
{
	uint64_t now_ns = clock_monotonic_ns();
	int count = 0;

	for (size_t i = 0; i < poll->config.count; i++) {
		int asked = ask_place(poll, &poll->places[i], now_ns);

		if (asked < 0)
			return asked;
		count += asked;
	}
	return count;
}

static bool is_waiting(const struct rx_poll *poll)
{
	for (size_t i = 0; i < poll->config.count; i++) {
		if (poll->places[i].asked != RX_PLACE_NOTHING)
			return true;
	}
	return false;
}

/* Sends what is to be sent, and takes what comes until then. */
static int take_answers(struct rx_poll *poll, uint64_t until_ns)
{
	struct rx_answer answer;
	int got;

	while ((got = rx_client_next_until(poll->client, until_ns, &answer)) > 0) {
		struct rx_place *place = &poll->places[answer.tag >> 32];

		answer.tag &= UINT32_MAX;
		rx_place_take(&poll->out, place, &answer);
		if (until_ns && !is_waiting(poll))
			return 0;
	}
	return got == -EAGAIN || got == -EINTR ? 0 : got;
}

static bool has_list(const struct rx_place *place)
{
	return place->list.what || place->wants_list[0] || place->wants_list[1];
}

static uint64_t next_due_ns(const struct rx_poll *poll)
{
	uint64_t next_ns = rx_client_due_ns(poll->client);

	for (size_t i = 0; poll->out.wanted && i < poll->config.count; i++) {
		const struct rx_place *place = &poll->places[i];

		if (place->asked != RX_PLACE_NOTHING)
			continue;
		if (place->due_ns < next_ns)
			next_ns = place->due_ns;
		if (has_list(place) && place->list_due_ns < next_ns)
			next_ns = place->list_due_ns;
	}
	return next_ns;
}

/* Setting it makes it unreadable until then. A time that has passed rings at once; 0 would be never. */
static int set_timer(const struct rx_poll *poll)
{
	uint64_t due_ns = next_due_ns(poll) ?: 1;
	struct itimerspec spec = {0};

	if (due_ns != UINT64_MAX)
		spec.it_value = (struct timespec){(time_t)(due_ns / NS_PER_SEC),
						  (long)(due_ns % NS_PER_SEC)};
	return timerfd_settime(poll->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL) ? -errno : 0;
}

int rx_poll_run(struct rx_poll *poll)
{
	int err, asked;

	do {
		err = take_answers(poll, 0);
		asked = err ?: ask_due(poll);
	} while (asked > 0);
	return asked ?: set_timer(poll) ?: poll->out.err;
}

int rx_poll_finish(struct rx_poll *poll)
{
	const struct rx_answer none = {.err = -ETIMEDOUT, .tries = 1};
	uint64_t now_ns = clock_monotonic_ns();
	int err = is_waiting(poll) ? take_answers(poll, now_ns + FAREWELL_NS) : 0;

	for (size_t i = 0; i < poll->config.count; i++) {
		struct rx_place *place = &poll->places[i];

		if (place->asked == RX_PLACE_BASIC && now_ns - place->asked_ns >= WAIT_NS)
			rx_place_take(&poll->out, place, &none);
	}
	return err ?: poll->out.err;
}

const struct rx_place_account *rx_poll_account(const struct rx_poll *poll, size_t i,
					       const char **name)
{
	if (i >= poll->config.count)
		return NULL;
	*name = poll->places[i].name;
	return &poll->places[i].account;
}

uint64_t rx_poll_lost(const struct rx_poll *poll)
{
	return poll->out.lost;
}
