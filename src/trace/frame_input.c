// SPDX-License-Identifier: BSD-2-Clause
#include "trace/frame_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "base/io.h"
#include "ctf/packet.h"
#include "trace/frame.h"
#include "trace/index_walk.h"
#include "trace/stream_input.h"
#include "wire/frame.h"

int stream_open(int dir, const char *name, struct stream_input **ret)
{
	return stream_open_many(dir, NULL, name, ret);
}

int stream_open_many(int dir, const char *folder, const char *name, struct stream_input **ret)
{
	if (frame_input_is(name))
		return frame_input_open(dir, name, ret);
	return stream_input_open_file(dir, folder, name, ret);
}

#define PIECE_BYTES (64u << 10) /* of the file, read at once: many small frames, or a large one */

/* Bytes of the file in memory. */
struct piece {
	uint8_t *bytes;
	size_t room;
	size_t len;
	uint64_t at;
};

struct frame_input {
	struct stream_input input; /* first: the vtable's functions get this */
	int fd;
	int dir; /* for the index */
	ZSTD_DCtx *context;
	uint8_t *content; /* of one frame, which is `content_at` of the stream */
	size_t content_room;
	size_t content_len;
	uint64_t content_at;
	struct frame_place next; /* the frame behind it */
	struct frame_place
		end; /* behind the last frame that was found, in the index or in the file */
	uint64_t size; /* of the stream, when the file had @sized bytes */
	uint64_t sized;
	bool has_index; /* the map knows what it says */
	struct index_walk *walk; /* for going on behind damage; NULL until then */
	uint64_t sought; /* frame of the file behind which it looked last */
	struct frame_map map;
	struct piece piece;
};

static int blame(struct frame_input *file, const struct frame_place *place, int err,
		 const char *why)
{
	return diag_set(&file->input.diag, err, "frame at byte %" PRIu64 " of the file: %s",
			place->file_at, why);
}

static int reserve(uint8_t **bytes, size_t *room, size_t want)
{
	uint8_t *more;

	if (want <= *room)
		return 0;
	more = realloc(*bytes, want);
	if (!more)
		return -ENOMEM;
	*bytes = more;
	*room = want;
	return 0;
}

/* Brings @want bytes of the file from @at on to hand, at *@ret: how many there are, or -errno. */
static ssize_t at_hand(struct frame_input *file, uint64_t at, size_t want, const uint8_t **ret)
{
	struct piece *piece = &file->piece;
	size_t kept = 0;
	ssize_t got;

	if (at >= piece->at && at - piece->at < piece->len)
		kept = piece->len - (size_t)(at - piece->at);
	if (kept < want) {
		want = want > PIECE_BYTES ? want : PIECE_BYTES;
		if (kept)
			memmove(piece->bytes, piece->bytes + (at - piece->at), kept);
		piece->at = at;
		piece->len = kept;
		if (reserve(&piece->bytes, &piece->room, want))
			return -ENOMEM;
		got = read_at(file->fd, piece->bytes + kept, want - kept, at + kept);
		if (got < 0)
			return got;
		piece->len += (size_t)got;
		kept = piece->len;
	}
	*ret = piece->bytes + (at - piece->at);
	return (ssize_t)kept;
}

/*
 * The frame at @place, all of it in memory: 1; 0 = the file ends here. -ENODATA = it ends within the
 * frame, of which @ret->content_bytes is 0 where not even the head is there. -EBADMSG and the diag.
 */
static int look_at(struct frame_input *file, const struct frame_place *place, struct frame *ret,
		   const uint8_t **bytes, size_t *len)
{
	size_t want = FRAME_HEAD_MAX_BYTES;
	struct diag why = {.text = ""};
	ssize_t got;
	int err = -ENODATA;

	*ret = (struct frame){0};
	for (;;) {
		got = at_hand(file, place->file_at, want, bytes);
		if (got <= 0)
			return (int)got;
		*len = (size_t)got;
		if (!ret->content_bytes)
			err = frame_parse(*bytes, *len, ret, &why);
		if (ret->content_bytes)
			err = frame_measure(ret, *bytes, *len, &why);
		if (err == -ENODATA && *len < want)
			return -ENODATA;
		if (err != -ENODATA)
			break;
		want = ret->bytes;
	}
	return err ? blame(file, place, -EBADMSG, why.text) : 1;
}

static int unpack(struct frame_input *file, const struct frame *frame, const uint8_t *bytes)
{
	size_t got;

	file->content_len = 0;
	if (reserve(&file->content, &file->content_room, frame->content_bytes))
		return -ENOMEM;
	file->content_at = file->next.plain_at;
	got = ZSTD_decompressDCtx(file->context, file->content, frame->content_bytes, bytes,
				  frame->bytes);
	if (ZSTD_isError(got))
		return blame(file, &file->next, -EBADMSG, ZSTD_getErrorName(got));
	if (got != frame->content_bytes)
		return blame(file, &file->next, -EBADMSG, "it holds less than it says");
	file->content_len = got;
	return 0;
}

