// SPDX-License-Identifier: BSD-2-Clause
#include "trace/settled.h"

#include <string.h>

void settled_init(struct settled *settled, bool snapshots)
{
	*settled = (struct settled){.snapshots = snapshots, .until_ns = INT64_MIN};
}

/* What was there a wait ago is complete; and, unless snapshots come, what lies so far behind the
 * newest event, as that was written when it was new. */
void settled_see(struct settled *settled, int64_t now_ns, int64_t end_ns)
{
	struct settled_look *looks = settled->looks;
	size_t done = 0;

	if (settled->count < SETTLED_LOOKS_MAX &&
	    (!settled->count || looks[settled->count - 1].end_ns < end_ns))
		looks[settled->count++] = (struct settled_look){now_ns, end_ns};
	while (done < settled->count && looks[done].at_ns <= now_ns - SETTLED_WAIT_NS)
		settled->until_ns = looks[done++].end_ns;
	settled->count -= done;
	memmove(looks, looks + done, settled->count * sizeof(*looks));
	if (!settled->snapshots && end_ns > INT64_MIN + SETTLED_WAIT_NS &&
	    end_ns - SETTLED_WAIT_NS > settled->until_ns)
		settled->until_ns = end_ns - SETTLED_WAIT_NS;
}
