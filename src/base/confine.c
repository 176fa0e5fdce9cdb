// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "base/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#define NUMBERS_END 0x40000000u /* those of x32 begin */
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define NUMBERS_END 0xffffffffu
#else
#define NATIVE 0 /* no filter */
#define NUMBERS_END 0xffffffffu
#endif

/* Newer than the headers of Debian 12; the same on all machines. */
#define NR_FCHMODAT2 452
#define NR_SETXATTRAT 463
#define NR_REMOVEXATTRAT 466
#define NR_FILE_SETATTR 469
#define LANDLOCK_TRUNCATE (1ull << 14) /* since version 3 */

/* Never needed by readers or writers. */
static const unsigned int never[] = {
	__NR_execve,
	__NR_execveat,
	__NR_process_vm_readv,
	__NR_process_vm_writev,
	__NR_process_madvise,
	__NR_pidfd_getfd,
	__NR_kcmp,
	__NR_mount,
	__NR_umount2,
	__NR_pivot_root,
	__NR_move_mount,
	__NR_open_tree,
	__NR_fsopen,
	__NR_fsconfig,
	__NR_fsmount,
	__NR_fspick,
	__NR_mount_setattr,
	__NR_chroot,
	__NR_unshare,
	__NR_init_module,
	__NR_finit_module,
	__NR_delete_module,
	__NR_kexec_load,
	__NR_kexec_file_load,
	__NR_reboot,
	__NR_swapon,
	__NR_swapoff,
	__NR_sethostname,
	__NR_setdomainname,
	__NR_settimeofday,
	__NR_clock_settime,
	__NR_clock_adjtime,
	__NR_adjtimex,
	__NR_acct,
	__NR_quotactl,
	__NR_quotactl_fd,
	__NR_vhangup,
	__NR_syslog,
	__NR_add_key,
	__NR_request_key,
	__NR_keyctl,
	__NR_userfaultfd,
	__NR_io_uring_setup,
	__NR_io_uring_enter,
	__NR_io_uring_register,
	__NR_open_by_handle_at,
	__NR_fanotify_init,
	__NR_personality,
	__NR_migrate_pages,
	__NR_move_pages,
	__NR_setuid,
	__NR_setgid,
	__NR_setreuid,
	__NR_setregid,
	__NR_setresuid,
	__NR_setresgid,
	__NR_setgroups,
	__NR_setfsuid,
	__NR_setfsgid,
	__NR_mknodat,
#ifndef __SANITIZE_ADDRESS__ /* which looks for leaks by it */
	__NR_ptrace,
#endif
#ifdef __NR_iopl
	__NR_iopl,
	__NR_ioperm,
	__NR_modify_ldt,
	__NR_mknod,
#endif
};

static const unsigned int of_kernel[] = {
	__NR_bpf,
	__NR_perf_event_open,
};

static const unsigned int of_processes[] = {
	__NR_setns,
	__NR_kill,
	__NR_tkill,
	__NR_rt_sigqueueinfo,
	__NR_rt_tgsigqueueinfo,
	__NR_pidfd_send_signal,
};

static const unsigned int of_network[] = {
	__NR_socket,
	__NR_connect,
	__NR_bind,
	__NR_listen,
};

/* What is open stays so: it may be written to and cut. */
static const unsigned int of_files[] = {
	__NR_truncate,	  __NR_renameat,    __NR_renameat2,    __NR_linkat,	  __NR_symlinkat,
	__NR_unlinkat,	  __NR_mkdirat,	    __NR_fchmod,       __NR_fchmodat,	  NR_FCHMODAT2,
	__NR_fchown,	  __NR_fchownat,    __NR_utimensat,    __NR_setxattr,	  __NR_lsetxattr,
	__NR_fsetxattr,	  __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr, NR_SETXATTRAT,
	NR_REMOVEXATTRAT, NR_FILE_SETATTR,
#ifdef __NR_open
	__NR_creat,	  __NR_rename,	    __NR_link,	       __NR_symlink,	  __NR_unlink,
	__NR_mkdir,	  __NR_rmdir,	    __NR_chmod,	       __NR_chown,	  __NR_lchown,
	__NR_utime,	  __NR_utimes,	    __NR_futimesat,
#endif
};

