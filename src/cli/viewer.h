/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer: the program that shows a picture: $BROWSER, else xdg-open.
 */
#ifndef SONDE_CLI_VIEWER_H
#define SONDE_CLI_VIEWER_H

struct diag;

/* Starts it, and does not wait until it ends; but one that gives up at once is an error. 0, or -errno with
 * the diag. */
int viewer_open(const char *path, struct diag *diag);

#endif /* SONDE_CLI_VIEWER_H */
