#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Small writes into large folios of the page cache: as many bytes are recorded as became dirty, and as
many as the disk is given, by /proc/diskstats. On ext4, by buffer heads, and on XFS, by iomap."""
import os
import signal
import subprocess

from harness import (PATIENCE, SONDE, Recorder, check, cleanups, equal, events, finish, fresh, make_loop,
                     path, require_root, run, scratch, stats, until)

PAGE = 4096
FOLIO = 2 << 20
WRITES = 64
STEP = FOLIO // WRITES
SMALL = WRITES * PAGE
SECTOR = 512
METADATA = 64 << 10  # at most: the inode and the log
FILL, WRITE = 1, 3
DISK_BYTES = 512 << 20  # XFS takes no less than 300 MiB


def mounted(kind, *mkfs_options):
    """A file system of that kind on a disk of our own. Its directory, and the name of the disk."""
    name = make_loop(path(kind + "-image"), DISK_BYTES)
    run("mkfs." + kind, "-q", *mkfs_options, "/dev/" + name)
    place = fresh("mounted")
    os.mkdir(place)
    # The kernel's thread that would zero the rest of ext4's tables of inodes writes to the disk, too.
    options = ["-o", "noinit_itable"] if kind == "ext4" else []
    run("mount", "-t", kind, *options, "/dev/" + name, place)
    cleanups.append(lambda: run("umount", place, good=False))
    return place, name


def written_to(disk):
    """Bytes, by the kernel's own account."""
    with open("/proc/diskstats", encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[2] == disk:
                return int(words[9]) * SECTOR
    raise RuntimeError("no disk " + disk)


def of_file(trace, inode, device, name):
    return [event["fields"] for event in events(trace, "-e", name)
            if event["event"] == name and event["fields"]["inode"] == inode and
            (event["fields"]["major"], event["fields"]["minor"]) == device]


def device_of(fd):
    number = os.fstat(fd).st_dev
    return os.major(number), os.minor(number)


def write_here_and_there(fd):
    for i in range(WRITES):
        os.pwrite(fd, b"y" * PAGE, i * STEP)


def folios_taken_in(fd, trace):
    """How many pages each has."""
    return [one["pages"] for one in of_file(trace, os.fstat(fd).st_ino, device_of(fd), "fs.read")
            if one["kind"] == FILL]


def file_in_large_folios(place):
    """A file that is in the page cache in as large pieces as this kernel makes, and clean; how many these are."""
    fd = os.open(os.path.join(place, str(len(os.listdir(place)))), os.O_RDWR | os.O_CREAT)
    recorder = Recorder("-e", "fs", "--pid", str(os.getpid()))
    os.pwrite(fd, b"x" * FOLIO, 0)
    os.fsync(fd)
    equal("exit status", recorder.stop(), 6)  # the flusher is another task
    inode, device = os.fstat(fd).st_ino, device_of(fd)
    equal("bytes that became dirty, of a whole file",
          sum(one["bytes"] for one in of_file(recorder.trace, inode, device, "fs.write")), FOLIO)
    equal("bytes for the disk, of a whole file",
          sum(one["bytes"] for one in of_file(recorder.trace, inode, device, "fs.writeback")),
          FOLIO)
    folios = folios_taken_in(fd, recorder.trace)
    check(max(folios, default=0) * PAGE > STEP, "the kernel makes large folios here")
    return fd, len(folios)


def bytes_are_those_of_the_disk(kind, place, disk):
    fd, _ = file_in_large_folios(place)
    os.sync()
    recorder = Recorder("-e", "fs", "--pid", str(os.getpid()))
    before = written_to(disk)
    write_here_and_there(fd)
    os.fsync(fd)
    given = written_to(disk) - before
    equal("exit status", recorder.stop(), 6)  # the flusher is another task
    equal("lost", stats(recorder.trace)["lost"], 0)
    inode, device = os.fstat(fd).st_ino, device_of(fd)
    dirty = of_file(recorder.trace, inode, device, "fs.write")
    written = [one for one in of_file(recorder.trace, inode, device, "fs.writeback")
               if one["bytes"]]
    every = [i * STEP // PAGE for i in range(WRITES)]
    equal(kind + ": bytes that became dirty", sum(one["bytes"] for one in dirty), SMALL)
    equal(kind + ": pages that became dirty", sorted(one["index"] for one in dirty), every)
    check(sum(one["kind"] == 0 for one in dirty) < WRITES / 2, kind + ": folios are large")
    equal(kind + ": kinds with bytes", {one["kind"] for one in written}, {WRITE})
    equal(kind + ": bytes for the disk", sum(one["bytes"] for one in written), SMALL)
    equal(kind + ": pages for the disk", sorted(one["index"] for one in written), every)
    check(SMALL <= given <= SMALL + METADATA, "%s: the disk was given %d bytes" % (kind, given))
    again(kind, fd)
    os.close(fd)


def again(kind, fd):
    """What is dirty already becomes dirty no more; a page of a mapping does."""
    recorder = Recorder("-e", "fs", "--pid", str(os.getpid()))
    for _ in range(3):
        write_here_and_there(fd)
    equal("exit status", recorder.stop(), 6)  # the flusher is another task
    dirty = of_file(recorder.trace, os.fstat(fd).st_ino, device_of(fd), "fs.write")
    # The kernel may have written some of it meanwhile.
    written = sum(one["bytes"] for one in
                  of_file(recorder.trace, os.fstat(fd).st_ino, device_of(fd), "fs.writeback"))
    amount = sum(one["bytes"] for one in dirty)
    check(SMALL <= amount <= SMALL + written, "%s: %d bytes became dirty" % (kind, amount))


def says_how_much_comes(kind):
    """iomap always does, ext4 by a tracepoint that BPF knows where ext4 is no module."""
    with open("/sys/kernel/btf/vmlinux", "rb") as file:
        return kind == "xfs" or b"btf_trace_ext4_da_write_end\0" in file.read()


def a_large_write_is_a_record_a_folio(kind, place):
    """Not one a block, whether the blocks are clean, or some of them dirty. Each block is counted once."""
    fd, folios = file_in_large_folios(place)
    os.sync()
    recorder = Recorder("-e", "fs.write", "--pid", str(os.getpid()))
    os.pwrite(fd, b"z" * FOLIO, 0)
    os.fsync(fd)
    write_here_and_there(fd)
    os.pwrite(fd, b"z" * FOLIO, 0)
    equal("exit status", recorder.stop(), 0)
    dirty = of_file(recorder.trace, os.fstat(fd).st_ino, device_of(fd), "fs.write")
    amount = sum(one["bytes"] for one in dirty)
    # The kernel may write some of the small ones before the last write, which makes them dirty again.
    check(2 * FOLIO <= amount <= 2 * FOLIO + SMALL, "%s: %d bytes became dirty" % (kind, amount))
    # The kernel may cut a write into pieces. The two large ones have 1,024 blocks.
    check(len(dirty) <= WRITES + 4 * folios + 64 or not says_how_much_comes(kind),
          "%s: %d records of two large writes and %d small ones into %d folios" %
          (kind, len(dirty), WRITES, folios))
    os.close(fd)


def tool(name):
    link = os.path.join(scratch, name)
    if not os.path.exists(link):
        os.symlink(SONDE, link)
    return link


def in_words_of_old(kind, place):
    """bdwrite and bwrite."""
    fd, _ = file_in_large_folios(place)
    number = os.fstat(fd).st_ino
    run(tool("msmod"), "-d", "*")
    run(tool("msmod"), "bwrite", "bdwrite")
    file = fresh("meas")
    scanner = subprocess.Popen([tool("iscan"), "-o", file], stderr=subprocess.PIPE, text=True)
    cleanups.append(scanner.kill)
    until(lambda: run(SONDE, "status", good=False).stdout.startswith("iscan,"),
          "iscan can be asked")
    write_here_and_there(fd)
    os.fsync(fd)
    scanner.send_signal(signal.SIGINT)
    said = scanner.communicate(timeout=PATIENCE)[1]
    equal("iscan ends with", (scanner.returncode, said), (0, ""))
    run(tool("msmod"), "-d", "*")
    for name in ("meas.bdwrite", "meas.bwrite"):
        sizes = [event["fields"]["size"] for event in events(file)
                 if event["event"] == name and event["fields"]["inode"] == number]
        equal("%s: bytes of %s" % (kind, name), sum(sizes), SMALL)
    os.close(fd)


require_root()
for file_system in (("ext4", "-E", "nodiscard,lazy_itable_init=1"), ("xfs",)):
    where, loop = mounted(*file_system)
    bytes_are_those_of_the_disk(file_system[0], where, loop)
    a_large_write_is_a_record_a_folio(file_system[0], where)
    in_words_of_old(file_system[0], where)
finish()
