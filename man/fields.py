#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes sonde-fields(7) for scdoc, from what `sonde list --json` tells: fields.py SONDE VERSION

So the page says what the records hold, because it comes from where the records come from: the BTF
of the kernel half. Fields with which all measurements of a group begin are told once."""
import json
import subprocess
import sys

HEAD = """sonde-fields(7) "" "Sonde {version}"

# NAME

sonde-fields - the measurements of sonde, and the fields of their records

# EXAMPLES

```
sonde list                        # which of these this machine has
sonde list -v tcp.retransmit      # the same as below, for one of them
sonde print -e tcp.retransmit --format json T | jq .fields.snd_cwnd
```

# DESCRIPTION

Each measurement has a name, and a number: the id of its events in a trace. Every event has a time,
a CPU and the task that was running; its fields are those below, under the same names in every output.

Behind the name of a field stands its type: *u* or *s* for an integer without or with a sign, and its
bits; *enum* where its values have names; *text* of a fixed number of bytes; *string* of any length. A
number in brackets counts the elements of an array; a name there is the field that counts them. Then
its unit, if it has one, and its scope, if that is not the object itself (the connection, the task, the call): *system* is the whole machine,
*monitor* the recorder. Fields marked *--detail full* are only in recordings made with that option.

Sequence numbers (*seq*) are modulo 2^32, as on the wire. Addresses are 16 bytes; those of IPv4 are
mapped into IPv6.

"""

TAIL = """# SEE ALSO

*sonde*(1), *sonde-list*(1), *sonde-record*(1), *sonde-trace*(5)
"""

GROUPS = {"sys": "SYSTEM CALLS", "sched": "SCHEDULER", "cpu": "SAMPLES OF THE CPUS", "irq": "INTERRUPTS, TIMERS AND WORK",
          "tcp": "TCP", "net": "PACKETS, LAYER BY LAYER", "disk": "DISKS", "fs": "FILES AND THE PAGE CACHE",
          "rx": "RX SERVERS (AFS)"}


def literal(text):
    """What scdoc would take for formatting."""
    for mark in "\\*_<>#`[]":
        text = text.replace(mark, "\\" + mark)
    return text


def field(entry):
    what = [entry["type"]]
    if entry["unit"]:
        what.append(entry["unit"])
    if entry["scope"] != "object":
        what.append(entry["scope"])
    if entry["detail"] == "full":
        what.append("--detail full")
    return f"*{literal(entry['name'])}* ({literal(', '.join(what))})\n\t{literal(entry['text'])}\n\n"


def common_start(measurements):
    """The fields with which all of them begin, where that is more than chance."""
    common = []
    for row in zip(*(m["fields"] for m in measurements)):
        if any(entry != row[0] for entry in row):
            break
        common.append(row[0])
    return common if len(measurements) > 1 and len(common) > 4 else []


def group(name, measurements):
    common = common_start(measurements)
    out = f"# {GROUPS.get(name, name.upper())}\n\n"
    if common:
        out += "Every record of this group begins with these fields:\n\n"
        out += "".join(map(field, common))
    for m in measurements:
        out += f"## {m['name']} (number {m['location']})\n\n{literal(m['text'])}\n\n"
        out += "".join(map(field, m["fields"][len(common):]))
    return out


def main():
    sonde, version = sys.argv[1:]
    listing = subprocess.run([sonde, "list", "--json"], check=True, stdout=subprocess.PIPE)
    groups = {}
    for measurement in json.loads(listing.stdout):
        groups.setdefault(measurement["group"], []).append(measurement)
    out = HEAD.format(version=version)
    out += "".join(group(name, members) for name, members in groups.items())
    sys.stdout.write(out + TAIL)


main()
