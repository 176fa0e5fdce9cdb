# SPDX-License-Identifier: BSD-2-Clause
"""babeltrace2 and sonde side by side: the events of one trace, compared one by one."""
import math
import os
import re
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, events, missing, run  # noqa: E402

try:
    import bt2
except ImportError:
    missing("python3-bt2 is not installed")


DERIVED = ("dur", "wait", "queue", "service", "total", "file")


def is_compound(value):
    return isinstance(value, (bt2._StructureFieldConst, bt2._VariantFieldConst))


def plain(value, hidden=frozenset()):
    """A field of babeltrace2 as the JSON of sonde gives it."""
    if isinstance(value, bt2._StringFieldConst):
        return str(value)
    if isinstance(value, bt2._ArrayFieldConst):
        return [flat(one, hidden) if is_compound(one) else plain(one, hidden) for one in value]
    return float(value) if isinstance(value, bt2._RealFieldConst) else int(value)


def leaves(value, name="", hidden=frozenset()):
    """(name, field) of what is inside; members of structures have dotted names, and so has what a
    variant has chosen."""
    if isinstance(value, bt2._VariantFieldConst):
        option = value.cls.option_at_index(value.selected_option_index).name
        yield from leaves(value.selected_option, name + "." + option if name else option, hidden)
    elif isinstance(value, bt2._StructureFieldConst):
        for inner in value:
            if inner not in hidden:
                yield from leaves(value[inner], name + "." + inner if name else inner, hidden)
    else:
        yield name, value


def flat(value, hidden=frozenset()):
    return {name: plain(leaf, hidden) for name, leaf in leaves(value, "", hidden)} \
        if value is not None else {}


known_labels = {}  # of one reading: by event class and name of the field, for to ask takes long


def mappings(field, key):
    """What an enumeration has: (label, ranges)."""
    if key not in known_labels:
        known_labels[key] = [(label, [(one.lower, one.upper) for one in mapping.ranges])
                             for label, mapping in field.cls.items()]
    return known_labels[key]


def label_set(field, key):
    """What a value is called, and what all labels begin with. The bindings' own way to ask for the labels of a value
    fails now and then."""
    value = int(field)
    return ({label for label, ranges in mappings(field, key) if any(low <= value <= high for low, high in ranges)},
            {label: min(low for low, unused in ranges) for label, ranges in mappings(field, key)})


def labels(value, hidden, key):
    """What enumerations at the top are called."""
    return {name: label_set(leaf, (key, name)) for name, leaf in leaves(value, "", hidden)
            if isinstance(leaf, bt2._EnumerationFieldConst)} if value is not None else {}


def text_of(octets):
    return bytes(octets).split(b"\0")[0].decode("utf-8", "replace")


def address_of(octets):
    octets = bytes(octets)
    if octets[:12] == bytes(10) + b"\xff\xff":
        return socket.inet_ntop(socket.AF_INET, octets[12:])
    return socket.inet_ntop(socket.AF_INET6, octets)


def same_sockaddr(text, octets):
    """Of an address of a socket, the family, and what is easily found in the text."""
    octets = bytes(octets)
    family = int.from_bytes(octets[:2], sys.byteorder)
    if len(octets) < 2 or family not in list(socket.AddressFamily):
        return text == "{}" if len(octets) < 2 else text.startswith("{sa_family=0x%x" % family)
    inside = {socket.AF_INET: (16, 4, 8), socket.AF_INET6: (24, 8, 24)}.get(family)
    if inside and len(octets) >= inside[0] and socket.inet_ntop(family, octets[inside[1]:inside[2]]) not in text:
        return False
    return text.startswith("{sa_family=") and text.endswith("}")


