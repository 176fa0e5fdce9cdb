// SPDX-License-Identifier: BSD-2-Clause
#include "probe/attach_iter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/io.h"
#include "probe/warden.h"

int attach_iter_open(struct bpf_program *prog, const char *target,
		     const struct loader_config *config, void **ret)
{
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);

	(void)target;
	(void)config; /* the program was loaded for it */
	if (!link)
		return -errno;
	*ret = link;
	return 0;
}

void attach_iter_close(void *link)
{
	bpf_link__destroy(link);
}

/* The program writes nothing into the file; reading it makes the kernel go on. EAGAIN: it has gone
 * past a million objects, and there are more. */
int attach_iter_run(void *link, struct warden *warden, uint32_t netns)
{
	int fd = -1, err = 0;
	char text[64];
	ssize_t len;

	if (netns)
		err = warden_netns_iter(warden, netns, bpf_link__fd(link), &fd);
	else
		fd = bpf_iter_create(bpf_link__fd(link));
	if (err || fd < 0)
		return err ?: netns ? 0 : fd; /* nothing to see there */
	do {
		len = read(fd, text, sizeof(text));
	} while (len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR)));
	len = len < 0 ? -errno : 0;
	fd_close(fd);
	return (int)len;
}
