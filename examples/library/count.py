#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""count.py: what count.c does, in Python.

usage: count.py SOURCE [FIELD [EXPRESSION]]
"""
import sys
import warnings

import sonde


class Tally:
    """What is counted of one class."""

    def __init__(self):
        self.events = 0
        self.values = []

    def line(self, event_class, field):
        text = "%10d  %s" % (self.events, event_class.name)
        if self.values:
            unit = event_class.fields[field].unit
            text += "  %s %g .. %g .. %g%s" % (
                field, min(self.values), sum(self.values) / len(self.values), max(self.values),
                " " + unit if unit else "")
        return text


def count(trace, field):
    """Prints what there is in it; an exit status as sonde has them."""
    tallies = {event_class: Tally() for event_class in trace.classes}
    for event in trace:
        if event.is_lost:
            continue
        tally = tallies[event.event_class]
        tally.events += 1
        if field in event:
            tally.values.append(event[field])
    print("%d events, %d lost" % (sum(tally.events for tally in tallies.values()), trace.lost))
    for event_class, tally in tallies.items():
        if tally.events:
            print(tally.line(event_class, field))
    for problem in trace.problems:
        print("count.py: " + problem, file=sys.stderr)
    if trace.problems:
        return 1
    return 3 if trace.lost or trace.lost_packets else 0


def main():
    if not 2 <= len(sys.argv) <= 4:
        print("usage: count.py SOURCE [FIELD [EXPRESSION]]", file=sys.stderr)
        return 2
    name, field, where = (sys.argv[1:] + [None, None])[:3]
    warnings.simplefilter("ignore", sonde.DamageWarning)  # it is told of at the end
    try:
        with sonde.open(name, where=where) as trace:
            return count(trace, field)
    except sonde.Error as error:
        print("count.py: %s" % error, file=sys.stderr)
        return 1


sys.exit(main())
