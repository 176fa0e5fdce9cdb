# SPDX-License-Identifier: BSD-2-Clause
"""page: docs/benchmarks.md, made from whatever parts bench/results.json holds."""
from workbench import ROOT

PAGE = ROOT / 'docs' / 'benchmarks.md'

HEAD = '''# Benchmarks

Written by `script/bench`, which measures everything again; edits are lost. Every figure comes
from runs that take turns (nothing, Sonde, its peers, and again, each round beginning with another
one), so what the machine does besides hits all alike: trust the ratios more than the times.
Medians of all rounds; a difference is taken within its round first.

'''


def table(head, rows):
    lines = ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in [head, *rows]]
    lines.insert(1, '|' + '---|' * len(head))
    return '\n'.join(lines) + '\n'


def met(value, limit, at_least=False):
    good = value >= limit if at_least else value <= limit
    return 'yes' if good else '**no**'


def around(found):
    c = found['circumstances']
    return (f'{c["date"]}, commit {c["commit"]}, Linux {c["kernel"]}, {c["machine"]}; '
            f'{c["rounds"]} rounds, {c["seconds"]} s, load before {c["load_before"]}.\n\n')


def ratio(one, other):
    return f'{one / other:.2f}' if other > 0 else '-'


def record_targets(r):
    added = r['added_ns']
    yield ('the event of a getppid call adds to it', 'at most 55 ns', f'{added["sonde"]:.1f} ns', '',
           met(added['sonde'], 55))
    if 'perf' in added:
        yield ('... against perf record', 'at most 1/3', f'{added["sonde"]:.1f} ns',
               f'perf {added["perf"]:.1f} ns: {ratio(added["sonde"], added["perf"])}',
               met(added['sonde'] / added['perf'], 1 / 3))
    if 'bpftrace' in added:
        yield ('... against bpftrace count()', 'below', f'{added["sonde"]:.1f} ns',
               f'bpftrace {added["bpftrace"]:.1f} ns: {ratio(added["sonde"], added["bpftrace"])}',
               met(added['sonde'], added['bpftrace']))
    if 'clock' in added:
        yield ('... against a program that only reads the clock', '', f'{added["sonde"]:.1f} ns',
               f'{added["clock"]:.1f} ns: {ratio(added["sonde"], added["clock"])}', '')
    both = r['all_cpus']
    yield ('events lost, one CPU at full rate', 0, f'{r["lost"]} of {r["calls"]:,}', '',
           met(r['lost'], 0))
    yield (f'events lost, all {both["cpus"]} CPUs at full rate', 0,
           f'{both["lost"]} of {both["events"]:,}', '', met(both['lost'], 0))
    size = r['size']['sonde']['bytes_per_event']
    perf = r['size'].get('perf', {}).get('bytes_per_event')
    yield ('bytes per event of a getppid call in the file', 'at most 22', f'{size:.1f}',
           f'perf.data {perf:.1f}: {ratio(size, perf)}' if perf else '', met(size, 22))


def drain_targets(r):
    ns = r['min_ns_per_event']
    yield ('CPU time to drain an event into a file', 'at most 15 ns',
           f'{ns["sonde"]:.1f} ns', f'write(2) alone {ns["write"]:.1f} ns: '
           f'{ratio(ns["sonde"], ns["write"])}; perf {ns["perf"]:.1f} ns: '
           f'{ratio(ns["sonde"], ns["perf"])}', met(ns['sonde'], 15))


def compress_targets(r):
    ways = r['written']
    frames, zstd = ways['sonde --compress'], ways['then zstd -1']
    yield ('CPU time to drain and compress an event, `--compress`', '',
           f'{frames["ns"]:.1f} ns', f'plain, then zstd -1: {zstd["ns"]:.1f} ns: '
           f'{r["of_zstd"]:.2f}', '')
    yield ('bytes per event of a getppid call in the file, `--compress`', '', f'{frames["bytes"]:.2f}',
           f'zstd -1 of the whole stream {zstd["bytes"]:.2f}: '
           f'{ratio(frames["bytes"], zstd["bytes"])}', '')
    yield ('events lost with `--compress`, one CPU at full rate', 0,
           f'{frames["lost"]} of {r["calls"]:,}', f'plain {ways["sonde"]["lost"]}',
           met(frames['lost'], 0))
    for verb in ('stats', 'print'):
        yield (f'`sonde {verb}` of a compressed trace, of the time of a plain one', '',
               f'{r["of_plain"][verb]:.2f}',
               f'of zstd -d before it {r["of_unpacked"][verb]:.2f}', '')


