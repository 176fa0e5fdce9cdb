# SPDX-License-Identifier: BSD-2-Clause
"""workbench: the programs under measurement, and all that a measurement must leave behind clean.

Whatever is started, mounted or made is registered with `undo` the moment it exists, and is
undone in reverse order at the end, after an error, and on Ctrl-C.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build-bench'
SONDE = str(BUILD / 'src/cli/sonde')
LOOP = str(BUILD / 'syscall_loop')
SPIN = str(BUILD / 'spin_loop')
PLAIN_WRITE = str(BUILD / 'plain_write')
TIMED = str(BUILD / 'timed')
WARM_MEMORY = str(BUILD / 'warm_memory')
UNDER_PROGRAM = str(BUILD / 'under_program')
EMPTY = str(BUILD / 'empty.bpf.o')
CLOCK = str(BUILD / 'clock.bpf.o')
TRACED_CPU = 0  # where the system calls are made; the consumers are kept off it


class Failure(Exception):
    """A measurement that cannot be made here; the text says why."""


def quiet_cpus():
    """All CPUs but the traced one, or that one where there is no other."""
    cpus = os.sched_getaffinity(0)
    return (cpus - {TRACED_CPU}) or cpus


def output_of(command, **more):
    """Standard output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise Failure(f'{" ".join(command)}: {done.stderr.strip()[-300:]}')
    return done.stdout


class Workbench:
    """A place to work in, and the way back."""

    def __init__(self):
        self.undoing = []
        self.place = pathlib.Path(tempfile.mkdtemp(prefix='sonde-bench-'))
        self.undo(shutil.rmtree, self.place, True)

    def __enter__(self):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.default_int_handler)
        return self

    def __exit__(self, *_):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while self.undoing:
            action, arguments = self.undoing.pop()
            try:
                action(*arguments)
            except (OSError, Failure, subprocess.SubprocessError) as error:
                print(f'bench: cleaning up: {error}')

    def undo(self, action, *arguments):
        self.undoing.append((action, arguments))

    def path(self, name):
        """A file or directory of this name that is not there yet."""
        path = self.place / name
        self.clear(path)
        return path

    @staticmethod
    def clear(path):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def start(self, command, cpus=None, **more):
        """Starts a command, by default off the traced CPU; its process is ours to end."""
        wanted = cpus or quiet_cpus()
        # A session of its own: Ctrl-C is ours alone, and children can be ended with it.
        process = subprocess.Popen(command, text=True, start_new_session=True,
                                   preexec_fn=lambda: os.sched_setaffinity(0, wanted), **more)
        self.undo(stop, process)
        return process

    def warm(self, size):
        """Memory for @size bytes of page cache, which is there when its release() is called."""
        process = self.start([WARM_MEMORY, str((size >> 20) + 1)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        if process.stdout.readline() != 'warm\n':
            raise Failure(f'there are no {size >> 20} MiB of memory')
        return process.communicate

    def run(self, command, cpus=None, limit=120):
        """(status, stdout, stderr) of a command."""
        process = self.start(command, cpus, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired as error:
            raise Failure(f'{command[0]}: no end after {limit} s') from error
        return process.returncode, out, err


def stop(process, number=signal.SIGINT):
    """Asks a process of ours and its children to end, and makes them."""
    if process.poll() is None:
        os.killpg(process.pid, number)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(condition, what, limit=10.0):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise Failure(f'{what}: not after {limit:.0f} s')
        time.sleep(0.01)


def tree_bytes(path):
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob('*') if file.is_file())


def sonde_stats(trace):
    """What `sonde stats` says of a trace; its status 3 tells of losses, and so does this."""
    done = subprocess.run([SONDE, 'stats', '--json', str(trace)], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 3):
        raise Failure(f'sonde stats: status {done.returncode}: {done.stderr.strip()[-300:]}')
    return json.loads(done.stdout)


def sonde_lost(stderr):
    """Events that `sonde record` says it lost."""
    match = re.search(r'([\d,]+) events LOST', stderr)
    return int(match.group(1).replace(',', '')) if match else 0
