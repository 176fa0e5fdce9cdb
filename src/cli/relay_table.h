/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_table: what a relay has answered about itself (sonde-control(7)), for people: `sonde status` and
 * `sonde stop` show it.
 */
#ifndef SONDE_CLI_RELAY_TABLE_H
#define SONDE_CLI_RELAY_TABLE_H

struct asking;

/* On stdout, behind the line that says which relay it is, which it ends. */
void relay_table_print(const struct asking *ask);

#endif /* SONDE_CLI_RELAY_TABLE_H */
