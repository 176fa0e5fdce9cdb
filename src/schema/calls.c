// SPDX-License-Identifier: BSD-2-Clause
#include "schema/calls.h"

#include <string.h>

#include "base/glob.h"
#include "schema/call_values.h"
#include "schema/event.h"

#define ARG(NAME, KIND, VALUES)                 \
	{                                       \
#NAME, CALL_KIND_##KIND, VALUES \
	}
#define INT(NAME) ARG(NAME, INT, NULL)
#define UINT(NAME) ARG(NAME, UINT, NULL)
#define LONG(NAME) ARG(NAME, LONG, NULL)
#define ULONG(NAME) ARG(NAME, ULONG, NULL)
#define SIZE(NAME) ARG(NAME, SIZE, NULL)
#define FD(NAME) ARG(NAME, FD, NULL)
#define DIRFD(NAME) ARG(NAME, DIRFD, &call_values_dirfd)
#define MODE(NAME) ARG(NAME, MODE, NULL)
#define CONST(NAME, VALUES) ARG(NAME, CONST, &call_values_##VALUES)
#define REQUEST(NAME, VALUES) ARG(NAME, REQUEST, &call_values_##VALUES)
#define FLAGS(NAME, VALUES) ARG(NAME, FLAGS, &call_values_##VALUES)
#define FLAGS64(NAME, VALUES) ARG(NAME, FLAGS64, &call_values_##VALUES)
#define POINTED(NAME, VALUES) ARG(NAME, POINTED, &call_values_##VALUES)
#define POINTER(NAME) ARG(NAME, POINTER, NULL)
#define PAIR(NAME) ARG(NAME, PAIR, NULL)
#define PATH(NAME) ARG(NAME, PATH, NULL)
#define STRING(NAME) ARG(NAME, STRING, NULL)
#define SOCKADDR(NAME) ARG(NAME, SOCKADDR, NULL)
#define TEXTS(NAME) ARG(NAME, TEXTS, NULL)

#define ROW(NAME, CLASS, WIDE, ...)                                                               \
	{                                                                                         \
		.name = #NAME, .class_name = CALLS_PREFIX CLASS, .wide = WIDE,                    \
		.arg_count =                                                                      \
			sizeof((const struct call_arg[]){__VA_ARGS__}) / sizeof(struct call_arg), \
		.args = (const struct call_arg[])                                                 \
		{                                                                                 \
			__VA_ARGS__                                                               \
		}                                                                                 \
	}
#define CALL(NAME, ...) ROW(NAME, #NAME, false, __VA_ARGS__)
/* Arguments of 64 bits come in two registers from 32-bit callers, or in another order. */
#define CALL64(NAME, ...) ROW(NAME, #NAME, true, __VA_ARGS__)

