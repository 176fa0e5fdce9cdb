// SPDX-License-Identifier: BSD-2-Clause
/*
 * waits: what the trace `waits` is a recording of: a file that is written, forced to the disk, and read twice, the first time
 * not from the page cache; a lock that a child holds; a timer; a pipe. Recorded as root, in /var/tmp/waits on a disk, in a
 * mount namespace without mounts that say something of the machine, by
 *
 *	gcc -O2 -static -fno-omit-frame-pointer -o waits waits.c
 *	unshare -m -u sh -c 'hostname golden; umount -l ...; exec ./sonde record -p offcpu -e fs --stack \
 *		sched.switch,sched.waking -o trace -- /var/tmp/waits/waits'
 *
 * The boot id in its environment was replaced.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 65536

static char data[BYTES];

static int open_file(const char *name)
{
	const int fd = open(name, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		_exit(1);
	return fd;
}

static void use_disk(void)
{
	const int file = open_file("/var/tmp/waits/file");

	for (int i = 0; i < 3; i++) {
		if (write(file, data, BYTES) != BYTES || fdatasync(file))
			_exit(1);
	}
	(void)posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	for (int i = 0; i < 2; i++) {
		if (pread(file, data, BYTES, 0) != BYTES)
			_exit(1);
	}
	close(file);
}

/* Holds the lock until the parent waits for it. */
static void child(int tell)
{
	const int lock = open_file("/var/tmp/waits/lock");

	if (flock(lock, LOCK_EX) || write(tell, "x", 1) != 1)
		_exit(1);
	usleep(40000);
	_exit(0);
}

int main(void)
{
	int pipes[2], lock;
	char told;
	pid_t pid;

	memset(data, 'x', sizeof(data));
	use_disk();
	lock = open_file("/var/tmp/waits/lock");
	if (pipe(pipes))
		return 1;
	pid = fork();
	if (!pid)
		child(pipes[1]);
	if (read(pipes[0], &told, 1) != 1 || flock(lock, LOCK_EX))
		return 1;
	usleep(20000);
	return waitpid(pid, NULL, 0) != pid;
}