def same_value(ours, theirs):
    if isinstance(ours, str) and isinstance(theirs, list):
        return ours in (text_of(theirs), address_of(theirs) if len(theirs) == 16 else None) or \
            (ours.startswith("{") and same_sockaddr(ours, theirs))
    if isinstance(theirs, float) and not math.isfinite(theirs):
        return ours is None  # JSON has no word for it
    if isinstance(theirs, float) and isinstance(ours, (float, int)):
        # Of 32 bits, as many digits are written as tell it from its neighbours.
        return ours == theirs or struct.pack("f", ours) == struct.pack("f", theirs)
    if isinstance(ours, list) and isinstance(theirs, list) and theirs and all(isinstance(one, str) for one in ours):
        if all(isinstance(one, int) for one in theirs):  # several texts, each with a NUL behind it
            return ours == [text.decode("utf-8", "replace") for text in bytes(theirs).split(b"\0")[:-1]]
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same_value, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(same_value(ours[k], theirs[k]) for k in ours)
    return type(ours) is type(theirs) and ours == theirs


def contexts_of(event, hidden):
    """Both, under the names that sonde gives: the task is told apart, and so is what is called like
    a member of the payload."""
    payload = event.payload_field if event.payload_field is not None else {}
    fields, named, tid = {}, {}, None
    for context in (event.common_context_field, event.specific_context_field):
        for name in context if context is not None else ():
            value = context[name]
            if name in hidden:
                continue
            if name in ("tid", "vtid") and tid is None:
                tid = int(value)
                if name == "tid":
                    continue
            name = "context." + name if name in payload else name
            fields.update((inner, plain(leaf, hidden))
                          for inner, leaf in leaves(value, name, hidden))
            if isinstance(value, bt2._EnumerationFieldConst):
                named[name] = label_set(value, (event.cls.addr, name))
    return fields, named, tid


def copy_of(message, hidden):
    """What of an event of babeltrace2 outlives the iteration, in the shape of sonde's JSON."""
    event = message.event
    packet = event.packet.context_field if event.stream.cls.supports_packets else None
    fields, named, tid = contexts_of(event, hidden)
    clock = event.stream.cls.default_clock_class
    return {"time": message.default_clock_snapshot.ns_from_origin if clock else None,
            "coarse": bool(clock) and clock.frequency != 1000000000,
            "event": event.name, "tid": tid,
            "cpu": int(packet["cpu_id"]) if packet is not None and "cpu_id" in packet else None,
            "fields": flat(event.payload_field, hidden), "context": fields,
            "labels": labels(event.payload_field, hidden, event.cls.addr) | named}


def same_bits(got, bits, value):
    """Whether the flags that @got names are those of @value: labels, and the rest as a number."""
    total = 0
    for word in got.split("|"):
        if word not in bits and not word.startswith("0x"):
            return False
        total |= bits[word] if word in bits else int(word, 16)
    return total == value


def is_stale(got, want, key, told):
    """babeltrace2 2.0 does not empty a string that it uses again: in the place of an empty text it has one of an earlier
    event. @told: those, by event and field."""
    if isinstance(got, str) and got:
        told.setdefault(key, set()).add(got)
    return got == "" and want in told.get(key, ())


def compare(ours, theirs, told):
    """What differs between two events, or None."""
    for name in ("event", "tid", "cpu"):
        if ours.get(name) != theirs[name]:
            return "%s: got %s, want %s" % (name, ours.get(name), theirs[name])
    # Where a cycle is no nanosecond, babeltrace2 divides in floating point.
    if theirs["time"] is not None and abs(ours["time"] - theirs["time"]) > theirs["coarse"]:
        return "time: got %d, want %d" % (ours["time"], theirs["time"])
    for part in ("fields", "context"):
        got, want = ours.get(part, {}), theirs[part]
        # Derived fields are not in the trace: babeltrace2 knows none.
        got = {name: value for name, value in got.items() if name in want or name not in DERIVED}
        if list(got) != list(want):
            return "%s: got %s, want %s" % (part, list(got), list(want))
        for name, value in want.items():
            stale = is_stale(got[name], value, (ours["event"], part, name), told)
            if not stale and not same_value(got[name], value):
                return "%s: got %r, want %r" % (name, got[name], value)
    for name, (any_of, bits) in theirs["labels"].items():
        got = ours.get("names", {}).get(name)
        if got and "|" in got and same_bits(got, bits, theirs["fields"].get(name)):
            continue
        # What arguments of a call mean follows from the call and its command: more than the trace's types say. What
        # names they have is compared with text's, and text's with strace's (tests/kern/strace_lines.py).
        if ours["event"].startswith("sys.") and ours["event"] != "sys.exit":
            continue
        if (got not in any_of) if any_of else (got is not None):
            return "label of %s: got %s, want one of %s" % (name, got, any_of)
    return None


