// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "live/access/file_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "live/ingest/ingest_store.h"

#define FILES 60u
#define FEW 40u /* descriptors of the process */

/* What the file system says of each file, in place of the truth. */
static struct {
	uint64_t inode; /* 0: its own */
	int64_t birth; /* 0: it does not know it */
} told;

/* In place of libc's. */
int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *st)
{
	int err = (int)syscall(SYS_statx, dir, path, flags, mask, st);

	if (err)
		return err;
	if (told.inode)
		st->stx_ino = told.inode;
	st->stx_mask &= ~STATX_BTIME;
	st->stx_btime = (struct statx_timestamp){.tv_sec = told.birth};
	if (told.birth)
		st->stx_mask |= STATX_BTIME;
	return 0;
}

struct fixture {
	char dir[32];
	struct file_pool pool;
	struct pool_folder *root;
	struct pool_folder *folder; /* "chunk" in it */
	struct pooled_file *files[FILES]; /* "ust/N" in that */
	char said[256]; /* last */
	unsigned int times;
};

static void say(void *ctx, const char *text)
{
	struct fixture *fix = ctx;

	snprintf(fix->said, sizeof(fix->said), "%s", text);
	fix->times++;
}

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	strcpy(fix->dir, "/tmp/sonde-pool-XXXXXX");
	assert_non_null(mkdtemp(fix->dir));
	file_pool_init(&fix->pool);
	fix->pool.log = say;
	fix->pool.ctx = fix;
	fix->root = pool_folder_new(NULL, open(fix->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				    "host/name");
	fix->folder = pool_folder_new(fix->root, -1, "chunk");
	told.inode = 0;
	told.birth = 1000;
	*state = fix;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	for (unsigned int i = 0; i < FILES; i++)
		pooled_file_close(fix->files[i]);
	assert_int_equal(fix->pool.by_inode.count, 0);
	assert_int_equal(fix->pool.totals.open + fix->pool.totals.parked, 0);
	file_pool_fini(&fix->pool);
	pool_folder_unref(fix->folder);
	pool_folder_unref(fix->root);
	assert_int_equal(nftw(fix->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	free(fix);
	return 0;
}

static void make_file(struct fixture *fix, unsigned int i)
{
	char name[16], path[32];
	int fd;

	snprintf(name, sizeof(name), "%u", i);
	snprintf(path, sizeof(path), "ust/%u", i);
	assert_int_equal(ingest_store_stream(fix->root->dir, "chunk", "ust", name, &fd), 0);
	assert_int_equal(pooled_file_new(&fix->pool, fix->folder, path, fd, &fix->files[i]), 0);
}

static void make_files(struct fixture *fix, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		make_file(fix, i);
}

/* Its number, @at bytes behind the beginning. */
static void put(const struct fixture *fix, unsigned int i, uint64_t at)
{
	const uint8_t byte = (uint8_t)i;
	int fd = pooled_file_fd(fix->files[i]);

	assert_true(fd >= 0);
	assert_int_equal(write_at(fd, &byte, 1, at), 0);
}

static void assert_all_have(const struct fixture *fix, unsigned int count, size_t len)
{
	for (unsigned int i = 0; i < count; i++) {
		uint8_t bytes[32];
		int fd = pooled_file_fd(fix->files[i]);

		assert_true(fd >= 0);
		assert_int_equal(read_at(fd, bytes, sizeof(bytes), 0), len);
		for (size_t at = 0; at < len; at++)
			assert_int_equal(bytes[at], (uint8_t)i);
	}
}

static char *path_of(const struct fixture *fix, const char *name, char path[64])
{
	snprintf(path, 64, "%s/%s", fix->dir, name);
	return path;
}

/* Those that the limit of FEW is about: who started the test may have left others above. */
static unsigned int descriptors(void)
{
	unsigned int count = 0;

	for (unsigned int fd = 0; fd < FEW; fd++)
		count += fcntl((int)fd, F_GETFD) >= 0;
	return count;
}

static void test_few_are_open(void **state)
{
	struct fixture *fix = *state;

	fix->pool.most = 3;
	make_files(fix, FILES);
	for (uint64_t round = 0; round < 20; round++) {
		for (unsigned int i = 0; i < FILES; i++) {
			put(fix, i, round);
			assert_true(fix->pool.totals.open <= 3);
			assert_int_equal(fix->pool.totals.open + fix->pool.totals.parked, FILES);
		}
	}
	assert_all_have(fix, FILES, 20);
	assert_int_equal(fix->pool.totals.reopened, 21 * FILES);
	assert_int_equal(fix->times, 1); /* it says that it parks files */
}

/* The file that was not used for the longest time goes first. */
static void test_oldest_is_parked(void **state)
{
	struct fixture *fix = *state;

	fix->pool.most = 3;
	make_files(fix, 3);
	put(fix, 0, 0);
	make_file(fix, 3); /* 1 gives way */
	for (unsigned int i = 0; i < 4; i++) {
		if (i != 1)
			put(fix, i, 0);
	}
	assert_int_equal(fix->pool.totals.reopened, 0);
	put(fix, 1, 0); /* 0 does */
	assert_int_equal(fix->pool.totals.reopened, 1);
	put(fix, 2, 1);
	put(fix, 3, 1);
	assert_int_equal(fix->pool.totals.reopened, 1);
}

/* Without a number of its own, the pool leaves some of the process's descriptors free. */
static void test_limit_of_the_process(void **state)
{
	struct fixture *fix = *state;
	struct rlimit limit, few;
	int held[FEW], count = 0;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){FEW, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (unsigned int i = 0; i < FILES; i++) {
		make_file(fix, i);
		assert_true(descriptors() <= FEW - FILE_POOL_SPARE);
	}
	for (unsigned int i = 0; i < FILES; i++) {
		put(fix, i, 0);
		assert_true(descriptors() <= FEW - FILE_POOL_SPARE);
	}
	/* Others take all that there are, until nothing gives way any more. */
	while ((held[count] = dup(0)) >= 0)
		count++;
	assert_int_equal(errno, EMFILE);
	assert_true(count >= (int)FILE_POOL_SPARE);
	do {
		while ((held[count] = dup(0)) >= 0) {
			held[count] = file_pool_settle(&fix->pool, held[count]);
			count++;
		}
	} while (file_pool_make_room(&fix->pool));
	assert_int_equal(fix->pool.totals.open, 0);
	assert_false(file_pool_make_room(&fix->pool));
	assert_int_equal(pooled_file_fd(fix->files[0]), -EMFILE); /* for now */
	while (count)
		fd_close(held[--count]);
	assert_int_equal(fix->pool.totals.lost, 0);
	assert_all_have(fix, FILES, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void assert_lost(struct fixture *fix, const char *why)
{
	fix->times = 0;
	assert_int_equal(pooled_file_fd(fix->files[0]), -ESTALE);
	assert_int_equal(pooled_file_fd(fix->files[0]), -ESTALE);
	assert_int_equal(fix->times, 1);
	assert_int_equal(fix->pool.totals.lost, 1);
	assert_non_null(strstr(fix->said, "host/name/chunk/ust/0, "));
	assert_non_null(strstr(fix->said, why));
	put(fix, 1, 0); /* the others go on */
}

static void test_another_file_is_not_taken(void **state)
{
	struct fixture *fix = *state;
	char path[64], other[64];

	fix->pool.most = 1;
	make_files(fix, 2);
	assert_int_equal(rename(path_of(fix, "chunk/ust/0", path), path_of(fix, "kept", other)), 0);
	fd_close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_lost(fix, "another file has its name");
}

/* File 0 is parked and replaced; the one in its place has its inode, and comes with a birth time of @birth. */
static void reuse_inode(struct fixture *fix, int64_t birth)
{
	char path[64], other[64];
	struct stat st;

	fix->pool.most = 1;
	make_files(fix, 2);
	assert_int_equal(stat(path_of(fix, "chunk/ust/0", path), &st), 0);
	assert_int_equal(rename(path, path_of(fix, "kept", other)), 0);
	fd_close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	told.inode = st.st_ino;
	told.birth = birth;
}

static void test_another_file_with_its_inode_is_not_taken(void **state)
{
	struct fixture *fix = *state;

	reuse_inode(fix, 1001);
	assert_int_equal(pooled_file_fd(fix->files[0]), -ESTALE);
	told.inode = 0;
	told.birth = 1000;
	assert_int_equal(fix->times, 2); /* that it parks files, and this */
	assert_non_null(strstr(fix->said, "chunk/ust/0, "));
	assert_non_null(strstr(fix->said, "another file has its name"));
	put(fix, 1, 0);
}

/* It is all that there is to tell files apart on some file systems. */
static void test_inode_is_enough_without_birth_times(void **state)
{
	struct fixture *fix = *state;

	told.birth = 0;
	reuse_inode(fix, 0);
	put(fix, 0, 0);
	assert_int_equal(fix->pool.totals.lost, 0);
}

static void test_symbolic_link_is_not_followed(void **state)
{
	struct fixture *fix = *state;
	char path[64], other[64];

	fix->pool.most = 1;
	make_files(fix, 2);
	assert_int_equal(rename(path_of(fix, "chunk/ust/0", path), path_of(fix, "kept", other)), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_lost(fix, strerror(ELOOP));
}

static void test_shorter_file_is_not_taken(void **state)
{
	struct fixture *fix = *state;
	char path[64];

	fix->pool.most = 1;
	make_files(fix, 2);
	put(fix, 0, 7);
	put(fix, 1, 0);
	assert_int_equal(truncate(path_of(fix, "chunk/ust/0", path), 7), 0);
	assert_lost(fix, "shorter");
}

/* Its inode may be that of the next one. */
static void test_removed_file_is_lost(void **state)
{
	struct fixture *fix = *state;
	char path[64];

	fix->pool.most = 1;
	make_files(fix, 2);
	assert_int_equal(unlink(path_of(fix, "chunk/ust/0", path)), 0);
	for (unsigned int i = 2; i < 20 && !fix->pool.totals.lost; i++)
		make_file(fix, i);
	if (!fix->pool.totals.lost)
		assert_lost(fix, strerror(ENOENT));
	assert_int_equal(pooled_file_fd(fix->files[0]), -ESTALE);
	assert_int_equal(fix->pool.totals.lost, 1);
}

static void test_folder_is_moved(void **state)
{
	struct fixture *fix = *state;
	char from[64], to[64];

	fix->pool.most = 2;
	make_files(fix, 10);
	assert_int_equal(rename(path_of(fix, "chunk", from), path_of(fix, "elsewhere", to)), 0);
	file_pool_move(&fix->pool, fix->folder, "elsewhere");
	for (unsigned int i = 0; i < 10; i++)
		put(fix, i, 0);
	assert_all_have(fix, 10, 1);
}

static void remove_file(struct fixture *fix, unsigned int i)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", i);
	ingest_store_remove(&fix->pool, fix->root->dir, "chunk", "ust", name);
}

/* Open or parked, it can be read until it is closed, and is never parked again. */
static void test_removed_file_is_readable(void **state)
{
	struct fixture *fix = *state;

	fix->pool.most = 1;
	make_files(fix, 10);
	for (unsigned int i = 0; i < 10; i++)
		put(fix, i, 0);
	remove_file(fix, 9); /* open */
	remove_file(fix, 0);
	for (unsigned int i = 1; i < 9; i++)
		put(fix, i, 0);
	assert_true(pooled_file_is_gone(fix->files[9]));
	assert_true(pooled_file_is_gone(fix->files[0]));
	assert_false(pooled_file_is_gone(fix->files[1]));
	assert_all_have(fix, 10, 1);
	assert_int_equal(fix->pool.totals.lost, 0);
}

static void test_folder_is_removed(void **state)
{
	struct fixture *fix = *state;

	fix->pool.most = 2;
	make_files(fix, 10);
	for (unsigned int i = 0; i < 10; i++)
		put(fix, i, 0);
	file_pool_unname_all(&fix->pool, fix->folder);
	assert_int_equal(ingest_store_clear(fix->root->dir), 0);
	assert_all_have(fix, 10, 1);
	for (unsigned int i = 0; i < 10; i++)
		assert_true(pooled_file_is_gone(fix->files[i]));
}

/* Published by others: for reading alone, perhaps twice, and by symbolic links. */
static void test_published_files_are_read(void **state)
{
	struct fixture *fix = *state;
	struct pool_folder *folder;
	char path[64], link[64];

	make_file(fix, 0);
	put(fix, 0, 0);
	pooled_file_close(fix->files[0]);
	assert_int_equal(symlink(path_of(fix, "chunk/ust/0", path), path_of(fix, "link", link)), 0);
	folder = pool_folder_new(NULL, open(fix->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "T");
	fix->pool.most = 1;
	for (unsigned int i = 0; i < 4; i++) {
		const char *name = i % 2 ? "link" : "chunk/ust/0";
		int fd = openat(folder->dir, name, O_RDONLY | O_CLOEXEC);

		assert_int_equal(pooled_file_new(&fix->pool, folder, name, fd, &fix->files[i]), 0);
	}
	for (unsigned int i = 0; i < 8; i++) {
		uint8_t byte = 1;
		int fd = pooled_file_fd(fix->files[i % 4]);

		assert_true(fd >= 0);
		assert_int_equal(read_at(fd, &byte, 1, 0), 1);
		assert_int_equal(byte, 0);
		assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	}
	assert_int_equal(fix->pool.totals.open, 1);
	assert_int_equal(fix->pool.totals.lost, 0);
	pool_folder_unref(folder);
}

/* Files that viewers still have. */
static void test_files_outlive_the_pool(void **state)
{
	struct fixture *fix = *state;

	fix->pool.most = 1;
	make_files(fix, 2);
	file_pool_fini(&fix->pool);
	file_pool_init(&fix->pool);
	assert_int_equal(pooled_file_fd(fix->files[0]), -ESTALE);
	put(fix, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_few_are_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_oldest_is_parked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_limit_of_the_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another_file_is_not_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another_file_with_its_inode_is_not_taken,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_inode_is_enough_without_birth_times, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_symbolic_link_is_not_followed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_shorter_file_is_not_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_removed_file_is_lost, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folder_is_moved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_removed_file_is_readable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folder_is_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_published_files_are_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_files_outlive_the_pool, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
