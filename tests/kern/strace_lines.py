#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Lines of `sonde print` beside those of strace, of the same run: each argument of each call as strace prints it, and
in JSON by the same name.

What may differ is in strace_text.py, and by call in VARIES. The program passes addresses that nobody can read: strace
shows what structures there have in them, and sonde does not copy these.
"""
import os
import platform
import re
import shutil

from harness import check, equal, events, finish, is_entry, missing, require_root, skip
from strace_text import COMMENT, run_beside, same

KINDS = 290  # of calls at least
HEADER = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"

WORK = r"""
import ctypes, re, sys
syscall = ctypes.CDLL(None, use_errno=True).syscall
syscall.restype = ctypes.c_long
numbers = {name: int(nr) for name, nr in re.findall(r"#define __NR_(\w+) (\d+)", open(sys.argv[1]).read())}
P, FD, TID, M = 0x7ffffff1, 0x3ff, 0x7ffffff0, -1  # nothing is there: memory, descriptor, process
PATHS = [b"/nothing/here", b"", b"\xff\xfe\n\t\"\\", b"x" * 300]
def do(name, *args):
    if name in numbers:
        words = [ctypes.c_char_p(arg) if isinstance(arg, bytes) else ctypes.c_ulong(arg & (1 << 64) - 1) for arg in args]
        syscall(ctypes.c_long(numbers[name]), *words, *[ctypes.c_long(0)] * (6 - len(words)))
def each(name, *lists):
    # Every value of each list once, with the first ones of the others.
    first = [values[0] for values in lists]
    do(name, *first)
    for i, values in enumerate(lists):
        for value in list(values)[1:]:
            do(name, *first[:i], value, *first[i + 1:])
def bits(count=32, first=0):
    return [0, *(1 << i for i in range(first, count)), (1 << count) - 1]
DFD = [FD, -100, -1]
PATH = [b"/nothing/here", *PATHS[1:], 0, P]
ADDRESS = [P, 0]
SIZE = [77, 0, -1]
ID = [1 << 31, 77, -1]
PID = [TID, -TID]
SIGNALS = [*range(0, 70), -1, 1 << 20]
FLAGS = [0, *(1 << i for i in range(32)), 3, 0xf, 0xffffffff, 0xff]
OPEN = [0, 1, 2, 3, *(1 << i for i in range(5, 32)), 0o4010000, 0o20200000, 0o2000101, 0xffffffff]
MODE = [0o644, 0, 0o7777, 0o100644, 0o177777]
"""
# A line for each kind of call: its arguments as lists of values.
WORK += r"""
do("close", 987654)
# files
each("open", [b"/nothing/here", *PATHS[1:], 0, P], [f & ~0o100 for f in OPEN])
for flags in (0o100, 0o20200000, 0o101):
    each("open", [b"/nothing/here"], [flags], MODE)
    each("openat", [FD], [b"here"], [flags], MODE)
each("openat", [FD, -100], [b"here", *PATHS[1:], 0, P], [f for f in OPEN if not f & 0o100])
each("openat2", DFD, PATH, ADDRESS, [24, 0, 77])
each("creat", [b"/nothing/here", b""], MODE)
for name in ("access",):
    each(name, PATH, [0, 1, 2, 4, 7, 8, -1])
for name in ("faccessat",):
    each(name, DFD, PATH, [0, 1, 2, 4, 7, 8])
each("faccessat2", DFD, PATH, [0, 7, 8], [0x100000, *FLAGS])
for name in ("chdir", "chroot", "rmdir", "unlink", "acct", "swapoff"):
    each(name, [b"/nothing/here", *PATHS[2:], P])
each("uselib", PATH)
each("swapon", [b"/nothing/here", P], [0, 0x8000, 0x10000, 0x20000, 0x7fff, 0x8003, 0x12345678])
each("chmod", PATH, MODE)
each("fchmod", [FD], MODE)
each("fchmodat", DFD, PATH, MODE)
each("fchmodat2", DFD, PATH, MODE, [0, 0x100, 0x1000, 1])
for name in ("chown", "lchown"):
    each(name, PATH, ID, ID)
each("fchown", [FD], ID, ID)
each("fchownat", DFD, PATH, ID, ID, FLAGS)
for name in ("stat", "lstat", "statfs"):
    each(name, [b"/nothing/here", *PATHS[2:], 0, P], ADDRESS)
for name in ("fstat", "fstatfs"):
    each(name, [FD, -1], ADDRESS)
