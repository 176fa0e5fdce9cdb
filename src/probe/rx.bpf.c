// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * rx: what the recorder asks Rx servers (AFS) for. There is no program here: the records are described like all
 * others, and the recorder makes them of what it is answered (record/rx_poll.c).
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
