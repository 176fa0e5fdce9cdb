# SPDX-License-Identifier: BSD-2-Clause
"""The guest's file system: a cpio archive in the "newc" format that the kernel unpacks."""

import pathlib
import re
import stat
import subprocess


class Initramfs:
    def __init__(self):
        self.parts = []
        self.length = 0
        self.seen = set()
        self.number = 0

    def _put(self, data):
        data += bytes(-len(data) % 4)
        self.parts.append(data)
        self.length += len(data)

    def _entry(self, name, mode, data=b""):
        self.number += 1
        name_bytes = name.encode() + b"\0"
        fields = [self.number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name_bytes), 0]
        head = b"070701" + b"".join(b"%08x" % field for field in fields)
        self._put(head + name_bytes)
        self._put(data)

    def directory(self, name):
        path = pathlib.PurePosixPath(name.strip("/"))
        for each in [*reversed(path.parents), path]:
            if str(each) != "." and str(each) not in self.seen:
                self.seen.add(str(each))
                self._entry(str(each), stat.S_IFDIR | 0o755)

    def write(self, name, data, mode=0o644):
        name = name.lstrip("/")
        if name in self.seen:
            return
        self.seen.add(name)
        self.directory(str(pathlib.PurePosixPath(name).parent))
        self._entry(name, stat.S_IFREG | mode, data)

    def copy(self, source, name, mode=0o755):
        self.write(name, pathlib.Path(source).read_bytes(), mode)

    def program(self, source, name):
        """A program, with the shared libraries that it asks for where it asks for them."""
        self.copy(source, name)
        asked = subprocess.run(["ldd", source], capture_output=True, text=True, check=False)
        for library in re.findall(r"(/\S+) \(0x", asked.stdout):
            self.copy(library, library)

    def link(self, name, target):
        name = name.lstrip("/")
        self.seen.add(name)
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def save(self, path):
        self._entry("TRAILER!!!", 0)
        path.write_bytes(b"".join(self.parts))
