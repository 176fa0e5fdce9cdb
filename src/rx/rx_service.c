// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "rx/rx_message.h"
#include "rx/rx_responder.h"

#define BATCH 64u
#define BATCHES 64u /* before the caller has its turn */
#define RECEIVE_BUFFER_BYTES (1 << 20)
#define REQUEST_BYTES 64u /* what is behind them is cut off: requests are shorter */

_Static_assert(REQUEST_BYTES >= RX_REQUEST_MAX_BYTES, "a request");

/* Where one packet comes in, and its answer is written. */
struct place {
	struct sockaddr_in peer;
	struct iovec request;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in_pktinfo))];
	uint8_t request_bytes[REQUEST_BYTES];
	uint8_t reply_bytes[RX_REPLY_MAX_BYTES];
};

/*
 * Answers to one source, of one length, that leave together: the kernel takes them through its layers as one
 * packet, and cuts that where it has to (UDP_SEGMENT), which is three times as fast.
 */
struct run {
	struct in_addr from; /* the address that was asked */
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in_pktinfo)) +
					      CMSG_SPACE(sizeof(uint16_t))];
};

struct rx_service {
	struct rx_responder *responder;
	int fd;
	uint16_t port;
	bool tells_address; /* packets come with the address that was asked */
	bool segments; /* the kernel, and the way out, take runs */
	struct place places[BATCH];
	struct mmsghdr in[BATCH];
	struct iovec replies[BATCH];
	struct run runs[BATCH];
	struct mmsghdr out[BATCH];
};

static int open_socket(struct rx_service *service, struct sockaddr_in *address)
{
	const int bytes = RECEIVE_BUFFER_BYTES, yes = 1;
	socklen_t len = sizeof(*address);

	service->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (service->fd < 0)
		return -errno;
	(void)setsockopt(service->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	service->tells_address = address->sin_addr.s_addr == htonl(INADDR_ANY);
	if (service->tells_address &&
	    setsockopt(service->fd, IPPROTO_IP, IP_PKTINFO, &yes, sizeof(yes)))
		return -errno;
	if (bind(service->fd, (const struct sockaddr *)address, sizeof(*address)) ||
	    getsockname(service->fd, (struct sockaddr *)address, &len))
		return -errno;
	service->port = ntohs(address->sin_port);
	service->segments = true;
	return 0;
}

static void init_places(struct rx_service *service)
{
	for (size_t i = 0; i < BATCH; i++) {
		struct place *place = &service->places[i];

		place->request = (struct iovec){place->request_bytes, sizeof(place->request_bytes)};
		service->in[i].msg_hdr = (struct msghdr){
			.msg_name = &place->peer,
			.msg_iov = &place->request,
			.msg_iovlen = 1,
			.msg_control = service->tells_address ? place->control : NULL,
		};
	}
}

int rx_service_open(struct rx_responder *responder, const char *address, uint16_t port,
		    struct rx_service **ret, struct diag *diag)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct rx_service *service;
	int err;

	if (address && inet_pton(AF_INET, address, &in.sin_addr) != 1)
		return diag_set(diag, -EINVAL, "'%s' is not an IPv4 address", address);
	service = calloc(1, sizeof(*service));
	if (!service)
		return diag_set(diag, -ENOMEM, "no memory");
	service->responder = responder;
	err = open_socket(service, &in);
	if (err) {
		rx_service_close(service);
		return diag_set(diag, err, "UDP port %u of %s: %s", port, address ?: "0.0.0.0",
				strerror(-err));
	}
	init_places(service);
	*ret = service;
	return 0;
}

void rx_service_close(struct rx_service *service)
{
	if (!service)
		return;
	(void)fd_close(service->fd);
	free(service);
}

int rx_service_fd(const struct rx_service *service)
{
	return service->fd;
}

uint16_t rx_service_port(const struct rx_service *service)
{
	return service->port;
}