/* What can be had of the last frame, which is cut off: the content of its whole blocks. */
static int unpack_torn(struct frame_input *file, const struct frame_place *place,
		       const struct frame *frame, const uint8_t *bytes, size_t len)
{
	ZSTD_inBuffer in = {.src = bytes, .size = len};
	ZSTD_outBuffer out;
	size_t left = 1;

	file->content_len = 0;
	if (reserve(&file->content, &file->content_room, frame->content_bytes))
		return -ENOMEM;
	file->content_at = place->plain_at;
	out = (ZSTD_outBuffer){.dst = file->content, .size = frame->content_bytes};
	(void)ZSTD_DCtx_reset(file->context, ZSTD_reset_session_only);
	while (left && !ZSTD_isError(left) && in.pos < in.size && out.pos < out.size)
		left = ZSTD_decompressStream(file->context, &out, &in);
	(void)ZSTD_DCtx_reset(file->context, ZSTD_reset_session_only);
	file->content_len = out.pos;
	if (out.pos == out.size) /* only the checksum is truncated: it cannot be verified */
		file->content_len--;
	return 0;
}

static void step_over(struct frame_place *place, const struct frame *frame)
{
	place->file_at += frame->bytes;
	place->plain_at += frame->content_bytes;
}

/* The file ends within the frame at @place. Nothing of it, or some, where it does not grow. */
static int take_torn(struct frame_input *file, const struct frame_place *place,
		     const struct frame *frame, const uint8_t *bytes, size_t len)
{
	char why[64];
	int err = 0;

	if (file->input.follow)
		return 0;
	if (frame->content_bytes)
		err = unpack_torn(file, place, frame, bytes, len);
	else
		file->content_len = 0;
	if (err || file->content_len)
		return err;
	snprintf(why, sizeof(why), "it is cut off: %zu bytes of it are there", len);
	return blame(file, place, -EBADMSG, why);
}

/* The next frame becomes the one in memory: 1; 0 = none. */
static int next_frame(struct frame_input *file)
{
	struct frame_place place = file->next;
	struct frame frame;
	const uint8_t *bytes;
	size_t len;
	int err, found = look_at(file, &place, &frame, &bytes, &len);

	if (found == -ENODATA) {
		err = take_torn(file, &place, &frame, bytes, len);
		if (err || !file->content_len || file->content_at != place.plain_at)
			return err;
		file->size = place.plain_at + file->content_len;
		return 1;
	}
	if (found <= 0)
		return found;
	err = unpack(file, &frame, bytes);
	step_over(&file->next, &frame); /* behind damage too */
	return err ?: 1;
}

/* Goes to the frame that has @offset of the stream: 1, 0 = none. */
static int go_to(struct frame_input *file, uint64_t offset)
{
	struct frame_place known = frame_map_find(&file->map, offset);
	const uint8_t *bytes;
	struct frame frame;
	size_t len;
	int found = 1;

	if (offset < file->next.plain_at || known.plain_at > file->next.plain_at)
		file->next = known;
	for (; found > 0; step_over(&file->next, &frame)) {
		found = look_at(file, &file->next, &frame, &bytes, &len);
		if (found > 0 && offset - file->next.plain_at < frame.content_bytes)
			return next_frame(file);
		if (found == -ENODATA)
			return next_frame(file);
		if (found <= 0)
			break;
	}
	return found;
}

static bool has_content(const struct frame_input *file, uint64_t offset)
{
	return offset >= file->content_at && offset - file->content_at < file->content_len;
}

static ssize_t frames_read(struct stream_input *input, void *bytes, size_t len, uint64_t offset)
{
	struct frame_input *file = (struct frame_input *)input;
	size_t done = 0;

	while (done < len) {
		const uint64_t at = offset + done;
		size_t part;
		int found = 1;

		if (!has_content(file, at))
			found = at == file->next.plain_at ? next_frame(file) : go_to(file, at);
		if (found < 0 && !done)
			return found;
		if (found <= 0 || !has_content(file, at))
			break;
		part = file->content_len - (size_t)(at - file->content_at);
		part = part < len - done ? part : len - done;
		memcpy((uint8_t *)bytes + done, file->content + (at - file->content_at), part);
		done += part;
	}
	return (ssize_t)done;
}

static int frames_open_index(struct stream_input *input)
{
	return stream_input_index(((const struct frame_input *)input)->dir, input->name);
}

/* NULL: none, or it has no frames. */
static struct index_walk *open_walk(struct frame_input *file)
{
	struct index_walk *walk = index_walk_new(frames_open_index(&file->input));

	if (!walk || index_walk_has_frames(walk))
		return walk;
	index_walk_free(walk);
	return NULL;
}

/* As far as entries follow one another, in the file as in the stream, the index is believed; what a
 * frame holds is looked at all the same when it is read. */
static void take_places(struct frame_input *file)
{
	struct index_walk *walk = open_walk(file);
	struct index_packet packet;

	while (walk && index_walk_next(walk, &packet) > 0 &&
	       packet.file_offset == file->end.file_at && packet.offset == file->end.plain_at &&
	       packet.file_offset + packet.file_bytes <= file->sized) {
		frame_map_add(&file->map, &file->end);
		file->end.file_at += packet.file_bytes;
		file->end.plain_at += packet.packet_bytes;
	}
	index_walk_free(walk);
}

