/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counted_input: a stream in memory that counts what is read of it, for tests of how often readers read. Its packets
 * are as those of trace_fixture, of class 5.
 */
#ifndef SONDE_TESTS_COUNTED_INPUT_H
#define SONDE_TESTS_COUNTED_INPUT_H

#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "trace/stream_input.h"
#include "trace_fixture.h"
#include "wire/record.h"

#define COUNTED_STEP_NS 10u

struct counted_input {
	struct stream_input input; /* first: the vtable's functions get this */
	struct buffer bytes;
	uint64_t read_bytes;
	uint64_t calls; /* of both */
};

static inline int counted_size(struct stream_input *input, uint64_t *ret)
{
	struct counted_input *counted = (struct counted_input *)input;

	counted->calls++;
	*ret = counted->bytes.len;
	return 0;
}

static inline ssize_t counted_read(struct stream_input *input, void *bytes, size_t len,
				   uint64_t offset)
{
	struct counted_input *counted = (struct counted_input *)input;
	size_t left = offset < counted->bytes.len ? counted->bytes.len - (size_t)offset : 0;

	len = len < left ? len : left;
	if (len)
		memcpy(bytes, counted->bytes.data + offset, len);
	counted->read_bytes += len;
	counted->calls++;
	return (ssize_t)len;
}

static inline void counted_close(struct stream_input *input)
{
	(void)input;
}

static const struct stream_input_ops counted_ops = {
	.size = counted_size,
	.read = counted_read,
	.close = counted_close,
};

static inline void counted_input_init(struct counted_input *counted)
{
	*counted = (struct counted_input){
		.input = {.ops = &counted_ops, .name = (char *)"stream"},
	};
	buffer_init(&counted->bytes);
}

static inline uint64_t counted_time_ns(uint64_t event)
{
	return 1000 + event * COUNTED_STEP_NS;
}

/* Events from @first on, which came behind @lost others. */
static inline void counted_put_packet(struct counted_input *counted, uint64_t first, uint32_t count,
				      uint64_t sequence, uint64_t lost)
{
	const size_t len = sizeof(struct packet_head) + count * FIXTURE_RECORD_BYTES;
	const struct packet_head head = {
		.magic = PACKET_MAGIC,
		.stream_id = STREAM_CLASS_KERNEL,
		.begin_ns = counted_time_ns(first),
		.end_ns = counted_time_ns(first + count - 1),
		.content_bits = len * 8,
		.packet_bits = len * 8,
		.discarded = lost,
		.sequence = sequence,
	};

	buffer_append(&counted->bytes, &head, sizeof(head));
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t value = (uint32_t)counted_time_ns(first + i);
		const uint64_t word = 5 | (uint64_t)value << RECORD_TIME_SHIFT |
				      (uint64_t)FIXTURE_TID << RECORD_TID_SHIFT;

		buffer_append(&counted->bytes, &word, sizeof(word));
		buffer_append(&counted->bytes, &value, sizeof(value));
	}
	assert_int_equal(buffer_error(&counted->bytes), 0);
}

#endif /* SONDE_TESTS_COUNTED_INPUT_H */
