// SPDX-License-Identifier: BSD-2-Clause
#include "cli/pmgraph_data.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "output/view.h"
#include "record_format/pm/pm_columns.h"
#include "record_format/pm/pm_reader.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

const struct pmgraph_param pmgraph_params[PMGRAPH_PARAMS] = {
	[PMGRAPH_SND_SB_CC] = {'b', PM_SND_SB_CC},
	[PMGRAPH_SND_CWND] = {'c', PM_SND_CWND},
	[PMGRAPH_SND_FACK] = {'f', PM_SND_FACK},
	[PMGRAPH_HIWAT_FAIR_SHARE] = {'F', PM_HIWAT_FAIR_SHARE},
	[PMGRAPH_SB_HIWAT] = {'H', PM_SB_HIWAT},
	[PMGRAPH_LOCATION] = {'l', PM_LOCATION},
	[PMGRAPH_M_CLUSED] = {'m', PM_M_CLUSED},
	[PMGRAPH_SB_NET_TARGET] = {'n', PM_SB_NET_TARGET},
	[PMGRAPH_RCV_SB_CC] = {'r', PM_RCV_SB_CC},
	[PMGRAPH_SND_MAX] = {'s', PM_SND_MAX},
	[PMGRAPH_SB_MEM_TARGET] = {'t', PM_SB_TARGET_HIWAT},
	[PMGRAPH_CALLVALUE] = {'v', PM_CALLVALUE},
};

void pmgraph_request_init(struct pmgraph_request *request)
{
	*request = (struct pmgraph_request){.conn_count = 0};
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++)
		request->factors[i] = 1;
}

int pmgraph_request_find(int letter)
{
	for (int i = 0; i < PMGRAPH_PARAMS; i++) {
		if (pmgraph_params[i].letter == letter)
			return i;
	}
	return -1;
}

void pmgraph_request_show(struct pmgraph_request *request, int param)
{
	request->shown[param] = true;
	request->any_shown = true;
}

/* A port at @text; where it ends, or NULL. */
static const char *parse_port(const char *text, uint16_t *ret)
{
	unsigned int port = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		port = 10 * port + (unsigned int)(*at - '0');
		if (port > UINT16_MAX)
			return NULL;
	}
	*ret = (uint16_t)port;
	return at == text ? NULL : at;
}

int pmgraph_request_add_conn(struct pmgraph_request *request, const char *text, struct diag *diag)
{
	struct pmgraph_conn_id *conn = &request->conns[request->conn_count];
	const char *end;

	if (request->conn_count == PMGRAPH_CONNS_MAX)
		return diag_set(diag, -EINVAL, "-p: more than %u connections", PMGRAPH_CONNS_MAX);
	end = parse_port(text, &conn->lport);
	if (end)
		end = *end == '.' ? parse_port(end + 1, &conn->rport) : NULL;
	if (!end || *end)
		return diag_set(diag, -EINVAL,
				"-p: '%s' is not a pair of ports, local and remote: 1055.5050",
				text);
	request->conn_count++;
	return 0;
}

int pmgraph_request_scale(struct pmgraph_request *request, const char *text, struct diag *diag)
{
	size_t len = strlen(text);
	int param = len ? pmgraph_request_find(text[len - 1]) : -1;
	char *end = NULL;
	double factor = 0;

	if (len > 1 && param >= 0)
		factor = strtod(text, &end);
	if (!end || end != text + len - 1 || !isfinite(factor))
		return diag_set(
			diag, -EINVAL,
			"-S: '%s' is not a number with the letter of a parameter behind it: "
			"1000l",
			text);
	request->factors[param] = factor;
	return 0;
}

bool pmgraph_request_shows(const struct pmgraph_request *request, size_t param)
{
	return !request->any_shown || request->shown[param];
}

