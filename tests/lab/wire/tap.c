// SPDX-License-Identifier: BSD-2-Clause
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diag.h"

/* In the network namespace of this thread. */
static int open_here(const char *device, struct diag *diag)
{
	struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
	int tap, control = -1, err;

	if (!*device || strlen(device) >= sizeof(request.ifr_name))
		return diag_set(diag, -EINVAL, "%s: no name of a device", device);
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tap < 0)
		return diag_set(diag, -errno, "/dev/net/tun: %s", strerror(errno));
	if (ioctl(tap, TUNSETIFF, &request))
		goto fail;
	control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (control < 0 || ioctl(control, SIOCGIFFLAGS, &request))
		goto fail;
	request.ifr_flags |= IFF_UP;
	if (ioctl(control, SIOCSIFFLAGS, &request))
		goto fail;
	close(control);
	return tap;
fail:
	err = -errno;
	diag_set(diag, err, "%s: %s", device, strerror(-err));
	if (control >= 0)
		close(control);
	close(tap);
	return err;
}

int tap_open(const char *where, struct diag *diag)
{
	const char *device = strchr(where, ':');
	char path[PATH_MAX];
	int home, there, tap;

	if (!device)
		return diag_set(diag, -EINVAL, "%s: not NETNS:DEVICE", where);
	snprintf(path, sizeof(path), "/run/netns/%.*s", (int)(device - where), where);
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0)
		return diag_set(diag, -errno, "network namespace: %s", strerror(errno));
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (there < 0 || setns(there, CLONE_NEWNET)) {
		tap = diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	} else {
		tap = open_here(device + 1, diag);
		if (setns(home, CLONE_NEWNET) && tap >= 0) {
			close(tap);
			tap = diag_set(diag, -errno, "network namespace: %s", strerror(errno));
		}
	}
	if (there >= 0)
		close(there);
	close(home);
	return tap;
}
