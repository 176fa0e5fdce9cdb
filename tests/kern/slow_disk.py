#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A disk that takes less than what is recorded: events are lost and counted, and the recorder
answers, keeps its time and ends all the same."""
import json

from harness import (SONDE, Actor, Recorder, check, equal, finish, preloaded, require_root, run,
                     stats, until)

ENDLESS = str(1 << 40)


def slow_recorder(actor, *options):
    return Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--buffer", "1M", *options,
                    env=preloaded("slow"))


def lost(recorder):
    """As status has it."""
    return json.loads(run(SONDE, "status", "--json", str(recorder.pid)).stdout)["lost"]


def answers():
    actor = Actor("rounds", ENDLESS)
    recorder = slow_recorder(actor)
    actor.start()
    until(lambda: lost(recorder), "the disk is slow, and something is lost")
    told = lost(recorder)
    equal("exit status", recorder.stop(), 3)
    actor.kill()
    check(stats(recorder.trace)["lost"] >= told, "the trace tells of less loss than status")


def ends_in_time():
    """While it has more to write than the disk takes."""
    actor = Actor("rounds", ENDLESS)
    recorder = slow_recorder(actor, "--duration", "2s")
    actor.start()
    status = recorder.wait()
    equal("exit status at its own end", status, 3 if stats(recorder.trace)["lost"] else 0)
    equal("who ended", actor.process.poll(), None)
    actor.kill()


require_root()
answers()
ends_in_time()
finish()
