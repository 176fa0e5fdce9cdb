#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every shape that CTF 1.8.3 allows (shapes.py), and what only CTF 2 has, written again by sonde
convert: as CTF 1.8, which babeltrace2 reads also where it does not read the source, and as CTF 2."""
import os
import re
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, equal, events, finish, fresh, path, run  # noqa: E402
from ctf2 import LebHead, only_in_2  # noqa: E402
from ctf2_type import Trace2  # noqa: E402
from ctf_trace import Clock, Plain, Stream, Trace, Writer  # noqa: E402
from ctf_type import (Array, Enum, Int, Sequence, String, Struct, Variant)  # noqa: E402
from rewritten import compare_rewritten  # noqa: E402
from shapes import FULL, SMALL, TAG, U8, U16, arrays, every_shape, simple, variants  # noqa: E402


def write(name, trace, packets=None, **more):
    trace.write(path(name), packets)
    for i, stream in enumerate(trace.streams):
        trace.write_stream(path(name), "stream%d" % i, stream,
                           Writer(random.Random(5 + i), cpu=i, **more))
    return path(name)


def shapes():
    for name, trace, more in every_shape():
        more.pop("witness", None)
        # Of an empty text in a list babeltrace2 2.0 says that it is the one before.
        compare_rewritten(name, write(name, trace, **more), not name.startswith("refused"),
                          "lost" in more)


def shapes_of_ctf2():
    """babeltrace2 2.0 reads what is made of them; what it shows has the names of CTF 1.8."""
    clock = Clock()
    for big in (False, True):
        name = "only_in_2_%s" % ("be" if big else "le")
        stream = Stream(only_in_2(), LebHead(clock), Struct(("m", SMALL)), clock, FULL)
        trace = write(name, Trace2([stream], [clock], big), events=1000)
        told = run("babeltrace2", compare_rewritten(name, trace, False))
        equal("what babeltrace2 says of " + name, told.stderr, "")
        equal("events that it reads of " + name, len(told.stdout.splitlines()),
              len(events(trace)))


def names():
    """Whatever is added keeps apart from what is there."""
    some = Variant("in.tag", ("none", U8), ("none_", String()), ("struct", Struct(("v_tag", U8))))
    tag = Enum(U8, [("none", 0, 0), ("none_", 1, 5), ("struct", 7, 7)])
    inner = Struct(("tag", tag), ("n", SMALL))
    far = Sequence(Struct(("v", some), ("v_tag", U8), ("v_tag_", Int(3)), ("x", Sequence(U16, "in.n")),
                          ("y", Sequence(String(), "event.fields.in.n"))), "in.n")
    event = Struct(("in", inner), ("v", some), ("v_tag", U8), ("v_tag_", U8), ("list", far),
                   ("lists", Array(Array(Variant("in.tag", ("none", U8), ("none_", Sequence(
                       String(), "in.n")), ("struct", Array(Struct(), 2))), 3), 2)),
                   ("in_length", SMALL), ("s", Struct(("in", Sequence(U8, "in_length")))))
    trace = write("names", simple({0: ("e", None, event)}, Clock()))
    compare_rewritten("names", trace)


def tasks():
    """A context that tells the task is no field, whatever stands beside it."""
    clock = Clock()
    common = Struct(("tid", Int(32, most=1 << 22)), ("prio", Int(32, signed=True)))
    varying = Struct(("n", SMALL), ("tid", Int(32, most=1 << 22)), ("s", Sequence(U8, "n")))
    for name, context, own in (("task", common, None), ("task_list", varying, None),
                               ("task_twice", common, Struct(("x", U8), ("tid", U8))),
                               ("twice", Struct(("in", Struct(("a", U8))), ("n", SMALL)),
                                Struct(("b", U8), ("in", Struct(("b", U8))), ("n", U16)))):
        events_of = {0: ("a", own, Struct(("x", U8))), 1: ("b", None, Struct(("prio", String())))}
        trace = Trace([Stream(events_of, Plain(clock), context, clock, FULL)], [clock])
        compare_rewritten(name, write(name, trace))


def contexts():
    """Contexts that a stream has to have, those that it need not, and both in one source."""
    clock = Clock()
    options = ("a", U8), ("b", String()), ("c", Struct(("n", SMALL), ("s", Sequence(U8, "n"))))
    own = Struct(("m", SMALL), ("list", Sequence(Struct(("tag", TAG), ("v", Variant(
        "tag", *options))), "m")))
    made = {0: ("a", own, Struct(("m", U8), ("s", Sequence(U8, "event.context.m")))),
            1: ("b", own, Struct(("x", Int(3)), ("y", Sequence(String(), "event.context.m")))),
            2: ("c", Struct(("x", U8)), Struct(("list", U8))),
            3: ("d", None, Struct(("x", Int(5))))}
    trace = Trace([Stream(made, Plain(clock), Struct(("p", U8)), clock, FULL)], [clock])
    out = compare_rewritten("contexts", write("contexts", trace))
    equal("streams", sorted(os.listdir(out)),
          [".end", "index", "metadata", "stream0_cpu0", "stream2_cpu0"])


THREE = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
stream {
	packet.context := struct { enum : u8 { A, B } p; variant <p> { u8 A; u8 B; } v; };
	event.context := struct { enum : u8 { A, B } s; variant <s> { u8 A; u8 B; } v; };
};
event {
	name = e;
	context := struct { enum : u8 { A, B } c; variant <c> { u8 A; u8 B; } v; };
	fields := struct { u8 x; };
};
"""


def three_contexts():
    """Each has a tag, and a variant of one name."""
    trace = fresh("three")
    os.mkdir(trace)
    with open(os.path.join(trace, "metadata"), "w", encoding="ascii") as file:
        file.write(THREE)
    with open(os.path.join(trace, "stream"), "wb") as file:
        file.write(bytes((0, 1, 1, 2, 0, 3, 4)))
    told = run("babeltrace2", convert(trace))
    equal("what babeltrace2 says of three contexts", told.stderr, "")
    equal("their variants", re.findall(r"v\w* = \{ \d+ \}", told.stdout), ["v = { 1 }", "v_2 = { 2 }", "v_3 = { 3 }"])


def convert(*args):
    out = fresh("converted")
    run(SONDE, "convert", "-o", out, *args)
    return out


def parts():
    """Selections, cuts, compression and several sources are of lists and variants, too."""
    clock = Clock()
    lists = write("lists", simple(arrays(), clock))
    options = write("options", simple(variants(), clock, big=True))
    times = [event["time"] for event in events(lists)]
    for name, trace, how in (("where", lists, ("--where", "n > 2")), ("chosen", options, (
            "--where", 'v.a > 9 || v.c.n == 1', "-e", "one,listed")),
            ("cut", lists, ("--from", str(times[50]), "--to", str(times[99])))):
        compare_rewritten(name, trace, True, False, *how)
    wanted = events(lists)
    small = convert("--compress", lists)
    equal("events of a compressed trace", events(small), wanted)
    equal("events of one that was compressed", events(convert(small)), wanted)
    both = sorted(wanted + events(options), key=str)
    merged = convert(lists, options)
    equal("events of two traces in one", sorted(events(merged), key=str), both)
    equal("what babeltrace2 says of them", run("babeltrace2", merged).stderr, "")


def main():
    shapes()
    parts()
    shapes_of_ctf2()
    names()
    tasks()
    contexts()
    three_contexts()
    finish()


if __name__ == "__main__":
    main()
