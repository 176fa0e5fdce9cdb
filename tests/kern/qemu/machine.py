# SPDX-License-Identifier: BSD-2-Clause
"""One boot of the guest: its console is read until it ends, or nothing comes any more."""

import os
import selectors
import subprocess


class Hung(Exception):
    """The guest says nothing any more; the text is the end of its console."""


def command(image, initramfs, disk, extra):
    """One thread for both CPUs: with a thread for each, TCG now and then locks the guest up while its
    kernel changes its own code on one CPU and runs it on the other, as it does whenever a tracepoint
    goes on or off."""
    return [
        "qemu-system-x86_64", "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2",
        "-m", "1G", "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot",
        "-nic", "none", "-kernel", image, "-initrd", initramfs,
        "-drive", f"file={disk},format=raw,if=virtio,cache=unsafe",
        "-append", f"console=ttyS0 loglevel=4 panic=-1 {extra}",
    ]


def lines(pipe, patience_s):
    """Whole lines as they come; ends with the pipe, or raises TimeoutError where none comes for so
    long. How long it takes in all depends on what else the host does."""
    selector = selectors.DefaultSelector()
    selector.register(pipe, selectors.EVENT_READ)
    rest = b""
    while True:
        if not selector.select(patience_s):
            raise TimeoutError
        data = os.read(pipe.fileno(), 65536)
        if not data:
            return
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            yield line.decode(errors="replace").rstrip()


def run(image, initramfs, disk, patience_s, log, extra=""):
    """Boots and waits for the guest's own end. True if it came to the last of its steps."""
    console = []
    with open(log, "w", encoding="utf-8", buffering=1) as file, \
         subprocess.Popen(command(image, initramfs, disk, extra), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as guest:
        try:
            for line in lines(guest.stdout, patience_s):
                console.append(line)
                file.write(line + "\n")
        except TimeoutError as error:
            raise Hung("\n".join(console[-20:])) from error
        finally:
            guest.kill()
    return "== done" in console
