#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each filter, with one actor that it wants and one that it does not: all of the one's events are
there, none of the other's."""
import contextlib
import os
import shutil
import socket

import harness
from harness import (SONDE, Actor, Net, Recorder, actor_path, check, equal, events, finish, fresh,
                     path, require_root, run, until)
from undisturbed import Scenarios

undisturbed = Scenarios("sched", "tcp")

CALLS = 1000
# Nobody else's, who does the same.
FIRST_PORT = 20000 + os.getpid() * 3 % 10000
FIRST, SECOND, THIRD = range(FIRST_PORT, FIRST_PORT + 3)
CGROUPS = [place for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
           if os.path.exists(os.path.join(place, "cgroup.procs")) and
           os.path.exists(os.path.join(place, "cgroup.controllers"))]


def calls_by_tid(trace):
    tids = {}
    for event in events(trace, "-e", "sys.enter"):
        if event["fields"]["nr"] == 121:
            tids[event["tid"]] = tids.get(event["tid"], 0) + 1
    return tids


def two_actors(what, arguments, wanted, other):
    """Both make calls; exactly the first one's must be recorded."""
    recorder = Recorder("-e", "sys.enter,sched", *arguments)
    for actor in (wanted, other, wanted, other):
        actor.act()
    equal(what + ": exit status", recorder.stop(), 0)
    # Whom else it fits, such as other tasks of a user, is not known here.
    equal(what + ": calls by task",
          {tid: count for tid, count in calls_by_tid(recorder.trace).items()
           if tid in (wanted.pid, other.pid)}, {wanted.pid: 2 * CALLS})
    seen = {event["tid"] for event in events(recorder.trace, "-e", "sys.*")}
    check(other.pid not in seen, what + ": a system call of the other")
    for actor in (wanted, other):
        actor.end()


def actor(*args, **more):
    return Actor("rounds", str(CALLS), *args, **more)


def by_pid():
    wanted, other = actor(), actor()
    two_actors("--pid", ["--pid", str(wanted.pid)], wanted, other)


def by_comm():
    for name, other_name, pattern in (
            ("chosen", "chosen2", "chosen"), ("chosen", "chose", "chosen"),
            ("chosen2", "chose", "chosen*"),
            ("fifteen-letters", "fifteen-letterz", "fifteen-letters")):
        for copy in (name, other_name):
            shutil.copy(actor_path(), path(copy))
        two_actors("--comm %s, not %s" % (pattern, other_name), ["--comm", pattern],
                   actor(program=path(name)), actor(program=path(other_name)))


def by_uid():
    os.chmod(harness.scratch, 0o711)
    shutil.copy(actor_path(), path("anyone"))
    for user in ("65534", "nobody"):
        two_actors("--uid " + user, ["--uid", user],
                   actor(program=path("anyone"), user=65534, group=65534, extra_groups=[]),
                   actor(program=path("anyone")))


