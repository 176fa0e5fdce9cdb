// SPDX-License-Identifier: BSD-2-Clause
#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ring/ring_memory.h"
#include "wire/record.h"

/* The doorbell rings at 25: twice that while it is answered is more than is drained. */
#define LATE_PERCENT 50u

#define SETTLE_TRIES \
	1000 /* looks at a CPU that is writing a record, some 20 us; a record takes less than one */

/* What the reader remembers of one ring. */
struct reader_level {
	uint64_t sent; /* position up to which records went out, in the writer's count */
	uint64_t end_ns; /* of the last packet: the next one's records are not before it */
	uint64_t sequence; /* packets, and gaps where a flight recorder overwrote */
	uint64_t name_packets; /* handed out that tell names */
	uint64_t stream_bytes; /* of packets handed out: where the next one will lie in its file */
	bool whole; /* the last sub-buffer went out in one piece */
	uint64_t lost; /* reported so far */
	uint64_t nested_lost;
};

struct ring {
	struct ring_config config;
	struct ring_memory memory;
	struct reader_level *levels; /* [cpus * RING_LEVELS] */
	uint8_t *copy; /* one sub-buffer, for the flight recorder */
	uint64_t packets;
	uint64_t settled_ns; /* as ring_settled_ns has it */
};

static size_t round_page(size_t len)
{
	return (len + 4095) & ~(size_t)4095;
}

static void start_levels(struct ring *ring)
{
	for (uint32_t cpu = 0; cpu < ring->config.cpus; cpu++) {
		for (uint32_t v = 0; v < RING_LEVELS; v++) {
			struct reader_level *rl = &ring->levels[cpu * RING_LEVELS + v];
			struct ring_level *level = &ring->memory.control[cpu].level[v];

			rl->sent = sizeof(struct packet_head);
			rl->end_ns = ring->config.start_ns;
			level->last_ns = ring->config.start_ns;
			level->begin_ns[0] = ring->config.start_ns;
			level->pos = sizeof(struct packet_head);
			level->limit = 1ull << ring->config.sub_shift;
			level->sub = sub_element(&ring->memory, cpu, v, 0);
		}
	}
}

int ring_open(const struct ring_config *config, struct ring **ret)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	int err = -ENOMEM;

	if (!ring)
		return -ENOMEM;
	ring->config = *config;
	ring->memory = (struct ring_memory){
		.cpus = config->cpus,
		.sub_shift = config->sub_shift,
		.sub_count = config->sub_count,
		.overwrite = config->overwrite,
		.start_ns = config->start_ns,
		.control = MAP_FAILED,
		.data = MAP_FAILED,
		.sub_stride = (1ul << config->sub_shift) + RING_SLACK_BYTES,
	};
	ring->levels = calloc((size_t)config->cpus * RING_LEVELS, sizeof(*ring->levels));
	ring->copy = malloc(ring->memory.sub_stride);
	if (!ring->levels || !ring->copy)
		goto fail;

	ring->memory.control_bytes = round_page(config->cpus * sizeof(struct ring_cpu));
	ring->memory.control = mmap(NULL, ring->memory.control_bytes, PROT_READ | PROT_WRITE,
				    MAP_SHARED, config->control_fd, 0);
	ring->memory.data_bytes =
		(size_t)config->cpus * cpu_subs(&ring->memory) * ring->memory.sub_stride;
	ring->memory.data = mmap(NULL, ring->memory.data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				 config->data_fd, 0);
	if (ring->memory.control == MAP_FAILED || ring->memory.data == MAP_FAILED) {
		err = -errno;
		goto fail;
	}
	start_levels(ring);
	*ret = ring;
	return 0;

fail:
	ring_close(ring);
	return err;
}

void ring_close(struct ring *ring)
{
	if (!ring)
		return;
	if (ring->memory.control != MAP_FAILED)
		munmap(ring->memory.control, ring->memory.control_bytes);
	if (ring->memory.data != MAP_FAILED)
		munmap(ring->memory.data, ring->memory.data_bytes);
	free(ring->levels);
	free(ring->copy);
	free(ring);
}