def read_targets(r):
    rate = r['events_per_second']
    yield ('`sonde print`, text', 'at least 5 x babeltrace2',
           f'{rate["sonde print"] / 1e6:.2f} M events/s',
           f'{rate["babeltrace2"] / 1e6:.2f} M/s: {r["print_speedup"]:.1f} x',
           met(r['print_speedup'], 5, True))
    yield ('`sonde stats`', 'at least 10 x sink.utils.counter',
           f'{rate["sonde stats"] / 1e6:.2f} M events/s',
           f'{rate["babeltrace2 counter"] / 1e6:.2f} M/s: {r["stats_speedup"]:.1f} x',
           met(r['stats_speedup'], 10, True))
    for verb in ('print', 'stats'):
        peak = r['large'][verb]['peak_mib']
        yield (f'memory of `sonde {verb}`, {r["large_bytes"] / 1e9:.2f} GB trace',
               'under 64 MiB', f'{peak:.1f} MiB', '', met(peak, 64))
    yield from first_event_target(r, 'our own')


def first_event_target(r, whose):
    if 'first_event_ms' in r:
        yield (f'first event of one second, {r["large_bytes"] / 1e9:.2f} GB, {whose}',
               'under 50 ms', f'{r["first_event_ms"]:.0f} ms', '', met(r['first_event_ms'], 50))


def ust_speeds(r, what):
    """Of one thread by CPU time, which other loads on the machine change least; of all by the clock."""
    for name, peer, text, limit in (
            ('sonde print -j 1', 'babeltrace2', 'at least 8 x babeltrace2', 8),
            ('sonde stats -j 1', 'babeltrace2 dummy', 'at least 15 x its dummy sink', 15)):
        rate = {one: r['events'] / r['cpu_seconds'][one] / 1e6 for one in (name, peer)}
        gain = r['cpu_speedup'][name]
        yield (f'{what}, `{name}`, CPU time', text, f'{rate[name]:.2f} M events/s',
               f'{rate[peer]:.2f} M/s: {gain:.1f} x', met(gain, limit, True))
    for name, peer in (('sonde print', 'babeltrace2'), ('sonde stats', 'babeltrace2 dummy')):
        rate = r['events_per_second']
        yield (f'{what}, `{name}`', '', f'{rate[name] / 1e6:.2f} M events/s',
               f'{rate[peer] / 1e6:.2f} M/s: {r["speedup"][name]:.1f} x', '')


def ust_targets(r):
    yield from ust_speeds(r, 'LTTng-UST trace')
    yield from ust_speeds(r['rich'], 'LTTng-UST trace of several fields')
    for name, times in r['of_text'].items():
        yield (f'LTTng-UST trace, `{name}` against text, CPU time', 'at most 1.5', f'{times:.2f}', '',
               met(times, 1.5))
    for verb in ('print', 'stats'):
        peak = r['large'][verb]['peak_mib']
        yield (f'memory of `sonde {verb}`, {r["large_bytes"] / 1e9:.2f} GB of LTTng-UST',
               'under 128 MiB', f'{peak:.1f} MiB', '', met(peak, 128))
    yield from first_event_target(r, 'of LTTng-UST')


NET_NAMES = {'sonde': '-e tcp', 'net_four': 'the four crossings of MAGNeT',
             'net_all': 'all crossings, brief', 'net_full': 'all crossings, full detail'}


def net_limits(on, off):
    """(how it is recorded, offloads, limit in words, in percent)."""
    tcpdump, perf = (off['loss_percent'].get(name, 0) for name in ('tcpdump', 'perf'))
    return [('sonde', on, 'at most 2 %', 2.0), ('net_all', on, 'at most 2 %', 2.0),
            ('net_full', on, 'at most 4 %', 4.0), ('sonde', off, 'at most tcpdump', tcpdump),
            ('net_four', off, 'at most tcpdump', tcpdump),
            ('net_all', off, 'at most half of perf', perf / 2)]


def graph_targets(r):
    ways = r['ways']
    for name in ('pmgraph', 'sonde graph'):
        yield (f'`{name}` of {r["snapshots"] / 1e6:.0f} million snapshots', 'at most 3 s',
               f'{ways[name]["seconds"]:.2f} s',
               f'gnuplot {ways["gnuplot"]["seconds"]:.2f} s: '
               f'{ratio(ways[name]["seconds"], ways["gnuplot"]["seconds"])}',
               met(ways[name]['seconds'], 3))