each("newfstatat", DFD, [b"here", P], ADDRESS, FLAGS)
each("statx", DFD, [b"here", P], FLAGS, [0, *bits(), 0x7ff, 0xfff, 0x17ff, 0x800, 0x5fff, 0x1fff], ADDRESS)
each("readlink", [b"/nothing/here", P, 0], ADDRESS, [4, 0, -1])
each("readlinkat", DFD, [b"here", P, 0], ADDRESS, [4, 0])
for name in ("rename", "link", "symlink"):
    each(name, [b"/nothing/here", P, 0], [b"/nothing/there", P, 0, b""])
each("renameat", DFD, [b"/nothing/a", P, 0], DFD, [b"/nothing/b", P])
each("renameat2", DFD, [b"/nothing/a", P, 0], DFD, [b"/nothing/b", P], FLAGS)
each("linkat", DFD, [b"/nothing/a", P, 0], DFD, [b"/nothing/b", P], FLAGS)
each("symlinkat", [b"/nothing/a", P, 0], DFD, [b"/nothing/b", P])
each("unlinkat", DFD, [b"/nothing/a", P, 0], FLAGS)
each("mkdir", [b"/nothing/a", P, 0], MODE)
each("mkdirat", DFD, [b"/nothing/a", P, 0], MODE)
TYPES = [0o10644, 0o20600, 0o60600, 0o100644, 0o140755, 0o120777, 0o644, 0, 0o40755, 0o170000, 0o30644, 0o177777]
each("mknod", [b"/nothing/a", P, 0], TYPES, [0, 0x103, 0x12345678, 0xffffffff])
each("mknodat", DFD, [b"/nothing/a", P, 0], TYPES, [0, 0x103])
for mode in TYPES:
    do("mknod", b"/nothing/a", mode, 0x12345)
    do("mknodat", FD, b"/nothing/a", mode, 0x12345)
each("truncate", [b"/nothing/a", P, 0], [0, 77, -1, 1 << 40])
each("ftruncate", [FD], [0, 77, -1, 1 << 40])
each("utime", PATH, ADDRESS)
each("utimes", PATH, ADDRESS)
each("futimesat", DFD, PATH, ADDRESS)
each("utimensat", DFD, PATH, ADDRESS, FLAGS)
each("mount", [b"/nothing/a", P, 0], [b"/nothing/b", P], [b"type", P, 0], [0, *(1 << i for i in range(33)), 0xc0ed0000, 0xc0ed0001, 0x5000, 0x1020], [0, P])
each("umount2", [b"/nothing/a", P, 0], [f & ~3 for f in FLAGS])
each("pivot_root", [b"/nothing/a", P], [b"/nothing/b", P])
for name in ("setxattr", "lsetxattr"):
    each(name, [b"/nothing/a", P, 0], [b"user.x", P, 0], [P, 0], [0], [0, 1, 2, 3, 4, 8])
each("fsetxattr", [FD], [b"user.x", P, 0], [P, 0], [0], [0, 1, 2, 3, 4, 8])
for name in ("getxattr", "lgetxattr"):
    each(name, [b"/nothing/a", P, 0], [b"user.x", P, 0], [P, 0], [0, 77])
each("fgetxattr", [FD], [b"user.x", P, 0], [P, 0], [0, 77])
for name in ("listxattr", "llistxattr"):
    each(name, [b"/nothing/a", P, 0], [P, 0], [0, 77])
each("flistxattr", [FD], [P, 0], [0, 77])
for name in ("removexattr", "lremovexattr"):
    each(name, [b"/nothing/a", P, 0], [b"user.x", P, 0])
