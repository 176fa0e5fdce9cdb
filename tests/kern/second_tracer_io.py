#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What Sonde records of disks and of the page cache, and what the kernel's own tracer does in the
same run, of the same tracepoints: event by event, field by field, the same."""
import ctypes
import glob
import mmap
import os
import time

import ftrace
from ftrace import fields_of, named, same
from harness import (Recorder, check, cleanups, equal, events, finish, fresh, make_loop, path,
                     require_root, run, until)
from undisturbed import Scenarios

undisturbed = Scenarios("disk", "fs", "sched")

BLOCK = 64 << 10
PAGE = 4096
NO_SECTOR = (1 << 64) - 1  # of a request that has no data
# Those that can be brought about here: their letter (block/blk-trace.c, fill_rwbs).
LETTERS = {0: "R", 1: "W", 2: "F", 3: "D", 9: "N"}
STATUS = {0: 0, 3: -28, 10: -5}  # block/blk-core.c: NOSPC and IOERR as errno
BACKGROUND_BYTES = 1 << 20


def mounted(name):
    """An ext4 on the disk. Its directory."""
    run("mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=1", "/dev/" + name)
    place = fresh("mounted")
    os.mkdir(place)
    run("mount", "/dev/" + name, place)
    cleanups.append(lambda: run("umount", place, good=False))
    return place


def direct(name, offset, count):
    buffer = mmap.mmap(-1, BLOCK)
    fd = os.open("/dev/" + name, os.O_RDWR | os.O_DIRECT)
    for i in range(count):
        os.pwrite(fd, buffer, offset + i * 2 * BLOCK)
        os.preadv(fd, [buffer], offset + (i * 2 + 1) * BLOCK)
    os.close(fd)


def letters(io):
    """The flags as the tracepoint tells them."""
    return "".join([
        "F" if io["preflush"] else "", LETTERS[io["op"]], "F" if io["fua"] else "",
        "A" if io["readahead"] else "", "S" if io["sync"] else "", "M" if io["meta"] else ""])


def sector(io):
    """Some of the tracepoints tell of none as 0."""
    return 0 if io["sector"] == NO_SECTOR else io["sector"]


def of_sonde(io):
    return io["major"] << 20 | io["minor"], sector(io), io["bytes"], letters(io)


def of_kernel(one):
    return one["dev"], sector(one), one["nr_sector"] * 512, one["rwbs"]


def idle(name):
    with open("/sys/block/%s/inflight" % name, encoding="ascii") as file:
        return file.read().split() == ["0", "0"]


def traffic(name, broken):
    """Transfers of each kind: by class of priority, by a file system that forces them out, read
    ahead, discarded, in the background, and some that go wrong."""
    for priority in (["-c1", "-n0"], ["-c2", "-n7"], ["-c3"]):
        run("ionice", *priority, "dd", "if=/dev/" + name, "of=/dev/null", "bs=64k", "count=3",
            "iflag=direct")
    direct(name, 0, 10)
    run("blkdiscard", "-o", "0", "-l", "1M", "/dev/" + name)
    in_the_background(name)
    place = mounted(name)
    for i in range(3):
        with open("%s/file%d" % (place, i), "wb") as file:
            file.write(bytes(BLOCK * 4))
            os.fsync(file.fileno())
    fd = os.open(place + "/file0", os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.read(fd, PAGE)
    os.close(fd)
    run("umount", place)
    buffer = mmap.mmap(-1, BLOCK)
    fd = os.open("/dev/" + broken, os.O_RDWR | os.O_DIRECT)
    for i in range(3):
        try:
            os.pwrite(fd, buffer, (8 + i) << 20)
            check(False, "a disk that is full takes what is written")
        except OSError:
            pass
    os.close(fd)


def written(name):
    with open("/sys/block/%s/stat" % name, encoding="ascii") as file:
        return int(file.read().split()[6]) * 512


def in_the_background(name):
    """More is dirty than this disk may leave so: the kernel writes before anybody waits."""
    device = os.stat("/dev/" + name).st_rdev
    bdi = "/sys/class/bdi/%d:%d" % (os.major(device), os.minor(device))
    if not os.path.exists(bdi + "/strict_limit"):
        return
    before = written(name)
    cleanups.append(lambda: ftrace.write(bdi + "/strict_limit", "0"))
    ftrace.write(bdi + "/strict_limit", "1")
    ftrace.write(bdi + "/max_bytes", str(BACKGROUND_BYTES))
    with open("/dev/" + name, "wb", buffering=0) as file:
        for unused in range(8):
            file.write(bytes(BACKGROUND_BYTES))
    until(lambda: written(name) - before > 2 * BACKGROUND_BYTES, "what is too much is written")
    cleanups.pop()()


def tags_are_the_drivers(shown, name):
    """None is another's while a request has it, and none is larger than the queue."""
    with open(glob.glob("/sys/block/%s/mq/*/nr_tags" % name)[0], encoding="ascii") as file:
        most = int(file.read())
    busy = {}
    for event in shown:
        io = event["fields"]
        if event["event"] == "disk.issue":
            check(0 <= io["tag"] < most and io["tag"] not in busy.values(),
                  "disk.issue: tag %d, of %d, taken %s" % (io["tag"], most, busy))
            busy[io["request"]] = io["tag"]
        elif event["event"] == "disk.complete":
            # What only stands for a flush around it is never issued itself.
            equal("disk.complete: tag", io["tag"], busy.pop(io["request"], -1))