def net_targets(r):
    on, off = r['offloads_on'], r['offloads_off']
    for name, found, text, limit in net_limits(on, off):
        mode = 'on' if found is on else 'off'
        peers = ', '.join(f'{peer.replace("_96", " -s 96")} {loss:.1f} %'
                          for peer, loss in found['loss_percent'].items() if peer not in NET_NAMES)
        loss = found['loss_percent'][name]
        yield (f'TCP throughput lost, {NET_NAMES[name]}, offloads {mode} '
               f'({found["gbits"]["nothing"]:.1f} Gbit/s)', text, f'{loss:.1f} %', peers,
               met(loss, limit))
        yield (f'events lost, {NET_NAMES[name]}, offloads {mode}', 0,
               f'{found["lost"][name]} of {found["events"][name]:,}',
               f'tcpdump {found["lost"].get("tcpdump", "-")} packets', met(found['lost'][name], 0))


def sample_targets(r):
    loss = r['loss_percent']
    for rate, text, limit in ((997, f'within noise: {r["noise_percent"]:.1f} %',
                               max(r['noise_percent'], 0.5)), (9999, 'at most 4 %', 4)):
        yield (f'a busy loop under {rate:,} samples a second loses', text,
               f'{loss[f"sonde {rate}"]:.1f} %', f'perf {loss[f"perf {rate}"]:.1f} %',
               met(loss[f'sonde {rate}'], limit))
    yield ('samples lost', 0, r['lost'], '', met(r['lost'], 0))


STACK_EVENT, DWARF = 'sonde bare --stack sys.exit', 'perf bare --call-graph dwarf'


def stacks_targets(r):
    ns, size, both = r['event_ns'], r['event_bytes'], r['both_ns']
    yield ('an event with a stack of 20 frames, without frame pointers', 'at most 3,000 ns', f'{ns[STACK_EVENT]:,.0f} ns',
           f'perf dwarf {ns[DWARF]:,.0f} ns', met(ns[STACK_EVENT], 3000))
    yield ('... CPU time of the program and the recorder', 'at most half of perf dwarf\'s', f'{both["sonde"]:,.0f} ns',
           f'perf dwarf {both["perf"]:,.0f} ns: {r["both_ratio"]:.2f}', met(r['both_ratio'], 0.5))
    yield ('... bytes', 'at most a twentieth of perf dwarf\'s', f'{size[STACK_EVENT]:.0f}',
           f'perf dwarf {size[DWARF]:,.0f}', met(size[STACK_EVENT], size[DWARF] / 20))


def calls_targets(r):
    size, build, shown = r['bytes'], r['build'], r['print']
    rate = shown['events_per_second']
    yield ('bytes of the entry of read(2) in the file', 'at most 48', f'{size["read"]:.1f}', '', met(size['read'], 48))
    yield ('bytes of a call\'s entry in a build of this project, without text arguments', 'at most 48 (mean)',
           f'{build["bytes"]:.1f}', f'{build["entries"]:,} entries', met(build['bytes'], 48))
    yield ('a path argument adds to a call', 'at most 150 ns', f'{r["text_ns"]:.0f} ns', '', met(r['text_ns'], 150))
    yield ('`sonde print` of typed calls, one line for a call', 'at least 4 M events/s',
           f'{rate["sonde print"] / 1e6:.2f} M events/s',
           f'babeltrace2 {rate["babeltrace2"] / 1e6:.2f} M/s: {shown["speedup"]:.1f} x',
           met(rate['sonde print'], 4e6, True))


def switch_targets(r):
    others = ', '.join(f'{name} {ms:.0f} ms' for name, ms in r['peers_ms'].items())
    yield ('`sonde enable`, `sonde disable` of a group, the longest', 'under 100 ms',
           f'{r["longest_ms"]:.0f} ms', f'median {r["median_ms"]:.0f} ms; started and ended: {others}',
           met(r['longest_ms'], 100))


