#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Our rxdebug beside OpenAFS's, byte for byte: the same command lines, the same endpoints, made up
ones and real servers. And what OpenAFS's does not survive."""
import contextlib
import difflib
import itertools
import os
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, missing, path  # noqa: E402
import rx_endpoint  # noqa: E402
from rx_endpoint import (ABORT, BASIC, CONN, CONN_END, DEBUG, PEER, PEER_END, Endpoint,  # noqa: E402
                         basic, conn, lists, peer)

THEIRS = shutil.which("rxdebug")
VERSIONS = ["K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", 0xd3]
OPTIONS = [[], ["-rxstats"], ["-allconnections"], ["-peers", "-long"], ["-noconns", "-peers"],
           ["-nodally", "-a"], ["-onlyserver"], ["-onlyclient", "-a"], ["-onlyauth", "crypt", "-a"],
           ["-onlyauth", "clear"], ["-onlyauth", "noauthentication", "-a"],
           ["-onlyhost", "192.0.2.3", "-peers"], ["-onlyport", "7005", "-allc", "-pe", "-l"],
           ["-version", "-rxstats"], ["-onlyhost", "255.255.255.255"]]
WRONG = [[], ["-help"], ["--help"], ["-h", "x"], ["-foo"], ["-on", "1"], ["-"], ["-n"],
         ["127.0.0.1", "-port"], ["-port", "-peers"], ["-port"], ["-servers"], ["-servers", "-port", "1"],
         ["-port", "-help"], ["-port", "-peers", "127.0.0.1"], ["-servers", "-port"],
         ["-port", "-7"], ["-port", "7003"],
         ["-servers", "a", "b"], ["-servers", "a", "-servers", "b"], ["a", "-servers", "b"],
         ["127.0.0.1", "7000", "7001", "127.0.0.1", "clear", "x"], ["127.0.0.1", "-port", "1", "2"],
         ["127.0.0.1", "-peers", "7003", "-bad"], ["127.0.0.1", "-port=7003", "-bad"],
         ["host.invalid"], ["127.0.0.1", "no-such-port"], ["127.0.0.1", "-7"],
         ["127.0.0.1", "65535"], ["127.0.0.1", "7003", "-onlyauth", "foo"],
         ["127.0.0.1", "7003", "-onlyport", "nsp", "-onlyhost", "host.invalid"],
         ["host.invalid", "nsp", "-onlyauth", "foo"],
         ["127.0.0.1", "7003", "-onlyauth", "foo", "-onlyhost", "host.invalid"]]


def ours():
    """Called by that name, sonde is it."""
    link = path("rxdebug")
    if not os.path.islink(link):
        os.symlink(SONDE, link)
    return link


def run(program, *args, patience=PATIENCE):
    done = subprocess.run(["rxdebug", *args], executable=program, capture_output=True,
                          timeout=patience)
    return done.returncode, done.stdout, done.stderr


def same(what, *args):
    got, want = run(ours(), *args), run(THEIRS, *args)
    what += " " + " ".join(args)
    equal(what + ": status", got[0], want[0])
    for part, mine, other in zip(("stdout", "stderr"), got[1:], want[1:]):
        lines = list(difflib.unified_diff(other.decode("latin-1").splitlines(),
                                          mine.decode("latin-1").splitlines(), lineterm="", n=0))
        check(mine == other, "%s: %s:\n%s" % (what, part, "\n".join(lines)))


def made_up_endpoints():
    now = int(time.time())
    for seed, version in enumerate(VERSIONS):
        endpoint = Endpoint(lists(seed, version, now))
        for options in OPTIONS:
            if "-a" in "".join(options) and version in ("K", 0xd3):
                continue  # it asks for all although it says that it does not
            same("version %s:" % version, "127.0.0.1", str(endpoint.port), *options)
        endpoint.stop()


def ports():
    """OpenAFS's shows no peers with half of them."""
    numbers = [7005, 7296, 128, 32767, 32768, 33000, 65534]

    def answer(kind, what, index, unused):
        if what == BASIC:
            return basic()
        if what == PEER:
            return peer(port=numbers[index]) if index < len(numbers) else PEER_END
        return conn(port=numbers[index]) if index < len(numbers) else CONN_END

    endpoint = Endpoint(answer)
    for number in numbers:
        same("ports:", "127.0.0.1", str(endpoint.port), "-allc", "-peers", "-onlyport", str(number))
    endpoint.stop()


def what_is_asked():
    """Nothing but what is shown, and in the same order, each once. On a busy machine an answer may come after a second,
    when it is asked for again."""
    asked, since = [], time.monotonic()
    for program in (ours(), THEIRS):
        endpoint = Endpoint(lists(1, "S", int(time.time()), conns=2, peers=1))
        run(program, "127.0.0.1", str(endpoint.port), "-rxstats", "-allconnections", "-peers")
        endpoint.stop()
        asked.append(endpoint.requests)
    if time.monotonic() - since >= 1:
        asked = [[one for one, unused in itertools.groupby(requests)] for requests in asked]
    equal("requests", asked[0], asked[1])


def command_lines():
    for args in WRONG:
        same("wrong:", *args)