/* Names and types are those of the kernel's own tracepoints syscalls:sys_enter_* (Linux 6.18). */
static const struct call calls[] = {
	CALL(accept, FD(fd), SOCKADDR(upeer_sockaddr), POINTER(upeer_addrlen)),
	CALL(accept4, FD(fd), SOCKADDR(upeer_sockaddr), POINTER(upeer_addrlen),
	     FLAGS(flags, socket_flags)),
	CALL(access, PATH(filename), FLAGS(mode, access_modes)),
	CALL(acct, PATH(filename)),
	CALL(add_key, STRING(type), STRING(description), POINTER(payload), SIZE(plen), INT(ringid)),
	CALL(adjtimex, POINTER(txc_p)),
	CALL(alarm, UINT(seconds)),
	CALL(arch_prctl, CONST(option, arch_prctl_options), POINTER(arg2)),
	CALL(bind, FD(fd), SOCKADDR(umyaddr), INT(addrlen)),
	CALL(bpf, CONST(cmd, bpf_commands), POINTER(uattr), UINT(size)),
	CALL(brk, POINTER(brk)),
	CALL(cachestat, FD(fd), POINTER(cstat_range), POINTER(cstat), UINT(flags)),
	CALL(capget, POINTER(header), POINTER(dataptr)),
	CALL(capset, POINTER(header), POINTER(data)),
	CALL(chdir, PATH(filename)),
	CALL(chmod, PATH(filename), MODE(mode)),
	CALL(chown, PATH(filename), UINT(user), UINT(group)),
	CALL(chroot, PATH(filename)),
	CALL(clock_adjtime, CONST(which_clock, clocks), POINTER(utx)),
	CALL(clock_getres, CONST(which_clock, clocks), POINTER(tp)),
	CALL(clock_gettime, CONST(which_clock, clocks), POINTER(tp)),
	CALL(clock_nanosleep, CONST(which_clock, clocks), FLAGS(flags, timer_flags), POINTER(rqtp),
	     POINTER(rmtp)),
	CALL(clock_settime, CONST(which_clock, clocks), POINTER(tp)),
#ifdef __aarch64__
	CALL64(clone, FLAGS64(clone_flags, clone_flags), POINTER(newsp), POINTER(parent_tidptr),
	       POINTER(tls), POINTER(child_tidptr)),
#else
	CALL64(clone, FLAGS64(clone_flags, clone_flags), POINTER(newsp), POINTER(parent_tidptr),
	       POINTER(child_tidptr), POINTER(tls)),
#endif
	CALL(clone3, POINTER(uargs), SIZE(size), POINTED(uargs_flags, clone_flags)),
	CALL(close, FD(fd)),
	CALL(close_range, FD(fd), UINT(max_fd), FLAGS(flags, close_range_flags)),
	CALL(connect, FD(fd), SOCKADDR(uservaddr), INT(addrlen)),
	CALL(copy_file_range, FD(fd_in), POINTER(off_in), FD(fd_out), POINTER(off_out), SIZE(len),
	     UINT(flags)),
	CALL(creat, PATH(pathname), MODE(mode)),
	CALL(delete_module, STRING(module), FLAGS(flags, module_delete_flags)),
	CALL(dup, FD(fildes)),
	CALL(dup2, FD(oldfd), FD(newfd)),
	CALL(dup3, FD(oldfd), FD(newfd), FLAGS(flags, descriptor_flags)),
	CALL(epoll_create, INT(size)),
	CALL(epoll_create1, FLAGS(flags, epoll_flags)),
	CALL(epoll_ctl, FD(epfd), CONST(op, epoll_operations), FD(fd), POINTER(event_at)),
	CALL(epoll_pwait, FD(epfd), POINTER(events), INT(maxevents), INT(timeout), POINTER(sigmask),
	     SIZE(sigsetsize)),
	CALL(epoll_pwait2, FD(epfd), POINTER(events), INT(maxevents), POINTER(timeout),
	     POINTER(sigmask), SIZE(sigsetsize)),
	CALL(epoll_wait, FD(epfd), POINTER(events), INT(maxevents), INT(timeout)),
	CALL(eventfd, UINT(count)),
	CALL(eventfd2, UINT(count), FLAGS(flags, eventfd_flags)),
	CALL(execve, PATH(filename), TEXTS(argv), POINTER(envp)),
	CALL(execveat, DIRFD(fd), PATH(filename), TEXTS(argv), POINTER(envp),
	     FLAGS(flags, at_flags)),
	ROW(exit, "_exit", false, INT(error_code)),
	CALL(exit_group, INT(error_code)),
	CALL(faccessat, DIRFD(dfd), PATH(filename), FLAGS(mode, access_modes)),
	CALL(faccessat2, DIRFD(dfd), PATH(filename), FLAGS(mode, access_modes),
	     FLAGS(flags, at_flags)),
	CALL64(fadvise64, FD(fd), LONG(offset), SIZE(len), CONST(advice, fadvice)),
	CALL64(fallocate, FD(fd), FLAGS(mode, fallocate_modes), LONG(offset), LONG(len)),
	CALL(fanotify_init, FLAGS(flags, fanotify_init_flags), FLAGS(event_f_flags, open_flags)),
	CALL64(fanotify_mark, FD(fanotify_fd), FLAGS(flags, fanotify_mark_flags),
	       FLAGS64(mask, fanotify_mask), DIRFD(dfd), PATH(pathname)),
	CALL(fchdir, FD(fd)),
	CALL(fchmod, FD(fd), MODE(mode)),
	CALL(fchmodat, DIRFD(dfd), PATH(filename), MODE(mode)),
	CALL(fchmodat2, DIRFD(dfd), PATH(filename), MODE(mode), FLAGS(flags, at_flags)),
	CALL(fchown, FD(fd), UINT(user), UINT(group)),
	CALL(fchownat, DIRFD(dfd), PATH(filename), UINT(user), UINT(group), FLAGS(flag, at_flags)),
	CALL(fcntl, FD(fd), CONST(cmd, fcntl_commands), ULONG(arg)),
	CALL(fdatasync, FD(fd)),
	CALL(fgetxattr, FD(fd), STRING(attribute), POINTER(value), SIZE(size)),
	CALL(file_getattr, DIRFD(dfd), PATH(filename), POINTER(ufattr), SIZE(usize),
	     FLAGS(at_flags, at_flags)),
	CALL(file_setattr, DIRFD(dfd), PATH(filename), POINTER(ufattr), SIZE(usize),
	     FLAGS(at_flags, at_flags)),
	CALL(finit_module, FD(fd), STRING(uargs), FLAGS(flags, module_init_flags)),
	CALL(flistxattr, FD(fd), POINTER(list), SIZE(size)),
	CALL(flock, FD(fd), FLAGS(cmd, flock_operations)),
	CALL(fork),
	CALL(fremovexattr, FD(fd), STRING(attribute)),
	CALL(fsconfig, FD(fd), CONST(cmd, fsconfig_commands), STRING(key), POINTER(value),
	     DIRFD(aux)),
	CALL(fsetxattr, FD(fd), STRING(attribute), POINTER(value), SIZE(size),
	     FLAGS(flags, xattr_flags)),
	CALL(fsmount, FD(fs_fd), FLAGS(flags, fsmount_flags), FLAGS(attr_flags, mount_attributes)),
	CALL(fsopen, STRING(fs_name), FLAGS(flags, fsopen_flags)),
	CALL(fspick, DIRFD(dfd), PATH(path), FLAGS(flags, fspick_flags)),
	CALL(fstat, FD(fd), POINTER(statbuf)),
	CALL(fstatfs, FD(fd), POINTER(buf)),
	CALL(fsync, FD(fd)),
	CALL(ftruncate, FD(fd), LONG(length)),
	CALL(futex, POINTER(uaddr), FLAGS(op, futex_operations), UINT(val), POINTER(utime),
	     POINTER(uaddr2), UINT(val3)),
	CALL(futex_requeue, POINTER(waiters), UINT(flags), INT(nr_wake), INT(nr_requeue)),
	CALL(futex_wait, POINTER(uaddr), ULONG(val), ULONG(mask), UINT(flags), POINTER(timeout),
	     CONST(clockid, clocks)),
	CALL(futex_waitv, POINTER(waiters), UINT(nr_futexes), UINT(flags), POINTER(timeout),
	     CONST(clockid, clocks)),
	CALL(futex_wake, POINTER(uaddr), ULONG(mask), INT(count), UINT(flags)),
	CALL(futimesat, DIRFD(dfd), PATH(filename), POINTER(utimes)),
	CALL(get_mempolicy, POINTER(policy), POINTER(nmask), ULONG(maxnode), ULONG(addr),
	     FLAGS64(flags, memory_policy_queries)),
	CALL(get_robust_list, INT(target_pid), POINTER(head_ptr), POINTER(len_ptr)),
	CALL(get_thread_area, POINTER(u_info)),
	CALL(getcpu, POINTER(cpup), POINTER(nodep), POINTER(unused)),
	CALL(getcwd, POINTER(buf), ULONG(size)),
	CALL(getdents, FD(fd), POINTER(dirent), UINT(count)),
	CALL(getdents64, FD(fd), POINTER(dirent), UINT(count)),
	CALL(getegid),
	CALL(geteuid),
	CALL(getgid),
	CALL(getgroups, INT(gidsetsize), POINTER(grouplist)),
	CALL(getitimer, CONST(which, interval_timers), POINTER(value)),
	CALL(getpeername, FD(fd), SOCKADDR(usockaddr), POINTER(usockaddr_len)),
	CALL(getpgid, INT(target_pid)),
	CALL(getpgrp),
	CALL(getpid),
	CALL(getppid),
	CALL(getpriority, CONST(which, priority_kinds), INT(who)),
	CALL(getrandom, POINTER(ubuf), SIZE(len), FLAGS(flags, getrandom_flags)),
	CALL(getresgid, POINTER(rgidp), POINTER(egidp), POINTER(sgidp)),
	CALL(getresuid, POINTER(ruidp), POINTER(euidp), POINTER(suidp)),
	CALL(getrlimit, CONST(resource, limits), POINTER(rlim)),
	CALL(getrusage, CONST(who, usage_kinds), POINTER(ru)),
	CALL(getsid, INT(target_pid)),
	CALL(getsockname, FD(fd), SOCKADDR(usockaddr), POINTER(usockaddr_len)),
	CALL(getsockopt, FD(fd), CONST(level, socket_levels), INT(optname), POINTER(optval),
	     POINTER(optlen)),
	CALL(gettid),
	CALL(gettimeofday, POINTER(tv), POINTER(tz)),
	CALL(getuid),
	CALL(getxattr, PATH(pathname), STRING(attribute), POINTER(value), SIZE(size)),
	CALL(getxattrat, DIRFD(dfd), PATH(pathname), FLAGS(at_flags, at_flags), STRING(attribute),
	     POINTER(uargs), SIZE(usize)),
	CALL(init_module, POINTER(umod), SIZE(len), STRING(uargs)),
	CALL(inotify_add_watch, FD(fd), PATH(pathname), FLAGS(mask, inotify_mask)),
	CALL(inotify_init),
	CALL(inotify_init1, FLAGS(flags, inotify_flags)),
	CALL(inotify_rm_watch, FD(fd), INT(wd)),
	CALL(io_cancel, ULONG(ctx_id), POINTER(iocb), POINTER(result)),
	CALL(io_destroy, ULONG(ctx)),
	CALL(io_getevents, ULONG(ctx_id), LONG(min_nr), LONG(count), POINTER(events),
	     POINTER(timeout)),
	CALL(io_pgetevents, ULONG(ctx_id), LONG(min_nr), LONG(count), POINTER(events),
	     POINTER(timeout), POINTER(usig)),
	CALL(io_setup, UINT(nr_events), POINTER(ctxp)),
	CALL(io_submit, ULONG(ctx_id), LONG(count), POINTER(iocbpp)),
	CALL(io_uring_enter, FD(fd), UINT(to_submit), UINT(min_complete),
	     FLAGS(flags, uring_enter_flags), POINTER(argp), SIZE(argsz)),
	CALL(io_uring_register, FD(fd), REQUEST(opcode, uring_operations), POINTER(arg),
	     UINT(nr_args)),
	CALL(io_uring_setup, UINT(entries), POINTER(params)),
	CALL(ioctl, FD(fd), REQUEST(cmd, ioctl_requests), POINTER(arg)),
	CALL(ioperm, ULONG(from), ULONG(num), INT(turn_on)),
	CALL(iopl, UINT(level)),
	CALL(ioprio_get, CONST(which, io_priority_kinds), INT(who)),
	CALL(ioprio_set, CONST(which, io_priority_kinds), INT(who), INT(ioprio)),
	CALL(kcmp, INT(pid1), INT(pid2), CONST(type, kcmp_types), ULONG(idx1), ULONG(idx2)),
	CALL(kexec_file_load, FD(kernel_fd), FD(initrd_fd), ULONG(cmdline_len), STRING(cmdline),
	     FLAGS64(flags, kexec_file_flags)),
	CALL(kexec_load, POINTER(entry), ULONG(nr_segments), POINTER(segments),
	     FLAGS64(flags, kexec_flags)),
	CALL(keyctl, CONST(option, keyctl_options), ULONG(arg2), ULONG(arg3), ULONG(arg4),
	     ULONG(arg5)),
	CALL(kill, INT(target_pid), CONST(sig, signals)),
	CALL(landlock_add_rule, FD(ruleset_fd), CONST(rule_type, landlock_rules),
	     POINTER(rule_attr), UINT(flags)),
	CALL(landlock_create_ruleset, POINTER(attr), SIZE(size),
	     FLAGS(flags, landlock_ruleset_flags)),
	CALL(landlock_restrict_self, FD(ruleset_fd), UINT(flags)),
	CALL(lchown, PATH(filename), UINT(user), UINT(group)),
	CALL(lgetxattr, PATH(pathname), STRING(attribute), POINTER(value), SIZE(size)),
	CALL(link, PATH(oldname), PATH(newname)),
	CALL(linkat, DIRFD(olddfd), PATH(oldname), DIRFD(newdfd), PATH(newname),
	     FLAGS(flags, at_flags)),
	CALL(listen, FD(fd), INT(backlog)),
	CALL(listmount, POINTER(req), POINTER(mnt_ids), SIZE(nr_mnt_ids), UINT(flags)),
	CALL(listxattr, PATH(pathname), POINTER(list), SIZE(size)),
	CALL(listxattrat, DIRFD(dfd), PATH(pathname), FLAGS(at_flags, at_flags), POINTER(list),
	     SIZE(size)),
	CALL(llistxattr, PATH(pathname), POINTER(list), SIZE(size)),
	CALL64(lookup_dcookie, ULONG(cookie64), POINTER(buf), SIZE(len)),
	CALL(lremovexattr, PATH(pathname), STRING(attribute)),
	CALL(lseek, FD(fd), LONG(offset), CONST(whence, whence)),
	CALL(lsetxattr, PATH(pathname), STRING(attribute), POINTER(value), SIZE(size),
	     FLAGS(flags, xattr_flags)),
	CALL(lsm_get_self_attr, UINT(attr), POINTER(ctx), POINTER(size), UINT(flags)),
	CALL(lsm_list_modules, POINTER(ids), POINTER(size), UINT(flags)),
	CALL(lsm_set_self_attr, UINT(attr), POINTER(ctx), UINT(size), UINT(flags)),
	CALL(lstat, PATH(filename), POINTER(statbuf)),
	CALL(madvise, POINTER(start), SIZE(len_in), CONST(behavior, madvice)),
	CALL(map_shadow_stack, POINTER(addr), SIZE(size), UINT(flags)),
	CALL(mbind, POINTER(start), SIZE(len), ULONG(mode), POINTER(nmask), ULONG(maxnode),
	     FLAGS(flags, memory_move_flags)),
	CALL(membarrier, CONST(cmd, membarrier_commands), FLAGS(flags, membarrier_flags),
	     INT(cpu_id)),
	CALL(memfd_create, STRING(label), FLAGS(flags, memfd_flags)),
	CALL(memfd_secret, FLAGS(flags, cloexec_flag)),
	CALL(migrate_pages, INT(target_pid), ULONG(maxnode), POINTER(old_nodes),
	     POINTER(new_nodes)),
	CALL(mincore, POINTER(start), SIZE(len), POINTER(vec)),
	CALL(mkdir, PATH(pathname), MODE(mode)),
	CALL(mkdirat, DIRFD(dfd), PATH(pathname), MODE(mode)),
	CALL(mknod, PATH(filename), MODE(mode), UINT(dev)),
	CALL(mknodat, DIRFD(dfd), PATH(filename), MODE(mode), UINT(dev)),
	CALL(mlock, POINTER(start), SIZE(len)),
	CALL(mlock2, POINTER(start), SIZE(len), FLAGS(flags, mlock_flags)),
	CALL(mlockall, FLAGS(flags, mlockall_flags)),
	CALL64(mmap, POINTER(addr), SIZE(len), FLAGS64(prot, prot), FLAGS64(flags, map_flags),
	       FD(fd), LONG(offset)),
	CALL(modify_ldt, INT(func), POINTER(ptr), ULONG(bytecount)),
	CALL(mount, PATH(dev_name), PATH(dir_name), STRING(type), FLAGS64(flags, mount_flags),
	     POINTER(data)),
	CALL(mount_setattr, DIRFD(dfd), PATH(path), FLAGS(flags, at_flags), POINTER(uattr),
	     SIZE(usize)),
	CALL(move_mount, DIRFD(from_dfd), PATH(from_pathname), DIRFD(to_dfd), PATH(to_pathname),
	     FLAGS(flags, move_mount_flags)),
	CALL(move_pages, INT(target_pid), ULONG(nr_pages), POINTER(pages), POINTER(nodes),
	     POINTER(status), FLAGS(flags, memory_move_flags)),
	CALL(mprotect, POINTER(start), SIZE(len), FLAGS64(prot, prot)),
	CALL(mq_getsetattr, FD(mqdes), POINTER(u_mqstat), POINTER(u_omqstat)),
	CALL(mq_notify, FD(mqdes), POINTER(u_notification)),
	CALL(mq_open, STRING(u_name), FLAGS(oflag, open_flags), MODE(mode), POINTER(u_attr)),
	CALL(mq_timedreceive, FD(mqdes), POINTER(u_msg_ptr), SIZE(msg_len), POINTER(u_msg_prio),
	     POINTER(u_abs_timeout)),
	CALL(mq_timedsend, FD(mqdes), POINTER(u_msg_ptr), SIZE(msg_len), UINT(msg_prio),
	     POINTER(u_abs_timeout)),
	CALL(mq_unlink, STRING(u_name)),
	CALL(mremap, POINTER(addr), SIZE(old_len), SIZE(new_len), FLAGS64(flags, mremap_flags),
	     POINTER(new_addr)),
	CALL(mseal, POINTER(start), SIZE(len), ULONG(flags)),
	CALL(msgctl, INT(msqid), CONST(cmd, ipc_commands), POINTER(buf)),
	CALL(msgget, UINT(key), FLAGS(msgflg, ipc_flags)),
	CALL(msgrcv, INT(msqid), POINTER(msgp), SIZE(msgsz), LONG(msgtyp), INT(msgflg)),
	CALL(msgsnd, INT(msqid), POINTER(msgp), SIZE(msgsz), INT(msgflg)),
	CALL(msync, POINTER(start), SIZE(len), FLAGS(flags, msync_flags)),
	CALL(munlock, POINTER(start), SIZE(len)),
	CALL(munlockall),
	CALL(munmap, POINTER(addr), SIZE(len)),
	CALL(name_to_handle_at, DIRFD(dfd), PATH(filename), POINTER(handle), POINTER(mnt_id),
	     FLAGS(flag, handle_flags)),
	CALL(nanosleep, POINTER(rqtp), POINTER(rmtp)),
	CALL(newfstatat, DIRFD(dfd), PATH(filename), POINTER(statbuf), FLAGS(flag, at_flags)),
	CALL(open, PATH(filename), FLAGS(flags, open_flags), MODE(mode)),
	CALL(open_by_handle_at, FD(mountdirfd), POINTER(handle), FLAGS(flags, open_flags)),
	CALL(open_tree, DIRFD(dfd), PATH(filename), FLAGS(flags, open_tree_flags)),
	CALL(open_tree_attr, DIRFD(dfd), PATH(filename), FLAGS(flags, open_tree_flags),
	     POINTER(uattr), SIZE(usize)),
	CALL(openat, DIRFD(dfd), PATH(filename), FLAGS(flags, open_flags), MODE(mode)),
	CALL(openat2, DIRFD(dfd), PATH(filename), POINTER(how), SIZE(usize)),
	CALL(pause),
	CALL(perf_event_open, POINTER(attr_uptr), INT(target_pid), INT(on_cpu), FD(group_fd),
	     FLAGS(flags, perf_open_flags)),
	CALL(personality, UINT(personality)),
	CALL(pidfd_getfd, FD(pidfd), FD(fd), UINT(flags)),
	CALL(pidfd_open, INT(target_pid), FLAGS(flags, pidfd_flags)),
	CALL(pidfd_send_signal, FD(pidfd), CONST(sig, signals), POINTER(info), UINT(flags)),
	CALL(pipe, PAIR(fildes)),
	CALL(pipe2, PAIR(fildes), FLAGS(flags, descriptor_flags)),
	CALL(pivot_root, PATH(new_root), PATH(put_old)),
	CALL(pkey_alloc, ULONG(flags), FLAGS64(init_val, pkey_rights)),
	CALL(pkey_free, INT(pkey)),
	CALL(pkey_mprotect, POINTER(start), SIZE(len), FLAGS64(prot, prot), INT(pkey)),
	CALL(poll, POINTER(ufds), UINT(nfds), INT(timeout_msecs)),
	CALL(ppoll, POINTER(ufds), UINT(nfds), POINTER(tsp), POINTER(sigmask), SIZE(sigsetsize)),
	CALL(prctl, CONST(option, prctl_options), ULONG(arg2), ULONG(arg3), ULONG(arg4),
	     ULONG(arg5)),
	CALL64(pread64, FD(fd), POINTER(buf), SIZE(count), LONG(pos)),
	CALL(preadv, FD(fd), POINTER(vec), ULONG(vlen), ULONG(pos_l), ULONG(pos_h)),
	CALL(preadv2, FD(fd), POINTER(vec), ULONG(vlen), ULONG(pos_l), ULONG(pos_h),
	     FLAGS(flags, rwf_flags)),
	CALL(prlimit64, INT(target_pid), CONST(resource, limits), POINTER(new_rlim),
	     POINTER(old_rlim)),
	CALL(process_madvise, FD(pidfd), POINTER(vec), SIZE(vlen), CONST(behavior, madvice),
	     UINT(flags)),
	CALL(process_mrelease, FD(pidfd), UINT(flags)),
	CALL(process_vm_readv, INT(target_pid), POINTER(lvec), ULONG(liovcnt), POINTER(rvec),
	     ULONG(riovcnt), ULONG(flags)),
	CALL(process_vm_writev, INT(target_pid), POINTER(lvec), ULONG(liovcnt), POINTER(rvec),
	     ULONG(riovcnt), ULONG(flags)),
	CALL(pselect6, INT(n), POINTER(inp), POINTER(outp), POINTER(exp), POINTER(tsp),
	     POINTER(sig)),
	CALL(ptrace, CONST(request, ptrace_requests), LONG(target_pid), ULONG(addr), ULONG(data)),
	CALL64(pwrite64, FD(fd), POINTER(buf), SIZE(count), LONG(pos)),
	CALL(pwritev, FD(fd), POINTER(vec), ULONG(vlen), ULONG(pos_l), ULONG(pos_h)),
	CALL(pwritev2, FD(fd), POINTER(vec), ULONG(vlen), ULONG(pos_l), ULONG(pos_h),
	     FLAGS(flags, rwf_flags)),
	CALL(quotactl, UINT(cmd), PATH(special), UINT(id), POINTER(addr)),
	CALL(quotactl_fd, FD(fd), UINT(cmd), UINT(id), POINTER(addr)),
	CALL(read, FD(fd), POINTER(buf), SIZE(count)),
	CALL64(readahead, FD(fd), LONG(offset), SIZE(count)),
	CALL(readlink, PATH(path), POINTER(buf), SIZE(bufsiz)),
	CALL(readlinkat, DIRFD(dfd), PATH(pathname), POINTER(buf), SIZE(bufsiz)),
	CALL(readv, FD(fd), POINTER(vec), ULONG(vlen)),
	CALL(reboot, REQUEST(magic1, reboot_magics), REQUEST(magic2, reboot_second_magics),
	     REQUEST(cmd, reboot_commands), POINTER(arg)),
	CALL(recvfrom, FD(fd), POINTER(ubuf), SIZE(size), FLAGS(flags, msg_flags), SOCKADDR(addr),
	     POINTER(addr_len)),
	CALL(recvmmsg, FD(fd), POINTER(mmsg), UINT(vlen), FLAGS(flags, msg_flags),
	     POINTER(timeout)),
	CALL(recvmsg, FD(fd), POINTER(msg), FLAGS(flags, msg_flags)),
	CALL(remap_file_pages, POINTER(start), SIZE(size), FLAGS64(prot, prot), ULONG(pgoff),
	     FLAGS64(flags, map_flags)),
	CALL(removexattr, PATH(pathname), STRING(attribute)),
	CALL(removexattrat, DIRFD(dfd), PATH(pathname), FLAGS(at_flags, at_flags),
	     STRING(attribute)),
	CALL(rename, PATH(oldname), PATH(newname)),
	CALL(renameat, DIRFD(olddfd), PATH(oldname), DIRFD(newdfd), PATH(newname)),
	CALL(renameat2, DIRFD(olddfd), PATH(oldname), DIRFD(newdfd), PATH(newname),
	     FLAGS(flags, rename_flags)),
	CALL(request_key, STRING(type), STRING(description), STRING(callout_info), INT(destringid)),
	CALL(restart_syscall),
	CALL(rmdir, PATH(pathname)),
	CALL(rseq, POINTER(rseq), UINT(rseq_len), INT(flags), UINT(sig)),
	CALL(rt_sigaction, CONST(sig, signals), POINTER(act), POINTER(oact), SIZE(sigsetsize)),
	CALL(rt_sigpending, POINTER(uset), SIZE(sigsetsize)),
	CALL(rt_sigprocmask, CONST(how, mask_ways), POINTER(nset), POINTER(oset), SIZE(sigsetsize)),
	CALL(rt_sigqueueinfo, INT(target_pid), CONST(sig, signals), POINTER(uinfo)),
	CALL(rt_sigreturn),
	CALL(rt_sigsuspend, POINTER(unewset), SIZE(sigsetsize)),
	CALL(rt_sigtimedwait, POINTER(uthese), POINTER(uinfo), POINTER(uts), SIZE(sigsetsize)),
	CALL(rt_tgsigqueueinfo, INT(tgid), INT(target_pid), CONST(sig, signals), POINTER(uinfo)),
	CALL(sched_get_priority_max, CONST(policy, sched_policies)),
	CALL(sched_get_priority_min, CONST(policy, sched_policies)),
	CALL(sched_getaffinity, INT(target_pid), UINT(len), POINTER(user_mask_ptr)),
	CALL(sched_getattr, INT(target_pid), POINTER(uattr), UINT(usize), UINT(flags)),
	CALL(sched_getparam, INT(target_pid), POINTER(param)),
	CALL(sched_getscheduler, INT(target_pid)),
	CALL(sched_rr_get_interval, INT(target_pid), POINTER(interval)),
	CALL(sched_setaffinity, INT(target_pid), UINT(len), POINTER(user_mask_ptr)),
	CALL(sched_setattr, INT(target_pid), POINTER(uattr), UINT(flags)),
	CALL(sched_setparam, INT(target_pid), POINTER(param)),
	CALL(sched_setscheduler, INT(target_pid), CONST(policy, sched_policies), POINTER(param)),
	CALL(sched_yield),
	CALL(seccomp, CONST(op, seccomp_operations), UINT(flags), POINTER(uargs)),
	CALL64(select, INT(n), POINTER(inp), POINTER(outp), POINTER(exp), POINTER(tvp)),
	CALL64(semctl, INT(semid), INT(semnum), CONST(cmd, ipc_commands), ULONG(arg)),
	CALL(semget, UINT(key), INT(nsems), FLAGS(semflg, ipc_flags)),
	CALL(semop, INT(semid), POINTER(tsops), UINT(nsops)),
	CALL(semtimedop, INT(semid), POINTER(tsops), UINT(nsops), POINTER(timeout)),
	CALL(sendfile, FD(out_fd), FD(in_fd), POINTER(offset), SIZE(count)),
	CALL(sendmmsg, FD(fd), POINTER(mmsg), UINT(vlen), FLAGS(flags, msg_flags)),
	CALL(sendmsg, FD(fd), POINTER(msg), FLAGS(flags, msg_flags)),
	CALL(sendto, FD(fd), POINTER(buff), SIZE(len), FLAGS(flags, msg_flags), SOCKADDR(addr),
	     INT(addr_len)),
	CALL(set_mempolicy, INT(mode), POINTER(nmask), ULONG(maxnode)),
	CALL(set_mempolicy_home_node, POINTER(start), SIZE(len), ULONG(home_node), ULONG(flags)),
	CALL(set_robust_list, POINTER(head), SIZE(len)),
	CALL(set_thread_area, POINTER(u_info)),
	CALL(set_tid_address, POINTER(tidptr)),
	CALL(setdomainname, POINTER(buf), INT(len)),
	CALL(setfsgid, UINT(gid)),
	CALL(setfsuid, UINT(uid)),
	CALL(setgid, UINT(gid)),
	CALL(setgroups, INT(gidsetsize), POINTER(grouplist)),
	CALL(sethostname, POINTER(buf), INT(len)),
	CALL(setitimer, CONST(which, interval_timers), POINTER(value), POINTER(ovalue)),
	CALL(setns, FD(fd), FLAGS(flags, namespaces)),
	CALL(setpgid, INT(target_pid), INT(pgid)),
	CALL(setpriority, CONST(which, priority_kinds), INT(who), INT(niceval)),
	CALL(setregid, UINT(rgid), UINT(egid)),
	CALL(setresgid, UINT(rgid), UINT(egid), UINT(sgid)),
	CALL(setresuid, UINT(ruid), UINT(euid), UINT(suid)),
	CALL(setreuid, UINT(ruid), UINT(euid)),
	CALL(setrlimit, CONST(resource, limits), POINTER(rlim)),
	CALL(setsid),
	CALL(setsockopt, FD(fd), CONST(level, socket_levels), INT(optname), POINTER(optval),
	     INT(optlen)),
	CALL(settimeofday, POINTER(tv), POINTER(tz)),
	CALL(setuid, UINT(uid)),
	CALL(setxattr, PATH(pathname), STRING(attribute), POINTER(value), SIZE(size),
	     FLAGS(flags, xattr_flags)),
	CALL(setxattrat, DIRFD(dfd), PATH(pathname), FLAGS(at_flags, at_flags), STRING(attribute),
	     POINTER(uargs), SIZE(usize)),
	CALL(shmat, INT(shmid), POINTER(shmaddr), INT(shmflg)),
	CALL(shmctl, INT(shmid), CONST(cmd, ipc_commands), POINTER(buf)),
	CALL(shmdt, POINTER(shmaddr)),
	CALL(shmget, UINT(key), SIZE(size), FLAGS(shmflg, ipc_flags)),
	CALL(shutdown, FD(fd), CONST(how, shutdown_ways)),
	CALL(sigaltstack, POINTER(uss), POINTER(uoss)),
	CALL(signalfd, FD(ufd), POINTER(user_mask), SIZE(sizemask)),
	CALL(signalfd4, FD(ufd), POINTER(user_mask), SIZE(sizemask), FLAGS(flags, signalfd_flags)),
	CALL(socket, CONST(family, families), FLAGS(type, socket_types), INT(protocol)),
	CALL(socketpair, CONST(family, families), FLAGS(type, socket_types), INT(protocol),
	     PAIR(usockvec)),
	CALL(splice, FD(fd_in), POINTER(off_in), FD(fd_out), POINTER(off_out), SIZE(len),
	     FLAGS(flags, splice_flags)),
	CALL(stat, PATH(filename), POINTER(statbuf)),
	CALL(statfs, PATH(pathname), POINTER(buf)),
	CALL(statmount, POINTER(req), POINTER(buf), SIZE(bufsize), UINT(flags)),
	CALL(statx, DIRFD(dfd), PATH(filename), FLAGS(flags, statx_flags), FLAGS(mask, statx_mask),
	     POINTER(buffer)),
	CALL(swapoff, PATH(specialfile)),
	CALL(swapon, PATH(specialfile), INT(swap_flags)),
	CALL(symlink, PATH(oldname), PATH(newname)),
	CALL(symlinkat, PATH(oldname), DIRFD(newdfd), PATH(newname)),
	CALL(sync),
	CALL64(sync_file_range, FD(fd), LONG(offset), LONG(nbytes), FLAGS(flags, sync_range_flags)),
	CALL(syncfs, FD(fd)),
	CALL(sysfs, INT(option), ULONG(arg1), ULONG(arg2)),
	CALL(sysinfo, POINTER(info)),
	CALL(syslog, INT(type), POINTER(buf), INT(len)),
	CALL(tee, FD(fdin), FD(fdout), SIZE(len), FLAGS(flags, splice_flags)),
	CALL(tgkill, INT(tgid), INT(target_pid), CONST(sig, signals)),
	CALL(time, POINTER(tloc)),
	CALL(timer_create, CONST(which_clock, clocks), POINTER(timer_event_spec),
	     POINTER(created_timer_id)),
	CALL(timer_delete, INT(timer_id)),
	CALL(timer_getoverrun, INT(timer_id)),
	CALL(timer_gettime, INT(timer_id), POINTER(setting)),
	CALL(timer_settime, INT(timer_id), FLAGS(flags, timer_flags), POINTER(new_setting),
	     POINTER(old_setting)),
	CALL(timerfd_create, CONST(clockid, clocks), FLAGS(flags, timerfd_flags)),
	CALL(timerfd_gettime, FD(ufd), POINTER(otmr)),
	CALL(timerfd_settime, FD(ufd), FLAGS(flags, timerfd_settings), POINTER(utmr),
	     POINTER(otmr)),
	CALL(times, POINTER(tbuf)),
	CALL(tkill, INT(target_pid), CONST(sig, signals)),
	CALL(truncate, PATH(path), LONG(length)),
	CALL(umask, MODE(mask)),
	CALL(umount2, PATH(target), FLAGS(flags, umount_flags)),
	CALL(uname, POINTER(buf)),
	CALL(unlink, PATH(pathname)),
	CALL(unlinkat, DIRFD(dfd), PATH(pathname), FLAGS(flag, at_flags)),
	CALL(unshare, FLAGS64(unshare_flags, unshare_flags)),
	CALL(uselib, PATH(library)),
	CALL(userfaultfd, FLAGS(flags, userfaultfd_flags)),
	CALL(ustat, UINT(dev), POINTER(ubuf)),
	CALL(utime, PATH(filename), POINTER(times)),
	CALL(utimensat, DIRFD(dfd), PATH(filename), POINTER(utimes), FLAGS(flags, at_flags)),
	CALL(utimes, PATH(filename), POINTER(utimes)),
	CALL(vfork),
	CALL(vhangup),
	CALL(vmsplice, FD(fd), POINTER(uiov), ULONG(nr_segs), FLAGS(flags, splice_flags)),
	CALL(wait4, INT(upid), POINTER(stat_addr), FLAGS(options, wait_options), POINTER(ru)),
	CALL(waitid, CONST(which, wait_kinds), INT(upid), POINTER(infop),
	     FLAGS(options, wait_options), POINTER(ru)),
	CALL(write, FD(fd), POINTER(buf), SIZE(count)),
	CALL(writev, FD(fd), POINTER(vec), ULONG(vlen)),
};
#define CALLS_COUNT (sizeof(calls) / sizeof(calls[0]))

