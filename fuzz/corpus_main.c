// SPDX-License-Identifier: BSD-2-Clause
/*
 * corpus_main: runs a fuzz target over files, and over all files of directories, without
 * libFuzzer. Exits 77 (skipped) where there was no file at all.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

#define INPUT_LIMIT (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	char *text = NULL;
	uint8_t *exact;
	size_t len = 0;
	int err = file_load(AT_FDCWD, path, INPUT_LIMIT, &text, &len);

	if (err)
		return err;
	/* A copy of the exact length: a read behind it is one that ASan sees. */
	exact = malloc(len ? len : 1);
	if (!exact) {
		free(text);
		return -ENOMEM;
	}
	memcpy(exact, text, len);
	free(text);
	(void)LLVMFuzzerTestOneInput(exact, len);
	free(exact);
	return 0;
}

static int run_path(const char *path, unsigned int *count)
{
	struct dirent *entry;
	struct stat st;
	char name[4096];
	int err = 0;
	DIR *dir;

	if (stat(path, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode)) {
		*count += 1;
		return run_file(path);
	}
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		err = run_path(name, count);
	}
	closedir(dir);
	return err;
}

int main(int argc, char **argv)
{
	unsigned int count = 0;
	int err, i;

	for (i = 1; i < argc; i++) {
		err = run_path(argv[i], &count);
		if (err) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-err));
			return 1;
		}
	}
	printf("%u inputs\n", count);
	return count ? 0 : 77;
}
