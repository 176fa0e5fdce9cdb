// SPDX-License-Identifier: BSD-2-Clause
#include "output/call_arg.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/emit.h"
#include "schema/call_meaning.h"
#include "schema/call_values.h"
#include "schema/field.h"
#include "schema/option_values.h"

#define FUTEX_PRIVATE 0x80u
#define FUTEX_CLOCK 0x100u
#define IPC_64 0x100u
#define SIGNAL_MASK 0xffu
#define FIRST_REAL_TIME 32u /* as the kernel counts them: SIGRTMIN, SIGRT_1, ... */
#define LAST_REAL_TIME 64u
#define HUGE_SHIFT 26
#define QUOTA_TYPE_BITS 8
#define PRIORITY_CLASS_SHIFT 13

static char *write_text(char *p, const char *text)
{
	return emit_bytes(p, text, strlen(text));
}

/* "0" without a base. */
static char *write_hex(char *p, uint64_t value)
{
	return value ? emit_hex(p, value) : emit_char(p, '0');
}

static const char *name_of(const struct call_values *values, uint64_t value)
{
	for (size_t i = 0; i < values->count; i++) {
		if ((uint64_t)values->labels[i].first == value)
			return values->labels[i].name;
	}
	return NULL;
}

static char *write_value(char *p, const struct call_values *values, uint64_t value)
{
	const char *name = name_of(values, value);

	return name ? write_text(p, name) : write_hex(p, value);
}

/* The names of @value with | between them, and behind a | if @joined; the rest in base 16. */
static char *write_flags(char *p, const struct call_values *values, uint64_t value, bool joined)
{
	const struct field field = {.labels = values->labels, .label_count = values->count};
	uint64_t rest = value;
	size_t at = 0;
	int i;

	if (joined && !value)
		return p;
	while ((i = field_flags_next(&field, &rest, &at)) >= 0) {
		if (joined)
			p = emit_char(p, '|');
		p = write_text(p, values->labels[i].name);
		joined = true;
	}
	if (rest) {
		if (joined)
			p = emit_char(p, '|');
		return emit_hex(p, rest);
	}
	return joined ? p : emit_char(p, '0');
}

static char *write_signal(char *p, uint64_t value)
{
	const char *name = value ? name_of(&call_values_signals, value) : NULL;

	if (name)
		return write_text(p, name);
	if (value == FIRST_REAL_TIME)
		return write_text(p, "SIGRTMIN");
	if (value < FIRST_REAL_TIME || value > LAST_REAL_TIME)
		return emit_int(p, (int32_t)value);
	p = write_text(p, "SIGRT_");
	return emit_uint(p, value - FIRST_REAL_TIME);
}

static char *write_clone(char *p, const struct call_values *values, uint64_t value)
{
	uint64_t flags = value & ~(uint64_t)SIGNAL_MASK, signal = value & SIGNAL_MASK;

	if (flags)
		p = write_flags(p, values, flags, false);
	if (flags && signal)
		p = emit_char(p, '|');
	return signal || !flags ? write_signal(p, signal) : p;
}

/* Names are those of operations, and of operations with FUTEX_PRIVATE_FLAG; few take the clock as well. */
static char *write_futex(char *p, const struct call_values *values, uint64_t value)
{
	uint64_t command = value & ~(uint64_t)(FUTEX_PRIVATE | FUTEX_CLOCK);
	const char *name = name_of(values, command);
	bool descriptor = name && !strcmp(name, "FUTEX_FD");
	bool waits = name && (!strcmp(name, "FUTEX_WAIT") || !strcmp(name, "FUTEX_WAIT_BITSET") ||
			      !strcmp(name, "FUTEX_WAIT_REQUEUE_PI"));

	if (!name || ((value & FUTEX_CLOCK) && !waits))
		return emit_hex(p, value);
	p = write_text(p, name);
	if (value & FUTEX_PRIVATE)
		p = write_text(p, descriptor ? "|FUTEX_PRIVATE_FLAG" : "_PRIVATE");
	return value & FUTEX_CLOCK ? write_text(p, "|FUTEX_CLOCK_REALTIME") : p;
}

