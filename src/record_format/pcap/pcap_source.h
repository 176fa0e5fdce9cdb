/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcap_source: a capture of packets as a source of events: of what is in it, the exchanges of Rx debug.
 *
 * The last event, rx_debug.capture, counts what else there was. Where time goes back from one packet to the
 * next, as it may between interfaces, it stands still.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_PCAP_SOURCE_H
#define SONDE_RECORD_FORMAT_PCAP_PCAP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct event_source;
struct file_window;

/* The environment of such a source. */
#define PCAP_ENV_FORMAT "capture_format" /* "pcap", "pcapng" */

bool pcap_source_is(const uint8_t *head, size_t len);
/* The source owns @file from here on, even if this fails. @name is for messages. */
int pcap_source_open(struct file_window *file, const char *name, struct event_source **ret,
		     struct diag *diag);

#endif /* SONDE_RECORD_FORMAT_PCAP_PCAP_SOURCE_H */
