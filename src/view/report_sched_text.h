/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_sched_text: what report_sched found, as tables for people.
 */
#ifndef SONDE_VIEW_REPORT_SCHED_TEXT_H
#define SONDE_VIEW_REPORT_SCHED_TEXT_H

#include "view/report_kind.h"

report_write_fn report_sched_text;

#endif /* SONDE_VIEW_REPORT_SCHED_TEXT_H */
