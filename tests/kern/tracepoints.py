#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's own tracepoints: each is described, and what is recorded of them is what sched.* and
perf record beside it, event by event."""
import collections
import json
import os
import re
import resource
import shutil
import socket
import subprocess

from harness import (SONDE as sonde_path, Actor, Recorder, actor_path, check, equal, events, finish, fresh, path,
                     record, require_root, run, skip, stats)
from mounts import TRACEFS, has_tracefs
from undisturbed import Scenarios

undisturbed = Scenarios("disk", "irq", "sched", "tcp")

SONDE = os.path.abspath(sonde_path)
CALLS = 5000
DATAGRAMS = 300
COMMANDS = 20
LIMIT = 256
# Kernel: what __trace_sched_switch_state gives; ours is the task's own state.
PREEMPTED, IDLE_STATE, DEAD_STATE = 256, 0x402, 0x80


def sonde(*args):
    return run(SONDE, *args, good=False)


def of(name, everything):
    return [event for event in everything if event["event"] == name]


def every_tracepoint_is_described():
    """All that the kernel names are listed, and each can be recorded or says why not."""
    with open(TRACEFS + "/available_events", encoding="ascii") as file:
        there = ["kernel:" + line for line in file.read().split()]
    listed = json.loads(sonde("list", "--json", "kernel:*").stdout)
    equal("listed", sorted(item["name"] for item in listed), sorted(there))
    for item in listed:
        if item["state"] != "off":
            print("%s: %s" % (item["name"], item["reason"]))
    equal("not understood", [item["name"] for item in listed if item["state"] != "off"], [])
    for item in listed:
        told = described(item["name"])
        got = {field["name"] for field in item["fields"]}
        check(told <= got, "%s lacks %s" % (item["name"], told - got))
    check(str(len(there)) in sonde("list").stdout.splitlines()[-1], "the plain list counts them")
    check(not [name for name in sonde("list", "--names").stdout.split() if "kernel" in name],
          "the plain list has some of them")


def described(name):
    """Names of its fields, read with other eyes."""
    unused, group, event = name.split(":")
    with open("%s/events/%s/%s/format" % (TRACEFS, group, event), encoding="ascii") as file:
        found = re.findall(r"field:[^;]*?(\w+)(?:\[[^]]*\])?;", file.read())
    return {field for field in found if not field.startswith("common_")}


def kernel_switch(event):
    """What both tell of a switch, from the kernel's own tracepoint."""
    fields = event["fields"]
    return (fields["prev_pid"], fields["next_pid"], fields["prev_comm"], fields["next_comm"],
            fields["prev_prio"], fields["next_prio"], fields["prev_state"])


def reported(state):
    """States of ours that the kernel's tracepoint reports as which."""
    if not state:
        return {0, PREEMPTED}
    if state == IDLE_STATE:
        return {128}
    if state == DEAD_STATE:
        return {16, 32}
    return {state & 0x7f or 2}


def same_switch(ours, theirs):
    fields = ours["fields"]
    got = kernel_switch(theirs)
    return got[:6] == (ours["tid"], fields["next_tid"], fields["prev_comm"], fields["next_comm"],
                       fields["prev_prio"], fields["next_prio"]) and (
                           got[6] in reported(fields["prev_state"]))


def switches_agree():
    """Each CPU's switches as sched.switch has them, but for what one of the two programs saw before
    the other was attached, or after it was gone."""
    recorder = Recorder("-a", "-e", "sched.switch,kernel:sched:sched_switch", "--buffer", "32M")
    sleepers = [Actor("rounds", "10") for unused in range(4)]
    for unused in range(200):
        for sleeper in sleepers:
            sleeper.start()
        for sleeper in sleepers:
            sleeper.done()
    for sleeper in sleepers:
        sleeper.end()
    equal("exit status", recorder.stop(), 0)
    everything = events(recorder.trace)
    # Between the recorder and the idle task nobody is concerned: sched.switch leaves it out.
    others = {event["tid"] for event in of("sched.switch", everything)
              if event["fields"]["prev_pid"] != recorder.pid}
    nobody = {0} | {event["tid"] for event in everything if event.get("comm") == "sonde"} - others
    compared = 0
    for cpu in {event["cpu"] for event in of("sched.switch", everything)}:
        mine = [event for event in of("sched.switch", everything) if event["cpu"] == cpu]
        theirs = [event for event in of("kernel:sched:sched_switch", everything)
                  if event["cpu"] == cpu and
                  {event["fields"]["prev_pid"], event["fields"]["next_pid"]} - nobody]
        compared += pair_up(cpu, mine, theirs)
    check(compared >= 1000, "only %d switches compared" % compared)


