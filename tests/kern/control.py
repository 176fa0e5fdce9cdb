#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Control of a running recorder: what is turned off is detached, what is turned on comes, the trace
says when; clients of all kinds disturb nothing."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time

import harness
from harness import (SONDE, Actor, Net, Recorder, check, equal, events, finish, fresh, line_count,
                     path, require_root, run, until)
from schema import described

ROUND = 1000
SCHED = ["sched.switch", "sched.waking", "sched.wakeup", "sched.wakeup_new", "sched.migrate",
         "sched.fork", "sched.exec", "sched.exit", "sched.trap"]
SCHED_PROGRAMS = 11  # one for each, and sched.trap has three
RUNTIME = os.environ["SONDE_RUNTIME_DIR"]


def sonde(*args):
    return run(SONDE, *args, good=False)


def status(*args):
    return [described("status", json.loads(line)) for line in sonde("status", "--json", *args).stdout.splitlines()]


def held_by(pid):
    """(programs, links) that a process holds, by id."""
    programs, links = set(), set()
    for entry in os.scandir("/proc/%d/fdinfo" % pid):
        try:
            with open(entry.path, encoding="ascii") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue  # closed meanwhile
        ids = {int(line.split()[1]) for line in lines if line.startswith("prog_id:")}
        programs |= ids
        links |= ids if any(line.startswith("link_id:") for line in lines) else set()
    return programs, links


def all_programs():
    return {one["id"] for one in json.loads(run("bpftool", "-j", "prog", "show").stdout)}


def states(trace):
    """(measurement, on, reason, time) of every note."""
    return [(event["fields"]["measurement"], event["fields"]["on"], event["names"]["reason"],
             event["time"]) for event in events(trace, "-e", "sonde.state")]


