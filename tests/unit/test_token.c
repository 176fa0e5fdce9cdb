// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/io.h"

#define SECRET "correct horse battery staple"

static int load(const char *text, mode_t mode, struct token *ret, struct diag *diag)
{
	char name[] = "token-XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);
	int err;

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fd_close(fd), 0);
	err = token_load(name, ret, diag);
	assert_int_equal(unlink(name), 0);
	return err;
}

static void the_first_line_is_the_token(void **state)
{
	struct token token;
	struct diag diag;

	(void)state;
	assert_int_equal(load(SECRET "\r\nand more\n", 0600, &token, &diag), 0);
	assert_int_equal(token.len, strlen(SECRET));
	assert_memory_equal(token.bytes, SECRET, token.len);
}

static void a_token_that_others_read_or_guess_is_none(void **state)
{
	struct token token;
	struct diag diag;

	(void)state;
	assert_int_equal(load(SECRET "\n", 0640, &token, &diag), -EACCES);
	assert_non_null(strstr(diag.text, "chmod 600"));
	assert_int_equal(load("short\n", 0600, &token, &diag), -EBADMSG);
	assert_int_equal(load("", 0600, &token, &diag), -EBADMSG);
	assert_int_equal(token.len, 0);
	assert_int_equal(token_load("no-such-file", &token, &diag), -ENOENT);
}

/* However it is cut, the answer comes with the last byte, and not before. */
static void what_is_said_is_understood_in_pieces(void **state)
{
	struct token token;
	uint8_t said[TOKEN_HELLO_MAX_BYTES + 4];
	struct diag diag;
	size_t len, used;

	(void)state;
	assert_int_equal(load(SECRET, 0600, &token, &diag), 0);
	len = token_hello(&token, said);
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(token_check(&token, said, cut, &used), 0);
	assert_int_equal(token_check(&token, said, len + 4, &used), 1);
	assert_int_equal(used, len);
}

static void whoever_does_not_know_it_is_refused(void **state)
{
	static const uint8_t request[16] = {0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1};
	struct token token, other;
	uint8_t said[TOKEN_HELLO_MAX_BYTES];
	struct diag diag;
	size_t used;

	(void)state;
	assert_int_equal(load(SECRET, 0600, &token, &diag), 0);
	assert_int_equal(token_check(&token, request, 1, &used), -EACCES);
	assert_int_equal(token_check(&token, request, sizeof(request), &used), -EACCES);
	other = token;
	other.bytes[other.len - 1] ^= 1;
	assert_int_equal(token_check(&token, said, token_hello(&other, said), &used), -EACCES);
	other = token;
	other.len--;
	assert_int_equal(token_check(&token, said, token_hello(&other, said), &used), -EACCES);
	other.len = 0;
	assert_int_equal(token_check(&token, said, token_hello(&other, said), &used), -EACCES);
	/* Nobody asks for one: what comes is the protocol's. */
	assert_int_equal(token_check(&other, request, sizeof(request), &used), 1);
	assert_int_equal(used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_is_the_token),
		cmocka_unit_test(a_token_that_others_read_or_guess_is_none),
		cmocka_unit_test(what_is_said_is_understood_in_pieces),
		cmocka_unit_test(whoever_does_not_know_it_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
