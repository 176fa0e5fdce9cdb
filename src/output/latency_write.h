/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * latency_write: how durations are spread, drawn for people and as members of a JSON object.
 */
#ifndef SONDE_OUTPUT_LATENCY_WRITE_H
#define SONDE_OUTPUT_LATENCY_WRITE_H

struct buffer;
struct json_writer;
struct latency;

/* A line for each power of two from the least to the greatest; nothing where it is empty. */
void latency_write_text(const struct latency *latency, struct buffer *out);
/* The same behind an empty line and @title. */
void latency_write_titled(const char *title, const struct latency *latency, struct buffer *out);
/* Of values in any unit (NULL: they are numbers), behind an empty line and @title. */
void latency_write_values(const char *title, const struct latency *latency, const char *unit,
			  struct buffer *out);
/* "count":2,"total_ns":...,"histogram":[...] in the object that is open. */
void latency_write_json(const struct latency *latency, struct json_writer *json);
/* The same as an object of its own. */
void latency_write_object(const struct latency *latency, const char *key, struct json_writer *json);

#endif /* SONDE_OUTPUT_LATENCY_WRITE_H */