bool pmgraph_request_has_conn(const struct pmgraph_request *request, struct pmgraph_conn_id conn)
{
	for (size_t i = 0; i < request->conn_count; i++) {
		if (request->conns[i].lport == conn.lport && request->conns[i].rport == conn.rport)
			return true;
	}
	return !request->conn_count;
}

#define WRITE_BYTES (16u << 10)

struct xgraph_file {
	char *path;
	struct buffer text;
	bool begun;
	int err; /* first failure, sticky */
};

struct xgraph_file *xgraph_file_new(const char *path, const char *name)
{
	struct xgraph_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->path = strdup(path);
	if (!file->path) {
		free(file);
		return NULL;
	}
	buffer_init(&file->text);
	buffer_format(&file->text, "\"%s\n", name);
	return file;
}

void xgraph_file_free(struct xgraph_file *file)
{
	if (!file)
		return;
	free(file->path);
	buffer_fini(&file->text);
	free(file);
}

const char *xgraph_file_path(const struct xgraph_file *file)
{
	return file->path;
}

int xgraph_file_end(struct xgraph_file *file)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (file->begun ? O_APPEND : O_TRUNC);
	int fd, close_err;

	if (!file->err)
		file->err = buffer_error(&file->text);
	if (file->err || !file->text.len)
		return file->err;
	fd = open(file->path, flags, 0666);
	file->begun = true;
	if (fd < 0) {
		file->err = -errno;
		return file->err;
	}
	file->err = write_all(fd, file->text.data, file->text.len);
	close_err = fd_close(fd);
	file->err = file->err ? file->err : close_err;
	buffer_reset(&file->text);
	return file->err;
}

int xgraph_file_add(struct xgraph_file *file, int64_t since_ns, const char *text, size_t len)
{
	uint64_t ns = since_ns < 0 ? 0 - (uint64_t)since_ns : (uint64_t)since_ns;

	if (since_ns < 0)
		buffer_char(&file->text, '-');
	buffer_uint(&file->text, ns / NS_PER_SEC);
	buffer_char(&file->text, '.');
	buffer_digits(&file->text, ns % NS_PER_SEC / NS_PER_US, 6);
	buffer_char(&file->text, ' ');
	buffer_append(&file->text, text, len);
	buffer_char(&file->text, '\n');
	return file->text.len < WRITE_BYTES ? file->err : xgraph_file_end(file);
}

/* Size of an mbuf cluster if no header has it: MCLBYTES of NetBSD 1.3 on an i386. */
#define CLUSTER_BYTES 2048

#define VALUE_BYTES 32u

/* Where events of one class have what. */
struct pmgraph_place {
	bool is_snapshot;
	struct record_source lport, rport, seq_no, clusters;
	struct record_source params[PMGRAPH_PARAMS];
};

void pmgraph_conn_name(struct pmgraph_conn_id id, char name[16])
{
	(void)snprintf(name, 16, "%u.%u", id.lport, id.rport);
}

void pmgraph_data_init(struct pmgraph_data *data, const struct pmgraph_request *request)
{
	*data = (struct pmgraph_data){.request = request};
	map_init(&data->by_ports, sizeof(struct pmgraph_conn_id), sizeof(size_t),
		 PMGRAPH_CONNS_MAX);
}

static void free_conn(struct pmgraph_conn *conn)
{
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++) {
		series_fini(&conn->series[i]);
		xgraph_file_free(conn->files[i]);
	}
	free(conn);
}

void pmgraph_data_fini(struct pmgraph_data *data)
{
	for (size_t i = 0; i < data->conn_count; i++)
		free_conn(data->conns[i]);
	map_fini(&data->by_ports);
	series_fini(&data->losses);
	free(data->places);
}

static void put_time(struct buffer *out, int64_t time_ns)
{
	uint64_t ns = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;

	if (time_ns < 0)
		buffer_char(out, '-');
	buffer_uint(out, ns / NS_PER_SEC);
	buffer_char(out, '.');
	buffer_digits(out, ns % NS_PER_SEC / NS_PER_US, 6);
}