def by_cgroup():
    if not CGROUPS:
        print("no cgroup version 2 here: --cgroup is not tested")
        return
    above = os.path.join(CGROUPS[0], "sonde-test-%d" % os.getpid())
    below, beside = above + "/below", above + "-beside"
    for group in (above, below, beside):
        os.mkdir(group)
        harness.cleanups.append(lambda group=group: os.rmdir(group))

    def placed(group):
        one = actor()
        with open(group + "/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(one.pid))
        return one

    two_actors("--cgroup", ["--cgroup", above], placed(above), placed(beside))
    two_actors("--cgroup, one below", ["--cgroup", above], placed(below), placed(beside))
    two_actors("--cgroup, not the one above", ["--cgroup", below], placed(below), placed(above))


def by_cgroup_elsewhere():
    """The hierarchy may be mounted anywhere; version 1, and a part of version 2, are refused."""
    place = fresh("cgroup")
    os.mkdir(place)
    if run("mount", "-t", "cgroup2", "none", place, good=False).returncode:
        print("no cgroup version 2 here: --cgroup is not tested")
        return
    harness.cleanups.append(lambda: run("umount", place, good=False))
    group = place + "/sonde-test-%d-elsewhere" % os.getpid()
    below = group + "/below"
    for one in (group, below):
        os.mkdir(one)
        harness.cleanups.append(lambda one=one: os.rmdir(one))
    wanted, other = actor(), actor()
    with open(below + "/cgroup.procs", "w", encoding="ascii") as file:
        file.write(str(wanted.pid))
    two_actors("--cgroup, elsewhere", ["--cgroup", below], wanted, other)
    inside = ("unshare", "--cgroup", "sh", "-c",
              'echo $$ >"$1/cgroup.procs"; shift; exec unshare --cgroup --mount sh -c '
              '\'mount -t cgroup2 none "$1" && shift && exec "$@"\' sh "$@"', "sh", group)
    own = fresh("part")
    os.mkdir(own)
    done = run(*inside, own, SONDE, "record", "-o", fresh(), "--cgroup", own + "/below",
               good=False)
    check(done.returncode == 2 and "only a part" in done.stderr,
          "--cgroup in a cgroup namespace: %d: %s" % (done.returncode, done.stderr))
    first = fresh("version1")
    os.mkdir(first)
    if run("mount", "-t", "cgroup", "-o", "none,name=sonde-test", "none", first,
           good=False).returncode:
        print("no cgroup version 1 here")
        return
    harness.cleanups.append(lambda: run("umount", first, good=False))
    done = run(SONDE, "record", "-o", fresh(), "--cgroup", first, good=False)
    check(done.returncode == 2 and "version 1" in done.stderr,
          "--cgroup of version 1: %d: %s" % (done.returncode, done.stderr))


def by_netns(net):
    prefix = ("ip", "netns", "exec")
    for name in (net.a, "/run/netns/" + net.a, str(net.inode(net.a))):
        two_actors("--netns " + name, ["--netns", name], actor(prefix=(*prefix, net.a)),
                   actor(prefix=(*prefix, net.b)))


def together():
    """Kinds must all match; values of one kind add up."""
    one, two, three = actor(), actor(), actor()
    recorder = Recorder("-e", "sys.enter", "--pid", "%d,%d" % (one.pid, two.pid),
                        "--pid", str(three.pid), "--comm", "actor", "--syscall", "getpgid")
    for each in (one, two, three):
        each.act()
    recorder.stop()
    equal("several pids", calls_by_tid(recorder.trace),
          {each.pid: CALLS for each in (one, two, three)})
    recorder = Recorder("-e", "sys.enter", "--pid", str(one.pid), "--comm", "nobody-has-this")
    one.act()
    recorder.stop()
    equal("--pid, and --comm of somebody else", calls_by_tid(recorder.trace), {})


def by_syscall():
    one = actor()
    for name in ("getpgid", "121"):
        recorder = Recorder("-e", "sys", "--syscall", name, "--pid", str(one.pid))
        one.act()
        recorder.stop()
        shown = events(recorder.trace, "-e", "sys.*")
        equal("--syscall %s: enter and exit" % name, len(shown), 2 * CALLS)
        equal("--syscall %s: numbers" % name, {event["fields"]["nr"] for event in shown}, {121})


def exchange(net, family, port):
    """A short connection to @port of the second namespace; the client's port."""
    listener = net.listen(net.b, family, port)
    client, server = net.connect(net.a, listener)
    client.sendall(b"ask")
    server.recv(10)
    server.sendall(b"answer")
    client.recv(10)
    mine = client.getsockname()[1]
    for each in (client, server, listener):
        each.close()
    until(net.closed, "both ends are closed")
    return mine


def connections(trace):
    """Both ports of every connection in the trace, as a set each."""
    return {frozenset((event["fields"]["lport"], event["fields"]["rport"]))
            for event in events(trace, "-e", "tcp.*") if event["fields"].get("rport")
            and event["fields"]["lport"]}


def tcp_filter(net, what, arguments, wanted, other):
    """@wanted and @other are (family, port): exactly the first one's records must be there."""
    recorder = Recorder("-e", "tcp", *arguments)
    mine = exchange(net, *wanted)
    exchange(net, *other)
    exchange(net, *other)
    equal(what + ": exit status", recorder.stop(), 0)
    equal(what + ": connections", connections(recorder.trace), {frozenset((mine, wanted[1]))})
    names = {event["event"] for event in events(recorder.trace, "-e", "tcp.*")}
    check({"tcp.state", "tcp.ack", "tcp.send", "tcp.recv", "tcp.close"} <= names,
          "%s: only %s" % (what, names))
    ends = [event["fields"]["new_state"] for event in events(recorder.trace, "-e", "tcp.state")
            if event["fields"]["rport"]]
    equal(what + ": both ends end", ends.count(7), 2)


def by_port_and_address(net):
    v4, v6 = (socket.AF_INET, FIRST), (socket.AF_INET6, SECOND)
    tcp_filter(net, "--port", ["--port", str(FIRST)], v4, (socket.AF_INET, THIRD))
    tcp_filter(net, "--port, IPv6", ["--port", str(SECOND)], v6, (socket.AF_INET6, THIRD))
    tcp_filter(net, "--addr IPv4", ["--addr", net.v4[net.a]], v4, v6)
    tcp_filter(net, "--addr IPv6", ["--addr", net.v6[net.b]], v6, v4)
    tcp_filter(net, "--addr IPv4 network", ["--addr", net.net4], v4, v6)
    tcp_filter(net, "--addr IPv6 network", ["--addr", net.v6[net.a].split("::")[0] + "::/64"], v6,
               v4)
    tcp_filter(net, "--addr and --port", ["--addr", net.net4, "--port", str(FIRST)], v4,
               (socket.AF_INET, THIRD))


def refused_with_filter(net):
    """A refusal has no socket, but it has ports, addresses and a namespace."""
    for arguments, count in ((["--port", "9"], 1), (["--port", "10"], 0),
                             (["--addr", net.v4[net.b]], 1), (["--addr", "192.0.2.1"], 0),
                             (["--netns", net.b], 1), (["--netns", net.b, "--port", "10"], 0)):
        recorder = Recorder("-e", "tcp.reset", *arguments)
        with net.inside(net.a):
            client = socket.socket()
        with contextlib.suppress(ConnectionRefusedError):
            client.connect((net.v4[net.b], 9))
        client.close()
        recorder.stop()
        sent = [event for event in events(recorder.trace, "-e", "tcp.reset")
                if event["fields"]["direction"] == 0 and
                event["fields"]["netns"] == net.inode(net.b)]
        equal("refusals with %s" % " ".join(arguments), len(sent), count)


def tcp_by_owner(net):
    """--pid and --comm on connections: those that the process uses."""
    recorder = Recorder("-e", "tcp", "--pid", str(os.getpid()))
    mine = exchange(net, socket.AF_INET, FIRST)
    child = os.fork()
    if not child:
        exchange(net, socket.AF_INET, THIRD)
        os._exit(0)
    os.waitpid(child, 0)
    recorder.stop()
    equal("tcp with --pid: connections", connections(recorder.trace), {frozenset((mine, FIRST))})


def wrong_values():
    for arguments in (["--pid", "x"], ["--pid", "4194303"], ["--comm", ""], ["--comm", "a*b"],
                      ["--uid", "no-such-user"], ["--cgroup", "/no/such"], ["--netns", "no-such"],
                      ["--port", "65536"], ["--addr", "10.0.0.0/33"], ["--addr", "10.0.0"],
                      ["--syscall", "no_such_call"]):
        done = run(SONDE, "record", "-o", fresh(), *arguments, good=False)
        equal("status with %s" % " ".join(arguments), done.returncode, 2)
        check(arguments[0] in done.stderr, "%s: %s" % (" ".join(arguments), done.stderr))


require_root()
for test in (by_pid, by_comm, by_uid, by_cgroup, by_cgroup_elsewhere, together, by_syscall,
             wrong_values):
    test()
veth = Net()
for test in (by_netns, by_port_and_address, refused_with_filter, tcp_by_owner):
    undisturbed(test, veth)
finish()
