# SPDX-License-Identifier: BSD-2-Clause
"""A relay, LTTng's or ours, in a network namespace of the test's own, so that its ports are free."""
import os
import re
import shutil
import subprocess
import sys

from harness import PATIENCE, SONDE, cleanups, fresh, missing, run, until

CONTROL, DATA, LIVE = 5342, 5343, 5344


class Relay:
    """What both have; a subclass says what is to be started."""

    def __init__(self, net, namespace, output=None):
        self.net, self.namespace = net, namespace
        self.output = output or fresh("relay")
        os.makedirs(self.output, exist_ok=True)
        self.home = fresh("home")
        os.mkdir(self.home)
        self.process = None
        cleanups.append(self.kill)
        self.start()

    def start(self):
        self.log = fresh("log")
        with self.net.inside(self.namespace), open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command(self.net.v4[self.namespace]), env=dict(os.environ, LTTNG_HOME=self.home),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        until(self.listens, "the relay listens")

    def listens(self):
        if self.process.poll() is not None:
            raise RuntimeError("the relay ended with %d: %s" % (self.process.returncode, self.said()))
        with self.net.inside(self.namespace):
            found = run("ss", "-Hltn").stdout
        return all(":%d " % port in found for port in (CONTROL, DATA, LIVE))

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def url(self):
        return "net://" + self.net.v4[self.namespace]

    def traces(self):
        """The folders of the traces that it has stored, the oldest first."""
        found = [folder for folder, unused, files in os.walk(self.output) if "metadata" in files]
        return sorted(found, key=lambda folder: os.stat(folder + "/metadata").st_mtime)

    def sessions(self):
        """URL -> (streams, clients) as babeltrace2 lists them."""
        with self.net.inside(self.namespace):
            done = run("babeltrace2", "-i", "lttng-live", "net://127.0.0.1", good=False)
        found = re.findall(r"^(net://\S+) \(timer = \d+, (\d+) stream\(s\), (\d+) client",
                           done.stdout, re.M)
        return {url: (int(streams), int(clients)) for url, streams, clients in found}

    def view(self, name):
        """babeltrace2, attached to the session @name from now on."""
        until(lambda: [url for url in self.sessions() if url.endswith("/" + name)],
              "the relay has session " + name)
        url = [url for url in self.sessions() if url.endswith("/" + name)][0]
        viewer = Viewer(self.net, self.namespace, url)
        until(lambda: viewer.process.poll() is not None or self.sessions()[url][1],
              "the viewer is attached")
        return viewer


class Relayd(Relay):
    def command(self, address):
        if not shutil.which("lttng-relayd"):
            missing("lttng-relayd is not installed")
        return ["lttng-relayd", "--control-port=tcp://%s:%d" % (address, CONTROL),
                "--data-port=tcp://%s:%d" % (address, DATA), "--live-port=tcp://127.0.0.1:%d" % LIVE,
                "--output=" + self.output]


class Serve(Relay):
    """`sonde serve` in its place."""

    def command(self, address):
        return [SONDE, "serve", "--insecure", "--control", "%s:%d" % (address, CONTROL), "--data",
                "%s:%d" % (address, DATA), "--live", "0.0.0.0:%d" % LIVE, "-o", self.output]

    def stop(self):
        """Its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE)


class Viewer:
    def __init__(self, net, namespace, url):
        self.output = fresh("viewer")
        # Where it cannot choose between two events of one time, it says so, often.
        with net.inside(namespace), open(self.output, "wb") as out, \
                open(self.output + ".err", "wb") as err:
            self.process = subprocess.Popen(["babeltrace2", "-i", "lttng-live", url], stdout=out,
                                            stderr=err)
        cleanups.append(self.kill)

    def lines(self):
        with open(self.output, encoding="utf-8") as file:
            return [without_delta(line) for line in file]

    def count(self):
        """Lines so far; it must still run."""
        if self.process.poll() is not None:
            raise RuntimeError("the viewer ended with %d: %s" % (self.process.returncode, self.said()))
        return len(self.lines())

    def wait(self):
        """Its exit status, when the session is over."""
        if self.process.wait(timeout=PATIENCE):
            print(self.said(), file=sys.stderr)
        return self.process.returncode

    def said(self):
        with open(self.output + ".err", encoding="utf-8") as file:
            return file.read()[-2000:]

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def without_delta(line):
    """An event as babeltrace2 prints it, but for the time since the one before."""
    return re.sub(r"\(\+[^)]*\) ", "", line, count=1)