/* Time of the record at @at, which is less than 2^32 ns after @before_ns or says so itself. */
static uint64_t record_time(const uint8_t *at, uint64_t before_ns)
{
	struct record_extended extended;
	uint64_t head;

	memcpy(&head, at, sizeof(head));
	if ((head & RECORD_ID_EXTENDED) == RECORD_ID_EXTENDED) {
		memcpy(&extended, at, sizeof(extended));
		return extended.time_low | (uint64_t)extended.time_high << 32;
	}
	return before_ns + (uint32_t)((uint32_t)(head >> RECORD_TIME_SHIFT) - (uint32_t)before_ns);
}

/* Nested-too-deep losses are the CPU's; they are reported in the stream of the deepest level. */
static uint64_t level_nested_lost(const struct ring *ring, uint32_t cpu, uint32_t level)
{
	if (level != RING_LEVELS - 1)
		return 0;
	return __atomic_load_n(&ring->memory.control[cpu].nested_lost, __ATOMIC_RELAXED);
}

/* The header of the next packet; losses that it reports are not reported again. */
static struct packet_head next_head(struct ring *ring, uint32_t cpu, uint32_t v, uint64_t begin_ns,
				    uint64_t end_ns, size_t len, size_t pad)
{
	struct reader_level *rl = &ring->levels[cpu * RING_LEVELS + v];
	struct packet_head head = {
		.magic = PACKET_MAGIC,
		.stream_id = STREAM_CLASS_KERNEL,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.content_bits = len * 8,
		.packet_bits = (len + pad) * 8,
		.cpu = cpu,
		.level = v,
	};

	rl->nested_lost = level_nested_lost(ring, cpu, v);
	head.discarded = rl->lost + rl->nested_lost;
	head.discarded_nested = rl->nested_lost;
	head.sequence = rl->sequence++;
	head.name_packets = rl->name_packets;
	memcpy(head.uuid, ring->config.uuid, sizeof(head.uuid));
	rl->end_ns = end_ns;
	rl->stream_bytes += len + pad;
	ring->packets++;
	return head;
}

/* Of a CPU's ring for tasks, percent. */
static unsigned int level_fill(const struct ring *ring, uint32_t cpu)
{
	const struct ring_level *level = &ring->memory.control[cpu].level[0];
	uint64_t start = level->consumed << ring->config.sub_shift;
	uint64_t pos = __atomic_load_n(&level->pos, __ATOMIC_RELAXED);
	uint64_t room = (uint64_t)ring->config.sub_count << ring->config.sub_shift;

	return pos > start ? (unsigned int)((pos - start) * 100 / room) : 0;
}

/*
 * Where sub-buffers go out in one piece, they lie in the file at multiples of their size: so each
 * is copied into one large folio of the page cache, and not page by page, which takes a tenth
 * longer. All but the first of them are nearly that long anyhow; the first one's padding is a hole.
 */
static size_t whole_pad(const struct ring *ring, struct reader_level *rl, size_t len, bool whole)
{
	size_t block = (size_t)1 << ring->config.sub_shift;
	bool align = whole && rl->whole && !ring->config.compact;

	rl->whole = whole;
	return align ? -(rl->stream_bytes + len) & (block - 1) : 0;
}

/* Bytes [from, to) of a sub-buffer. */
struct span {
	uint64_t number; /* of the sub-buffer */
	uint32_t from;
	uint32_t to;
	uint32_t named; /* as the ring has it; beyond `to` where another record has come since */
	bool closed; /* to its end */
	uint64_t end_ns;
};

/*
 * Sends @span of the sub-buffer that is at @sub as one packet. Its header goes
 * in front of them: into the sub-buffer's head space, or over records that went out before. A ring
 * loses records when it is full, so losses are reported with the sub-buffer that was opened next.
 */
