# SPDX-License-Identifier: BSD-2-Clause
"""An authority and those whom it signs, made by openssl as a user would, and the options of sonde that name them."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import fresh, run  # noqa: E402

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class Authority:
    """Its own certificate, and those that it signs, in a directory of its own."""

    def __init__(self, name="authority"):
        self.folder = fresh(name)
        os.mkdir(self.folder, 0o700)
        self.cert = self.file("ca.crt")
        self.write_key("ca", "req", "-x509", *KEY, "-keyout", self.file("ca.key"), "-out", self.cert,
                       "-days", "30", "-subj", "/CN=" + name)

    def file(self, name):
        return os.path.join(self.folder, name)

    def write_key(self, name, *args):
        run("openssl", *args)
        os.chmod(self.file(name + ".key"), 0o600)

    def sign(self, name, names=None, days=30):
        """A certificate of @name, for @names ("DNS:localhost,IP:127.0.0.1"): what goes before its .crt and .key."""
        base = self.file(name)
        self.write_key(name, "req", *KEY, "-keyout", base + ".key", "-out", base + ".csr", "-subj",
                       "/CN=" + name, "-addext", "subjectAltName=" + (names or "DNS:" + name))
        run("openssl", "x509", "-req", "-in", base + ".csr", "-CA", self.cert, "-CAkey",
            self.file("ca.key"), "-CAcreateserial", "-days", str(days), "-copy_extensions",
            "copy", "-out", base + ".crt")
        return base

    def options(self, base):
        """Of who shows that certificate, and believes this authority."""
        return ("--tls-cert", base + ".crt", "--tls-key", base + ".key", "--tls-ca", self.cert)


def write_token(name, text):
    file = fresh(name)
    with open(file, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
        out.write(text + "\n")
    return file
