#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve needs no privileges: as a user without any, who may not get any either, it serves a trace that this
user can read, and says so of one that is not for him. Nor do its units ask for more than it needs. sonde record names
what it cannot measure then, and its exit status says so."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import (PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing,  # noqa: E402
                     path, run, scratch, skip)
from live_viewer import URL, Viewer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("SONDE_SOURCE") or os.path.dirname(os.path.dirname(HERE))
USER = 61999  # nobody's
EXPOSURE = 25  # tenths, as systemd-analyze reckons: what a service that listens can hardly do without


def synthetic():
    trace = fresh("trace")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), trace, "--events", "20000")
    return trace


def without_privileges(*args):
    """@args as somebody who has none."""
    return ["setpriv", "--reuid=%d" % USER, "--regid=%d" % USER, "--clear-groups", "--bounding-set=-all",
            "--inh-caps=-all", "--no-new-privs", *args]


def serves(program):
    trace = synthetic()
    relay = subprocess.Popen(without_privileges(program, "serve", "--live", "127.0.0.1:0", trace),
                             stderr=subprocess.PIPE, text=True)
    cleanups.append(relay.kill)
    url = next(line.strip() for line in relay.stderr if URL.match(line))  # it may say first what it lacks
    with open("/proc/%d/status" % relay.pid, encoding="ascii") as file:
        status = dict(line.split(":", 1) for line in file)
    for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        equal(name, int(status[name], 16), 0)
    equal("sessions", len(Viewer(int(URL.match(url).group(1))).list()), 1)
    live = run("babeltrace2", "--no-delta", "-i", "lttng-live", url).stdout
    equal("events", live == run("babeltrace2", "--no-delta", trace).stdout, True)
    relay.terminate()
    equal("exit status", relay.wait(PATIENCE), 0)


def is_refused(program):
    trace = synthetic()
    os.chmod(trace, 0o700)
    done = subprocess.run(without_privileges(program, "serve", "--live", "127.0.0.1:0", trace),
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    check(done.returncode != 0 and trace in done.stderr, "a trace of others: %s" % done.stderr)


def doctor_agrees(who, done, text, want):
    """Its exit status is what its answer says. What no Linux has is not missing."""
    told = json.loads(done.stdout)
    states = {one["name"]: one["state"] for one in told["checks"]}
    gone = [one["name"] for one in told["unavailable"]]
    equal("doctor %s: what no Linux has" % who, [one["name"] for one in told["never"]], ["disk.tape"])
    if want is None:
        want = 5 if "missing" in states.values() else \
            6 if gone or told["limited"] or states["tracefs"] != "ok" else 0
    equal("doctor %s: exit status of %s" % (who, done.stdout), (done.returncode, text.returncode), (want, want))
    lines = [line.split()[:2] for line in text.stdout.splitlines()]
    equal("doctor %s: measurements that are missing" % who,
          [line[1] for line in lines if line[0] == "missing" and "." in line[1]], gone)
    equal("doctor %s: measurements that no Linux has" % who, [line[1] for line in lines if line[0] == "never"], ["disk.tape"])


def doctor_of_root():
    """As it is here; and where the kernel's own tracepoints are hidden."""
    hide = ["unshare", "--mount", "sh", "-c", "for place in /sys/kernel/tracing /sys/kernel/debug; do "
            "mount -t tmpfs none $place || exit 99; done; exec \"$@\"", "sh"]
    for who, prefix, want in (("root", [], None), ("without tracefs", hide, 6)):
        done, text = (subprocess.run([*prefix, SONDE, "doctor", *args], capture_output=True, text=True, check=False,
                                     timeout=PATIENCE) for args in (["--json"], []))
        if done.returncode == 5:
            want = 5  # nothing can be recorded here
        doctor_agrees(who, done, text, want)


def in_part(program):
    """Of the measurements of TCP only tcp.poll takes no privilege: the recorder names the others."""
    home = path("home")
    os.mkdir(home)
    os.chmod(home, 0o777)
    env = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, SONDE_RUNTIME_DIR=os.path.join(home, "run"))

    def sonde(*args):
        return subprocess.run(without_privileges(program, *args), capture_output=True, text=True, env=env,
                              timeout=PATIENCE, check=False)
    shown = {one["name"]: one["state"] for one in json.loads(sonde("list", "--json", "tcp").stdout)}
    others = sorted(name for name, state in shown.items() if state in ("forbidden", "unavailable"))
    check(len(others) >= len(shown) - 1 > 5, "what a user without privileges is shown: %s" % shown)
    doctor_agrees("without privileges", sonde("doctor", "--json"), sonde("doctor"), 5)
    for args, some in ((("-p", "tcp"), "tcp.poll" not in others), (("-e", ",".join(others)), False)):
        done = sonde("record", *args, "-d", "1ms", "-o", os.path.join(home, "T"))
        equal("record %s: exit status: %s" % (args, done.stderr), done.returncode, 6 if some else 5)
        if not some:
            check("CAP_BPF" in done.stderr, "record %s: %s" % (args, done.stderr))
            continue
        named = re.search(r"not measured: (.*)", done.stderr)
        equal("record %s: names: %s" % (args, done.stderr), sorted(named[1].split(", ")) if named else [], others)
        check("not all that was asked for was measured" in done.stderr, "record %s: %s" % (args, done.stderr))


def units():
    """As systemd reads them; what they say of a sandbox is what it understands."""
    folder, made = os.path.join(SOURCE, "data", "systemd"), path("units")
    os.mkdir(made)
    for name in os.listdir(folder):
        if not name.endswith((".service", ".socket")):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read().replace("@bindir@", os.path.dirname(shutil.which("true")))
        with open(os.path.join(made, name), "w", encoding="utf-8") as file:
            file.write(text.replace("/sonde serve", "/true serve"))
    names = sorted(os.listdir(made))
    check("sonde-serve.service" in names and "sonde-serve.socket" in names, "units: %s" % names)
    for name in names:
        done = run("systemd-analyze", "verify", "--man=no", os.path.join(made, name), good=False)
        said = [line for line in done.stderr.splitlines() if "sonde" in line]
        equal("systemd-analyze verify " + name, (done.returncode, said), (0, []))
        if not name.endswith(".service"):
            continue
        done = run("systemd-analyze", "security", "--offline=true", "--threshold=%d" % EXPOSURE,
                   os.path.join(made, name), good=False)
        level = re.search(r"Overall exposure level.*", done.stdout)
        equal("exposure of %s: %s" % (name, level and level[0]), done.returncode, 0)


def main():
    if os.geteuid():
        skip("needs root, to become somebody else")
    for needed in ("babeltrace2", "setpriv", "systemd-analyze"):
        if not shutil.which(needed):
            missing(needed + " is not installed")
    os.chmod(scratch, 0o711)
    program = path("sonde")
    shutil.copy(SONDE, program)  # where it was built is not for everybody
    os.chmod(program, 0o755)
    serves(program)
    is_refused(program)
    in_part(program)
    doctor_of_root()
    units()
    finish()


main()