static int send_packet(struct ring *ring, uint32_t cpu, uint32_t v, const struct span *span,
		       uint8_t *sub, ring_sink sink, void *ctx)
{
	struct reader_level *rl = &ring->levels[cpu * RING_LEVELS + v];
	const struct ring_level *level = &ring->memory.control[cpu].level[v];
	uint64_t lost = level->lost_before[span->number & (level_subs(&ring->memory, v) - 1)];
	uint8_t *at = sub + span->from - sizeof(struct packet_head);
	size_t len = span->to - span->from + sizeof(struct packet_head);
	bool whole = span->closed && span->from == sizeof(struct packet_head);
	size_t pad = whole_pad(ring, rl, len, whole);
	struct packet_head head;

	if (lost > rl->lost)
		rl->lost = lost;
	rl->name_packets += span->named > span->from;
	head = next_head(ring, cpu, v, record_time(sub + span->from, rl->end_ns), span->end_ns, len,
			 pad);
	memcpy(at, &head, sizeof(head));
	if (pad > RING_SLACK_BYTES)
		pad = 0;
	memset(sub + span->to, 0, pad);
	return sink(ctx, at, len + pad, level_fill(ring, cpu) > LATE_PERCENT);
}

/* Losses behind the last record: a packet without any, which takes their place, but not before what was said
 * to be complete. */
static int send_losses(struct ring *ring, uint32_t cpu, uint32_t v, ring_sink sink, void *ctx)
{
	struct reader_level *rl = &ring->levels[cpu * RING_LEVELS + v];
	uint64_t lost = __atomic_load_n(&ring->memory.control[cpu].level[v].lost, __ATOMIC_RELAXED);
	struct packet_head head;

	if (lost <= rl->lost && level_nested_lost(ring, cpu, v) <= rl->nested_lost)
		return 0;
	rl->lost = lost;
	if (rl->end_ns < ring->settled_ns)
		rl->end_ns = ring->settled_ns;
	head = next_head(ring, cpu, v, rl->end_ns, rl->end_ns, sizeof(head), 0);
	return sink(ctx, &head, sizeof(head), false);
}

/*
 * The next packet of this ring begins behind what is written now, where no record is: one that is being written may
 * refer to a stack in front of that place. Until the place is known, each record brings its stack along
 * (probe/stack.bpf.h). False: the CPU does not come out of a record.
 */
static bool cut_begin(struct ring *ring, uint32_t cpu, uint32_t v)
{
	struct ring_cpu *control = &ring->memory.control[cpu];
	int tries = SETTLE_TRIES;

	if (!ring->config.stacks)
		return true;
	__atomic_store_n(&control->level[v].sent, UINT64_MAX, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&control->nest, __ATOMIC_SEQ_CST) > v && --tries)
		;
	return tries;
}

static void cut_end(struct ring *ring, uint32_t cpu, uint32_t v, uint64_t pos)
{
	if (ring->config.stacks)
		__atomic_store_n(&ring->memory.control[cpu].level[v].sent, pos, __ATOMIC_RELEASE);
}

/* The next span of a drained ring that had begun by @stop. 1 = a closed sub-buffer went out and
 * there may be more. */
