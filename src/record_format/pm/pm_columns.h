/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_columns: the columns whose meaning is known: PSC's own (struct tpm_entry), and those that we
 * write behind them; and of which fields of our tcp events each is made.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_COLUMNS_H
#define SONDE_RECORD_FORMAT_PM_PM_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "schema/field.h"

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

/* How a column comes from an event's fields. */
enum pm_rule {
	PM_RULE_NONE, /* Linux has nothing like it, or it is not a field of the event */
	PM_RULE_COPY, /* a */
	PM_RULE_PRODUCT, /* a * b */
	PM_RULE_DISTANCE, /* a - b, of sequence numbers */
};

struct pm_known {
	const char *name;
	const char *text;
	const char *unit; /* NULL = none */
	enum field_show show;
	const struct field_label *labels;
	size_t label_count;
	/* As we write it. */
	uint8_t length; /* bytes; 0 = not used */
	uint8_t scope; /* enum pm_scope */
	uint16_t mask; /* enum pm_mods */
	uint16_t flags; /* enum pm_flags */
	enum pm_rule rule;
	const char *a;
	const char *b;
};

/* The @i-th, NULL behind the last; the first ones by enum pm_column_id. */
const struct pm_known *pm_known_get(size_t i);
/* NULL = unknown. */
const struct pm_known *pm_known_find(const char *name);

#endif /* SONDE_RECORD_FORMAT_PM_PM_COLUMNS_H */
