# SPDX-License-Identifier: BSD-2-Clause
"""live_ingest: what it takes a relay, LTTng's and ours, to store what is streamed to it by a recorder of ours, and by
LTTng's own consumer daemon."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import part_ust
from figures import interleave, median
from live_peers import cpu_ns, free_port
from part_record import CALLS, check, loop_command
from workbench import SONDE, TRACED_CPU, Failure, stop, tree_bytes, wait_for

REPEATS = 100  # of the loop: events of 68 bytes
QUEUE = '1G'  # what the relay is too slow for waits
SMALL = 16_000_000  # events of 16 bytes from each of two threads
RELAYS = ('sonde', 'lttng-relayd')


class Store:
    """A relay that has nothing yet."""

    def __init__(self, bench, name):
        self.bench, self.output = bench, bench.path('store')
        self.output.mkdir()
        self.output.chmod(0o777)
        ports = [free_port() for unused in range(3)]
        self.url = f'net://127.0.0.1:{ports[0]}:{ports[1]}'
        where = [f'127.0.0.1:{port}' for port in ports]
        if name == 'sonde':
            command = [SONDE, 'serve', '-o', str(self.output), '--control', where[0], '--data', where[1],
                       '--live', where[2]]
        else:
            command = ['lttng-relayd', '--output', str(self.output)]
            for port, address in zip(('control', 'data', 'live'), where):
                command += [f'--{port}-port', f'tcp://{address}']
        self.process = bench.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, 'LTTNG_HOME': str(bench.path('home'))})
        wait_for(lambda: self.listens(ports), f'{name} listens')

    def listens(self, ports):
        with open('/proc/net/tcp', encoding='ascii') as file:
            table = file.read()
        with open('/proc/net/tcp6', encoding='ascii') as file:
            table += file.read()
        return all(f':{port:04X} 0000' in table for port in ports)

    def stored(self):
        """Bytes of packets."""
        return sum(file.stat().st_size for file in self.output.rglob('*')
                   if file.is_file() and file.suffix != '.idx' and file.name != 'metadata')

    def measure(self, stream):
        """What it takes while stream(self) is at work, which returns what it found itself."""
        before, start = cpu_ns(self.process.pid), time.monotonic()
        found = stream(self)
        found |= {'seconds': time.monotonic() - start, 'bytes': self.stored(),
                  'cpu_ns': cpu_ns(self.process.pid) - before}
        stop(self.process)
        self.bench.clear(self.output)
        return found


def push(bench, store):
    """A recorder that writes nothing to disk, under system calls at full rate."""
    process = bench.start([SONDE, 'record', '-e', 'sys.enter', '--comm', 'syscall_loop', '--push', store.url,
                           '--push-buffer', QUEUE], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for(lambda: any(store.output.rglob('recorder')), 'sonde record streams')
    status, unused, err = bench.run(loop_command(REPEATS), {TRACED_CPU})
    check('loop', status, err)
    process.send_signal(signal.SIGINT)
    text = process.stderr.read()
    process.wait()
    lost = re.search(r'([\d,]+) packets, .* LOST on the way', text)
    check('sonde record', process.returncode, text, (0, 3))
    return {'events': CALLS * REPEATS, 'lost': int(lost[1].replace(',', '')) if lost else 0}


def consume(lttng, program, store):
    """A session of LTTng-UST, to its end."""
    name = f'bench{time.monotonic_ns()}'
    lttng.lttng('create', name, '--set-url=' + store.url)
    lttng.lttng('enable-channel', '--userspace', '--session=' + name, *part_ust.CHANNEL, 'ch')
    lttng.lttng('enable-event', '--userspace', '--session=' + name, '--channel=ch', 'sonde_test:*')
    lttng.lttng('start', name)
    lttng.run(program, '0', '0', '0', str(SMALL))
    lttng.lttng('stop', name)
    lttng.lttng('destroy', name)
    return {'lost': 0}


def figures(results):
    found = {name: {
        'gb_per_second': median([one['bytes'] / one['seconds'] for one in rounds]) / 1e9,
        'cpu_ns_per_byte': median([one['cpu_ns'] / one['bytes'] for one in rounds]),
        'bytes': median([one['bytes'] for one in rounds]),
        'lost': sum(one['lost'] for one in rounds),
    } for name, rounds in results.items()}
    ours, theirs = (results[name] for name in RELAYS)
    found['cpu_ratio'] = median([(one['cpu_ns'] / one['bytes']) / (other['cpu_ns'] / other['bytes'])
                                 for one, other in zip(ours, theirs)])
    return found


def measure(bench, rounds, say):
    if not shutil.which('lttng-relayd'):
        raise Failure('lttng-tools are not installed')
    say('pushed by sonde record')
    pushed = interleave(list(RELAYS), rounds, lambda name: Store(bench, name).measure(
        lambda store: push(bench, store)), say)
    say('streamed by LTTng')
    lttng = part_ust.session()
    program = lttng.program(str(part_ust.PROGRAM))
    consumed = interleave(list(RELAYS), rounds, lambda name: Store(bench, name).measure(
        lambda store: consume(lttng, program, store)), say)
    lttng.end()
    return {'pushed': figures(pushed), 'consumed': figures(consumed)}
