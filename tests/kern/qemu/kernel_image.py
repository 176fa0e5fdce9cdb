# SPDX-License-Identifier: BSD-2-Clause
"""A stock Debian kernel: found, fetched once, and unpacked as far as the guest needs it."""

import pathlib
import re
import subprocess
import tarfile
import tempfile

NAME = r"linux-image-6\.1\.0-([0-9]+)-amd64"
WANTED = re.compile(r"\./(boot/vmlinuz-|lib/modules/[^/]+/kernel/"
                    r"(drivers/(virtio|block|net)|net/sched|net/core|net/ipv4|block)/)")


class Missing(Exception):
    """What the test needs and this machine does not have."""


def unpacked(cache):
    """The image, unless what was wanted when it was unpacked was something else."""
    images = sorted(cache.glob("boot/vmlinuz-*"))
    mark = cache / "wanted"
    if not images or not mark.exists() or mark.read_text() != WANTED.pattern:
        return None
    return images[-1]


def newest_package():
    """The newest of the distribution's 6.1 kernels, without real-time and cloud variants."""
    try:
        found = subprocess.run(["apt-cache", "search", "--names-only", f"^{NAME}$"],
                               capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(f"no apt-cache to find a kernel with: {error}") from error
    numbers = re.findall(f"^{NAME} ", found, re.MULTILINE)
    if not numbers:
        raise Missing("the package lists have no linux-image-6.1.0-*-amd64: this is no Debian 12, "
                      "or apt-get update was never run")
    return f"linux-image-6.1.0-{max(map(int, numbers))}-amd64"


def unpack(package, cache):
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package],
                          stdout=subprocess.PIPE) as unpacking:
        with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
            for member in archive:
                if member.isfile() and WANTED.match(member.name):
                    archive.extract(member, cache)
    if unpacking.returncode:
        raise Missing(f"dpkg-deb cannot read {package}")
    (cache / "wanted").write_text(WANTED.pattern)


def fetch(cache):
    """The path of a kernel's image in @cache; its modules lie beside it."""
    if unpacked(cache):
        return unpacked(cache)
    package = newest_package()
    with tempfile.TemporaryDirectory() as place:
        fetching = subprocess.run(["apt-get", "-q", "download", package], cwd=place,
                                  capture_output=True, text=True, check=False)
        packages = list(pathlib.Path(place).glob("*.deb"))
        if fetching.returncode or not packages:
            raise Missing(f"apt-get download {package}: {fetching.stderr.strip()}")
        cache.mkdir(parents=True, exist_ok=True)
        unpack(packages[0], cache)
    return unpacked(cache)


def needed_by(module):
    """The names of the modules that @module says it depends on."""
    match = re.search(rb"\0depends=([^\0]*)\0", module.read_bytes())
    return [name for name in match.group(1).decode().split(",") if name] if match else []


def modules(cache, names):
    """The files of the modules @names and all below them, in the order to load them in."""
    files = {path.stem.replace("-", "_"): path for path in cache.glob("lib/modules/**/*.ko")}
    order = []

    def add(name):
        if name not in files:
            raise Missing(f"the kernel package has no module {name}")
        for below in needed_by(files[name]):
            add(below)
        if files[name] not in order:
            order.append(files[name])

    for name in names:
        add(name)
    return order
