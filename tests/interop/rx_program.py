# SPDX-License-Identifier: BSD-2-Clause
"""tests/rx_program, which answers by the library's responder, with records of the test's."""
import os
import subprocess

from harness import cleanups, path

PROGRAM = os.environ.get("SONDE_RX_PROGRAM", "rx_program")


class RxProgram:
    """records: (collection, payload) of each; rate: bytes a second, 0 = any."""

    def __init__(self, records, version="S", rate=0, count=1):
        name = path("records")
        with open(name, "wb") as file:
            for what, payload in records:
                file.write(bytes([what]) + payload)
        self.process = subprocess.Popen([PROGRAM, name, version, str(rate), str(count)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cleanups.append(self.stop)
        self.port = int(self.process.stdout.readline())

    def stop(self):
        if self.process.poll() is None:
            self.process.communicate()