def live_targets(r):
    ours, theirs = r['whole']['sonde'], r['whole']['lttng-relayd']
    yield ('whole packets, to one viewer', 'at least lttng-relayd',
           f'{ours["gb_per_second"]:.2f} GB/s', f'{theirs["gb_per_second"]:.2f} GB/s: '
           f'{ratio(ours["gb_per_second"], theirs["gb_per_second"])}',
           met(ours['gb_per_second'] / theirs['gb_per_second'], 1, True))
    yield ('... CPU time for a byte', 'at most 1/2', f'{ours["cpu_ns_per_byte"]:.3f} ns',
           f'{theirs["cpu_ns_per_byte"]:.3f} ns: '
           f'{ratio(ours["cpu_ns_per_byte"], theirs["cpu_ns_per_byte"])}',
           met(ours['cpu_ns_per_byte'] / theirs['cpu_ns_per_byte'], 0.5))
    pieces = r['pieces_per_second']
    yield ('pieces of 4 KiB, 64 asked for at a time', 'at least twice lttng-relayd',
           f'{pieces["sonde"]:,.0f}/s', f'{pieces["lttng-relayd"]:,.0f}/s: '
           f'{ratio(pieces["sonde"], pieces["lttng-relayd"])}',
           met(pieces['sonde'] / pieces['lttng-relayd'], 2, True))
    many = r['many']
    yield (f'{many["viewers"]} viewers at once', 'each complete', many['complete'],
           f'{many["gb_per_second"]:.2f} GB/s in all', met(many['complete'], many['viewers'], True))
    yield ('memory for a viewer that waits', 'below 1 MiB', f'{many["idle_bytes"] / 1024:.0f} KiB',
           '', met(many['idle_bytes'], 1 << 20))
    for kind, what in (('pushed', '`sonde record --push` streams'), ('consumed', "LTTng's consumer daemon streams")):
        if kind in r:
            found = r[kind]
            ours, theirs = (found[name]['cpu_ns_per_byte'] for name in ('sonde', 'lttng-relayd'))
            yield (f'storing what {what}: CPU time of the relay for a byte', 'at most lttng-relayd',
                   f'{ours:.2f} ns', f'{theirs:.2f} ns: {found["cpu_ratio"]:.2f}', met(found['cpu_ratio'], 1))
    for count, found in r.get('watched', {}).items():
        if count == '0':
            continue
        yield (f'recording while {count} watch: a call in the recorded program', 'as without viewers',
               f'{found["call_ns"]:.0f} ns', f'{found["call_ns_ratio"]:.2f}', met(found['call_ns_ratio'], 1.05))
        yield ('... CPU time of the recorder for an event', 'as without viewers', f'{found["recorder_ns"]:.0f} ns',
               f'{found["recorder_ns_ratio"]:.2f}', met(found['recorder_ns_ratio'], 1.05))
        yield ('... viewers that have all of it', 'each', found['complete'], '',
               met(found['complete'], int(count), True))


def live_details(r):
    yield (f'A trace of {r["bytes"] / 1e9:.2f} GB in packets of 1 MiB, in the page cache, to a viewer in Python that '
           'looks at nothing, over loopback. lttng-relayd has got the same bytes by LTTng\'s protocol. CPU '
           'time is that of the server, of which the kernel\'s work on the packets is most.\n')
    if 'pushed' in r:
        yield '\nStoring to disk from a sender that streams as fast as it can, on the machine of the relay:\n\n'
        yield table(('from, to', 'GB/s', 'MB', 'packets lost'), [
            (f'{kind}, {name}', f'{found["gb_per_second"]:.3f}', f'{found["bytes"] / 1e6:.0f}', found['lost'])
            for kind in ('pushed', 'consumed') for name, found in r[kind].items() if name != 'cpu_ratio'])
    if 'watched' in r:
        yield ('\n`sonde record --serve` of system calls in short bursts, five a second for ten seconds, while '
               'so many viewers follow; the recorder is its first thread, which writes, another one serves:\n\n')
        yield table(('viewers', 'ns a call', 'ns an event: recorder', 'serving', 'rounds with loss'), [
            (count, f'{found["call_ns"]:.0f}', f'{found["recorder_ns"]:.1f}', f'{found["serving_ns"]:.1f}',
             found['rounds_with_loss']) for count, found in r['watched'].items()])


def rx_targets(r):
    seconds = r['seconds']
    rate = r['answers_per_cpu_second']
    yield ('answers of the Rx responder, a second of one CPU', 'at least 300,000', f'{rate:,.0f}',
           '', met(rate, 300_000, True))
    yield (f'{r["servers"]:,} Rx servers asked how they are', 'under 1 s', f'{seconds["many"]:.2f} s', '',
           met(seconds['many'], 1))
    far, near = seconds['far rxdebug'], seconds['near rxdebug']
    yield (f'{r["connections"]:,} Rx connections, {r["delay_ms"]} ms away, `--window auto`',
           'at least 20 x rxdebug', f'{seconds["far sonde auto"]:.2f} s',
           f'rxdebug {far:.0f} s: {far / seconds["far sonde auto"]:.0f} x',
           met(far / seconds['far sonde auto'], 20, True))
    yield (f'{r["connections"]:,} Rx connections, on this host', 'at most rxdebug',
           f'{seconds["near sonde"]:.2f} s', f'rxdebug {near:.2f} s: {ratio(seconds["near sonde"], near)}',
           met(seconds['near sonde'], near))
    server = r.get('vlserver')
    if not server:
        return
    for what, key, unit in (('all connections of a real vlserver', 'seconds', 's'),
                            ("... how long that server's other clients wait at the same time", 'median_ms', 'ms')):
        found, theirs = server['against'][key], [server[way][key] for way in ('rxdebug', 'rxdebug again')]
        yield (what, 'at most rxdebug', f'{server["sonde"][key]:.2f} {unit}',
               f'rxdebug {theirs[0]:.2f}, {theirs[1]:.2f} {unit}: {found["ratio"]:.2f}, by chance +-{found["chance"]:.2f}',
               met(found['ratio'], 1 + found['chance']))


