// SPDX-License-Identifier: BSD-2-Clause
#include "graph/plot_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "graph/field_pick.h"
#include "graph/series_set.h"
#include "schema/trace_info.h"

#define QUANTITY_MAX 44u /* bytes */

static const char *text_of(const struct field_pick *pick)
{
	const char *text = field_pick_text(pick);

	return strlen(text) <= QUANTITY_MAX ? text : pick->name;
}

static void add_factor(const struct field_pick *pick, char *name, size_t room)
{
	size_t len = strlen(name);

	if (pick->factor != 1)
		(void)snprintf(name + len, room - len, " \u00d7 %g", pick->factor);
}

void plot_quantity(const struct field_pick *pick, char quantity[PLOT_NAME_BYTES])
{
	(void)snprintf(quantity, PLOT_NAME_BYTES, "%s", text_of(pick));
	add_factor(pick, quantity, PLOT_NAME_BYTES);
}

/* "congestion window (snd_cwnd)": what it is, and what to ask for. */
static void pick_name(const struct field_pick *pick, char *name, size_t room)
{
	const char *text = text_of(pick);

	if (!strcmp(text, pick->name))
		(void)snprintf(name, room, "%s", text);
	else
		(void)snprintf(name, room, "%s (%s)", text, pick->name);
	add_factor(pick, name, room);
}

void plot_line_name(const struct plot_naming *naming, const struct series_group *group,
		    const struct field_pick *pick, char name[PLOT_NAME_BYTES])
{
	size_t len;

	*name = '\0';
	if (naming->groups)
		(void)snprintf(name, PLOT_NAME_BYTES, "%s%s", group->label,
			       *group->label && naming->picks ? ", " : "");
	len = strlen(name);
	if (naming->picks || !*name)
		pick_name(pick, name + len, PLOT_NAME_BYTES - len);
}

void plot_title(const struct plot_naming *naming, const struct series_group *group,
		const struct field_pick *pick, char title[PLOT_NAME_BYTES])
{
	const char *label = naming->groups ? "" : group->label;
	char what[PLOT_NAME_BYTES / 2] = "";

	if (!naming->picks)
		pick_name(pick, what, sizeof(what));
	/* A sentence begins with a capital; names of fields stay as they are. */
	if (!*label && text_of(pick) != pick->name)
		*what = (char)toupper((unsigned char)*what);
	(void)snprintf(title, PLOT_NAME_BYTES, "%s%s%s", label, *label && *what ? ": " : "", what);
}

static void format_moment(int64_t time_ns, char *text, size_t room)
{
	int64_t seconds = time_ns / (int64_t)NS_PER_SEC, ns = time_ns % (int64_t)NS_PER_SEC;
	time_t second;
	struct tm tm;
	char date[32], zone[16];

	if (ns < 0) {
		ns += (int64_t)NS_PER_SEC;
		seconds--;
	}
	second = (time_t)seconds;
	if (!localtime_r(&second, &tm)) {
		(void)snprintf(text, room, "%lld s", (long long)seconds);
		return;
	}
	(void)strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	(void)strftime(zone, sizeof(zone), tm.tm_gmtoff ? "%z" : "UTC", &tm);
	(void)snprintf(text, room, "%s.%03d %s", date, (int)(ns / (int64_t)NS_PER_MS), zone);
}

const char *plot_trace_note(const struct trace_info *info)
{
	return trace_end_missing(info, 0) ? "; the trace is incomplete" : "";
}

void plot_caption(const struct trace_info *info, int64_t origin_ns, uint64_t points,
		  char caption[PLOT_NAME_BYTES])
{
	const struct trace_env *host = trace_info_env(info, "hostname");
	char moment[64], count[48];

	format_moment(origin_ns, moment, sizeof(moment));
	count_format(count, sizeof(count), points);
	(void)snprintf(caption, PLOT_NAME_BYTES, "0 = %s%s%s; %s value%s%s", moment,
		       host && host->text ? ", on " : "", host && host->text ? host->text : "",
		       count, points == 1 ? "" : "s", plot_trace_note(info));
}
