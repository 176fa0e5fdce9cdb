# SPDX-License-Identifier: BSD-2-Clause
"""The log of a wire: what it did to each packet."""
import collections

COLUMNS = ("time direction action kind length source destination seq payload ack flags again due queue "
           "notes").split()
NUMBERS = ("time", "length", "seq", "payload", "ack", "due", "queue")
AFTERWARDS = ("late", "failed")  # what became of a packet that had passed

Line = collections.namedtuple("Line", COLUMNS)


class Incomplete(RuntimeError):
    """The log has no end mark: the wire did not end by itself."""


def parse_line(text):
    fields = dict(zip(COLUMNS, text.split(), strict=True))
    fields.update((name, int(fields[name])) for name in NUMBERS)
    fields["again"] = fields["again"] == "1"
    fields["notes"] = () if fields["notes"] == "-" else tuple(fields["notes"].split(","))
    return Line(**fields)


def pairs(comment):
    """{key: value} of "# end late=0 ..."."""
    return dict(word.split("=", 1) for word in comment.split()[2:] if "=" in word)


class Truth:
    """.decisions has a line for each packet that came; .late and .failed what became of some later."""

    def __init__(self, path):
        self.decisions, self.late, self.failed, self.end = [], [], [], None
        with open(path, encoding="ascii") as file:
            for text in file:
                if text.startswith("# wire "):
                    self.wall_offset = int(pairs(text)["wall_offset_ns"])
                elif text.startswith("# end "):
                    self.end = {key: int(value) for key, value in pairs(text).items()}
                elif not text.startswith("#"):
                    line = parse_line(text)
                    where = {"late": self.late, "failed": self.failed}.get(line.action, self.decisions)
                    where.append(line)
        if self.end is None or self.end["packets"] != len(self.decisions):
            raise Incomplete(path + ": no end mark, or lines are missing")

    def of(self, direction=None, *kinds, passed=None, again=None, note=None):
        """Decisions with all of these."""
        return [one for one in self.decisions
                if direction in (None, one.direction) and (not kinds or one.kind in kinds) and
                passed in (None, one.action == "pass") and again in (None, one.again) and
                (note is None or note in one.notes)]

    def actions(self, direction=None):
        """{action: count}, and of each note."""
        counts = collections.Counter()
        for one in self.of(direction):
            counts[one.action] += 1
            counts.update(one.notes)
        return counts

    def is_disturbed(self, limit_ns=5_000_000):
        """Whether the machine kept the wire from what it should do: then it had faults of its own."""
        return bool(self.failed) or self.end["late_max_ns"] > limit_ns


SEGMENTS = ("syn", "synack", "data", "ack", "close")
