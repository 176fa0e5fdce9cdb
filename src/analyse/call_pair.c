// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/call_pair.h"

void call_begin(struct call_begun *begun, uint32_t epoch, int64_t time_ns, int64_t nr, bool compat)
{
	*begun = (struct call_begun){
		.time_ns = time_ns, .nr = (int32_t)nr, .epoch = epoch, .compat = compat};
}

int64_t call_finish(struct call_begun *begun, uint32_t epoch, int64_t time_ns, int64_t nr,
		    bool compat)
{
	bool known = begun->epoch == epoch && begun->nr == (int32_t)nr && begun->compat == compat &&
		     time_ns >= begun->time_ns;

	begun->epoch = 0;
	return known ? (int64_t)((uint64_t)time_ns - (uint64_t)begun->time_ns) : -1;
}