each("fremovexattr", [FD], [b"user.x", P, 0])
each("name_to_handle_at", DFD, [b"here", P, 0], [P], [P, 0], FLAGS)
each("open_by_handle_at", [FD], [P], [f for f in OPEN if not f & 0o100])
each("quotactl", [0x80000200, *((c << 8 & 0xffffffff) | t for c in (0x800001, 0x800002, 0x800003, 0x800004, 0x800005, 0x800006, 0x800007, 0x800008, 0x800009, 0x5801, 0x5802, 0x5803, 0x5804, 0x5805, 0x5806, 0x5807, 0x5808, 0x5809, 0x123) for t in (0, 1, 2, 3, 77))], [b"/nothing/a", P, 0], [77, 0], [P])
each("inotify_add_watch", [FD], [b"here", P, 0], [0, *bits(), 0xfff, 0x18, 0xc0, 0x7000000])
each("inotify_init1", [4, 8, 0x12345000])
each("inotify_rm_watch", [FD], [1, -1])
each("fanotify_init", [0x80000000, 0x8000000c, 0x10000000], [0])
each("fanotify_mark", [FD], [0, *bits(12), 0x111], [0, *bits(32)], DFD, [b"here", P, 0])
each("dup", [FD, -1])
each("dup2", [FD, -1], [FD + 1, -1])
each("dup3", [FD, -1], [FD + 1], [0, 0o2000000, 1, 4])
each("close", [FD, -1, 1 << 30])
each("close_range", [1 << 20], [1 << 20, 0xffffffff], [0, 4, 2, 8, 0x12])
for name in ("fsync", "fdatasync", "syncfs", "fchdir"):
    each(name, [FD, -1])
each("flock", [FD], [0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 32, 64, 96, 192, 0xff])
each("lseek", [FD], [0, 77, -1, 1 << 40], [0, 1, 2, 3, 4, 5, 77, -1])
each("read", [FD, -1], [P, 0], [0, 77, -1])
each("write", [FD, -1], [P, 0], [77, -1])
each("pread64", [FD], [P, 0], [77], [0, -1, 1 << 40])
each("pwrite64", [FD], [P, 0], [77], [0, -1, 1 << 40])
each("readv", [FD], [P], [1, 77])
each("writev", [FD], [P], [1, 77])
for name in ("preadv", "pwritev"):
    each(name, [FD], [P], [1], [0, 77, 1 << 40, -1])
for name in ("preadv2", "pwritev2"):
    each(name, [FD], [P], [1], [0, 77, -1], [0], FLAGS)
each("readahead", [FD], [0, 77, -1], [77])
each("sendfile", [FD], [FD + 1], [0, P], [77, 0])
each("splice", [FD], [0, P], [FD + 1], [0, P], [77], FLAGS)
each("tee", [FD], [FD + 1], [77], FLAGS)
each("vmsplice", [FD], [P], [1], FLAGS)
each("copy_file_range", [FD], [0, P], [FD + 1], [0, P], [77], [0, 1])
each("fallocate", [FD], [0, *bits(12), 3, 0x7f], [0, 77], [77, -1])
each("fadvise64", [FD], [0, 77], [77, 0], [0, 1, 2, 3, 4, 5, 6, 77])
each("sync_file_range", [FD], [0, 77], [77, 0], [0, 1, 2, 3, 4, 7, 8])
each("getdents", [FD], [P, 0], [77])
each("getdents64", [FD], [P, 0], [77])
each("getcwd", [P, 0], [77, 1, 0])
each("umask", [0o22, 0o77, 0o22])
each("pipe", [P])
each("pipe2", [P], [0, 0o2000000, 0o4000, 0o40000, 0o200, 1])
each("cachestat", [FD], [P, 0], [P], [0, 1])
each("memfd_create", [P, 0], [0, *bits(12), 1 << 31, 21 << 26, 30 << 26 | 4])
each("memfd_secret", [0o4000, 1, 0x80000])
# what depends on a command
do("dup3", 0, 900, 0o2000000)
for command in (1, 3, 11, 1025, 1032):
    do("fcntl", 900, command)
do("fcntl", 900, 4, 0o4000)
do("fcntl", 900, 3)
do("fcntl", 900, 10, 10)
do("fcntl", 900, 11)
do("close", 900)
for cmd in (*range(-1, 45), *range(1020, 1050), 77777):
    for arg in (0, 1, 2, 3, 0o2000, 0o4000, 0o6002, FD, P & ~0o10000, TID & ~0o10000):
        do("fcntl", FD, cmd, arg)
"""
WORK += r"""
for request in (*range(0x5400, 0x5480), *range(0x8900, 0x89ff), *range(0x1250, 0x1290), 0x80041270, 0x80081270, 0x80081272, 0x40081271,
                0x80086601, 0x40086602, 0xc0045877, 0xc0045878, 0xc0185879, 0x40049409, 0x4020940d, 0xc0189436, 0xc020660b,
                0x400454ca, 0x800454d2, 0x400454c8, 0x400454c9, 0x400454cb, 0x400454cc, 0x400454ce, 0x800454cf, 0x400454d0,
                0x800454d3, 0x400454d4, 0x80045430, 0x40045431, 0x5441, 0x2400, 0x2401, 0x40082404, 0x2403, 0x2405, 0x40082406,
                0x80082407, 0x40042408, 0x40042409, 0xc008240a, 0x4008240b, 0xae00, 0xae01, 0xae03, 0xae41, 0xae80, 0x4030ae46,
                0x123456, 0xdeadbeef, 0x80047a01, 0xc0047a02, 0, 0xffffffff, 0xb701, 0xb702, 0x80044501, 0x80084502,
                0x301, 0x30d, 0x31f, 0x125d, 0x4b3a, 0x5600, 0x5601, 0x5603, 0x4c00, 0x4c01, 0x4c05, 0x4c80, 0x4c82):
    do("ioctl", FD, request, P)
