// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "live/relay/relay_health.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "wire/lttng_health.h"

#define BACKLOG 16
#define BEAT_US 500000
#define CLIENT_US 1000000 /* for its request: others wait as long */
#define NO_FILES_US 100000

struct relay_health {
	struct relay_health_config config;
	struct sockaddr_un address;
	struct event *beat;
	uint64_t beat_ns; /* of the last; atomic, as the next: the loop writes, the thread reads */
	uint32_t faults;
	int listen_fd;
	int end_fd; /* readable: the thread ends */
	int spare_fd; /* closed to accept a client when no descriptor is left; the thread's */
	bool bound;
	bool started;
	pthread_t thread;
};

static void show_beat(evutil_socket_t fd, short what, void *ctx)
{
	struct relay_health *health = ctx;

	(void)fd;
	(void)what;
	__atomic_store_n(&health->faults, health->config.find_faults(health->config.ctx),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&health->beat_ns, clock_monotonic_ns(), __ATOMIC_RELEASE);
}

static uint32_t find_state(const struct relay_health *health)
{
	uint64_t beat_ns = __atomic_load_n(&health->beat_ns, __ATOMIC_ACQUIRE);

	if (clock_monotonic_ns() > beat_ns + RELAY_HEALTH_HANGS_NS)
		return (1u << LTTNG_HEALTH_RELAYD_COUNT) - 1;
	return __atomic_load_n(&health->faults, __ATOMIC_RELAXED);
}

static void answer(const struct relay_health *health, int fd)
{
	const struct timeval patience = {CLIENT_US / 1000000, CLIENT_US % 1000000};
	const uint8_t check[LTTNG_HEALTH_REQUEST_BYTES_MAX] = {LTTNG_HEALTH_CHECK};
	uint8_t request[sizeof(check)];
	uint64_t state;
	ssize_t got;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	got = recv(fd, request, sizeof(request), 0);
	if (got < (ssize_t)LTTNG_HEALTH_REQUEST_BYTES || memcmp(request, check, (size_t)got) != 0)
		return;
	state = find_state(health);
	(void)send(fd, &state, sizeof(state), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void open_spare(struct relay_health *health)
{
	if (health->spare_fd < 0)
		health->spare_fd = eventfd(0, EFD_CLOEXEC);
}

static int take_client(struct relay_health *health)
{
	int fd = accept4(health->listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
		return fd;
	fd_close(health->spare_fd);
	health->spare_fd = -1;
	fd = accept4(health->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		(void)usleep(NO_FILES_US); /* the loop has taken it */
	return fd;
}

static void *serve(void *ctx)
{
	struct relay_health *health = ctx;
	struct pollfd ends[2] = {{health->end_fd, POLLIN, 0}, {health->listen_fd, POLLIN, 0}};

	for (;;) {
		int fd;

		if (poll(ends, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (ends[0].revents)
			return NULL;
		fd = take_client(health);
		if (fd >= 0)
			answer(health, fd);
		fd_close(fd);
		open_spare(health);
	}
}

/* What is at the path may be the socket of a relay that was killed. */
static int remove_old(const struct relay_health *health, struct diag *diag)
{
	const char *path = health->config.path;
	struct stat st;
	int fd, err;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 :
					 diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return diag_set(diag, -EEXIST, "%s: exists and is not a socket", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	err = fd < 0 ? -errno : 0;
	if (!err &&
	    !connect(fd, (const struct sockaddr *)&health->address, sizeof(health->address)))
		err = -EADDRINUSE;
	fd_close(fd);
	if (!err && unlink(path))
		err = -errno;
	return err ? diag_set(diag, err, "%s: %s", path, strerror(-err)) : 0;
}

/* The mode is that of the file from its first moment on. Nothing else creates files now. */
static int bind_as(struct relay_health *health)
{
	const struct relay_health_config *config = &health->config;
	mode_t old = umask(config->shared ? 0117 : 0177);
	int err = bind(health->listen_fd, (const struct sockaddr *)&health->address,
		       sizeof(health->address)) ?
			  -errno :
			  0;

	(void)umask(old);
	health->bound = !err;
	if (!err && config->shared && lchown(config->path, (uid_t)-1, config->group))
		err = -errno;
	if (!err && listen(health->listen_fd, BACKLOG))
		err = -errno;
	return err;
}

static int open_socket(struct relay_health *health, struct diag *diag)
{
	const char *path = health->config.path;
	size_t len = strlen(path);
	int err;

	if (len >= sizeof(health->address.sun_path))
		return diag_set(diag, -ENAMETOOLONG, "%s: longer than %zu bytes", path,
				sizeof(health->address.sun_path) - 1);
	health->address.sun_family = AF_UNIX;
	memcpy(health->address.sun_path, path, len);
	err = remove_old(health, diag);
	if (err)
		return err;
	health->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	err = health->listen_fd < 0 ? -errno : bind_as(health);
	return err ? diag_set(diag, err, "%s: %s", path, strerror(-err)) : 0;
}

static int open_events(struct relay_health *health, struct event_base *base)
{
	const struct timeval every = {0, BEAT_US};

	health->end_fd = eventfd(0, EFD_CLOEXEC);
	open_spare(health);
	health->beat = event_new(base, -1, EV_PERSIST, show_beat, health);
	if (health->end_fd < 0 || health->spare_fd < 0 || !health->beat ||
	    event_add(health->beat, &every))
		return -ENOMEM;
	return 0;
}

int relay_health_open(struct event_base *base, const struct relay_health_config *config,
		      struct relay_health **ret, struct diag *diag)
{
	struct relay_health *health = calloc(1, sizeof(*health));
	int err;

	if (!health)
		return diag_set(diag, -ENOMEM, "no memory");
	health->config = *config;
	health->listen_fd = health->end_fd = health->spare_fd = -1;
	err = open_socket(health, diag);
	if (!err && open_events(health, base))
		err = diag_set(diag, -ENOMEM, "no memory or files for the health check");
	if (err)
		relay_health_close(health);
	else
		*ret = health;
	return err;
}

/* Signals are the loop's. */
int relay_health_start(struct relay_health *health)
{
	sigset_t all, old;
	int err;

	health->beat_ns = clock_monotonic_ns();
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&health->thread, NULL, serve, health);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	health->started = !err;
	return -err;
}

void relay_health_close(struct relay_health *health)
{
	const uint64_t one = 1;

	if (!health)
		return;
	if (health->bound)
		(void)unlink(health->config.path);
	if (health->started) {
		(void)!write(health->end_fd, &one, sizeof(one));
		(void)pthread_join(health->thread, NULL);
	}
	if (health->beat)
		event_free(health->beat);
	fd_close(health->listen_fd);
	fd_close(health->end_fd);
	fd_close(health->spare_fd);
	free(health);
}
