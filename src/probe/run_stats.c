// SPDX-License-Identifier: BSD-2-Clause
#include "probe/run_stats.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"

/* bench/costs.tsv: a line each, "NAME<tab>NS"; lines that begin with # say how it was made. */
extern const unsigned char measured_costs[];
extern const size_t measured_costs_size;

/* The table ends where it ends, without a NUL. */
static int parse_count(const char *at, const char *end)
{
	int count = 0;

	for (; at < end && *at >= '0' && *at <= '9' && count < 100000000; at++)
		count = 10 * count + (*at - '0');
	return count;
}

int cost_of(const char *measurement)
{
	const char *at = (const char *)measured_costs;
	const char *end = at + measured_costs_size;
	size_t len = strlen(measurement);

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			line_end = end;
		if ((size_t)(line_end - at) > len + 1 && !memcmp(at, measurement, len) &&
		    at[len] == '\t')
			return parse_count(at + len + 1, line_end);
		at = line_end + 1;
	}
	return 0;
}

/* The last of the lines that say how it was made. */
char *cost_machine(char *text, size_t room)
{
	const char *at = (const char *)measured_costs;
	const char *end = at + measured_costs_size;

	*text = 0;
	while (end - at > 2 && *at == '#') {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			line_end = end;
		snprintf(text, room, "%.*s", (int)(line_end - at - 2), at + 2);
		at = line_end < end ? line_end + 1 : end;
	}
	return text;
}

#define BIAS_RUNS 100 /* at a stretch: less than an interrupt is likely to hit */
#define BIAS_TRIES 10 /* the least counts: what hits a run makes it longer, nothing shorter */
#define PACKET_BYTES 64 /* which the program is run on, without a look at it */

int run_stats_open(int *ret)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd < 0)
		return -errno;
	*ret = fd;
	return 0;
}

static int load_empty(void)
{
	static const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "sonde_empty", "Dual BSD/GPL", code,
			     sizeof(code) / sizeof(*code), NULL);
}

static int read_info(int program, struct bpf_prog_info *info)
{
	uint32_t len = sizeof(*info);

	*info = (struct bpf_prog_info){0};
	return bpf_obj_get_info_by_fd(program, info, &len);
}

/* Of some runs in a row, ns each; 0 where the kernel does not count. */
static double average_ns(int program)
{
	uint8_t packet[PACKET_BYTES] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = BIAS_RUNS);
	struct bpf_prog_info before, after;

	if (read_info(program, &before) || bpf_prog_test_run_opts(program, &opts) ||
	    read_info(program, &after) || after.run_cnt == before.run_cnt)
		return 0;
	return (double)(after.run_time_ns - before.run_time_ns) /
	       (double)(after.run_cnt - before.run_cnt);
}

double run_stats_bias_ns(void)
{
	int stats = -1, program = load_empty();
	double least = 0;

	if (program >= 0 && !run_stats_open(&stats)) {
		for (int i = 0; i < BIAS_TRIES; i++) {
			double ns = average_ns(program);

			if (ns > 0 && (least == 0 || ns < least))
				least = ns;
		}
	}
	fd_close(stats);
	fd_close(program);
	return least;
}
