/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_layers_text: what report_layers found, as tables for people, and ways line by line.
 */
#ifndef SONDE_OUTPUT_REPORT_LAYERS_TEXT_H
#define SONDE_OUTPUT_REPORT_LAYERS_TEXT_H

#include "output/report_kind.h"

report_text_fn report_layers_text;

#endif /* SONDE_OUTPUT_REPORT_LAYERS_TEXT_H */
