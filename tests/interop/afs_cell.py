# SPDX-License-Identifier: BSD-2-Clause
"""A cell of AFS with real servers, OpenAFS's, in namespaces of their own, where nobody else is asked anything."""
import glob
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, cleanups, missing, path, skip  # noqa: E402

SERVERS = "/usr/lib/openafs/"
PORTS = {"vlserver": 7003, "ptserver": 7002, "volserver": 7005, "fileserver": 7000}


def in_namespaces():
    """This program again, with a network of its own, where nobody else is asked anything."""
    if os.environ.get("SONDE_TEST_INSIDE"):
        return
    if not os.path.exists(SERVERS + "vlserver") or not shutil.which("rxdebug"):
        missing("OpenAFS's servers and rxdebug are not installed")
    inside = subprocess.run(["unshare", "-rnm", "true"], capture_output=True)
    if inside.returncode:
        skip("no namespaces are to be had: " + inside.stderr.decode().strip())
    sys.exit(subprocess.run(["unshare", "-rnm", sys.executable, "-B", *sys.argv],
                            env=dict(os.environ, SONDE_TEST_INSIDE="1")).returncode)


def make_cell():
    """Files of a cell whose only server we are. The directory of its configuration."""
    for name in ("server", "db", "logs", "local"):
        os.makedirs(path(name), exist_ok=True)
    with open(path("server/ThisCell"), "w", encoding="ascii") as file:
        file.write("lab.test\n")
    with open(path("server/CellServDB"), "w", encoding="ascii") as file:
        file.write(">lab.test\n10.77.0.1 #lab\n")
    for args in (["ip", "link", "set", "lo", "up"], ["ip", "addr", "add", "10.77.0.1/32", "dev", "lo"],
                 ["mount", "--bind", path("local"), "/var/lib/openafs/local"]):
        subprocess.run(args, check=True)
    return path("server")


def start(name, config, *args):
    """The server, once it answers."""
    server = subprocess.Popen([SERVERS + name, *args, "-config", config, "-logfile",
                               path("logs/" + name)], stdout=open(path("logs/" + name + ".out"), "wb"),
                              stderr=subprocess.STDOUT)
    cleanups.append(lambda: (server.send_signal(signal.SIGKILL), server.wait()))
    end = time.monotonic() + PATIENCE
    while subprocess.run(["timeout", "1", "rxdebug", "127.0.0.1", str(PORTS[name]), "-version"],
                         capture_output=True).returncode:
        if server.poll() is not None or time.monotonic() > end:
            for log in glob.glob(path("logs/" + name + "*")):
                with open(log, encoding="utf-8", errors="replace") as file:
                    print("FAIL: %s does not start: %s" % (name, file.read()))
            sys.exit(1)
        time.sleep(0.1)
    return server