/* Finds frames that are in no index. A truncated or damaged end counts as far as it can be
 * read, and as a byte at least, so that the reader comes there and reports it. */
static int find_end(struct frame_input *file)
{
	const uint8_t *bytes;
	struct frame frame;
	size_t len;
	int found;

	for (;; step_over(&file->end, &frame)) {
		found = look_at(file, &file->end, &frame, &bytes, &len);
		if (found <= 0)
			break;
		frame_map_add(&file->map, &file->end);
	}
	file->size = file->end.plain_at;
	if (found == -ENODATA) {
		file->content_len = 0;
		found = take_torn(file, &file->end, &frame, bytes, len);
		file->size += file->content_len;
	}
	if (found == -EBADMSG)
		file->size++;
	return found == -EBADMSG ? 0 : found;
}

/* A reader at the end of the index, but not at the end of the file, continues by the frames. */
static bool is_misled(const struct frame_input *file)
{
	return file->next.plain_at >= file->size && file->next.file_at < file->sized &&
	       (file->next.file_at != file->end.file_at ||
		file->next.plain_at != file->end.plain_at);
}

static int frames_size(struct stream_input *input, uint64_t *ret)
{
	struct frame_input *file = (struct frame_input *)input;
	struct stat st;
	int err = 0;

	if (input->follow && !input->look) {
		*ret = input->seen;
		return 0;
	}
	if (fstat(file->fd, &st))
		return -errno;
	if (!file->sized || (uint64_t)st.st_size != file->sized) {
		file->sized = (uint64_t)st.st_size;
		if (!file->has_index)
			take_places(file);
		file->has_index = true;
		err = find_end(file);
	}
	if (!err && is_misled(file)) {
		file->end = file->next;
		frame_map_init(&file->map);
		err = find_end(file);
	}
	/* Who has come to the end of the file knows better than an index that lies. */
	input->seen = file->next.file_at == file->sized ? file->next.plain_at : file->size;
	*ret = input->seen;
	return err;
}

/* To the first frame behind the one that cannot be read. */
static void skip_by_index(struct frame_input *file)
{
	struct index_packet packet;
	int more;

	if (!file->walk)
		file->walk = open_walk(file);
	else if (file->next.file_at <= file->sought)
		index_walk_rewind(file->walk);
	file->sought = file->next.file_at;
	while (file->walk && (more = index_walk_next(file->walk, &packet))) {
		if (more < 0 || packet.file_offset <= file->next.file_at ||
		    packet.offset <= file->next.plain_at)
			continue;
		file->next = (struct frame_place){packet.file_offset, packet.offset};
		return;
	}
}

/* Behind damage to a frame the next one is known, if its length was; else an index may know. */
static int frames_seek(struct stream_input *input, uint64_t offset, uint64_t *ret)
{
	struct frame_input *file = (struct frame_input *)input;
	const uint8_t *bytes;
	struct frame frame;
	size_t len;

	if (file->next.plain_at <= offset)
		skip_by_index(file);
	if (file->next.plain_at <= offset || look_at(file, &file->next, &frame, &bytes, &len) == 0)
		return 0;
	*ret = file->next.plain_at;
	return 1;
}

static void frames_close(struct stream_input *input)
{
	struct frame_input *file = (struct frame_input *)input;

	index_walk_free(file->walk);
	(void)fd_close(file->fd);
	(void)fd_close(file->dir);
	ZSTD_freeDCtx(file->context);
	free(file->content);
	free(file->piece.bytes);
	free(file->input.name);
	free(file);
}

static const struct stream_input_ops frames_ops = {
	.size = frames_size,
	.read = frames_read,
	.seek = frames_seek,
	.open_index = frames_open_index,
	.close = frames_close,
};

bool frame_input_is(const char *name)
{
	size_t len = strlen(name), end = strlen(FRAME_SUFFIX);

	return len > end && !strcmp(name + len - end, FRAME_SUFFIX);
}

int frame_input_open(int dir, const char *name, struct stream_input **ret)
{
	struct frame_input *file = calloc(1, sizeof(*file));
	int err = -ENOMEM;

	if (!file)
		return err;
	file->input.ops = &frames_ops;
	file->fd = -1;
	file->dir = -1;
	frame_map_init(&file->map);
	file->input.name = strdup(name);
	file->context = ZSTD_createDCtx();
	if (!file->input.name || !file->context)
		goto fail;
	(void)ZSTD_DCtx_setParameter(file->context, ZSTD_d_windowLogMax, FRAME_WINDOW_MAX_LOG);
	file->fd = file_open(dir, name);
	err = file->fd < 0 ? file->fd : 0;
	if (err)
		goto fail;
	file->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	err = file->dir < 0 ? -errno : 0;
	if (err)
		goto fail;
	*ret = &file->input;
	return 0;

fail:
	frames_close(&file->input);
	return err;
}
