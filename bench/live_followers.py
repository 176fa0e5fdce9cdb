# SPDX-License-Identifier: BSD-2-Clause
"""live_followers PORT COUNT: so many viewers of one live session, from its beginning to its end. Says "attached" when
they are, and at the end a line of JSON: {name of a stream: bytes} of each viewer."""
import json
import resource
import struct
import sys
import time

from live_peers import Viewer, receive

OK, HUP = 1, 3
NEW_METADATA, NEW_STREAMS = 1, 2
PAUSE = 0.05  # between two rounds: babeltrace2 asks every tenth of a second at most


class Follower(Viewer):
    """Takes everything, and looks at nothing."""

    def __init__(self, port):
        self.streams, self.names, self.bytes, self.over = {}, {}, {}, set()
        super().__init__(port)

    def add_stream(self, number, is_metadata, name):
        super().add_stream(number, is_metadata, name)
        if is_metadata:
            self.take_metadata()
        else:
            self.names[number] = name
            self.bytes.setdefault(name, 0)

    def take_metadata(self):
        status = OK
        while status == OK:
            self.ask(6, struct.pack('>Q', self.metadata))
            size, status = struct.unpack('>QI', receive(self.socket, 12))
            self.skip(size)

    def do_what_flags_ask(self, flags):
        if flags & NEW_STREAMS:
            self.ask(7, struct.pack('>Q', self.session))
            self.take_streams()
        if flags & NEW_METADATA:
            self.take_metadata()

    def follow(self, number):
        """All that is there now."""
        while True:
            self.ask(4, struct.pack('>Q', number))
            offset, size, *unused, status, flags = struct.unpack('>7QII', receive(self.socket, 64))
            self.do_what_flags_ask(flags)
            if status != OK:
                break
            self.ask(5, struct.pack('>QQI', number, offset, size // 8))
            self.skip(12 + size // 8)
            self.bytes[self.names[number]] += size // 8
        if status == HUP:
            self.over.add(number)

    def follow_all(self):
        """Whether there may be more."""
        for number in list(self.names):
            if number not in self.over:
                self.follow(number)
        return len(self.over) < len(self.names)


def main():
    port, count = int(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * count + 100, 2 * count + 100))
    followers = [Follower(port) for unused in range(count)]
    print('attached', flush=True)
    left = followers
    while left:
        left = [one for one in left if one.follow_all()]
        time.sleep(PAUSE)
    print(json.dumps([one.bytes for one in followers]))


main()