#define CODE_MAX 512

/* A program of seccomp: its instructions so far. */
struct code {
	struct sock_filter at[CODE_MAX];
	unsigned short len;
};

static void put(struct code *code, unsigned int op, uint32_t k, unsigned int yes, unsigned int no)
{
	code->at[code->len++] = (struct sock_filter){(uint16_t)op, (uint8_t)yes, (uint8_t)no, k};
}

static void load(struct code *code, size_t offset)
{
	put(code, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct code *code, uint32_t what)
{
	put(code, BPF_RET | BPF_K, what, 0, 0);
}

static void deny(struct code *code, const unsigned int *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put(code, BPF_JMP | BPF_JEQ | BPF_K, numbers[i], 0, 1);
		answer(code, SECCOMP_RET_ERRNO | EPERM);
	}
}

/* Of call @number: denied with any of @bits in its argument @arg, unless one of @good is there too. */
static void deny_bits(struct code *code, unsigned int number, unsigned int arg, uint32_t bits,
		      uint32_t good)
{
	/* Little-endian: the low half comes first. */
	size_t offset = offsetof(struct seccomp_data, args) + 8 * arg;

	put(code, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 5);
	load(code, offset);
	put(code, BPF_JMP | BPF_JSET | BPF_K, good, 1, 0);
	put(code, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
	answer(code, SECCOMP_RET_ALLOW);
	answer(code, SECCOMP_RET_ERRNO | EPERM);
}

/* What is typed into a terminal from below would be run by the shell behind it. */
static void deny_typing(struct code *code)
{
	put(code, BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 4);
	load(code, offsetof(struct seccomp_data, args) + 8);
	put(code, BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 1, 0);
	answer(code, SECCOMP_RET_ALLOW);
	answer(code, SECCOMP_RET_ERRNO | EPERM);
}

/* Flags of these are in memory, where no filter sees them: the C library does without. */
static void deny_unseen(struct code *code, unsigned int number)
{
	put(code, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
	answer(code, SECCOMP_RET_ERRNO | ENOSYS);
}

static void write_filter(struct code *code, unsigned int allow)
{
	const uint32_t namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
				    CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
	const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
	const uint32_t nameless = O_TMPFILE & ~(uint32_t)O_DIRECTORY;

	load(code, offsetof(struct seccomp_data, arch));
	put(code, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
	answer(code, SECCOMP_RET_KILL_PROCESS);
	load(code, offsetof(struct seccomp_data, nr));
	put(code, BPF_JMP | BPF_JGE | BPF_K, NUMBERS_END, 0, 1);
	answer(code, SECCOMP_RET_ERRNO | EPERM);
	deny(code, never, ARRAY_COUNT(never));
	deny_unseen(code, __NR_clone3);
	deny_bits(code, __NR_clone, 0, namespaces, 0);
	deny_typing(code);
	if (!(allow & CONFINE_KERNEL))
		deny(code, of_kernel, ARRAY_COUNT(of_kernel));
	if (!(allow & CONFINE_PROCESSES))
		deny(code, of_processes, ARRAY_COUNT(of_processes));
	if (!(allow & CONFINE_NETWORK))
		deny(code, of_network, ARRAY_COUNT(of_network));
	if (!(allow & CONFINE_FILES)) {
		deny(code, of_files, ARRAY_COUNT(of_files));
		deny_unseen(code, __NR_openat2);
		deny_bits(code, __NR_openat, 2, writing, nameless);
#ifdef __NR_open
		deny_bits(code, __NR_open, 1, writing, nameless);
#endif
	}
	answer(code, SECCOMP_RET_ALLOW);
}

static int filter_calls(unsigned int allow)
{
	struct code code = {.len = 0};
	struct sock_fprog program = {.filter = code.at};

	_Static_assert(2 * (ARRAY_COUNT(never) + ARRAY_COUNT(of_kernel) +
			    ARRAY_COUNT(of_processes) + ARRAY_COUNT(of_network) +
			    ARRAY_COUNT(of_files)) +
				       64 <
			       CODE_MAX,
		       "the filter has room");
	if (!NATIVE)
		return 0;
	write_filter(&code, allow);
	program.len = code.len;
	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return 0;
	return errno == EINVAL || errno == ENOSYS ? 0 : -errno;
}

static int landlock_version(void)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version < 0 ? 0 : (int)version;
}

/* All that writes, and no less: what a kernel does not know of, it refuses to handle. */
static uint64_t landlock_writing(int version)
{
	uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
			  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
			  LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			  LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM;

	if (version >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		rights |= LANDLOCK_TRUNCATE;
	return rights;
}

static int landlock_allow(int rules, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr beneath = {.allowed_access = rights};
	int err = 0;

	beneath.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (beneath.parent_fd < 0)
		return -errno;
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0))
		err = -errno;
	fd_close(beneath.parent_fd);
	return err;
}

static int filter_files(const char *const *writable)
{
	int version = landlock_version(), rules, err = 0;
	const uint64_t rights = landlock_writing(version);
	const struct landlock_ruleset_attr attr = {
		.handled_access_fs = rights | LANDLOCK_ACCESS_FS_EXECUTE,
	};

	if (!version || !writable[0])
		return 0;
	rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (rules < 0)
		return -errno;
	for (; !err && *writable; writable++)
		err = landlock_allow(rules, *writable, rights);
	err = err ?: landlock_allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
	if (!err && syscall(SYS_landlock_restrict_self, rules, 0))
		err = -errno;
	fd_close(rules);
	return err;
}

static int get_capabilities(struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};

	return syscall(SYS_capget, &head, data) ? -errno : 0;
}

