#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces of CTF 2. Whatever shape CTF 1.8.3 allows is described in both, over the same packets: sonde
says the same of each, to the byte, and what it says of the first is compared with babeltrace2
elsewhere (shapes.py). What only CTF 2 has is compared with what was written."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, events, finish, path, run  # noqa: E402
import shapes  # noqa: E402
from ctf2_type import Blob, Boolean, DynamicBlob, Leb128, Optional, Trace2  # noqa: E402
from ctf_trace import Clock, Stream, Writer  # noqa: E402
from ctf_type import Array, Enum, Int, Sequence, String, Struct, Variant  # noqa: E402

U8 = Int(8)
SMALL = Leb128(most=4)


def in_both(name, trace, packets=None, **more):
    """The streams are written once; the second trace has links to them."""
    folders = path(name + "_1"), path(name + "_2")
    second = Trace2(trace.streams, trace.clocks, trace.big, trace.header)
    trace.write(folders[0])
    second.write(folders[1], packets)
    for i, stream in enumerate(trace.streams):
        trace.write_stream(folders[0], "stream%d" % i, stream,
                           Writer(random.Random(i), cpu=i, **more))
        os.link(os.path.join(folders[0], "stream%d" % i), os.path.join(folders[1], "stream%d" % i))
    lost = 3 if "lost" in more else 0
    first, other = (run(SONDE, "print", "--format", "json", folder, good=False)
                    for folder in folders)
    equal("status of %s in CTF 1.8" % name, first.returncode, lost)
    equal("status of %s in CTF 2, which says %r" % (name, other.stderr), other.returncode, lost)
    mine, theirs = first.stdout.splitlines(), other.stdout.splitlines()
    check(mine, "%s has no events" % name)
    equal("events of " + name, len(theirs), len(mine))
    for one, two in list((one, two) for one, two in zip(mine, theirs) if one != two)[:3]:
        check(False, "%s: in CTF 1.8 %s, in CTF 2 %s" % (name, one, two))


def same_in_both():
    clock = Clock()
    for big in (False, True):
        order = "be" if big else "le"
        for make in (shapes.numbers, shapes.enums, shapes.arrays, shapes.variants, shapes.refused):
            trace = shapes.simple(make(), clock, big=big)
            in_both("%s_%s" % (make.__name__, order), trace)
        for name, trace, more in shapes.heads(clock):
            trace.big = big
            in_both("%s_%s" % (name, order), trace, **more)
        for name, trace in (("scopes", shapes.scopes(clock, False)),
                            ("near", shapes.scopes(clock, True)),
                            ("several", shapes.several(clock))):
            trace.big = big
            in_both("%s_%s" % (name, order), trace, packets=">" if big else "<")


class LebHead:
    """An event header of variable length."""

    def __init__(self, clock):
        self.type = Struct(("id", Leb128()), ("timestamp", Leb128(clock=clock.name)))

    def value(self, number, time, unused):
        return {"id": number, "timestamp": time}


def only_in_2():
    tag = Enum(U8, [("a", 0, 0), ("b", 1, 9), ("c", 200, 255)])
    sign = Int(8, signed=True)
    return {
        0: ("leb128", None, Struct(("u", Leb128()), ("s", Leb128(True)), ("n", SMALL),
                                   ("a", Array(Leb128(True), 3)), ("b", Sequence(U8, "n")),
                                   ("c", Sequence(Leb128(), "n")), ("last", Int(5)))),
        1: ("booleans", None, Struct(("one", Boolean(1)), ("odd", Boolean(7, order="be", align=8)),
                                     ("wide", Boolean(64)), ("list", Array(Boolean(1), 9)))),
        2: ("optional", None, Struct(
            ("has", Boolean(8, most=1)), ("sel", sign), ("n", SMALL), ("o", Optional("has", Int(3))),
            ("p", Optional("sel", String(), [[-12, -12], [-5, 0], [15, 35]])),
            ("q", Optional("n", Leb128(True), [[2, 4]])),
            ("in", Struct(("up", Optional("has", String())), ("last", U8))))),
        130: ("blobs", None, Struct(("n", SMALL), ("b", Blob(5)), ("none", Blob(0)),
                                    ("d", DynamicBlob(U8, "n")), ("last", U8))),
        131: ("variants", None, Struct(("tag", tag), ("v", Variant(
            "tag", ("a", Leb128()), ("b", Struct(("n", SMALL), ("s", Sequence(U8, "n")))),
            ("c", Boolean(3)))))),
        70000: ("context", Struct(("n", SMALL)), Struct(("far", DynamicBlob(
            U8, "event.context.n")), ("farther", DynamicBlob(U8, "stream.event.context.m")))),
    }


def is_there(value):
    """What the JSON has: an optional field that is absent is not in it."""
    if isinstance(value, dict):
        return {name: is_there(inner) for name, inner in value.items() if inner is not None}
    return value


def as_written(clock, big):
    name = "only_in_2_%s" % ("be" if big else "le")
    stream = Stream(only_in_2(), LebHead(clock), Struct(("m", SMALL)), clock, shapes.FULL)
    trace = Trace2([stream], [clock], big)
    writer = Writer(random.Random(7), events=3000)
    trace.write(path(name))
    trace.write_stream(path(name), "stream", stream, writer)
    drawn = [(event, cycles, is_there(context), is_there(fields))
             for event, cycles, context, fields in writer.drawn]
    shapes.compare_drawn(name, events(path(name)), clock, drawn)
    return path(name)


def texts(trace):
    """Booleans have words, in what is shown and in what is asked for."""
    shown = run(SONDE, "print", trace, "-e", "optional").stdout.splitlines()
    true = run(SONDE, "print", trace, "-e", "optional", "--where", 'has == "true"').stdout
    check(0 < true.count("has=true") < len(shown), "no boolean is shown as true")
    equal("booleans that are true", len(true.splitlines()), true.count("has=true"))
    equal("all of them", sum("has=true" in line or "has=false" in line for line in shown),
          len(shown))


def main():
    same_in_both()
    clock = Clock()
    texts(as_written(clock, False))
    as_written(clock, True)
    finish()


if __name__ == "__main__":
    main()
