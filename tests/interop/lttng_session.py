# SPDX-License-Identifier: BSD-2-Clause
"""LTTng with a session daemon of its own: an unprivileged one, whose files are all below one folder, so
that it meets no other on the machine. It is gone when the test ends."""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, cleanups, missing, path, run, scratch  # noqa: E402


def ust_program():
    """As the build made it, or, for a run by hand, made here."""
    if os.environ.get("SONDE_UST_PROGRAM"):
        return os.environ["SONDE_UST_PROGRAM"]
    here = os.path.dirname(os.path.abspath(__file__))
    made = path("ust_program")
    done = run("cc", "-O2", "-I", here, "-o", made, os.path.join(here, "ust_program.c"),
               "-llttng-ust", "-ldl", "-lpthread", good=False)
    if done.returncode:
        missing("liblttng-ust-dev is not installed: " + done.stderr)
    return made


class Lttng:
    def __init__(self):
        if not shutil.which("lttng-sessiond") or not shutil.which("lttng"):
            missing("lttng-tools are not installed")
        # Root's daemon would have its sockets where every other one has them.
        self.user = 61000 + os.getpid() % 1000 if os.geteuid() == 0 else None
        self.home = path("lttng")
        os.mkdir(self.home)
        if self.user is not None:
            os.chmod(scratch, 0o711)
            os.chown(self.home, self.user, self.user)
        self.env = dict(os.environ, LTTNG_HOME=self.home, HOME=self.home, TERM="dumb",
                        LTTNG_UST_REGISTER_TIMEOUT="15000", LTTNG_UST_WITHOUT_BADDR_STATEDUMP="1")
        self.daemon = self.start("lttng-sessiond", "--no-kernel", "--quiet")
        cleanups.append(self.end)
        end = time.monotonic() + PATIENCE
        while self.run("lttng", "--no-sessiond", "list", good=False).returncode:
            if self.daemon.poll() is not None or time.monotonic() > end:
                raise RuntimeError("lttng-sessiond does not start")
            time.sleep(0.05)

    def options(self):
        unprivileged = {} if self.user is None else {
            "user": self.user, "group": self.user, "extra_groups": []}
        return {"env": self.env, "cwd": self.home, **unprivileged}

    def start(self, *argv):
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, **self.options())

    def run(self, *argv, good=True):
        done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE,
                              **self.options())
        if good and done.returncode:
            raise RuntimeError("%s: status %d: %s" % (" ".join(argv), done.returncode,
                                                      done.stderr or done.stdout))
        return done

    def lttng(self, *argv, good=True):
        return self.run("lttng", "--no-sessiond", *argv, good=good)

    def program(self, source):
        """A copy of a program that its user can reach."""
        copy = os.path.join(self.home, os.path.basename(source))
        shutil.copy(source, copy)
        os.chmod(copy, 0o755)
        return copy

    def record(self, name, program, *args, channel=(), contexts=(), runs=1):
        """The folders of the traces of a session with one channel, while @program runs."""
        output = os.path.join(self.home, "trace-" + name)
        self.lttng("create", name, "--output=" + output)
        self.lttng("enable-channel", "--userspace", "--session=" + name, *channel, "ch")
        for context in contexts:
            # Counters of the CPU are not everywhere.
            self.lttng("add-context", "--userspace", "--session=" + name, "--channel=ch",
                       "--type=" + context, good=not context.startswith("perf"))
        self.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch",
                   "sonde_test:*")
        self.lttng("start", name)
        for unused in range(runs):
            self.run(program, *args)
        self.lttng("stop", name)
        self.lttng("destroy", name)
        return sorted(folder for folder, unused, files in os.walk(output) if "metadata" in files)

    def end(self):
        self.daemon.terminate()
        try:
            self.daemon.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            self.daemon.wait()
        if self.user is not None:
            for name in os.listdir("/dev/shm"):
                if name.startswith("lttng-ust-wait-") and name.endswith("-%d" % self.user):
                    os.unlink("/dev/shm/" + name)