/* Bytes from the first sequence number that the connection showed; those are modulo 2^32. */
static int64_t count_seq(struct pmgraph_conn *conn, uint32_t seq)
{
	if (!conn->has_seq)
		conn->first_seq = seq;
	conn->has_seq = true;
	conn->seq += (int32_t)(seq - (conn->first_seq + (uint32_t)conn->seq));
	return conn->seq;
}

/* A value as drawn. */
static double value_of(const struct pmgraph_data *data, struct pmgraph_conn *conn, size_t param,
		       uint64_t raw)
{
	double factor = data->request->factors[param];

	if (pmgraph_param_is_seq(param))
		return (double)count_seq(conn, (uint32_t)raw) * factor;
	return (double)raw * factor * (param == PMGRAPH_M_CLUSED ? data->cluster_bytes : 1);
}

/* As it is written: exact, unless it is scaled. */
static size_t format_value(const struct pmgraph_data *data, size_t param, uint64_t raw,
			   char text[VALUE_BYTES])
{
	double factor = data->request->factors[param];
	int len;

	if (param == PMGRAPH_M_CLUSED &&
	    __builtin_mul_overflow(raw, (uint64_t)data->cluster_bytes, &raw))
		raw = UINT64_MAX;
	if (factor - 1 == 0)
		len = snprintf(text, VALUE_BYTES, "%llu", (unsigned long long)raw);
	else
		len = snprintf(text, VALUE_BYTES, "%.15g", (double)raw * factor);
	return (size_t)len;
}

/* The name of the data set goes without the directory. */
static int make_file(struct pmgraph_data *data, struct pmgraph_conn *conn, size_t param)
{
	const char *column = pmgraph_known(param)->name;
	char path[4096], name[64], ports[16];

	pmgraph_conn_name(conn->id, ports);
	(void)snprintf(name, sizeof(name), "%s %s", ports, column);
	if ((size_t)snprintf(path, sizeof(path), "%s.%s.%s.xg", data->xgraph_base, ports, column) >=
	    sizeof(path))
		return -ENAMETOOLONG;
	conn->files[param] = xgraph_file_new(path, name);
	return conn->files[param] ? 0 : -ENOMEM;
}

static int add_to_file(struct pmgraph_data *data, struct pmgraph_conn *conn, size_t param,
		       int64_t time_ns, uint64_t raw)
{
	char text[VALUE_BYTES];
	size_t len = format_value(data, param, raw, text);
	int err = conn->files[param] ? 0 : make_file(data, conn, param);

	return err ? err :
		     xgraph_file_add(conn->files[param], time_ns - data->origin_ns, text, len);
}

static int add_points(struct pmgraph_data *data, const struct pmgraph_place *place,
		      struct pmgraph_conn *conn, const struct event *event)
{
	int err = 0;

	for (size_t i = 0; !err && i < PMGRAPH_PARAMS; i++) {
		uint64_t raw;

		if (place->params[i].rule == RECORD_RULE_NONE ||
		    !pmgraph_request_shows(data->request, i))
			continue;
		raw = record_value(&place->params[i], event);
		err = series_add(&conn->series[i], event->time_ns, value_of(data, conn, i, raw));
		if (!err && data->xgraph_base)
			err = add_to_file(data, conn, i, event->time_ns, raw);
	}
	return err;
}

/* NULL: no memory, or there are too many. */
static struct pmgraph_conn *get_conn(struct pmgraph_data *data, struct pmgraph_conn_id id)
{
	size_t *index = map_get(&data->by_ports, &id);
	struct pmgraph_conn *conn;

	if (index)
		return data->conns[*index - 1];
	if (data->conn_count == PMGRAPH_CONNS_MAX)
		return NULL;
	conn = calloc(1, sizeof(*conn));
	index = conn ? map_at(&data->by_ports, &id) : NULL;
	if (!index) {
		free(conn);
		return NULL;
	}
	conn->id = id;
	data->conns[data->conn_count++] = conn;
	*index = data->conn_count;
	return conn;
}

