# SPDX-License-Identifier: BSD-2-Clause
"""babeltrace2 and sonde side by side: the events of one trace, compared one by one."""
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, events, run, skip  # noqa: E402

try:
    import bt2
except ImportError:
    skip("python3-bt2 is not installed")


def plain(value):
    """A field of babeltrace2 as the JSON of sonde gives it."""
    if isinstance(value, bt2._StringFieldConst):
        return str(value)
    if isinstance(value, bt2._ArrayFieldConst):
        return [plain(one) for one in value]
    return float(value) if isinstance(value, bt2._RealFieldConst) else int(value)


def flat(structure, prefix=""):
    """Its fields by name; those of structures inside it have dotted ones."""
    out = {}
    for name in structure:
        value = structure[name]
        if isinstance(value, bt2._StructureFieldConst):
            out.update(flat(value, prefix + name + "."))
        else:
            out[prefix + name] = plain(value)
    return out


def text_of(octets):
    return bytes(octets).split(b"\0")[0].decode("utf-8", "replace")


def address_of(octets):
    octets = bytes(octets)
    if octets[:12] == bytes(10) + b"\xff\xff":
        return socket.inet_ntop(socket.AF_INET, octets[12:])
    return socket.inet_ntop(socket.AF_INET6, octets)


def same_value(ours, theirs):
    if isinstance(ours, str) and isinstance(theirs, list):
        return ours in (text_of(theirs), address_of(theirs) if len(theirs) == 16 else None)
    return ours == theirs


def copy_of(message):
    """What of an event of babeltrace2 outlives the iteration, in the shape of sonde's JSON."""
    event = message.event
    context = event.packet.context_field
    return {"time": message.default_clock_snapshot.ns_from_origin, "event": event.name,
            "tid": int(event.common_context_field["tid"]),
            "cpu": int(context["cpu_id"]) if "cpu_id" in context else None,
            "fields": flat(event.payload_field)}


def compare(ours, theirs):
    """What differs between two events, or None."""
    for name in ("time", "event", "tid", "cpu"):
        if ours.get(name) != theirs[name]:
            return "%s: got %s, want %s" % (name, ours.get(name), theirs[name])
    if list(ours["fields"]) != list(theirs["fields"]):
        return "fields: got %s, want %s" % (list(ours["fields"]), list(theirs["fields"]))
    for name, value in theirs["fields"].items():
        if not same_value(ours["fields"][name], value):
            return "%s: got %r, want %r" % (name, ours["fields"][name], value)
    return None


def place(event):
    """Where two CPUs record in the same nanosecond, either order is right."""
    cpu = event.get("cpu")
    return (event["time"], -1 if cpu is None else cpu)


def compare_trace(trace):
    """Sonde's events of @trace, after each was compared with what babeltrace2 reads."""
    ours = events(trace)
    theirs = [copy_of(message) for message in bt2.TraceCollectionMessageIterator(trace)
              if type(message) is bt2._EventMessageConst]
    equal("events of sonde and babeltrace2", len(ours), len(theirs))
    times = [event["time"] for event in ours]
    check(times == sorted(times), "sonde's times are not in order")
    differing = 0
    for mine, other in zip(sorted(ours, key=place), sorted(theirs, key=place)):
        what = compare(mine, other)
        differing += what is not None
        if what and differing < 10:
            check(False, "%s at %d: %s" % (mine["event"], mine["time"], what))
    equal("events that differ", differing, 0)
    equal("what babeltrace2 says on stderr", run("babeltrace2", trace).stderr, "")
    return ours
