#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Live sessions of real programs: LTTng-UST streams to lttng-relayd, and sonde reads there what babeltrace2 reads:
applications that come and go, streams that fall idle, metadata that grows, sessions that are cleared and that end,
and a relay that is killed."""
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, missing, run, until  # noqa: E402
from lttng_relay import Relay, Viewer  # noqa: E402
from lttng_session import Lttng  # noqa: E402

EACH = 12  # events of a round of ust_program: six classes, two threads
BABELTRACE_LINE = re.compile(r"^\[[^\]]*\].*? (sonde_test:\w+): ", re.M)


def program():
    made = os.environ.get("SONDE_UST_PROGRAM")
    if not made:
        missing("liblttng-ust-dev is not installed")
    return made


def kinds(events):
    return collections.Counter(one["event"] for one in events)


def in_order(what, events):
    times = [one["time"] for one in events]
    check(times == sorted(times), what + ": times go back")


def expected(rounds, burst, runs=1):
    """Events by class of @runs of ust_program ROUNDS BURST."""
    names = ("integers", "floats", "enums", "arrays", "texts", "nothing")
    want = collections.Counter({"sonde_test:" + name: 2 * rounds * runs for name in names})
    if burst:
        want["sonde_test:burst"] = 2 * burst * runs
    return want


def by_user(relay, ust):
    """Programs run one behind the other, with idle times between; the session is destroyed while it is
    read."""
    viewer = Viewer(relay.create("by-user"))
    want = collections.Counter()
    for rounds, burst in ((20, 5), (1, 0), (30, 100)):
        relay.lttng.run(ust, str(rounds), str(burst), "2000")
        want += expected(rounds, burst)
        until(lambda: viewer.lines() == sum(want.values()), "all was seen")
    relay.destroy("by-user")
    equal("by user: status", viewer.wait(), 0)
    equal("by user: said", viewer.said(), "")
    equal("by user: events", kinds(viewer.events()), want)
    in_order("by user", viewer.events())


def by_process(relay, ust):
    """Each program has streams and metadata of its own. What it does in its last moments lttng-relayd up to
    2.13 may lose, whoever reads."""
    viewer = Viewer(relay.create("by-process", ("--buffers-pid",)))
    want = collections.Counter()
    for unused in range(3):
        before = viewer.lines()

        def is_seen(seen=before):
            if viewer.lines() == seen:
                relay.lttng.run(ust, "40", "0", "20000")
                want.update(expected(40, 0))
            return viewer.lines() > seen
        until(is_seen, "the program was seen")
    relay.destroy("by-process")
    equal("by process: status", viewer.wait(), 3)
    equal("by process: said so", viewer.said().count("events may be missing"), 1)
    got = kinds(one for one in viewer.events() if one["event"] != "sonde.incomplete")
    check(got <= want, "by process: got %s of %s" % (got, want))


def beside_babeltrace(relay, ust):
    """A relay of LTTng lets in one viewer at a time: two sessions of the same program, one for each."""
    urls = {name: relay.create(name) for name in ("ours", "theirs")}
    viewer = Viewer(urls["ours"])
    theirs = subprocess.Popen(["babeltrace2", "-i", "lttng-live", urls["theirs"]], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # It reads from now on only, so it has to be there first; so has ours, as it shows.
    until(lambda: '"viewers":1' in clients(relay, "theirs"), "babeltrace2 is attached")
    relay.lttng.run(ust, "40", "50", "1000")
    until(lambda: viewer.lines() == sum(expected(40, 50).values()), "all was seen")
    for name in urls:
        relay.destroy(name)
    said = theirs.communicate(timeout=PATIENCE)[0]
    equal("status beside babeltrace2", viewer.wait(), 0)
    equal("events beside babeltrace2", kinds(viewer.events()),
          collections.Counter(BABELTRACE_LINE.findall(said)))


def clients(relay, name):
    lines = run(SONDE, "sessions", "--json", relay.url, good=False).stdout.splitlines()
    return next((line for line in lines if '"session":"%s"' % name in line), "")


def listed(relay):
    relay.create("listed one")
    relay.create("not-live", live=False)
    done = run(SONDE, "sessions", relay.url)
    check(relay.session("listed one") in done.stdout, "not listed: " + done.stdout)
    theirs = run("babeltrace2", "-i", "lttng-live", relay.url).stdout
    check(relay.session("listed one") in theirs, "babeltrace2 does not list it: " + theirs)
    done = run(SONDE, "print", relay.session("listed-one"), good=False)
    check(done.returncode == 1 and "listed one" in done.stderr, "misspelt: " + done.stderr)
    done = run(SONDE, "print", relay.session("not-live"), good=False)
    check(done.returncode == 1 and "not live" in done.stderr, "not live: " + done.stderr)
    first = Viewer(relay.session("listed one"))
    until(lambda: '"viewers":1' in clients(relay, "listed one"), "the first is attached")
    done = run(SONDE, "print", relay.session("listed one"), good=False)
    check(done.returncode == 1 and "another viewer" in done.stderr, "second: " + done.stderr)
    equal("status of who is interrupted before anything came", first.interrupt(), 1)
    # It has let go of the session.
    until(lambda: '"viewers":0' in clients(relay, "listed one"), "the first has gone")
    for name in ("listed one", "not-live"):
        relay.destroy(name)


def from_now(relay, ust):
    url = relay.create("now")
    relay.lttng.run(ust, "10", "0")
    first = Viewer(url)
    until(lambda: first.lines() == 10 * EACH, "all was seen")
    equal("status of Ctrl-C", first.interrupt(), 0)
    second, again = Viewer(url, "--from", "now"), None
    until(lambda: '"viewers":1' in clients(relay, "now"), "the second is attached")
    relay.lttng.run(ust, "7", "0")
    until(lambda: second.lines() == 7 * EACH, "what is new was seen")
    equal("status of Ctrl-C", second.interrupt(), 0)
    again = Viewer(url)
    until(lambda: again.lines() == 17 * EACH, "all was seen once more")
    relay.destroy("now")
    equal("status", again.wait(), 0)


def several(relay, ust):
    """Two sessions that see the same programs, as two sources of one viewer."""
    urls = [relay.create("first"), relay.create("second")]
    viewer = Viewer(*urls)
    until(lambda: all('"viewers":1' in clients(relay, name) for name in ("first", "second")), "it is attached to both")
    relay.lttng.run(ust, "20", "5", "1000")
    each = sum(expected(20, 5).values())
    until(lambda: viewer.lines() == 2 * each, "all was seen in both")
    for name in ("first", "second"):
        relay.destroy(name)
    equal("several: status", viewer.wait(), 0)
    equal("several: said", viewer.said(), "")
    equal("several: events", kinds(viewer.events()), expected(20, 5, 2))
    in_order("several", viewer.events())


def cleared(relay, ust):
    url = relay.create("cleared")
    viewer = Viewer(url)
    relay.lttng.run(ust, "10", "0")
    until(lambda: viewer.lines() == 10 * EACH, "all was seen")
    relay.lttng.lttng("clear", "cleared")
    relay.lttng.run(ust, "11", "0")
    until(lambda: kinds(viewer.events())["sonde_test:nothing"] == 42, "what came behind was seen")
    relay.destroy("cleared")
    check(viewer.wait() in (0, 3), "status of what was cleared: " + viewer.said())


def totals(relay, ust):
    """Verbs that show at the end what they have counted, with classes that come while they do."""
    viewers = {}
    for name, verb in (("stats", ("stats", "--json")), ("convert", ("convert", "-o", "-", "--format", "json"))):
        url = relay.create(name)
        viewers[name] = Viewer(url, verb=verb)
        until(lambda n=name: '"viewers":1' in clients(relay, n), "it is attached")
    relay.lttng.run(ust, "20", "5", "1000")
    relay.lttng.run(ust, "20", "5", "1000")
    for name in viewers:
        relay.destroy(name)
    for name, viewer in viewers.items():
        equal("status of " + name, viewer.wait(), 0)
    check('"events":500,' in viewers["stats"].text(), "stats: " + viewers["stats"].text()[:300])
    equal("converted", kinds(viewers["convert"].events()), expected(20, 5, 2))


def killed(relay, ust):
    """Its sessions are gone with it, and the viewer ends when that is certain."""
    url = relay.create("killed")
    viewers = [Viewer(url)]
    relay.lttng.run(ust, "10", "0")
    until(lambda: viewers[0].lines() == 10 * EACH, "all was seen")
    relay.kill()
    until(lambda: "trying to connect again" in viewers[0].said(), "it says that the relay is gone")
    check(relay.start(), "the relay is there again")
    equal("status behind a relay that was killed", viewers[0].wait(), 1)
    check("no session" in viewers[0].said(), "said: " + viewers[0].said())
    equal("events before", viewers[0].lines(), 10 * EACH)


def main():
    made = program()
    lttng = Lttng()
    relay = Relay(lttng)
    ust = lttng.program(made)
    by_user(relay, ust)
    by_process(relay, ust)
    listed(relay)
    beside_babeltrace(relay, ust)
    from_now(relay, ust)
    several(relay, ust)
    cleared(relay, ust)
    totals(relay, ust)
    killed(relay, ust)
    finish()


main()
