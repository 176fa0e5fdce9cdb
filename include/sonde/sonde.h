/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sonde: reads traces. A SOURCE is opened, gives its events in the order of time, and each event its
 * fields. libsonde(3) is the manual; every function has a page.
 *
 *	struct sonde_source *source;
 *	const struct sonde_event *event;
 *	struct sonde_error error;
 *	int got;
 *
 *	if (sonde_open("T", &source, &error))
 *		errx(1, "%s", error.text);
 *	while ((got = sonde_next(source, &event, &error)) > 0)
 *		printf("%s %u\n", sonde_event_name(event),
 *		       (unsigned int)sonde_event_uint(event, "snd_cwnd"));
 *	if (got < 0)
 *		errx(1, "%s", error.text);
 *	sonde_close(source);
 *
 * Functions that can fail return 0 or a negative errno, and say in a struct sonde_error why; it may
 * be NULL. Whatever is const is borrowed: of an event until the next sonde_next, of a source until
 * sonde_close. Nothing is allocated for an event. A source, with all that was borrowed from it, is
 * used by one thread at a time; different sources know nothing of each other.
 */
#ifndef SONDE_SONDE_H
#define SONDE_SONDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_source; /* what a SOURCE names, opened */
struct sonde_event;
struct sonde_class; /* what the events of one name have in common */
struct sonde_field; /* of a class */

#define SONDE_ERROR_BYTES 512

struct sonde_error {
	char text[SONDE_ERROR_BYTES]; /* what failed, and why; no newline at the end */
	uint64_t offset; /* bytes into the file or the expression, where that says something */
	uint32_t line; /* of a text, from 1; 0 = not known */
	uint32_t reserved[5];
};

/* Later versions may add some: take what you do not know for something to be left alone. */
enum sonde_type {
	SONDE_TYPE_UNSIGNED = 1,
	SONDE_TYPE_SIGNED = 2,
	SONDE_TYPE_DOUBLE = 3,
	SONDE_TYPE_TEXT = 4,
	SONDE_TYPE_LIST = 5, /* of items with fields of their own: sonde_value_item */
};

/* Room for one item of a list, the caller's. */
struct sonde_item {
	uint64_t reserved[16];
};

/* What a value is about. */
enum sonde_scope {
	SONDE_SCOPE_MONITOR = 0, /* the recorder */
	SONDE_SCOPE_SYSTEM = 1, /* the host */
	SONDE_SCOPE_OBJECT = 2, /* what the event is of: a connection, a task, a request */
};

/* The version of the library that is running, "0.1.0". */
const char *sonde_version(void);
/* What the code means that a function returned; never NULL. */
const char *sonde_strerror(int err);

/* Opens what @name names: a trace directory. Its classes are known then; events come later. */
int sonde_open(const char *name, struct sonde_source **ret, struct sonde_error *error);
/*
 * Opens a trace that is still being recorded: sonde_next gives the existing events, then new ones, until
 * its recorder ends. Classes may be added during that time; existing handles stay valid.
 */
int sonde_follow(const char *name, struct sonde_source **ret, struct sonde_error *error);

/* What is shown to a relay that asks for it: files, or NULL. */
struct sonde_credentials {
	const char *tls_cert; /* a certificate, PEM; for TLS all three */
	const char *tls_key; /* its private key, which only its owner may read */
	const char *tls_ca; /* the authority whose relays are believed */
	const char *token; /* the first line is the token; only its owner may read it, too */
	const void *reserved[4]; /* NULL */
};

/* The same of a live session, "net://RELAY/host/HOST/SESSION"; @credentials are borrowed for the call.
 * -EACCES: the relay's certificate is not good for us, or ours for the relay. */
int sonde_open_live(const char *name, const struct sonde_credentials *credentials,
		    struct sonde_source **ret, struct sonde_error *error);
/* NULL is fine. Everything borrowed from @source is gone, and so are copies of its events. */
void sonde_close(struct sonde_source *source);

/*
 * Which events to get, before the first sonde_next; -EBUSY later. All that is asked for has to hold.
 * After an error it is as it was before. Losses always come.
 */
/* Those that match one of @patterns: globs, groups, a list with commas. Calls add up. -ENOENT: one
 * that matches none. */
int sonde_filter_events(struct sonde_source *source, const char *patterns,
			struct sonde_error *error);
/* Those for which @expression holds, sonde-expressions(7); error->offset is the place of the
 * error in it. -EEXIST: an expression is set already. */
