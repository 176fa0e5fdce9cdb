/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * settings: what the wire does to packets of one direction, and the schedule by which that changes.
 *
 * A schedule is text, one change a line: "TIME DIRECTION KEY=VALUE...". TIME counts from the first TCP packet on
 * the wire; changes at 0 hold from the start. DIRECTION is "forward" (a to b), "back" or "both". A key keeps its
 * value until another line changes it. "#" begins a comment.
 */
#ifndef LAB_WIRE_SETTINGS_H
#define LAB_WIRE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;

enum direction {
	DIRECTION_FORWARD,
	DIRECTION_BACK,
	DIRECTION_COUNT,
};

/* All zeros: a wire without delay that changes nothing. */
struct settings {
	uint64_t delay_ns;
	uint64_t jitter_ns; /* added: uniformly from 0 to this; the order stays */
	uint64_t rate_bits; /* a second; 0 = as fast as it comes */
	uint64_t queue_bytes; /* that wait for the rate; 0 = no limit */
	uint64_t mtu; /* IP packets that are longer vanish; 0 = none */
	uint64_t tail; /* new data beyond this many bytes of a stream is lost; 0 = none */
	uint64_t every; /* each n-th data segment is lost; 0 = none */
	uint64_t syn; /* the first n SYNs of each flow are lost */
	uint64_t synack;
	double loss; /* probabilities, 0 to 1: of any IP packet */
	double ack_loss; /* of a segment that only acknowledges */
	double burst; /* of an IP packet to begin a burst, in which all are lost */
	double burst_length; /* packets, on average; at least 1 */
	double reorder; /* of an IP packet to be held back by @reorder_by_ns, while later ones pass */
	uint64_t reorder_by_ns;
	double duplicate;
	double corrupt; /* one bit behind the IP header is inverted */
	double ecn; /* of an ECN-capable packet to be marked */
	uint64_t ecn_queue; /* as well where more bytes than this wait; 0 = never */
	bool down; /* all packets are lost */
};

struct settings_change {
	uint64_t at_ns;
	size_t line; /* of the text */
	bool applies[DIRECTION_COUNT];
	const char *keys; /* within schedule.text: checked */
};

struct schedule {
	char *text;
	struct settings_change *changes; /* in order of time, lines with the same one in order */
	size_t count;
};

#define SCHEDULE_MAX 4096u /* changes */

/* "loss=1% delay=20ms": changes these keys of @settings. -EINVAL with the diag; then @settings may have changed. */
int settings_apply(struct settings *settings, const char *keys, struct diag *diag);
/* Copies @text. -EINVAL: a line is not understood, -E2BIG: it has too many. */
int schedule_parse(struct schedule *schedule, const char *text, struct diag *diag);
void schedule_free(struct schedule *schedule);

#endif /* LAB_WIRE_SETTINGS_H */
