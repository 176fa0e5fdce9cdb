#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde record --push under TLS, with a token and with both, to a relay of ours that asks for them: what arrives is
what is recorded. Where one of them is not as it should be, the recorder says what, records, and tries again."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from certificates import Authority, write_token  # noqa: E402
from harness import (SONDE, Actor, Net, Recorder, check, equal, events, finish, require_root, run,  # noqa: E402
                     read_line, until)
from relay_harness import Serve  # noqa: E402

ROUND = 1000


class Asking(Serve):
    """A relay with certificates, tokens, or both."""

    def __init__(self, net, namespace, *options, output=None):
        self.options = options
        super().__init__(net, namespace, output)

    def command(self, address):
        plain = super().command(address)
        plain.remove("--insecure")
        return plain + list(self.options)


class Push(Recorder):
    def __init__(self, net, actor, relay, *args):
        with net.inside(net.a):
            super().__init__("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid", "--push",
                             relay.url(), "--push-patience", "60s", *args)


def calls(trace):
    return sorted(event["fields"]["target_pid"] for event in events(trace, "-e", "sys.enter", good=None)
                  if event["event"] == "sys.getpgid")


def complete(what, got, count):
    check(got == list(range(count)), "%s: %d of %d calls" % (what, len(got), count))


def let_in(net, what, theirs, ours):
    actor, relay = Actor("rounds", str(ROUND)), Asking(net, net.b, *theirs)
    recorder = Push(net, actor, relay, *ours)
    actor.act()
    equal("exit status, " + what, recorder.stop(), 0)
    trace, = relay.traces()
    complete("relay, " + what, calls(trace), ROUND)
    complete("directory, " + what, calls(recorder.trace), ROUND)
    equal("exit status of the relay, " + what, relay.stop(), 0)
    actor.kill()


def turned_away(net, what, theirs, ours, why, better):
    """Until the relay is another one, which takes what we show."""
    actor, relay = Actor("rounds", str(ROUND)), Asking(net, net.b, *theirs)
    recorder = Push(net, actor, relay, *ours)
    line = read_line(recorder.process.stderr)
    check(why in line and "waits in memory" in line, "%s: it says %s" % (what, line))
    actor.act()
    equal("traces, " + what, relay.traces(), [])
    relay.stop()
    second = Asking(net, net.b, *better)
    actor.act()
    until(second.traces, what + ": the recorder has come back")
    equal("exit status, " + what, recorder.stop(), 0)
    trace, = second.traces()
    complete("relay in the end, " + what, calls(trace), 2 * ROUND)
    complete("directory, " + what, calls(recorder.trace), 2 * ROUND)
    second.stop()
    actor.kill()


def main():
    require_root()
    net = Net()
    good, other = Authority("good"), Authority("other")
    address = "IP:" + net.v4[net.b]
    relay = good.options(good.sign("relay", address))
    recorder = good.options(good.sign("recorder"))
    secret, other_secret = (("--token", write_token("token", text)) for text in (
        "a secret of enough bytes", "another secret of enough bytes"))
    let_in(net, "TLS", relay, recorder)
    let_in(net, "a token", secret, secret)
    let_in(net, "both", relay + secret, recorder + secret)
    turned_away(net, "another authority's relay", other.options(other.sign("relay", address)), recorder,
                "the relay's certificate:", relay)
    turned_away(net, "a relay of another name", good.options(good.sign("elsewhere")), recorder,
                "the relay's certificate:", relay)
    # Who believes the relay, and shows what that does not.
    theirs = other.options(other.sign("recorder"))[:4] + ("--tls-ca", good.cert)
    turned_away(net, "another authority's recorder", relay, theirs, "does not take our certificate",
                relay[:4] + ("--tls-ca", other.cert))
    turned_away(net, "another token", relay + other_secret, recorder + secret, "the connection without a word",
                relay + secret)
    turned_away(net, "no token", secret, (), "the connection without a word", ("--insecure",))
    turned_away(net, "a relay without TLS", ("--insecure",), recorder, "within the TLS handshake", relay)
    half = run(SONDE, "record", "--push", "net://" + net.v4[net.b], "--tls-cert", good.cert, "-d", "1ms", good=False)
    equal("a certificate without its key", (half.returncode, "--tls-key" in half.stderr), (2, True))
    finish()


main()