for option in (*range(0, 80), 0x41555856, 0x59616d61, 0x53564d41, 0x12345):
    do("prctl", option, P, 0x22, 0x33, 0x44)
    do("prctl", option, 1, 0, 0, 0) if option not in (1, 4, 8, 14, 22, 24, 26, 27, 28, 29, 31, 33, 35, 36, 38, 41, 43, 47, 50, 52, 54, 55, 56, 59, 62, 63, 64, 65, 67, 69, 70, 71, 72, 73, 74, 75) else None
for level in (0, 1, 6, 17, 41, 58, 255, 263, 270, 132, 279, 77, 136):
    for option in range(0, 80):
        do("getsockopt", FD, level, option, P, P)
        do("setsockopt", FD, level, option, P, 77)
for family in range(-1, 48):
    do("socket", family, 0, 0o12345)
for kind in (*range(0, 12), 0o2000000, 0o4000, 0o2004001, 0o2000002, 0x12, 1 << 30):
    do("socket", 77, kind, 0)
    do("socketpair", 77, kind, 0, P)
for family in (1, 2, 10, 16, 17):
    for protocol in (*range(0, 30), 33, 41, 47, 50, 51, 58, 77, 108, 132, 136, 137, 143, 255, 256, 262, 0x300, 0x800):
        do("socket", family, 77, protocol)
each("accept", [FD], [P, 0], [P, 0])
each("accept4", [FD], [P, 0], [P, 0], [0, 0o2000000, 0o4000, 1])
each("bind", [FD], [P, 0], [16, 0, -1])
each("connect", [FD], [P, 0], [16, 0, -1])
each("listen", [FD], [0, 128, -1])
each("getsockname", [FD], [P, 0], [P, 0])
each("getpeername", [FD], [P, 0], [P, 0])
each("shutdown", [FD], [0, 1, 2, 3, -1])
each("sendto", [FD], [P, 0], [77], FLAGS, [P, 0], [16])
each("recvfrom", [FD], [P, 0], [77], FLAGS, [P, 0], [P, 0])
each("sendmsg", [FD], [P, 0], FLAGS)
each("recvmsg", [FD], [P, 0], FLAGS)
each("sendmmsg", [FD], [P], [1, 0], FLAGS)
each("recvmmsg", [FD], [P], [1, 0], FLAGS, [0, P])
for op in (*range(0, 20), *range(128, 145), *range(256, 270), *range(384, 398), -1, 1 << 20):
    do("futex", P, op, 77, P, 0x7ffffff5, 99)
    do("futex", P, op, 77, 0, 0x7ffffff5, 0xffffffff)
each("futex_waitv", [P], [1, 0], [0, 1], [0, P], [0, 1, 7, 77])
each("set_robust_list", [P], [77])
each("get_robust_list", [TID], [P], [P])
# memory
LEN = [4096, 0, 1 << 62]
each("mmap", [1], [0], [0, 1, 2, 3, 4, 7, 8, 0x01000000, 0x02000000, 0x1f], [0x22, 1, 2, 3, 0, 0x12, 0x32, *(1 << i for i in range(5, 32)), 0x40 << 20 | 0x40022, 21 << 26 | 0x40022, 30 << 26 | 0x40022], [FD, -1], [0, 4096, 1])
each("mprotect", [1], [4096, 0], [0, 1, 2, 3, 4, 7, 8, 0x01000000, 0x02000000, 0x1f])
each("pkey_mprotect", [1], [4096], [0, 1, 7], [-1, 0, 15])
each("munmap", [1], [4096, 0])
each("mremap", [1], [0], [4096, 0], [0, 1, 2, 3, 4, 7, 8])
do("mremap", 1, 0, 4096, 3, P)
for advice in (*range(0, 30), 100, 101, -1):
    do("madvise", 1, 4096, advice)