def spans(trace, name):
    """When it was on: (from, to)."""
    times = [(on, when) for measurement, on, unused, when in states(trace) if measurement == name]
    equal(name + ": on and off by turns", [on for on, unused in times],
          [1, 0] * (len(times) // 2))
    return [(times[i][1], times[i + 1][1]) for i in range(0, len(times), 2)]


def babeltrace2_is_silent(what, trace):
    ours, unused = line_count(SONDE, "print", "--raw", trace)
    others, errors = line_count("babeltrace2", trace)
    equal(what + ": events of babeltrace2 and sonde", others, ours)
    equal(what + ": what babeltrace2 says on stderr", errors, "")


def wake_often():
    for unused in range(20):
        time.sleep(0.002)


def timed(*args):
    """Milliseconds until the recorder has answered."""
    client = socket.socket(socket.AF_UNIX)
    client.connect(args[0])
    start = time.monotonic()
    client.sendall(args[1] + b"\n")
    answer = json.loads(client.recv(65536))
    took = (time.monotonic() - start) * 1000
    client.close()
    check(answer["ok"], "%s: %s" % (args[1], answer))
    return took


def sockets():
    return sorted(os.path.join(RUNTIME, name) for name in os.listdir(RUNTIME))


def off_and_on():
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder("-e", "sched,sys.enter", "--buffer", "64M")
    actor.act()
    wake_often()
    before = held_by(recorder.pid)[1]
    equal("disable sched: status", sonde("disable", "sched").returncode, 0)
    after = held_by(recorder.pid)[1]
    equal("disable sched: programs that are detached", len(before - after),
          SCHED_PROGRAMS)
    equal("disable sched: what status has on", status()[0]["on"], ["sys.enter"])
    check(set(SCHED) <= set(status()[0]["off"]), "disable sched: status has it not off")
    actor.act()
    wake_often()
    done = sonde("enable", "sched.switch", "sched.w*")
    equal("enable: status", done.returncode, 0)
    check("sched.switch      on\n" in done.stdout, "enable: what it says: " + done.stdout)
    actor.act()
    wake_often()
    equal("enable again", sonde("enable", "sched.switch").stdout, "sched.switch      on already\n")
    recorder.stop()

    seen = events(recorder.trace)
    for name in SCHED:
        on = spans(recorder.trace, name)
        equal(name + ": times on", len(on), 2 if name in SCHED[:4] else 1)
        outside = [event for event in seen if event["event"] == name and
                   not any(a <= event["time"] <= b for a, b in on)]
        equal(name + ": events while it was off", outside, [])
    for a, b in spans(recorder.trace, "sched.switch"):
        check(any(event["event"] == "sched.switch" and a <= event["time"] <= b for event in seen),
              "no sched.switch while it was on")
    calls = [event for event in seen if event["event"] == "sys.getpgid" and
             event["tid"] == actor.pid and event["fields"]["nr"] == 121]
    equal("system calls through all of it", len(calls), 3 * ROUND)
    reasons = [reason for name, unused, reason, unused2 in states(recorder.trace)
               if name == "sched.switch"]
    equal("reasons", reasons, ["START", "DISABLED", "ENABLED", "STOP"])
    babeltrace2_is_silent("off and on", recorder.trace)


def not_chosen_at_the_start():
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder("-e", "sched.exec", "--pid", str(actor.pid))
    held = held_by(recorder.pid)[0]
    actor.act()
    equal("enable sys.enter: status", sonde("enable", "sys.enter").returncode, 0)
    check(held < held_by(recorder.pid)[0], "enable sys.enter: nothing was loaded")
    actor.act()
    equal("disable sys.enter: status", sonde("disable", "sys.enter").returncode, 0)
    actor.act()
    recorder.stop()
    calls = [event for event in events(recorder.trace, "-e", "sys.enter")
             if event["fields"]["nr"] == 121]
    equal("enabled later: calls", [event["fields"]["target_pid"] for event in calls],
          list(range(ROUND, 2 * ROUND)))
    babeltrace2_is_silent("enabled later", recorder.trace)


def two_of_one_program():
    """tcp.ack and tcp.cwnd are made by one program."""
    net = Net()
    listener = net.listen(net.b)

    def talk():
        client, server = net.connect(net.a, listener)
        for unused in range(20):
            client.sendall(b"x" * 20000)
            left = 20000
            while left:
                left -= len(server.recv(left))
        client.close()
        server.close()

    recorder = Recorder("-e", "tcp.ack,tcp.cwnd", "--addr", net.net4)
    talk()
    attached = held_by(recorder.pid)[1]
    equal("disable tcp.ack", sonde("disable", "tcp.ack").returncode, 0)
    equal("disable tcp.ack: links", held_by(recorder.pid)[1], attached)
    talk()
    equal("disable tcp.cwnd", sonde("disable", "tcp.cwnd").returncode, 0)
    check(held_by(recorder.pid)[1] < attached, "disable tcp.cwnd: the program stays attached")
    talk()
    equal("enable tcp.ack", sonde("enable", "tcp.ack").returncode, 0)
    equal("enable tcp.ack: links", len(held_by(recorder.pid)[1]), len(attached))
    talk()
    recorder.stop()
    seen = events(recorder.trace)
    for name, times in ("tcp.ack", 2), ("tcp.cwnd", 1):
        on = spans(recorder.trace, name)
        equal(name + ": times on", len(on), times)
        for a, b in on:
            check(any(event["event"] == name and a <= event["time"] <= b for event in seen),
                  "no %s while it was on" % name)
        equal(name + ": events while it was off",
              [event for event in seen if event["event"] == name and
               not any(a <= event["time"] <= b for a, b in on)], [])


def quickly():
    recorder = Recorder("-e", "sched,sys,tcp")
    where = sockets()[0]
    took = []
    for unused in range(10):
        for request in b"disable sched", b"enable sched", b"disable *", b"enable *":
            took.append(timed(where, request))
    late = Recorder("-e", "sched.exec", "--name", "late")
    where = [name for name in sockets() if "late" in name][0]
    first = [(group, timed(where, b"enable " + group.encode())) for group in ("sys", "sched", "tcp")]
    late.stop()
    print("loaded for that: " + ", ".join("%s %.0f ms" % pair for pair in first))
    print("enable and disable: median %.1f ms, longest %.1f ms" %
          (sorted(took)[len(took) // 2], max(took)))
    recorder.stop()


def side_by_side():
    one = Recorder("-e", "sched.exec", "--name", "first")
    two = Recorder("-e", "sys.exit", "--name", "twin")
    three = Recorder("-e", "sched.exit", "--name", "twin")
    equal("names", [(r["name"], r["pid"]) for r in status()],
          sorted((("first", one.pid), ("twin", two.pid), ("twin", three.pid)),
                 key=lambda pair: pair[1]))
    done = sonde("disable", "sys")
    equal("several: status", done.returncode, 2)
    check("first (pid %d)" % one.pid in done.stderr, "several: not listed: " + done.stderr)
    equal("two of one name: status", sonde("stop", "-r", "twin").returncode, 2)
    equal("by name", sonde("enable", "-r", "first", "sched.exit").returncode, 0)
    equal("by name: on", status("first")[0]["on"], ["sched.exec", "sched.exit"])
    equal("by pid", sonde("disable", "-r", str(two.pid), "sys").returncode, 0)
    equal("by pid: on", status(str(two.pid))[0]["on"], [])
    equal("the third: on", status(str(three.pid))[0]["on"], ["sched.exit"])
    equal("nobody of that name", sonde("stop", "-r", "nobody").returncode, 4)
    equal("no such measurement", sonde("enable", "-r", "first", "no.such").returncode, 4)
    for recorder in one, two, three:
        equal("stop by pid", sonde("stop", "-r", str(recorder.pid)).returncode, 0)
        equal("stop: it has ended", recorder.wait(), 0)
    equal("none is left: status", sonde("status").returncode, 4)
    equal("sockets that are left", sockets(), [])


def stopped():
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid))
    actor.act()
    done = sonde("stop")
    equal("stop: status", done.returncode, 0)
    check(recorder.trace in done.stdout and "0 lost" in done.stdout, "stop says: " + done.stdout)
    check(recorder.process.poll() is not None, "stop returns before the recorder has ended")
    equal("stop: the recorder's status", recorder.wait(), 0)
    equal("stop: calls", len([event for event in events(recorder.trace, "-e", "sys.enter")
                              if event["fields"]["nr"] == 121]), ROUND)


def snapshot():
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--mode", "overwrite")
    actor.act()
    equal("before a snapshot", events(recorder.trace, "-e", "sys.enter", good=None), [])
    done = sonde("snapshot")
    equal("snapshot: status", done.returncode, 0)
    check(recorder.trace in done.stdout, "snapshot says: " + done.stdout)
    equal("snapshot: the newest call",
          [event["fields"]["target_pid"] for event in events(recorder.trace, "-e", "sys.enter")
           if event["fields"]["nr"] == 121][-1], ROUND - 1)
    equal("snapshot: mode", status()[0]["mode"], "overwrite")
    recorder.stop()


def join(where):
    client = socket.socket(socket.AF_UNIX)
    client.connect(where)
    client.settimeout(harness.PATIENCE)
    return client


def rude_clients():
    actor = Actor("rounds", str(20 * ROUND))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid))
    where = sockets()[0]
    actor.start()
    for garbage in b"\0\xff\x1b[31m\n", b"enable\n", b"status now\n", b"enable " + b"x" * 3000 + b"\n":
        client = join(where)
        client.sendall(garbage)
        answer = json.loads(client.recv(65536))
        check(not answer["ok"] and answer["code"] in ("usage", "no match"),
              "%r is answered with %r" % (garbage[:20], answer))
        client.close()
    endless = join(where)
    with contextlib.suppress(OSError):
        while True:
            endless.sendall(b"x" * 65536)
    endless.close()
    hanging = [join(where) for unused in range(16)]
    until(lambda: "too many" in join(where).recv(4096).decode(), "clients are refused")
    actor.done()
    until(lambda: len(status()) == 1, "the hanging clients are sent away")
    check(b"no request came" in hanging[0].recv(4096), "a hanging client is not told why")
    for client in hanging:
        client.close()
    for unused in range(200):
        join(where).close()
    with open("/proc/%d/status" % recorder.pid, encoding="ascii") as file:
        files = len(os.listdir("/proc/%d/fd" % recorder.pid))
        check("Threads:\t1\n" in file.read(), "threads are left")
    until(lambda: len(status()) == 1, "it answers still")
    check(len(os.listdir("/proc/%d/fd" % recorder.pid)) <= files, "descriptors are left open")
    recorder.stop()
    equal("rude clients: calls", len([event for event in events(recorder.trace, "-e", "sys.enter")
                                      if event["fields"]["nr"] == 121]), 20 * ROUND)


def killed():
    recorder = Recorder("-e", "sched.exec")
    equal("enable before the kill", sonde("enable", "sys").returncode, 0)
    held = held_by(recorder.pid)[0]
    check(held, "the recorder holds no program")
    recorder.send(signal.SIGKILL)
    recorder.process.wait()
    equal("killed: its socket", len(sockets()), 1)
    equal("killed: status", sonde("status").returncode, 4)
    equal("killed: its socket is removed", sockets(), [])
    until(lambda: not held & all_programs(), "the programs of a killed recorder are gone")
    babeltrace2_is_silent("killed", recorder.trace)


def stale_socket_and_the_next():
    recorder = Recorder("-e", "sched.exec")
    recorder.kill()
    old = sockets()
    another = Recorder("-e", "sched.exec")
    check(old[0] not in sockets(), "the next recorder has not removed the socket of a dead one")
    equal("sockets", len(sockets()), 1)
    another.stop()


def as_nobody(*argv):
    return subprocess.run(argv, capture_output=True, text=True, user=65534, group=65534,
                          extra_groups=[], cwd="/", timeout=harness.PATIENCE)


def another_user():
    recorder = Recorder("-e", "sched.exec")
    where = sockets()[0]
    # It may be sent away before it has said anything.
    ask = ("import contextlib,socket,sys\n"
           "s = socket.socket(socket.AF_UNIX)\n"
           "s.connect(sys.argv[1])\n"
           "with contextlib.suppress(OSError): s.sendall(b'stop\\n')\n"
           "print(s.recv(4096).decode())")
    python = "/usr/bin/python3"
    os.chmod(harness.scratch, 0o711)
    done = as_nobody(python, "-c", ask, where)
    check("PermissionError" in done.stderr, "another user connects: " + done.stdout + done.stderr)
    # Even where somebody has opened the directory and the socket.
    os.chmod(RUNTIME, 0o711)
    os.chmod(where, 0o666)
    done = as_nobody(python, "-c", ask, where)
    check("another user's" in done.stdout, "another user is served: " + done.stdout + done.stderr)
    os.chmod(RUNTIME, 0o700)
    equal("it goes on", len(status()), 1)
    equal("another user: the recorder's end", recorder.stop(), 0)


def without_a_socket():
    """No reason not to record."""
    trace = fresh()
    done = run(SONDE, "record", "-e", "sched.exec", "-d", "10ms", "-o", trace,
               env=dict(os.environ, SONDE_RUNTIME_DIR="/proc/nowhere"))
    check("cannot be controlled: /proc/nowhere" in done.stderr,
          "without a socket: not told: " + done.stderr)
    equal("without a socket: notes", [(name, on) for name, on, unused, unused2 in states(trace)],
          [("(all)", 0), ("sched.exec", 1), ("(all)", 1), ("(all)", 0), ("sched.exec", 0)])


def socket_removed():
    """Its socket goes, or all of its directory: it records on, and ends as it is told otherwise."""
    for how in (os.unlink, lambda where: shutil.rmtree(RUNTIME)):
        actor = Actor("rounds", str(ROUND))
        recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid))
        waiting = join(sockets()[0])
        how(sockets()[0])
        equal("socket removed: status", sonde("status").returncode, 4)
        another = Recorder("-e", "sched.exec", "--name", "another")
        equal("socket removed: who is there", [one["name"] for one in status()], ["another"])
        waiting.sendall(b"status\n")
        equal("socket removed: whom it has let in", json.loads(waiting.recv(65536))["pid"],
              recorder.pid)
        actor.act()
        equal("socket removed: its end", recorder.stop(), 0)
        equal("socket removed: calls", len([event for event in events(recorder.trace, "-e",
                                                                      "sys.enter")
                                            if event["fields"]["nr"] == 121]), ROUND)
        equal("socket removed: the other's end", another.stop(), 0)


