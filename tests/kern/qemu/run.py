#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
run: sonde on a stock Debian 12 kernel (6.1), booted under qemu without any privilege.

	run.py SONDE ACTOR CACHE

CACHE keeps the kernel from one run to the next, and the last run's console and results. Prints a
line for each check; exit status 0, 1, or 77 where this machine lacks something.
"""

import pathlib
import shutil
import sys
import tarfile

import checks
import initramfs
import kernel_image
import machine

MODULES = ["bfq", "virtio_pci", "virtio_blk", "veth", "sch_tbf", "tcp_diag"]
DISK_BYTES = 512 << 20
SILENCE_SECONDS = 900
HERE = pathlib.Path(__file__).resolve().parent


def tool(name):
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if not path:
        raise kernel_image.Missing(f"no {name} here")
    return path


def build_initramfs(sonde, actor, modules, path):
    fs = initramfs.Initramfs()
    for name in ["proc", "sys", "dev", "out", "run", "tmp", "var"]:
        fs.directory(name)
    fs.link("var/run", "/run")
    fs.program(tool("busybox"), "bin/busybox")
    fs.program(sonde, "bin/sonde")
    fs.program(actor, "bin/actor")
    fs.program(tool("ip"), "bin/ip")
    fs.program(tool("tc"), "bin/tc")
    fs.program(tool("setcap"), "bin/setcap")
    for applet in checks.run_text(tool("busybox"), "--list").split():
        if applet not in ("busybox", "ip", "tc", "init"):
            fs.link(f"bin/{applet}", "busybox")
    for script in (HERE / "guest").iterdir():
        fs.copy(script, "init" if script.name == "init" else f"bin/{script.name}")
    fs.write("etc/passwd", b"root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n")
    fs.write("etc/group", b"root:x:0:\nuser:x:1000:\n")
    for module in modules:
        fs.copy(module, f"modules/{module.stem}.ko")
    fs.write("modules/order", "".join(f"{module.stem}\n" for module in modules).encode())
    fs.save(path)


def prepare(sonde, actor, cache):
    """Makes what a boot needs; the kernel's image."""
    tool("qemu-system-x86_64")
    image = kernel_image.fetch(cache)
    build_initramfs(sonde, actor, kernel_image.modules(cache, MODULES), cache / "initramfs.cpio")
    return image


def boot(image, cache, name, parameters=""):
    """Boots; the directory with what the guest left."""
    disk, out, log = cache / "disk.img", cache / name, cache / f"{name}.log"
    disk.unlink(missing_ok=True)
    with open(disk, "wb") as file:
        file.truncate(DISK_BYTES)
    shutil.rmtree(out, ignore_errors=True)
    done = machine.run(image, cache / "initramfs.cpio", disk, SILENCE_SECONDS, log, parameters)
    if not done:
        raise machine.Hung(log.read_text()[-2000:])
    with tarfile.open(disk) as archive:
        archive.extractall(out)
    disk.unlink()
    print(f"on {image.name.removeprefix('vmlinuz-')} {parameters}".rstrip() + ":")
    return out


def main():
    sonde, actor, cache = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    try:
        image = prepare(sonde, actor, cache)
        failed = checks.judge(checks.FIRST, sonde, boot(image, cache, "out"))
        out = boot(image, cache, "out-preemptible", "preempt=full")
        failed += checks.judge(checks.PREEMPTIBLE, sonde, out)
    except kernel_image.Missing as missing:
        print(f"SKIP: {missing}")
        return 77
    except machine.Hung as hung:
        print(f"FAIL: the guest did not come to its end; the last of its console:\n{hung}")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
