#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Triggers of a running recorder: --snapshot-on leaves a trace that holds the event and what led to
it, --stop-on ends the recording; a storm is limited and counted, and sonde status tells."""
import contextlib
import json
import os
import socket
import subprocess

from harness import (SONDE, Actor, Net, Recorder, WaitedInVain, check, cleanups, equal, events,
                     finish, fresh, path, record, remove_loop, require_root, run, stats, until)
from schema import described
from undisturbed import Scenarios

undisturbed = Scenarios("disk", "sched", "tcp")

BYTES = 4 << 20


def told(recorder):
    """The triggers, as sonde status tells of them."""
    answer = described("status", json.loads(run(SONDE, "status", "--json", str(recorder.pid)).stdout))
    return answer["triggers"]


def notes(trace):
    return [event for event in events(trace, "-e", "sonde.trigger", good=None)
            if event["event"] == "sonde.trigger"]


def transfer(net):
    """Through a queue that is too short: segments are dropped and sent again."""
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    port = client.getsockname()[1]
    reader = os.fork()
    if not reader:
        client.close()
        while server.recv(1 << 20):
            pass
        os._exit(0)
    server.close()
    client.sendall(bytes(BYTES))
    client.shutdown(socket.SHUT_WR)
    os.waitpid(reader, 0)
    client.close()
    listener.close()
    return port


def what_led_to_a_retransmission():
    net = Net()
    net.bottleneck(net.a, "tbf", "rate", "50mbit", "burst", "16kb", "limit", "60kb")
    recorder = Recorder("-e", "tcp.send,tcp.ack", "--netns", net.a, "--mode", "overwrite",
                        "--snapshot-on", "tcp.retransmit", "--snapshot-gap", "1h")
    port = transfer(net)
    until(lambda: told(recorder)[0]["fired"], "the trigger fires")
    until(lambda: notes(recorder.trace), "the trace tells that it fired")
    # Before the end, at which everything is written.
    shown = [event for event in events(recorder.trace, good=None)
             if event["fields"].get("lport") == port]
    again = [event for event in shown if event["event"] == "tcp.retransmit"]
    note = notes(recorder.trace)[0]
    if check(again, "the snapshot does not hold the retransmission"):
        equal("the note's time and that of the retransmission", note["time"], again[0]["time"])
        before = {event["event"] for event in shown if event["time"] < again[0]["time"]}
        equal("what led to it", before >= {"tcp.send", "tcp.ack"}, True)
    equal("the note's event, action, expression",
          [note["fields"][name] for name in ("measurement", "action", "expression")],
          ["tcp.retransmit", 0, "tcp.retransmit"])
    trigger = told(recorder)[0]
    equal("status: action, expression, fired",
          (trigger["action"], trigger["on"], trigger["fired"]), ("snapshot", "tcp.retransmit", 1))
    equal("exit status", recorder.stop(), 0)
    check("tcp.retransmit is recorded too" in recorder.stderr, "nobody said that it is added")
    # More came than were acted upon: the gap is an hour.
    whole = [event for event in events(recorder.trace, "-e", "tcp.retransmit", good=None)
             if event["event"] == "tcp.retransmit"]
    check("done 1 time\n" in recorder.stderr, "the summary: " + recorder.stderr)
    check(len(whole) >= len(again), "retransmissions are missing")
    equal("notes at the end", len(notes(recorder.trace)), 1)


def loop_device():
    image = fresh("image")
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    made = run("losetup", "-f", "--show", image, good=False)
    if made.returncode:
        return None
    device = made.stdout.strip()
    cleanups.append(lambda: remove_loop(os.path.basename(device), image))
    return device


def write_direct(device):
    run("dd", "if=/dev/zero", "of=" + device, "bs=4096", "count=16", "oflag=direct",
        "conv=fsync")


def slow_requests():
    """What is derived of an event: what it follows from is recorded without being asked for."""
    device = loop_device()
    if not device:
        print("no loop device can be had: not tried with a disk")
        return
    name = os.path.basename(device)
    recorder = Recorder("-e", "disk.merge", "--dev", name, "--mode", "overwrite", "--snapshot-gap",
                        "0", "--snapshot-on", "disk.complete && service > 0ns && bytes == 4K",
                        "--snapshot-on", "disk.complete && service > 1h")
    write_direct(device)
    with contextlib.suppress(WaitedInVain):
        until(lambda: told(recorder)[0]["matched"] >= 16, "the requests are seen")
    quick, slow = told(recorder)
    check(quick["fired"] >= 1, "no snapshot after %d requests" % quick["matched"])
    equal("requests that took an hour", (slow["matched"], slow["fired"]), (0, 0))
    equal("exit status", recorder.stop(), 0)
    shown = events(recorder.trace, "--where", "disk.complete && service > 0ns && bytes == 4K")
    equal("requests: the trigger's and those of print --where", recorder.stderr.count("16 events"),
          1)
    equal("requests of print --where", len(shown), 16)
    issued = {event["fields"]["request"] for event in events(recorder.trace, "-e", "disk.issue")}
    check(issued, "disk.issue was not recorded")


def the_end():
    """The recorder ends by itself, after the event, and all of it is there."""
    trace = fresh()
    # What an event is compared with is recorded too, as one that stands alone is.
    recorder = subprocess.Popen([SONDE, "record", "-e", "sched.fork", "--stop-on",
                                 'event == "sched.exec" && comm ~ "sonde-tes*"', "-o", trace, "-q"],
                                stderr=subprocess.PIPE, text=True)
    cleanups.append(recorder.kill)
    program = path("sonde-test-end")
    os.symlink("/bin/true", program)

    def ended():
        run("/bin/true")
        run(program)  # again where it has not begun yet
        return recorder.poll() is not None

    until(ended, "the recorder ends")
    equal("--stop-on: exit status", recorder.returncode, 0)
    note = notes(trace)
    equal("--stop-on: notes", [(one["fields"]["action"], one["comm"]) for one in note],
          [(1, "sonde-test-end")])
    execs = [event for event in events(trace, "-e", "sched.exec")
             if event["fields"]["filename"] == program]
    equal("--stop-on: the event's time", [one["time"] for one in note],
          [one["time"] for one in execs[:1]])


def a_storm():
    """Thousands of events that match: as few snapshots as there is time for."""
    actor = Actor("rounds", "20000")
    recorder = Recorder("-e", "sys", "--pid", str(actor.pid), "--syscall", "getpgid", "--mode",
                        "overwrite", "--snapshot-on", "sys.exit && nr == getpgid",
                        "--snapshot-gap", "1h")
    for done in range(20000, 80000, 20000):
        actor.act()
        until(lambda done=done: told(recorder)[0]["matched"] == done, "all are counted")
    equal("a storm: snapshots", told(recorder)[0]["fired"], 1)
    text = run(SONDE, "status", str(recorder.pid)).stdout
    check("snapshot on sys.exit && nr == getpgid: 60,000 events so far, done 1 time\n" in text,
          "sonde status: " + text)
    equal("exit status", recorder.stop(), 0)
    check("--snapshot-on sys.exit && nr == getpgid: 60,000 events, done 1 time\n" in
          recorder.stderr, "the summary: " + recorder.stderr)
    equal("a storm: notes", len(notes(recorder.trace)), 1)


def overtaken():
    """A ring that is overwritten faster than anybody can look: what was not seen is told."""
    actor = Actor("rounds", "3000000", preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
                        "--mode", "overwrite", "--buffer", "64K", "--snapshot-gap", "1h",
                        "--snapshot-on", "sys.enter && nr == getpgid")
    actor.act()
    answer = described("status", json.loads(run(SONDE, "status", "--json", str(recorder.pid)).stdout))
    equal("exit status", recorder.stop(), 0)
    seen = answer["triggers"][0]["matched"]
    check(answer["unseen"] > 0, "3,000,000 records in 64 KiB, and none unseen")
    check(seen + answer["unseen"] <= 3000000 + 1, "seen %d, unseen %d" % (seen, answer["unseen"]))
    check("records passed the triggers unseen" in recorder.stderr, recorder.stderr)


def nested_names_and_time():
    """In a lossless recording, of calls that begin on one CPU and end on another."""
    trace, done = record("-e", "sys", "--stop-on", "sys.exit && nr == clock_nanosleep && dur > 50ms",
                         "--", "sh", "-c", "sleep 0.001; sleep 0.01; sleep 0.2; exec sleep 1000")
    check("done 1 time\n" in done.stderr, "the summary: " + done.stderr)
    note = notes(trace)
    slow = events(trace, "--where", "sys.exit && nr == clock_nanosleep && dur > 50ms")
    equal("a call's duration: the event", [one["time"] for one in note],
          [one["time"] for one in slow[:1]])
    equal("losses", stats(trace)["lost"], 0)


def refusals():
    for arguments, status, why in (
            (["--snapshot-on", "tcp.ack"], 2, "needs --mode overwrite"),
            (["--stop-on", "tcp.ackk"], 4, "did you mean 'tcp.ack'"),
            (["--stop-on", "tcp.ack &&"], 2, "here should be a field"),
            (["-e", "sched", "--stop-on", "snd_cwnd > 5"], 4, "no event and no field"),
            (["-e", "sched", "--stop-on", 'event ~ "tcp.*"'], 4, "no event is called 'tcp.*'"),
            (["--stop-on", 'event == "tcp.akc"'], 4, "did you mean 'tcp.ack'"),
            (["-e", "sched", "--stop-on", 'sched.switch && event != "sched.switch"'], 4,
             "can satisfy this"),
            (["--stop-on", "sys.exit && dur > 5parsec"], 2, "no such unit")):
        trace = fresh()
        done = run(SONDE, "record", "-d", "1ms", "-o", trace, *arguments, good=False)
        equal(" ".join(arguments) + ": status", done.returncode, status)
        check(why in done.stderr, "%s: %s" % (" ".join(arguments), done.stderr))
        check(not os.path.exists(trace), " ".join(arguments) + ": a trace was made")


require_root()
refusals()
the_end()
nested_names_and_time()
a_storm()
overtaken()
undisturbed(slow_requests)
undisturbed(what_led_to_a_retransmission)
finish()
