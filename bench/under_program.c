// SPDX-License-Identifier: BSD-2-Clause
/*
 * under_program OBJECT COMMAND [ARG...]: runs the command while the first program of the BPF
 * object is attached: what a hook costs that does next to nothing.
 */
#define _GNU_SOURCE
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char **command)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	struct bpf_program *program;
	struct bpf_object *object;
	struct bpf_link *link;
	int status;

	if (argc < 3)
		return 2;
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	object = bpf_object__open(argv[1]);
	if (!object || bpf_object__load(object)) {
		fprintf(stderr, "under_program: %s cannot be loaded\n", argv[1]);
		return 1;
	}
	program = bpf_object__next_program(object, NULL);
	link = program ? bpf_program__attach(program) : NULL;
	if (!link) {
		fprintf(stderr, "under_program: %s cannot be attached\n", argv[1]);
		bpf_object__close(object);
		return 1;
	}
	status = run(argv + 2);
	bpf_link__destroy(link);
	bpf_object__close(object);
	return status;
}