def pair_up(cpu, mine, theirs):
    """How many fit each other, one to one and in order, while both programs were there."""
    if not mine or not theirs:
        return 0
    begin, end = (max(mine[0]["time"], theirs[0]["time"]),
                  min(mine[-1]["time"], theirs[-1]["time"]))
    mine, theirs = ([event for event in found if begin <= event["time"] <= end]
                    for found in (mine, theirs))
    if min(len(mine), len(theirs)) < 3:
        return 0  # a CPU that was hardly used: what fits cannot be told from the ends
    # The first and the last may be on one side of these times for one program only.
    shift = next((shift for shift in (0, 1, -1)
                  if all(same_switch(mine[i + max(0, shift)], theirs[i + max(0, -shift)])
                         for i in range(min(20, len(mine) - 1, len(theirs) - 1)))), None)
    if not check(shift is not None, "CPU %d: the beginnings do not fit" % cpu):
        return 0
    mine, theirs = mine[max(0, shift):], theirs[max(0, -shift):]
    pairs = list(zip(mine, theirs))
    wrong = [pair for pair in pairs if not same_switch(*pair)]
    check(not wrong, "CPU %d: %d of %d differ, first: %s" % (cpu, len(wrong), len(pairs),
                                                           wrong[:1]))
    check(len(mine) - len(theirs) in (-1, 0, 1),
          "CPU %d: %d and %d switches" % (cpu, len(mine), len(theirs)))
    return len(pairs)


def texts_vary():
    """The file that is executed, as sched.exec has it; and too long a name is cut, and says so."""
    long_name = "/" + "./" * 1200 + "bin/true"
    trace, unused = record("-a", "-e", "sched.exec,kernel:sched:sched_process_exec", "--", "sh", "-c",
                           "true; /bin/true; /bin/ls >/dev/null; %s" % long_name)
    everything = events(trace)
    mine, theirs = of("sched.exec", everything), of("kernel:sched:sched_process_exec", everything)
    start = max(mine[0]["time"], theirs[0]["time"]) - 1000000
    mine = {event["tid"]: event for event in mine if event["time"] > start}
    theirs = {event["tid"]: event["fields"] for event in theirs if event["time"] > start}
    found = 0
    for tid, event in mine.items():
        if tid not in theirs:
            continue
        other = theirs[tid]
        name = event["fields"]["filename"]
        found += 1
        check(other["filename"].startswith(name) and (len(name) > 200 or other["filename"] == name),
              "file: %r and %r" % (name, other["filename"]))
        equal("pid", (other["pid"], other["old_pid"]), (tid, event["fields"]["old_tid"]))
    check(found >= 3, "only %d programs were started" % found)
    cut = [fields for fields in theirs.values() if fields["cut_bytes"]]
    equal("names that are too long", len(cut), 1)
    equal("what is left and what was cut", len(cut[0]["filename"]) + cut[0]["cut_bytes"],
          len(long_name))
    equal("what is left", cut[0]["filename"], long_name[:len(cut[0]["filename"])])
    check(len(cut[0]["filename"]) > 1900, "%d bytes are left" % len(cut[0]["filename"]))
    return trace


def babeltrace_reads_the_same(trace):
    text = run("babeltrace2", trace).stdout
    lines = [line for line in text.splitlines() if "kernel:sched:sched_process_exec: {" in line]
    got = [re.search(r"pid = (\d+), old_pid = (\d+), filename = \"(.*)\", cut_bytes = (\d+) }",
                     line).groups() for line in lines]
    want = [tuple(str(event["fields"][key]) for key in ("pid", "old_pid", "filename", "cut_bytes"))
            for event in of("kernel:sched:sched_process_exec", events(trace))]
    equal("babeltrace2", got, want)


