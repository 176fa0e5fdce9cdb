/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_service: a UDP port at which an rx_responder answers: many packets for each system call. An answer comes
 * from the address that was asked, also where the host has several.
 */
#ifndef SONDE_RX_RX_SERVICE_H
#define SONDE_RX_RX_SERVICE_H

#include <stdint.h>

struct diag;
struct rx_responder;
struct rx_service;

/* @address: an IPv4 address, NULL = all of the host's; @port 0: one of the kernel's choice. Borrows @responder.
 * -errno with the diag. */
int rx_service_open(struct rx_responder *responder, const char *address, uint16_t port,
		    struct rx_service **ret, struct diag *diag);
/* NULL is fine. */
void rx_service_close(struct rx_service *service);

/* Readable when a request has come. */
int rx_service_fd(const struct rx_service *service);
uint16_t rx_service_port(const struct rx_service *service);
/* Answers the requests that have come, without waiting, and returns now and then if they do not
 * end: how many packets it read, or -errno. */
int rx_service_serve(struct rx_service *service);

#endif /* SONDE_RX_RX_SERVICE_H */
