#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""All that metadata may say and no tracer here does: types declared in all scopes and by all words,
blocks and attributes that only describe. babeltrace2 and sonde make the same of it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import equal, finish, path  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

METADATA = """/* CTF 1.8 */
// of both kinds of comments
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 0x10; align = 010; signed = 0; base = hexadecimal; } := unsigned short;
trace {
	major = 1; minor = 8; byte_order = le;
	typealias integer { size = 16; align = 8; } := inner_t;
	packet.header := struct { inner_t stream_id; };
};
typedef u8 blob_t[2], one_t;
typedef struct named { one_t a; blob_t b; } named_t;
typealias struct named := long named;
typealias integer { size = 8; align = 8; signed = true; base = x; } := const signed char *;
typealias integer { size = 8; align = 8; signed = true; base = octal; } := int;
typealias enum : u8 { LOW = 1, HIGH } := level_t;
typealias string { encoding = ASCII; } := text_t;
callsite { name = "e"; func = "main"; file = "x.c"; line = 12; ip = 0x1234; };
env { a = "x\\"y"; b = 0x10; c = -5; };
struct around { typedef u8 hidden_t; struct { hidden_t x; } in; };
variant later { u8 A; blob_t B; };
variant with { u8 A; struct { blob_t b; text_t t; } B; };
stream {
	typealias integer { size = 32; align = 8; } := inner_t; /* another one */
	id = 0x0;
	event.header := struct { u8 id; };
	event.context := struct { inner_t count; };
};
event {
	name = "e"; id = 0; stream_id = 0; loglevel = 13; model.emf.uri = "http://example.org/";
	typedef u8 local_t;
	fields := struct {
		typealias integer { size = 4; align = 1; } := nibble;
		typedef nibble two_t[2];
		enum tag_e : u8 { A = 0x61, B, "C c" = 0x70 ... 0x71, } tag;
		named_t n;
		long named m;
		const signed char * p;
		variant later <tag> v;
		variant with <tag> x;
		two_t w;
		enum tag_e again;
		local_t z;
		struct { } none;
		enum { P, Q = 2, R } implied;
		level_t level;
		unsigned short hex, _more[2];
		struct around far;
	} align(16);
};
"""
EVENTS = [
    bytes([0]) + (7).to_bytes(4, "little") + b"\0" +
    bytes([0x61, 1, 2, 3, 4, 5, 6, 0xff, 9, 8, 0x21, 0x62, 7, 2, 1]) + bytes(range(6)) + b"\5",
    bytes([0]) + (9).to_bytes(4, "little") + b"\0" +
    bytes([0x62, 1, 2, 3, 4, 5, 6, 0x7f, 9, 8, 5, 6]) + b"text\0" +
    bytes([0xf0, 0x71, 7, 3, 2]) + bytes(range(6)) + b"\6",
]


def main():
    trace = path("tsdl")
    os.makedirs(trace)
    with open(os.path.join(trace, "metadata"), "w", encoding="ascii") as out:
        out.write(METADATA)
    with open(os.path.join(trace, "stream"), "wb") as out:
        out.write(bytes(2))
        for event in EVENTS:
            out.write(bytes(-(out.tell() + 6) % 2) + event)
    ours = compare_trace(trace, quiet=False)  # babeltrace2 warns of the callsite
    equal("events", len(ours), 2)
    equal("what was chosen", [[name for name in event["fields"] if name[0] in "vx"]
                              for event in ours], [["v.A", "x.A"], ["v.B", "x.B.b", "x.B.t"]])
    equal("hex", [event["fields"]["hex"] for event in ours], [256, 256])
    finish()


main()
