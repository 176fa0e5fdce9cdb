# SPDX-License-Identifier: BSD-2-Clause
"""Types of CTF 1.8.3 that can say what they are (TSDL), draw a value and pack it into bits. Written
from the specification, and apart from what Sonde reads with."""
import struct


class Bits:
    """Bytes that grow bit by bit (4.1.5): from the lowest bit of a byte on, or from the highest."""

    def __init__(self):
        self.data = bytearray()
        self.at = 0

    def align(self, align):
        self.at += -self.at % align
        self.data += bytes(max(0, (self.at + 7) // 8 - len(self.data)))

    def put(self, value, size, big):
        self.data += bytes(max(0, (self.at + size + 7) // 8 - len(self.data)))
        for i in range(size):
            bit = value >> (size - 1 - i if big else i) & 1
            self.data[self.at // 8] |= bit << (7 - self.at % 8 if big else self.at % 8)
            self.at += 1


class Int:
    def __init__(self, size, align=None, signed=False, base=10, order=None, text=False, most=None,
                 least=0, clock=None):
        self.size, self.signed, self.base, self.order = size, signed, base, order
        self.align = align or (1 if size % 8 else 8)
        self.text, self.most, self.least, self.clock = text, most, least, clock

    def tsdl(self):
        return "integer { size = %d; align = %d; signed = %s; base = %d;%s%s%s }" % (
            self.size, self.align, str(self.signed).lower(), self.base,
            " byte_order = %s;" % self.order if self.order else "",
            " encoding = UTF8;" if self.text else "",
            " map = clock.%s.value;" % self.clock if self.clock else "")

    def draw(self, rng, unused):
        if self.text:
            return rng.choice(b"abcxyz \0"[:7 + (not self.least)])
        if self.most is not None:
            return rng.randint(self.least, self.most)
        value = rng.choice([rng.getrandbits(self.size), 0, (1 << self.size) - 1])
        return value - (value >> self.size - 1 << self.size) if self.signed else value

    def pack(self, bits, value, big):
        bits.align(self.align)
        bits.put(value & (1 << self.size) - 1, self.size,
                 self.order == "be" if self.order else big)


class Enum:
    def __init__(self, of, labels):
        """@labels: (name, first, last), of which values are drawn."""
        self.of, self.labels, self.align = of, labels, of.align

    def tsdl(self):
        return "enum : %s { %s }" % (self.of.tsdl(), ", ".join(
            '"%s" = %d ... %d' % label for label in self.labels))

    def draw(self, rng, unused):
        unused, first, last = rng.choice(self.labels)
        return rng.choice([first, last, rng.randint(first, last)])

    def label(self, value):
        return next(name for name, first, last in self.labels if first <= value <= last)

    def pack(self, bits, value, big):
        self.of.pack(bits, value, big)


class Float:
    def __init__(self, size, align=8, order=None):
        self.size, self.align, self.order = size, align, order

    def tsdl(self):
        exponent, mantissa = (8, 24) if self.size == 32 else (11, 53)
        return "floating_point { exp_dig = %d; mant_dig = %d; align = %d;%s }" % (
            exponent, mantissa, self.align,
            " byte_order = %s;" % self.order if self.order else "")

    def draw(self, rng, unused):
        return rng.choice([0.0, -1.5, rng.uniform(-1e9, 1e9), 1e-30])

    def pack(self, bits, value, big):
        raw = int.from_bytes(struct.pack(">f" if self.size == 32 else ">d", value), "big")
        bits.align(self.align)
        bits.put(raw, self.size, self.order == "be" if self.order else big)


class String:
    align = 8

    def __init__(self, least=1):
        self.least = least

    def tsdl(self):
        return "string"

    def draw(self, rng, unused):
        return "".join(rng.choice("abc \"\\\n\t,{}ü€") for unused in range(rng.randint(self.least, 8)))

    def pack(self, bits, value, unused):
        bits.align(8)
        for byte in value.encode() + b"\0":
            bits.put(byte, 8, False)


class Struct:
    def __init__(self, *members, align=1):
        """@members: (name, type). A name may have the underscore that readers take away."""
        self.members, self.least = members, align
        self.align = max([align] + [type.align for unused, type in members])

    def tsdl(self):
        return "struct { %s }%s" % (
            " ".join("%s;" % declare(name, type) for name, type in self.members),
            " align(%d)" % self.least if self.least > 1 else "")

    def draw(self, rng, scopes):
        here = {}
        for name, type in self.members:
            here[name] = type.draw(rng, scopes + [(self, here)])
        return here

    def pack(self, bits, value, big):
        bits.align(self.align)
        for name, type in self.members:
            type.pack(bits, value[name], big)


class Array:
    def __init__(self, of, count):
        self.of, self.count, self.align = of, count, of.align

    def draw(self, rng, scopes):
        return [self.of.draw(rng, scopes) for unused in range(self.count)]

    def pack(self, bits, value, big):
        bits.align(self.align)
        for one in value:
            self.of.pack(bits, one, big)


class Sequence(Array):
    def __init__(self, of, path):
        super().__init__(of, 0)
        self.path = path

    def draw(self, rng, scopes):
        count = find(scopes, self.path)[1]
        return [self.of.draw(rng, scopes) for unused in range(count)]


class Variant:
    align = 1

    def __init__(self, path, *options):
        self.path, self.options = path, options

    def tsdl(self):
        return "variant <%s> { %s }" % (
            self.path, " ".join("%s;" % declare(name, type) for name, type in self.options))

    def draw(self, rng, scopes):
        enum, value = find(scopes, self.path)
        label = enum.label(value)
        return label, dict(self.options)[label].draw(rng, scopes)

    def pack(self, bits, value, big):
        dict(self.options)[value[0]].pack(bits, value[1], big)


ROOTS = ["stream.event.context.", "event.context.", "event.fields."]


def find(scopes, path):
    """(type, value) of what @path means (7.3.2); the outermost of @scopes are those of ROOTS."""
    for root, scope in zip(ROOTS, scopes):
        if path.startswith(root):
            scopes, path = [scope], path[len(root):]
    for type, values in reversed(scopes):
        names = path.split(".")
        while names and isinstance(values, dict) and names[0] in values:
            name = names.pop(0)
            type, values = dict(type.members)[name], values[name]
        if not names:
            return type, values
    raise KeyError(path)


def leaves(type, value, name=""):
    """(name, value) of what is inside, as Sonde's JSON has it."""
    if isinstance(type, Variant):
        type, value = Struct(*type.options), {value[0]: value[1]}
    if not isinstance(type, Struct):
        yield name, shown(type, value)
        return
    for inner, of in type.members:
        if inner in value:
            plain = inner[1:] if inner[0] == "_" else inner
            yield from leaves(of, value[inner], name + "." + plain if name else plain)


def shown(type, value):
    if not isinstance(type, Array):
        return value
    if isinstance(type.of, (Struct, Variant)):
        return [dict(leaves(type.of, one)) for one in value]
    if isinstance(type.of, Int) and type.of.text:
        return bytes(value).split(b"\0")[0].decode()
    return [shown(type.of, one) for one in value]


def declare(name, type):
    """A declaration: brackets come behind the name, the outermost array's first."""
    brackets = ""
    while isinstance(type, Array):
        brackets += "[%s]" % (type.path if isinstance(type, Sequence) else type.count)
        type = type.of
    return "%s %s%s" % (type.tsdl(), name, brackets)