def talk(count):
    """Datagrams through loopback, and a connection; (port of its listener, port of its client)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        receiver.bind(("127.0.0.1", 0))
        for unused in range(count):
            sender.sendto(b"0123456789", receiver.getsockname())
            receiver.recv(100)
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listener, \
            socket.create_connection(listener.getsockname()[:2]) as client:
        listener.accept()[0].close()
        return listener.getsockname()[1], client.getsockname()[1]


def names_and_arrays_are_those_of_the_packets():
    sender = Recorder("--pid", str(os.getpid()), "-e", "kernel:net:net_dev_queue")
    # What comes in may be somebody else's work.
    everybody = Recorder("-a", "-e", "kernel:sock:inet_sock_set_state")
    server, client = talk(DATAGRAMS)
    for recorder in (sender, everybody):
        equal("exit status", recorder.stop(), 0)
    queued = of("kernel:net:net_dev_queue", events(sender.trace))
    # Others' packets may interrupt us.
    sizes = collections.Counter((event["fields"]["name"], event["fields"]["len"])
                                for event in queued)
    equal("datagrams queued", sizes["lo", 14 + 20 + 8 + 10], DATAGRAMS)
    changes = [event for event in of("kernel:sock:inet_sock_set_state", events(everybody.trace))
               if (event["fields"]["sport"], event["fields"]["dport"]) == (client, server)]
    equal("the client's states", [event["names"]["newstate"] for event in changes][:2],
          ["TCP_ESTABLISHED", "TCP_CLOSE_WAIT"])
    for fields in [event["fields"] for event in changes]:
        equal("IPv6 addresses", {fields["saddr_v6"], fields["daddr_v6"]} - {"::"}, {"::1"})
        equal("IPv4 addresses", (len(fields["saddr"]), len(fields["daddr"])), (4, 4))


def perf_counts_the_same():
    """Beside perf, which counts one process's calls: both count them all, and so does the caller."""
    recorder = Recorder("-a", "-e", "kernel:syscalls:sys_enter_getpgid")
    counted = run("perf", "stat", "-x,", "-e", "syscalls:sys_enter_getpgid", "sh", "-c",
                  "echo $$; exec %s calls %d" % (actor_path(), CALLS))
    equal("exit status", recorder.stop(), 0)
    calls = [event for event in events(recorder.trace, "-e", "kernel")
             if event["tid"] == int(counted.stdout) and event["comm"] == "actor"]
    equal("calls recorded", len(calls), CALLS)
    seen = int(counted.stderr.split(",")[0]) # the shell may call it too
    check(CALLS <= seen < CALLS + 10, "perf counts %d" % seen)
    equal("numbers", {event["fields"]["__syscall_nr"] for event in calls}, {121})


def perf_script(data):
    """{(event, tid): [text]} of what perf recorded."""
    text = run("perf", "script", "-i", data, "-F", "tid,event,trace").stdout
    found = collections.defaultdict(list)
    for line in text.splitlines():
        match = re.match(r"\s*(\d+)\s+([\w:]+):\s+(.*)", line)
        if match:
            found[match.group(2), int(match.group(1))].append(match.group(3).strip())
    return found


def perf_reads_the_same_fields():
    data = path("perf.data")
    recorder = Recorder("-a", "-e", "kernel:sched:sched_process_exec,kernel:sched:sched_process_fork,"
                        "kernel:task:task_rename,kernel:sched:sched_process_exit")
    run("perf", "record", "-q", "-o", data, "-e",
        "sched:sched_process_exec,sched:sched_process_fork,task:task_rename", "sh", "-c",
        "for i in %s; do /bin/true; done" % " ".join(map(str, range(COMMANDS))))
    equal("exit status", recorder.stop(), 0)
    witness = perf_script(data)
    mine = collections.defaultdict(list)
    for event in events(recorder.trace, "-e", "kernel"):
        fields, name = event["fields"], event["event"].removeprefix("kernel:")
        if name == "sched:sched_process_exec":
            text = "filename=%(filename)s pid=%(pid)d old_pid=%(old_pid)d" % fields
        elif name == "sched:sched_process_fork":
            text = "comm=%(parent_comm)s pid=%(parent_pid)d child_comm=%(child_comm)s " \
                   "child_pid=%(child_pid)d" % fields
        elif name == "task:task_rename" and "pid" in fields:
            text = "pid=%(pid)d oldcomm=%(oldcomm)s newcomm=%(newcomm)s " \
                   "oom_score_adj=%(oom_score_adj)d" % fields
        else:
            continue
        mine[name, event["tid"]].append(text)
    check(len(witness) >= 2 * COMMANDS, "perf saw %d tasks" % len(witness))
    for key, texts in witness.items():
        # perf looks from the exec on.
        equal("%s of task %d" % key, mine[key][-len(texts):], texts)