def pcap_targets(r):
    seconds = r['seconds']
    yield (f'Rx debug in a capture of {r["packets"]:,} packets, `sonde print`', 'less than tshark',
           f'{seconds["sonde"]:.2f} s',
           f'tshark {seconds["tshark"]:.2f} s: {ratio(seconds["sonde"], seconds["tshark"])}',
           met(seconds['sonde'], seconds['tshark']))


def record_details(r):
    rows = [('nothing', f'{r["base_ns"]:.1f}', '', f'{r["base_min_ns"]:.1f}', '')]
    labels = {'empty': 'empty BPF program at the hook', 'clock': 'BPF program that reads the clock, no more',
              'sonde': '`sonde record -e sys.enter`',
              'sonde_rejecting': '`sonde record --syscall reboot`: every event rejected',
              'perf': '`perf record -a -c 1 -e raw_syscalls:sys_enter`',
              'bpftrace': '`bpftrace`, count() at raw_syscalls:sys_enter'}
    for name, ns in r['added_ns'].items():
        rows.append((labels[name], f'{r["base_ns"] + ns:.1f}', f'{ns:.1f}',
                     f'{r["added_min_ns"][name]:.1f}', ratio(ns, r['added_ns'].get('perf', 0))))
    yield ('A loop of getppid calls on CPU 0, timed in pieces of 100,000; the program that consumes the '
           'events is kept on the other CPUs and writes to a file on disk. The median of each '
           'round less that of the round\'s bare run.\n\n')
    yield table(('running', 'ns a call', 'added', 'added, minima', 'of perf'), rows)
    both = r['all_cpus']
    yield (f'\nAll {both["cpus"]} CPUs in the loop at once, the drainer among them: '
           f'{both["events"]:,} events, {both["lost"]} lost, {both["ns"]:.1f} ns a call.\n')
    perf = r['size'].get('perf')
    if perf:
        yield (f'\nFile size is that of a whole run by its events; perf said it lost '
               f'{perf["lost"]} of {perf["events"]:,}, its own among them.\n')
    for name, why in r['missing'].items():
        yield f'\nNot measured here: {name}: {why}\n'


def drain_details(r):
    yield (f'CPU time of the recording process by the scheduler\'s own account, before and after '
           f'{r["events"]:,} events in all, less what it takes when idle. The file system\'s '
           f'own threads, which write the pages to disk later, are not in it. perf runs with '
           f'--exclude-perf. In a virtual machine the page cache may get memory that the host '
           f'has to find first, which takes ten times as long as measured here; memory that was used '
           f'just before is available in each round, but which pages are taken is unknown. So the least '
           f'value counts.\n\n')
    labels = {'sonde': '`sonde record -a -e sys.enter`', 'write': 'write(2) of as many bytes, '
              '256 KiB at a time, by a program that does nothing else',
              'perf': '`perf record -a -c 1 -e raw_syscalls:sys_enter --exclude-perf`'}
    yield table(('', 'ns an event', 'median'),
                [(labels[name], f'{least:.1f}', f'{r["ns_per_event"][name]:.1f}')
                 for name, least in r['min_ns_per_event'].items()])


def compress_details(r):
    yield (f'CPU time of the recording process and its threads, as above, under a loop of system calls at full '
           f'rate on CPU 0, {r["calls"]:,} in all; for the peer that of a plain recording and of '
           f'`zstd -1 -T1` over its streams afterwards, which needs the room of the plain trace, too. '
           f'Medians; in brackets the least.\n\n')
    yield table(('recorded by', 'ns an event', 'bytes an event', 'lost'),
                [(name, f'{one["ns"]:.1f} ({one["min_ns"]:.1f})', f'{one["bytes"]:.2f}',
                  one['lost']) for name, one in r['written'].items()])
    sizes = ', '.join(f'{name} {size / 1e6:.1f} MB' for name, size in r['sizes'].items())
    yield (f'\nReading a trace of sys.enter and sys.exit, {r["events"]:,} events: {sizes}. In the page '
           f'cache, all CPUs, output to /dev/null; what zstd -d unpacks goes to the same disk.\n\n')
    yield table(('command', 'seconds', 'CPU seconds', 'M events/s', 'MiB'),
                [(name, f'{one["seconds"]:.2f}', f'{one["cpu"]:.2f}',
                  f'{r["events"] / one["seconds"] / 1e6:.2f}', f'{one["peak_mib"]:.1f}')
                 for name, one in r['read'].items()])


