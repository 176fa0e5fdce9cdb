/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inherited: sockets that a service manager has opened for us, and what it calls them (sd_listen_fds(3)).
 */
#ifndef SONDE_LIVE_ACCESS_INHERITED_H
#define SONDE_LIVE_ACCESS_INHERITED_H

#define INHERITED_MAX 48
#define INHERITED_NAME_BYTES 64

struct inherited_socket {
	int fd; /* -1: it was taken */
	char name[INHERITED_NAME_BYTES]; /* "" = it has none */
};

struct inherited {
	struct inherited_socket sockets[INHERITED_MAX];
	int count;
};

/* Those that came with the process by LISTEN_FDS, from descriptor 3 on, which no child will
 * inherit. The first call gets them; a second call gets none. */
void inherited_take(struct inherited *ret);

#endif /* SONDE_LIVE_ACCESS_INHERITED_H */
