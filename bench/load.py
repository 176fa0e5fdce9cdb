# SPDX-License-Identifier: BSD-2-Clause
"""load: makes every measurement happen some hundred times: tasks that fork, exec and end; TCP
connections that transfer through a bottleneck, are reset, and close; a file that is written,
forced out and read from the disk; a terminal."""
import os
import socket
import struct
import subprocess
import sys
import threading
import time

PORT = 7000
CLOSED_PORT = 7001
CONNECTIONS = 200
BULK_SECONDS = 3
FILE_BLOCKS = 1000  # of 64 KiB
LINES = 1000
BULK = b'g'  # first byte of a connection: read what comes
SHORT = b's'  # answer and close
RESET = b'r'  # close with a reset
LINGER_NONE = struct.pack('ii', 1, 0)


def tasks():
    for _ in range(300):
        pid = os.posix_spawn('/bin/true', ['true'], {})
        os.waitpid(pid, 0)
    one, other = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        for _ in range(20000):
            os.write(other[1], os.read(one[0], 1))
        os._exit(0)
    for turn in range(20000):
        if not turn % 50:  # the two meet on either CPU
            os.sched_setaffinity(pid, {turn // 50 % os.cpu_count()})
        os.write(one[1], b'x')
        os.read(other[0], 1)
    os.waitpid(pid, 0)


def serve(conn):
    with conn:
        try:
            kind = conn.recv(1)
            if kind == BULK:
                while conn.recv(1 << 16):
                    pass
            elif kind == RESET:
                conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NONE)
            else:
                conn.sendall(b'x' * 100)
        except OSError:
            pass


def server():
    with socket.create_server(('', PORT), backlog=256) as listening:
        while True:
            conn, _ = listening.accept()
            threading.Thread(target=serve, args=(conn,), daemon=True).start()


def short_connections(address):
    for number in range(CONNECTIONS):
        with socket.create_connection((address, PORT)) as conn:
            conn.sendall(SHORT if number % 2 else RESET)
            try:
                conn.recv(200)
            except ConnectionResetError:
                pass
        try:
            socket.create_connection((address, CLOSED_PORT)).close()
        except ConnectionRefusedError:
            pass


def bulk(address, seconds):
    with socket.create_connection((address, PORT)) as conn:
        conn.sendall(BULK)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            conn.sendall(bytes(1 << 16))


def parallel_bulks(address, count, seconds):
    threads = [threading.Thread(target=bulk, args=(address, seconds)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def datagrams():
    """To itself, and each one is taken."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(('127.0.0.1', 0))
        for _ in range(1000):
            sock.sendto(b'x' * 100, sock.getsockname())
            sock.recv(200)


def client(address, device):
    short_connections(address)
    datagrams()
    # Many receive buffers that grow, then a queue that overflows.
    for _ in range(5):
        parallel_bulks(address, 8, 0.2)
    subprocess.run(['tc', 'qdisc', 'replace', 'dev', device, 'root', 'tbf', 'rate', '100mbit',
                    'burst', '16k', 'limit', '60k'], check=True)
    parallel_bulks(address, 8, BULK_SECONDS)


def files(path):
    block = bytes(1 << 16)
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    for number in range(FILE_BLOCKS):
        os.pwrite(fd, block, number << 16)
        if not number % 4:
            os.fsync(fd)
    os.fsync(fd)
    for _ in range(4):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.lseek(fd, 0, os.SEEK_SET)
        while os.read(fd, 1 << 14):
            pass
    os.close(fd)
    os.unlink(path)
    ours, theirs = os.openpty()
    for _ in range(LINES):
        os.write(ours, b'line\n')
        os.read(theirs, 10)


if __name__ == '__main__':
    {'tasks': tasks, 'server': server, 'client': client,
     'files': files}[sys.argv[1]](*sys.argv[2:])
