// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * rx: the data that the recorder requests from Rx servers (AFS). This file has no program: the
 * records are described like all others, and the recorder makes them of the replies (record/rx_poll.c).
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_helpers.h>

#include "probe/measure.bpf.h"
#include "wire/rx_event.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

RECORD(rx_stats);
RECORD(rx_counters);
RECORD(rx_conn);
RECORD(rx_call);
RECORD(rx_peer);
RECORD(rx_list_end);
RECORD(rx_silent);