static void write_head(struct pmgraph_data *data)
{
	struct buffer *out = &data->view->out->buf;

	if (data->head_done)
		return;
	data->head_done = true;
	buffer_string(out, "# time\tconnection");
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++) {
		if (data->has[i] && pmgraph_request_shows(data->request, i))
			buffer_format(out, "\t%s", pmgraph_known(i)->name);
	}
	buffer_char(out, '\n');
}

static int write_line(struct pmgraph_data *data, const struct pmgraph_place *place,
		      struct pmgraph_conn_id id, const struct event *event)
{
	struct buffer *out = &data->view->out->buf;
	char ports[16], text[VALUE_BYTES];

	write_head(data);
	put_time(out, event->time_ns);
	pmgraph_conn_name(id, ports);
	buffer_char(out, '\t');
	buffer_string(out, ports);
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++) {
		if (!data->has[i] || !pmgraph_request_shows(data->request, i))
			continue;
		buffer_char(out, '\t');
		if (place->params[i].rule == RECORD_RULE_NONE) {
			buffer_char(out, '-');
			continue;
		}
		buffer_append(out, text,
			      format_value(data, i, record_value(&place->params[i], event), text));
	}
	buffer_char(out, '\n');
	return output_end_line(data->view->out);
}

/* @before: the snapshot behind the gap, or NULL: none. */
static void write_gap(struct pmgraph_data *data, const struct pmgraph_place *place,
		      const struct event *before)
{
	struct buffer *out = &data->view->out->buf;

	buffer_format(out, "gap: %llu snapshot%s missing", (unsigned long long)data->gap,
		      data->gap == 1 ? "" : "s");
	if (before) {
		buffer_string(out, " before ");
		if (place->seq_no.rule != RECORD_RULE_NONE)
			buffer_format(out, "%llu, ",
				      (unsigned long long)record_value(&place->seq_no, before));
		put_time(out, before->time_ns);
	} else {
		buffer_string(out, " at the end");
	}
	buffer_char(out, '\n');
	data->gap = 0;
}

static int take_loss(struct pmgraph_data *data, const struct event *event)
{
	uint64_t count = event_uint(event, LOST_COUNT) + event_uint(event, LOST_PACKETS);

	data->lost += count;
	data->gap += count;
	return series_add(&data->losses, event->time_ns, 1);
}

static void take_maximum(struct pmgraph_data *data, const struct pmgraph_place *place,
			 const struct event *event)
{
	uint64_t clusters;

	if (place->clusters.rule == RECORD_RULE_NONE)
		return;
	clusters = record_value(&place->clusters, event);
	if (clusters > data->maximum)
		data->maximum = clusters;
	data->has_maximum = true;
}

/* For users that name a connection which does not exist. */
static void note_other(struct pmgraph_data *data, struct pmgraph_conn_id id)
{
	for (size_t i = 0; i < PMGRAPH_OTHERS && i < data->other_count; i++) {
		if (data->others[i].lport == id.lport && data->others[i].rport == id.rport)
			return;
	}
	if (data->other_count < PMGRAPH_OTHERS)
		data->others[data->other_count++] = id;
	else
		data->other_count = PMGRAPH_OTHERS + 1;
}

static int take_snapshot(struct pmgraph_data *data, const struct pmgraph_place *place,
			 const struct event *event)
{
	struct pmgraph_conn_id id = {
		.lport = (uint16_t)record_value(&place->lport, event),
		.rport = (uint16_t)record_value(&place->rport, event),
	};
	struct pmgraph_conn *conn;

	if (!data->snapshots++)
		data->origin_ns = event->time_ns;
	take_maximum(data, place, event);
	if (data->gap && data->request->gaps)
		write_gap(data, place, event);
	data->gap = 0;
	if (data->request->only_maximum)
		return 0;
	if (!pmgraph_request_has_conn(data->request, id)) {
		note_other(data, id);
		return 0;
	}
	data->shown++;
	if (data->request->text)
		return write_line(data, place, id, event);
	conn = get_conn(data, id);
	if (conn)
		return add_points(data, place, conn, event);
	data->left_out++;
	return data->conn_count == PMGRAPH_CONNS_MAX ? 0 : -ENOMEM;
}