int sonde_filter_where(struct sonde_source *source, const char *expression,
		       struct sonde_error *error);
/* Those of @cpus, "0,2-5". Calls add up. */
int sonde_filter_cpus(struct sonde_source *source, const char *cpus, struct sonde_error *error);
/* Those from or up to @time, as sonde-print(1) takes it: "+1.5", "12:34:56", ns since 1970. */
int sonde_filter_from(struct sonde_source *source, const char *time, struct sonde_error *error);
int sonde_filter_to(struct sonde_source *source, const char *time, struct sonde_error *error);
/* The same for both, in ns since 1970. */
int sonde_filter_span(struct sonde_source *source, int64_t from_ns, int64_t to_ns,
		      struct sonde_error *error);

/* The next event: 1 = got one, 0 = there are no more, or -errno. -EAGAIN, of a source that is
 * followed only: a tenth of a second has passed and nothing has come; ask again. */
int sonde_next(struct sonde_source *source, const struct sonde_event **ret,
	       struct sonde_error *error);
/* One that stays until sonde_event_free, but not beyond sonde_close. NULL: no memory. */
struct sonde_event *sonde_event_copy(const struct sonde_event *event);
/* Of a copy; NULL is fine. */
void sonde_event_free(struct sonde_event *event);

/* What every event has. */
int64_t sonde_event_time_ns(const struct sonde_event *event); /* since 1970 */
int32_t sonde_event_cpu(const struct sonde_event *event); /* -1 = not known */
int32_t sonde_event_tid(const struct sonde_event *event); /* -1 = not known */
/* The task that it belongs to: another one than the task that ran, in an interrupt for example (sonde-print(1),
 * OWNERS). -1 = not known; below: what is no task, as an interrupt. */
int32_t sonde_event_owner(const struct sonde_event *event);
/* The name of the task that ran, or NULL: not known. */
const char *sonde_event_comm(const struct sonde_event *event);
/* The path of its cgroup, or NULL: not known, or the root. */
const char *sonde_event_cgroup(const struct sonde_event *event);
/* The container that it runs in: its name, or 12 digits of its id if the trace has no name for it; NULL: not
 * known, or in none. */
const char *sonde_event_container(const struct sonde_event *event);
const char *sonde_event_name(const struct sonde_event *event);
const struct sonde_class *sonde_event_class(const struct sonde_event *event);
/* Whether it reports that events are missing here: its fields say how many, and why. */
bool sonde_event_is_lost(const struct sonde_event *event);

/*
 * Values by name, each with a look-up. Where the event has no such field, or it is of another type,
 * that is 0 or NULL.
 */
uint64_t sonde_event_uint(const struct sonde_event *event, const char *name);
int64_t sonde_event_int(const struct sonde_event *event, const char *name);
double sonde_event_double(const struct sonde_event *event, const char *name);
const char *sonde_event_text(const struct sonde_event *event, const char *name, size_t *len);
const char *sonde_event_label(const struct sonde_event *event, const char *name);
/* The field called so that this event has, or NULL. */
const struct sonde_field *sonde_event_field(const struct sonde_event *event, const char *name);

/*
 * Values by handle, which takes the same short time for each. @field is one of the event's class;
 * of any other, and of NULL, and where the event lacks it, the value is 0 or NULL.
 */
bool sonde_value_is_present(const struct sonde_event *event, const struct sonde_field *field);
/* Elements: 1 unless it is an array. */
size_t sonde_value_count(const struct sonde_event *event, const struct sonde_field *field);
/* The first element. Whole numbers become each other as in C; a double is cut to what fits. */
uint64_t sonde_value_uint(const struct sonde_event *event, const struct sonde_field *field);
int64_t sonde_value_int(const struct sonde_event *event, const struct sonde_field *field);
double sonde_value_double(const struct sonde_event *event, const struct sonde_field *field);
/* Element @i. */
uint64_t sonde_value_uint_at(const struct sonde_event *event, const struct sonde_field *field,
			     size_t i);
int64_t sonde_value_int_at(const struct sonde_event *event, const struct sonde_field *field,
			   size_t i);
double sonde_value_double_at(const struct sonde_event *event, const struct sonde_field *field,
			     size_t i);
/* A text as the trace has it: *@len bytes, without a NUL at the end. @len may be NULL only where
 * you know that a NUL follows. */
const char *sonde_value_text(const struct sonde_event *event, const struct sonde_field *field,
			     size_t *len);
