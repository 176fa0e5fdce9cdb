#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the kernel refuses, a program or all of them, and what it lacks: the rest runs, and each
measurement that does not says why."""
import errno
import json
import subprocess

import harness
from harness import (SONDE, Net, Recorder, check, cleanups, equal, events, finish, fresh, preloaded,
                     programs_of, require_root, run)
from undisturbed import Scenarios

undisturbed = Scenarios("disk", "sched", "tcp")

FIN_WAIT1 = "04"  # in /proc/net/tcp: closed, and the other side has not answered yet


def preload(*programs):
    """The environment in which the kernel refuses these programs."""
    return preloaded("refuse") | {"SONDE_TEST_REFUSE": ",".join(programs)}


def record_refused(programs, *args, command=("true",)):
    trace = fresh()
    done = subprocess.run([SONDE, "record", "-o", trace, *args, "--", *command],
                          capture_output=True, text=True, timeout=harness.PATIENCE,
                          env=preload(*programs))
    return trace, done


def names_in(trace):
    return {event["event"] for event in events(trace)}


def one_of_a_group():
    trace, done = record_refused(["sched_fork"], "-e", "sched", command=("sh", "-c", "true; true"))
    equal("one refused: status", done.returncode, 6)
    check("sched.fork is unavailable: the kernel refuses to load it: Permission denied: R1 invalid "
          "mem access 'a test'" in done.stderr, "one refused: it says " + done.stderr)
    equal("one refused: warnings", done.stderr.count("unavailable"), 1)
    seen = names_in(trace)
    check({"sched.switch", "sched.exec", "sched.exit"} <= seen and "sched.fork" not in seen,
          "one refused: events %s" % seen)
    with open(trace + "/metadata", "rb") as file:
        check(b'name = "sched.fork"' not in file.read(), "one refused: the trace claims it")


def a_part():
    """A measurement of several programs needs them all; what others make of them goes on."""
    trace, done = record_refused(["disk_merge_fr"], "-e", "disk", "-e", "sched.exec")
    equal("a part refused: status", done.returncode, 6)
    equal("a part refused: warnings", [line for line in done.stderr.splitlines()
                                       if "unavailable" in line and "disk.merge" not in line], [])
    check("disk.merge is unavailable" in done.stderr, "a part refused: it says " + done.stderr)
    equal("a part refused: events", names_in(trace) & {"sched.exec"}, {"sched.exec"})


def what_tells_of_owners():
    """Requests are recorded without it, and who made their pages dirty is not known: that is said."""
    trace, done = record_refused(["disk_dirtier"], "-e", "disk.issue,sched.exec")
    equal("a service refused: status", done.returncode, 6)
    said = [line for line in done.stderr.splitlines() if "it is not known" in line]
    equal("a service refused: times it is said", len(said), 1)
    check(said and said[0].startswith("sonde record: it is not known which tasks made the pages dirty that kernel threads "
                                      "write back (tp_btf/writeback_dirty_folio: the kernel refuses to load it"),
          "a service refused: it says " + done.stderr)
    check("complete" not in done.stderr, "a service refused: " + done.stderr)
    equal("a service refused: events", names_in(trace) & {"sched.exec"}, {"sched.exec"})
    unused, done = record_refused(["disk_dirtier"], "-e", "sched.exec")
    equal("a service that nothing needs: status", done.returncode, 0)


def connects(net, listener):
    """The command of a client that connects, closes, and waits until the other side has answered."""
    return ("ip", "netns", "exec", net.a, "python3", "-c",
            "import socket\nsocket.create_connection(%r).close()\n"
            "while ' %s ' in open('/proc/net/tcp').read(): pass" %
            (listener.getsockname()[:2], FIN_WAIT1))


def program_names(pid):
    ids = programs_of(pid)
    return {one["name"] for one in json.loads(run("bpftool", "prog", "-j").stdout)
            if one["id"] in ids}


def one_program_of_two_measurements():
    net = Net()
    listener = net.listen(net.b)
    trace, done = record_refused(
        ["tcp_arrival", "tcp_segment"], "-e", "tcp", "--netns", net.a,
        command=connects(net, listener))
    equal("two refused: status", done.returncode, 6)
    check("tcp.ack is unavailable" in done.stderr and "tcp.cwnd is unavailable" in done.stderr,
          "two refused: it says " + done.stderr)
    equal("two refused: the others", names_in(trace) & {"tcp.state", "tcp.close", "tcp.ack"},
          {"tcp.state", "tcp.close"})


def an_alternative():
    """What the kernel refuses at the best hook is made at the next one, with all that goes there."""
    net = Net()
    listener = net.listen(net.b)
    recorder = Recorder("-e", "tcp.ack", "--netns", net.a, env=preload("tcp_arrival"))
    equal("an alternative: programs", {name for name in program_names(recorder.pid)
                                       if name.startswith("tcp_")},
          {"tcp_segment", "tcp_segment_nested"})
    client, server = net.connect(net.a, listener)
    server.send(b"x")
    equal("an alternative: data", client.recv(1), b"x")
    equal("an alternative: status", recorder.stop(), 6)
    equal("an alternative: warnings", recorder.stderr.count("unavailable"), 0)
    check("sonde record: tcp.ack is measured in part: tp_btf/tcp_probe misses segments that arrive "
          "after close() or shutdown() (the kernel refuses to load it" in recorder.stderr,
          "an alternative: the summary says " + recorder.stderr)
    equal("an alternative: events", names_in(recorder.trace) & {"tcp.ack"}, {"tcp.ack"})


def all_of_them():
    trace, done = record_refused(["sched_exec"], "-e", "sched.exec")
    equal("all refused: status", done.returncode, 5)
    check("sched.exec is unavailable" in done.stderr and
          "none of the chosen measurements can run here" in done.stderr,
          "all refused: it says " + done.stderr)


def refused_when_enabled():
    """The recorder goes on, and the client is told."""
    recorder = Recorder("-e", "sched.exec", env=preload("sys_enter"))
    done = run(SONDE, "enable", "sys", good=False)
    text = done.stdout + done.stderr
    check("sys.enter" in text and "refuses" in text and "sys.exit" in text,
          "enabled, refused: %d: %s" % (done.returncode, text))
    told = json.loads(run(SONDE, "status", "--json").stdout.splitlines()[0])
    equal("enabled, refused: what is on", told["on"], ["sys.exit", "sched.exec"])
    run("true")
    equal("enabled, refused: status", recorder.stop(), 0)
    check({"sched.exec", "sys.exit"} <= names_in(recorder.trace), "enabled, refused: no events")


def too_few_files():
    """Some or all of it, but never nothing said."""
    for files in (12, 24, 48, 96):
        done = subprocess.run(["prlimit", "--nofile=%d" % files, SONDE, "record", "-o", fresh(),
                               "-e", "*", "-d", "10ms"], capture_output=True, text=True,
                              timeout=harness.PATIENCE)
        # What libbpf could not open it may call something else.
        check(done.returncode == 0 or (done.returncode == 3 and "LOST" in done.stderr) or
              (done.returncode in (1, 5) and (
                  "Too many open files" in done.stderr or "loading the programs fails" in done.stderr)),
              "%d files: %d: %s" % (files, done.returncode, done.stderr))


def without_a_capability():
    """CAP_BPF alone loads no program that traces: said at once, with what would help."""
    done = record_without("perfmon", "sys_admin", patterns=["sched.exec"])
    equal("without CAP_PERFMON: status", done.returncode, 5)
    check("CAP_PERFMON" in done.stderr, "without CAP_PERFMON: it says " + done.stderr)


def without_netfilter():
    """What needs its hooks names the capability; what has another way takes that."""
    done = record_without("net_admin", "sys_admin", patterns=["net"])
    equal("without CAP_NET_ADMIN: status", done.returncode, 6)
    missing = [line.split()[2] for line in done.stderr.splitlines() if "CAP_NET_ADMIN" in line]
    equal("without CAP_NET_ADMIN: missing", missing, ["net.ip_send", "net.tcp_recv",
                                                      "net.udp_recv"])
    equal("without CAP_NET_ADMIN: all that is", done.stderr.count("unavailable"), len(missing))


def without_hooks_of_cgroups():
    """What tells of segments after close() has another hook for those before. Where no root of the cgroups is mounted it is
    out of reach without CAP_SYS_ADMIN."""
    listed = subprocess.run([*without("net_admin", "sys_admin"), SONDE, "list", "--json", "tcp.ack"], capture_output=True,
                            text=True, timeout=harness.PATIENCE, check=True)
    hook = next(one for one in json.loads(listed.stdout)[0]["hooks"] if one["hook"] == "cgroup_skb/ingress")
    why = hook["reason"] or "the kernel refuses to attach it: Operation not permitted: it takes CAP_NET_ADMIN"
    done = record_without("net_admin", "sys_admin", patterns=["tcp.ack,tcp.cwnd,tcp.send"])
    equal("tcp without CAP_NET_ADMIN: status", done.returncode, 6)
    equal("tcp without CAP_NET_ADMIN: all that is, at the end",
          sorted(line for line in done.stderr.splitlines() if "measured in part" in line or "unavailable" in line),
          ["sonde record: tcp.ack, tcp.cwnd are measured in part: tp_btf/tcp_probe misses segments that arrive after "
           "close() or shutdown() (%s)" % why])


def without_addresses_of_the_kernel():
    """What iomap has of a folio is known by the address of its function."""
    hide_addresses()
    misses = "what a write adds to a folio that is dirty in other places, of XFS and others by iomap"
    why = "/proc/kallsyms shows addresses only to root with CAP_SYSLOG, and with the sysctl kernel.kptr_restrict below 2"
    said = "sonde record: fs.write is measured in part: tp_btf/iomap_iter misses %s (%s)" % (misses, why)
    done = record_without("syslog", patterns=["fs"])
    equal("without CAP_SYSLOG: status", done.returncode, 6)
    equal("without CAP_SYSLOG: all that is measured in part, at the start and at the end",
          [line for line in done.stderr.splitlines() if "measured in part" in line], [said, said])
    done = subprocess.run([*without("syslog"), SONDE, "doctor", "--json"], capture_output=True, text=True,
                          timeout=harness.PATIENCE)
    equal("doctor without CAP_SYSLOG: status", done.returncode, 6)
    equal("doctor without CAP_SYSLOG", [one["misses"] for one in json.loads(done.stdout)["limited"]
                                        if one["name"] == "fs.write"], [misses])
    equal("with CAP_SYSLOG: status", record_without("wake_alarm", patterns=["fs"]).returncode, 0)


def hide_addresses():
    """From all who do not have CAP_SYSLOG, whatever this machine's sysctls are."""
    with open("/proc/sys/kernel/kptr_restrict", encoding="ascii") as file:
        before = file.read()

    def restrict(value):
        with open("/proc/sys/kernel/kptr_restrict", "w", encoding="ascii") as file:
            file.write(value)
    if before.strip() != "1":
        cleanups.append(lambda: restrict(before))
        restrict("1")


