#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the trace `afs` is a recording of: three Rx servers that we make up. One has calls that wait for a thread, and
clients; one is silent for a time, and has begun anew then; nobody is at the third. Recorded from the folder of the
project by

	PYTHONPATH=tests/interop:tests/kern python3 tests/golden/data/afs.py build/src/cli/sonde

into ./afs. The boot id in the environment was replaced.
"""
import struct

from harness import Recorder, events, run, SONDE, until
from rx_endpoint import BASIC, CONN, CONN_END, PEER, PEER_END, REFUSAL, STATS, Endpoint, basic, conn, peer

WAITING = [0, 0, 2, 7, 12, 5, 1, 0]
RESENT_AT, SENT_AT = 12, 11  # in the numbers of a peer


def busy():
    """Each round it has served 100 calls more, and its two clients got and sent more."""
    state = {"round": -1}

    def peer_of(number):
        numbers = [0] * 28
        numbers[0], numbers[7], numbers[8], numbers[21], numbers[20] = 1444, 8 * 5 * (number + 1), 8, 4, 1444
        numbers[SENT_AT], numbers[RESENT_AT] = state["round"] * 50, state["round"] * number
        numbers[25], numbers[27] = state["round"] * (90000 >> number), state["round"] * (7000 << number)
        return peer("192.0.2.%d" % (number + 10), 7001, numbers)

    def answer(unused, what, index, header):
        if what == BASIC:
            state["round"] += 1
            waiting = WAITING[min(state["round"], len(WAITING) - 1)]
            return basic(waiting=waiting, idle=0 if waiting else 4, calls=0xffffff00 - (1 << 32) +
                         100 * state["round"], waited=sum(WAITING[:state["round"] + 1]))
        if what == STATS:
            words = [state["round"] * word for word in range(71)]
            words[56:60] = [2, 0, 2, 2]
            return struct.pack(">71I", *words)
        if what == CONN:
            calls = ((index + 1, 1, 2, 0x10, 1),) * 2 + ((0, 0, 0, 0, 0),) * 2
            waits = WAITING[min(state["round"], len(WAITING) - 1)]
            return conn("192.0.2.%d" % (index + 10), 7001, 4 * index + 4, calls=calls) \
                if index < 2 and waits else CONN_END
        if what == PEER:
            return peer_of(index) if index < 2 else PEER_END
        return REFUSAL
    return answer


def lazy():
    """Silent after three rounds, until it was given up; then it has begun anew."""
    state = {"asked": 0}

    def answer(unused, what, index, header):
        if what == BASIC:
            state["asked"] += 1
            if 3 < state["asked"] <= 6:
                return None
            return basic("P", calls=1000 + state["asked"] if state["asked"] <= 3 else state["asked"])
        return {STATS: struct.pack(">71I", *[0] * 71), CONN: CONN_END}.get(what, REFUSAL)
    return answer


def main():
    servers = [Endpoint(busy(), ("127.0.0.1", 7000)), Endpoint(lazy(), ("127.0.0.1", 7003))]
    recorder = Recorder("-e", "rx", "--rx", "127.0.0.1", "--rx", "127.0.0.1:7003", "--rx", "127.0.0.2:7000",
                        "--rx-period", "1s", trace="afs.all")
    until(lambda: any(event["event"] == "rx.stats" and event["fields"]["server"] == "127.0.0.1:7003" and
                      event["fields"]["round"] > 9 for event in events(recorder.trace, good=None)), "it is back")
    recorder.stop()
    for one in servers:
        one.stop()
    run(SONDE, "convert", "-e", "rx.*,sonde.loss", "afs.all", "-o", "afs", good=False)


main()