def is_full(file):
    try:
        return not file.write(bytes(PAGE))
    except OSError:
        return True


def disks():
    small = fresh("small")
    os.mkdir(small)
    name = make_loop(fresh("image"), 64 << 20)
    run("mount", "-t", "tmpfs", "-o", "size=1M", "none", small)
    cleanups.append(lambda: run("umount", small, good=False))
    broken = make_loop(small + "/image", 16 << 20)
    with open(small + "/rest", "wb", buffering=0) as file:
        while file.tell() < 1 << 20 and not is_full(file):
            pass
    tracer = ftrace.Ftrace(
        "block/block_rq_insert", "block/block_rq_issue", "block/block_rq_complete",
        "block/block_bio_queue", "block/block_bio_backmerge", "block/block_bio_frontmerge",
        "block/block_rq_merge")
    recorder = Recorder("-a", "-e", "disk,sched.exec", "--dev", name + "," + broken)
    traffic(name, broken)
    until(lambda: idle(name) and idle(broken), "no request is left")
    equal("disk: exit status", recorder.stop(), 0)
    numbers = {os.major(rdev) << 20 | os.minor(rdev)
               for rdev in (os.stat("/dev/" + one).st_rdev for one in (name, broken))}
    traced = [one for one in tracer.stop() if one["dev"] in numbers]
    shown = [event for event in events(recorder.trace) if event["event"].startswith("disk.")]
    for stage, theirs in (("disk.queue", "block_rq_insert"), ("disk.issue", "block_rq_issue")):
        same(stage,
             [(one["cpu"], (*of_sonde(one), one["prio_class"])) for one in fields_of(shown, stage)],
             [(one["cpu"], (*of_kernel(one), one["ioprio"] >> 13))
              for one in named(traced, theirs)])
    same("disk.complete",
         [(one["cpu"], (*of_sonde(one), STATUS.get(one["status"], one["status"])))
          for one in fields_of(shown, "disk.complete")],
         [(one["cpu"], (*of_kernel(one), one["error"]))
          for one in named(traced, "block_rq_complete")])
    same("disk.bio",
         [(one["cpu"], of_sonde(one)) for one in fields_of(shown, "disk.bio")],
         [(one["cpu"], of_kernel(one)) for one in named(traced, "block_bio_queue")])
    kinds = ["block_bio_backmerge", "block_bio_frontmerge", "block_rq_merge"]
    same("disk.merge",
         [(one["cpu"], (kinds[one["kind"]], *of_sonde(one)))
          for one in fields_of(shown, "disk.merge")],
         [(one["cpu"], (one["event"], *of_kernel(one))) for one in traced if one["event"] in kinds])
    brought_about(shown, name, broken)


def brought_about(shown, name, broken):
    """Each flag was seen, set and not set; what the tracepoints do not tell, by who did it."""
    bios = [event["fields"] | {"tid": event["tid"]} for event in shown
            if event["event"] == "disk.bio"]
    for flag in ("sync", "meta", "fua", "preflush", "readahead", "background"):
        equal("values of %s" % flag, {one[flag] for one in bios}, {0, 1})
    equal("classes of priority", {event["fields"]["prio_class"] for event in shown} >= {0, 1, 2, 3},
          True)
    # Nobody but the kernel's own threads writes in the background, and only what waited for it.
    check(all(one["op"] == 1 and one["tid"] != os.getpid() for one in bios if one["background"]),
          "a read, or a write of ours, in the background")
    much = sum(one["bytes"] for one in bios if one["background"])
    check(much >= BACKGROUND_BYTES, "%d bytes were written in the background" % much)
    failed = [event["fields"] for event in shown if event["event"] == "disk.complete" and
              event["fields"]["disk"] == broken]
    equal("writes to a full disk", [one["status"] for one in failed if one["op"] == 1], [3] * 3)
    tags_are_the_drivers([event for event in shown if event["fields"]["disk"] == name], name)


