/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_layers_text: what report_layers found, as tables for people, and ways line by line.
 */
#ifndef SONDE_VIEW_REPORT_LAYERS_TEXT_H
#define SONDE_VIEW_REPORT_LAYERS_TEXT_H

#include "view/report_kind.h"

report_write_fn report_layers_text;

#endif /* SONDE_VIEW_REPORT_LAYERS_TEXT_H */