def what_runs_can_be_switched():
    """On a running recorder: metadata grows, off is off, and the trace says when."""
    name = "kernel:sched:sched_process_exec"
    recorder = Recorder("-a", "-e", "sched.exec")
    for unused in range(2):
        done = sonde("enable", "-r", recorder_name(recorder), name)
        equal("enable", (done.returncode, done.stdout.split()), (0, [name, "on"]))
        for unused_too in range(5):
            run("true")
        done = sonde("disable", "-r", recorder_name(recorder), name)
        equal("disable", (done.returncode, done.stdout.split()), (0, [name, "off"]))
        run("true")
    equal("exit status", recorder.stop(), 0)
    everything = events(recorder.trace)
    notes = [(event["fields"]["on"], event["time"]) for event in of("sonde.state", everything)
             if event["fields"]["measurement"] == name]
    equal("on and off", [on for on, unused in notes], [1, 0, 1, 0])
    theirs = of(name, everything)
    for begin, end in ((notes[0][1], notes[1][1]), (notes[2][1], notes[3][1])):
        ours = [event["tid"] for event in of("sched.exec", everything)
                if begin < event["time"] < end and event["comm"] == "true"]
        got = [event["tid"] for event in theirs
               if begin < event["time"] < end and event["comm"] == "true"]
        equal("while it is on", got, ours[len(ours) - len(got):])
        check(len(got) >= 5, "%d of 5 commands" % len(got))
    check(all(any(begin < event["time"] < end for begin, end in
                  ((notes[0][1], notes[1][1]), (notes[2][1], notes[3][1]))) for event in theirs),
          "an event while it is off")


def recorder_name(recorder):
    return os.path.basename(recorder.trace)


def few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def many_at_once():
    """A whole group attaches; what cannot be is told."""
    trace, done = record("-a", "-e", "kernel:block:*,kernel:sched:*", "--", "true", good=None)
    check(done.returncode in (0, 3), "status %d: %s" % (done.returncode, done.stderr))
    check("unavailable" not in done.stderr, done.stderr)
    on = {event["fields"]["measurement"] for event in of("sonde.state", events(trace, good=None))
          if event["fields"]["on"]}
    with open(TRACEFS + "/available_events", encoding="ascii") as file:
        want = {"kernel:" + line for line in file.read().split()
                if line.startswith(("block:", "sched:"))}
    equal("attached", on, want | {"(all)"})
    if done.returncode == 3: # interrupts hit a program while another ran: counted and told
        check(stats(trace)["lost"] > 0, "what was lost is told")

    # More files than a process may usually have.
    trace, done = record("-a", "-e", "kernel:syscalls:sys_enter_[a-o]*", "--", "sh", "-c",
                         "ulimit -n", good=None, stdin=subprocess.DEVNULL, preexec_fn=few_files)
    check(done.returncode in (0, 3), "many: status %d: %s" % (done.returncode, done.stderr))
    check("unavailable" not in done.stderr, done.stderr)
    equal("the command's own limit", done.stdout.strip(), "256")

    done = sonde("record", "-e", "kernel:*", "-o", fresh())
    equal("all of them", done.returncode, 1)
    check("at most %d" % LIMIT in done.stderr, done.stderr)
    done = sonde("record", "-e", "kernel:no:such", "-o", fresh())
    equal("one that is not there", done.returncode, 4)


def what_is_lost_is_counted():
    """An interrupt hits the program of a system call: the kernel runs no second one, and counts. Who
    sees all of them is there before, and for longer."""
    recorder = Recorder("-a", "-e", "irq.soft_enter", "--buffer", "64M")
    name, hit = "kernel:irq:softirq_entry", "kernel:syscalls:sys_e*_getpgid"
    for verb in ("enable", "disable"):
        done = sonde(verb, "-r", recorder_name(recorder), name, hit)
        equal("%s: %s" % (verb, done.stderr), done.returncode, 0)
        if verb == "enable":
            run(actor_path(), "threads", "4", "200000")
    status = recorder.stop()
    everything = events(recorder.trace, "-e", "irq.soft_enter,%s,sonde.loss" % name, good=status)
    told = sum(event["fields"]["count"] for event in of("sonde.loss", everything)
               if event["fields"]["measurement"] == name)
    equal("exit status", status, 3 if told else 0)
    least = most = 0
    for cpu in range(os.cpu_count()):
        mine, theirs = ([event["time"] for event in of(one, everything) if event["cpu"] == cpu]
                        for one in ("irq.soft_enter", name))
        if theirs:
            least += len([when for when in mine if theirs[0] <= when <= theirs[-1]]) - len(theirs)
        most += len(mine) - len(theirs)
    print("%d of %d soft interrupts lost" % (told, len(of("irq.soft_enter", everything))))
    check(least <= told <= most, "%d to %d are missing, %d are told" % (least, most, told))