static int drain_step(struct ring *ring, uint32_t cpu, uint32_t v, uint64_t stop, uint64_t flush_ns,
		      ring_sink sink, void *ctx)
{
	struct reader_level *rl = &ring->levels[cpu * RING_LEVELS + v];
	struct ring_level *level = &ring->memory.control[cpu].level[v];
	uint32_t mask = (1u << ring->config.sub_shift) - 1;
	uint64_t number = level->consumed;
	uint32_t slots = level_subs(&ring->memory, v) - 1;
	struct position p = position_get(level);
	bool closed = p.pos >> ring->config.sub_shift > number;
	struct span span;
	int err = 0;

	if (number > stop >> ring->config.sub_shift)
		return 0; /* a writer that is faster than the sink must not keep us here */
	if (!closed && (level->begin_ns[number & slots] > flush_ns || rl->end_ns > flush_ns))
		return 0;
	if (!closed) {
		bool good = cut_begin(ring, cpu, v);

		p = position_get(level);
		closed = p.pos >> ring->config.sub_shift > number;
		cut_end(ring, cpu, v, good ? p.pos : rl->sent);
		if (!good && flush_ns != RING_FLUSH_ALL)
			return 0;
	}
	span = (struct span){
		.number = number,
		.from = (uint32_t)rl->sent & mask,
		.to = closed ? level->used[number & slots] : (uint32_t)p.pos & mask,
		.named = __atomic_load_n(&level->named[number & slots], __ATOMIC_RELAXED),
		.closed = closed,
		.end_ns = closed ? level->begin_ns[(number + 1) & slots] : p.last_ns,
	};
	if (span.to > span.from)
		err = send_packet(ring, cpu, v, &span, sub_at(&ring->memory, cpu, v, number), sink,
				  ctx);
	if (!closed) {
		rl->sent = p.pos;
		return err;
	}
	number++;
	rl->sent = (number << ring->config.sub_shift) + sizeof(struct packet_head);
	__atomic_store_n(&level->consumed, number, __ATOMIC_RELEASE);
	return err ?: 1;
}

/*
 * The next span of a flight recorder's ring: the oldest sub-buffer that is still whole, from
 * where the last snapshot ended. 1 = there may be more.
 */
static int snapshot_step(struct ring *ring, uint32_t cpu, uint32_t v, uint64_t stop, ring_sink sink,
			 void *ctx)
{
	struct reader_level *rl = &ring->levels[cpu * RING_LEVELS + v];
	struct ring_level *level = &ring->memory.control[cpu].level[v];
	uint32_t shift = ring->config.sub_shift, mask = (1u << shift) - 1;
	uint32_t slots = level_subs(&ring->memory, v);
	bool good = cut_begin(ring, cpu, v);
	struct position p = position_get(level);
	uint64_t current = p.pos >> shift, number = rl->sent >> shift;
	struct span span;
	uint64_t begin_ns;
	int err = 0;

	cut_end(ring, cpu, v, good ? p.pos : rl->sent);
	if (number + slots <= current) { /* overwritten: skip what is gone */
		rl->sequence += current - slots + 1 - number;
		number = current - slots + 1;
		rl->sent = (number << shift) + sizeof(struct packet_head);
	}
	if (rl->sent >= stop)
		return 0;
	span = (struct span){
		.number = number,
		.from = (uint32_t)rl->sent & mask,
		.named = __atomic_load_n(&level->named[number & (slots - 1)], __ATOMIC_ACQUIRE),
		.closed = current > number,
	};
	span.to = span.closed ? level->used[number & (slots - 1)] : (uint32_t)p.pos & mask;
	span.end_ns = span.closed ? level->begin_ns[(number + 1) & (slots - 1)] : p.last_ns;
	begin_ns = level->begin_ns[number & (slots - 1)];
	if (span.to > mask || span.to < span.from)
		span.to = span.from;
	if (span.to > span.from && begin_ns > p.last_ns) { /* the writer opens its place again */
		rl->sequence++;
		rl->sent = ((number + 1) << shift) + sizeof(struct packet_head);
		return 1;
	}
	memcpy(ring->copy, sub_at(&ring->memory, cpu, v, number), span.to);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&level->pos, __ATOMIC_RELAXED) >> shift >= number + slots)
		return 1; /* the writer came round while we copied: again, with the next one */
	if (span.from == sizeof(struct packet_head))
		rl->end_ns = begin_ns;
	if (span.to > span.from)
		err = send_packet(ring, cpu, v, &span, ring->copy, sink, ctx);
	rl->sent = span.closed ? ((number + 1) << shift) + sizeof(struct packet_head) : p.pos;
	return err ?: span.closed;
}