/* "FUTEX_OP_SET<<28|0<<12|FUTEX_OP_CMP_EQ<<24|0x63": include/uapi/linux/futex.h */
static char *write_futex_compare(char *p, uint64_t value)
{
	static const char *const operations[] = {"SET", "ADD", "OR", "ANDN", "XOR"};
	static const char *const comparisons[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
	unsigned int operation = value >> 28 & 7, comparison = value >> 24 & 0xf;

	if (value >> 31 & 1)
		p = write_text(p, "FUTEX_OP_OPARG_SHIFT<<28|");
	if (operation < sizeof(operations) / sizeof(operations[0])) {
		p = write_text(p, "FUTEX_OP_");
		p = write_text(p, operations[operation]);
	} else {
		p = emit_hex(p, operation);
	}
	p = write_text(p, "<<28|");
	p = write_hex(p, value >> 12 & 0xfff);
	p = write_text(p, "<<12|");
	if (comparison < sizeof(comparisons) / sizeof(comparisons[0])) {
		p = write_text(p, "FUTEX_OP_CMP_");
		p = write_text(p, comparisons[comparison]);
	} else {
		p = emit_hex(p, comparison);
	}
	p = write_text(p, "<<24|");
	return write_hex(p, value & 0xfff);
}

/* With three digits at least. */
static char *write_octal(char *p, uint64_t value)
{
	if (value < 010)
		p = emit_char(p, '0');
	return emit_octal(p, value);
}

static char *write_file_type(char *p, const struct call_values *values, uint64_t value)
{
	const char *type = value & S_IFMT ? name_of(values, value & S_IFMT) : NULL;

	if (!type)
		return write_octal(p, value);
	p = write_text(p, type);
	p = emit_char(p, '|');
	return write_octal(p, value & ~(uint64_t)S_IFMT);
}

static char *write_device(char *p, uint64_t value)
{
	p = write_text(p, "makedev(");
	p = write_hex(p, major(value));
	p = write_text(p, ", ");
	p = write_hex(p, minor(value));
	return emit_char(p, ')');
}

static char *write_ioctl(char *p, const struct call_values *values, uint64_t value)
{
	static const char *const directions[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
						 "_IOC_READ|_IOC_WRITE"};
	const char *name = name_of(values, value);

	if (name)
		return write_text(p, name);
	p = write_text(p, "_IOC(");
	p = write_text(p, directions[_IOC_DIR(value) & 3]);
	p = write_text(p, ", ");
	p = write_hex(p, _IOC_TYPE(value));
	p = write_text(p, ", ");
	p = write_hex(p, _IOC_NR(value));
	p = write_text(p, ", ");
	p = write_hex(p, _IOC_SIZE(value));
	return emit_char(p, ')');
}

static char *write_ipc(char *p, const struct call_values *values, uint64_t value)
{
	if (value & IPC_64)
		p = write_text(p, "IPC_64|");
	return write_value(p, values, (uint32_t)value & ~IPC_64);
}

static char *write_quota(char *p, uint64_t value)
{
	p = write_text(p, "QCMD(");
	p = write_value(p, &option_values_quota_commands, (uint32_t)value >> QUOTA_TYPE_BITS);
	p = write_text(p, ", ");
	p = write_value(p, &option_values_quota_types, value & ((1u << QUOTA_TYPE_BITS) - 1));
	return emit_char(p, ')');
}

/* The kernel looks at 16 bits. */
static char *write_network(char *p, const struct call_values *values, uint64_t value)
{
	p = write_text(p, "htons(");
	p = write_value(p, values, (value & 0xff) << 8 | (value >> 8 & 0xff));
	return emit_char(p, ')');
}

static char *write_io_priority(char *p, const struct call_values *values, uint64_t value)
{
	p = write_text(p, "IOPRIO_PRIO_VALUE(");
	p = write_value(p, values, value >> PRIORITY_CLASS_SHIFT);
	p = write_text(p, ", ");
	p = emit_uint(p, value & ((1u << PRIORITY_CLASS_SHIFT) - 1));
	return emit_char(p, ')');
}

static char *write_shifted(char *p, const struct call_case *form, uint64_t value)
{
	uint64_t size = value & form->rest, flags = value & ~form->rest;

	if (flags || !size || name_of(form->values, 0))
		p = write_flags(p, form->values, flags, false);
	if (!size)
		return p;
	if (flags || name_of(form->values, 0))
		p = emit_char(p, '|');
	p = emit_uint(p, size >> HUGE_SHIFT);
	return write_text(p, form->shift);
}

/* Flags, as far as there are any, in front of a number. */
static char *write_or_octal(char *p, const struct call_case *form, uint64_t value)
{
	uint64_t flags = value & ~form->rest;

	if (flags) {
		p = write_flags(p, form->values, flags, false);
		p = emit_char(p, '|');
	}
	return write_octal(p, value & form->rest);
}

static char *write_shm_get(char *p, const struct call_case *form, uint64_t value)
{
	uint64_t size = value >> HUGE_SHIFT & 0x3f;
	uint64_t flags = value & ~form->rest & ~(0x3full << HUGE_SHIFT);

	if (flags) {
		p = write_flags(p, form->values, flags, false);
		p = emit_char(p, '|');
	}
	if (size) {
		p = emit_uint(p, size);
		p = write_text(p, form->shift);
		p = emit_char(p, '|');
	}
	return write_octal(p, value & form->rest);
}

static char *write_or_number(char *p, const struct call_case *form, uint64_t value)
{
	uint64_t flags = value & ~form->rest;

	if (flags) {
		p = write_flags(p, form->values, flags, false);
		p = emit_char(p, '|');
	}
	return emit_uint(p, value & form->rest);
}

static char *write_or_value(char *p, const struct call_case *form, uint64_t value)
{
	p = write_value(p, form->values, value & form->rest);
	return write_flags(p, form->flags, value & ~form->rest, true);
}

/* A type that has no name is shown with the flags as one number. */
static char *write_socket_type(char *p, const struct call_case *form, uint64_t value)
{
	uint64_t type = value & form->rest, flags = value & ~form->rest;

	if (!name_of(form->values, type))
		return emit_hex(p, value);
	if (type || !flags)
		p = write_value(p, form->values, type);
	return flags ? write_flags(p, form->flags, flags, type) : p;
}

static char *write_map(char *p, const struct call_case *form, uint64_t value)
{
	uint64_t size = value >> HUGE_SHIFT & 0x3f, flags = value & ~(0x3full << HUGE_SHIFT);

	p = write_or_value(p, form, flags);
	if (!size)
		return p;
	p = emit_char(p, '|');
	p = emit_uint(p, size);
	return write_text(p, form->shift);
}

/* One of the sets has it, perhaps both. */
static char *write_either(char *p, const struct call_case *form, uint64_t value)
{
	const char *name = form->flags ? name_of(form->flags, value) : NULL;

	if (!name)
		name = name_of(form->values, value);
	return name ? write_text(p, name) : write_hex(p, value);
}

static char *write_number(char *p, const struct call_values *values, uint64_t value)
{
	const char *name = name_of(values, (uint64_t)(int64_t)(int32_t)value);

	return name ? write_text(p, name) : emit_int(p, (int32_t)value);
}

static char *write_errno(char *p, uint64_t value)
{
	const char *name = value && value <= INT32_MAX ? strerrorname_np((int)value) : NULL;

	return name ? write_text(p, name) : emit_uint(p, value);
}

char *call_arg_write(char *p, const struct call_case *form, uint64_t value)
{
	switch (form->form) {
	case CALL_FORM_INT:
		return emit_int(p, (int32_t)value);
	case CALL_FORM_UINT:
		return emit_uint(p, (uint32_t)value);
	case CALL_FORM_LONG:
		return emit_int(p, (int64_t)value);
	case CALL_FORM_ULONG:
		return emit_uint(p, value);
	case CALL_FORM_POINTER:
		return value ? emit_hex(p, value) : write_text(p, "NULL");
	case CALL_FORM_VALUE:
		return write_either(p, form, value);
	case CALL_FORM_FLAGS:
		return write_flags(p, form->values, value, false);
	case CALL_FORM_OR_NUMBER:
		return write_or_number(p, form, value);
	case CALL_FORM_OR_OCTAL:
		return write_or_octal(p, form, value);
	case CALL_FORM_OR_SHIFTED:
		return write_shifted(p, form, value);
	case CALL_FORM_OR_VALUE:
		return write_or_value(p, form, value);
	case CALL_FORM_SOCKET_TYPE:
		return write_socket_type(p, form, value);
	case CALL_FORM_MAP:
		return write_map(p, form, value);
	case CALL_FORM_SHM_GET:
		return write_shm_get(p, form, value);
	case CALL_FORM_SIGNAL:
		return write_signal(p, value);
	case CALL_FORM_CLONE:
		return write_clone(p, form->values, value);
	case CALL_FORM_FUTEX:
		return write_futex(p, form->values, value);
	case CALL_FORM_FUTEX_COMPARE:
		return write_futex_compare(p, value);
	case CALL_FORM_FILE_TYPE:
		return write_file_type(p, form->values, value);
	case CALL_FORM_DEVICE:
		return write_device(p, value);
	case CALL_FORM_IOCTL:
		return write_ioctl(p, form->values, value);
	case CALL_FORM_IPC:
		return write_ipc(p, form->values, value);
	case CALL_FORM_QUOTA:
		return write_quota(p, value);
	case CALL_FORM_NETWORK:
		return write_network(p, form->values, value);
	case CALL_FORM_IO_PRIORITY:
		return write_io_priority(p, form->values, value);
	case CALL_FORM_NUMBER:
		return write_number(p, form->values, value);
	case CALL_FORM_ERRNO:
		return write_errno(p, value);
	default:
		return write_hex(p, value);
	}
}