/* Who has none to give up needs no right to say so: service managers may deny that. */
static int keep_capabilities(uint64_t keep)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];
	int err = get_capabilities(data);
	uint32_t gone = 0;

	for (int i = 0; !err && i < 2; i++) {
		gone |= data[i].inheritable | (data[i].permitted & ~(uint32_t)(keep >> (32 * i)));
		data[i].permitted &= (uint32_t)(keep >> (32 * i));
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	if (!err && gone && syscall(SYS_capset, &head, data))
		err = -errno;
	return err;
}

uint64_t confine_capabilities(void)
{
	struct __user_cap_data_struct data[2];

	return get_capabilities(data) ? 0 : data[0].effective | (uint64_t)data[1].effective << 32;
}

int confine(const struct confine *confine)
{
	int err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;

	err = err ?: filter_files(confine->writable);
	err = err ?: keep_capabilities(confine->capabilities);
	return err ?: filter_calls(confine->allow);
}

void confine_support(struct confine_support *ret)
{
	*ret = (struct confine_support){
		.seccomp = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0,
		.landlock = landlock_version(),
	};
}

/* The owner of a directory opens what is in it later, too. */
static bool can_read_entries(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	bool good = dir;

	while (good && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, "..") ||
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || S_ISLNK(st.st_mode))
			continue;
		good = !S_ISDIR(st.st_mode) || st.st_uid == geteuid();
		good = good && !faccessat(fd, entry->d_name, R_OK, AT_EACCESS);
	}
	if (dir)
		closedir(dir);
	else
		fd_close(fd);
	return good;
}

static bool can_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno != EACCES && errno != EPERM;
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		return can_read_entries(fd);
	fd_close(fd);
	return true;
}

static bool can_write(const char *path)
{
	return !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) || (errno != EACCES && errno != EPERM);
}

static bool try_without(bool (*can)(const char *path), const char *path)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct old[2], none[2];
	bool good;

	if (get_capabilities(old))
		return true;
	if (!(old[0].effective | old[1].effective))
		return can(path);
	memcpy(none, old, sizeof(none));
	none[0].effective = none[1].effective = 0;
	if (syscall(SYS_capset, &head, none))
		return false;
	good = can(path);
	(void)syscall(SYS_capset, &head, old);
	return good;
}

bool confine_can_read(const char *path)
{
	return try_without(can_read, path);
}

bool confine_can_write(const char *path)
{
	return try_without(can_write, path);
}