def without_samples():
    """A kernel of Debian's wants more for samples than for programs: everybody who is asked says what."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        paranoid = file.read().strip()
    why = "perf_event_open needs CAP_SYS_ADMIN here, or the sysctl kernel.perf_event_paranoid at 2 or less (it is %s)" % paranoid
    for error, says in ((errno.EACCES, why), (errno.EPERM, "perf_event_open fails: Operation not permitted")):
        env = preloaded("refuse") | {"SONDE_TEST_REFUSE_PERF": str(error)}

        def sonde(*args, env=env):
            return subprocess.run([SONDE, *args], capture_output=True, text=True, timeout=harness.PATIENCE, env=env)
        listed = json.loads(sonde("list", "--json", "cpu.sample").stdout)[0]
        equal("list", (listed["state"], listed["reason"]), ("unavailable", says))
        done = sonde("doctor", "--json")
        equal("doctor", (done.returncode, {"name": "cpu.sample", "reason": says} in json.loads(done.stdout)["unavailable"]),
              (6, True))
        done = sonde("record", "-e", "cpu.sample,sched.exec", "-d", "10ms", "-o", fresh())
        equal("record: status", done.returncode, 6)
        check("sonde record: cpu.sample is unavailable: " + says in done.stderr, "record: " + done.stderr)


def without(*capabilities):
    """The beginning of a command that has not got these."""
    words = ",".join("-" + capability for capability in capabilities)
    return ["setpriv", "--bounding-set", words, "--inh-caps", words]


def record_without(*capabilities, patterns):
    return subprocess.run([*without(*capabilities), SONDE, "record", "-o", fresh(), "-d", "10ms",
                           *(word for pattern in patterns for word in ("-e", pattern))],
                          capture_output=True, text=True, timeout=harness.PATIENCE)


require_root()
for test in (one_of_a_group, a_part, what_tells_of_owners, one_program_of_two_measurements, an_alternative,
             all_of_them, refused_when_enabled, too_few_files, without_a_capability, without_netfilter,
             without_hooks_of_cgroups, without_samples, without_addresses_of_the_kernel):
    undisturbed(test)
finish()