def read_details(r):
    yield (f'A trace of sys.enter and sys.exit, {r["events"]:,} events, '
           f'{r["trace_bytes"] / 1e6:.0f} MB, in the page cache; output to /dev/null. Memory is '
           f'the most that was resident.\n\n')
    yield table(('command', 'seconds', 'least', 'M events/s', 'MiB'),
                [(name, f'{r["seconds"][name]:.2f}', f'{r["min_seconds"][name]:.2f}',
                  f'{rate / 1e6:.2f}', f'{r["peak_mib"][name]:.1f}')
                 for name, rate in r['events_per_second'].items()])


def ust_table(r):
    return table(('command', 'seconds', 'CPU seconds', 'M events/s', 'MiB'),
                 [(name, f'{r["seconds"][name]:.2f}', f'{r["cpu_seconds"][name]:.2f}',
                   f'{rate / 1e6:.2f}', f'{r["peak_mib"][name]:.1f}')
                  for name, rate in r['events_per_second'].items()])


def ust_details(r):
    yield (f'A trace of LTTng-UST, {r["events"]:,} events, {r["trace_bytes"] / r["events"]:.0f} '
           f'bytes each, '
           f'{r["trace_bytes"] / 1e6:.0f} MB, in the page cache; output to /dev/null; sonde with all '
           f'{r["cpus"]} CPUs unless -j says otherwise. json and csv with -j 1. CPU seconds are those of '
           f'the user and the system.\n\n')
    load = r['circumstances']['load_before']
    if load > r['cpus']:
        yield (f'Other programs used the CPUs too (load {load:.1f}): the commands waited for them, so compare '
               f'the CPU seconds.\n\n')
    yield ust_table(r)
    rich = r['rich']
    yield (f'\nEvents of a double, a string, a sequence and two contexts: {rich["events"]:,} of '
           f'{rich["trace_bytes"] / rich["events"]:.0f} bytes each.\n\n')
    yield ust_table(rich)


def spread(found, name):
    low, high = found['loss_quartiles'][name]
    return f'{found["loss_percent"][name]:.1f} % ({low:.1f} to {high:.1f})'


def graph_details(r):
    yield (f'A .pm file of one connection, {r["file_bytes"] / 1e6:.0f} MB, in the page cache; its congestion window '
           f'over time, as SVG. gnuplot reads the same records in binary and draws every point.\n\n')
    yield table(('command', 'seconds', 'CPU seconds', 'MiB', 'bytes of SVG'),
                [(name, f'{one["seconds"]:.2f}', f'{one["cpu"]:.2f}', f'{one["peak_mib"]:.1f}',
                  f'{one["bytes"]:,.0f}') for name, one in r['ways'].items()])


def net_details(r):
    yield (f'iperf3, one TCP connection all the time between two network namespaces over '
           f'veth, client and server each on a CPU of its own, as its device counts bytes for '
           f'{r["seconds"]:.0f} s at a time. What runs beside it, each between two looks at the '
           f'transfer alone, of which the mean is what it is compared with: '
           f'`sonde record -a` with `-e tcp` (sonde), with `-e net` (net_all; net_full with '
           f'`--detail full` too), and with net.ip_send, net.dev_queue, net.dev_recv and '
           f'net.ip_recv alone (net_four); `tcpdump -w` on the client\'s device, with its default '
           f'snapshot length and with -s 96; `perf record -a -c 1` with '
           f'{", ".join(r["perf_events"])}.\n')
    for mode, text in (('offloads_on', 'Offloads on'),
                       ('offloads_off', 'gso, tso and gro off at both ends')):
        found = r[mode]
        rows = [(name.replace('_96', ' -s 96'), f'{gbits:.2f}',
                 spread(found, name) if name != 'nothing' else '',
                 found['lost'].get(name, ''),
                 f'{found["bytes"][name] / 1e6:.0f}' if name != 'nothing' else '')
                for name, gbits in found['gbits'].items()]
        rates = ', '.join(f'{name} {rate:,.0f}'
                          for name, rate in found['events_per_second'].items())
        yield (f'\n{text}; events/s: {rates}; medians (and quartiles) of {found["looks"]} '
               f'looks:\n\n')
        yield table(('running', 'Gbit/s', 'throughput lost', 'events or packets lost', 'MB'),
                    rows)


def poll_details(r):
    yield (f'{r["connections"]:,} connections at rest within a network namespace, both ends of '
           f'each. CPU time of the whole process, what many looks take more than one does: '
           f'`sonde record -e tcp.poll`, by its program in the kernel and, without capabilities, by '
           f'asking the kernel; `ss -tinm`, which asks the same, into /dev/null.\n\n')
    rows = [('tcp.poll by a program', 'program'), ('tcp.poll by asking', 'asking'),
            ('ss -tinm', 'ss')]
    yield table(('a look at one end', 'ns', 'least', 'of what ss takes'),
                [(text, f'{r["ns"][way]:.0f}', f'{r["min_ns"][way]:.0f}',
                  f'{r["ratio_to_ss"][way]:.2f}' if way in r['ratio_to_ss'] else '')
                 for text, way in rows])


