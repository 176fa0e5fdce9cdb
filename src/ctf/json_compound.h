/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_compound: field classes with others inside (CTF 2, sections 5.3.18 to 5.3.23): structures,
 * arrays, optional fields, variants.
 */
#ifndef SONDE_CTF_JSON_COMPOUND_H
#define SONDE_CTF_JSON_COMPOUND_H

#include "ctf/json_bytes.h"

json_bytes_fn json_compound_read_structure;
json_bytes_fn json_compound_read_static_array;
json_bytes_fn json_compound_read_dynamic_array;
json_bytes_fn json_compound_read_optional;
json_bytes_fn json_compound_read_variant;

#endif /* SONDE_CTF_JSON_COMPOUND_H */
