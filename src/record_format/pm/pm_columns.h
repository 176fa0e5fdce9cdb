/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_columns: the columns whose meaning is known: PSC's own (struct tpm_entry), and those that we
 * write behind them; of which fields of our tcp events each is made, and where a class of events has them.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_COLUMNS_H
#define SONDE_RECORD_FORMAT_PM_PM_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/record_field.h"
#include "wire/pm.h"

/* What every entry is an event of; its payload begins with the entry's own bytes. */
#define PM_CLASS_NAME "pm.snapshot"

/* PSC's own, in the order of struct tpm_entry. */
enum pm_column_id {
	PM_SEQ_NO,
	PM_TIME,
	PM_CALLVALUE,
	PM_LOCATION,
	PM_LPORT,
	PM_RPORT,
	PM_SND_CWND,
	PM_SND_MAX,
	PM_SND_FACK,
	PM_SB_HIWAT,
	PM_SND_SB_CC,
	PM_RCV_SB_CC,
	PM_SB_TARGET_HIWAT,
	PM_SB_NET_TARGET,
	PM_HIWAT_FAIR_SHARE,
	PM_M_CLUSED,
	PM_CLASSIC_COUNT,
};

/* The @i-th, NULL behind the last; the first ones by enum pm_column_id. Its place has the bytes that it has as
 * we write it. */
const struct record_field *pm_known_get(size_t i);
/* NULL = unknown. */
const struct record_field *pm_known_find(const char *name);
/* As the head of a file has it: enum pm_mods of the @i-th, enum pm_flags. */
uint16_t pm_known_mask(size_t i);
uint16_t pm_known_flags(const struct record_field *column);

static inline bool pm_is_integer(unsigned int bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Whether its events are snapshots: of a .pm file, or they tell of a connection as these do. */
bool pm_class_is_snapshot(const struct event_class *class);
/*
 * Where events of @class have a known column, if they do. Our own tcp events have their fields in Linux's
 * terms, which the columns' rules turn into PSC's; any other class has fields that are called as the columns.
 */
bool pm_column_find(struct record_source *ret, const struct record_field *column,
		    const struct event_class *class);

#endif /* SONDE_RECORD_FORMAT_PM_PM_COLUMNS_H */
