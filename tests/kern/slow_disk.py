#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A disk that takes less than what is recorded: events are lost and counted, and the recorder
answers, keeps its time and ends all the same."""
import json
import time

from harness import (SONDE, Actor, Recorder, check, equal, finish, preloaded, require_root, run,
                     stats)

ENDLESS = str(1 << 40)
SOON = 10  # seconds: many times what is needed, far less than for ever

require_root()
actor = Actor("rounds", ENDLESS)
start = time.monotonic()
recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--buffer", "1M",
                    "--duration", "4s", env=preloaded("slow"))
actor.start()
time.sleep(1)
asked = time.monotonic()
told = json.loads(run(SONDE, "status", "--json", str(recorder.pid)).stdout)
check(time.monotonic() - asked < SOON, "status takes %g s" % (time.monotonic() - asked))
check(told["lost"] > 0, "the disk is not slow: nothing is lost")
equal("exit status", recorder.wait(), 3)
check(time.monotonic() - start < 4 + SOON, "the recording of 4 s took %g s" %
      (time.monotonic() - start))
actor.kill()
check(stats(recorder.trace)["lost"] >= told["lost"], "the trace tells of less loss than status")
finish()
