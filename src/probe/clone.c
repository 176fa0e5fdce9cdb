// SPDX-License-Identifier: BSD-2-Clause
#include "probe/clone.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "probe/constants.h"

#define LICENSE "Dual BSD/GPL" /* as the objects have it */

/* A map like the one that libbpf makes of an object's constants: frozen, so that the verifier takes
 * them for numbers. */
static int map_freeze(const void *bytes, size_t len, int *ret_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	uint32_t key = 0;
	int err = 0;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "clone_rodata", sizeof(key), (uint32_t)len, 1,
				&opts);

	if (fd < 0)
		return fd;
	if (bpf_map_update_elem(fd, &key, bytes, BPF_ANY) || bpf_map_freeze(fd))
		err = -errno;
	if (err)
		fd_close(fd);
	else
		*ret_fd = fd;
	return err;
}

static int constants_make(const struct bpf_object *mould, const char *variable, const void *value,
			  size_t len, int *ret_fd)
{
	struct bpf_map *map = constants_map(mould);
	long at = constants_find(mould, variable, len);
	size_t room = 0;
	const void *bytes = map ? bpf_map__initial_value(map, &room) : NULL;
	char *copy;
	int err;

	if (!bytes || at < 0 || (size_t)at + len > room)
		return -ENOENT;
	copy = malloc(room);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, room);
	memcpy(copy + at, value, len);
	err = map_freeze(copy, room, ret_fd);
	free(copy);
	return err;
}

/* Instructions that load an address within the map @from (libbpf has put its fd there) take it of
 * the map @to. */
static void replace_map(struct bpf_insn *code, size_t count, int from, int to)
{
	for (size_t i = 0; i < count; i++) {
		if (code[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    code[i].src_reg == BPF_PSEUDO_MAP_VALUE && code[i].imm == from)
			code[i].imm = to;
	}
}

/* Names of programs have at most 15 characters, of a few kinds. */
static void short_name(const char *name, char to[BPF_OBJ_NAME_LEN])
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

	snprintf(to, BPF_OBJ_NAME_LEN, "%s", name);
	for (char *c = to; *c; c++) {
		if (!strchr(good, *c))
			*c = '_';
	}
}

/* A second time where it is refused, for what the verifier complains of. */
static int load(enum bpf_prog_type type, const char *name, const struct bpf_insn *code,
		size_t count, char *log, size_t log_bytes)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int fd = bpf_prog_load(type, name, LICENSE, code, count, &opts);

	log[0] = 0;
	if (fd >= 0)
		return fd;
	opts.log_buf = log;
	opts.log_size = (uint32_t)log_bytes;
	opts.log_level = 1;
	return bpf_prog_load(type, name, LICENSE, code, count, &opts);
}

int clone_program(const struct bpf_object *mould, const char *name, const char *variable,
		  const void *value, size_t len, char *log, size_t log_bytes, int *ret_fd)
{
	const struct bpf_program *prog = bpf_object__next_program(mould, NULL);
	size_t count = bpf_program__insn_cnt(prog);
	struct bpf_insn *code = NULL;
	char short_form[BPF_OBJ_NAME_LEN];
	int map_fd = -1, fd, err;

	log[0] = 0;
	err = constants_make(mould, variable, value, len, &map_fd);
	if (err)
		return err;
	code = malloc(count * sizeof(*code));
	if (!code) {
		fd_close(map_fd);
		return -ENOMEM;
	}
	memcpy(code, bpf_program__insns(prog), count * sizeof(*code));
	replace_map(code, count, bpf_map__fd(constants_map(mould)), map_fd);
	short_name(name, short_form);
	fd = load(bpf_program__type(prog), short_form, code, count, log, log_bytes);
	free(code);
	fd_close(map_fd); /* the program holds the map */
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}
