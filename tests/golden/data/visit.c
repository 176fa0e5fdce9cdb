// SPDX-License-Identifier: BSD-2-Clause
/*
 * visit: what the trace `visit` is a recording of: one connection over IPv4, a file that is not
 * there, a child. Recorded in namespaces of its own, as root, by
 *
 *	gcc -O2 -static -o visit visit.c
 *	unshare -m -n -u sh -c 'hostname golden; ip link set lo up; mount --bind . /mnt; exec \
 *		sonde record -e sys,sched,tcp.state -o trace -- /mnt/visit'
 *
 * The boot id in its environment was replaced.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void talk(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(7000)};
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	char text[16];
	int peer;

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, (struct sockaddr *)&addr, sizeof(addr)) || listen(server, 1) ||
	    connect(client, (struct sockaddr *)&addr, sizeof(addr)))
		_exit(1);
	peer = accept(server, NULL, NULL);
	if (write(client, "hello", 5) != 5 || read(peer, text, sizeof(text)) != 5)
		_exit(1);
	close(client);
	close(peer);
	close(server);
}

int main(void)
{
	pid_t child;

	talk();
	if (open("/no/such/file", O_RDONLY) >= 0)
		return 1;
	child = fork();
	if (!child)
		_exit(3);
	return waitpid(child, NULL, 0) != child;
}
