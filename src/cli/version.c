// SPDX-License-Identifier: BSD-2-Clause
/*
 * version: what this program is, which libraries it uses, and what the host offers, in short: what a
 * report of a fault should contain.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/utsname.h>

#include <bpf/libbpf.h>
#include <cairo.h>
#include <event2/event.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <zstd.h>

#include "base/buffer.h"
#include "base/confine.h"
#include "base/diag.h"
#include "base/json_writer.h"
#include "cli/verb.h"
#include "probe/catalogue.h"

#define LIBRARY_COUNT 6u

static const struct option_spec options[] = {
	{VERB_OPTION_JSON, "json", NULL, "one object: version, kernel, libraries, host", NULL},
	{0},
};

static const struct verb_spec spec = {
	.name = "version",
	.synopsis = "[OPTIONS]",
	.summary =
		"Show the version of this program and its libraries, the kernel, and what the host offers.",
	.notes = "Exit status: 0 complete; 1 error; 2 usage.",
	.examples = "sonde version",
	.options = options,
};

struct library {
	const char *name;
	const char *version;
};

/* What the host offers; `sonde doctor` has the details and the reasons. */
struct host {
	size_t measurements; /* that Linux has */
	size_t usable;
	bool btf;
	struct confine_support confinement;
};

static void list_libraries(struct library ret[LIBRARY_COUNT])
{
	const char *bpf = libbpf_version_string();

	ret[0] = (struct library){"libbpf", *bpf == 'v' ? bpf + 1 : bpf};
	ret[1] = (struct library){"zstd", ZSTD_versionString()};
	ret[2] = (struct library){"libevent", event_get_version()};
	ret[3] = (struct library){"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)};
	ret[4] = (struct library){"jansson", jansson_version_str()};
	ret[5] = (struct library){"cairo", cairo_version_string()};
}

static int look_at_host(struct host *ret, struct diag *diag)
{
	struct catalogue *cat = NULL;
	int err = catalogue_open(&cat, diag);

	if (err)
		return err;
	*ret = (struct host){.btf = cat->kernel};
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		ret->measurements += !measurement_internal(m) && !m->never;
		ret->usable += !measurement_internal(m) && measurement_usable(m);
	}
	catalogue_close(cat);
	confine_support(&ret->confinement);
	return 0;
}

static void print_text(const struct utsname *kernel, const struct host *host, struct buffer *out)
{
	struct library libraries[LIBRARY_COUNT];

	list_libraries(libraries);
	buffer_format(out, "sonde %s\nkernel     %s %s, %s type information (BTF)\nlibraries ",
		      SONDE_VERSION, kernel->release, kernel->machine,
		      host->btf ? "with" : "without");
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		buffer_format(out, "%s %s %s", i ? "," : "", libraries[i].name,
			      libraries[i].version);
	buffer_format(out, "\nhost       hooks for %zu of %zu measurements, %s, ", host->usable,
		      host->measurements, host->confinement.seccomp ? "seccomp" : "no seccomp");
	if (host->confinement.landlock)
		buffer_format(out, "Landlock %d\n", host->confinement.landlock);
	else
		buffer_string(out, "no Landlock\n");
}

static void print_json(const struct utsname *kernel, const struct host *host, struct buffer *out)
{
	struct library libraries[LIBRARY_COUNT];
	struct json_writer writer, *json = &writer;

	list_libraries(libraries);
	json_writer_init(json, out);
	json_writer_object(json, NULL);
	json_writer_string(json, "version", SONDE_VERSION);
	json_writer_object(json, "kernel");
	json_writer_string(json, "release", kernel->release);
	json_writer_string(json, "machine", kernel->machine);
	json_writer_bool(json, "btf", host->btf);
	json_writer_end(json);
	json_writer_object(json, "libraries");
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		json_writer_string(json, libraries[i].name, libraries[i].version);
	json_writer_end(json);
	json_writer_object(json, "host");
	json_writer_uint(json, "measurements", host->measurements);
	json_writer_uint(json, "usable", host->usable);
	json_writer_bool(json, "seccomp", host->confinement.seccomp);
	json_writer_int(json, "landlock", host->confinement.landlock);
	json_writer_finish(json);
}

static int parse(int argc, char **argv, bool *json)
{
	struct options *opts = verb_options(&spec, argc, argv);
	struct diag diag = {0};
	int id, err, count, status = -1;
	const char *arg;
	char **rest;

	if (!opts)
		return STATUS_ERROR;
	while ((err = verb_next(&spec, opts, &id, &arg, &diag)) > 0)
		*json = true;
	rest = err ? NULL : options_rest(opts, &count);
	if (rest && count)
		err = diag_set(&diag, -EINVAL, "unexpected operand '%s'", rest[0]);
	if (err < 0)
		status = verb_usage(&spec, err, &diag);
	options_free(opts);
	return status;
}

static int run_version(int argc, char **argv)
{
	struct diag diag = {0};
	struct utsname kernel;
	struct buffer out;
	struct host host;
	bool json = false;
	int status = parse(argc, argv, &json);

	if (status >= 0)
		return status;
	if (look_at_host(&host, &diag))
		return verb_fail(&spec, STATUS_ERROR, &diag);
	uname(&kernel);
	buffer_init(&out);
	if (json)
		print_json(&kernel, &host, &out);
	else
		print_text(&kernel, &host, &out);
	status = verb_put(&spec, &out, STATUS_COMPLETE);
	buffer_fini(&out);
	return status;
}

const struct verb verb_version = {&spec, run_version};
