#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces on disk that our relay serves: our viewer reads there what is in them, names of tasks, files and addresses
too, and reports the same; those that were files of other formats, and those of others that have no index, which
babeltrace2 writes so and reads there as well."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, cleanups, equal, finish, missing, path, run, until  # noqa: E402
from growing_trace import GrowingTrace  # noqa: E402
from live_viewer import in_order  # noqa: E402
from lttng_relay import Viewer  # noqa: E402

SOURCE = os.environ.get("SONDE_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
DATA = os.path.join(SOURCE, "tests", "golden", "data")
TRACES = [os.path.join(DATA, name) for name in ("busy", "nested", "ping_pong", "recovery", "visit", "window")]
VERBS = (("print",), ("print", "--format", "json"), ("print", "--format", "csv"), ("stats",), ("stats", "--json"),
         ("report",), ("report", "--json"), ("graph", "--field", "pid", "--format", "svg", "-o", "-"))


def converted():
    """Traces of what came from files of other formats: own terms are made of these."""
    made = [path("magnet"), path("meas"), path("pm")]
    run(SONDE, "convert", os.path.join(DATA, "magnet", "le64+data.magnet"), "-o", made[0], good=False)
    run(SONDE, "convert", os.path.join(DATA, "visit"), "-o", path("visit.meas"))
    run(SONDE, "convert", path("visit.meas"), "-o", made[1])
    run("python3", "-B", os.path.join(DATA, "make_pm.py"), path("files"))
    run(SONDE, "convert", os.path.join(path("files"), "little.pm"), "-o", made[2], good=False)
    return made


def without_index():
    """As babeltrace2 writes it; the same cut off, and compressed by us with the index taken away."""
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    run("babeltrace2", "convert", os.path.join(DATA, "window"), "--component", "sink.ctf.fs", "--params",
        'path="%s"' % path("theirs"))
    run(SONDE, "convert", "--compress", os.path.join(DATA, "visit"), "-o", path("packed"))
    shutil.rmtree(os.path.join(path("packed"), "index"))
    folders = [folder for folder, unused, files in os.walk(path("theirs")) if "metadata" in files]
    for folder in folders:
        check("index" not in os.listdir(folder), "babeltrace2 writes an index by now")
    return folders + [path("packed")]


def serve(*traces):
    """URLs of the sessions, and a function that gives what the relay has said."""
    said = path("serve%d" % len(traces))
    with open(said, "wb") as out:
        relay = subprocess.Popen([SONDE, "serve", "--live", "127.0.0.1:0", *traces], stdout=out,
                                 stderr=out)
    cleanups.append(lambda: (relay.terminate(), relay.wait()))
    found = re.compile(r"net://\S+/host/\S+")

    def text():
        with open(said, encoding="utf-8") as file:
            return file.read()

    until(lambda: len(found.findall(text())) == len(traces), "the relay says what it has")
    return in_order(found.findall(text()), traces), text


END = re.compile(r',"end_mark":"\w+"|^end (not )?marked:.*\n', re.M)


def compare(trace, url):
    name = os.path.basename(trace)
    for verb in VERBS:
        want, got = (run(SONDE, *verb, source, good=False) for source in (trace, url))
        equal("status of %s %s" % (verb[0], name), got.returncode, want.returncode)
        # Only a directory has an end mark, or lacks one.
        want, got = (END.sub("", done.stdout.replace(source, "SOURCE")) for done, source in
                     ((want, trace), (got, url)))
        equal("%s of %s is the same" % (" ".join(verb), name), got == want, True)


def theirs(trace, url):
    """babeltrace2 sees live what it sees on disk, hidden streams on neither."""
    want = run("babeltrace2", trace).stdout
    got = run("babeltrace2", "-i", "lttng-live", url, good=False).stdout
    equal("babeltrace2 of " + os.path.basename(trace), got.count("\n"), want.count("\n"))
    check(want.count("\n") > 10, "babeltrace2 reads nothing: " + want)


def cut_off():
    """What is whole of a stream without an index is served, and it is said that there is more."""
    folder = path("cut")
    shutil.copytree(os.path.join(DATA, "visit"), folder)
    shutil.rmtree(os.path.join(folder, "index"))
    name = max((name for name in os.listdir(folder) if name != "metadata" and name[0] != "."),
               key=lambda name: os.path.getsize(os.path.join(folder, name)))
    with open(os.path.join(folder, name), "ab") as file:
        file.write(b"no packet at all")
    urls, said = serve(folder)
    until(lambda: name + " is served up to where it can be read" in said(), "it says how much is served")
    want, got = (run(SONDE, "print", source, good=False).stdout for source in
                 (os.path.join(DATA, "visit"), urls[0]))
    equal("what is whole", got == want, True)


def growing_terms(trace):
    """Classes come while it is read, more than once: own terms are made of all events, and once."""
    target = path("growing")
    source = GrowingTrace(trace, target, cut_metadata(trace, b"meas.syscall"))
    urls, unused = serve(target)
    viewer = Viewer(urls[0], verb=("report", "--json"))
    until(lambda: '"viewers":1' in run(SONDE, "sessions", "--json", urls[0].partition("/host/")[0]).stdout,
          "the viewer is attached")
    for name in (b"meas.bwrite", b"meas.sampler", None):
        source.describe(cut_metadata(trace, name) if name else source.text())
    for entry in source.packets:
        source.write(entry)
    source.end()
    equal("status of what has grown", viewer.wait(), 0)
    want, got = (END.sub("", text) for text in (run(SONDE, "report", "--json", trace).stdout, viewer.text()))
    equal("report of what has grown", got == want, True)


def cut_metadata(trace, name):
    """Up to the class of this name."""
    with open(os.path.join(trace, "metadata"), "rb") as file:
        text = file.read()
    return text[:text.rindex(b"event {", 0, text.index(name))]


def main():
    bare = without_index()
    traces = TRACES + converted() + bare
    for trace, url in zip(traces, serve(*traces)[0]):
        compare(trace, url)
        if trace in bare[:-1] + [os.path.join(DATA, "window"), os.path.join(DATA, "visit")]:
            theirs(trace, url)
    cut_off()
    growing_terms(path("meas"))
    finish()


main()