each("process_madvise", [FD], [P], [1], [4, 20, 21, 77], [0, 1])
each("msync", [1], [4096], [0, 1, 2, 4, 7, 8])
each("mincore", [1], [4096], [P])
each("mlock", [1], [4096])
each("munlock", [1], [4096])
each("mlock2", [1], [4096], [0, 1, 2, 3])
each("mlockall", [8, 0, 4, 0x10])
each("munlockall")
each("brk", [0])
each("remap_file_pages", [1], [4096], [0, 1], [0], [0, 0x10000, 1])
for mode in (*range(0, 9), 0x8000, 0x4001, 0x8003, 0x2002, 77):
    do("mbind", P, 4096, mode, P, 77, 0)
    do("set_mempolicy", mode, P, 77)
each("mbind", [P], [4096], [2], [P], [77], [0, 1, 2, 4, 7, 8])
each("get_mempolicy", [P], [P], [77], [P], [0, 1, 2, 4, 7, 8])
each("move_pages", [TID], [1, 0], [P], [P, 0], [P], [0, 2, 4, 6, 8])
each("migrate_pages", [TID], [77], [P], [P])
each("pkey_alloc", [1, 0x10], [0, 1, 2, 3, 4])
each("pkey_free", [77, -1])
each("membarrier", [1 << 20, 1 << 10, 512, 3 << 12], [0, 1])
each("userfaultfd", [1 << 20, 0x12])
each("mseal", [1], [4096], [0, 1])
each("map_shadow_stack", [1], [4096], [0, 1, 2])
# processes and signals
each("kill", [TID, -TID], SIGNALS)
each("tkill", [TID], SIGNALS)
each("tgkill", [TID], [TID], SIGNALS)
each("rt_sigaction", [77, 0, 9, 33, 64], [P, 0], [P, 0], [8, 77])
each("rt_sigprocmask", [77, 0, 1, 2, 3], [P], [P, 0], [8, 77])
each("rt_sigpending", [P], [8, 77])
each("rt_sigqueueinfo", [TID], SIGNALS, [P])
each("rt_tgsigqueueinfo", [TID], [TID], SIGNALS, [P])
each("rt_sigsuspend", [P], [8, 77])
each("rt_sigtimedwait", [P], [P], [P], [8, 77])
each("sigaltstack", [P], [P])
each("signalfd", [FD], [P], [8])
each("signalfd4", [FD], [P], [8], [0, 0o2000000, 0o4000, 1])
each("pidfd_open", [TID], [0, 0o4000, 1])
each("pidfd_getfd", [FD], [FD], [0, 1])
each("pidfd_send_signal", [FD], SIGNALS, [P, 0], [0, 1])
each("wait4", [TID, -TID], [P, 0], [0, 1, 2, 8, 3, 4, 0x20000000, 0x40000000, 0x80000000, 0xffffffff], [P, 0])
each("waitid", [77, 0, 1, 2, 3, 4], [TID], [P, 0], [1 << 20, 1 << 21 | 4], [P, 0])
each("getpgid", PID)
each("getsid", PID)
each("setpgid", [TID], [0, TID])
each("getpriority", [77, 3, -1], [0, 77])
for which in range(3):
    do("getpriority", which, TID)
    do("setpriority", which, TID, 5)
each("setpriority", [77], [0], [-5, 5])
each("ioprio_get", [77, 0, -1], [TID])
each("ioprio_get", [1, 2, 3], [TID])
each("ioprio_set", [77, 1, 2, 3], [TID], [0, 4 << 0 | 1 << 13, 2 << 13 | 7, 3 << 13, 4 << 13 | 5, 0x10000])
each("getrlimit", [*range(0, 17), 77, -1], [P])
each("setrlimit", [*range(0, 17), 77, -1], [P])
each("prlimit64", [TID], [*range(0, 17), 77, -1], [P], [P])
each("getrusage", [77, 0, 1, -1, -2], [P])
each("sched_setscheduler", [TID], [0, 1, 2, 3, 5, 6, 7, 77, 0x40000001, 0x40000000], [P])
each("sched_getscheduler", [TID])
each("sched_setparam", [TID], [P])
each("sched_getparam", [TID], [P])
each("sched_get_priority_max", [*range(0, 9), 77])
each("sched_get_priority_min", [*range(0, 9), 77])
each("sched_rr_get_interval", [TID], [P])
each("sched_setaffinity", [TID], [8], [P])
each("sched_getaffinity", [TID], [8], [P])
each("sched_setattr", [TID], [P], [0, 1])
each("sched_getattr", [TID], [P], [48, 77], [0, 1])
each("kcmp", [TID], [TID], range(0, 10), [77], [88])
each("ptrace", [*range(1, 40), *range(0x4200, 0x4215), 0x12345], [TID], [0x11], [0x22])
each("process_vm_readv", [TID], [P], [1], [P], [1], [0, 1])
each("process_vm_writev", [TID], [P], [1], [P], [1], [0, 1])
each("process_mrelease", [FD], [0, 1])
each("unshare", [1 << 7, 0x80, 0x40000080, 0x12345680 & ~0x40000])
each("setns", [FD], [0, 0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x6c020080, 1])
each("clone3", [P], [88, 64])
for nr in ("personality",):
    each(nr, [0xffffffff])
