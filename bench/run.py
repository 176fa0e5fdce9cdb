# SPDX-License-Identifier: BSD-2-Clause
"""run: script/bench calls this when everything is built."""
import argparse
import importlib
import os
import sys
import time

import page
from figures import circumstances, load_results, rounded, store
from workbench import Failure, Workbench

PARTS = ('record', 'drain', 'compress', 'read', 'ust', 'live', 'graph', 'net', 'sample', 'calls', 'stacks', 'switch',
         'poll', 'rx', 'pcap', 'costs')


def say_for(part, start):
    def say(text):
        print(f'{time.monotonic() - start:5.0f} s  {part}: {text}', file=sys.stderr, flush=True)
    return say


def run_part(part, rounds, start):
    module = importlib.import_module(f'part_{part}')
    around = circumstances(rounds, os.getloadavg()[0])
    began = time.monotonic()
    with Workbench() as bench:
        found = module.measure(bench, rounds, say_for(part, start))
    around['seconds'] = round(time.monotonic() - began)
    store(part, {**rounded(found), 'circumstances': around})
    if hasattr(module, 'write_table'):
        module.write_table(found, around)


def main():
    parser = argparse.ArgumentParser(prog='script/bench', description='Measures Sonde against '
                                     'its peers and writes docs/benchmarks.md.')
    parser.add_argument('parts', nargs='*', metavar='PART',
                        help=f'of {", ".join(PARTS)}; default: all')
    parser.add_argument('--rounds', type=int, default=5, metavar='N',
                        help='interleaved rounds (default 5)')
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown or arguments.rounds < 1:
        parser.error(f'no such part: {", ".join(sorted(unknown))}' if unknown
                     else '--rounds: at least 1')
    if os.geteuid():
        parser.exit(5, 'script/bench: recording needs root\n')
    start, failures = time.monotonic(), 0
    for part in PARTS:
        if arguments.parts and part not in arguments.parts:
            continue
        try:
            run_part(part, arguments.rounds, start)
        except Failure as failure:
            failures += 1
            print(f'script/bench: {part}: {failure}', file=sys.stderr)
        page.write(load_results())
    print(f'docs/benchmarks.md, bench/results.json: {time.monotonic() - start:.0f} s in all',
          file=sys.stderr)
    return 1 if failures else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