static int data_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct pmgraph_data *data = (struct pmgraph_data *)sink;

	for (size_t i = 0; !data->err && i < count; i++) {
		const struct event *event = &events[i];
		const struct pmgraph_place *place = &data->places[event->class->index];

		if (event->class->role == EVENT_ROLE_LOST)
			data->err = take_loss(data, event);
		else if (place->is_snapshot)
			data->err = take_snapshot(data, place, event);
	}
	return data->err ? data->err : output_end_batch(data->view->out);
}

/* What is left of the files. */
static int end_files(struct pmgraph_data *data)
{
	for (size_t i = 0; !data->err && i < data->conn_count; i++) {
		for (size_t j = 0; !data->err && j < PMGRAPH_PARAMS; j++) {
			if (data->conns[i]->files[j])
				data->err = xgraph_file_end(data->conns[i]->files[j]);
		}
	}
	return data->err;
}

static int data_finish(struct event_sink *sink)
{
	struct pmgraph_data *data = (struct pmgraph_data *)sink;
	int err;

	if (data->gap && data->request->gaps)
		write_gap(data, NULL, NULL);
	if (data->request->text)
		write_head(data);
	if (data->request->maximum && data->has_maximum)
		buffer_format(&data->view->out->buf,
			      "maximum system memory: %.0f bytes (%llu clusters of %.0f)\n",
			      (double)data->maximum * data->cluster_bytes,
			      (unsigned long long)data->maximum, data->cluster_bytes);
	err = output_flush(data->view->out);
	return end_files(data) ? data->err : err;
}

/* What was gathered stays. */
static void data_free(struct event_sink *sink)
{
	((struct pmgraph_data *)sink)->view = NULL;
}

static const struct sink_ops data_ops = {
	.batch = data_batch,
	.finish = data_finish,
	.free = data_free,
};

static void find_place(struct pmgraph_data *data, const struct event_class *class)
{
	struct pmgraph_place *place = &data->places[class->index];
	bool ports = pm_column_find(&place->lport, pm_known_get(PM_LPORT), class) &&
		     pm_column_find(&place->rport, pm_known_get(PM_RPORT), class);

	if (!ports || !pm_class_is_snapshot(class))
		return;
	place->is_snapshot = true;
	(void)pm_column_find(&place->seq_no, pm_known_get(PM_SEQ_NO), class);
	(void)pm_column_find(&place->clusters, pm_known_get(PM_M_CLUSED), class);
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++)
		data->has[i] |= pm_column_find(&place->params[i], pmgraph_known(i), class);
	/* Of our own events they are pages. */
	if (strcmp(class->name, PM_CLASS_NAME) != 0)
		data->cluster_bytes = (double)sysconf(_SC_PAGESIZE);
}

int pmgraph_data_begin(struct pmgraph_data *data, const struct view *view)
{
	const struct trace_env *told = trace_info_env(view->analysis.info, "mclsize");

	data->sink.ops = &data_ops;
	data->view = view;
	data->cluster_bytes = CLUSTER_BYTES;
	data->class_count = view->analysis.info->class_count;
	data->places = calloc(data->class_count ? data->class_count : 1, sizeof(*data->places));
	if (!data->places)
		return -ENOMEM;
	for (size_t i = 0; i < data->class_count; i++)
		find_place(data, view->analysis.info->classes[i]);
	if (told && !told->text && told->number > 0)
		data->cluster_bytes = (double)told->number;
	return 0;
}
