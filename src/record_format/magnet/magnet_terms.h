/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_terms: MAGNeT's records as normalized events (Sonde's own classes), as far as they have
 * the data field. Those with the state of TCP come as tcp.snapshot; its bytes sent are those that
 * applications handed to TCP, those received what they took. Those with an IP head come as net.*,
 * distinguished by its id: a record has neither the packet's memory nor its bytes.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_TERMS_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_TERMS_H

struct terms;
struct trace_info;

/* As schema/terms.h says. */
int magnet_terms_new(const struct trace_info *info, struct terms **ret);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_TERMS_H */
