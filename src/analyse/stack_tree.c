// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/stack_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u
#define TEXTS_MAX (256u << 20) /* bytes */

/* Texts are known by these: 128 bits, so that two never share them. */
struct text_key {
	uint64_t hash[2];
};

static struct text_key text_key(const char *text)
{
	struct text_key key = {{14695981039346656037ull, 0x9e3779b97f4a7c15ull}};

	for (; *text; text++) {
		key.hash[0] = (key.hash[0] ^ (uint8_t)*text) * 1099511628211ull;
		key.hash[1] = (key.hash[1] + (uint8_t)*text) * 0xff51afd7ed558ccdull;
		key.hash[1] ^= key.hash[1] >> 29;
	}
	return key;
}

static bool grow(void **items, size_t count, size_t *room, size_t bytes)
{
	size_t larger = *room ? 2 * *room : FIRST_ROOM;
	void *moved;

	if (count < *room)
		return true;
	moved = realloc(*items, larger * bytes);
	if (!moved)
		return false;
	*items = moved;
	*room = larger;
	return true;
}

int stack_tree_init(struct stack_tree *tree)
{
	*tree = (struct stack_tree){0};
	buffer_init(&tree->texts);
	map_init(&tree->node_index, sizeof(uint64_t), sizeof(uint32_t), STACK_TREE_NODES);
	map_init(&tree->label_index, sizeof(struct stack_label), sizeof(uint32_t), 0);
	map_init(&tree->text_index, sizeof(struct text_key), sizeof(uint32_t), 0);
	buffer_char(&tree->texts, '\0');
	if (buffer_error(&tree->texts) ||
	    !grow((void **)&tree->nodes, 0, &tree->node_room, sizeof(*tree->nodes)) ||
	    !grow((void **)&tree->labels, 0, &tree->label_room, sizeof(*tree->labels)))
		return -ENOMEM;
	tree->nodes[0] = (struct stack_tree_node){0};
	tree->labels[0] = (struct stack_label){0};
	tree->node_count = tree->label_count = 1;
	return 0;
}

void stack_tree_fini(struct stack_tree *tree)
{
	free(tree->nodes);
	free(tree->labels);
	buffer_fini(&tree->texts);
	map_fini(&tree->node_index);
	map_fini(&tree->label_index);
	map_fini(&tree->text_index);
	*tree = (struct stack_tree){0};
}

static int text_of(struct stack_tree *tree, const char *text, uint32_t *ret)
{
	struct text_key key;
	uint32_t *at;

	*ret = 0;
	if (!text || !*text)
		return 0;
	key = text_key(text);
	at = map_at(&tree->text_index, &key);
	if (!at || tree->texts.len > TEXTS_MAX)
		return -ENOMEM;
	if (!*at) {
		*at = (uint32_t)tree->texts.len;
		buffer_append(&tree->texts, text, strlen(text) + 1);
		if (buffer_error(&tree->texts))
			return -ENOMEM;
	}
	*ret = *at;
	return 0;
}

int64_t stack_tree_label(struct stack_tree *tree, enum stack_kind kind, const char *text,
			 const char *module, const char *source)
{
	struct stack_label label = {.kind = kind};
	uint32_t *at;

	if (text_of(tree, text, &label.text) || text_of(tree, module, &label.module) ||
	    text_of(tree, source, &label.source) ||
	    !grow((void **)&tree->labels, tree->label_count, &tree->label_room,
		  sizeof(*tree->labels)))
		return -ENOMEM;
	at = map_at(&tree->label_index, &label);
	if (!at)
		return -ENOMEM;
	if (!*at) {
		*at = (uint32_t)tree->label_count++;
		tree->labels[*at] = label;
	}
	return *at;
}

uint32_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label)
{
	uint64_t key = (uint64_t)parent << 32 | label;
	uint32_t *at;

	if (!grow((void **)&tree->nodes, tree->node_count, &tree->node_room, sizeof(*tree->nodes)))
		return parent;
	at = map_at(&tree->node_index, &key);
	if (!at)
		return parent;
	if (!*at) {
		*at = (uint32_t)tree->node_count++;
		tree->nodes[*at] = (struct stack_tree_node){.parent = parent, .label = label};
	}
	return *at;
}

void stack_tree_sum(struct stack_tree *tree)
{
	for (size_t i = 0; i < tree->node_count; i++)
		memcpy(tree->nodes[i].total, tree->nodes[i].self, sizeof(tree->nodes[i].self));
	for (size_t i = tree->node_count; i-- > 1;) {
		struct stack_tree_node *node = &tree->nodes[i],
				       *parent = &tree->nodes[node->parent];

		for (size_t side = 0; side < STACK_TREE_SIDES; side++)
			parent->total[side] += node->total[side];
	}
}