def touch_file(file):
    """Written, forced out, read from its beginning, and at places."""
    for i in range(64):
        os.pwrite(file, b"x" * BLOCK, i * BLOCK)
    os.fsync(file)
    os.fdatasync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    while os.read(file, BLOCK):
        pass
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    for i in (3, 40, 17, 50, 18):
        os.pread(file, 100, i * BLOCK)
    with mmap.mmap(file, 8 << 12) as mapped:
        mapped[5 << 12] = 7
        ctypes.CDLL(None).sync_file_range(file, ctypes.c_long(0), ctypes.c_long(0), 7)


def windows_before(traced, asked):
    """Where the window began that was read ahead before each of these was asked: told by the
    kernel when it decides. None: by nothing that was traced."""
    found, start, at = [], None, 0
    for one in asked:
        while at < len(traced) and traced[at]["time"] < one["time"]:
            if traced[at]["event"] == "page_cache_ra_order":
                start = traced[at]["index"]
            at += 1
        found.append(start)
    return found


def page_cache():
    file = os.open(path("file"), os.O_RDWR | os.O_CREAT)
    inode, me = os.fstat(file).st_ino, os.getpid()
    tracer = ftrace.Ftrace(
        "filemap/mm_filemap_get_pages", "filemap/mm_filemap_add_to_page_cache",
        "readahead/page_cache_sync_ra", "readahead/page_cache_async_ra",
        "readahead/page_cache_ra_order", "writeback/writeback_dirty_folio",
        "writeback/folio_wait_writeback", "writeback/writeback_single_inode_start",
        "writeback/writeback_single_inode", "ext4/ext4_sync_file_enter", "ext4/ext4_sync_file_exit")
    recorder = Recorder("-e", "fs", "--pid", str(me))
    touch_file(file)
    equal("fs: exit status", recorder.stop(), 6)  # the flusher is another task
    traced = [one for one in tracer.stop() if one["tid"] == me and
              one.get("i_ino", one.get("ino")) == inode]
    shown = [event for event in events(recorder.trace) if event["fields"].get("inode") == inode]
    os.close(file)

    def compare(name, kind, theirs, row, kernel_row):
        same("%s, kind %s" % (name, kind),
             [(me, row(one)) for one in fields_of(shown, name)
              if kind in (None, one.get("kind"))],
             [(me, kernel_row(one)) for one in named(traced, theirs)])

    def device(one):
        return one["major"] << 20 | one["minor"]

    compare("fs.read", 0, "mm_filemap_get_pages",
            lambda one: (device(one), one["index"], one["index"] + one["pages"] - 1),
            lambda one: (one["s_dev"], one["index"], one["last_index"]))
    compare("fs.read", 1, "mm_filemap_add_to_page_cache",
            lambda one: (device(one), one["index"], one["pages"]),
            lambda one: (one["s_dev"], one["index"], 1 << one["order"]))
    for kind, theirs in enumerate(("page_cache_sync_ra", "page_cache_async_ra")):
        compare("fs.readahead", kind, theirs,
                lambda one: (device(one), one["index"], one["pages"], one["ahead_pages"]),
                lambda one: (one["s_dev"], one["index"], one["req_count"], one["size"]))
    asked = [one for one in traced
             if one["event"] in ("page_cache_sync_ra", "page_cache_async_ra")]
    starts = windows_before(traced, asked)
    check(len(set(starts)) > 3, "readahead: the windows begin at %s" % starts)
    equal("readahead: where the window before began",
          [ours["ahead_index"] for ours, start in zip(fields_of(shown, "fs.readahead"), starts)
           if start is not None], [start for start in starts if start is not None])
    compare("fs.write", 0, "writeback_dirty_folio", lambda one: one["index"],
            lambda one: one["index"])
    compare("fs.writeback", 0, "writeback_single_inode_start", lambda one: one["pages"],
            lambda one: one["nr_to_write"] & 0xffffffff)
    compare("fs.writeback", 1, "writeback_single_inode", lambda one: one["pages"],
            lambda one: one["wrote"])
    compare("fs.writeback", 2, "folio_wait_writeback", lambda one: one["index"],
            lambda one: one["index"])
    compare("fs.fsync", 0, "ext4_sync_file_enter", lambda one: (device(one), one["datasync"]),
            lambda one: (one["dev"], one["datasync"]))
    compare("fs.fsync", 1, "ext4_sync_file_exit", lambda one: (device(one), one["result"]),
            lambda one: (one["dev"], one["ret"]))


require_root()
ftrace.require()
for test in (disks, page_cache):
    undisturbed(test)
finish()
