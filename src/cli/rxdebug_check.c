// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_check.h"

#include "base/buffer.h"
#include "cli/rxdebug_request.h"
#include "rx/rx_record.h"

/* How bad they are, best first: not the order of their numbers. */
static unsigned int badness(int status)
{
	return status == RXDEBUG_GOOD	 ? 0 :
	       status == RXDEBUG_WARNING ? 1 :
	       status == RXDEBUG_SILENT	 ? 2 :
					   3;
}

static int judge(const struct rxdebug_request *request, const struct rx_report *report)
{
	if (!report->has_basic || !rx_basic_has(&report->basic, RX_VERSION_WAITING))
		return RXDEBUG_SILENT;
	return report->basic.waiting > request->critical ? RXDEBUG_CRITICAL :
	       report->basic.waiting > request->warning	 ? RXDEBUG_WARNING :
							   RXDEBUG_GOOD;
}

/* The faults, or that there are none. */
static void put_faults(const struct rxdebug_request *request, const struct rx_report *reports,
		       struct buffer *out)
{
	size_t faults = 0;

	for (size_t i = 0; i < request->targets.count; i++) {
		const struct rx_report *report = &reports[i];

		if (judge(request, report) == RXDEBUG_GOOD)
			continue;
		buffer_string(out, faults++ ? "; " : "");
		buffer_string(out, request->targets.list[i].name);
		if (!report->has_basic)
			buffer_string(out, " does not answer");
		else if (!rx_basic_has(&report->basic, RX_VERSION_WAITING))
			buffer_string(out, " is too old to tell how many calls wait");
		else
			buffer_format(out, " has %d calls waiting for a thread",
				      report->basic.waiting);
	}
	if (!faults)
		buffer_format(out, "%zu server%s, no queue", request->targets.count,
			      request->targets.count == 1 ? "" : "s");
}

/* Performance data, as Nagios's plugins have it: 'label'=value;warning;critical;least. */
static void put_numbers(const struct rxdebug_request *request, const struct rx_report *reports,
			struct buffer *out)
{
	const char *before = " | ";

	for (size_t i = 0; i < request->targets.count; i++) {
		const char *name = request->targets.list[i].name;

		if (!reports[i].has_basic)
			continue;
		buffer_format(out, "%s'%s waiting'=%d;%d;%d;0 '%s idle'=%d", before, name,
			      reports[i].basic.waiting, request->warning, request->critical, name,
			      reports[i].basic.idle_threads);
		before = " ";
	}
	buffer_char(out, '\n');
}

int rxdebug_check(const struct rxdebug_request *request, const struct rx_report *reports,
		  struct buffer *out)
{
	static const char *const words[] = {"OK", "WARNING", "UNKNOWN", "CRITICAL"};
	int worst = RXDEBUG_GOOD;

	for (size_t i = 0; i < request->targets.count; i++) {
		int status = judge(request, &reports[i]);

		if (badness(status) > badness(worst))
			worst = status;
	}
	buffer_format(out, "RXDEBUG %s: ", words[badness(worst)]);
	put_faults(request, reports, out);
	put_numbers(request, reports, out);
	return worst;
}
