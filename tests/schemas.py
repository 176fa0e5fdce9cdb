#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""schemas.py SONDE SOURCE: what --json prints is what schemas/ describes, and nothing else.

Recorders, relays and servers are not asked here: the tests that start them check their answers by kern/schema.py."""
import copy
import json
import os
import pathlib
import subprocess
import sys

os.environ['SONDE_SOURCE'] = sys.argv[2]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kern'))
import schema  # noqa: E402

DATA = ['tests/golden/data/' + name for name in
        ('busy', 'nested', 'ping_pong', 'recovery', 'visit', 'waits', 'window', 'rx_debug.pcap')]
DATA += ['examples/bottleneck']
LINES = 2000  # of the events of a trace
# A command, and the statuses with which it prints an object.
COMMANDS = [
    ('list', ['list', '-v', '--json'], (0,)),
    ('presets', ['list', '--presets', '--json'], (0,)),
    ('doctor', ['doctor', '--json'], (0, 5, 6)),
    ('version', ['version', '--json'], (0,)),
]
COMMANDS += [(verb, [verb, '--json', trace], (0, 3, 4)) for verb in ('stats', 'report')
             for trace in DATA]
COMMANDS += [('report', ['report', '--json', 'examples/bottleneck', name, '--by', 'comm,event'],
              (0,)) for name in ('events', 'syscalls', 'tcp')]
COMMANDS += [('report', ['report', '--json', 'examples/bottleneck', 'offcpu', 'wakers'], (0,)),
             ('report', ['report', '--json', 'tests/golden/data/waits', 'offcpu', '--by',
                         'cause,file,stack,waker_stack'], (0,)),
             ('report', ['report', '--json', 'tests/golden/data/waits', 'files'], (0,))]
# An object on each line. afs has several hosts and is incomplete.
PRINTED = [['print', '--format', 'json', trace] for trace in DATA + ['tests/golden/data/afs']]
PRINTED += [['print', '--format', 'json', '--queues', 'tests/golden/data/busy']]
# These are checked where something answers.
ELSEWHERE = {
    'rxdebug': 'interop/rxdebug_modern.py',
    'sessions': 'interop/live_fake.py',
    'status': 'interop/serve_status.py',
    'status-magnet': 'kern/magnet.py',
}
# What programs rely on: a schema that takes this away from an answer takes it from them.
BROKEN = [
    ('list', lambda one: one[0].pop('name')),
    ('presets', lambda one: one[0]['settings'].update(duration=1)),
    ('doctor', lambda one: one['checks'][0].update(state='good')),
    ('version', lambda one: one['kernel'].pop('release')),
    ('stats', lambda one: one.update(events='many')),
    ('stats', lambda one: one.update(undescribed=1)),
    ('report', lambda one: one.update(lost=-1)),
    ('print', lambda one: one.pop('time')),
    ('print', lambda one: one.update(fields=[])),
]


def run(sonde, source, arguments, statuses):
    known = DATA + ['tests/golden/data/afs']
    arguments = [str(source / one) if one in known else one for one in arguments]
    done = subprocess.run([sonde] + arguments, capture_output=True, text=True, check=False)
    if done.returncode not in statuses or not done.stdout:
        sys.exit(f'sonde {" ".join(arguments)}: status {done.returncode}: {done.stderr}')
    return done.stdout


def answers(sonde, source):
    """Each (name of its schema, the command, an object)."""
    for name, arguments, statuses in COMMANDS:
        yield name, arguments, json.loads(run(sonde, source, arguments, statuses))
    for arguments in PRINTED:
        for line in run(sonde, source, arguments, (0, 3)).splitlines()[:LINES]:
            yield 'print', arguments, json.loads(line)


def main():
    sonde, source = sys.argv[1], pathlib.Path(sys.argv[2])
    if not schema.jsonschema:
        print('python3-jsonschema is not installed')
        return 77
    last, failed = {}, False
    for name, arguments, answer in answers(sonde, source):
        last[name] = answer
        found = schema.fault(name, answer)
        if found:
            failed = True
            print(f'sonde {" ".join(arguments)}: {found}')
    if set(last) | set(ELSEWHERE) != set(schema.names()):
        failed = True
        print('schemas without a command:', set(schema.names()) ^ (set(last) | set(ELSEWHERE)))
    for name, test in ELSEWHERE.items():
        schema.validator(name)
        text = (source / 'tests' / test).read_text(encoding='utf-8')
        if f'described("{name}"' not in text:
            failed = True
            print(f'tests/{test} does not check the schema of {name}')
    for name, damage in BROKEN:
        answer = copy.deepcopy(last[name])
        damage(answer)
        if not schema.fault(name, answer):
            failed = True
            print(f'the schema of {name} takes a damaged answer')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
