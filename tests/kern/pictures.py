#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde graph of a trace of three real transfers: what is drawn is what sonde print prints, of each
connection; and it is the same picture when the trace is a .pm file."""
import os

from harness import (SONDE, Recorder, check, equal, events, finish, path, require_root, run,
                     until)
from svg_lines import check_line
from three_transfers import CONNS, bottleneck, transfer
from undisturbed import Scenarios

undisturbed = Scenarios("tcp")

FIELDS = ("snd_cwnd", "srtt_us")


def of_conn(shown, conn, field):
    """(time in us, value) of each snapshot."""
    return [(event["time"] / 1000, event["fields"][field]) for event in shown
            if (event["fields"]["lport"], event["fields"]["rport"]) == conn]


def changes(points):
    return len({value for _, value in points})


def graph(source, name, *args):
    figure = path(name)
    run(SONDE, "graph", source, "-o", figure, *args)
    with open(figure, encoding="utf-8") as file:
        return file.read()


def check_pictures(trace, shown):
    one = graph(trace, "one.svg", "--conn", "1055.5050", "-f", "snd_cwnd", "-f", "srtt_us")
    three = graph(trace, "three.svg", "--param", "snd_cwnd",
                  *(word for conn in CONNS.values() for word in ("--conn", "%d.%d" % conn)))
    for field in FIELDS:
        check_line(one, field, of_conn(shown, CONNS["reno"], field))
    for conn in CONNS.values():
        points = of_conn(shown, conn, "snd_cwnd")
        check(changes(points) > 1, "%s: no change: %s" % (conn, points[:20]))
        check_line(three, ":%d → " % conn[0], points)


def check_as_pm(trace, shown):
    """In bytes there, as whole segments; and PSC's graph of it has as many points."""
    file = path("x.pm")
    run(SONDE, "convert", trace, "-o", file, "--force")
    printed = events(file, "-e", "pm.snapshot")
    for conn in CONNS.values():
        mine = [event["fields"] for event in printed
                if (event["fields"]["lport"], event["fields"]["rport"]) == conn]
        ours = [event["fields"] for event in shown
                if (event["fields"]["lport"], event["fields"]["rport"]) == conn]
        equal("%s: windows in bytes" % (conn,), [one["snd_cwnd"] for one in mine],
              [one["snd_cwnd"] * one["mss"] for one in ours])
        text = run(SONDE, "pmgraph", "-T", "-c", "-p", "%d.%d" % conn, file).stdout
        equal("%s: as text" % (conn,), [int(line.split("\t")[2]) for line in text.splitlines()[1:]],
              [one["snd_cwnd"] for one in mine])
        svg = graph(file, "pm.svg", "--conn", "%d.%d" % conn, "-f", "snd_cwnd")
        check_line(svg, "snd_cwnd", of_conn(printed, conn, "snd_cwnd"))


def check_transfers():
    net = bottleneck()
    recorder = Recorder("-e", "tcp.ack,tcp.cwnd", "--netns", net.a)
    transfer(net)
    until(net.closed, "both ends are closed")
    equal("exit status of sonde record", recorder.stop(), 0)
    shown = events(recorder.trace, "-e", "tcp")
    check_pictures(recorder.trace, shown)
    check_as_pm(recorder.trace, shown)
    keep = os.environ.get("SONDE_TEST_KEEP")
    if keep:
        run("cp", path("one.svg"), path("three.svg"), keep)


def main():
    require_root()
    undisturbed(check_transfers)
    finish()


main()
