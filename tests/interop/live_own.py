#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces on disk that our relay serves: our viewer reads there what is in them, names of addresses too."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, cleanups, equal, finish, path, run, until  # noqa: E402

SOURCE = os.environ.get("SONDE_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TRACES = [os.path.join(SOURCE, "tests", "golden", "data", name) for name in ("busy", "ping_pong")]
VERBS = (("print", "--format", "json"), ("print", "--format", "csv"), ("stats",), ("report",),
         ("graph", "--field", "pid", "--format", "svg", "-o", "-"))


def serve():
    """URLs of the sessions."""
    said = path("serve")
    with open(said, "wb") as out:
        relay = subprocess.Popen([SONDE, "serve", "--live", "127.0.0.1:0", *TRACES], stdout=out,
                                 stderr=out)
    cleanups.append(lambda: (relay.terminate(), relay.wait()))
    found = re.compile(r"net://\S+/host/\S+")
    until(lambda: len(found.findall(open(said, encoding="utf-8").read())) == len(TRACES),
          "the relay says what it has")
    return found.findall(open(said, encoding="utf-8").read())


def main():
    urls = {url.rsplit("/", 1)[1]: url for url in serve()}
    for trace in TRACES:
        name = os.path.basename(trace)
        for verb in VERBS:
            want, got = (run(SONDE, *verb, source, good=False) for source in (trace, urls[name]))
            equal("status of %s %s" % (verb[0], name), got.returncode, want.returncode)
            want, got = (done.stdout.replace(source, "SOURCE") for done, source in
                         ((want, trace), (got, urls[name])))
            equal("%s of %s is the same" % (" ".join(verb), name), got == want, True)
    finish()


main()