def filters_are_obeyed():
    trace, unused = record("-e", "kernel:syscalls:sys_enter_getpgid", "--", actor_path(), "calls",
                           "1000")
    got = events(trace, "-e", "kernel")
    equal("calls of the command", (len(got), len({event["tid"] for event in got})), (1000, 1))


def elsewhere(script):
    """Runs sh in a mount namespace of its own."""
    return run("unshare", "-m", "--propagation", "private", "sh", "-c", script, good=False)


def hidden(more=""):
    """Of what tracefs is mounted over."""
    return "mount -t tmpfs none /sys/kernel/tracing; mount -t tmpfs none /sys/kernel/debug 2>/dev/null; " \
        + more


def what_is_missing_is_told():
    done = elsewhere(hidden("%s list kernel:sched" % SONDE))
    equal("without tracefs", (done.returncode, done.stdout), (5, ""))
    check("mount -t tracefs" in done.stderr, done.stderr)
    done = elsewhere(hidden("%s list" % SONDE))
    equal("the plain list without tracefs", done.returncode, 0)
    check("mount -t tracefs" in done.stdout.splitlines()[-1], done.stdout[-300:])
    done = elsewhere(hidden("%s doctor" % SONDE))
    check("mount -t tracefs" in done.stdout, done.stdout[-300:])
    copy = shutil.copy(SONDE, "/tmp/sonde-tp-%d" % os.getpid())
    try:
        done = run("setpriv", "--reuid", "65534", "--clear-groups", copy, "record", "-e",
                   "kernel:sched:sched_switch", "-o", fresh(), good=False)
    finally:
        os.unlink(copy)
    equal("an ordinary user", done.returncode, 5)
    check("only root" in done.stderr, done.stderr)


def arrays_vary():
    """No tracepoint that tells an array of numbers can be made to happen here, so one that tells a
    text is described as if it did."""
    with open(TRACEFS + "/events/sched/sched_process_exec/format", encoding="ascii") as file:
        text = file.read()
    for kind, size in (("u8", 1), ("u16", 2)):
        trace, fake = fresh(), fresh("format")
        with open(fake, "w", encoding="ascii") as file:
            file.write(text.replace("char[] filename", kind + "[] filename"))
        done = elsewhere(hidden(
            "cd /sys/kernel/tracing; mkdir -p events/sched/sched_process_exec;"
            "cp %s events/sched/sched_process_exec/format;"
            "echo sched:sched_process_exec >available_events;"
            "%s record -e kernel:sched -q -o %s -- /bin/true" % (fake, SONDE, trace)))
        equal("recorded: " + done.stderr, done.returncode, 0)
        fields = [event["fields"] for event in events(trace, "-e", "kernel")]
        want = b"/bin/true\0"
        equal("one", len(fields), 1)
        equal("length", fields[0]["filename_length"], len(want) // size)
        equal("elements", fields[0]["filename"],
              [int.from_bytes(want[i:i + size], "little") for i in range(0, len(want), size)])
        shown = run("babeltrace2", trace).stdout
        check("filename = [ [0] = %d" % fields[0]["filename"][0] in shown, shown[-300:])


require_root()
if not has_tracefs():
    skip("no tracefs can be mounted at " + TRACEFS)
every_tracepoint_is_described()
undisturbed(switches_agree)
exec_trace = undisturbed(texts_vary)
babeltrace_reads_the_same(exec_trace)
for test in (names_and_arrays_are_those_of_the_packets, perf_counts_the_same,
             perf_reads_the_same_fields, what_runs_can_be_switched, many_at_once,
             filters_are_obeyed, what_is_lost_is_counted, what_is_missing_is_told, arrays_vary):
    undisturbed(test)
finish()
