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
    """As status has it. None: no answer in time, as the machine's own disk may be busy for seconds, too."""
    asked = run(SONDE, "status", "--json", str(recorder.pid), good=False)
    if "does not answer" in asked.stderr:
        return None
    check(not asked.returncode, "status: " + asked.stderr)
    return json.loads(asked.stdout)["lost"]


def answers():
    actor = Actor("rounds", ENDLESS)
    recorder = slow_recorder(actor)
    actor.start()
    told = []
    until(lambda: told.append(lost(recorder)) or told[-1], "the disk is slow, and something is lost")
    equal("exit status", recorder.stop(), 3)
    actor.kill()
    check(stats(recorder.trace)["lost"] >= told[-1], "the trace tells of less loss than status")


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
