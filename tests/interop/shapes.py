#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces of every shape that CTF 1.8.3 allows and no tracer here writes: both byte orders, integers of
1 to 64 bits at any bit, variants, structures and lists inside one another, lengths and tags in any
scope, all forms of heads. babeltrace2 and sonde read the same of each, and sonde reads what was written: also
where babeltrace2 2.0 refuses (tags with dots) or errs (an empty text in a list is the one before)."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, events, finish, path  # noqa: E402
from ctf_trace import Clock, Lttng, Plain, Stream, Trace, Writer  # noqa: E402
from ctf_type import (Array, Enum, Float, Int, Sequence, String, Struct,  # noqa: E402
                      Variant)
from side_by_side import compare_trace, same_value  # noqa: E402

SIZES = ("timestamp_begin", "timestamp_end", "content_size", "packet_size")
FULL = SIZES + ("events_discarded", "packet_seq_num", "cpu_id")
U8, U16, U32 = Int(8), Int(16), Int(32)
SMALL = Int(8, most=4)
TAG = Enum(U8, [("a", 0, 0), ("b", 1, 9), ("c", 200, 255)])


def numbers():
    """Integers of all sizes at any bit, signed and not, in all bases, and floats."""
    bits = [("b%d" % i, Int(i, signed=i % 2 == 0, base=(2, 8, 10, 16)[i % 4]))
            for i in range(1, 65)]
    odd = [("o%d" % i, Int(size, align)) for i, (size, align) in enumerate(
        [(3, 1), (32, 1), (5, 2), (64, 4), (7, 16), (12, 64), (24, 8), (33, 32), (8, 128)])]
    other = [("n%d" % size, Int(size, order="be")) for size in (8, 16, 32, 64)]
    other += [("l%d" % size, Int(size, order="le", signed=True)) for size in (8, 16, 32, 64)]
    floats = [("f", Float(32)), ("d", Float(64)), ("fb", Float(32, 32, "be")),
              ("dl", Float(64, 64, "le")), ("db", Float(64, 8, "be"))]
    return {0: ("bits", None, Struct(*bits)), 1: ("odd", None, Struct(*odd)),
            2: ("orders", None, Struct(*other)), 3: ("floats", None, Struct(*floats)),
            4: ("nothing", None, None), 5: ("empty", None, Struct())}


def enums():
    overlapping = Enum(U8, [("low", 0, 10), ("high", 5, 20), ("_under", 30, 40), ("a b", 41, 41)])
    wide = Enum(Int(64), [("zero", 0, 0), ("top", (1 << 64) - 9, (1 << 64) - 1)])
    far = Enum(U16, [("a label that is longer than most names of things are", 0, 99),
                     ("near", 100, 100), ("last", 65535, 65535)])
    any_at_all = Enum(Int(64), [("none", 0, 0), ("some", 1, (1 << 64) - 1)])
    signed = Enum(Int(16, signed=True), [("minus", -300, -1), ("plus", 0, 7)])
    return {7: ("enums", None, Struct(("o", overlapping), ("w", wide), ("s", signed), ("y", any_at_all), ("far", far),
                                      ("three", Enum(Int(3), [("x", 0, 3), ("y", 4, 5)])),
                                      ("_list", Array(signed, 3))))}


def arrays():
    letter = Int(8, text=True, least=1)
    pair = Struct(("x", U8), ("y", Int(32, 32)))
    return {
        0: ("plain", None, Struct(("n", SMALL), ("a", Array(U16, 3)), ("s", Sequence(U32, "n")),
                                  ("t", Array(letter, 8)), ("k", Int(8, most=9, least=1)),
                                 ("ts", Sequence(letter, "k")),
                                  ("f", Sequence(Float(64), "n")), ("none", Array(U8, 0)))),
        1: ("bits", None, Struct(("n", Int(3)), ("a", Array(Int(5), 3)), ("b", Sequence(Int(1), "n")),
                                 ("apart", Array(Int(3, 8), 2)), ("last", U8))),
        2: ("grids", None, Struct(("n", SMALL), ("m", SMALL), ("g", Array(Array(U8, 2), 3)),
                                  ("h", Sequence(Sequence(U16, "m"), "n")),
                                  ("cube", Array(Sequence(Array(U8, 2), "n"), 2)))),
        3: ("compounds", None, Struct(
            ("n", SMALL), ("p", Array(pair, 2)), ("ps", Sequence(pair, "n")),
            ("s", Array(String(), 2)), ("ss", Sequence(String(), "n")),
            ("deep", Sequence(Struct(("m", SMALL), ("inner", Sequence(
                Struct(("k", SMALL), ("outer", Sequence(U8, "n")), ("own", Sequence(U8, "k")),
                       ("s", String())), "m"))), "n")), ("last", U32))),
        4: ("empties", None, Struct(("n", SMALL), ("e", Sequence(Struct(), "n")),
                                    ("in", Struct(("e", Struct()), ("x", U8))), ("last", U8))),
    }


