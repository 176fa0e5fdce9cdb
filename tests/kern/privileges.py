#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a recorder and its warden, its threads that talk with others, a reader, a relay and the classic tools have given up,
as the kernel reports it; that the recorder does all the same what it is asked later, by its warden; that it says so when the
warden ends; and that its COMMAND has given up nothing."""
import contextlib
import json
import os
import re
import select
import signal
import socket
import stat
import subprocess

import harness
from harness import (PATIENCE, SONDE, Net, Recorder, check, cleanups, equal, events, finish, fresh, path, programs_of,
                     read_line, require_root, run, until)

BITS = {"dac_read_search": 2, "kill": 5, "net_admin": 12, "sys_ptrace": 19, "sys_admin": 21, "syslog": 34,
        "perfmon": 38, "bpf": 39}
OWN = {"net_admin", "perfmon", "bpf"}  # of a recorder
WARDEN = {"dac_read_search", "net_admin", "sys_ptrace", "sys_admin", "syslog", "perfmon", "bpf"}


def status(pid, task=None):
    """Of /proc/PID/status, what is about privileges."""
    with open("/proc/%d/task/%d/status" % (pid, task or pid)) as file:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {"effective": int(fields["CapEff"], 16), "permitted": int(fields["CapPrm"], 16),
            "no_new": fields["NoNewPrivs"], "seccomp": fields["Seccomp"]}


def threads(pid):
    found = {}
    for task in os.listdir("/proc/%d/task" % pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may end meanwhile
            found[task] = status(pid, int(task))
    return found


def mask(names):
    return sum(1 << BITS[name] for name in names)


def check_confined(what, got, names=()):
    equal(what + ": capabilities", hex(got["effective"]), hex(mask(names)))
    equal(what + ": permitted", hex(got["permitted"]), hex(mask(names)))
    equal(what + ": no_new_privs", got["no_new"], "1")
    equal(what + ": seccomp", got["seccomp"], "2")


def warden_of(pid):
    """The process that does what takes privileges."""
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        children = [int(child) for child in file.read().split()]
    found = []
    for child in children:
        with open("/proc/%d/comm" % child) as file:
            if file.read().strip() == "sonde-warden":
                found.append(child)
    equal("wardens of a recorder", len(found), 1)
    return found[0]


def check_warden(what, pid, names=WARDEN):
    until(lambda: len(threads(pid)) == 2, "the warden has both of its threads")
    for task, got in threads(pid).items():
        check_confined("warden of %s, thread %s" % (what, task), got, names)
    for name in os.listdir("/proc/%d/fd" % pid):
        where = os.readlink("/proc/%d/fd/%s" % (pid, name))
        check(where == "/dev/null" or where.startswith("socket:") or where == "anon_inode:[pidfd]",
              "the warden of %s has %s open" % (what, where))


def modes(top):
    return {oct(stat.S_IMODE(os.stat(os.path.join(at, name)).st_mode))
            for at, dirs, files in os.walk(top) for name in dirs + files}


def check_recorder():
    """Its own thread keeps what measurements take; the one that serves viewers keeps nothing."""
    os.umask(0o022)
    recorder = Recorder("-e", "sched.switch", "--serve=127.0.0.1:0", "--name", "kept", "--compress")
    until(lambda: all(one["seccomp"] == "2" for one in threads(recorder.pid).values()),
          "the recorder's threads drop their privileges, or have ended")
    found = threads(recorder.pid)
    check_confined("recorder", found.pop(str(recorder.pid)), OWN)
    warden = warden_of(recorder.pid)
    check_warden("the recorder", warden)
    check(len(found) >= 2, "threads of the recorder: %r" % found)
    for task, got in found.items():
        check_confined("thread " + task, got)
    equal("mode of the trace", oct(stat.S_IMODE(os.stat(recorder.trace).st_mode)), "0o700")
    equal("modes in the trace", modes(recorder.trace), {"0o700", "0o600"})
    for words in (["enable", "disk.queue"], ["enable", "tcp.poll"], ["enable", "net.tcp_recv"], ["enable", "cpu.sample"],
                  ["disable", "sched.switch"], ["enable", "sched.switch"]):
        done = run(SONDE, *words[:1], "-r", "kept", *words[1:], good=False)
        equal("%s: status, %s" % (" ".join(words), done.stderr), done.returncode, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(warden, number)  # as a terminal and a service manager send it to all of them
    ends = recorder.stop()
    check(ends in (0, 3), "the recorder ends with %d: %s" % (ends, recorder.stderr))
    until(lambda: not os.path.exists("/proc/%d" % warden), "the warden ends with its recorder")
    return recorder.trace


def connected(net):
    listener = net.listen(net.a)
    return listener, *net.connect(net.b, listener)


def seen(recorder, name):
    """Whatever was lost: a busy machine may miss a round of tcp.poll, or fill a ring."""
    return events(recorder.trace, "-e", name, good=None)


def polled(recorder, name):
    return [event for event in seen(recorder, "tcp.poll")
            if event.get("names", {}).get("netns") == name]


def constant(pid, program, name):
    """A constant of one of the recorder's programs, as it is in the kernel."""
    maps = [number for one in json.loads(run("bpftool", "prog", "-j").stdout)
            if one["id"] in programs_of(pid) and one["name"] == program for number in one["map_ids"]]
    text = "".join(run("bpftool", "-j", "map", "dump", "id", str(number), good=False).stdout for number in maps)
    found = re.search('"%s":([0-9]+)' % name, text)
    return int(found[1]) if found else None


