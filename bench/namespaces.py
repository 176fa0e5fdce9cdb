# SPDX-License-Identifier: BSD-2-Clause
"""namespaces: two network namespaces with a veth pair between them, and offloads switched."""
import ctypes
import fcntl
import os
import socket
import struct

from workbench import output_of

SIOCETHTOOL = 0x8946
# include/uapi/linux/ethtool.h: ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO
OFFLOADS = {'tso': 0x1f, 'gso': 0x24, 'gro': 0x2c}


def set_offload(device, command, on):
    """What `ethtool -K DEVICE OFFLOAD on|off` does."""
    value = ctypes.create_string_buffer(struct.pack('=II', command, int(on)))
    request = struct.pack('16sP', device.encode(), ctypes.addressof(value)).ljust(40, b'\0')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCETHTOOL, request)


class Pair:
    """Client and server, 10.254.77.1 and .2, in namespaces that nobody else has."""

    server_address = '10.254.77.2'

    def __init__(self, bench, offloads=True):
        number = os.getpid()
        self.names = (f'sonde-bench-{number}-a', f'sonde-bench-{number}-b')
        self.devices = (f'sba{number}', f'sbb{number}')
        self.client, self.server = self.names
        self._make(bench)
        if not offloads:
            self._switch_off()
        self._address()

    def _make(self, bench):
        for name in self.names:
            output_of(['ip', 'netns', 'add', name])
            bench.undo(output_of, ['ip', 'netns', 'del', name])
        one, other = self.devices
        output_of(['ip', 'link', 'add', one, 'type', 'veth', 'peer', 'name', other])

    def _switch_off(self):
        for device in self.devices:
            for command in OFFLOADS.values():
                set_offload(device, command, False)

    def _address(self):
        for number, (name, device) in enumerate(zip(self.names, self.devices), 1):
            output_of(['ip', 'link', 'set', device, 'netns', name])
            inside = ['ip', '-n', name]
            output_of([*inside, 'link', 'set', 'lo', 'up'])
            output_of([*inside, 'addr', 'add', f'10.254.77.{number}/24', 'dev', device])
            output_of([*inside, 'link', 'set', device, 'up'])

    def inside(self, name, command):
        return ['nsenter', f'--net=/run/netns/{name}', *command]