def full_disk():
    """What cannot be described is not turned on; the recorder goes on with what it has."""
    small = path("small")
    os.mkdir(small)
    run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small)
    harness.cleanups.append(lambda: run("umount", small, good=False))
    # Of one that does nothing, so that nothing else has to be written meanwhile.
    actor = Actor("rounds", "1")
    recorder = Recorder("-e", "sched.exec", "--pid", str(actor.pid),
                        trace=os.path.join(small, "T"))
    with open(os.path.join(small, "ballast"), "wb", buffering=0) as file:
        with contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)
    done = sonde("enable", "tcp")
    equal("full disk: status", done.returncode, 1)
    check("No space left" in done.stderr, "full disk: the cause is not told: " + done.stderr)
    equal("full disk: on", status()[0]["on"], ["sched.exec"])
    os.remove(os.path.join(small, "ballast"))
    equal("room again: status", sonde("enable", "tcp").returncode, 0)
    recorder.stop()
    babeltrace2_is_silent("full disk", recorder.trace)


require_root()
for test in (off_and_on, not_chosen_at_the_start, two_of_one_program, quickly, side_by_side, stopped,
             snapshot, rude_clients, killed, stale_socket_and_the_next, another_user, without_a_socket,
             socket_removed, full_disk):
    test()
finish()