def address_of(name):
    """0 where the kernel hides it."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        return next(int(line.split()[0], 16) for line in file if line.split()[2] == name)


def check_later():
    """What comes after the drop: namespaces, processes, measurements, functions of the kernel, the run time of programs."""
    recorder = Recorder("-e", "tcp.poll", "--name", "later")
    equal("enable: status", run(SONDE, "enable", "-r", "later", "net.ip_send", "net.drop", "cpu.sample",
                                good=False).returncode, 0)
    equal("the kernel's function that is told of devices", constant(recorder.pid, "netns_made", "cfg_device_notifier"),
          address_of("inetdev_event"))
    net = Net()  # with netfilter links and polls in both
    sockets = connected(net)
    until(lambda: polled(recorder, net.a) and polled(recorder, net.b), "connections in new namespaces are polled")

    def sent():
        sockets[1].send(b"x")
        return [event for event in seen(recorder, "net.ip_send")
                if event["fields"]["netns"] == net.inode(net.b)]
    until(sent, "packets of a new namespace are recorded")

    def dropped():
        with net.inside(net.b):
            closed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        closed.sendto(b"x", (net.v4[net.a], 9))
        closed.close()
        return [event for event in seen(recorder, "net.drop") if "location" in event.get("names", {})]
    if address_of("schedule"):
        until(dropped, "functions of the kernel have names")
    # Another user's: its mappings take a privilege.
    busy = subprocess.Popen(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sha256sum", "/dev/zero"])
    cleanups.append(busy.kill)
    until(lambda: any(event["names"]["pc"].startswith("sha256sum+") or event["names"]["pc"].startswith("libcrypto")
                      for event in seen(recorder, "cpu.sample")
                      if event["tid"] == busy.pid and "pc" in event.get("names", {})),
          "code of a process that came later has its file's name")
    busy.kill()
    busy.wait()
    for sock in sockets:
        sock.close()
    ends = recorder.stop()
    check(ends in (0, 3), "the recorder ends with %d: %s" % (ends, recorder.stderr))
    check("What it cost while it was on" in recorder.stderr, "the cost of programs: %s" % recorder.stderr)


def check_without_warden():
    """It says so at once, and what it needs no warden for goes on."""
    recorder = Recorder("-e", "tcp.poll,sched.exec", "--name", "alone")
    warden = warden_of(recorder.pid)
    os.kill(warden, signal.SIGKILL)
    says = read_line(recorder.process.stderr)
    while "privileged process has ended" not in says and says:
        says = read_line(recorder.process.stderr)
    check(says, "the recorder does not say that its warden has ended")
    refused = run(SONDE, "enable", "-r", "alone", "disk.queue", good=False)
    equal("enable without a warden: status, %s" % refused.stderr, refused.returncode, 0)
    run("true")
    until(lambda: any(event["fields"]["filename"].endswith("/true") for event in events(recorder.trace, "-e", "sched.exec")),
          "it records on")
    equal("exit status without a warden", recorder.stop(), 6)
    check("privileged process has ended" in recorder.stderr, "the summary: %s" % recorder.stderr)
    # And the other way round.
    recorder = Recorder("-e", "sched.switch")
    warden = os.pidfd_open(warden_of(recorder.pid))
    recorder.kill()
    check(select.select([warden], [], [], PATIENCE)[0], "a warden outlives a recorder that was killed")
    os.close(warden)


def check_classic():
    """Their own threads read what a recorder's thread records."""
    for argv in ([SONDE, "pscmonitor", "-q", path("classic.pm")], [SONDE, "iscan", "-o", path("classic.meas")]):
        tool = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)
        cleanups.append(tool.kill)
        until(lambda: len(threads(tool.pid)) >= 2 and
              all(one["seccomp"] == "2" for one in threads(tool.pid).values()), argv[1] + " drops its privileges")
        kept = sorted(got["permitted"] for got in threads(tool.pid).values())
        equal(argv[1] + ": kept", (hex(kept[0]), hex(kept[-1])), (hex(0), hex(mask(OWN))))
        check_confined(argv[1], status(tool.pid))
        check_warden(argv[1], warden_of(tool.pid))
        tool.send_signal(signal.SIGINT)
        said = tool.communicate(timeout=PATIENCE)[1]
        check(tool.returncode in (0, 3), "%s ends with %d: %s" % (argv[1], tool.returncode, said))


