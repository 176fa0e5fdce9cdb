# SPDX-License-Identifier: BSD-2-Clause
"""Metadata of CTF 2 (CTF2-SPEC-2.0) for the traces of ctf_trace.py, and types that CTF 1.8 has not.
Written from the specification, and apart from what Sonde reads and writes with."""
import json

from ctf_trace import Trace
from ctf_type import Array, Enum, Float, Int, Sequence, String, Struct, Variant, find

ORIGINS = {"trace.packet.header.": "packet-header", "stream.packet.context.": "packet-context",
           "stream.event.header.": "event-record-header",
           "stream.event.context.": "event-record-common-context",
           "event.context.": "event-record-specific-context",
           "event.fields.": "event-record-payload"}
ROLES = {("packet-header", "magic"): "packet-magic-number",
         ("packet-header", "uuid"): "metadata-stream-uuid",
         ("packet-header", "stream_id"): "data-stream-class-id",
         ("packet-context", "timestamp_begin"): "default-clock-timestamp",
         ("packet-context", "timestamp_end"): "packet-end-default-clock-timestamp",
         ("packet-context", "content_size"): "packet-content-length",
         ("packet-context", "packet_size"): "packet-total-length",
         ("packet-context", "events_discarded"): "discarded-event-record-counter-snapshot",
         ("packet-context", "packet_seq_num"): "packet-sequence-number",
         ("event-record-header", "id"): "event-record-class-id",
         ("event-record-header", "timestamp"): "default-clock-timestamp"}


class Leb128:
    """An integer of variable length (5.3.10)."""
    align = 8

    def __init__(self, signed=False, labels=(), most=None, clock=None):
        self.signed, self.labels, self.most, self.clock = signed, labels, most, clock

    def draw(self, rng, unused):
        if self.most is not None:
            return rng.randint(0, self.most)
        value = rng.getrandbits(rng.choice([1, 7, 8, 14, 33, 63, 64]))
        if not self.signed:
            return value
        value &= (1 << 63) - 1
        return -value - 1 if rng.randrange(2) else value

    def pack(self, bits, value, unused):
        bits.align(8)
        while True:
            low, value = value & 127, value >> 7
            last = value == (-(low >> 6 & 1) if self.signed else 0)
            bits.put(low | (not last) << 7, 8, False)
            if last:
                break

    def properties(self, unused):
        return {"type": "variable-length-%s-integer" % sign(self.signed)} | mappings(self.labels)


class Boolean(Int):
    """No bit is set, or any (5.3.6)."""

    def properties(self, place):
        return {"type": "fixed-length-boolean"} | bit_array(self, place)


class Optional:
    """@of, where the field at @path is one of @ranges, or true (5.3.22). None = it is not there."""
    align = 1

    def __init__(self, path, of, ranges=None):
        self.path, self.of, self.ranges = path, of, ranges

    def draw(self, rng, scopes):
        selector = find(scopes, self.path)[1]
        there = (any(first <= selector <= last for first, last in self.ranges) if self.ranges else
                 selector != 0)
        return self.of.draw(rng, scopes) if there else None

    def pack(self, bits, value, big):
        if value is not None:
            self.of.pack(bits, value, big)

    def properties(self, place):
        return {"type": "optional", "field-class": place.field_class(self.of),
                "selector-field-location": place.location(self.path)[0]} | (
                    {"selector-field-ranges": self.ranges} if self.ranges else {})


class Blob(Array):
    """Bytes of a media type (5.3.16)."""

    def __init__(self, count, media="image/png"):
        super().__init__(Int(8), count)
        self.media = media

    def properties(self, unused):
        return {"type": "static-length-blob", "length": self.count, "media-type": self.media}


class DynamicBlob(Sequence):
    def properties(self, place):
        return {"type": "dynamic-length-blob",
                "length-field-location": place.location(self.path)[0]}


def sign(signed):
    return "signed" if signed else "unsigned"


def plain(name):
    return name[1:] if name[0] == "_" else name


def mappings(labels):
    found = {}
    for name, first, last in labels:
        found.setdefault(name, []).append([first, last])
    return {"mappings": found} if found else {}


def bit_array(type, place):
    big = type.order == "be" if type.order else place.big
    return {"length": type.size, "alignment": type.align,
            "byte-order": "big-endian" if big else "little-endian"}


def member_of(members, names):
    """The type that is called so, or None."""
    for name in names:
        if not isinstance(members, dict) or name not in members:
            return None
        type = members[name]
        members = {plain(inner): of for inner, of in type.members} if isinstance(
            type, Struct) else None
    return type