size_t calls_count(void)
{
	return CALLS_COUNT;
}

const struct call *calls_get(size_t row)
{
	return &calls[row];
}

int calls_find(const char *name, bool compat)
{
	size_t low = 0, high = CALLS_COUNT;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, calls[middle].name);

		if (!order)
			return compat && calls[middle].wide ? -1 : (int)middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}

bool calls_takes_descriptor(const char *event)
{
	const size_t prefix = strlen(CALLS_PREFIX);
	int row = strncmp(event, CALLS_PREFIX, prefix) ? -1 : calls_find(event + prefix, false);

	for (size_t i = 0; row >= 0 && i < calls[row].arg_count; i++) {
		if (calls[row].args[i].kind == CALL_KIND_FD)
			return true;
	}
	return false;
}

size_t call_arg_bytes(const struct call_arg *arg)
{
	switch (arg->kind) {
	case CALL_KIND_LONG:
	case CALL_KIND_ULONG:
	case CALL_KIND_SIZE:
	case CALL_KIND_FLAGS64:
	case CALL_KIND_POINTED:
	case CALL_KIND_POINTER:
	case CALL_KIND_PAIR:
	case CALL_KIND_PATH:
	case CALL_KIND_STRING:
	case CALL_KIND_SOCKADDR:
	case CALL_KIND_TEXTS:
		return 8;
	default:
		return 4;
	}
}

bool call_arg_is_signed(const struct call_arg *arg)
{
	switch (arg->kind) {
	case CALL_KIND_INT:
	case CALL_KIND_LONG:
	case CALL_KIND_FD:
	case CALL_KIND_DIRFD:
	case CALL_KIND_CONST:
		return true;
	default:
		return false;
	}
}

bool calls_is_entry_name(const char *name)
{
	return !strncmp(name, CALLS_PREFIX, strlen(CALLS_PREFIX)) && strcmp(name, CALLS_EXIT) != 0;
}

bool calls_pattern_matches(const char *pattern, const char *name)
{
	return strcmp(pattern, CALLS_ENTRY) ? pattern_matches(pattern, name) :
					      calls_is_entry_name(name);
}

bool calls_is_entry(const struct event_class *class)
{
	return calls_is_entry_name(class->name) && event_class_find_number(class, "nr") >= 0;
}
