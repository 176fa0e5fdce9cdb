#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A file that is written, forced out, read cold and read warm: every page of it once where it
belongs, in agreement with mincore(2) and cachestat(2), which tell what the page cache holds."""
import contextlib
import ctypes
import errno
import mmap
import os
import struct

from harness import Recorder, check, equal, events, finish, path, require_root, stats, until

PAGE = 4096
PAGES = 512
BLOCK = 64 << 10
LOOKUP, FILL = 0, 1
START, END, WAIT = 0, 1, 2


def resident(fd):
    """How many pages of the file the page cache holds."""
    libc = ctypes.CDLL(None, use_errno=True)
    with mmap.mmap(fd, PAGES * PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE,
                   flags=mmap.MAP_SHARED) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        vector = (ctypes.c_ubyte * PAGES)()
        if libc.mincore(ctypes.c_void_p(ctypes.addressof(first)),
                        ctypes.c_size_t(PAGES * PAGE), vector):
            raise OSError(ctypes.get_errno(), "mincore")
        del first
    return sum(byte & 1 for byte in vector)


def cachestat(fd):
    """(pages in the cache, of them dirty or being written); mincore's where the kernel is older
    than 6.5."""
    told = ctypes.create_string_buffer(40)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(451, fd, struct.pack("QQ", 0, 0), told, 0):
        if ctypes.get_errno() != errno.ENOSYS:
            raise OSError(ctypes.get_errno(), "cachestat")
        return resident(fd), None
    cached, dirty, writing = struct.unpack_from("QQQ", told)
    return cached, dirty + writing


def read_all(fd):
    os.lseek(fd, 0, os.SEEK_SET)
    while os.read(fd, BLOCK):
        pass


def recorded(what, fd):
    """The fields of the fs events of this file while @what runs."""
    recorder = Recorder("-e", "fs", "--pid", str(os.getpid()))
    what()
    equal("exit status", recorder.stop(), 6)  # the flusher is another task
    equal("lost", stats(recorder.trace)["lost"], 0)
    stat = os.fstat(fd)
    found = [(event["event"], event["fields"]) for event in events(recorder.trace)
             if event["event"].startswith("fs.") and event["fields"]["inode"] == stat.st_ino]
    check(all((fields["major"], fields["minor"]) ==
              (os.major(stat.st_dev), os.minor(stat.st_dev)) for unused, fields in found),
          "numbers of the device")
    return found


def covered(found, name, **wanted):
    """The pages that these events name, with how often."""
    pages = []
    for event, fields in found:
        if event == name and all(fields[key] == value for key, value in wanted.items()):
            pages += range(fields["index"], fields["index"] + fields["pages"])
    return sorted(pages)


def forced_out(found):
    return [(fields["kind"], fields["datasync"], fields["result"])
            for name, fields in found if name == "fs.fsync"]


def write_all(fd):
    for i in range(PAGES * PAGE // BLOCK):
        os.pwrite(fd, b"x" * BLOCK, i * BLOCK)


require_root()
file = os.open(path("file"), os.O_RDWR | os.O_CREAT)
every = list(range(PAGES))

written = recorded(lambda: write_all(file), file)
equal("pages made dirty", covered(written, "fs.write"), every)
equal("pages taken in to be written", covered(written, "fs.read", kind=FILL), every)
equal("pages in the cache", resident(file), PAGES)
cached, dirty = cachestat(file)
equal("pages in the cache, by cachestat", cached, PAGES)
# Others may have been written back by now: none that is not told.
check(dirty is None or dirty <= len(covered(written, "fs.write")), "%s pages are dirty" % dirty)



def somebody_waits():
    """The disk may be quicker than who waits for it, or others may have had it all written before."""
    forced = recorded(lambda: (write_all(file), os.fsync(file), os.fdatasync(file)), file)
    equal("fsync and fdatasync", forced_out(forced), [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)])
    return covered(forced, "fs.writeback", kind=WAIT)


until(somebody_waits, "somebody waits for what is forced out")



def none_is_there():
    """Where another holds a page for a moment, it stays."""
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    return not resident(file)


until(none_is_there, "no page is in the cache when they are not wanted")
equal("the same, by cachestat", cachestat(file), (0, 0 if dirty is not None else None))
cold = recorded(lambda: read_all(file), file)
equal("pages taken in", covered(cold, "fs.read", kind=FILL), every)
equal("pages looked for, each once or more", sorted(set(covered(cold, "fs.read", kind=LOOKUP)) &
                                                   set(every)), every)
ahead = [fields for name, fields in cold if name == "fs.readahead"]
check(any(fields["kind"] == 0 for fields in ahead), "the first read waits for its pages")
check(any(fields["kind"] == 1 for fields in ahead), "nothing is read ahead of those who ask")
equal("pages in the cache, read", resident(file), PAGES)
equal("misses, by cachestat", len(covered(cold, "fs.read", kind=FILL)), cachestat(file)[0])

warm = recorded(lambda: read_all(file), file)
equal("pages taken in, of those that are there", covered(warm, "fs.read", kind=FILL), [])
equal("pages looked for", sorted(set(covered(warm, "fs.read", kind=LOOKUP)) & set(every)), every)
equal("pages dirty, none written", covered(warm, "fs.write"), [])
os.close(file)

other = os.memfd_create("sonde")  # another file system: tmpfs
equal("fsync of another file system", forced_out(recorded(lambda: os.fsync(other), other)),
      [(0, 0, 0), (1, 0, 0)])


def force_pipe():
    with contextlib.suppress(OSError):
        os.fsync(writing)


reading, writing = os.pipe()
equal("what cannot be forced out", forced_out(recorded(force_pipe, writing))[-1],
      (1, 0, -errno.EINVAL))
finish()