each("arch_prctl", [0x1003, 0x1004, 0x1011, 0x3001, 0x3003, 0x2001, 0x77], [P])
each("capget", [P], [P, 0])
each("capset", [P], [P, 0])
each("seccomp", [0, 1, 2, 3, 4, 77], [77], [P])
each("seccomp", [1], [0x80, *(0x80 | 1 << i for i in range(7))], [P])
each("getuid"); each("getgid"); each("geteuid"); each("getegid"); each("getpid"); each("getppid"); each("gettid")
each("getpgrp"); each("sched_yield"); each("inotify_init"); do("close", 3)
each("setfsuid", [-1]); each("setfsgid", [-1])
each("setreuid", [-1], [-1]); each("setregid", [-1], [-1])
each("setresuid", [-1], [-1], [-1]); each("setresgid", [-1], [-1], [-1])
each("setuid", [-1]); each("setgid", [-1])
each("getresuid", [P], [P], [P]); each("getresgid", [P], [P], [P])
each("getgroups", [0, -1], [P]); each("setgroups", [77, -1], [P])
each("getcpu", [P], [P], [0, P])
each("uname", [P]); each("sysinfo", [P]); each("times", [P])
each("sethostname", [P], [77, -1]); each("setdomainname", [P], [77, -1])
each("syslog", [77, *range(2, 4), 9, 10, 11], [P], [77])
each("sysfs", [77, 1, 3], [P], [P])
each("ustat", [0x103], [P])
each("acct", [P])
each("modify_ldt", [0, 1, 2, 17, 77], [P], [77])
each("ioperm", [1 << 20], [77], [1, 0]); each("iopl", [77])
each("set_tid_address", [0])
# time
CLOCKS = [*range(0, 13), 77, -1, -2, (~TID << 3) | 2, (~5 << 3) | 6, (~5 << 3) | 3, (~FD << 3) | 3]
for name in ("clock_gettime", "clock_getres", "clock_settime", "clock_adjtime"):
    each(name, CLOCKS, [P, 0] if name != "clock_getres" else [P])
each("clock_nanosleep", CLOCKS, [0, 1, 2, 3], [P], [0, P])
each("nanosleep", [P], [0, P])
each("gettimeofday", [P, 0], [P, 0]); each("settimeofday", [P], [P])
each("time", [P]); each("alarm", [0])
each("adjtimex", [P])
each("getitimer", [0, 1, 2, 3, -1], [P]); each("setitimer", [0, 1, 2, 3, -1], [P], [P, 0])
each("timer_create", [77, 0, 1, 2, 7], [P], [P])
each("timer_settime", [77], [0, 1, 2, 3], [P], [0, P]); each("timer_gettime", [77], [P])
each("timer_delete", [77]); each("timer_getoverrun", [77])
each("timerfd_create", [77, 9, 11], [0, 0o2000000, 0o4000, 0x10])
each("timerfd_settime", [FD], [0, 1, 2, 3, 4], [P], [0, P]); each("timerfd_gettime", [FD], [P])
# waiting
each("poll", [P], [1, 77], [0, 5]); each("ppoll", [P], [1], [P], [P], [8])
each("select", [4], [P], [P, 0], [0, P], [P]); each("pselect6", [4], [P], [P, 0], [0, P], [P], [P])
each("epoll_create", [-1, 0]); each("epoll_create1", [1, 3])
each("epoll_ctl", [FD], [0, 1, 2, 3, 4, 77], [FD], [P, 0])
each("epoll_wait", [FD], [P], [1, -1], [0, -1]); each("epoll_pwait", [FD], [P], [1], [0, -1], [P, 0], [8])
each("epoll_pwait2", [FD], [P], [1], [P, 0], [P, 0], [8])
each("eventfd2", [0], [4, 2, 0x12345]); 
each("io_setup", [0, 77], [P]); each("io_destroy", [77]); each("io_submit", [77], [1], [P]); each("io_cancel", [77], [P], [P])
each("io_getevents", [77], [1], [2], [P], [0, P]); each("io_pgetevents", [77], [1], [2], [P], [P], [P])
each("io_uring_setup", [77], [P]); each("io_uring_enter", [FD], [1], [2], bits(6), [P], [8])
each("io_uring_register", [FD], [*range(0, 32), 77], [P], [77])
# IPC
KEYS = [0x12345, -1]
IPC = [0o644, 0o3000, 0o1600, 0o5777, 0, 0o7000 | 0o600]
each("shmget", [0x12345], [77], [0, 0o600, 0o2600 & ~0o1000, 0o4600, 0o10600, 0o20600, 21 << 26 | 0o4600])
each("semget", [0x12345], [1], [0, 0o600, 0o2600]); each("msgget", [0x12345], [0, 0o600, 0o2600])
for cmd in (*range(-1, 22), 256, 257, 258, 0x103, 77):
    do("shmctl", TID, cmd, P); do("msgctl", TID, cmd, P); do("semctl", TID, 3, cmd, P)