def check_snapshot():
    recorder = Recorder("-e", "sched.switch", "--mode", "overwrite", "--name", "flight", "--permissions", "640")
    equal("snapshot: status", run(SONDE, "snapshot", "-r", "flight", good=False).returncode, 0)
    check(events(recorder.trace, "-e", "sched.switch"), "nothing in the snapshot")
    equal("modes of --permissions 640", modes(recorder.trace), {"0o750", "0o640"})
    recorder.stop()


def check_command():
    """It has what its user has, as if nothing recorded it."""
    os.umask(0o022)
    plain = subprocess.run(["grep", "-E", "Cap|NoNew|Seccomp:|Umask", "/proc/self/status"],
                           capture_output=True, text=True).stdout
    done = run(SONDE, "record", "-q", "-e", "sys.enter", "-o", fresh(), "--", "grep", "-E",
               "Cap|NoNew|Seccomp:|Umask", "/proc/self/status")
    equal("of the COMMAND", done.stdout, plain)
    recorder = subprocess.Popen([SONDE, "record", "-q", "-e", "sys.enter", "-o", fresh(), "--", "sleep", "60"])
    cleanups.append(recorder.kill)
    until(lambda: harness.waits_for_events(recorder.pid), "the recorder of a COMMAND waits")
    check_confined("recorder of a COMMAND", status(recorder.pid), OWN)
    check_warden("a COMMAND", warden_of(recorder.pid), WARDEN | {"kill"})
    recorder.terminate()
    recorder.wait()
    # One that has become another user's by then takes a privilege to end.
    recorder = subprocess.Popen([SONDE, "record", "-q", "-e", "sys.enter", "-o", fresh(), "--", "setpriv", "--reuid=65534",
                                 "--regid=65534", "--clear-groups", "sleep", "600"])
    cleanups.append(recorder.kill)
    until(lambda: any(comm == "sleep" for comm in commands(recorder.pid)), "the COMMAND sleeps")
    recorder.terminate()
    equal("recorder of another user's COMMAND", recorder.wait(PATIENCE), 0)


def commands(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        children = file.read().split()
    found = []
    for child in children:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open("/proc/%s/comm" % child) as comm:
            found.append(comm.read().strip())
    return found


def check_reader(trace):
    """One that follows a trace that is being written, so that there is time to look at it."""
    recorder = Recorder("-e", "sched.switch")
    reader = subprocess.Popen([SONDE, "print", "--follow", recorder.trace], stdout=subprocess.PIPE)
    cleanups.append(reader.kill)
    check(reader.stdout.readline(), "the reader shows nothing")
    check_confined("reader", status(reader.pid))
    recorder.stop()
    reader.stdout.read()
    equal("reader: status", reader.wait(), 0)
    # What is another user's, root may still read, and that is what it keeps.
    theirs = path("theirs")
    run("cp", "-r", trace, theirs)
    run("chown", "-R", "65534:65534", theirs)
    count = len(events(trace, "-e", "sched.switch"))
    equal("of another user's trace", len(events(theirs, "-e", "sched.switch")), count)
    run(SONDE, "convert", theirs, "-o", path("copy"))
    equal("converted", len(events(path("copy"), "-e", "sched.switch")), count)


def check_relay(trace):
    relay = subprocess.Popen([SONDE, "serve", "--live", "127.0.0.1:0", "--name", "kept-relay", trace],
                             stderr=subprocess.PIPE, text=True)
    cleanups.append(relay.kill)
    check("net://" in relay.stderr.readline(), "the relay does not say where")
    until(lambda: status(relay.pid)["seccomp"] == "2", "the relay drops its privileges")
    check_confined("relay", status(relay.pid))
    equal("stop: status", run(SONDE, "stop", "-r", "kept-relay", good=False).returncode, 0)
    relay.wait()
    equal("sockets that are left", [name for name in os.listdir(os.environ["SONDE_RUNTIME_DIR"])
                                    if name.endswith(".relay")], [])


require_root()
with_events = check_recorder()
check_later()
check_without_warden()
check_classic()
check_snapshot()
check_command()
check_reader(with_events)
check_relay(with_events)
finish()
