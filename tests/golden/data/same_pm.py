#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""same_pm.py TRACE FILE: what the tcp events of a trace say, the .pm file made of it says, too: in
PSC's terms where these have a name for it, else as it is."""
import json
import subprocess
import sys

# What a .pm file has under another name, or not at all.
RULES = {
    'snd_cwnd': lambda f: f['snd_cwnd'] * f['mss'],
    'snd_max': lambda f: f['snd_nxt'],
    'sb_hiwat': lambda f: f['sndbuf'],
    'snd_sb_cc': lambda f: (f['write_seq'] - f['snd_una']) % 2**32,
    'rcv_sb_cc': lambda f: (f['rcv_nxt'] - f['copied_seq']) % 2**32,
    'm_clused': lambda f: f['tcp_mem_pages'],
}
RENAMED = {'snd_cwnd', 'snd_nxt', 'sndbuf', 'tcp_mem_pages'}
SNAPSHOT_END = 'ca_name'  # what follows is the measurement's own


def events(source, *args):
    done = subprocess.run(['sonde', 'print', '--format', 'json', *args, source], check=False,
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def snapshot(fields):
    """The fields up to the last that all tcp events have."""
    names = list(fields)
    return {name: fields[name] for name in names[:names.index(SNAPSHOT_END) + 1]}


def main():
    ours, theirs = events(sys.argv[1], '-e', 'tcp.*'), events(sys.argv[2])
    wrong = [] if len(ours) == len(theirs) else [('events', len(ours), len(theirs))]
    values = 0
    for i, (one, other) in enumerate(zip(ours, theirs)):
        fields, got = snapshot(one['fields']), other['fields']
        want = {name: value for name, value in fields.items() if name not in RENAMED}
        want |= {name: rule(fields) for name, rule in RULES.items()}
        want['seq_no'] = i
        wrong += [(i, name, got.get(name), want.get(name)) for name in got.keys() | want.keys()
                  if got.get(name) != want.get(name)]
        if one['time'] // 1000 * 1000 != other['time']:
            wrong.append((i, 'time', one['time'], other['time']))
        values += len(want)
    print(f'{len(ours)} snapshots, {values} values')
    print('\n'.join(map(str, wrong)) if wrong else 'all survive')


if __name__ == '__main__':
    main()
