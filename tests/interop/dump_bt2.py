#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints every event of a trace as babeltrace2 reads it, one a line, for comparison with ours:
TIME CPU TID NAME FIELD=VALUE... (arrays as numbers between commas, structures dotted)."""
import sys

import bt2


def flatten(prefix, value, out):
    if isinstance(value, bt2._StructureFieldConst):
        for name in value:
            flatten(prefix + "." + name if prefix else name, value[name], out)
    elif isinstance(value, bt2._ArrayFieldConst):
        out.append((prefix, ",".join(str(int(v)) for v in value)))
    elif isinstance(value, bt2._StringFieldConst):
        out.append((prefix, str(value)))
    elif isinstance(value, bt2._RealFieldConst):
        out.append((prefix, "%g" % float(value)))
    else:
        out.append((prefix, str(int(value))))


def main():
    for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
        if type(message) is not bt2._EventMessageConst:
            continue
        event = message.event
        fields = []
        if event.payload_field is not None:
            flatten("", event.payload_field, fields)
        text = "".join(" %s=%s" % pair for pair in fields)
        print("%d %d %d %s%s" % (message.default_clock_snapshot.ns_from_origin,
                                 int(event.packet.context_field["cpu_id"]),
                                 int(event.common_context_field["tid"]), event.name, text))


if __name__ == "__main__":
    main()