each("shmat", [TID], [0, P], [0, *bits(16)]); each("shmdt", [P])
each("semop", [TID], [P], [1]); each("semtimedop", [TID], [P], [1], [P])
each("msgsnd", [TID], [P], [77], [0, *bits(16)]); each("msgrcv", [TID], [P], [77], [5, -5], [0, *bits(16)])
each("mq_open", [P, b"here/there", b"nothing"], [0, 1, 2, 0o4000, 0o200]); each("mq_open", [b"here/there"], [0o100, 0o302], [0o600], [P])
each("mq_unlink", [P, b"here/there"])
each("mq_timedsend", [FD], [P], [77], [1], [P]); each("mq_timedreceive", [FD], [P], [77], [P, 0], [P])
each("mq_notify", [FD], [P]); each("mq_getsetattr", [FD], [P, 0], [P, 0])
# keys and modules
each("add_key", [b"type", P], [b"text", P, 0], [P, 0], [0], [*range(-9, 2), 77])
each("request_key", [b"nothing", P], [b"text", P, 0], [b"more", P, 0], [*range(-9, 2), 77])
for option in (*range(2, 35), 77, -1):
    if option not in (14, 18):
        do("keyctl", option, TID, P, 0x33, 0x44)
        do("keyctl", option, -3, P, 0, P) if option in (6, 11, 23) else None
