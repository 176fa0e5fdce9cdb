#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pscmonitor and pmgraph, with the two commands of PSC's report: three real transfers through one
bottleneck on the ports that it names, by reno, cubic and bbr. What is plotted is what is printed."""
import json
import os
import re
import signal
import subprocess
import time

from harness import (PATIENCE, SONDE, Net, check, cleanups, equal, finish, fresh, path,
                     require_root, run, until)
from svg_lines import check_line
from three_transfers import CONNS, bottleneck, transfer
from undisturbed import Scenarios

undisturbed = Scenarios("tcp")

ATTEMPTS = 4  # on a machine that has other things to do a connection may get through unharmed
ENOUGH = 5  # cuts of a window, of which most are to be as they should
CWR, RECOVERY = 2, 3
NOBODY = "1"  # a port that no connection here has


class Monitor:
    """pscmonitor, recording when the constructor returns: then the header is in the file."""

    def __init__(self, file, *args):
        self.process = subprocess.Popen([SONDE, "pscmonitor", *args, file], stderr=subprocess.PIPE,
                                        text=True)
        self.stderr = None
        cleanups.append(self.process.kill)
        until(lambda: self.process.poll() is not None or os.path.exists(file) and
              os.path.getsize(file), "pscmonitor has begun")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        unused, self.stderr = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode


def pmgraph(*args, good=0):
    done = run(SONDE, "pmgraph", *args, good=False)
    equal("status of pmgraph " + " ".join(args) + ": " + done.stderr, done.returncode, good)
    return done.stdout


def snapshots(file):
    lines = run(SONDE, "print", "--format", "json", file, good=False).stdout.splitlines()
    return [json.loads(line) for line in lines]


def of_conn(events, conn):
    return [event for event in events
            if (event["fields"].get("lport"), event["fields"].get("rport")) == conn]


def table(file, *args):
    """[(time as text, connection, [values])] as -T prints them, and the head."""
    lines = pmgraph("-T", file, *args).splitlines()
    return [(cells[0], cells[1], [int(cell) for cell in cells[2:]])
            for cells in (line.split("\t") for line in lines[1:])], lines[0]


def check_file(file, sent):
    events = snapshots(file)
    numbers = [event["fields"]["seq_no"] for event in events]
    equal("numbers of snapshots", numbers, list(range(numbers[0], numbers[0] + len(numbers))))
    for algorithm, conn in CONNS.items():
        mine = of_conn(events, conn)
        check(len(mine) > 100, "%s: only %d snapshots" % (algorithm, len(mine)))
        last = mine[-1]["fields"]
        equal(algorithm + ": algorithm", {event["fields"]["ca_name"] for event in mine[-50:]},
              {algorithm})
        # The connection's SYN and FIN are acknowledged, too.
        check(sent[algorithm] <= last["bytes_acked"] <= sent[algorithm] + 2,
              "%s: %d bytes sent, %d acknowledged" % (algorithm, sent[algorithm], last["bytes_acked"]))
        equal(algorithm + ": windows are whole segments, in bytes",
              [event for event in mine if event["fields"]["mss"] and
               event["fields"]["snd_cwnd"] % event["fields"]["mss"]], [])
    again = path("again.pm")
    run(SONDE, "convert", file, "-o", again, "--format", "pm", "--force")
    equal("written again", open(again, "rb").read() == open(file, "rb").read(), True)
    return events


def cuts(events):
    """[(the window before, new threshold)] in segments, of windows that are not tiny, where segments
    were lost: cubic also ends its slow start by one, when the way becomes longer."""
    fields = [event["fields"] for event in events]
    parts = []
    for i in range(1, len(fields) - 1):
        before, now = fields[i - 1:i + 1]
        # The threshold is set first, then the state.
        if now["snd_ssthresh"] != before["snd_ssthresh"] and \
                before["snd_cwnd"] // before["mss"] >= 8 and \
                {now["ca_state"], fields[i + 1]["ca_state"]} & {CWR, RECOVERY}:
            parts.append((before["snd_cwnd"] // before["mss"], now["snd_ssthresh"]))
    return parts


def check_shapes(events, parts):
    """By what reno and cubic cut their windows when a segment is lost (RFC 5681, RFC 9438); bbr
    goes by rate: it is paced. An acknowledgement may have moved the window since the snapshot."""
    for algorithm, part in (("reno", 0.5), ("cubic", 0.7)):
        found = parts[algorithm]
        near = [one for one in found if abs(one[1] - part * one[0]) <= 1.5]
        check(found and len(near) > len(found) / 2,
              "%s: windows and thresholds that follow: %s" % (algorithm, found))
        print("%s: %d of %d cuts are as they should be" % (algorithm, len(near), len(found)))
    paced = [event["fields"]["pacing_rate"] for event in of_conn(events, CONNS["bbr"])]
    check(len(set(paced)) > 3 and max(paced[20:]) < 1 << 40, "bbr is not paced: %s" % paced[:20])


def check_text(file, events):
    rows, head = table(file, "-p", "1055.5050", "-c", "-H")
    equal("head", head, "# time\tconnection\tsnd_cwnd\tsb_hiwat")
    mine = of_conn(events, CONNS["reno"])
    equal("text and sonde print", rows,
          [("%d.%06d" % (event["time"] // 10**9, event["time"] % 10**9 // 1000), "1055.5050",
            [event["fields"]["snd_cwnd"], event["fields"]["sb_hiwat"]]) for event in mine])
    most = max(event["fields"]["m_clused"] for event in events)
    page = os.sysconf("SC_PAGESIZE")
    equal("-M", pmgraph("-M", file),
          "maximum system memory: %d bytes (%d clusters of %d)\n" % (most * page, most, page))
    equal("-D: no gaps", "gap" in pmgraph("-D", "-T", "-c", file), False)
    return rows


def seconds(rows, first):
    """(Time since the first snapshot of the file in us, values)"""
    return [(int(row[0].replace(".", "")) - first, row[2]) for row in rows]


def check_xgraph(file, rows, first):
    pmgraph("-x", file, "-p", "1055.5050", "-cH", "-o", path("x"))
    for i, column in enumerate(("snd_cwnd", "sb_hiwat")):
        lines = open(path("x.1055.5050.%s.xg" % column), encoding="ascii").read().splitlines()
        equal("name of the data set", lines[0], '"1055.5050 ' + column)
        equal("xgraph file and text: " + column,
              [(int(time.replace(".", "")), int(value)) for time, value in
               (line.split() for line in lines[1:])],
              [(time, values[i]) for time, values in seconds(rows, first)])


def check_pictures(file, rows, first):
    figure = path("a.svg")
    pmgraph(file, "-p", "1055.5050", "-c", "-H", "-o", figure)
    svg = open(figure, encoding="utf-8").read()
    points = seconds(rows, first)
    for i, column in enumerate(("snd_cwnd", "sb_hiwat")):
        check_line(svg, column, [(time, values[i]) for time, values in points])
    figure = path("b.svg")
    pmgraph(file, "-P", "-p", "1055.5050", "-p", "1056.5051", "-p", "1057.5052", "-c", "-o", figure)
    svg = open(figure, encoding="utf-8").read()
    for lport, rport in CONNS.values():
        name = "%d.%d" % (lport, rport)
        values = [(time, one[0]) for time, one in seconds(table(file, "-p", name, "-c")[0], first)]
        check_line(svg, name, values)


def missing_numbers(file):
    numbers = [event["fields"]["seq_no"] for event in snapshots(file)
               if event["event"] == "pm.snapshot"]
    return numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0


def check_losses(net):
    """A monitor that stands still while its table runs over: gaps of as many as it says."""
    file = fresh() + ".pm"
    monitor = Monitor(file, "-n", net.b, "-b", "64K")
    listener = net.listen(net.b)
    client, server = net.connect(net.b, listener)
    monitor.process.send_signal(signal.SIGSTOP)
    for unused in range(5000):
        client.send(b"x")
        server.recv(10)
    monitor.process.send_signal(signal.SIGCONT)

    def goes_on():
        client.send(b"x")
        server.recv(10)
        return missing_numbers(file)

    until(goes_on, "there is a gap, and what comes behind it")
    equal("status of pscmonitor after losses", monitor.stop(), 3)
    lost = int(re.search(r"([\d,]+) lost", monitor.stderr)[1].replace(",", ""))
    check(lost > 0, "nothing was lost: " + monitor.stderr)
    told = pmgraph("-D", "-T", "-c", file, good=3)
    equal("gaps", sum(int(count) for count in re.findall(r"gap: (\d+) snapshot", told)), lost)
    equal("numbers left out", missing_numbers(file), lost)


def recorded():
    """A file of transfers and its snapshots; and the cuts by each algorithm, in others too where it
    has not enough of them."""
    parts = {"reno": [], "cubic": []}
    for unused in range(ATTEMPTS):
        net = bottleneck()
        file = fresh() + ".pm"
        monitor = Monitor(file, "-n", net.a)
        sent = transfer(net)
        until(net.closed, "both ends are closed")
        equal("status of pscmonitor", monitor.stop(), 0)
        net.remove()
        events = check_file(file, sent)
        for algorithm, found in parts.items():
            found += cuts(of_conn(events, CONNS[algorithm]))
        if all(len(found) >= ENOUGH for found in parts.values()):
            break
    return file, events, parts


def check_transfers():
    file, events, parts = recorded()
    check_shapes(events, parts)
    rows = check_text(file, events)
    first = events[0]["time"] // 1000
    check_xgraph(file, rows, first)
    check_pictures(file, rows, first)
    keep = os.environ.get("SONDE_TEST_KEEP")
    if keep:
        run("cp", file, path("a.svg"), path("b.svg"), keep)


def check_follow(net):
    """A file that still grows is followed until its monitor has ended."""
    file, out = path("grows.pm"), path("grows.json")
    monitor = Monitor(file, "-n", net.b)
    with open(out, "w", encoding="utf-8") as shown:
        follower = subprocess.Popen([SONDE, "print", "--follow", "--format", "json", file],
                                    stdout=shown)
    cleanups.append(follower.kill)
    listener = net.listen(net.b)
    client, server = net.connect(net.b, listener)
    for count in (10, 100):
        for unused in range(count):
            client.send(b"x")
            server.recv(10)
        until(lambda: open(out, encoding="utf-8").read().count("pm.snapshot") > count,
              "snapshots are shown")
        equal("the follower goes on", follower.poll(), None)
    equal("status of pscmonitor", monitor.stop(), 0)
    equal("status of the follower", follower.wait(timeout=PATIENCE), 0)
    equal("what was shown", open(out, encoding="utf-8").read(),
          run(SONDE, "print", "--format", "json", file).stdout)


def check_namespaces():
    """A poll that may not enter the other network namespaces says so at the start; the head of the file stays."""
    beside = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
    heads = []
    for before, said in ([], []), (beside, [
            "pscmonitor: tcp.poll is measured in part: iter/tcp misses connections in other network namespaces "
            "(to enter them takes CAP_SYS_ADMIN; --netns self asks for this one only)"]):
        file = path("poll%d.pm" % len(heads))
        done = run(*before, SONDE, "pscmonitor", "-q", "-e", "tcp.poll", "-i", "1h", "-d", "100ms", "-p", NOBODY, file)
        equal("what pscmonitor says at the start", done.stderr.splitlines(), said)
        with open(file, "rb") as head:
            heads.append(head.read())
    equal("a file without snapshots", heads[1], heads[0])


def main():
    require_root()
    check_namespaces()
    undisturbed(check_transfers)
    undisturbed(check_losses, Net())
    check_follow(Net())
    finish()


main()
