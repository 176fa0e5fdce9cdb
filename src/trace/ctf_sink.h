/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ctf_sink: events as a new trace directory of CTF 1.8: one stream for each kind of stream of the
 * source and each CPU. Times stay exact, losses stay where they were.
 */
#ifndef SONDE_TRACE_CTF_SINK_H
#define SONDE_TRACE_CTF_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "schema/source.h"

struct diag;
struct analysis;

/* What the metadata is: TSDL of CTF 1.8, or JSON of CTF 2. The streams are the same. */
enum ctf_version {
	CTF_VERSION_1,
	CTF_VERSION_2,
};

struct ctf_sink_config {
	enum ctf_version version;
	bool compress; /* each packet is a zstd frame (sonde-trace(5)), of level `level` */
	int level;
	gid_t group; /* may use it as the umask allows; 0 = as the file system has it */
	void (*begin)(
		void); /* called before the directory is made, when all that takes long is done; or NULL */
};

/*
 * Makes the directory @path (-EEXIST where it is and is not empty), which stays when the sink is
 * freed. Writes what @analysis selects, and borrows it.
 */
int ctf_sink_new(const struct analysis *analysis, const char *path,
		 const struct ctf_sink_config *config, struct event_sink **ret, struct diag *diag);

#endif /* SONDE_TRACE_CTF_SINK_H */