/* The bytes of a text, or of elements that have 8 bits each. */
const void *sonde_value_bytes(const struct sonde_event *event, const struct sonde_field *field,
			      size_t *len);
/*
 * What a number stands for, or NULL where that has no name: the label of an enumeration, a system
 * call, an error, a file, a cgroup, a function; of an address, its text. Ends with a NUL; borrowed
 * until the next call for any event of this source. For a list whose items are one value each,
 * that of item @i; items with fields of their own are asked as events (sonde_value_item).
 */
const char *sonde_value_label(const struct sonde_event *event, const struct sonde_field *field);
const char *sonde_value_label_at(const struct sonde_event *event, const struct sonde_field *field,
				 size_t i);

/*
 * Item @i of a list, as an event of the list's own class (sonde_field_items), with the time, CPU and
 * task of the event that it is in; or NULL. It is in @room, and stays as long as both this and the event do.
 */
const struct sonde_event *sonde_value_item(const struct sonde_event *event,
					   const struct sonde_field *field, size_t i,
					   struct sonde_item *room);

/* The classes of a source; each has an index below their count, for tables of your own. */
size_t sonde_class_count(const struct sonde_source *source);
const struct sonde_class *sonde_class_get(const struct sonde_source *source, size_t i);
/* The first that is called so, or NULL. There are several where several kinds of streams have it. */
const struct sonde_class *sonde_class_find(const struct sonde_source *source, const char *name);
size_t sonde_class_index(const struct sonde_class *event_class); /* of items SIZE_MAX */
const char *sonde_class_name(const struct sonde_class *event_class);
const char *sonde_class_text(const struct sonde_class *event_class); /* NULL = none */
bool sonde_class_is_lost(const struct sonde_class *event_class);
size_t sonde_class_field_count(const struct sonde_class *event_class);
const struct sonde_field *sonde_class_field_get(const struct sonde_class *event_class, size_t i);
/* The handle of a field, to be looked up once; NULL = it has none of this name. */
const struct sonde_field *sonde_class_field_find(const struct sonde_class *event_class,
						 const char *name);

/* What a field is. */
const char *sonde_field_name(const struct sonde_field *field); /* "a.b" in a structure a */
const char *sonde_field_text(const struct sonde_field *field); /* NULL = none */
const char *sonde_field_unit(const struct sonde_field *field); /* "ns", "bytes"; NULL = none */
enum sonde_type sonde_field_type(const struct sonde_field *field); /* of its elements */
bool sonde_field_is_array(const struct sonde_field *field);
unsigned int sonde_field_bits(const struct sonde_field *field); /* of one element */
enum sonde_scope sonde_field_scope(const struct sonde_field *field);
/* Whether it describes what the event happened in, and not what it is about. */
bool sonde_field_is_context(const struct sonde_field *field);
/* The class of a list's items; NULL = not a list. For items that are one value each, that is the
 * field "", their only one. */
const struct sonde_class *sonde_field_items(const struct sonde_field *field);
/* How it is best shown: "decimal", "hex", "address", ...; sonde-trace(5) has all. */
const char *sonde_field_show(const struct sonde_field *field);
/* The labels of an enumeration, each for the values from *@first to *@last. */
size_t sonde_field_label_count(const struct sonde_field *field);
const char *sonde_field_label_get(const struct sonde_field *field, size_t i, int64_t *first,
				  int64_t *last);

/* What is missing, as far as the source has been read. */
uint64_t sonde_lost_events(const struct sonde_source *source);
/* Packets that a flight recorder overwrote; their events are not counted. */
uint64_t sonde_lost_packets(const struct sonde_source *source);
/* What could not be read of the input: file, offset, and why; NULL behind the last. The rest has
 * been read all the same. */
const char *sonde_problem(const struct sonde_source *source, size_t i);
/* Where the trace breaks the standard of its format, as far as the source has been read; NULL behind the
 * last. It has been read all the same: sonde print prints these as warnings. */
const char *sonde_warning(const struct sonde_source *source, size_t i);

/* The environment: the trace's data about the host and its recorder. */
size_t sonde_env_count(const struct sonde_source *source);
const char *sonde_env_name(const struct sonde_source *source, size_t i);
/* NULL: no entry has this name, or it is a number. */
const char *sonde_env_text(const struct sonde_source *source, const char *name);
/* 0, or -ENOENT: no entry has this name, or it is a text. */
int sonde_env_number(const struct sonde_source *source, const char *name, int64_t *ret);

#ifdef __cplusplus
}
#endif

#endif /* SONDE_SONDE_H */