def rx_details(r):
    labels = {'many': f'`sonde rxdebug --check` of {r["servers"]:,} servers, a port each, in one process',
              'near rxdebug': '`rxdebug -allconnections`', 'near sonde': '`sonde rxdebug -a`',
              'near sonde auto': '`sonde rxdebug -a --window auto`',
              'far rxdebug': f'`rxdebug -allconnections`, {r["delay_ms"]} ms away, once',
              'far sonde auto': f'`sonde rxdebug -a --window auto`, {r["delay_ms"]} ms away',
              'far sonde 128': f'`sonde rxdebug -a --window 128`, {r["delay_ms"]} ms away'}
    yield (f'The library\'s responder, with {r["connections"]:,} connections made up, on loopback; behind a '
           f'program that keeps each packet for {r["delay_ms"] / 2:.0f} ms in each direction, where it is away. Answers '
           f'are counted by a client that keeps 512 questions on their way, from one socket, against the responder\'s own '
           f'CPU time, in which the kernel takes them to that client: {r["answers_per_cpu_second"]:,.0f}; in a second by the '
           f'clock {r["answers_per_second"]:,.0f}.\n\n')
    yield table(('command', 'seconds', 'least'),
                [(text, f'{r["seconds"][way]:.2f}', f'{r["min_seconds"][way]:.2f}')
                 for way, text in labels.items()])
    if 'vlserver' in r:
        yield from vlserver_details(r['vlserver'])


def vlserver_details(server):
    yield (f'\nOpenAFS\'s vlserver with {server["connections"]:,} connections, of which all are asked for. Nearly all of '
           f'the time is the server\'s own, which sleeps before each answer, so that both take the same but for '
           f'chance: rxdebug has two turns in each round to show what that does, and by how far they differ the median '
           f'of the rounds may stray. Meanwhile another client makes one '
           f'call after the other, with a pause of 10 ms: how long they take.\n\n')
    rows = [('no client', 'idle'), ('`rxdebug -allconnections`', 'rxdebug'),
            ('`rxdebug -allconnections`, the second turn', 'rxdebug again'), ('`sonde rxdebug -a`', 'sonde')]
    yield table(('client', 'seconds', 'own share of a record, us', 'a call takes, ms', '99 % of them, ms', 'calls', 'sent again'),
                [(text, *(f'{server[way][key]:.{digits}f}' if key in server[way] else ''
                          for key, digits in (('seconds', 2), ('own_us', 0))),
                  f'{server[way]["median_ms"]:.2f}', f'{server[way]["p99_ms"]:.2f}', f'{server[way]["calls"]:,}',
                  server[way]['sent_again']) for text, way in rows])


def pcap_details(r):
    labels = {'sonde': '`sonde print`', 'sonde json': '`sonde print --format json`', 'sonde stats': '`sonde stats`',
              'tshark': '`tshark -n -r`', 'tshark filtered': '`tshark -n -r -Y` Rx debug',
              'tcpdump': '`tcpdump -n -r`'}
    yield (f'A capture of rxdebug and vlserver, {r["packets"]:,} packets of it with numbers of their own, three in '
           'four of them Rx debug, in the page cache. tshark and tcpdump write a line for each packet, but not '
           'its contents; Sonde pairs requests with replies and writes all fields of these.\n\n')
    yield table(('command', 'seconds', 'least', 'million packets a second'),
                [(text, f'{r["seconds"][way]:.2f}', f'{r["min_seconds"][way]:.2f}',
                  f'{r["packets"] / r["seconds"][way] / 1e6:.2f}') for way, text in labels.items()])


def costs_details(r):
    yield (f'The kernel\'s own account of its BPF programs (kernel.bpf_stats_enabled) under '
           f'system calls, forks, TCP transfers and files, less the {r["empty_run_ns"]:.0f} ns that it '
           f'says of an empty program, plus the {r["hook_ns"]:.0f} ns that calling one adds. All '
           f'runs count, those too that leave no record (tcp.cwnd looks at each segment). '
           f'`sonde list` shows these.\n\n')
    yield table(('measurement', 'ns', 'runs'),
                [(name, f'{r["costs"][name]:.0f}', f'{r["runs"][name]:,}')
                 for name in r['order'] if name in r['costs']])
    left = [name for name in r['left_out'] if name in r['order']]
    if left:
        yield f'\nToo few runs to tell: {", ".join(left)}.\n'


