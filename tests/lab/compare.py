# SPDX-License-Identifier: BSD-2-Clause
"""What the trace of a run says, beside what the wire did."""
import collections
import json
import subprocess

SHOWN = 5  # event classes of a trace
RESENT_KINDS = ("syn", "data", "close")  # what tcp.retransmit has; a SYN-ACK that is sent again has no socket yet


class Unreadable(RuntimeError):
    """sonde cannot read the trace."""


def events(sonde, trace, pattern):
    """Of that pattern, each as `sonde print --format json` gives it."""
    done = subprocess.run([sonde, "print", "--format", "json", "-e", pattern, trace], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 3, 4):
        raise Unreadable("sonde print: " + done.stderr)
    found = (json.loads(line) for line in done.stdout.splitlines())
    return [one for one in found if one.get("event", "sonde.incomplete") != "sonde.incomplete"]


def stats(sonde, trace):
    done = subprocess.run([sonde, "stats", "--json", trace], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise Unreadable("sonde stats: " + done.stderr)
    return json.loads(done.stdout)


def resent(sonde, trace, netns):
    """tcp.retransmit of the run's network namespaces, but those that the host itself did not send."""
    return [one["fields"] for one in events(sonde, trace, "tcp.retransmit")
            if one["fields"]["netns"] in netns and not one["fields"]["error"]]


def ranges_resent(found):
    """{(local port, first byte): bytes} of what was sent again, a range for each event."""
    ranges = collections.defaultdict(int)
    for one in found:
        key = (one["lport"], one["seq"])
        ranges[key] = max(ranges[key], one["length"])
    return ranges


def is_covered(ranges, port, seq):
    return any(lport == port and (seq - begin) % (1 << 32) < max(length, 1)
               for (lport, begin), length in ranges.items())


def port_of(end):
    return int(end.rsplit(":", 1)[1])


def needed(truth):
    """Segments with data that were lost when they were new, and that the receiver did not get in another one."""
    return [one for one in truth.decisions if one.kind == "data" and one.action != "pass" and not one.again]


def never_again(truth):
    """Of these: (port, first byte) of those that did not come again before the connection ended."""
    again = {(one.source, one.seq) for one in truth.decisions if one.again}
    return {(port_of(one.source), one.seq) for one in needed(truth) if (one.source, one.seq) not in again}


def lines(sonde, trace, truth, netns):
    """Texts: what each of them has. @netns: inodes of the run's namespaces."""
    totals = stats(sonde, trace)
    told = ["trace: %d events, %d lost; %s" % (totals["events"], totals["lost"], ", ".join(
        "%d %s" % (one["events"], one["name"]) for one in totals["classes"][:SHOWN]))]
    if not truth:
        return told
    for direction in ("forward", "back"):
        actions = truth.actions(direction)
        told.append("truth, %s: %d packets: %s" % (direction, len(truth.of(direction)), ", ".join(
            "%d %s" % (count, action) for action, count in sorted(actions.items()))))
    found = resent(sonde, trace, netns)
    told.append("segments sent again: trace %d, truth %d; lost segments with new data: %d" % (
        sum(one["segments"] for one in found), len(truth.of(None, *RESENT_KINDS, again=True)), len(needed(truth))))
    if truth.is_disturbed():
        told.append("disturbed: the wire was up to %.1f ms late" % (truth.end["late_max_ns"] / 1e6))
    return told