@contextlib.contextmanager
def what_does_not_answer():
    """Both give up after 31 seconds, in which the block does something else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        port = str(silent.getsockname()[1])
        running = [(args, [subprocess.Popen(["rxdebug", "127.0.0.1", port, *args],
                                            executable=program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                           for program in (ours(), THEIRS)]) for args in ([], ["-version"])]
        yield
        for args, pair in running:
            results = [(one.communicate(timeout=PATIENCE), one.returncode) for one in pair]
            equal("silence " + " ".join(args), results[0], results[1])


def refusing(*types):
    normal = lists(2, "S", int(time.time()))

    def answer(kind, what, index, header):
        if what in types:
            return rx_endpoint.REFUSAL
        return normal(kind, what, index, header)

    return answer


def what_theirs_does_not_survive():
    """A list that is refused ends, one that never ends is cut, an abort ends all, strangers and fragments are not believed."""
    endpoint = Endpoint(refusing(CONN))
    status, out, unused = run(ours(), "127.0.0.1", str(endpoint.port), "-peers")
    equal("connections refused: status", status, 0)
    check(out.endswith(b"getconn call failed with code -1\n"), "connections refused: %s" % out)
    endpoint.stop()

    endless = lists(2, "S", int(time.time()))
    for what, option, name in ((CONN, [], "connections"), (PEER, ["-noconns", "-peers"], "peers")):
        endpoint = Endpoint(lambda kind, asked, index, header, what=what: endless(
            kind, asked, index % 5 if asked == what else index, header))
        status, unused, said = run(ours(), "127.0.0.1", str(endpoint.port), *option)
        equal("an endless list of %s: status" % name, status, 1)
        check(b"list of %s has not ended after 20000 records" % name.encode() in said, said)
        equal("questions for " + name, endpoint.requests[-1], (DEBUG, what, 19999))
        endpoint.stop()

    # The end as the protocol's description has it: the first word alone.
    for end in (b"\xff" * 4, b"\xff" * 4 + bytes(172)):
        endpoint = Endpoint(lambda kind, what, index, header, end=end: end if index == 2 else
                            endless(kind, what, index, header))
        status, out, unused = run(ours(), "127.0.0.1", str(endpoint.port), "-allconnections", "-peers")
        equal("an end of %d bytes: status" % len(end), status, 0)
        equal("lists, connections, peers", [out.count(text) for text in (
            b"Done.\n", b"Connection from host", b"Peer at host")], [2, 2, 2])
        endpoint.stop()

    endpoint = Endpoint(lambda kind, what, index, header: (ABORT, b"\xff\xff\xff\xfb"))
    status, out, unused = run(ours(), "127.0.0.1", str(endpoint.port))
    equal("aborted", (status, out.splitlines()[1:]), (1, [b"getstats call failed with code -1"]))
    endpoint.stop()

    normal = lists(3, "S", int(time.time()))
    lies = []

    def lying(kind, what, index, header):
        """Before each answer come lies: from elsewhere, too short, of another type, other numbers."""
        good = normal(kind, what, index, header)
        source = answering.source
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for number, send, type_, flags, payload in (
                (header[2], stranger, header[5], 0, bytes(200)),
                (header[2], answering.socket, header[5], 0, b""),
                (header[2], answering.socket, 1, 0, bytes(200)),
                (header[2], answering.socket, header[5], 1, bytes(200)),
                (header[2] + 1, answering.socket, header[5], 0, bytes(200))):
            lie = list(header)
            lie[2], lie[5], lie[6] = number & 0xffffffff, type_, flags
            send.sendto(rx_endpoint.HEADER.pack(*lie) + payload, source)
            lies.append(lie)
        answering.socket.sendto(b"\0" * 12, source)
        stranger.close()
        return good

    class Answering(Endpoint):
        def reply(self, packet, source):
            self.source = source
            super().reply(packet, source)

    answering = Answering(lying)
    honest = Endpoint(normal)
    args = ["-rxstats", "-allconnections", "-peers", "-long"]
    told = run(ours(), "127.0.0.1", str(answering.port), *args)
    want = run(ours(), "127.0.0.1", str(honest.port), *args)
    equal("among lies", told[1].splitlines()[1:], want[1].splitlines()[1:])
    check(len(lies) > 50, "only %d lies" % len(lies))
    answering.stop()
    honest.stop()


def half_of_the_requests():
    """What is lost is asked again."""
    normal = lists(4, "S", int(time.time()), conns=1, peers=0)
    seen = set()

    def every_second(kind, what, index, header):
        if header[2] not in seen:
            seen.add(header[2])
            return None
        return normal(kind, what, index, header)

    endpoint = Endpoint(every_second)
    status, out, unused = run(ours(), "127.0.0.1", str(endpoint.port))
    equal("half lost: status", status, 0)
    check(out.endswith(b"Done.\n"), "half lost: %s" % out)
    asked = [(what, len(list(same))) for what, same in itertools.groupby(endpoint.requests)]
    equal("half lost: requests", [what for what, unused in asked],
          [(DEBUG, what, index) for what, index in ((BASIC, 0), (CONN, 0), (CONN, 1))])
    # Once more where this machine is so busy that an answer comes late.
    check(all(times >= 2 for unused, times in asked), "half lost: asked %s" % asked)
    endpoint.stop()


def main():
    if not THEIRS:
        missing("OpenAFS's rxdebug is not installed")
    with what_does_not_answer():
        made_up_endpoints()
        ports()
        what_is_asked()
        command_lines()
        what_theirs_does_not_survive()
        half_of_the_requests()
    finish()


main()
