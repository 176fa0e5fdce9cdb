#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces of CTF 2. Whatever shape CTF 1.8.3 allows is described in both, over the same packets: sonde
says the same of each, to the byte, and what it says of the first is compared with babeltrace2
elsewhere (shapes.py). What only CTF 2 has is compared with what was written."""
import json
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
    for name, trace, more in shapes.every_shape():
        more.pop("witness", None)
        in_both(name, trace, **more)


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


UINT = {"type": "fixed-length-unsigned-integer", "byte-order": "little-endian"}
STRINGS = {"type": "dynamic-length-array", "element-field-class": {"type": "null-terminated-string"}}


def number(bits, **more):
    return UINT | {"length": bits} | more


def structure(*members):
    return {"type": "structure",
            "member-classes": [{"name": name, "field-class": of} for name, of in members]}


def variant(location, *options):
    return {"type": "variant", "selector-field-location": location, "options": [
        {"selector-field-ranges": ranges, "field-class": of} for ranges, of in options]}


def specification(name, event, payloads, want):
    """Events of one class, described as the specification has it; @payloads: contexts and payloads."""
    os.makedirs(path(name))
    fragments = [{"type": "preamble", "version": 2},
                 {"type": "data-stream-class", "event-record-common-context-field-class":
                  structure(("sel", number(8)))}, {"type": "event-record-class", "name": "e"} | event]
    with open(path(name + "/metadata"), "w", encoding="utf-8") as out:
        out.write("".join("\x1e%s\n" % json.dumps(one) for one in fragments))
    with open(path(name + "/stream"), "wb") as out:
        out.write(b"".join(payloads))
    equal(name, [event["fields"] for event in events(path(name))], want)


def located_in_variants():
    """6.4.2: a length that is a variant (example 90), and one that is in each option of one (91)."""
    glass = variant({"origin": "event-record-specific-context", "path": ["sel"]},
                    ([[0, 0]], number(8)), ([[1, 1]], number(16)), ([[2, 2]], number(32)))
    margin = STRINGS | {"length-field-location": {"origin": "event-record-payload",
                                                  "path": ["glass"]}}
    specification("example_90", {
        "specific-context-field-class": structure(("sel", number(8))),
        "payload-field-class": structure(("glass", glass), ("margin", margin))},
        [b"\x09\x00\x02a\0bc\0", b"\x09\x02\x01\0\0\0d\0", b"\x09\x01\0\0",
         b"\x09\x00\x01e\0"],
        [{"glass.0": 2, "margin": ["a", "bc"]}, {"glass.2": 1, "margin": ["d"]},
         {"glass.1": 0, "margin": []}, {"glass.0": 1, "margin": ["e"]}])
    eagle = {"type": "variable-length-unsigned-integer"}
    lock = {"type": "dynamic-length-blob", "length-field-location": {"path": ["eagle"]}}
    glass = variant(
        {"origin": "event-record-common-context", "path": ["sel"]},
        ([[0, 0]], structure(("eagle", number(16)), ("road", {"type": "null-terminated-string"}))),
        ([[32, 172]], structure(("nuance", {"type": "null-terminated-string"}),
                                ("eagle", number(24, **{"byte-order": "big-endian"})))),
        ([[5, 5]], structure(("eagle", eagle), ("lock", lock))))
    margin = STRINGS | {"length-field-location": {"origin": "event-record-payload",
                                                  "path": ["glass", "eagle"]}}
    specification("example_91", {
        "payload-field-class": structure(("glass", glass), ("margin", margin))},
        [b"\x00\x01\x00r\0m\0", b"\x20n\0\0\0\x02o\0p\0", b"\x05\x01\xffq\0"],
        [{"glass.0.eagle": 1, "glass.0.road": "r", "margin": ["m"]},
         {"glass.1.nuance": "n", "glass.1.eagle": 2, "margin": ["o", "p"]},
         {"glass.2.eagle": 1, "glass.2.lock": [255], "margin": ["q"]}])


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
    located_in_variants()
    finish()


if __name__ == "__main__":
    main()