static int drain_level(struct ring *ring, uint32_t cpu, uint32_t v, uint64_t flush_ns,
		       ring_sink sink, void *ctx)
{
	uint64_t stop = position_get(&ring->memory.control[cpu].level[v]).pos;
	int more;

	do {
		if (!ring->config.overwrite)
			more = drain_step(ring, cpu, v, stop, flush_ns, sink, ctx);
		else
			more = flush_ns ? snapshot_step(ring, cpu, v, stop, sink, ctx) : 0;
	} while (more > 0);
	if (more || !flush_ns || ring->levels[cpu * RING_LEVELS + v].sent < stop)
		return more;
	return send_losses(ring, cpu, v, sink, ctx);
}

/*
 * Whether each CPU was seen outside of any record: a later read of the clock gives a later time than now, and
 * records with an earlier time are in its ring.
 */
static bool settle(const struct ring *ring)
{
	for (uint32_t cpu = 0; cpu < ring->config.cpus; cpu++) {
		int tries = SETTLE_TRIES;

		while (__atomic_load_n(&ring->memory.control[cpu].nest, __ATOMIC_ACQUIRE)) {
			if (!--tries)
				return false;
		}
	}
	return true;
}

int ring_drain(struct ring *ring, uint64_t flush_ns, ring_sink sink, void *ctx)
{
	bool settled = flush_ns && flush_ns != RING_FLUSH_ALL && settle(ring);

	for (uint32_t cpu = 0; cpu < ring->config.cpus; cpu++) {
		for (uint32_t v = 0; v < RING_LEVELS; v++) {
			int err = drain_level(ring, cpu, v, flush_ns, sink, ctx);

			if (err)
				return err;
		}
	}
	if (settled && flush_ns > ring->settled_ns)
		ring->settled_ns = flush_ns;
	return 0;
}

uint64_t ring_settled_ns(const struct ring *ring)
{
	return ring->settled_ns;
}

bool ring_is_quiet(const struct ring *ring)
{
	for (uint32_t cpu = 0; cpu < ring->config.cpus; cpu++) {
		if (__atomic_load_n(&ring->memory.control[cpu].nest, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

uint64_t ring_records(const struct ring *ring, uint32_t cpu, uint32_t level)
{
	return __atomic_load_n(&ring->memory.control[cpu].level[level].records, __ATOMIC_RELAXED);
}

void ring_totals(const struct ring *ring, struct ring_totals *ret)
{
	*ret = (struct ring_totals){.packets = ring->packets};
	for (uint32_t cpu = 0; cpu < ring->config.cpus; cpu++) {
		unsigned int fill = ring->config.overwrite ? 0 : level_fill(ring, cpu);
		uint64_t full, nested;

		ring_cpu_lost(ring, cpu, &full, &nested);
		ret->lost += full;
		ret->nested_lost += nested;
		if (fill > ret->fill_percent)
			ret->fill_percent = fill;
		for (uint32_t v = 0; v < RING_LEVELS; v++) {
			const struct ring_level *level = &ring->memory.control[cpu].level[v];

			ret->records += ring_records(ring, cpu, v);
			ret->bytes += __atomic_load_n(&level->pos, __ATOMIC_RELAXED) -
				      sizeof(struct packet_head);
		}
	}
}

void ring_cpu_lost(const struct ring *ring, uint32_t cpu, uint64_t *full, uint64_t *nested)
{
	*full = 0;
	for (uint32_t v = 0; v < RING_LEVELS; v++)
		*full +=
			__atomic_load_n(&ring->memory.control[cpu].level[v].lost, __ATOMIC_RELAXED);
	*nested = __atomic_load_n(&ring->memory.control[cpu].nested_lost, __ATOMIC_RELAXED);
}

const struct ring_memory *ring_memory(const struct ring *ring)
{
	return &ring->memory;
}
