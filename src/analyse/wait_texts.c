// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/wait_texts.h"

#include <errno.h>

#include "analyse/analysis.h"
#include "analyse/derive.h"
#include "schema/event.h"

int wait_texts_init(struct wait_texts *texts, const struct analysis *analysis, bool files,
		    bool stacks, bool waker_stacks)
{
	texts->analysis = analysis;
	texts->stacks = stacks;
	texts->waker_stacks = waker_stacks;
	if (files)
		texts->derive = derive_new(analysis->info, 1u << DERIVED_FILE);
	return tally_init(&texts->kept, 0) ?: files && !texts->derive ? -ENOMEM : 0;
}

void wait_texts_fini(struct wait_texts *texts)
{
	tally_fini(&texts->kept);
	derive_free(texts->derive);
	texts->derive = NULL;
}

static const char *keep(struct wait_texts *texts, const char *text, size_t len)
{
	return (const char *)tally_at(&texts->kept, text, len < TALLY_KEY_MAX ? len : TALLY_KEY_MAX)
		->key;
}

void wait_texts_follow(struct wait_texts *texts, const struct event *event)
{
	texts->facts.has = 0;
	if (texts->derive && derive_takes(texts->derive, event->class))
		derive_event(texts->derive, event, &texts->facts);
}

const char *wait_texts_file(struct wait_texts *texts)
{
	const struct fact_file *file = &texts->facts.files[0];

	return texts->facts.has & 1u << DERIVED_FILE ? keep(texts, file->name, file->len) : NULL;
}

static const char *stack_of(struct wait_texts *texts, const struct event *event, bool wanted)
{
	size_t len = 0;

	if (wanted)
		len = stack_text_write(texts->analysis, event, texts->stack, sizeof(texts->stack));
	return len ? keep(texts, texts->stack, len) : NULL;
}

const char *wait_texts_stack(struct wait_texts *texts, const struct event *event)
{
	return stack_of(texts, event, texts->stacks);
}

const char *wait_texts_waker_stack(struct wait_texts *texts, const struct event *event)
{
	return stack_of(texts, event, texts->waker_stacks);
}
