# SPDX-License-Identifier: BSD-2-Clause
"""A trace that grows packet by packet as a recorder would write it, made of one that is finished: what is there
at which moment is up to the test."""
import fcntl
import os
import shutil
import struct

HEAD = 16  # bytes of an index
END = ".end"  # the end mark of a converted trace


class GrowingTrace:
    def __init__(self, source, target, metadata=None):
        self.source, self.target, self.files = source, target, {}
        os.makedirs(os.path.join(target, "index"))
        self.lock = os.open(target, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.describe(metadata or self.text())
        self.packets = sorted(
            (entry for name in os.listdir(source) if name not in ("metadata", "index", END)
             for entry in self.entries(name)), key=lambda entry: entry["begin"])

    def text(self):
        with open(os.path.join(self.source, "metadata"), "rb") as file:
            return file.read()

    def describe(self, metadata):
        """Puts metadata in the place of what there was."""
        path = os.path.join(self.target, "metadata")
        with open(path + "~", "wb") as file:
            file.write(metadata)
        os.rename(path + "~", path)

    def entries(self, name):
        with open(os.path.join(self.source, "index", name + ".idx"), "rb") as file:
            index = file.read()
        for at in range(HEAD, len(index), 72):
            entry = dict(zip(("offset", "bits", "content", "begin", "end"),
                             struct.unpack_from(">5Q", index, at)))
            entry.update(stream=name, index=index[at:at + 72], head=index[:HEAD])
            yield entry

    def data(self, entry):
        with open(os.path.join(self.source, entry["stream"]), "rb") as file:
            file.seek(entry["offset"])
            return file.read(entry["bits"] // 8)

    def write(self, entry):
        """The packet, then its index entry, as the recorder does."""
        name = entry["stream"]
        if name not in self.files:
            data = open(os.path.join(self.target, name), "wb", buffering=0)
            index = open(os.path.join(self.target, "index", name + ".idx"), "wb", buffering=0)
            index.write(entry["head"])
            self.files[name] = data, index
        data, index = self.files[name]
        data.write(self.data(entry))
        index.write(entry["index"])

    def end(self):
        """As the recorder's death has it, too; one that was converted has its end mark by then."""
        if os.path.exists(os.path.join(self.source, END)):
            shutil.copy(os.path.join(self.source, END), os.path.join(self.target, END + "~"))
            os.rename(os.path.join(self.target, END + "~"), os.path.join(self.target, END))
        os.close(self.lock)
        for data, index in self.files.values():
            data.close()
            index.close()
