#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes synthetic traces in the form of Sonde's own recorder, for tests of readers.

usage: make_trace.py DIR [--events N] [--cpus N] [--seed N] [--packet BYTES]
                         [--only-enter] [--names] [--tear BYTES] [--lost]
"""
import argparse
import os
import random
import struct

UUID = bytes.fromhex("2a6422d06cee11e08c08cb07d7b3a564")
METADATA = r"""/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text8;
typealias integer { size = 16; align = 16; signed = false; } := u16;
typealias integer { size = 32; align = 32; signed = false; } := u32;
typealias integer { size = 32; align = 32; signed = true; } := s32;
typealias integer { size = 64; align = 32; signed = false; } := u64;
typealias integer { size = 64; align = 32; signed = false; base = 16; } := x64;
trace {
	major = 1; minor = 8; uuid = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564"; byte_order = le;
	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; };
};
env {
	hostname = "vm"; domain = "kernel"; tracer_name = "sonde"; tracer_major = 0;
	kernel_release = "6.18"; boot_id = "00000000-0000-0000-0000-000000000000";
	syscalls = "0 read,1 write";
};
clock {
	name = monotonic; uuid = "5f6dc2b0-6cee-11e0-8c08-cb07d7b3a564";
	description = "CLOCK_MONOTONIC"; freq = 1000000000; offset_s = 1700000000; offset = 5;
};
typealias integer { size = 32; align = 1; signed = false; map = clock.monotonic.value; } := time32;
typealias integer { size = 64; align = 32; signed = false; map = clock.monotonic.value; } := time64;
struct packet_context {
	time64 timestamp_begin; time64 timestamp_end; u64 content_size; u64 packet_size;
	u64 events_discarded; u64 discarded_nested; u64 packet_seq_num; u32 cpu_id; u32 level;
};
struct event_header {
	enum : integer { size = 10; align = 1; signed = false; }
		{ compact = 0 ... 1022, extended = 1023 } id;
	variant <id> {
		struct { time32 timestamp; } compact;
		struct { u32 id; time64 timestamp; } extended;
	} v;
} align(32);
struct event_context { integer { size = 22; align = 1; signed = false; } tid; };
stream {
	id = 0; packet.context := struct packet_context; event.header := struct event_header;
	event.context := struct event_context;
};
event {
	/** a system call begins */
	id = 1; stream_id = 0; name = "sys.enter";
	fields := struct {
		x64 ip; /** [; object; hex] return address in user space */
		x64 args[6]; /** [; object; hex] arguments as passed */
		integer { size = 31; align = 1; signed = true; } nr; /** [; object; syscall] number */
		integer { size = 1; align = 1; signed = false; } compat; /** [; object; flag] 32-bit */
	};
};
event {
	id = 3; stream_id = 0; name = "tcp.state";
	fields := struct {
		u8 saddr[16]; /** [; object; address] local address */
		enum : u32 { ESTABLISHED = 1, SYN_SENT = 2 } old; /** [; object; ] state before */
		string filename;
		text8 comm[16];
	};
};
event {
	id = 2000; stream_id = 0; name = "sched.far";
	fields := struct { u64 when; /** [ns; system; decimal] time */ string what; };
};
event {
	id = 5; stream_id = 0; name = "odd";
	fields := struct {
		integer { size = 5; align = 1; signed = true; } a;
		integer { size = 11; align = 1; signed = false; byte_order = le; } b;
		u16 c;
		struct { floating_point { exp_dig = 11; mant_dig = 53; align = 32; } f; u8 g; } in;
		string s; u32 last;
	};
};
event {
	id = 6; stream_id = 0; name = "sequences";
	fields := struct {
		u8 n; u8 len; u16 parts[n]; text8 label[len];
		struct { integer { size = 3; align = 1; } depth; x64 stack[depth]; s32 odd[event.fields.n]; } in;
		u32 last;
	};
};
event {
	id = 7; stream_id = 0; name = "sonde.task";
	fields := struct { u64 cgroup; u32 tid; u32 pid; text8 comm[16]; };
};
"""
TASK = 7  # id of sonde.task
NAMED = 60  # tasks of a trace with names


def words(rng):
    return bytes(rng.choice(b"abcdefghij") for _ in range(rng.randrange(1, 9)))


def sequences(rng):
    n, depth, label = rng.randrange(5), rng.randrange(8), words(rng)
    body = struct.pack("<BB%dH" % n, n, len(label), *(rng.getrandbits(16) for _ in range(n)))
    body += label
    body += bytes(-len(body) % 4) + struct.pack("<B", depth)
    body += bytes(-len(body) % 4)
    body += struct.pack("<%dQ" % depth, *(rng.getrandbits(64) for _ in range(depth)))
    body += struct.pack("<%di" % n, *(rng.randrange(-9, 9) for _ in range(n)))
    return body + struct.pack("<I", rng.getrandbits(32))


def payload(rng, kind):
    """(id, bytes): strings leave the length off the 4-byte boundary, to be padded behind."""
    if kind == 0:
        args = [rng.getrandbits(64) for _ in range(7)]
        word = (rng.randrange(-1, 400) & 0x7fffffff) | rng.getrandbits(1) << 31
        return 1, struct.pack("<7QI", *args, word)
    if kind == 1:
        addr = bytes(rng.getrandbits(8) for _ in range(16))
        return 3, (addr + struct.pack("<I", rng.choice([1, 2])) + words(rng) + b"\0" +
                   (words(rng) + bytes(16))[:16])
    if kind == 2:
        return 2000, struct.pack("<Q", rng.getrandbits(60)) + words(rng) + b"\0"
    if kind == 4:
        return 6, sequences(rng)
    if kind == 5:
        return 7, struct.pack("<QII16s", 1, rng.randrange(NAMED), 1, words(rng))
    a, b = rng.randrange(-16, 16), rng.getrandbits(11)
    head = struct.pack("<HH", (a & 31) | b << 5, rng.getrandbits(16))
    inner = struct.pack("<dB", rng.random(), rng.getrandbits(8))
    text = words(rng) + b"\0"
    body = head + inner + text
    body += bytes(-len(body) % 4)
    return 5, body + struct.pack("<I", rng.getrandbits(32))


def record(number, time, last, tid, body):
    if number >= 1023 or time - last >= 1 << 32:
        head = struct.pack("<IIQI", 1023, number, time, tid)
    else:
        head = struct.pack("<Q", number | (time & 0xffffffff) << 10 | tid << 42)
    return head + body


def write_packet(out, index, state, records, begin, end, args, rng):
    # A record begins on a 4-byte boundary. Padding behind the last one is not content: readers
    # go on where the content has not ended, and babeltrace2 does so before it aligns.
    content = b"".join(r + bytes(-len(r) % 4) for r in records[:-1]) + records[-1]
    size = (96 if args.marks else 88) + len(content)
    full = (size + 511) & ~511
    if args.lost and rng.randrange(4) == 0:
        state["lost"] += rng.randrange(1, 50)
        state["nested"] += rng.randrange(0, 2)
    if args.lost and rng.randrange(8) == 0:
        state["seq"] += rng.randrange(1, 3)
    state["named"] += any(struct.unpack_from("<Q", r)[0] & 1023 == TASK for r in records)
    counts = [state["lost"], state["nested"], state["seq"]] + [state["named"]] * args.marks
    head = struct.pack("<I16sI%dQII" % (4 + len(counts)), 0xC1FC1FC1, UUID, 0, begin, end,
                       size * 8, full * 8, *counts, state["cpu"], 0)
    offset = out.tell()
    out.write(head + content + bytes(full - size))
    index.write(struct.pack(">9Q", offset, full * 8, size * 8, begin, end, state["lost"], 0, 0,
                            state["seq"]))
    state["seq"] += 1


def write_stream(args, cpu):
    rng = random.Random(args.seed * 1000 + cpu)
    state = {"cpu": cpu, "lost": 0, "nested": 0, "seq": 0, "named": 0}
    base = os.path.join(args.dir, "cpu%d_level0" % cpu)
    with open(base, "wb") as out, \
            open(os.path.join(args.dir, "index", "cpu%d_level0.idx" % cpu), "wb") as index:
        index.write(struct.pack(">4I", 0xC1F1DCC1, 1, 1, 72))
        time = 1 << 32
        records, length, begin, last = [], 0, time, time
        for _ in range(args.events // args.cpus):
            time += rng.randrange(1, 2000)
            if rng.randrange(5000) == 0 and not args.only_enter:
                time += 1 << 33
            kind = 0 if args.only_enter else rng.choice([0, 0, 0, 1, 2, 3, 4])
            if args.names and rng.randrange(args.names) == 0:
                kind = 5
            number, body = payload(rng, kind)
            if not records:
                begin = last = time
            data = record(number, time, last, rng.randrange(NAMED if args.names else 1 << 22), body)
            records.append(data)
            length += (len(data) + 3) & ~3
            last = time
            if length >= args.packet:
                write_packet(out, index, state, records, begin, time, args, rng)
                records, length = [], 0
        if records:
            write_packet(out, index, state, records, begin, time, args, rng)
    if args.tear:
        os.truncate(base, os.path.getsize(base) - args.tear)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packet", type=int, default=4096)
    parser.add_argument("--only-enter", action="store_true")
    parser.add_argument("--names", type=int, nargs="?", const=300, default=0,
                        help="one event of so many names a task")
    parser.add_argument("--marks", action="store_true", help="packets tell whether they have such")
    parser.add_argument("--tear", type=int, default=0)
    parser.add_argument("--lost", action="store_true")
    args = parser.parse_args()
    os.makedirs(os.path.join(args.dir, "index"), exist_ok=True)
    with open(os.path.join(args.dir, "metadata"), "w", encoding="ascii") as out:
        out.write(METADATA.replace("u64 packet_seq_num;", "u64 packet_seq_num; u64 name_packets;")
                  if args.marks else METADATA)
    for cpu in range(args.cpus):
        write_stream(args, cpu)


if __name__ == "__main__":
    main()
