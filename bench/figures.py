# SPDX-License-Identifier: BSD-2-Clause
"""figures: what was measured, kept in bench/results.json, one entry for each part."""
import datetime
import json
import os
import platform
import statistics
import subprocess

from workbench import ROOT

RESULTS = ROOT / 'bench' / 'results.json'


def median(values):
    return statistics.median(values)


def interleave(names, rounds, measure, say):
    """Runs measure(name) for each name in turn, each round beginning with another one, so that
    no name always follows the same one. {name: [result of each round]}"""
    results = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            results[name].append(measure(name))
        say(f'round {number + 1} of {rounds}')
    return results


def paired(results, name, base, combine):
    """The median over the rounds of combine(result of name, result of base)."""
    return median([combine(one, other) for one, other in zip(results[name], results[base])])


def cpu_model():
    with open('/proc/cpuinfo', encoding='ascii', errors='replace') as info:
        for line in info:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.machine()


def commit():
    """The commit that was measured; "with changes" where the sources are not quite it."""
    def git(*arguments):
        return subprocess.run(['git', '-C', str(ROOT), *arguments], capture_output=True,
                              text=True, check=False)
    head = git('rev-parse', '--short=12', 'HEAD')
    if head.returncode:
        return 'none yet'
    changed = git('status', '--porcelain', '--', 'src', 'meson.build').stdout.strip()
    return head.stdout.strip() + (' with changes' if changed else '')


def circumstances(rounds, load):
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')
    return {
        'date': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M UTC'),
        'commit': commit(),
        'kernel': platform.release(),
        'machine': f'{cpu_model()}, {os.cpu_count()} CPUs, {memory / 2**30:.0f} GiB',
        'rounds': rounds,
        'load_before': round(load, 2),
    }


def load_results():
    try:
        return json.loads(RESULTS.read_text(encoding='utf-8'))
    except FileNotFoundError:
        return {}


def store(part, found):
    """Replaces the entry of one part, at once or not at all."""
    results = load_results()
    results[part] = found
    fresh = RESULTS.with_suffix('.new')
    fresh.write_text(json.dumps(results, indent=1) + '\n', encoding='utf-8')
    fresh.replace(RESULTS)


def rounded(value, digits=2):
    """The same, with no float longer than it deserves."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, dict):
        return {key: rounded(one, digits) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one, digits) for one in value]
    return value
