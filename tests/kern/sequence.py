#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde graph --sequence of real transfers that the receiver's window limits: nothing that was sent lies above the line of
the window, whether packets or snapshots tell what was sent."""
import socket
import threading
import time

from harness import SONDE, Net, Recorder, check, equal, finish, path, require_root, run, until
from svg_lines import drawn

BYTES = 600_000
SENDS = 20_000


def transfer(net, pause):
    """The receiver has a small buffer, and reads with pauses: the window closes, and opens again."""
    listener = net.listen(net.b, port=5050)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
    client, server = net.connect(net.a, listener)
    listener.close()
    sender = threading.Thread(target=lambda: [client.sendall(bytes(SENDS)) for _ in range(BYTES // SENDS)]
                              and client.shutdown(socket.SHUT_WR))
    sender.start()
    got = 0
    while True:
        data = server.recv(30_000)
        got += len(data)
        if not data:
            break
        time.sleep(pause)
    sender.join()
    server.close()
    client.close()
    equal("bytes received", got, BYTES)


def steps(points):
    """Each stretch of a line: x from, x to, y of its higher end (pixels grow downwards)."""
    return [(min(a[0], b[0]), max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(points, points[1:])]


def check_picture(trace, what, *args):
    figure = path(what + ".svg")
    run(SONDE, "graph", trace, "--sequence", "-o", figure, "--size", "1400x800", *args)
    with open(figure, encoding="utf-8") as file:
        svg = file.read()
    window, sent = steps(drawn(svg, "window")), drawn(svg, "sent")
    tops = [(a[0], min(a[1], b[1])) for a, b in zip(sent[::2], sent[1::2])]
    check(len(tops) >= 10, "%s: only %d bars" % (what, len(tops)))
    # What falls on one column of pixels is one bar: so is the line's highest point there.
    above = [(x, y) for x, y in tops
             if y < min((top for left, right, top in window if left <= x + 1 and right >= x - 1), default=y + 9) - 0.6]
    equal("%s: sent above the window" % what, above, [])
    at_window = sum(any(left <= x + 1 and right >= x - 1 and abs(top - y) <= 1 for left, right, top in window)
                    for x, y in tops)
    check(at_window >= 5, "%s: only %d of %d bars reach the window: it did not limit" % (what, at_window, len(tops)))


def check_transfer(pause):
    net = Net()
    net.bottleneck(net.a, "tbf", "rate", "50mbit", "burst", "16kb", "limit", "60kb")
    recorder = Recorder("-e", "tcp.ack,tcp.cwnd,net.ip_send", "--netns", net.a)
    transfer(net, pause)
    until(net.closed, "both ends are closed")
    equal("exit status of sonde record", recorder.stop(), 0)
    check_picture(recorder.trace, "packets_%g" % pause)
    check_picture(recorder.trace, "snapshots_%g" % pause, "-e", "tcp")


def main():
    require_root()
    check_transfer(0.002)
    check_transfer(0.02)
    finish()


main()
