# SPDX-License-Identifier: BSD-2-Clause
"""tcpdump as a witness: what came by a device."""
import struct
import subprocess

from harness import cleanups, fresh, read_line, skip

PCAP_HEAD, PACKET_HEAD = 24, 16


class Capture:
    """tcpdump -w on the device of a namespace."""

    def __init__(self, name):
        self.file = fresh("capture")
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", name, "tcpdump", "-n", "-B", "65536", "-s", "96", "-U", "-Z",
             "root", "-i", "v0", "-w", self.file],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        cleanups.append(self.process.kill)
        line = ""
        while "listening on" not in line:
            line = read_line(self.process.stderr)
            if not line:
                skip("tcpdump does not run here")

    def packets(self):
        """(length, first bytes) of each packet in the file so far."""
        with open(self.file, "rb") as file:
            data = file.read()
        at = PCAP_HEAD
        while at + PACKET_HEAD <= len(data):
            captured, length = struct.unpack_from("II", data, at + 8)
            at += PACKET_HEAD + captured
            if at <= len(data):
                yield length, data[at - captured:at]

    def lengths(self):
        return [length for length, unused in self.packets()]

    def stop(self):
        """What the kernel did not give it."""
        self.process.terminate()
        text = self.process.communicate()[1]
        return int(next(line for line in text.splitlines()
                        if "dropped by kernel" in line).split()[0])
