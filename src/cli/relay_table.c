// SPDX-License-Identifier: BSD-2-Clause
#include "cli/relay_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "cli/asking.h"
#include "output/table.h"
#include "record/answer.h"

#define NAME_BYTES 512

static uint64_t number(const char *json, const char *key)
{
	uint64_t value = 0;

	answer_number(json, key, &value);
	return value;
}

/* "  viewers at 127.0.0.1:5344 [::1]:5344" */
static void print_addresses(const struct asking *ask, const char *label, const char *key)
{
	char text[128];

	printf("%s", label);
	for (size_t i = 0; asking_text(ask, key, i, text, sizeof(text)); i++)
		printf(" %s", text);
}

/* ": 3 of 1,024, 2 refused, 1 rejected" */
static void print_connections(const char *json, const char *who)
{
	char key[64], now[32], most[32];
	uint64_t refused, turned_away;

	snprintf(key, sizeof(key), "%s_most", who);
	count_format(most, sizeof(most), number(json, key));
	snprintf(key, sizeof(key), "%s_refused", who);
	refused = number(json, key);
	snprintf(key, sizeof(key), "%s_turned_away", who);
	turned_away = number(json, key);
	printf(": %s of %s", count_format(now, sizeof(now), number(json, who)), most);
	if (refused)
		printf(", %s refused", count_format(now, sizeof(now), refused));
	if (turned_away)
		printf(", %s rejected", count_format(now, sizeof(now), turned_away));
	putchar('\n');
}

static void print_store(const struct asking *ask)
{
	const char *json = ask->answer.data;
	char text[400], now[32], most[32];

	if (!asking_text(ask, "output", 0, text, sizeof(text)))
		return;
	print_addresses(ask, "  control at", "control");
	print_addresses(ask, ", data at", "data");
	print_connections(json, "peers");
	printf("  %s of %s sessions are stored in %s\n",
	       count_format(now, sizeof(now), number(json, "incoming")),
	       count_format(most, sizeof(most), number(json, "incoming_most")), text);
}

/* "  48 of 620 files of streams are open, files were opened again 1,204 times" */
static void print_files(const char *json)
{
	uint64_t open = number(json, "files_open"), parked = number(json, "files_parked");
	uint64_t reopened = number(json, "files_reopened"), lost = number(json, "files_lost");
	char now[32], all[32], times[32];

	if (!parked && !reopened && !lost)
		return;
	printf("  %s of %s files of streams are open, files were opened again %s times",
	       count_format(now, sizeof(now), open), count_format(all, sizeof(all), open + parked),
	       count_format(times, sizeof(times), reopened));
	if (lost)
		printf(", %s could not be", count_format(now, sizeof(now), lost));
	putchar('\n');
}

/* "  lost packets: 12 (3 kB), lost streams: 1 (their files were removed or replaced)" */
static void print_losses(const char *json)
{
	uint64_t streams = number(json, "lost_streams");
	char packets[32], size[32], count[32];

	if (!streams)
		return;
	printf("  lost packets: %s (%s), lost streams: %s (their files were removed or replaced)\n",
	       count_format(packets, sizeof(packets), number(json, "lost_packets")),
	       size_format(size, sizeof(size), number(json, "lost_bytes")),
	       count_format(count, sizeof(count), streams));
}

/* "  37 MB of 1 GB are used, 120 packets (3 MB) were dropped" */
static void print_quota(const char *json)
{
	uint64_t most = number(json, "quota_bytes"), packets = number(json, "dropped_packets");
	uint64_t bytes = number(json, "dropped_bytes");
	char used[32], limit[32], count[32], size[32];

	if (!most)
		return;
	printf("  %s of %s are used", size_format(used, sizeof(used), number(json, "stored_bytes")),
	       size_format(limit, sizeof(limit), most));
	if (bytes)
		printf(", %s packets (%s) were dropped",
		       count_format(count, sizeof(count), packets),
		       size_format(size, sizeof(size), bytes));
	putchar('\n');
}

static const char *state_of(const char *session)
{
	if (answer_flag(session, "ended"))
		return "ended";
	return answer_flag(session, "live") ? "live" : "stored";
}

static void add_row(struct table *table, const char *session)
{
	char name[NAME_BYTES], host[NAME_BYTES], size[32], count[32];

	answer_text(session, "name", 0, name, sizeof(name));
	answer_text(session, "host", 0, host, sizeof(host));
	escape_blank(name);
	escape_blank(host);
	table_add(table, "%s", name);
	table_add(table, "%s", host);
	table_add(table, "%s", state_of(session));
	table_add(table, "%s", count_format(count, sizeof(count), number(session, "viewers")));
	table_add(table, "%s", count_format(count, sizeof(count), number(session, "streams")));
	table_add(table, "%s", count_format(count, sizeof(count), number(session, "packets")));
	table_add(table, "%s", size_format(size, sizeof(size), number(session, "bytes")));
}

static void print_sessions(const char *json)
{
	static const char *const titles[] = {"session", "host",	   "state", "viewers",
					     "streams", "packets", "size",  NULL};
	uint64_t left_out = number(json, "sessions_left_out");
	const char *session;
	struct table table;
	struct buffer out;
	size_t count = 0;

	buffer_init(&out);
	table_init(&table, titles);
	while ((session = answer_object(json, "sessions", count))) {
		add_row(&table, session);
		count++;
	}
	if (count)
		table_finish(&table, &out, count, count + left_out);
	else
		table_fini(&table);
	if (!buffer_error(&out))
		fwrite(out.data, 1, out.len, stdout);
	buffer_fini(&out);
}

void relay_table_print(const struct asking *ask)
{
	print_addresses(ask, "\n  viewers at", "live");
	print_connections(ask->answer.data, "viewers");
	print_store(ask);
	print_files(ask->answer.data);
	print_losses(ask->answer.data);
	print_quota(ask->answer.data);
	print_sessions(ask->answer.data);
}
