#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""load.py PROGRAM [KEY=VALUE...]: programs whose behaviour is known, for the lab's scenarios. Servers print "ready". Each
ends by itself or, of servers, with its connection; the lab ends what is left."""
import hashlib
import mmap
import os
import socket
import struct
import sys
import tempfile
import threading
import time

PORT = 4000
PATIENCE = 30  # seconds: what hangs ends
BLOCK = bytes(1 << 16)
TCP_CONGESTION, TCP_WINDOW_CLAMP = 13, 10


def name_task(name):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)


def ready():
    os.write(1, b"ready\n")  # in one piece


def ms(text):
    return float(text) / 1000


def spin(seconds):
    """Computes for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def compute(seconds):
    """The same, without the interpreter's own lock, which would be another cause."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        hashlib.sha256(BLOCK)


def sink(bind="10.78.0.2", pause="0", busy="0", block="65536", rcvbuf="0", clamp="0", backlog="16", wait="0",
         reset_after="0", reply="0", cpu=""):
    """Reads all that comes, @block bytes at a time, and sleeps or computes so many ms after each."""
    if cpu:
        os.sched_setaffinity(0, {int(cpu)})
    name_task("lab-sink")
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if int(rcvbuf):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(rcvbuf))
    if int(clamp):
        listener.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, int(clamp))
    listener.bind((bind, PORT))
    listener.listen(int(backlog))
    ready()
    time.sleep(ms(wait))
    sock = listener.accept()[0]
    sock.settimeout(PATIENCE)
    total = 0
    while got := sock.recv(int(block)):
        total += len(got)
        if int(reset_after) and total >= int(reset_after):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            break
        if int(reply) and total % int(reply) == 0:
            sock.sendall(b"x")
        if float(pause):
            time.sleep(ms(pause))
        if float(busy):
            spin(ms(busy))
    sock.close()


def connect(to, sndbuf="0", nodelay="1", congestion="cubic", patience="30"):
    sock = socket.socket()
    if int(sndbuf):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, int(sndbuf))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(nodelay))
    sock.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, congestion.encode())
    sock.settimeout(float(patience))
    sock.connect((to, PORT))
    return sock


def bulk(to="10.78.0.2", seconds="2", size="0", pause="0", write="65536", pacing="0", give_up="30", **options):
    """Writes @write bytes at a time, for so long or so many; sleeps @pause ms after each write. Ends where a write waits
    for more than @give_up seconds."""
    name_task("lab-bulk")
    sock = connect(to, **options)
    if int(pacing):
        sock.setsockopt(socket.SOL_SOCKET, 47, int(pacing))  # SO_MAX_PACING_RATE
    sock.settimeout(float(give_up))
    end, total = time.monotonic() + float(seconds), 0
    try:
        while time.monotonic() < end and (not int(size) or total < int(size)):
            count = min(int(write), int(size) - total) if int(size) else int(write)
            sock.sendall(BLOCK[:count])
            total += count
            if float(pause):
                time.sleep(ms(pause))
        sock.shutdown(socket.SHUT_WR)
        sock.recv(1)  # until the other end has read all of it
    except (ConnectionError, TimeoutError):
        pass
    sock.close()


def asks(to="10.78.0.2", count="20", parts="2", part="100", **options):
    """Requests of @parts writes each, and waits for the answer to each."""
    name_task("lab-asks")
    sock = connect(to, **options)
    for unused in range(int(count)):
        for unused_part in range(int(parts)):
            sock.sendall(BLOCK[:int(part)])
        sock.recv(1)
    sock.close()


def opens(to="10.78.0.2", count="1", hold="0", **options):
    """Connections, one after the other, held until the end."""
    name_task("lab-opens")
    socks = []
    for unused in range(int(count)):
        try:
            socks.append(connect(to, **options))
        except OSError:
            pass
    time.sleep(ms(hold))


def datagrams(to="10.78.0.2", count="1000", size="1000", pause="0"):
    """UDP, in bursts of ten."""
    name_task("lab-datagrams")
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(int(count)):
        try:
            sock.sendto(BLOCK[:int(size)], (to, PORT))
        except OSError:
            pass
        if float(pause) and number % 10 == 9:
            time.sleep(ms(pause))


def datagram_sink(rcvbuf="0", pause="0"):
    name_task("lab-dsink")
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if int(rcvbuf):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(rcvbuf))
    sock.bind(("10.78.0.2", PORT))
    ready()
    while True:
        sock.recv(65536)
        if float(pause):
            time.sleep(ms(pause))


def hog(seconds="2.5", count="1", cpu="0"):
    """Computes, in so many processes, on one CPU."""
    name_task("lab-hog")
    os.sched_setaffinity(0, {int(cpu)})
    ready()
    for unused in range(int(count) - 1):
        if not os.fork():
            break
    spin(float(seconds))


def works(seconds="2", chunk="2", pause="2", cpu="0"):
    """Computes for @chunk ms and sleeps for @pause ms, by turns, on one CPU."""
    name_task("lab-works")
    os.sched_setaffinity(0, {int(cpu)})
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        spin(ms(chunk))
        time.sleep(ms(pause))


def locked(seconds="2", hold="20", how="sleep", file="", gap="1"):
    """Two threads share a lock: lab-holder has it @hold ms at a time and sleeps, computes or waits for the disk with it;
    lab-waiter wants it every @gap ms."""
    lock = threading.Lock()
    end = time.monotonic() + float(seconds)

    def holder():
        name_thread("lab-holder")
        while time.monotonic() < end:
            with lock:
                if how == "disk":
                    with open(file, "wb") as out:
                        out.write(BLOCK * 4)
                        out.flush()
                        os.fsync(out.fileno())
                elif how == "compute":
                    compute(ms(hold))
                else:
                    time.sleep(ms(hold))
            time.sleep(ms(gap))

    thread = threading.Thread(target=holder)
    thread.start()
    name_thread("lab-waiter")
    while time.monotonic() < end:
        with lock:
            pass
        time.sleep(ms(gap))
    thread.join()


def name_thread(name):
    with open("/proc/self/task/%d/comm" % threading.get_native_id(), "w", encoding="ascii") as file:
        file.write(name)


def stages(seconds="2", slow="20"):
    """lab-first | lab-middle | lab-last, of which the first takes @slow ms for each line."""
    end = time.monotonic() + float(seconds)
    first, middle = os.pipe(), os.pipe()
    if not os.fork():
        name_task("lab-first")
        os.close(first[0])
        while time.monotonic() < end:
            spin(ms(slow))
            os.write(first[1], b"x")
        os._exit(0)
    os.close(first[1])
    if not os.fork():
        name_task("lab-middle")
        os.close(middle[0])
        while got := os.read(first[0], 1):
            os.write(middle[1], got)
        os._exit(0)
    os.close(middle[1])
    name_task("lab-last")
    while os.read(middle[0], 1):
        pass


def faults(file, mib="64", seconds="2", cold="1"):
    """Reads a mapped file, a byte of each page; @cold: after its pages were dropped from memory."""
    name_task("lab-faults")
    with open(file, "wb") as out:
        for unused in range(int(mib) * 16):
            out.write(os.urandom(1 << 16))
        out.flush()
        os.fsync(out.fileno())
    end = time.monotonic() + float(seconds)
    with open(file, "rb") as data:
        while time.monotonic() < end:
            if int(cold):
                os.posix_fadvise(data.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            with mmap.mmap(data.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                mapped.madvise(mmap.MADV_RANDOM)
                for at in range(0, len(mapped), 4096):
                    mapped[at]  # pylint: disable=pointless-statement
                    if time.monotonic() >= end:
                        break
            time.sleep(0.01)


def syncs(file, seconds="2", size="4096", pause="5"):
    """Writes a little and forces it to the disk, again and again."""
    name_task("lab-syncs")
    end = time.monotonic() + float(seconds)
    with open(file, "wb") as out:
        while time.monotonic() < end:
            out.write(BLOCK[:int(size)])
            out.flush()
            os.fsync(out.fileno())
            time.sleep(ms(pause))


def writes(file, seconds="2.5", sync="0", pause="0"):
    """Writes 1 MiB at a time, forces each @sync of these to the disk and sleeps; back to the beginning after 64 MiB."""
    name_task("lab-writes")
    ready()
    end, at = time.monotonic() + float(seconds), 0
    with open(file, "wb") as out:
        while time.monotonic() < end:
            out.write(BLOCK * 16)
            at += 1
            if at % 64 == 0:
                out.seek(0)
            if int(sync) and at % int(sync) == 0:
                out.flush()
                os.fdatasync(out.fileno())
                time.sleep(ms(pause))


def touches(mib="64", seconds="2"):
    """Writes a file in memory limits that are too small for it, and reads it."""
    name_task("lab-touches")
    end = time.monotonic() + float(seconds)
    with tempfile.NamedTemporaryFile(dir=".") as out:
        while time.monotonic() < end:
            out.seek(0)
            for unused in range(int(mib) * 16):
                out.write(BLOCK)
            out.seek(0)
            while out.read(1 << 20):
                pass
            time.sleep(0.01)


PROGRAMS = (sink, bulk, asks, opens, datagrams, datagram_sink, hog, works, locked, stages, faults, syncs, writes, touches)


def main():
    program = {one.__name__: one for one in PROGRAMS}[sys.argv[1]]
    program(**dict(argument.split("=", 1) for argument in sys.argv[2:]))


if __name__ == "__main__":
    main()
