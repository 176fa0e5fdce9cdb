// SPDX-License-Identifier: BSD-2-Clause
#include "record/recording.h"
#include "record/recording_state.h"

#include "record/rx_place.h"
#include "record/rx_poll.h"
#include "wire/measure.h"

#define FLUSH_BYTES (256u << 10)

int recording_open_rx(struct recording *rec, struct diag *diag)
{
	return rec->config.rx ? rx_poll_open(rec->config.rx, rec->notes, &rec->rx, diag) : 0;
}

int recording_rx_fd(const struct recording *rec)
{
	return rec->rx ? rx_poll_fd(rec->rx) : -1;
}

/* Which of them are on changes while it runs. */
static uint32_t wanted(const struct recording *rec)
{
	const struct catalogue *cat = rec->config.catalogue;
	uint32_t which = 0;

	for (uint32_t id = RX_STATS; id <= RX_SILENT; id++) {
		if (recording_is_on(rec, catalogue_get(cat, id)->class.index))
			which |= RX_PLACE_WANTS(id);
	}
	return which;
}

int recording_ask_rx(struct recording *rec)
{
	if (!rec->rx)
		return rec->err;
	rx_poll_want(rec->rx, wanted(rec));
	recording_keep_error(rec, rx_poll_run(rec->rx));
	if (notes_bytes(rec->notes) >= FLUSH_BYTES)
		recording_write_notes(rec);
	return rec->err;
}

void recording_finish_rx(struct recording *rec)
{
	if (rec->rx)
		recording_keep_error(rec, rx_poll_finish(rec->rx));
}

const struct rx_place_account *recording_rx_server(const struct recording *rec, size_t i,
						   const char **name)
{
	return rec->rx ? rx_poll_account(rec->rx, i, name) : NULL;
}