def variants():
    options = (("a", U32), ("b", String()),
               ("c", Struct(("n", SMALL), ("s", Sequence(U16, "n")))))
    return {
        0: ("one", None, Struct(("tag", TAG), ("v", Variant("tag", *options)), ("last", U8))),
        1: ("two", None, Struct(("in", Struct(("tag", TAG), ("v", Variant("tag", *options)))),
                                ("tag", TAG), ("w", Variant("tag", *options)))),
        2: ("inside", None, Struct(("tag", TAG), ("other", TAG), ("v", Variant(
            "tag", ("a", Variant("other", *options)), ("b", Struct(("w", Variant("other", *options)))),
            ("c", Array(U8, 3)))), ("last", U8))),
        3: ("listed", None, Struct(("n", SMALL), ("outer", TAG), ("l", Sequence(Struct(
            ("tag", TAG), ("v", Variant("tag", *options)), ("o", Variant("outer", *options))), "n")),
            ("vs", Array(Variant("outer", *options), 2)))),
        4: ("signed", None, Struct(
            ("tag", Enum(Int(5, signed=True), [("a", -16, -2), ("b", -1, 0), ("c", 1, 15)])),
            ("v", Variant("tag", ("a", Int(7)), ("b", Struct()), ("c", Int(64, 64)))))),
    }


def scopes(clock, near):
    """Contexts, and lengths and tags in them, told by where they are or, with @near, by their names
    alone."""
    common = Struct(("vpid", Int(32, signed=True)), ("vtid", Int(32, signed=True, most=1 << 22)), ("n", SMALL),
                    ("tag", TAG), ("procname", Array(Int(8, text=True, least=1), 17)))
    v = ("v", Variant("tag", ("a", U8), ("b", String()), ("c", Float(64))))
    # babeltrace2 2.0 aborts where a length is in an event's own context.
    own = Struct(("m", SMALL), ("_inner", TAG), *([("list", Sequence(U8, "n")), v] if near else []))
    events = {
        0: ("both", own, Struct(("s", Sequence(U8, "m" if near else "stream.event.context.n")),
                                ("t", Sequence(U16, "stream.event.context.n")),
                                ("far", Sequence(U8, "event.context.m") if near else U8),
                                ("n", U8), *([v] if near else []))),
        1: ("common", None, Struct(("vpid", U8), ("x", Sequence(
            Int(3), "n" if near else "stream.event.context.n")))),
        2: ("bare", own, None),
    }
    return Trace([Stream(events, Plain(clock), common, clock, FULL)], [clock])


def refused(least):
    """What babeltrace2 2.0 does not read; with texts of @least bytes."""
    options = (("a", U32), ("b", String()), ("c", Int(3)))
    inner = Struct(("tag", TAG), ("n", SMALL), ("k", Int(8, most=9, least=1)))
    text = Int(8, text=True, least=least)
    return {
        0: ("dots", None, Struct(("in", inner), ("v", Variant("in.tag", *options)),
                                 ("w", Variant("event.fields.in.tag", *options)),
                                 ("s", Sequence(String(least), "in.n")),
                                 ("t", Array(text, 5)), ("ts", Sequence(text, "in.k" if least else "in.n")))),
    }


def simple(events, clock, **more):
    return Trace([Stream(events, Plain(clock), None, clock, FULL)], [clock], **more)


