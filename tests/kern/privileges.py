#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a recorder, its threads that talk with others, a reader and a relay have given up, as the kernel
tells; that the recorder does all the same what it is asked later; and that its COMMAND has given up nothing."""
import os
import stat
import subprocess

import harness
from harness import (SONDE, Recorder, check, cleanups, equal, events, finish, fresh, path, require_root, run,
                     until)

KEPT = {"dac_read_search": 2, "kill": 5, "net_admin": 12, "sys_ptrace": 19, "sys_admin": 21, "syslog": 34,
        "perfmon": 38, "bpf": 39}
OWN = KEPT.keys() - {"kill"}  # of a recorder without a COMMAND


def status(pid, task=None):
    """Of /proc/PID/status, what is about privileges."""
    with open("/proc/%d/task/%d/status" % (pid, task or pid)) as file:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {"effective": int(fields["CapEff"], 16), "permitted": int(fields["CapPrm"], 16),
            "no_new": fields["NoNewPrivs"], "seccomp": fields["Seccomp"]}


def threads(pid):
    return {task: status(pid, int(task)) for task in os.listdir("/proc/%d/task" % pid)}


def mask(names):
    return sum(1 << KEPT[name] for name in names)


def check_confined(what, got, names=()):
    equal(what + ": capabilities", hex(got["effective"]), hex(mask(names)))
    equal(what + ": permitted", hex(got["permitted"]), hex(mask(names)))
    equal(what + ": no_new_privs", got["no_new"], "1")
    equal(what + ": seccomp", got["seccomp"], "2")


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
    check(len(found) >= 2, "threads of the recorder: %r" % found)
    for task, got in found.items():
        check_confined("thread " + task, got)
    equal("mode of the trace", oct(stat.S_IMODE(os.stat(recorder.trace).st_mode)), "0o700")
    equal("modes in the trace", modes(recorder.trace), {"0o700", "0o600"})
    for words in (["enable", "disk.queue"], ["enable", "tcp.poll"], ["enable", "net.tcp_recv"], ["enable", "cpu.sample"],
                  ["disable", "sched.switch"], ["enable", "sched.switch"]):
        done = run(SONDE, *words[:1], "-r", "kept", *words[1:], good=False)
        equal("%s: status, %s" % (" ".join(words), done.stderr), done.returncode, 0)
    ends = recorder.stop()
    check(ends in (0, 3), "the recorder ends with %d: %s" % (ends, recorder.stderr))
    return recorder.trace


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
    check_confined("recorder of a COMMAND", status(recorder.pid), KEPT)
    recorder.terminate()
    recorder.wait()


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
check_snapshot()
check_command()
check_reader(with_events)
check_relay(with_events)
finish()
