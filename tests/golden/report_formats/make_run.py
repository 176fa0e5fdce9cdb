# SPDX-License-Identifier: BSD-2-Clause
"""make_run.py narrow|wide: a measurement-system file on stdout, with system calls, transfers and
switches of which is known how long each took."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "meas"))

from make_meas import SECOND, File  # noqa: E402

TRAP, SLEEP, SWTCH, SETRQ, REMRQ, SYSCALL = 1, 2, 3, 4, 5, 6
START, EXIT, QUEUE, ISSUE, COMPLETE = 80, 81, 82, 83, 84
IDLE, CC, SH = 0, 100, 200


class Run(File):
    def at(self, ms):
        """All records from here on are of one moment."""
        self.time_ns = SECOND * 10**9 + ms * 10**6

    def time(self):
        return [self.time_ns // 10**9, self.time_ns % 10**9 // 1000]

    def start(self, pid, number):
        self.record(START, self.time() + [pid, number, 0] + [0] * 6, [(0, 2)] * 7 + [(0, 1)], tid=pid)

    def exit(self, pid, number, value):
        self.record(EXIT, self.time() + [pid, value, 0], [(value, 2), (number, 1), (0, 1)], tid=pid)


def calls(run):
    """Two calls at a time, one that fails, one that does not end."""
    for ms, pid, number, value in ((0, CC, 3, None), (1, SH, 4, None), (3, SH, 4, 10), (10, CC, 3, -5),
                                   (11, CC, 1, None)):
        run.at(ms)
        if value is None:
            run.start(pid, number)
        else:
            run.exit(pid, number, value)


def transfers(run):
    for ms, stage, block in ((20, QUEUE, 16), (21, QUEUE, 800), (22, ISSUE, 16), (30, COMPLETE, 16),
                             (31, ISSUE, 800), (35, COMPLETE, 800)):
        run.at(ms)
        run.disc(stage, 1, int(block == 16), block=block, request=block)


def switches(run):
    def woken(pid):
        run.process(SETRQ, pid, 20)

    def goes(pid, why, follows):
        if why != SLEEP:
            run.process(why, pid, 20, more=[0, 0] if why == TRAP else [],
                        whole=[(0, 2)] if why == TRAP else [])
            woken(pid)
        else:
            run.process(SLEEP, pid, 20, more=[0], whole=[(0, 2)])
        comes(pid, follows)

    def comes(before, follows):
        run.process(SWTCH, before, 20)
        if follows != IDLE:
            run.process(REMRQ, follows, 20)

    run.at(40)
    woken(CC)
    run.at(42)
    comes(IDLE, CC)  # it waited 2 ms
    run.at(45)
    woken(SH)
    run.at(46)
    goes(CC, TRAP, SH)  # which waited 1 ms
    run.at(50)
    goes(SH, SLEEP, CC)  # preempted for 4 ms
    run.at(53)
    goes(CC, SYSCALL, CC)  # and for none
    run.at(60)
    goes(CC, SLEEP, IDLE)


def main():
    run = Run("big", "3.0", sys.argv[1] == "wide")
    calls(run)
    transfers(run)
    switches(run)
    sys.stdout.buffer.write(run.bytes)


main()