def place(event):
    """Where two CPUs record in the same nanosecond, either order is right."""
    cpu = event.get("cpu")
    return (event["time"], -1 if cpu is None else cpu)


def hidden_in(trace):
    """Names of members that sonde convert has added for other readers (sonde-trace(5)). It does not make a folder of
    several traces."""
    if not os.path.exists(os.path.join(trace, "metadata")):
        return frozenset()
    with open(os.path.join(trace, "metadata"), "rb") as metadata:
        return frozenset(name.decode() for name in
                         re.findall(rb"(\w+); /\*\* \[[^];]*; \w+; hidden\] \*/", metadata.read()))


def read(trace):
    """What babeltrace2 reads: events, how many events and packets are missing, and how many events more at least, or
    None where its numbers are exact. Of what was lost up to the end of a stream's first packet it says that it was,
    and not how much. A thread that was held up while it closed a packet has in that one what was lost meanwhile, and
    the next may have been closed before it, with less: babeltrace2 takes the one from the other all the same."""
    theirs, lost, more, hidden = [], {"count": 0, "packets": 0}, None, hidden_in(trace)
    known_labels.clear()
    for message in bt2.TraceCollectionMessageIterator(trace):
        if type(message) is bt2._EventMessageConst:
            theirs.append(copy_of(message, hidden))
        elif type(message) is bt2._DiscardedEventsMessageConst:
            if message.count is None:
                more = (more or 0) + 1
            elif message.count >> 63:
                more = more or 0
            lost["count"] += message.count or 0
        elif type(message) is bt2._DiscardedPacketsMessageConst:
            lost["packets"] += message.count
    return theirs, lost, more


def compare_lost(ours, lost, more):
    for name, count in lost.items():
        got = sum(event["fields"][name] for event in ours if event["event"] == "sonde.lost")
        want = count % (1 << 64)
        if more is not None and name == "count":
            check(got >= want + more, "lost: got %d, want %d or more" % (got, want + more))
        else:
            equal("lost " + name, got, want)


def compare_trace(trace, quiet=True):
    """Sonde's events of @trace, after each was compared with what babeltrace2 reads."""
    theirs, lost, more = read(trace)
    ours = events(trace, good=3 if more is not None or any(lost.values()) else 0)
    compare_lost(ours, lost, more)
    ours = [event for event in ours if event["event"] != "sonde.lost"]
    equal("events of sonde and babeltrace2", len(ours), len(theirs))
    times = [event["time"] for event in ours]
    check(times == sorted(times), "sonde's times are not in order")
    if theirs and theirs[0]["time"] is not None:
        ours, theirs = sorted(ours, key=place), sorted(theirs, key=place)
    differing, told = 0, {}
    for mine, other in zip(ours, theirs):
        what = compare(mine, other, told)
        differing += what is not None
        if what and differing < 10:
            check(False, "%s: %s at %d: %s" % (trace, mine["event"], mine["time"], what))
    equal("events that differ", differing, 0)
    if quiet:
        said = run("babeltrace2", trace).stderr.splitlines()
        # How many events are missing is compared above.
        equal("what babeltrace2 says on stderr", [line for line in said if "Tracer discarded" not in line], [])
    return ours