static int receive(struct rx_service *service)
{
	int count;

	for (size_t i = 0; i < BATCH; i++) {
		struct msghdr *msg = &service->in[i].msg_hdr;

		msg->msg_namelen = sizeof(service->places[i].peer);
		msg->msg_controllen = service->tells_address ? sizeof(service->places[i].control) :
							       0;
	}
	do {
		count = recvmmsg(service->fd, service->in, BATCH, 0, NULL);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return errno == EAGAIN ? 0 : -errno;
	return count;
}

/* The address that was asked; 0.0.0.0 where it is always the same. */
static struct in_addr asked_address(struct msghdr *in)
{
	const struct cmsghdr *head = in->msg_controllen ? CMSG_FIRSTHDR(in) : NULL;
	struct in_pktinfo info = {0};

	if (head && head->cmsg_level == IPPROTO_IP && head->cmsg_type == IP_PKTINFO)
		memcpy(&info, CMSG_DATA(head), sizeof(info));
	return info.ipi_spec_dst;
}

static void put_control(struct msghdr *msg, int level, int type, const void *value, size_t len)
{
	struct cmsghdr *head = (struct cmsghdr *)((char *)msg->msg_control + msg->msg_controllen);

	*head = (struct cmsghdr){CMSG_LEN(len), level, type};
	memcpy(CMSG_DATA(head), value, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

/* The begin of the messages of @run: their peer and source address, on any interface. */
static void begin_run(struct run *run, struct sockaddr_in *to, struct msghdr *msg)
{
	const struct in_pktinfo info = {.ipi_spec_dst = run->from};

	*msg = (struct msghdr){
		.msg_name = to,
		.msg_namelen = sizeof(*to),
		.msg_control = run->control,
	};
	if (run->from.s_addr)
		put_control(msg, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
}

static bool joins_run(const struct rx_service *service, const struct run *run,
		      const struct msghdr *msg, const struct sockaddr_in *to, struct in_addr from,
		      size_t len)
{
	const struct sockaddr_in *run_to = msg->msg_name;

	return service->segments && run_to->sin_addr.s_addr == to->sin_addr.s_addr &&
	       run_to->sin_port == to->sin_port && run->from.s_addr == from.s_addr &&
	       msg->msg_iov->iov_len == len;
}

static void end_run(struct msghdr *msg)
{
	uint16_t bytes = (uint16_t)msg->msg_iov->iov_len;

	if (msg->msg_iovlen > 1)
		put_control(msg, IPPROTO_UDP, UDP_SEGMENT, &bytes, sizeof(bytes));
}

/* Of @count packets that came: how many runs there are to be sent. */
static unsigned int answer(struct rx_service *service, unsigned int count)
{
	uint64_t now_ns = clock_monotonic_ns();
	unsigned int runs = 0;
	size_t replies = 0;

	for (unsigned int i = 0; i < count; i++) {
		struct place *place = &service->places[i];
		struct msghdr *in = &service->in[i].msg_hdr, *msg;
		struct in_addr from = asked_address(in);
		size_t len = 0;

		if (in->msg_namelen == sizeof(place->peer) && place->peer.sin_family == AF_INET)
			len = rx_responder_answer(service->responder, &place->peer,
						  place->request_bytes, service->in[i].msg_len,
						  now_ns, place->reply_bytes);
		if (!len)
			continue;
		service->replies[replies] = (struct iovec){place->reply_bytes, len};
		if (!runs || !joins_run(service, &service->runs[runs - 1],
					&service->out[runs - 1].msg_hdr, &place->peer, from, len)) {
			service->runs[runs].from = from;
			msg = &service->out[runs].msg_hdr;
			begin_run(&service->runs[runs++], &place->peer, msg);
			msg->msg_iov = &service->replies[replies];
		}
		service->out[runs - 1].msg_hdr.msg_iovlen++;
		replies++;
	}
	for (unsigned int i = 0; i < runs; i++)
		end_run(&service->out[i].msg_hdr);
	return runs;
}

/* The answers of a run one by one, where the way out takes none together. */
static void send_apart(struct rx_service *service, struct run *run, struct msghdr *msg)
{
	struct iovec *replies = msg->msg_iov;
	size_t count = msg->msg_iovlen;

	begin_run(run, msg->msg_name, msg);
	for (size_t i = 0; i < count; i++) {
		msg->msg_iov = &replies[i];
		msg->msg_iovlen = 1;
		if (sendmsg(service->fd, msg, 0) < 0)
			rx_responder_counts(service->responder)->unsent++;
	}
}

/* What cannot be sent is lost, as packets are, and counted; the others are sent. */
static void send_all(struct rx_service *service, unsigned int count)
{
	unsigned int at = 0;

	while (at < count) {
		struct msghdr *msg = &service->out[at].msg_hdr;
		int sent = sendmmsg(service->fd, service->out + at, count - at, 0);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent > 0) {
			at += (unsigned int)sent;
			continue;
		}
		/* No checksums by the device, an MTU that is too small, or another kernel. */
		if (msg->msg_iovlen > 1 && (errno == EIO || errno == EINVAL || errno == EMSGSIZE)) {
			service->segments = false;
			send_apart(service, &service->runs[at], msg);
		} else {
			rx_responder_counts(service->responder)->unsent += msg->msg_iovlen;
		}
		at++;
	}
}

int rx_service_serve(struct rx_service *service)
{
	int total = 0, count = BATCH;

	for (unsigned int i = 0; i < BATCHES && count == BATCH; i++) {
		count = receive(service);
		if (count < 0)
			return count;
		send_all(service, answer(service, (unsigned int)count));
		total += count;
	}
	return total;
}
