#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve -o that asks for certificates, tokens or both on its control and data ports: who has them streams,
who has not is turned away before he has said a word of the protocol, and nobody sends another's data."""
import os
import re
import socket
import ssl
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from certificates import Authority, write_token  # noqa: E402
from harness import PATIENCE, check, equal, finish, fresh, until  # noqa: E402
from ingest_client import CREATE_SESSION, OK, STREAMS_SENT, VERSION, Control, Data, Server  # noqa: E402

TOKEN = "correct horse battery staple"


class Way:
    """How a peer connects: with a certificate, a token, both or neither."""

    def __init__(self, authority=None, base=None, token=None):
        self.context = None
        if base:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self.context.load_verify_locations(authority.cert)
            self.context.load_cert_chain(base + ".crt", base + ".key")
        self.hello = b"\xf0Sonde\r\n" + struct.pack(">H", len(token)) + token.encode() if token else b""

    def connect(self, port):
        plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
        link = self.context.wrap_socket(plain, server_hostname="localhost") if self.context else plain
        if self.hello:
            link.sendall(self.hello)
        return link


def join(way, port, kind):
    peer = kind.__new__(kind)
    peer.socket = way.connect(port)
    return peer


def control(way, server):
    peer = join(way, server.control, Control)
    peer.send(VERSION, struct.pack(">II", 2, 13))
    return peer


def is_rejected(way, server, port, why, alert=None):
    """Not a byte of the protocol comes back. TLS says which alert it is; a peer that says the wrong token, or speaks
    no TLS, has no answer in any protocol, and only the server tells why."""
    before = server.said().count(why)
    try:
        peer = way.connect(port)
        if not alert:  # which would be lost where the server closes with bytes unread
            peer.sendall(struct.pack(">QQIIII", 0, 8, VERSION, 0, 2, 13))
        got = peer.recv(1)
    except ssl.SSLError as error:
        got = error.reason
    except ConnectionResetError:  # with what it sent unread
        got = b""
    until(lambda: server.said().count(why) > before, "the server says: " + why)
    return equal("the answer of a server that says " + why, got, alert or b"")


def create(way, server, name):
    """A session with one stream."""
    peer = control(way, server)
    equal("version", peer.receive(8), struct.pack(">II", 2, 15))
    equal("a session", peer.create(name), OK)
    peer.path()
    equal("a chunk", peer.chunk(), OK)
    handle, code = peer.add()
    equal("a stream", code, OK)
    peer.send(STREAMS_SENT)
    equal("code", peer.code(), OK)
    return peer, handle


def stream(way, server, name, output):
    """Packets of more than TLS has in one record, in small writes and large."""
    peer, handle = create(way, server, name)
    data = join(way, server.data, Data)
    packets = [bytes([number]) * (40000 * number + 24) for number in range(8)]
    for number, packet in enumerate(packets):
        data.send(handle, number, packet)
        peer.index(handle, number, len(packet))
        equal("code of an index", peer.code(), OK)
    until(lambda: peer.pending(handle, len(packets) - 1) == 0, "all data is there")
    folder = [one for one in os.listdir(output + "/here") if one.startswith(name + "-")][0]
    with open(os.path.join(output, "here", folder, "ust", "ch_0"), "rb") as file:
        check(file.read() == b"".join(packets), "what is stored of " + name + " differs")
    return peer, handle


def certificates(output):
    authority, stranger = Authority(), Authority("stranger")
    base = authority.sign("relay", "DNS:localhost,IP:127.0.0.1")
    web, other = (Way(authority, authority.sign(name)) for name in ("web1", "db1"))
    server = Server(output, *authority.options(base), "--allow", "web*=web-*", "--allow", "db1=*")
    peer, handle = stream(web, server, "web-a", output)
    forged, nameless = Way(authority, stranger.sign("web1")), Way(authority, authority.sign("none"))
    nameless.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    nameless.context.load_verify_locations(authority.cert)
    for port in server.control, server.data:
        is_rejected(forged, server, port, "rejected: its certificate", "TLSV1_ALERT_UNKNOWN_CA")
        is_rejected(nameless, server, port, "peer did not return a certificate", "TLSV13_ALERT_CERTIFICATE_REQUIRED")
        is_rejected(Way(), server, port, "it does not speak TLS")
    other_name = control(web, server)
    equal("version", other_name.receive(8), struct.pack(">II", 2, 15))
    other_name.ask_create("db-a")
    check(other_name.rejected(CREATE_SESSION), "a session that the name may not stream")
    until(lambda: "may not stream such a session" in server.said(), "that is said")
    data = join(other, server.data, Data)
    data.send(handle, 8, b"x" * 8)
    check(data.closed(), "data of a session that is another's")
    peer.index(handle, 8, 16)
    equal("the session goes on", peer.code(), OK)
    stream(other, server, "any", output)
    equal("exit status", server.stop(), 0)


def tokens(output):
    good, wrong = (write_token(name, text) for name, text in (("good", TOKEN), ("wrong", TOKEN[::-1])))
    server = Server(output, "--token", good)
    stream(Way(token=TOKEN), server, "token", output)
    for way in Way(token=TOKEN[::-1]), Way(token=TOKEN[:-1]), Way():
        for port in server.control, server.data:
            is_rejected(way, server, port, "it does not know the token")
    stream(Way(token=TOKEN), server, "again", output)
    equal("exit status", server.stop(), 0)
    check(os.path.exists(wrong), "the file is there")


def both(output):
    """And LTTng's own daemons from this machine, which have neither."""
    authority = Authority()
    base = authority.sign("relay", "DNS:localhost,IP:127.0.0.1")
    peer = authority.sign("web1")
    server = Server(output, *authority.options(base), "--token", write_token("good", TOKEN), "--plain-local")
    stream(Way(authority, peer, TOKEN), server, "both", output)
    is_rejected(Way(authority, peer, TOKEN[::-1]), server, server.control, "it does not know the token")
    stream(Way(), server, "plain", output)
    equal("exit status", server.stop(), 0)


def elsewhere(output):
    """Beyond the loopback interface it listens only with one of them."""
    server = Server(output, "--token", write_token("good", TOKEN), control="0.0.0.0:0", data="0.0.0.0:0")
    check(re.search(r"localhost:\d+:\d+ stores", server.said()), server.said())
    equal("exit status", server.stop(), 0)


def main():
    output = fresh("store")
    os.mkdir(output)
    for part in certificates, tokens, both, elsewhere:
        part(output)
    finish()


main()
