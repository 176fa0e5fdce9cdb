#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `meson install` installs works from there: the library for C, C++ and Python programs, and what
the program itself needs. What the library reads of a trace is what the program reads."""
import ctypes
import glob
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "kern"))
from ctf_trace import Clock, Writer  # noqa: E402
from ctf_type import Array, Struct  # noqa: E402
from harness import SONDE, check, equal, events, finish, path, run, skip, stats  # noqa: E402

import shapes  # noqa: E402

SOURCE = os.path.dirname(os.path.dirname(HERE))
EXAMPLES = os.path.join(SOURCE, "examples", "library")
HEADER = "sonde/sonde.h"
HEADERS = (HEADER, "sonde/rx.h")
BUILD = os.path.dirname(os.path.dirname(os.path.dirname(SONDE)))
ROOT = path("root")  # what is installed takes this for /

# Counts the events of each SOURCE, all at the same time.
CXX = r"""
#include <sonde/sonde.h>
#include <cstdio>
#include <thread>
#include <vector>

static void count(const char *name, unsigned long *events)
{
	struct sonde_source *source;
	const struct sonde_event *event;
	struct sonde_error error;

	if (sonde_open(name, &source, &error)) {
		std::fprintf(stderr, "%s\n", error.text);
		return;
	}
	while (sonde_next(source, &event, &error) > 0) {
		const struct sonde_class *of = sonde_event_class(event);

		*events += !sonde_event_is_lost(event);
		for (size_t i = 0; i < sonde_class_field_count(of); i++)
			sonde_value_label(event, sonde_class_field_get(of, i));
	}
	sonde_close(source);
}

