// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_problem.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "rx/rx_record.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"

/*
 * A server gives a call to a thread only when the client has proven that it is there. From a
 * client that it does not know it first asks an acknowledgement (attach wait), and of one with
 * rxkad the answer to a challenge: until that came, the security statistics are those of an object
 * just made (OpenAFS 1.8.9, rx.c: TryAttach; rxkad_server.c).
 */
static enum rx_wait held_by_client(const struct sonde_rx_conn *conn)
{
	const struct sonde_rx_security *security = &conn->security;

	if (!conn->type)
		return RX_WAIT_NOTHING;
	if (conn->flags & SONDE_RX_CONN_ATTACH_WAIT)
		return RX_WAIT_CLIENT;
	if (security->type == SONDE_RX_SECURITY_KAD &&
	    !(security->flags & (SONDE_RX_SECURITY_AUTHENTICATED | SONDE_RX_SECURITY_UNALLOCATED)))
		return RX_WAIT_CHALLENGE;
	return RX_WAIT_NOTHING;
}

enum rx_wait rx_hold_find(const struct sonde_rx_conn *conn, size_t i)
{
	const struct sonde_rx_call *call = &conn->calls[i];

	if (call->state == SONDE_RX_CALL_NONE)
		return RX_WAIT_NOTHING;
	if (call->flags & SONDE_RX_CALL_WAIT_PROCESS)
		return RX_WAIT_THREAD;
	if (call->flags & SONDE_RX_CALL_WAIT_PACKETS)
		return RX_WAIT_PACKETS;
	if (call->flags & SONDE_RX_CALL_WAIT_WINDOW_ALLOC)
		return RX_WAIT_WINDOW;
	if (call->flags & SONDE_RX_CALL_WAIT_WINDOW_SEND)
		return RX_WAIT_ACK;
	return call->state == SONDE_RX_CALL_PRECALL ? held_by_client(conn) : RX_WAIT_NOTHING;
}

const char *rx_hold_text(enum rx_wait wait)
{
	static const char *const texts[] = {
		[RX_WAIT_NOTHING] = NULL,
		[RX_WAIT_THREAD] = "waits for a thread",
		[RX_WAIT_PACKETS] = "waits for packet buffers",
		[RX_WAIT_WINDOW] = "waits for room in its window",
		[RX_WAIT_ACK] = "waits for the other end to acknowledge",
		[RX_WAIT_CLIENT] =
			"waits for the client to show that it is reachable (attach wait)",
		[RX_WAIT_CHALLENGE] = "waits for the client to answer a challenge",
	};

	return texts[wait];
}

struct finding {
	int64_t now_s;
	struct buffer *text;
	rx_problem_visitor visit;
	void *ctx;
};

const char *rx_problem_name(enum rx_problem_kind kind)
{
	static const char *const names[] = {
		[RX_PROBLEM_SILENT] = "silent",
		[RX_PROBLEM_WAITING] = "waiting",
		[RX_PROBLEM_PACKETS] = "packets",
		[RX_PROBLEM_BLOCKED] = "blocked",
		[RX_PROBLEM_HELD] = "held",
		[RX_PROBLEM_MAKECALL] = "makecall",
		[RX_PROBLEM_ERROR] = "error",
		[RX_PROBLEM_EXPIRED] = "expired",
		[RX_PROBLEM_INCOMPLETE] = "incomplete",
		[RX_PROBLEM_RESENT] = "resent",
		[RX_PROBLEM_BUSY] = "busy",
	};

	return names[kind];
}

bool rx_problem_is_total(enum rx_problem_kind kind)
{
	return kind >= RX_PROBLEM_RESENT;
}

/* What was written since the last. */
static void found(const struct finding *f, enum rx_problem_kind kind)
{
	buffer_char(f->text, '\0');
	if (!buffer_error(f->text))
		f->visit(f->ctx, kind, f->text->data);
	buffer_reset(f->text);
}

static void find_load(const struct finding *f, const struct rx_report *report)
{
	const struct sonde_rx_basic *basic = &report->basic;

	if (rx_basic_has(basic, RX_VERSION_WAITING) && basic->waiting > 0) {
		buffer_format(f->text, "%d calls wait for a thread", basic->waiting);
		if (rx_basic_has(basic, RX_VERSION_IDLE))
			buffer_format(f->text, ", %d threads are idle%s", basic->idle_threads,
				      basic->idle_threads > 0 ? " (kept for other services)" : "");
		found(f, RX_PROBLEM_WAITING);
	}
	if (basic->waiting_for_packets) {
		buffer_string(f->text, "it waits for packet buffers");
		found(f, RX_PROBLEM_PACKETS);
	}
}

static void put_conn(const struct finding *f, const struct sonde_rx_conn *conn)
{
	buffer_string(f->text, conn->type ? "from " : "to ");
	rx_words_host(conn->host, f->text);
	buffer_format(f->text, ":%u %x/%x", conn->port, conn->epoch, conn->cid);
}

