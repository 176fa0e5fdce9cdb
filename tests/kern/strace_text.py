# SPDX-License-Identifier: BSD-2-Clause
"""Lines of strace, and of `sonde print` beside them: into arguments, and whether two of these are the same.

What may differ:
- strace marks numbers without a name (/* F_??? */): comments are left out;
- a number is equal to itself in another base, and with the sign or without it in its own width;
- strace does not know some names (LATER), and has two for some requests of ioctl;
- it calls network interfaces by name;
- it shows paths whole, and of what has no elements nothing, where sonde has the address.
"""
import re
import subprocess
import sys

from harness import SONDE, equal, events, path, record, stats

# What strace does not know (version 6.1), and the number.
LATER = {b"F_SEAL_EXEC": 0x20, b"F_GET_RW_HINT": 1035, b"F_SET_RW_HINT": 1036, b"F_GET_FILE_RW_HINT": 1037,
         b"F_SET_FILE_RW_HINT": 1038, b"MOUNT_ATTR_IDMAP": 0x100000, b"MOUNT_ATTR_NOSYMFOLLOW": 0x200000,
         b"MSG_SENDPAGE_DECRYPTED": 0x100000}
LINE = re.compile(rb"^(?:\d+ +)?(\w+)\((.*)\) += (.*)$", re.DOTALL)
FILE = re.compile(rb"([ (]\d+)<[/a-z][^>]*>")  # what a descriptor is, as strace -y has it
COMMENT = re.compile(rb" ?/\*.*?\*/")
NUMBER = re.compile(rb"^-?(?:0x[0-9a-f]+|[0-9]+)$")
TEXT = re.compile(rb'^"((?:[^"\\]|\\.)*)"(\.\.\.)?$', re.DOTALL)


def split(text):
    """The arguments; those in brackets and texts are whole."""
    args, begin, depth, quoted, at = [], 0, 0, False, 0
    while at < len(text):
        char = text[at:at + 1]
        if quoted:
            at += char == b"\\"
            quoted = char != b'"'
        elif char == b'"':
            quoted = True
        elif char in b"([{":
            depth += 1
        elif char in b")]}":
            depth -= 1
        elif char == b"," and not depth:
            args.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    return args + [text[begin:].strip()] if text.strip() else []


def number(text):
    digits = text.lstrip(b"-")
    base = 16 if digits[:2] == b"0x" else 8 if digits[:1] == b"0" and len(digits) > 1 else 10
    return int(text, base) if base != 8 else int(text, 8)


def same_number(one, other):
    return any(one == as_is or one & mask == other & mask and -(mask >> 1) - 1 <= min(one, other) and
               max(one, other) <= mask for as_is in (other,) for mask in (0xffffffff, (1 << 64) - 1))


def text_of(shown):
    """The bytes of a text, and whether it goes on."""
    match = TEXT.match(shown)
    return match and (re.sub(rb"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)", unescape, match[1], flags=re.DOTALL), bool(match[2]))


def unescape(match):
    code = match[1]
    if code[:1] == b"x" and len(code) > 1:
        return bytes([int(code[1:], 16)])
    return bytes([int(code, 8)]) if code.isdigit() else {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v",
                                                         b"f": b"\f"}.get(code, code)


def same_text(ours, theirs):
    """A path is whole in strace's line, however long."""
    (text, cut), (their_text, unused) = ours, theirs
    return their_text[:len(text)] == text if cut else text in (their_text, their_text.rstrip(b"\0"))


def known_then(shown):
    """Without the names that strace does not know."""
    words = shown.split(b"|")
    later = sum(LATER[word] for word in words if word in LATER)
    if not later:
        return shown
    rest = [word for word in words if word not in LATER]
    if rest and NUMBER.match(rest[-1]):
        later += number(rest.pop())
    return b"|".join(rest + [b"%#x" % later])


def same_members(ours, theirs):
    """Of a structure: name=value. strace calls a network interface by its name, which is that of today."""
    if len(ours) != len(theirs):
        return False
    for one, other in zip(ours, theirs):
        (name, unused, value), (their_name, unused, their_value) = one.partition(b"="), other.partition(b"=")
        if name != their_name:
            return False
        if value[:1] == their_value[:1] == b"@":  # an abstract path
            value, their_value = value[1:], their_value[1:]
        if their_value[:1] == value[:1] == b"[":
            if not all(map(same, split(value[1:-1]), split(their_value[1:-1]))):
                return False
        elif value and not their_value.startswith(b"if_nametoindex(") and not same(value, their_value):
            return False
    return True


def same(ours, theirs):
    ours = known_then(ours)
    if ours == theirs or ours in theirs.split(b" or ") or {ours, theirs} == {b"NULL", b"0"}:
        return True
    if NUMBER.match(ours) and NUMBER.match(theirs):
        return same_number(number(ours), number(theirs))
    if theirs in (b'""', b"[]") and re.match(rb"0x[0-9a-f]+$", ours):
        return True  # nothing is there to be read: of no elements, say
    texts = text_of(ours), text_of(theirs)
    if all(texts):
        return same_text(*texts)
    if ours[:1] == theirs[:1] == b"{":
        return same_members(split(ours[1:-1]), split(theirs[1:-1]))
    one, other = ours.split(b"|"), theirs.split(b"|")
    return len(one) == len(other) > 1 and all(same(a, b) for a, b in zip(sorted(one), sorted(other)))


def of_line(line):
    """(name, arguments, result), or None: not a call with an end."""
    match = LINE.match(line)
    if not match:
        return None
    result = match[3]
    end = result.find(b" <")
    result = result[:end] if end > 0 else result
    return match[1], split(COMMENT.sub(b"", match[2])), result.strip()


def lines_of(name):
    with open(name, "rb") as file:
        return file.read().splitlines()


def run_beside(work, *args):
    """Calls of a Python program as sonde and as strace show them, of one run."""
    trace, unused = record("-e", "sys,sched.exec", "--buffer", "64M", "--", "strace", "-f", "-s", "255", "-a", "1", "-o",
                           path("calls"), sys.executable, "-S", "-E", "-c", work, *args)
    equal("lost", stats(trace)["lost"], 0)
    start = [event for event in events(trace, "-e", "sched.exec") if event["event"] == "sched.exec" and
             event["fields"]["filename"] == sys.executable][-1]
    return ([call for call in map(of_line, lines_of_sonde(trace, start["tid"])) if call],
            [call for call in map(of_line, lines_of(path("calls"))) if call], trace)


def lines_of_sonde(trace, tid):
    """As strace has them: without time, CPU and task in front."""
    shown = subprocess.run([SONDE, "print", "-e", "sys", "--where", "task.tid == %d" % tid, trace],
                           capture_output=True, check=True).stdout
    for line in shown.splitlines():
        at = re.search(rb" (?=\w+\()", line)
        if at:
            yield FILE.sub(rb"\1", line[at.end():])