def sample_details(r):
    yield (f'A loop in user mode on CPU 0, timed in pieces of some 10 ms, of which the least counts, under '
           f'`sonde record -a -e cpu.sample --rate N` and `perf record -a -e cpu-clock -F N`, with '
           f'stacks under `--detail full` and `-g`; the program that consumes the samples is kept on the other CPUs. The '
           f'loss of each round against that round\'s bare run, medians; half of the bare runs lie within '
           f'{r["noise_percent"]:.1f} % of each other. Missed are samples that the machine\'s timers did '
           f'not take, mostly of idle CPUs.\n\n')
    yield table(('samples a second', 'Sonde loses', 'perf loses', 'samples', 'missed'),
                [(name.removeprefix('sonde '), f'{r["loss_percent"][name]:.2f} %',
                  f'{r["loss_percent"][name.replace("sonde", "perf")]:.2f} %',
                  f'{r["samples"][name]:,.0f}', f'{r["missed"][name]:,.0f}')
                 for name in r['samples']])


def stacks_details(r):
    yield (f'The end of getppid(2), called 14 functions deep, under `sonde record -e sys.exit` and `perf record -e '
           f'raw_syscalls:sys_exit`: CPU time of the program for a call beyond the {r["base_ns"]:.0f} ns that it takes with '
           f'nothing beside it, bytes of an event in the trace, stacks included, and events lost in all runs. "bare": the program '
           f'has no frame pointers; else it has. Medians.\n\n')
    yield table(('', 'ns', 'bytes', 'lost'), [(name, f'{ns:,.0f}', f'{r["event_bytes"][name]:,.0f}', f'{r["lost"][name]:,}')
                                              for name, ns in r['event_ns'].items()])


def calls_details(r):
    shown = r['print']
    yield ('Entries of one call recorded by `sonde record -a -e sys.CALL`, in a loop of that call; access(2) is given a path of '
           '24 bytes that is not there. Beyond the call alone; medians.\n\n')
    yield table(('', 'ns'), [(name, f'{ns:.0f}') for name, ns in r['added_ns'].items()])
    yield (f'\nPrinted were {shown["events"]:,} events ({shown["bytes"] / 1e6:.0f} MB) of find and ls over /usr.\n\n')
    yield table(('', 'M events/s', '... of CPU time'),
                [(name, f'{rate / 1e6:.2f}', f'{shown["cpu_events_per_second"][name] / 1e6:.2f}')
                 for name, rate in shown['events_per_second'].items()])


def switch_details(r):
    def cell(step):
        return f'{step["median"]:.0f} ({step["longest"]:.0f})'

    yield ('The whole command, ms, from its start to its end, on a recorder that records '
           'sched.exec; each round has a new recorder, which has to load the programs first. '
           'Medians (and the longest). perf and bpftrace have no such command: the time is that of a '
           'run of theirs around `true`.\n\n')
    yield table(('group', 'enable, first', 'disable', 'enable again'),
                [(name, cell(steps['first']), cell(steps['disable']), cell(steps['again']))
                 for name, steps in r['groups'].items()])
    for name, why in r['missing'].items():
        yield f'\nNot measured here: {name}: {why}\n'


PARTS = {
    'record': ('What recording adds', record_targets, record_details),
    'drain': ('What draining takes', drain_targets, drain_details),
    'compress': ('Compressing', compress_targets, compress_details),
    'read': ('Reading', read_targets, read_details),
    'ust': ('Reading the traces of LTTng-UST', ust_targets, ust_details),
    'live': ('Serving live viewers', live_targets, live_details),
    'graph': ('Pictures', graph_targets, graph_details),
    'net': ('What recording takes from a TCP transfer', net_targets, net_details),
    'sample': ('What sampling takes', sample_targets, sample_details),
    'calls': ('What typed system calls take', calls_targets, calls_details),
    'stacks': ('What stacks of events take', stacks_targets, stacks_details),
    'switch': ('Turning a group on and off', switch_targets, switch_details),
    'poll': ('What polling a connection costs', None, poll_details),
    'rx': ('Asking and answering Rx', rx_targets, rx_details),
    'pcap': ('Rx debug in captures', pcap_targets, pcap_details),
    'costs': ('What each measurement costs', None, costs_details),
}


def write(results):
    rows, sections = [], []
    for part, (title, targets, details) in PARTS.items():
        found = results.get(part)
        if not found:
            continue
        rows += targets(found) if targets else []
        sections += [f'\n## {title}\n\n', *details(found), '\n', around(found).rstrip(), '\n']
    head = table(('figure', 'target', 'Sonde', 'peers and ratio', 'met'), rows) if rows else ''
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(HEAD + head + ''.join(sections), encoding='utf-8')
