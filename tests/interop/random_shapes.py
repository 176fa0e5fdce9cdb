#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Event classes drawn at random from all types of CTF 1.8.3, nested in all ways: babeltrace2 and sonde
read the same, and sonde reads what was written; so they do once it is written again. SONDE_SEED=N
gives others."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import finish, path  # noqa: E402
from ctf_trace import Clock, Lttng, Plain, Stream, Trace  # noqa: E402
from ctf_type import (Array, Enum, Float, Int, Sequence, String, Struct,  # noqa: E402
                      Variant)
from rewritten import compare_rewritten  # noqa: E402
from shapes import FULL, compare_one  # noqa: E402

TRACES = 30


def draw_int(rng):
    if rng.random() < 0.5:
        size = rng.choice([8, 16, 32, 64])
        return Int(size, rng.choice([8, 8, size]), rng.random() < 0.5, rng.choice([2, 8, 10, 16]),
                   rng.choice([None, "le", "be"]))
    return Int(rng.randint(1, 64), rng.choice([None, None, 1, 4, 32]), rng.random() < 0.5)


def draw_enum(rng):
    of = Int(rng.choice([3, 5, 8, 16]), None, rng.random() < 0.3)
    low = -(1 << of.size - 1) if of.signed else 0
    cuts = sorted(rng.sample(range(low, low + (1 << of.size)), 6))
    return Enum(of, [(name, cuts[2 * i], cuts[2 * i + 1]) for i, name in enumerate("xyz")])


def draw_element(rng, depth, seen):
    """What lists and variants are of."""
    kinds = [draw_int, draw_enum, lambda unused: String(),
             lambda unused: Float(rng.choice([32, 64]))]
    if depth:
        kinds += [lambda unused: draw_struct(rng, depth - 1, seen)] * 3
        kinds += [lambda unused: Array(draw_element(rng, depth - 1, seen), rng.randrange(4))]
        kinds += [lambda unused: Sequence(draw_element(rng, depth - 1, seen),
                                          rng.choice(seen["lengths"]))] * bool(seen["lengths"])
        kinds += [lambda unused: draw_variant(rng, depth - 1, seen)] * bool(seen["tags"])
    return rng.choice(kinds)(rng)


def draw_variant(rng, depth, seen):
    tag = rng.choice(seen["tags"])
    return Variant(tag, *((name, draw_element(rng, depth, seen)) for name in "xyz"))


def draw_struct(rng, depth, seen):
    """@seen: names of lengths and tags that stand before it, in structures around it too."""
    seen = {kind: list(names) for kind, names in seen.items()}
    members = []
    for unused in range(rng.randrange(1, 6)):
        name = "m%d" % draw_struct.count
        draw_struct.count += 1
        kind = rng.randrange(6)
        if kind == 0:
            members.append((name, Int(rng.choice([3, 8, 16]), most=3)))
            seen["lengths"].append(name)
        elif kind == 1:
            members.append((name, draw_enum(rng)))
            seen["tags"].append(name)
        else:
            members.append((name, draw_element(rng, depth, seen)))
    return Struct(*members, align=rng.choice([1, 1, 1, 8, 64]))


draw_struct.count = 0


def draw_trace(rng):
    clock = Clock()
    nothing = {"lengths": [], "tags": []}
    header = rng.choice([Plain(clock), Plain(clock, 7, 64, 1), Lttng(clock, 5, 27),
                         Lttng(clock, 16, 32, 32)])
    context = draw_struct(rng, 1, nothing) if rng.random() < 0.5 else None
    events = {i: ("e%d" % i, Struct(("own", draw_int(rng))) if rng.random() < 0.3 else None,
                  draw_struct(rng, 3, nothing)) for i in range(6)}
    return Trace([Stream(events, header, context, clock, FULL)], [clock],
                 big=rng.random() < 0.5)


def main():
    seed = int(os.environ.get("SONDE_SEED", "1"))
    for i in range(TRACES):
        rng = random.Random(seed * 1000 + i)
        name = "random%d" % (seed * 1000 + i)
        compare_one(name, draw_trace(rng), seed, events=100, packet=25)
        compare_rewritten(name, path(name))
    finish()


if __name__ == "__main__":
    main()
