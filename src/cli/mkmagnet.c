// SPDX-License-Identifier: BSD-2-Clause
/*
 * mkmagnet: MAGNeT's tool that makes the file which magnet-read fills.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/permissions.h"
#include "cli/verb.h"
#include "record_format/magnet/magnet_file.h"

#define DEFAULT_BYTES (64ull << 20)

static const struct option_spec options[] = {
	{'s', "size", "SIZE", "bytes of the file, as 64M, which is the default", NULL},
	{'n', "records", "N", "in place of the size: room for N records", NULL},
	{'l', "layout", "LAYOUT",
	 "byte order, bits of pointers, with the data field or without. Default: le64+data",
	 "le32 le64 be32 be64 le32+data le64+data be32+data be64+data"},
	{'f', "force", NULL, "in the place of a FILE that is there", NULL},
	{0},
};

static const struct verb_spec spec = {
	.name = "mkmagnet",
	.classic = true,
	.synopsis = "[-f] [-s SIZE | -n RECORDS] [-l LAYOUT] FILE",
	.summary = "Make an empty MAGNeT file, which magnet-read fills.",
	.notes = "All of its bytes are on the disk from then on.\n\n"
		 "Exit status: 0; 1 error; 2 usage.",
	.examples = "mkmagnet -s 256M net.magnet\nmkmagnet -n 100000 -l be32 net.magnet",
	.options = options,
	.operand = "@file",
};

struct request {
	const char *name;
	uint64_t bytes;
	uint64_t records; /* 0: as many as the bytes have room for */
	struct magnet_layout layout;
	bool force;
};

static int parse_records(const char *arg, uint64_t *ret, struct diag *diag)
{
	char *end;

	errno = 0;
	*ret = strtoull(arg, &end, 10);
	if (errno || *end || *arg < '0' || *arg > '9' || !*ret)
		return diag_set(diag, -EINVAL, "-n: '%s' is not a number of records", arg);
	return 0;
}

static int take_option(struct request *req, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case 's':
		if (size_parse(arg, &req->bytes))
			return diag_set(diag, -EINVAL, "-s: '%s' is not a size", arg);
		return 0;
	case 'n':
		return parse_records(arg, &req->records, diag);
	case 'l':
		if (magnet_layout_parse(arg, &req->layout))
			return diag_set(
				diag, -EINVAL,
				"-l: '%s' is not a layout: le or be, 32 or 64, +data or not", arg);
		return 0;
	default: /* 'f' */
		req->force = true;
		return 0;
	}
}

static int parse(struct request *req, struct options *opts, struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if (take_option(req, id, arg, diag))
			return -EINVAL;
	}
	return err ?: options_operand(opts, "FILE", &req->name, diag);
}

static int run_mkmagnet(int argc, char **argv)
{
	struct request req = {.bytes = DEFAULT_BYTES, .layout = {.wide = true, .data = true}};
	struct options *opts = verb_options(&spec, argc, argv);
	struct diag diag = {0};
	int err, status;

	if (!opts)
		return STATUS_ERROR;
	err = parse(&req, opts, &diag);
	if (err) {
		status = verb_usage(&spec, err, &diag);
	} else {
		uint64_t records = req.records ?: req.bytes / magnet_record_bytes(&req.layout);

		permissions_apply(NULL);
		err = magnet_file_create(req.name, &req.layout, records, req.force,
					 (int64_t)clock_realtime_ns(), &diag);
		status = err ? verb_fail(&spec, STATUS_ERROR, &diag) : STATUS_COMPLETE;
	}
	options_free(opts);
	return status;
}

const struct verb verb_mkmagnet = {&spec, run_mkmagnet};