each("delete_module", [b"no such module", P], [0, 0o1000, 0o4000, 0o5000, 1]); each("init_module", [P], [77], [P, b"a=b"])
each("finit_module", [FD], [P, b"a=b"], [0, 1, 2, 3, 4, 8])
each("kexec_load", [P], [77], [P], [8, 9, 10, 0x3e0008]); each("kexec_file_load", [FD], [FD], [5], [b"text", P], [8, 1, 2, 4, 7])
# new ones
each("bpf", [*range(0, 40), 77, -1], [P], [77, 0])
each("perf_event_open", [P], [TID, -1, 0], [0, -1], [FD, -1], [0, 1, 2, 4, 8, 16, 15])
each("getrandom", [P], [0, 77], [8, 1, 2, 4, 7])
each("landlock_create_ruleset", [P], [77], [0x10, 2]); each("landlock_add_rule", [FD], [0, 1, 2, 77], [P], [0, 1])
each("landlock_restrict_self", [FD], [0, 1])
each("fsopen", [P, b"nothing"], [0, 1, 2]); each("fspick", DFD, [P, b"here"], [0, 1, 2, 4, 8, 15, 16])
each("fsmount", [FD], [0, 1, 2], [0, *bits(24)])
each("fsconfig", [FD], [*range(0, 10)], [P, b"key"], [P], [77, -100])
each("move_mount", DFD, [P, b"here"], DFD, [P, b"there"], [0, *bits(10)])
each("open_tree", DFD, [P, b"here"], [0x2000, 1, 0x80000, 0x8000, 0x1000, 0x100, 0x800, 0x80001])
each("mount_setattr", DFD, [P, b"here"], [0, 0x8000, 0x1000, 0x100, 0x800], [P], [32])
each("lookup_dcookie", [77], [P], [5])
each("rseq", [P], [32], [0, 1, 2], [77])
each("execve", [b"/nothing/here", P], [0, P], [0, P]); each("execveat", DFD, [b"nothing/here"], [0], [0], [0, 0x100, 0x1000, 1])
each("get_thread_area", [P]); each("set_thread_area", [P])
each("reboot", [0xfee1dead, 0x12345], [1, 672274793 + 1], [0x89abcdef, 0, 0x1234567, 77], [P])
do("close", 987653)
"""
# By call, whether the difference is one that may be: strace looks further into some.
VARIES = {
    b"mount": lambda ours, theirs: ours[2][:1] == b'"',  # whether there is a type depends on the flags
    b"ptrace": lambda ours, theirs: ours[0] in (b"PTRACE_PEEKUSER", b"PTRACE_POKEUSER", b"PTRACE_GETREGSET",
                                                b"PTRACE_SETREGSET"),  # registers by name
    b"ioctl": lambda ours, theirs: ours[:2] == theirs == [theirs[0], b"TIOCSSERIAL"],  # it cannot be read
    b"modify_ldt": lambda ours, theirs: ours == theirs,  # the result has 32 bits: no error to the kernel
    b"prctl": lambda ours, theirs: ours[0] in (b"PR_CAP_AMBIENT", b"PR_SVE_SET_VL", b"PR_SME_SET_VL", b"PR_SET_SPECULATION_CTRL",
                                               b"PR_SET_TAGGED_ADDR_CTRL", b"PR_PAC_SET_ENABLED_KEYS"),  # by a second argument
    b"statx": lambda ours, theirs: ours[2].startswith(b"0x6000|"),
}
ENDS = (987654, 987653)
FIRST, LAST = ((b"close", [b"%d" % fd], b"-1 EBADF (Bad file descriptor)") for fd in ENDS)
# How an argument that has a name in it begins, and no address, text or structure.
NAME = re.compile(r"(?!NULL$)(?:[0-9a-fx]+(?:\||<<))*[A-Za-z_]")


def names_of(event):
    """Of the arguments, without comments; not of what belongs to their copies."""
    return sorted(COMMENT.sub(b"", name.encode()).decode() for field, name in event.get("names", {}).items()
                  if field not in ("nr", "uargs_flags") and not field.endswith("_state"))


def of_json(trace):
    """The calls between the first and the last, as events."""
    calls = [event for event in events(trace, "-e", "sys") if is_entry(event["event"])]
    first, last = ([i for i, event in enumerate(calls) if event["event"] == "sys.close" and event["fields"]["fd"] == fd][0]
                   for fd in ENDS)
    return [event for event in calls[first:last] if event["tid"] == calls[first]["tid"]]


require_root()
if platform.machine() != "x86_64":
    skip("the numbers of the calls are x86-64's")
for needed in (shutil.which("strace"), os.path.exists(HEADER)):
    if not needed:
        missing("there is no strace, or no header with the numbers of calls")
ours, theirs, trace = run_beside(WORK, HEADER)
# Before the first call of WORK and after its last, the program calls what it needs.
ours, theirs = (calls[calls.index(FIRST):calls.index(LAST)] for calls in (ours, theirs))
equal("calls", [call[0] for call in ours], [call[0] for call in theirs])
for (name, args, result), (unused, their_args, their_result) in zip(ours, theirs):
    if name in VARIES and VARIES[name](args, their_args):
        continue
    check(len(args) == len(their_args) and all(map(same, args, their_args)),
          "%s: %s, strace has %s" % (name.decode(), b", ".join(args), b", ".join(their_args)))
    check(len(result.split()) == len(their_result.split()) and all(map(same, result.split(), their_result.split())),
          "%s: result %s, strace has %s" % (name, result, their_result))
in_json = of_json(trace)
equal("calls in JSON", len(in_json), len(ours))
for event, (name, args, unused) in zip(in_json, ours):
    in_text = sorted(arg for arg in map(bytes.decode, args) if NAME.match(arg))
    check(names_of(event) == in_text,
          "%s: names %s in JSON, %s in text" % (name.decode(), names_of(event), in_text))
kinds = {call[0] for call in ours}
check(len(kinds) >= KINDS, "only %d kinds of calls" % len(kinds))
print("%d calls of %d kinds" % (len(ours), len(kinds)))
finish()
