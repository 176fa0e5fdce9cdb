// SPDX-License-Identifier: BSD-2-Clause
#include "truth_log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/diag.h"

int truth_log_open(struct truth_log *log, const char *path, uint64_t seed, struct diag *diag)
{
	memset(log, 0, sizeof(*log));
	log->file = fopen(path, "we");
	if (!log->file)
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	fprintf(log->file, "# wire seed=%" PRIu64 " wall_offset_ns=%" PRId64 "\n", seed,
		clock_wall_offset_ns());
	fputs("# time_ns direction action kind length source destination seq payload ack flags again "
	      "due_ns queue_bytes notes\n",
	      log->file);
	return 0;
}

/* "10.0.0.1:80", "[fe80::1]:80", "-" */
static const char *end_text(char *text, size_t room, const struct frame *frame,
			    const uint8_t *address, uint16_t port)
{
	char ip[INET6_ADDRSTRLEN];

	if (!frame->flow.family || !inet_ntop(frame->flow.family, address, ip, sizeof(ip)))
		return "-";
	snprintf(text, room, frame->flow.family == AF_INET6 ? "[%s]:%u" : "%s:%u", ip, port);
	return text;
}

static const char *flags_text(char *text, uint8_t flags)
{
	static const char letters[] = "FSRPAUEC";
	size_t length = 0;

	for (unsigned int bit = 0; bit < 8; bit++)
		if (flags >> bit & 1)
			text[length++] = letters[bit];
	text[length] = '\0';
	return length ? text : "-";
}

static void write_frame(struct truth_log *log, uint64_t now_ns, enum direction direction,
			const char *action, const struct frame *frame)
{
	char source[INET6_ADDRSTRLEN + 10], destination[INET6_ADDRSTRLEN + 10], flags[9];

	fprintf(log->file, "%" PRIu64 " %s %s %s %u %s %s %u %u %u %s", now_ns,
		direction == DIRECTION_FORWARD ? "forward" : "back", action,
		frame_kind_name(frame->kind), frame->length,
		end_text(source, sizeof(source), frame, frame->flow.saddr, frame->flow.sport),
		end_text(destination, sizeof(destination), frame, frame->flow.daddr,
			 frame->flow.dport),
		frame->seq, frame->payload, frame->ack, flags_text(flags, frame->flags));
}

void truth_log_verdict(struct truth_log *log, uint64_t now_ns, enum direction direction,
		       const struct frame *frame, const struct verdict *verdict)
{
	const struct {
		bool holds;
		const char *name;
	} notes[] = {
		{verdict->is_held, "held"},
		{verdict->is_twice, "twice"},
		{verdict->is_marked, "marked"},
		{verdict->is_corrupt, "corrupt"},
	};
	const char *before = "";

	log->packets++;
	write_frame(log, now_ns, direction, action_name(verdict->action), frame);
	fprintf(log->file, " %s %" PRIu64 " %" PRIu64 " ",
		verdict->place.is_known ? (verdict->place.is_again ? "1" : "0") : "-",
		verdict->due_ns, verdict->queue_bytes);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		if (!notes[i].holds)
			continue;
		fprintf(log->file, "%s%s", before, notes[i].name);
		before = ",";
	}
	fputs(*before ? "\n" : "-\n", log->file);
}

void truth_log_leave(struct truth_log *log, uint64_t now_ns, enum direction direction,
		     const struct frame *frame, uint64_t due_ns)
{
	uint64_t late_ns = now_ns - due_ns;

	log->left++;
	log->late_sum_ns += late_ns;
	if (late_ns > log->late_max_ns)
		log->late_max_ns = late_ns;
	if (late_ns <= LATE_NS)
		return;
	log->late++;
	write_frame(log, now_ns, direction, "late", frame);
	fprintf(log->file, " - %" PRIu64 " 0 -\n", due_ns);
}

void truth_log_failed(struct truth_log *log, uint64_t now_ns, enum direction direction,
		      const struct frame *frame)
{
	log->failed++;
	write_frame(log, now_ns, direction, "failed", frame);
	fputs(" - 0 0 -\n", log->file);
}

void truth_log_change(struct truth_log *log, uint64_t now_ns, size_t line, const char *keys)
{
	fprintf(log->file, "# change time_ns=%" PRIu64 " line=%zu %s\n", now_ns, line, keys);
}

int truth_log_close(struct truth_log *log, const struct shaper *shaper)
{
	int err = 0;

	fprintf(log->file,
		"# end packets=%" PRIu64 " left=%" PRIu64 " late=%" PRIu64 " late_max_ns=%" PRIu64
		" late_mean_ns=%" PRIu64 " failed=%" PRIu64 " unknown_flows=%" PRIu64 "\n",
		log->packets, log->left, log->late, log->late_max_ns,
		log->left ? log->late_sum_ns / log->left : 0, log->failed, shaper->flows.unknown);
	if (ferror(log->file))
		err = -EIO;
	if (fclose(log->file) && !err)
		err = -errno;
	log->file = NULL;
	return err;
}