def heads(clock):
    """Every form of heads of packets and events that there is: (name, trace, more for the writer)."""
    events = {i: ("e%d" % i, None, Struct(("x", Int(5)), ("y", U16))) for i in (0, 1, 2, 29, 40)}
    one = {0: ("only", None, Struct(("x", U32), ("s", String())))}
    lttng = (("compact", Lttng(clock, 5, 27)), ("large", Lttng(clock, 16, 32)),
             ("aligned", Lttng(clock, 5, 27, 32)))
    for name, header in lttng:
        yield name, Trace([Stream(events, header, None, clock, FULL)], [clock]), {}
    for bits in (16, 27, 32):
        yield "wrap%d" % bits, Trace([Stream(events, Plain(clock, 8, bits, 1), None, clock, FULL)],
                                     [clock]), {"times": (0, 1 << (bits - 1)), "leaps": False}
    slow = Clock("slow", 32768, 1600000000, 12345)
    fast = Clock("fast", 2500000000, 7, 99)
    for other in (slow, fast):
        yield other.name, Trace([Stream(events, Plain(other), None, other, FULL)], [other]), {
            "times": (1 << 20, 900), "leaps": False}
    for count in range(len(FULL)):
        some = tuple(name for i, name in enumerate(FULL) if i != count)
        if "packet_size" not in some:
            some = tuple(name for name in some if name != "content_size")
        more = {"packet": 10000} if "packet_size" not in some else {"pad": "content_size" in some}
        yield "without_" + FULL[count], Trace([Stream(events, Plain(clock), None, clock, some)],
                                              [clock]), more
    yield "content_only", Trace([Stream(one, Plain(clock), None, clock, ("content_size",))],
                                [clock]), {}
    yield "no_context", Trace([Stream(one, Plain(clock), None, clock)], [clock]), {"packet": 10000}
    yield "no_id", Trace([Stream(one, None, None, None, SIZES[2:])], [], header=("magic",)), {}
    yield "no_header", Trace([Stream(one, Plain(clock), None, clock, SIZES)], [clock],
                             header=()), {}
    yield "magic_only", Trace([Stream(one, Plain(clock), None, clock, SIZES)], [clock],
                              header=("magic",)), {}
    yield "empty_packets", simple(events, clock), {"empty": {0, 3, 8}}
    yield "losses", simple(events, clock), {"lost": {0: (3, 0), 2: (5, 0), 4: (0, 2), 6: (7, 1)}}


def differs(mine, drawn, clock):
    """What sonde has read differently from what was written, or None."""
    name, cycles, context, fields = drawn
    if mine["event"] != name:
        return "event: got %s, want %s" % (mine["event"], name)
    if clock:
        want = (cycles * 1000000000 // clock.freq + clock.offset_s * 1000000000 +
                int(clock.offset * 1000000000 / clock.freq))
        if mine["time"] != want:
            return "time: got %d, want %d" % (mine["time"], want)
    got = {"context." + key if key in fields else key: value for key, value in context.items()}
    if not same_value(mine["fields"], fields) or not same_value(mine.get("context", {}), got):
        return "got %r %r, want %r %r" % (mine["fields"], mine.get("context"), fields, got)
    return None


def compare_drawn(name, ours, clock, drawn):
    equal("events of " + name, len(ours), len(drawn))
    wrong = list(filter(None, (differs(mine, one, clock) for mine, one in zip(ours, drawn))))
    for what in wrong[:9]:
        check(False, "%s: %s" % (name, what))
    equal("events of %s that are not what was written" % name, len(wrong), 0)


def compare_one(name, trace, seed=1, packets=None, witness=True, **more):
    folder = path(name)
    trace.write(folder, packets)
    writers = [Writer(random.Random(seed + i), cpu=i, **more) for i in range(len(trace.streams))]
    for i, stream in enumerate(trace.streams):
        trace.write_stream(folder, "stream%d" % i, stream, writers[i])
    ours = compare_trace(folder, "lost" not in more) if witness else events(folder)
    for i, stream in enumerate(trace.streams):
        compare_drawn(name, [event for event in ours if event.get("cpu", i) == i], stream.clock,
                      writers[i].drawn)
    print("%s: %d events" % (name, len(ours)), flush=True)


def several(clock):
    """Streams of several classes, with clocks of their own."""
    other = Clock("other", 1000000000, 1700000000, 77)
    streams = [Stream(numbers(), Plain(clock), None, clock, FULL, 0),
               Stream(variants(), Lttng(other, 5, 27), Struct(("c", U8)), other, FULL, 1),
               Stream(arrays(), Plain(clock, 32, 64, 32), None, clock, FULL, 7)]
    return Trace(streams, [clock, other])


def every_shape():
    """(name, trace, how it is written and compared)."""
    clock = Clock()
    for big in (False, True):
        order = "be" if big else "le"
        for make in (numbers, enums, arrays, variants):
            yield "%s_%s" % (make.__name__, order), simple(make(), clock, big=big), {}
        for name, least in ("refused_", 0), ("dots_", 1):
            yield name + order, simple(refused(least), clock, big=big), {"witness": False}
        for name, trace, more in heads(clock):
            trace.big = big
            yield "%s_%s" % (name, order), trace, more
        for name, trace in ("scopes", scopes(clock, False)), ("several", several(clock)):
            trace.big = big
            yield "%s_%s" % (name, order), trace, {"packets": ">" if big else "<"}
        trace = scopes(clock, True)
        trace.big = big
        yield "near_" + order, trace, {"witness": False}


def main():
    for name, trace, more in every_shape():
        compare_one(name, trace, **more)
    finish()


if __name__ == "__main__":
    main()
