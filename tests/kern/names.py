#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Numbers have names: files that are read, cgroups that tasks are moved into and network namespaces,
those that were there and those that come while it is recorded. And who begins to read in the middle
sees the same names."""
import os
import subprocess

from harness import (SONDE, Net, Recorder, check, cleanups, equal, events, finish, path,
                     require_root, run, stats, until)


def cgroup_root():
    """Where version 2 is mounted, or None."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            fields = line.split()
            if fields[fields.index("-") + 1] == "cgroup2":
                return fields[4]
    return None


def files():
    deep = path("a directory/" + "/".join("part%d" % i for i in range(20)))
    os.makedirs(deep)
    shallow, buried = path("a directory/file one"), os.path.join(deep, "leaf")
    for name in (shallow, buried):
        with open(name, "w", encoding="utf-8") as out:
            out.write("x" * 5000)
    recorder = Recorder("-e", "fs.read", "-e", "fs.write")
    for name in (shallow, buried, shallow):
        run("cat", name)
    equal("exit status", recorder.stop(), 0)
    names = {}
    for event in events(recorder.trace, "-e", "fs"):
        names.setdefault(event["fields"]["inode"], set()).add(
            event.get("names", {}).get("inode"))
    equal("name of a file", names[os.stat(shallow).st_ino], {shallow})
    cut = names[os.stat(buried).st_ino].pop()
    check(cut.startswith(".../") and cut[3:] == buried[-len(cut[3:]):], "a deep path: " + cut)
    told = [event for event in events(recorder.trace, "-e", "sonde.name")
            if event["fields"]["key"] == os.stat(shallow).st_ino]
    equal("times that it was told", len(told), 1)


def cgroups(root):
    recorder = Recorder("-e", "sys.enter")
    group = os.path.join(root, "sonde-test-%d" % os.getpid())
    os.mkdir(group)
    cleanups.append(lambda: os.rmdir(group))
    script = "echo $$ >%s/cgroup.procs; exec cat /etc/hostname" % group
    subprocess.run(["sh", "-c", script], stdout=subprocess.DEVNULL, check=True)
    equal("exit status", recorder.stop(), 0)
    where = {event.get("cgroup") for event in events(recorder.trace, "-e", "sys.enter")
             if event.get("comm") == "cat"}
    check("/" + os.path.basename(group) in where, "cgroup of cat: %s" % where)
    tasks = [task for task in stats(recorder.trace)["tasks"] if "cgroup" in task]
    check(any(task["cgroup"] == "/" + os.path.basename(group) for task in tasks),
          "stats know its cgroup: %s" % tasks)


def there_before(root):
    group = os.path.join(root, "sonde-before-%d" % os.getpid())
    os.mkdir(group)
    cleanups.append(lambda: os.rmdir(group))
    sleeper = subprocess.Popen(["sleep", "1000"])
    cleanups.append(sleeper.wait)
    cleanups.append(sleeper.kill)
    with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as procs:
        procs.write(str(sleeper.pid))
    recorder = Recorder("-e", "sys.enter")
    equal("exit status", recorder.stop(), 0)
    inodes = {event["fields"]["cgroup"] for event in events(recorder.trace, "-e", "sonde.task")
              if event["fields"]["tid"] == sleeper.pid}
    equal("cgroup of a task that was there", inodes, {os.stat(group).st_ino})


def namespaces():
    recorder = Recorder("-e", "tcp.state")
    net = Net()

    def told():
        return any(event["fields"]["key"] == net.inode(net.a)
                   for event in events(recorder.trace, "-e", "sonde.name", good=None))

    until(told, "the name of a namespace that came later")
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    for end in (client, server, listener):
        end.close()
    equal("exit status", recorder.stop(), 0)
    names = {event.get("names", {}).get("netns") for event in events(recorder.trace, "-e", "tcp")
             if event["fields"]["netns"] == net.inode(net.a)}
    equal("name of the namespace", names, {net.a})
    check("(%s)" % net.a in run(SONDE, "print", recorder.trace).stdout, "it stands in the text")


def size(trace):
    return sum(entry.stat().st_size for entry in os.scandir(trace))


def from_the_middle(*options):
    """What was named long before it is read from has its name."""
    name = path("read early")
    with open(name, "w", encoding="utf-8") as out:
        out.write("x" * 5000)
    recorder = Recorder("-e", "fs,sys.enter", *options)
    late = subprocess.Popen(["sh", "-c", "read line && head -c 1 '%s'" % name],
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    for unused in range(4):
        written = size(recorder.trace)
        run("cat", name)
        if not options:  # a flight recorder writes at its end
            until(lambda: size(recorder.trace) > written, "what was recorded is written")
    late.communicate(b"\n")
    equal("exit status", recorder.stop(), 0)
    whole = [(event["time"], event) for event in events(recorder.trace, "-e", "fs.read")]
    check({"cat", "head"} <= {event.get("comm") for unused, event in whole}, "who reads")
    inode = os.stat(name).st_ino
    equal("names of the file", {event.get("names", {}).get("inode") for unused, event in whole
                                if event["fields"]["inode"] == inode}, {name})
    for at, unused in whole[::len(whole) // 6 + 1]:
        got = events(recorder.trace, "-e", "fs.read", "--from", str(at))
        equal("from %d" % at, got, [event for when, event in whole if when >= at])


def main():
    require_root()
    files()
    from_the_middle()
    from_the_middle("--mode", "overwrite")
    root = cgroup_root()
    if root:
        cgroups(root)
        there_before(root)
    else:
        print("no cgroup hierarchy of version 2 is mounted here: not tested")
    namespaces()
    finish()


main()