int main(int argc, char **argv)
{
	std::vector<unsigned long> events(argc);
	std::vector<std::thread> threads;

	for (int i = 1; i < argc; i++)
		threads.emplace_back(count, argv[i], &events[i]);
	for (std::thread &thread : threads)
		thread.join();
	for (int i = 1; i < argc; i++)
		std::printf("%lu\n", events[i]);
	return 0;
}
"""


def installed(pattern):
    found = glob.glob(ROOT + "/**/" + pattern, recursive=True)
    return found[0] if check(found, "%s is not installed" % pattern) else None


def install():
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        skip("%s is in no build directory" % SONDE)
    run("meson", "install", "--no-rebuild", "--quiet", "-C", BUILD, "--destdir", ROOT)
    libraries = os.path.dirname(installed("libsonde.so"))
    os.environ["LD_LIBRARY_PATH"] = libraries
    os.environ["PKG_CONFIG_PATH"] = os.path.dirname(installed("sonde.pc"))
    os.environ["PKG_CONFIG_SYSROOT_DIR"] = ROOT
    os.environ["PYTHONPATH"] = os.path.dirname(installed("sonde.py"))
    return os.path.join(libraries, "libsonde.so")


def flags():
    return run("pkg-config", "--cflags", "--libs", "sonde").stdout.split()


def make_traces():
    """Real ones, a synthetic one with every kind of field, one with losses, and one that breaks off."""
    traces = {"real": os.path.join(SOURCE, "examples", "bottleneck"),
              "tasks": os.path.join(SOURCE, "tests", "golden", "data", "visit")}
    writer = os.path.join(HERE, "make_trace.py")
    for name, more in (("synthetic", []), ("lossy", ["--lost"]), ("torn", ["--tear", "1000"])):
        traces[name] = path(name)
        run(sys.executable, writer, path(name), "--events", "3000", *more)
    clock = Clock()
    for make in (shapes.numbers, shapes.enums, shapes.arrays, shapes.variants):
        traces[make.__name__] = write_trace(make.__name__, shapes.simple(make(), clock))
    traces["labelled"] = write_trace("labelled", shapes.simple(labelled(), clock))
    traces["contexts"] = write_trace("contexts", shapes.scopes(clock, True))
    return traces


def labelled():
    """Enumerations in arrays, in arrays of arrays, and in arrays of structures."""
    pair = Struct(("e", shapes.TAG), ("x", shapes.U8), ("deep", Array(shapes.TAG, 2)))
    return {0: ("labelled", None, Struct(("flat", Array(shapes.TAG, 3)), ("rows", Array(Array(shapes.TAG, 2), 2)),
                                         ("pairs", Array(pair, 2))))}


def write_trace(name, trace):
    trace.write(path(name))
    trace.write_stream(path(name), "stream", trace.streams[0], Writer(random.Random(1)))
    return path(name)


def prototypes():
    """What the headers declare, by name, each in one line."""
    text = ""
    for header in HEADERS:
        with open(os.path.join(SOURCE, "include", header), encoding="ascii") as file:
            text += re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    found = re.findall(r"^\w[^;{}#]*?\b(sonde_\w+)\([^;]*\);", text, flags=re.M)
    lines = (" ".join(one.group().split()) for one in
             re.finditer(r"^\w[^;{}#]*?\bsonde_\w+\([^;]*\);", text, flags=re.M))
    return dict(zip(found, lines))


def declared():
    return set(prototypes())


def test_symbols(library):
    """What can be seen of the library is what its header declares, in the version that the first
    release gave it, and each has a manual page."""
    lines = [line.split()[2] for line in
             run("nm", "-D", "--defined-only", library).stdout.splitlines()]
    versions = {name for name in lines if name.startswith("SONDE_")}
    equal("versions", versions, {"SONDE_0.1"})
    seen = {name.split("@@")[0] for name in lines if name not in versions}
    equal("symbols", sorted(seen), sorted(declared()))
    check(all(name.endswith("@@SONDE_0.1") for name in lines if name not in versions),
          "symbols without a version")
    check("libsonde.so.0" in run("readelf", "-d", library).stdout, "it has no soname")


def test_manual():
    if not shutil.which("scdoc"):
        return
    pages = glob.glob(ROOT + "/**/man3/*.3", recursive=True)
    names = {os.path.basename(page)[:-2] for page in pages}
    equal("functions with a page", sorted(names - {"libsonde"}), sorted(declared()))
    texts = {}
    for source in glob.glob(os.path.join(SOURCE, "man", "sonde_*.3.scd")):
        with open(source, encoding="utf-8") as file:
            texts[os.path.basename(source)[:-4]] = " ".join(file.read().split())
    for page in pages:
        name = os.path.basename(page)[:-2]
        if name != "libsonde":
            check(prototypes()[name] in texts[os.path.basename(os.path.realpath(page))],
                  "the page of %s does not have it as the header has" % name)


def test_header():
    """By itself, in each language that takes it."""
    include = os.path.dirname(os.path.dirname(installed(HEADER)))
    equal("installed headers", sorted(os.listdir(os.path.join(include, "sonde"))),
          sorted(os.path.basename(header) for header in HEADERS))
    for compiler, language, standard in (("cc", "c", "c99"), ("cc", "c", "c17"),
                                         ("c++", "c++", "c++11"), ("c++", "c++", "c++20")):
        run(compiler, "-x", language, "-std=" + standard, "-pedantic", "-Wall", "-Wextra", "-Werror",
            "-I", include, "-fsyntax-only", *(os.path.join(include, header) for header in HEADERS))


def test_manual_example():
    """The program in the manual is one."""
    with open(os.path.join(SOURCE, "man", "libsonde.3.scd"), encoding="utf-8") as file:
        blocks = file.read().split("```")[1::2]
    program = next(block for block in blocks if "int main" in block).replace("\\\\", "\\")
    source = path("manual.c")
    with open(source, "w", encoding="ascii") as file:
        file.write(program)
    run("cc", "-Wall", "-Wextra", "-Werror", "-o", path("manual"), source, *flags())


def compile_example(name):
    program = path(name)
    run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-g", "-o", program,
        os.path.join(EXAMPLES, name + ".c"), *flags())
    return program


def test_follow(traces):
    """Of a trace that nobody writes, who follows sees all, and the end."""
    program = compile_example("watch")
    script = ("import sonde, sys\n"
              "for e in sonde.follow(sys.argv[1]): print(e.time, e.comm or '-', e.name)")
    for name in ("real", "lossy"):
        wanted = ["%d %s %s" % (event["time"], event.get("comm", "-"), event["event"])
                  for event in events(traces[name], good=None)]
        equal("watch of " + name, run(program, traces[name]).stdout.splitlines(), wanted)
        equal("Python's follow of " + name,
              run("/usr/bin/python3", "-B", "-c", script, traces[name]).stdout.splitlines(), wanted)


def test_answer():
    """What rxdebug, and a program that asks by itself, are told by one that has nothing to do with Rx."""
    program = subprocess.Popen([compile_example("answer"), "0"], stdout=subprocess.PIPE, text=True)
    try:
        port = program.stdout.readline().split()[1]
        told = run(SONDE, "rxdebug", "--classic", "127.0.0.1", port).stdout
        check("threads are idle" in told and told.endswith("Done.\n"), "answer tells " + told)
        check("AFS version: answer 1.0\n" in run(SONDE, "rxdebug", "--classic", "127.0.0.1", port, "-version").stdout,
              "it has another version")
        asked = run(compile_example("ask"), "127.0.0.1", port).stdout
        check(re.fullmatch(r"version S, 0 packets free, \d+ calls wait, \d+ threads idle\nprogram answer 1.0\n", asked),
              "ask is told " + asked)
    finally:
        program.kill()
        program.communicate()


def compile_cxx():
    source, program = path("count.cc"), path("count_cxx")
    with open(source, "w", encoding="ascii") as file:
        file.write(CXX)
    run("c++", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, source, *flags())
    return program


def test_counts(traces):
    """The examples count what `sonde stats` counts, and say the same of what is wrong."""
    programs = [[compile_example("count")], ["/usr/bin/python3", "-B", os.path.join(EXAMPLES, "count.py")]]
    for name, trace in traces.items():
        wanted = stats(trace)
        status = {"lossy": 3, "torn": 1}.get(name, 0)
        for program in programs:
            done = run(*program, trace, good=False)
            equal("status of %s for %s" % (program[-1], name), done.returncode, status)
            equal("first line of %s for %s" % (program[-1], name), done.stdout.split("\n")[0],
                  "%d events, %d lost" % (wanted["events"], wanted["lost"]))
            equal("what %s says of %s" % (program[-1], name), bool(done.stderr), status == 1)
    args = [traces["real"], "snd_cwnd", "tcp.ack && snd_cwnd > 10"]
    told = [run(*program, *args).stdout for program in programs]
    equal("examples of a field", told[0], told[1])
    wanted = run(SONDE, "print", "--format", "json", "--where", args[2], args[0]).stdout
    equal("events that satisfy it", told[0].split()[0], str(len(wanted.splitlines())))
    return programs[0][0]


def test_threads(traces):
    """Sources know nothing of each other, also in the eyes of a tool that looks for races."""
    program = compile_cxx()
    names = list(traces.values()) * 2
    wanted = [str(stats(trace)["events"]) for trace in names]
    equal("counts of threads", run(program, *names).stdout.split(), wanted)
    few = [traces["real"], traces["tasks"]] * 2
    done = run("valgrind", "--tool=helgrind", "--error-exitcode=99", program, *few, good=False)
    equal("races: " + done.stderr, done.returncode, 0)


def test_memory(program, traces):
    """Nothing is leaked, and nothing read that is not there."""
    for trace in traces.values():
        done = run("valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", program, trace,
                   "snd_cwnd", "time > 0", good=False)
        check(done.returncode in (0, 1, 3), "valgrind, %s: %s" % (trace, done.stderr))


def plain_value(field, value):
    """As JSON has it: what is no number is null."""
    if field.items:
        fields = field.items.fields
        if "" in fields:
            return [plain_value(fields[""], item) for item in value]
        return [{name: plain_value(fields[name], one) for name, one in item.items()}
                for item in value]
    if isinstance(value, list):
        return [plain_number(one) for one in value]
    return plain_number(value)


def plain_number(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value


def same(mine, other):
    """JSON has of a float of 32 bits as many digits as these need."""
    if isinstance(mine, dict) and isinstance(other, dict):
        return mine.keys() == other.keys() and all(same(mine[key], other[key]) for key in mine)
    if isinstance(mine, list) and isinstance(other, list):
        return len(mine) == len(other) and all(map(same, mine, other))
    if isinstance(mine, float) and isinstance(other, (int, float)):
        if ctypes.c_float(mine).value == mine:
            return ctypes.c_float(other).value == mine
    return mine == other


def plain_of(event):
    """An event of the Python module as JSON has it, with the names of its values."""
    fields = event.event_class.fields
    out = {"time": event.time, "event": event.name, "fields": {
        name: plain_value(fields[name], value) for name, value in event.items()
        if not fields[name].is_context}}
    if any(field.is_context for field in fields.values()):
        out["context"] = {name: plain_value(fields[name], value) for name, value in event.items()
                          if fields[name].is_context}
    for name in ("cpu", "tid", "comm", "cgroup"):
        if getattr(event, name) is not None:
            out[name] = getattr(event, name)
    # JSON has the owner beside the task, and not among the fields.
    equal("owner as a field", out["fields"].pop("owner", event.tid if event.owner is not None else None),
          event.owner)
    if event.owner != event.tid:
        out["owner"] = event.owner
    names = {}
    for name in event:
        labels = event.labels(name)
        if labels is not None:
            names[name] = labels
        items = fields[name].items
        if labels is not None and items and "" in items.fields:
            # Those of items that are one value each, or its first element, come one by one as well.
            assert [event.label(name, i) for i in range(len(labels))] == \
                [one[0] if isinstance(one, list) else one for one in labels], name
    if names:
        out["names"] = names
    return out


def test_python(traces):
    """Every event, field and name is as `sonde print --format json` has it, also once the trace has
    been closed."""
    for name, trace in traces.items():
        check(compare(name, trace) > 0, name + " is empty")


WARNINGS = """
import sys, warnings, sonde
warnings.simplefilter("error")
trace = sonde.open(sys.argv[1])
print(sum(1 for event in trace), trace.problems)
print("\\n".join(trace.warnings))
"""


def test_warnings(traces):
    """What `sonde print` warns of in a trace that breaks the standard, and of one that does not, nothing."""
    strange = path("strange")
    shutil.copytree(traces["synthetic"], strange)
    with open(os.path.join(strange, "metadata"), "a", encoding="ascii") as file:
        file.write("event { id = 77; stream_id = 0; name = \"odd one\"; strange = 1; odder = 2; };\n")
    for name, trace, count in (("synthetic", traces["synthetic"], 0), ("strange", strange, 2)):
        printed = run(SONDE, "print", "-f", "json", trace)
        wanted = [line.partition(": warning: ")[2] for line in printed.stderr.splitlines()]
        equal("warnings of sonde print for " + name, len(wanted), count)
        done = run("/usr/bin/python3", "-B", "-c", WARNINGS, trace).stdout.splitlines()
        equal("events and problems of " + name, done[0], "%d []" % len(printed.stdout.splitlines()))
        equal("Python's warnings of " + name, [line for line in done[1:] if line], wanted)


def test_filters(traces):
    """So do those that are asked for."""
    words = {"events": "-e", "where": "--where", "since": "--from", "until": "--to", "cpus": "--cpu"}
    for name, chosen in (
            ("real", {"events": "tcp,sched.switch"}),
            ("real", {"where": "dur > 1ms || snd_cwnd > 15"}),
            ("real", {"since": "+0.3s", "until": "+0.5s"}),
            ("real", {"since": "+0.5s", "where": "sys.exit && dur > 100us", "events": "sys",
                      "cpus": "0,1"}),
            ("real", {"until": "+100ms", "events": "sys.enter"}),
            ("lossy", {"where": "nr > 100"}),
            ("lossy", {"cpus": "1"}),
            ("lossy", {"since": "+500us", "until": "+1ms", "events": "tcp"})):
        args = [word for key, value in chosen.items() for word in (words[key], value)]
        count = compare("%s %s" % (name, " ".join(args)), traces[name], *args, **chosen)
        check(0 < count < len(events(traces[name], good=None)), "%s: %d events" % (args, count))


def without_overlaps(event):
    """JSON has all labels of a value that has several; the library has the first."""
    return {key: value for key, value in event.items() if key != "labels"}


def with_owner_tid(event):
    """JSON has the name of the owner, too."""
    if event.get("owner"):
        event["owner"] = event["owner"]["tid"]
    return event


def compare(name, trace, *args, **chosen):
    """How many events there are."""
    done = subprocess.run(["/usr/bin/python3", "-B", os.path.abspath(__file__), "--dump", trace,
                           json.dumps(chosen)], capture_output=True, text=True, check=False)
    equal("status of the dump of %s" % name, (done.returncode, done.stderr), (0, ""))
    ours = [json.loads(line) for line in done.stdout.splitlines()]
    theirs = events(trace, *args, good=None)
    equal("events of %s" % name, len(ours), len(theirs))
    differing = [(mine, other) for mine, other in zip(ours, map(with_owner_tid, map(without_overlaps, theirs)))
                 if not same(mine, other)]
    check(not differing, "%s: %d differ, first %r" % (name, len(differing), differing[:1]))
    return len(ours)


def dump(trace, chosen):
    import warnings

    import sonde
    warnings.simplefilter("ignore")
    with sonde.open(trace, **json.loads(chosen)) as opened:
        kept = list(opened)
    for event in kept:
        print(json.dumps(plain_of(event)))


def test_program():
    """The program finds what belongs to it where it was installed."""
    program = installed("bin/sonde")
    listed = run(program, "list", "--presets").stdout
    check("installed" in listed and "latency" in listed, "presets: " + listed)
    for name in ("man1/sonde.1", "completions/sonde.bash", "_sonde", "sonde.fish"):
        installed(name)


def main():
    for tool in ("meson", "cc", "c++", "pkg-config", "nm", "valgrind"):
        if not shutil.which(tool):
            skip("%s is not installed" % tool)
    library = install()
    traces = make_traces()
    test_symbols(library)
    test_header()
    test_manual()
    test_manual_example()
    test_follow(traces)
    test_answer()
    program = test_counts(traces)
    test_python(traces)
    test_warnings(traces)
    test_filters(traces)
    test_program()
    test_threads(traces)
    test_memory(program, traces)
    finish()


if sys.argv[1] == "--dump":
    dump(*sys.argv[2:])
else:
    main()
