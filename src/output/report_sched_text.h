/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_sched_text: what report_sched found, as tables for people.
 */
#ifndef SONDE_OUTPUT_REPORT_SCHED_TEXT_H
#define SONDE_OUTPUT_REPORT_SCHED_TEXT_H

#include "output/report_kind.h"

report_text_fn report_sched_text;

#endif /* SONDE_OUTPUT_REPORT_SCHED_TEXT_H */