static void find_blocked(const struct finding *f, const struct sonde_rx_conn *conn)
{
	for (unsigned int i = 0; i < SONDE_RX_CALLS; i++) {
		enum rx_wait wait = rx_hold_find(conn, i);

		if (wait == RX_WAIT_NOTHING)
			continue;
		put_conn(f, conn);
		buffer_format(f->text, ": call %u (#%d) %s", i, conn->calls[i].number,
			      rx_hold_text(wait));
		found(f, wait >= RX_WAIT_CLIENT ? RX_PROBLEM_HELD : RX_PROBLEM_BLOCKED);
	}
	if (conn->flags & SONDE_RX_CONN_MAKECALL_WAITING) {
		put_conn(f, conn);
		buffer_string(f->text, ": all its calls are taken, and another one waits");
		found(f, RX_PROBLEM_MAKECALL);
	}
}

static void find_errors(const struct finding *f, const struct sonde_rx_conn *conn)
{
	const struct sonde_rx_security *security = &conn->security;
	int64_t since_s = f->now_s - security->expires;

	if (conn->error) {
		put_conn(f, conn);
		buffer_format(f->text, ": error %d", conn->error);
		found(f, RX_PROBLEM_ERROR);
	}
	if (security->type != SONDE_RX_SECURITY_KAD || !security->expires ||
	    security->expires == UINT32_MAX || since_s < 0)
		return;
	put_conn(f, conn);
	buffer_format(f->text, ": its ticket expired %.1f hours ago", (double)since_s / 3600);
	found(f, RX_PROBLEM_EXPIRED);
}

static void find_resent(const struct finding *f, const struct sonde_rx_peer *peer)
{
	uint64_t all = (uint64_t)peer->sent + peer->resent;

	if (all < RX_PROBLEM_RESENT_PACKETS ||
	    (uint64_t)peer->resent * 100 < all * RX_PROBLEM_RESENT_PERCENT)
		return;
	buffer_string(f->text, "peer ");
	rx_words_host(peer->host, f->text);
	buffer_format(f->text, ":%u: %.1f %% of %llu packets were sent again", peer->port,
		      100.0 * peer->resent / (double)all, (unsigned long long)all);
	if (rx_words_has_rtt(peer))
		buffer_format(f->text, ", round trip %d ms", peer->rtt >> 3);
	found(f, RX_PROBLEM_RESENT);
}

static void find_incomplete(const struct finding *f, const char *what, const struct rx_list *list)
{
	if (!list->err)
		return;
	buffer_format(f->text, "%s: ", what);
	if (list->err == -E2BIG)
		buffer_format(f->text, "there are more than %u, which are read with --force",
			      list->limit);
	else if (list->err == -ENOTSUP)
		buffer_string(f->text, "this server does not tell of them");
	else
		buffer_format(f->text, "%zu, then no more: %s", list->count,
			      list->err == -ETIMEDOUT ? "no answer" :
			      list->err == -EINTR     ? "interrupted" :
							strerror(-list->err));
	found(f, RX_PROBLEM_INCOMPLETE);
}

static void find_silent(const struct finding *f, int err)
{
	if (err == -EINTR)
		buffer_string(f->text, "it had not answered when you interrupted");
	else if (err == -ENOTSUP)
		buffer_string(f->text, "it speaks Rx, but refuses to tell");
	else
		buffer_format(f->text, "no answer%s%s", err == -ETIMEDOUT ? "" : ": ",
			      err == -ETIMEDOUT ? "" : strerror(-err));
	found(f, RX_PROBLEM_SILENT);
}

void rx_problem_find(const struct rx_report *report, int64_t now_s, struct buffer *text,
		     rx_problem_visitor visit, void *ctx)
{
	const struct finding f = {now_s, text, visit, ctx};
	const struct sonde_rx_conn *conns = rx_list_conns(&report->conns);
	const struct sonde_rx_peer *peers = rx_list_peers(&report->peers);

	buffer_reset(text);
	if (report->err) {
		find_silent(&f, report->err);
		return;
	}
	find_load(&f, report);
	for (size_t i = 0; conns && i < report->conns.count; i++)
		find_blocked(&f, &conns[i]);
	for (size_t i = 0; conns && i < report->conns.count; i++)
		find_errors(&f, &conns[i]);
	find_incomplete(&f, "connections", &report->conns);
	find_incomplete(&f, "peers", &report->peers);
	for (size_t i = 0; peers && i < report->peers.count; i++)
		find_resent(&f, &peers[i]);
	if (report->has_stats && report->stats.words[SONDE_RX_STAT_BUSIES]) {
		buffer_format(text, "%u calls were rejected: all threads busy",
			      report->stats.words[SONDE_RX_STAT_BUSIES]);
		found(&f, RX_PROBLEM_BUSY);
	}
}