class Place:
    """Where field classes are being written: what stands before, outermost structures and those
    around."""

    def __init__(self, big, clock=False):
        self.big, self.clock, self.roots, self.frames, self.origin = big, clock, {}, [], None

    def root(self, origin, type):
        self.origin, self.frames = origin, []
        made = self.field_class(type)
        self.roots[origin] = {plain(name): of for name, of in type.members}
        return made

    def location(self, path):
        """(the field location, the type of the field) of what a path of TSDL means."""
        for prefix, origin in ORIGINS.items():
            if path.startswith(prefix):
                names = [plain(name) for name in path[len(prefix):].split(".")]
                here = self.frames[0] if origin == self.origin else self.roots[origin]
                return {"origin": origin, "path": names}, member_of(here, names)
        names = [plain(name) for name in path.split(".")]
        for up, frame in enumerate(reversed(self.frames)):
            if member_of(frame, names):
                return {"path": [None] * up + names}, member_of(frame, names)
        for origin, members in reversed(self.roots.items()):
            if member_of(members, names):
                return {"origin": origin, "path": names}, member_of(members, names)
        raise KeyError(path)

    def field_class(self, type, name=""):
        role = ROLES.get((self.origin, name))
        made = self.properties(type)
        if role and (self.clock or "timestamp" not in role):
            made["roles"] = [role]
        return made

    def properties(self, type):
        if hasattr(type, "properties"):
            return type.properties(self)
        return getattr(self, "of_" + type.__class__.__name__)(type)

    def of_Int(self, type, labels=()):
        base = {} if type.base == 10 else {"preferred-display-base": type.base}
        return {"type": "fixed-length-%s-integer" % sign(type.signed)} | bit_array(
            type, self) | base | mappings(labels)

    def of_Enum(self, type):
        return self.of_Int(type.of, type.labels)

    def of_Float(self, type):
        return {"type": "fixed-length-floating-point-number"} | bit_array(type, self)

    def of_String(self, unused):
        return {"type": "null-terminated-string"}

    def of_Struct(self, type):
        frame, members = {}, []
        self.frames.append(frame)
        for name, of in type.members:
            members.append({"name": plain(name), "field-class": self.field_class(of, plain(name))})
            frame[plain(name)] = of
        self.frames.pop()
        return {"type": "structure", "member-classes": members, "minimum-alignment": type.least}

    def elements(self, type):
        if isinstance(type.of, Int) and type.of.text:
            return "string", {}
        return "array", {"element-field-class": self.field_class(type.of)}

    def of_Array(self, type):
        kind, elements = self.elements(type)
        return {"type": "static-length-" + kind, "length": type.count} | elements

    def of_Sequence(self, type):
        kind, elements = self.elements(type)
        return {"type": "dynamic-length-" + kind,
                "length-field-location": self.location(type.path)[0]} | elements

    def of_Variant(self, type):
        location, selector = self.location(type.path)
        return {"type": "variant", "selector-field-location": location, "options": [
            {"name": plain(name), "field-class": self.field_class(of),
             "selector-field-ranges": [[first, last] for label, first, last in selector.labels
                                       if label == name]}
            for name, of in type.options]}


class Trace2(Trace):
    """The same packets, described in CTF 2."""
    version = 2, 0

    def fragments(self):
        yield {"type": "preamble", "version": 2, "uuid": list(self.uuid.bytes)}
        header = Struct(*((name, Blob(16) if name == "uuid" else Int(32)) for name in self.header))
        place = Place(self.big)
        yield {"type": "trace-class", "environment": {"domain": "here", "count": -5},
               "packet-header-field-class": place.root("packet-header", header)}
        for clock in self.clocks:
            yield {"type": "clock-class", "id": clock.name, "name": clock.name,
                   "frequency": clock.freq, "origin": "unix-epoch",
                   "offset-from-origin": {"seconds": clock.offset_s, "cycles": clock.offset}}
        for stream in self.streams:
            yield from self.stream_fragments(stream)

    def stream_fragments(self, stream):
        place = Place(self.big, bool(stream.clock))
        made = {"type": "data-stream-class", "id": stream.number}
        if stream.clock:
            made["default-clock-class-id"] = stream.clock.name
        for name, type in (("packet-context", stream.packet_context and stream.packet_type()),
                           ("event-record-header", stream.header and stream.header.type),
                           ("event-record-common-context", stream.context)):
            if type:
                made[name + "-field-class"] = place.root(name, type)
        yield made
        for number, (name, context, payload) in stream.events.items():
            inner = Place(self.big)
            inner.roots.update(place.roots)
            made = {"type": "event-record-class", "data-stream-class-id": stream.number,
                    "id": number, "name": name}
            if context:
                made["specific-context-field-class"] = inner.root("event-record-specific-context",
                                                                  context)
            if payload:
                made["payload-field-class"] = inner.root("event-record-payload", payload)
            yield made

    def metadata(self):
        return "".join("\x1e%s\n" % json.dumps(one) for one in self.fragments())
