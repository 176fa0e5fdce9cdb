// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_widen.h"

bool rx_widen_went_back(const struct rx_widened *counters, const uint32_t *raw, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (raw[i] - counters[i].raw > INT32_MAX)
			return true;
	}
	return false;
}

void rx_widen(struct rx_widened *counters, const uint32_t *raw, size_t count, bool anew)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t more = (uint32_t)(raw[i] - counters[i].raw);

		counters[i].value = anew ? raw[i] : counters[i].value + more;
		counters[i].raw = raw[i];
	}
}
