/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights_reload: certificates and tokens are read again upon SIGHUP: new connections use the new
 * files; existing ones stay. If the files are not valid, the old ones stay in use, and a message says why.
 */
#ifndef SONDE_CLI_RIGHTS_RELOAD_H
#define SONDE_CLI_RIGHTS_RELOAD_H

struct diag;
struct event_base;
struct rights;
struct rights_reload;
struct rights_request;
struct verb_spec;

/* Where nothing is asked SIGHUP stays what it was, and *@ret NULL. All is borrowed, and @rights belongs to
 * the thread of @base. 0, or -ENOMEM with the diag. */
int rights_reload_open(struct event_base *base, const struct rights_request *request,
		       struct rights *rights, const struct verb_spec *spec,
		       struct rights_reload **ret, struct diag *diag);
/* NULL is fine. */
void rights_reload_close(struct rights_reload *reload);

#endif /* SONDE_CLI_RIGHTS_RELOAD_H */
