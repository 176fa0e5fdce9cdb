#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is written is its owner's alone, whatever the umask is; --permissions and --group widen it; tokens and
keys of other users are refused, and as root places of theirs."""
import os
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, cleanups, equal, finish, path, run  # noqa: E402

DATA = os.path.join(os.environ["SONDE_SOURCE"], "tests/golden/data")
TRACE = os.path.join(DATA, "busy")
STRANGER = 65534


def modes(top):
    """Of all directories and of all files at and below @top."""
    found = {"dirs": set(), "files": set(), "groups": set()}
    for at, dirs, files in os.walk(top):
        for name in [at] + [os.path.join(at, one) for one in files]:
            st = os.stat(name)
            kind = "dirs" if stat.S_ISDIR(st.st_mode) else "files"
            found[kind].add(oct(stat.S_IMODE(st.st_mode)))
            found["groups"].add(st.st_gid)
    return found


def mode(name):
    return oct(stat.S_IMODE(os.stat(name).st_mode))


def check_convert():
    for what, options, dirs, files in (("trace", [], "0o700", "0o600"),
                                       ("640", ["--permissions", "640"], "0o750", "0o640"),
                                       ("755", ["--permissions", "755"], "0o755", "0o644")):
        out = path("T-" + what)
        run(SONDE, "convert", TRACE, "-o", out, *options)
        got = modes(out)
        equal("convert, directories of " + what, got["dirs"], {dirs})
        equal("convert, files of " + what, got["files"], {files})
    run(SONDE, "convert", TRACE, "-o", path("T.json"))
    equal("convert, a file", mode(path("T.json")), "0o600")
    run(SONDE, "convert", TRACE, "-o", path("T2.json"), "--permissions", "644")
    equal("convert, a file of 644", mode(path("T2.json")), "0o644")
    run(SONDE, "graph", os.path.join(DATA, "visit"), "-o", path("T.svg"))
    equal("a picture is made as the umask says", mode(path("T.svg")), "0o644")
    for wrong in ("", "8", "0o600", "1777", "400", "666", "-1"):
        done = run(SONDE, "convert", TRACE, "-o", path("no"), "--permissions", wrong, good=False)
        equal("status of --permissions '%s'" % wrong, done.returncode, 2)
        check("--permissions" in done.stderr, done.stderr)
    done = run(SONDE, "convert", TRACE, "-o", path("no"), "--group", "no-such-group", good=False)
    equal("status of an unknown group", done.returncode, 2)
    check("unknown group 'no-such-group'" in done.stderr, done.stderr)
    check(not os.path.exists(path("no")), "something was written all the same")


def check_mkmagnet():
    run(SONDE, "mkmagnet", path("magnet"))
    equal("mkmagnet", mode(path("magnet")), "0o600")


def relay(*options):
    """One that stores what comes, as soon as it says where; it goes away with the test."""
    relay = subprocess.Popen([SONDE, "serve", "--live", "127.0.0.1:0", "--control", "127.0.0.1:0", "--data",
                              "127.0.0.1:0", *options], stderr=subprocess.PIPE, text=True)
    cleanups.append(relay.kill)
    return relay, relay.stderr.readline()


def check_serve():
    for what, options, want in (("private", [], "0o700"), ("shared", ["--permissions", "750"], "0o750")):
        one, said = relay("-o", path("stored-" + what), *options)
        check("stores in" in said, "serve -o says: %r" % said)
        equal("serve -o, " + what, mode(path("stored-" + what)), want)
        one.terminate()
        one.wait()


def check_places():
    """Only root has something to lose."""
    os.makedirs(path("ours"))
    os.symlink(path("ours"), path("link"))
    os.lchown(path("link"), STRANGER, STRANGER)
    os.makedirs(path("theirs/empty"))
    os.chown(path("theirs/empty"), STRANGER, STRANGER)
    for where, why in (("theirs/empty", "belongs to another user"), ("link/T", "symbolic link of another user")):
        done = run(SONDE, "convert", TRACE, "-o", path(where), good=False)
        equal("status of a trace in %s" % where, done.returncode, 1)
        check(why in done.stderr, done.stderr)
    equal("nothing came through the link", os.listdir(path("ours")), [])
    done = run(SONDE, "convert", TRACE, "-o", path("link/T.json"), good=False)
    check("symbolic link of another user" in done.stderr, done.stderr)
    one, said = relay("-o", path("link"))
    check("symbolic link of another user" in said, "serve -o says: %r" % said)
    equal("status of serve -o", one.wait() in (1, 5), True)


def check_group():
    run(SONDE, "convert", TRACE, "-o", path("G"), "--permissions", "640", "--group", str(STRANGER))
    got = modes(path("G"))
    equal("groups", got["groups"], {STRANGER})
    equal("files of the group", got["files"], {"0o640"})
    run(SONDE, "convert", TRACE, "-o", path("G.csv"), "--permissions", "640", "--group", str(STRANGER))
    equal("a file's group", os.stat(path("G.csv")).st_gid, STRANGER)


def check_secrets():
    with open(path("token"), "w") as file:
        file.write("0123456789abcdef0123456789abcdef\n")
    os.chmod(path("token"), 0o600)
    for owner, mode, why in ((STRANGER, 0o600, "belongs to another user"), (0, 0o644, "chmod 600")):
        os.chown(path("token"), owner, owner)
        os.chmod(path("token"), mode)
        one, said = relay("--token", path("token"), "-o", path("stored-token"))
        check(why in said, "a token of %d, %o: %r" % (owner, mode, said))
        check(one.wait() != 0, "it serves with that token")


def main():
    os.umask(0o022)
    check_convert()
    check_mkmagnet()
    check_serve()
    if not os.geteuid():
        check_places()
        check_group()
        check_secrets()
    finish()


main()
