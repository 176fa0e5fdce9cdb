#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""MAGNeT's tools on this kernel: magnet-read beside a transfer of iperf3 between two namespaces, and
what magnet-parse's table sums up to; in a file of another byte order too; a file that becomes full,
the ways to end, and sonde status --magnet."""
import collections
import contextlib
import json
import os
import shutil
import signal
import subprocess

from harness import (PATIENCE, SONDE, Net, Recorder, check, cleanups, equal, events, finish, fresh,
                     missing, path, require_root, run, until, waits_for_events)
from schema import described
from undisturbed import Scenarios

undisturbed = Scenarios("net")

PORT = 20000 + os.getpid() % 10000  # nobody else's, who does the same
BYTES = 8 << 20
SOURCE = os.environ.get("SONDE_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
COOKIE = 37  # what iperf3 sends first on each connection, and does not count


def tool(name):
    """A link, as it is installed: the tool goes by its name."""
    link = path(name)
    if not os.path.exists(link):
        os.symlink(SONDE, link)
    return link


def recorders_of(pid):
    """Its threads that wait for events: there is one as soon as it records."""
    found = []
    for tid in os.listdir("/proc/%d/task" % pid):
        # It may end meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += [tid] if waits_for_events(int(tid)) else []
    return found


class Reader:
    """A magnet-read that runs, once the constructor returns."""

    def __init__(self, file, *args):
        self.process = subprocess.Popen([tool("magnet-read"), *args, file],
                                        stderr=subprocess.PIPE, text=True)
        self.pid, self.stderr = self.process.pid, None
        cleanups.append(self.process.kill)
        until(self.is_recording, "magnet-read records")

    def is_recording(self):
        if self.process.poll() is not None:
            raise RuntimeError("magnet-read ended: " + self.process.stderr.read())
        return recorders_of(self.pid)

    def wait(self):
        unused, self.stderr = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.wait()


def make(*args):
    file = fresh() + ".magnet"
    run(tool("mkmagnet"), *args, file)
    return file


def parse(file, good=0):
    """The lines of the table, by the names of its columns."""
    done = run(tool("magnet-parse"), file, good=False)
    if good is not None:
        equal("status of magnet-parse (%s)" % done.stderr.strip(), done.returncode, good)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def sums(rows, event):
    """Bytes by connection: its ports where they are there, as its number may not be known from its
    first record on; else its number."""
    found = collections.Counter()
    for row in rows:
        if row["event"] == event and int(row["size"]) > 0:
            found[(row["source"], row["dest"]) if "dest" in row else row["sockid"]] += (
                int(row["size"]))
    return found


def transfer(net):
    """(bytes sent, bytes received) as iperf3 counts them: what is still on its way at the end is not
    received."""
    server = subprocess.Popen(["ip", "netns", "exec", net.b, "iperf3", "-s", "-1", "-p", str(PORT)],
                              stdout=subprocess.DEVNULL)
    cleanups.append(server.kill)
    until(lambda: ":%d" % PORT in run("ip", "netns", "exec", net.b, "ss", "-ltn").stdout,
          "iperf3 listens")
    done = run("ip", "netns", "exec", net.a, "iperf3", "-c", net.v4[net.b], "-p", str(PORT), "-J",
               "-n", str(BYTES))
    server.wait(PATIENCE)
    end = json.loads(done.stdout)["end"]
    return end["sum_sent"]["bytes"], end["sum_received"]["bytes"]


def check_sums(what, rows, sent, received):
    """The application hands TCP what it wants to send, and again what a full buffer did not take."""
    handed = max(sums(rows, "MAGNET_TCP_SEND").values())
    check(handed >= sent + COOKIE,
          "%s: %d bytes handed to TCP, iperf3 sent %d" % (what, handed, sent))
    for event in ("MAGNET_TCP_RECV", "MAGNET_IP_RECV", "MAGNET_DEV_RECV"):
        check(sum(int(row["size"]) for row in rows if row["event"] == event) > received,
              "%s: less than iperf3's bytes at %s" % (what, event))
    check(received + COOKIE in sums(rows, "MAGNET_APP_RECV").values(),
          "%s: no connection received the %d bytes of iperf3: %r" %
          (what, received, sums(rows, "MAGNET_APP_RECV")))
    times = [float(row["time"]) for row in rows]
    check(times == sorted(times), what + ": the records are not in the order of time")


def check_state(rows, bytes_sent):
    """Protocol state, where the file has the data field: what TCP took is what iperf3 sent, and a FIN."""
    ports = sums(rows, "MAGNET_TCP_SEND").most_common(1)[0][0]
    sent = [row for row in rows if row["event"] == "MAGNET_TCP_SEND"]
    of_sender = [row["sockid"] for row in sent if (row["source"], row["dest"]) == ports][-1]
    ends = [int(row["write_seq"]) for row in rows if row["sockid"] == of_sender and
            row["event"] in ("MAGNET_TCP_SEND", "MAGNET_SOCK_RECV", "MAGNET_TCP_RECV")]
    taken = max((end - ends[0]) % 2**32 for end in ends)
    check(taken in (bytes_sent + COOKIE, bytes_sent + COOKIE + 1),
          "TCP took %d bytes, iperf3 sent %d" % (taken, bytes_sent))
    check(any(int(row["snd_cwnd"]) >= 10 and int(row["srtt"]) for row in sent),
          "no state of TCP in the data field")
    check(any(row["dest"] == str(PORT) for row in sent), "no ports in the data field")
    headers = [row for row in rows if row["event"] == "MAGNET_IP_SEND"]
    check({row["version"] for row in headers} == {"4"} and
          {row["protocol"] for row in headers} == {"6"} and
          {row["ttl"] for row in headers} == {"64"}, "headers of IP in the data field")


def check_as_printed(file, rows):
    """The same by another way: each record, with its size."""
    lines = run(SONDE, "print", "--format", "json", file).stdout.splitlines()
    printed = [json.loads(line) for line in lines]
    equal("records", len(printed), len(rows))
    equal("events and sizes",
          [("MAGNET" + one["event"].removeprefix("magnet.").upper().join("_ ").strip(),
            one["fields"].get("size")) for one in printed if "size" in one["fields"]],
          [(row["event"], int(row["size"])) for row in rows if row["event"] != "MAGNET_SYSINFO"])


def check_status(readers, files):
    """What sonde status --magnet shows of them."""
    lines = run(SONDE, "status", "--magnet", "--json").stdout.splitlines()
    told = {one["pid"]: described("status-magnet", one) for one in map(json.loads, lines)}
    equal("who runs", set(told), {reader.pid for reader in readers})
    equal("files", {one["file"] for one in told.values()}, set(files))
    check(all(one["room"] > one["records"] > 0 and not one["lost"] for one in told.values()),
          "status --magnet: %r" % told)
    check("0 events lost" in run(SONDE, "status", "--magnet").stdout, "status for people")


def test_transfer(net):
    files = [make("-n", "200000"), make("-l", "be32", "-n", "200000")]
    readers = [Reader(file, "-p", str(PORT)) for file in files]
    out = path("followed")
    with open(out, "w", encoding="utf-8") as shown:
        follower = subprocess.Popen([SONDE, "print", "--follow", files[0]], stdout=shown)
    cleanups.append(follower.kill)
    sent, received = transfer(net)
    until(lambda: open(out, encoding="utf-8").read().count("magnet.tcp_send"), "records are shown")
    equal("the follower goes on", follower.poll(), None)
    check_status(readers, files)
    for reader, number in zip(readers, (signal.SIGINT, signal.SIGTERM)):
        equal("status of magnet-read", reader.stop(number), 0)
        check(" 0 events lost" in reader.stderr, "what magnet-read says: " + reader.stderr)
    equal("status --magnet when none runs", run(SONDE, "status", "--magnet", good=False).returncode,
          4)
    equal("status of the follower", follower.wait(timeout=PATIENCE), 0)
    check(open(out, encoding="utf-8").read() == run(SONDE, "print", files[0]).stdout,
          "what was followed is not what the file has")
    own, other = map(parse, files)
    check_sums("own layout", own, sent, received)
    check_sums("big-endian", other, sent, received)
    check_state(own, sent)
    check("snd_cwnd" not in other[0], "a data field where there is none")
    check_as_printed(files[0], own)
    check_as_printed(files[1], other)


SAME = {"sockid": "cookie", "size": "size", "source": "sport", "dest": "dport", "srtt": "srtt_us",
        "rto": "rto_us", "id": "ip_id"}
FLAGS = ("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr")


def as_record(event, fields):
    """Of an event of ours what a record with these fields must have."""
    wanted = {name: event["fields"][SAME.get(name, name)] for name in fields
              if name not in FLAGS and name != "timestamp"}
    if "srtt" in wanted:
        wanted["srtt"] *= 8  # as the kernel keeps it
    wanted |= {name: event["fields"]["flags"] >> FLAGS.index(name) & 1 for name in fields
               if name in FLAGS}
    return wanted


def test_convert(net):
    """A trace in full detail, written as a MAGNeT file: each event of the group net, with all that
    the format can hold of it."""
    recorder = Recorder("-e", "net", "--detail", "full", "--port", str(PORT))
    transfer(net)
    equal("status of record", recorder.stop(), 0)
    file = fresh("converted") + ".magnet"
    run(SONDE, "convert", recorder.trace, "-o", file)
    wanted = [one for one in events(recorder.trace) if one["event"].startswith("net.")]
    got = [one for one in events(file) if one["event"] != "magnet.sysinfo"]
    check(len(wanted) > 100, "a transfer of %d events" % len(wanted))
    equal("times and names", [(one["time"], one["event"].replace("magnet.", "net.")) for one in got],
          [(one["time"], one["event"]) for one in wanted])
    differ = [(one, record) for one, record in zip(wanted, got)
              if as_record(one, record["fields"]) !=
              {name: value for name, value in record["fields"].items() if name != "timestamp"}]
    check(not differ, "%d records differ, the first: %r" % (len(differ), differ[:1]))
    columns = {name for record in got for name in record["fields"]}
    check({"snd_cwnd", "copied_seq", "cwr", "ttl", "frag_off"} <= columns, "fields: %r" % columns)


def test_full(net):
    """The last record is for what there was no room for; the next one is told that it is full."""
    file = make("-n", "10")
    reader = Reader(file, "-p", str(PORT))
    transfer(net)
    equal("status of magnet-read when the file is full", reader.wait(), 3)
    check("the file is full" in reader.stderr, reader.stderr)
    rows = parse(file)
    equal("records", len(rows), 10)
    equal("the last", rows[-1]["event"], "MAGNET_LOST_EVENT")
    check(int(rows[-1]["size"]) > 0, "how many were lost")
    done = run(tool("magnet-read"), file, good=False)
    equal("status of one that is full", done.returncode, 1)
    check("the file is full" in done.stderr, done.stderr)


def test_again(net):
    """A second run goes on behind the first, with a clock of its own; two at once do not."""
    file = make("-n", "200000")
    received = []
    for unused in range(2):
        reader = Reader(file, "-p", str(PORT), "-e", "net.app_recv")
        done = run(tool("magnet-read"), file, good=False)
        equal("status of a second one", done.returncode, 1)
        check("another magnet-read fills it" in done.stderr, done.stderr)
        received.append(transfer(net)[1] + COOKIE)
        equal("status of magnet-read", reader.stop(signal.SIGHUP), 0)
    rows = parse(file)
    equal("clocks", [row["event"] for row in rows].count("MAGNET_SYSINFO"), 2)
    equal("events", {row["event"] for row in rows}, {"MAGNET_SYSINFO", "MAGNET_APP_RECV"})
    found = sums(rows, "MAGNET_APP_RECV").values()
    check(set(received) <= set(found), "transfers: %r of %r" % (received, found))


def test_killed(net):
    """What was in the file stays, and nothing else does."""
    file = make("-n", "200000")
    reader = Reader(file, "-p", str(PORT))
    transfer(net)
    # A file that is just being filled may be seen with a gap.
    until(lambda: len(parse(file, good=None)) > 20, "records are in the file")
    reader.process.kill()
    reader.wait()
    check(len(parse(file)) > 20, "records of a magnet-read that was killed")
    equal("status --magnet", run(SONDE, "status", "--magnet", good=False).returncode, 4)
    reader = Reader(file, "-d", "100ms")
    equal("status of the next", reader.wait(), 0)


def rotate(folder):
    run(os.path.join(SOURCE, "examples/magnet/magnet-rotate"), folder, "-p", str(PORT),
        env=os.environ | {"PATH": path("") + ":" + os.environ["PATH"], "MAGNET_SIZE": "16M",
                          "MAGNET_KEEP": "2"})
    with open(folder + "/pid", encoding="ascii") as file:
        return int(file.read())


def kill_reader(pid):
    """Where it has ended its number may be another's."""
    with open("/proc/%d/comm" % pid, encoding="ascii") as file:
        if file.read() == "magnet-read\n":
            os.kill(pid, signal.SIGKILL)


def test_rotation(net):
    """The example for cron: each file has the transfer that was made in its time."""
    folder, received = fresh("rotated"), []
    for unused in range(4):
        pid = rotate(folder)
        cleanups.append(lambda pid=pid: kill_reader(pid))
        until(lambda: recorders_of(pid), "magnet-read records")
        received.append(transfer(net)[1] + COOKIE)
    last = rotate(folder)
    archive = sorted(os.listdir(folder + "/archive"))
    equal("files that are kept", len(archive), 2)
    for name, count in zip(archive, received[-2:]):
        rows = parse(folder + "/archive/" + name)
        check(count in sums(rows, "MAGNET_APP_RECV").values(), "the transfer of " + name)
    os.kill(last, signal.SIGTERM)
    until(lambda: not os.path.exists("/proc/%d" % last), "the last one ends")


def main():
    require_root()
    if not shutil.which("iperf3"):
        missing("iperf3 is not installed")
    net = Net()
    for test in (test_transfer, test_convert, test_full, test_again, test_killed, test_rotation):
        undisturbed(test, net)
    finish()


main()
