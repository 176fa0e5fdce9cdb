#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tcp.poll: connections at rest, polled by a program as root and by asking the kernel as nobody,
agree with ss, with TCP_INFO and TCP_REPAIR field by field; rounds come as they should; connections
and namespaces that come and go; filters; control; what an ordinary user is told."""
import contextlib
import json
import os
import re
import resource
import shutil
import socket
import struct
import subprocess
import time

import harness
from harness import (Net, Recorder, SONDE, check, equal, events, finish, fresh, path,
                     require_root, run, until)
from ss_witness import ask_ss, compare_at_rest

NOBODY = 65534
SO_COOKIE, TCP_REPAIR, TCP_REPAIR_QUEUE, TCP_QUEUE_SEQ = 57, 19, 20, 21
SO_MAX_PACING_RATE = 47
REPAIR_OFF, RECEIVE_QUEUE, SEND_QUEUE = -1, 1, 2
RCV_WND_AT = 232  # in struct tcp_info, since 6.2
ESTABLISHED = 1
# What the kernel does not tell who asks.
UNTOLD = {"snd_una", "snd_nxt", "write_seq", "snd_fack", "rcv_nxt", "copied_seq", "pacing"}
PERIOD = 0.1
PACED = 1, 0  # of the two ends: by TCP, and not


class Ordinary:
    """A user without privileges, with a place for traces and a sonde that can be run."""

    def __init__(self):
        os.chmod(harness.scratch, 0o711)
        self.home = path("ordinary")
        os.mkdir(self.home)
        os.chmod(self.home, 0o777)
        self.sonde = os.path.join(self.home, "sonde")
        shutil.copy(SONDE, self.sonde)
        os.chmod(self.sonde, 0o755)
        self.env = dict(os.environ, SONDE_RUNTIME_DIR=os.path.join(self.home, "run"))
        self.who = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "env": self.env}

    def recorder(self, *args, **more):
        return Recorder(*args, trace=fresh("ordinary/T"), program=self.sonde, **self.who, **more)

    def run(self, *args, **more):
        return subprocess.run([self.sonde, *args], capture_output=True, text=True,
                              timeout=harness.PATIENCE, **self.who, **more)


def cookie(sock):
    return struct.unpack("Q", sock.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8))[0]


def polls(trace, want=None):
    return [event["fields"] for event in events(trace, "-e", "tcp.poll", good=None)
            if event["event"] == "tcp.poll" and want in (None, event["fields"]["cookie"])]


IN_PART = "tcp.poll is measured in part: inet_diag misses connections in other network namespaces (to enter them takes " \
    "CAP_SYS_ADMIN; --netns self asks for this one only)"


def ends_well(what, status, stderr, partial=False):
    """Complete, or in part for nobody, but for rounds that a busy machine has missed, and of which it says so."""
    missed = status == 3 and "rounds of tcp.poll were missed" in stderr and "a ring was full" not in stderr
    complete = status == 6 if partial else status == 0 or status == 6 and "may not enter" in stderr
    check(missed or complete, "%s: status %d: %s" % (what, status, stderr))
    equal(what + ": times that it is said to be in part: " + stderr, stderr.count(IN_PART), 2 if partial else 0)


def seen_twice(recorder, *socks):
    """Waits until two rounds have these."""
    wanted = {cookie(sock) for sock in socks}

    def enough():
        found = [one["cookie"] for one in polls(recorder.trace)]
        return all(found.count(one) >= 2 for one in wanted)
    until(enough, "two rounds are in the trace")


def wait_for_window(client, server):
    """Whatever there is room for, for a time in which nobody reads it."""
    sent, end = 0, time.monotonic() + 0.5
    client.setblocking(False)
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            sent += client.send(bytes(1 << 16))
        time.sleep(0.005)
    client.setblocking(True)
    while sent:
        sent -= len(server.recv(1 << 20))


def connect(net, family, unread):
    """A connection that has carried something in either direction, has waited for the server to read, and rests; of what
    the server was sent @unread bytes are still there. Its end in the one namespace is paced, the other is not."""
    listener = net.listen(net.b, family)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    client, server = net.connect(net.a, listener)
    for turn in range(5):
        client.sendall(bytes(3000 + turn))
        got = 0
        while got < 3000 + turn:
            got += len(server.recv(3000 + turn - got))
        server.sendall(b"yes")
        client.recv(3)
    client.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 1 << 30)
    wait_for_window(client, server)
    client.sendall(bytes(unread))
    until(lambda: len(server.recv(unread, socket.MSG_PEEK)) == unread, "everything has arrived")
    return client, server, listener


def at_rest(net, ends):
    """What ss tells of each end, once it tells the same twice: timers have run out."""
    told = []

    def same_again():
        before = told[:]
        told[:] = [ask_ss(name, sock.getsockname()[1]) for name, sock in ends]
        for one in told:  # how long ago something happened
            one["words"] = [word for word in one["words"] if not word.startswith("last")]
            for key in ("lastsnd", "lastrcv", "lastack"):
                one.pop(key, None)
        time.sleep(0.3)
        return told == before and not any("unacked" in one or "notsent" in one for one in told)
    until(same_again, "the connection is at rest")
    return told


def queue_sequence(sock, queue):
    """TCP_REPAIR: the sequence number at the end of a queue."""
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_QUEUE, queue)
    seq = struct.unpack("I", sock.getsockopt(socket.IPPROTO_TCP, TCP_QUEUE_SEQ, 4))[0]
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, REPAIR_OFF)
    return seq


def compare(what, net, end, told, unread, one):
    """@one is what a round has of our end; everything of it has a witness."""
    name, sock = end
    remote = net.b if name == net.a else net.a
    compare_at_rest(what, told, one)
    rate = told["words"][told["words"].index("pacing_rate") + 1].split("/")[0]  # "/MOST"
    equal(what + ": pacing rate of sonde and ss", "%dbps" % (one["pacing_rate"] * 8), rate)
    equal(what + ": bytes received of sonde and ss", one["bytes_received"],
          int(told.get("bytes_received", 0)))
    equal(what + ": unread bytes in ss", told["queue"], unread)
    check(one["ca_name"] in told["words"], "%s: %s is not in %s" % (what, one["ca_name"], told))
    equal(what + ": in flight", [one[field] for field in (
        "packets_out", "sacked_out", "lost_out", "retrans_out", "ca_state")], [0] * 5)
    equal(what + ": what and where", (one["location"], one["netns"], one["state"], one["family"]),
          (74, net.inode(name), ESTABLISHED, int(sock.family)))
    equal(what + ": addresses and ports",
          (one["saddr"], one["lport"], one["daddr"], one["rport"]),
          (net.address(name, sock.family), sock.getsockname()[1],
           net.address(remote, sock.family), sock.getpeername()[1]))
    equal(what + ": cookie", one["cookie"], cookie(sock))
    check(one["tcp_mem_pages"] < os.sysconf("SC_PHYS_PAGES"), what + ": memory of TCP")
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 512)
    if len(info) >= RCV_WND_AT + 4:
        equal(what + ": rcv_wnd of sonde and TCP_INFO", one["rcv_wnd"],
              struct.unpack_from("I", info, RCV_WND_AT)[0])


def compare_sequences(what, sock, unread, one):
    sent, received = queue_sequence(sock, SEND_QUEUE), queue_sequence(sock, RECEIVE_QUEUE)
    equal(what + ": sequence numbers of sonde and TCP_REPAIR",
          (one["snd_una"], one["snd_nxt"], one["write_seq"], one["snd_fack"], one["rcv_nxt"],
           one["copied_seq"]), (sent, sent, sent, sent, received, received - unread & 0xffffffff))


def compare_all(net, family, ordinary):
    """Both ends in two namespaces, by a program; then one end as nobody, who is in one."""
    what = "IPv%d" % (6 if family == socket.AF_INET6 else 4)
    client, server, listener = connect(net, family, unread=700)
    ends, unread = [(net.a, client), (net.b, server)], [0, 700]
    told = at_rest(net, ends)

    recorder = Recorder("-e", "tcp.poll", "--period", "100ms", "--netns", net.a + "," + net.b)
    seen_twice(recorder, client, server)
    status = recorder.stop()
    ends_well(what, status, recorder.stderr)
    for i, end in enumerate(ends):
        whose = "%s by a program, end %d" % (what, i)
        for one in polls(recorder.trace, cookie(end[1])):
            compare(whose, net, end, told[i], unread[i], one)
            compare_sequences(whose, end[1], unread[i], one)
            equal(whose + ": is paced", one["pacing"], PACED[i])
            equal("%s: has waited for the window: busy %d us, window %d us, send buffer %d us" %
                  (whose, one["busy_us"], one["rwnd_limited_us"], one["sndbuf_limited_us"]),
                  one["rwnd_limited_us"] > 200000, not i)
    equal(what + ": nobody else", {one["cookie"] for one in polls(recorder.trace)},
          {cookie(client), cookie(server)})

    with net.inside(net.a):
        recorder = ordinary.recorder("-e", "tcp.poll", "--period", "100ms")
    seen_twice(recorder, client)
    status = recorder.stop()
    ends_well(what + " as nobody", status, recorder.stderr, partial=True)
    check("with no program in the kernel" in recorder.stderr, recorder.stderr)
    for one in polls(recorder.trace, cookie(client)):
        compare(what + " by asking", net, ends[0], told[0], 0, one)
        check(not UNTOLD & set(one), "%s: made up: %s" % (what, UNTOLD & set(one)))
    equal(what + ": what nobody sees", {one["cookie"] for one in polls(recorder.trace)},
          {cookie(client)})
    for sock in (client, server, listener):
        sock.close()


def check_rounds(what, trace):
    """Each round there is has its number and comes when its time has come, or later: no drift."""
    shown = events(trace, good=None)
    start = [event["time"] for event in shown if event["event"] == "sonde.state"][0]
    rounds = {}
    for event in shown:
        if event["event"] == "tcp.poll":
            rounds.setdefault(event["fields"]["callvalue"], []).append(event)
    check(min(rounds) == 1, "%s: the first round is %d" % (what, min(rounds)))
    for number, found in rounds.items():
        early = start + (number - 1) * int(PERIOD * 1e9) - found[0]["time"]
        check(early <= 0, "%s: round %d comes %d ns early" % (what, number, early))
        seen = [event["fields"]["cookie"] for event in found]
        check(len(seen) == len(set(seen)), "%s: round %d has a socket twice" % (what, number))
    missed = sum(event["fields"]["count"] for event in shown if event["event"] == "sonde.loss")
    equal(what + ": rounds that are not there, and rounds missed", max(rounds) - len(rounds),
          missed)
    return missed


def rounds_and_misses(net, ordinary):
    """A recorder that is stopped for three periods has missed at least one round, and says so."""
    client, server, listener = connect(net, socket.AF_INET, unread=1)
    args = ("-e", "tcp.poll", "--period", "100ms")
    with net.inside(net.a):
        recorders = {"program": Recorder(*args, "--netns", "self"),
                     "nobody": ordinary.recorder(*args)}
    for what, recorder in recorders.items():
        seen_twice(recorder, client)
        recorder.send(harness.signal.SIGSTOP)
        time.sleep(3 * PERIOD)
        recorder.send(harness.signal.SIGCONT)
        found = len(polls(recorder.trace))
        until(lambda: len(polls(recorder.trace)) > found + 2, "rounds go on")
        equal(what + ": exit status after a miss", recorder.stop(), 3)
        check("rounds of tcp.poll were missed" in recorder.stderr, recorder.stderr)
        check(check_rounds(what, recorder.trace), what + ": no round was missed")
        equal(what + ": lost, as stats has it", harness.stats(recorder.trace)["lost"],
              sum(event["fields"]["count"] for event in events(recorder.trace, good=None)
                  if event["event"] == "sonde.loss"))
    for sock in (client, server, listener):
        sock.close()


def has_all_its_files(recorder):
    """Any task that is made on a CPU may be the first record there, for which the recorder creates a file."""
    cpus = os.sched_getaffinity(0)

    def has_them():
        for cpu in cpus:
            os.sched_setaffinity(0, {cpu})
            subprocess.run(["true"], check=True)
        os.sched_setaffinity(0, cpus)
        return {"cpu%d_level0" % cpu for cpu in cpus} <= set(os.listdir(recorder.trace))
    until(has_them, "each CPU has a stream")


def without_descriptors():
    """A round that fails for want of a descriptor is not for want of time."""
    recorder = Recorder("-e", "tcp.poll", "--period", "100ms", "--netns", "self")
    has_all_its_files(recorder)
    before = resource.prlimit(recorder.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(recorder.pid, resource.RLIMIT_NOFILE, (3, before[1]))  # it has these
    until(lambda: any(event["event"] == "sonde.loss" for event in events(recorder.trace, good=None)), "rounds fail")
    resource.prlimit(recorder.pid, resource.RLIMIT_NOFILE, before)
    equal("without descriptors: exit status", recorder.stop(), 3)
    check(re.search(r"\d  looks of tcp.poll into network namespaces failed: raise ulimit -n\n", recorder.stderr),
          "without descriptors: %s" % recorder.stderr)


def newest(trace):
    found = polls(trace)
    last = max(one["callvalue"] for one in found) if found else 0
    return {one["cookie"] for one in found if one["callvalue"] == last}


def holds_no_namespace(recorder):
    """It looks for namespaces in each round, but none is open between two."""
    links = []
    for fd in os.listdir("/proc/%d/fd" % recorder.pid):
        with contextlib.suppress(OSError):
            links.append(os.readlink("/proc/%d/fd/%s" % (recorder.pid, fd)))
    return not any(link.startswith("net:") for link in links)


def coming_and_going(net):
    first, second = (connect(net, family, unread=1) for family in
                     (socket.AF_INET, socket.AF_INET6))
    kept, gone = cookie(first[0]), cookie(second[0])
    recorder = Recorder("-e", "tcp.poll", "--period", "100ms")
    seen_twice(recorder, first[0], second[0])
    for sock in second:
        sock.close()
    until(lambda: kept in newest(recorder.trace) and gone not in newest(recorder.trace),
          "the closed connection has disappeared")

    late = Net()
    pair = connect(late, socket.AF_INET, unread=1)
    seen_twice(recorder, pair[0], pair[1])
    equal("namespaces of the late connection",
          {one["netns"] for one in polls(recorder.trace)
           if one["cookie"] in (cookie(pair[0]), cookie(pair[1]))},
          {late.inode(late.a), late.inode(late.b)})
    late_cookie = cookie(pair[0])
    for sock in pair:
        sock.close()
    late.remove()
    until(lambda: kept in newest(recorder.trace) and late_cookie not in newest(recorder.trace),
          "the late namespace has disappeared")
    until(lambda: holds_no_namespace(recorder), "the recorder holds no namespace")
    status = recorder.stop()
    ends_well("namespaces that come and go", status, recorder.stderr)
    for sock in first:
        sock.close()


def found_with(net, ordinary, *args, program=True):
    """Cookies that some rounds under a filter have."""
    args = ("-e", "tcp.poll", "--period", "50ms", "-d", "300ms", *args)
    if program:
        trace, done = harness.record(*args, good=None)
    else:
        trace = fresh("ordinary/T")
        with net.inside(net.a):
            done = ordinary.run("record", "-o", trace, *args)
    ends_well(" ".join(args), done.returncode, done.stderr, partial=not program and "--netns" not in args)
    return {one["cookie"] for one in polls(trace)}


def filters(net, ordinary):
    client, server, listener = connect(net, socket.AF_INET, unread=1)
    other = connect(net, socket.AF_INET6, unread=1)
    port = str(client.getsockname()[1])
    both, ours = {cookie(client), cookie(server)}, {cookie(client)}
    for what, program, wanted in (("program", True, both), ("nobody", False, ours)):
        def found(*args, program=program):
            return found_with(net, ordinary, *args, program=program)
        equal(what + ": --port", found("--port", port), wanted)
        equal(what + ": --netns self", found("--netns", "self" if not program else net.a, "--port", port), ours)
        equal(what + ": --addr", found("--addr", net.v4[net.b] + "/32"), wanted)
        equal(what + ": --uid", found("--uid", str(NOBODY), "--port", port), set())
        equal(what + ": --uid of root", found("--uid", "0", "--port", port), wanted)

    # A process of nobody that has one of the sockets open, and does nothing with it.
    holder = subprocess.Popen(["sleep", "600"], user=NOBODY, group=NOBODY, extra_groups=[],
                              pass_fds=[client.fileno()])
    harness.cleanups.append(holder.kill)
    until(lambda: os.readlink("/proc/%d/exe" % holder.pid).endswith("sleep"), "it sleeps")
    equal("program: --pid of one that does nothing",
          found_with(net, ordinary, "--pid", str(holder.pid)), ours)
    equal("nobody: --pid", found_with(net, ordinary, "--pid", str(holder.pid), program=False),
          ours)
    equal("nobody: --comm", found_with(net, ordinary, "--comm", "slee*", program=False), ours)
    equal("nobody: --comm of nobody", found_with(net, ordinary, "--comm", "sleepy",
                                                 program=False), set())
    holder.kill()
    holder.wait()
    with net.inside(net.a):
        trace = fresh("ordinary/T")
        done = ordinary.run("record", "-o", trace, "-e", "tcp.poll", "--period", "50ms", "--",
                            "sh", "-c", "sleep 0.5", pass_fds=[other[0].fileno()])
    ends_well("a command", done.returncode, done.stderr, partial=True)
    equal("nobody: a command and its child", {one["cookie"] for one in polls(trace)},
          {cookie(other[0])})
    done = ordinary.run("record", "-o", fresh("ordinary/T"), "-e", "tcp.poll", "--netns", net.a)
    equal("nobody: --netns of another", done.returncode, 5)
    for sock in (client, server, listener, *other):
        sock.close()


def control(ordinary):
    recorder = ordinary.recorder("-e", "tcp.poll", "--period", "50ms")
    told = json.loads(ordinary.run("status", "--json").stdout)
    equal("status: what is on", told["on"], ["tcp.poll"])
    equal("disable", ordinary.run("disable", "tcp.poll").returncode, 0)
    equal("status: what is off", json.loads(ordinary.run("status", "--json").stdout)["on"], [])
    equal("enable", ordinary.run("enable", "tcp.poll").returncode, 0)
    refused = ordinary.run("enable", "sched.switch")
    check("not permitted" in refused.stdout + refused.stderr, "enable: %s" % refused)
    equal("snapshot", ordinary.run("snapshot").returncode, 0)
    stopped = ordinary.run("stop").returncode
    status = recorder.wait()
    equal("stop", stopped, status)
    ends_well("the stopped recorder", status, recorder.stderr, partial=True)
    equal("when it was on", [event["fields"]["on"] for event in events(recorder.trace, good=None)
                             if event["event"] == "sonde.state" and
                             event["fields"]["measurement"] == "tcp.poll"], [1, 0, 1, 0])


def what_nobody_is_told(ordinary):
    trace = fresh("ordinary/T")
    done = ordinary.run("record", "-d", "1ms", "-o", trace)
    equal("no -e: exit status", done.returncode, 5)
    check("CAP_BPF" in done.stderr and "'-e tcp.poll' needs none" in done.stderr, done.stderr)
    done = ordinary.run("record", "-e", "sched", "-d", "1ms", "-o", trace)
    equal("-e sched: exit status", done.returncode, 5)
    done = ordinary.run("record", "-e", "tcp.poll", "--mode", "overwrite", "-d", "1ms", "-o",
                        trace)
    equal("--mode overwrite: exit status", done.returncode, 5)
    check(not os.path.exists(trace), "a trace that holds nothing")
    done = ordinary.run("record", "-e", "tcp.poll,tcp.ack", "-d", "1ms", "-o", trace)
    ends_well("-e tcp.poll,tcp.ack", done.returncode, done.stderr, partial=True)
    check("1 of the measurements" in done.stderr and "CAP_BPF" in done.stderr, done.stderr)
    shown = {one["name"]: one for one in json.loads(ordinary.run("list", "--json").stdout)}
    equal("list: tcp.poll", (shown["tcp.poll"]["state"], shown["tcp.poll"]["hook"]),
          ("off", "inet_diag"))
    equal("list: tcp.ack", shown["tcp.ack"]["state"], "forbidden")
    done = ordinary.run("doctor")
    equal("doctor: exit status", done.returncode, 5)
    check("sonde record -e tcp.poll" in done.stdout, done.stdout)
    for wrong in ("0", "9ms", "25h", "x"):
        equal("--period " + wrong, ordinary.run("record", "--period", wrong).returncode, 2)


def main():
    require_root()
    shown = json.loads(run(SONDE, "list", "--json", "tcp.poll").stdout)[0]
    equal("hooks", [hook["hook"] for hook in shown["hooks"]], ["iter/tcp", "inet_diag"])
    net, ordinary = Net(), Ordinary()
    for family in (socket.AF_INET, socket.AF_INET6):
        compare_all(net, family, ordinary)
    rounds_and_misses(net, ordinary)
    without_descriptors()
    coming_and_going(net)
    filters(net, ordinary)
    control(ordinary)
    what_nobody_is_told(ordinary)
    finish()


main()
