/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_tree: stacks with a weight each, as one tree: what flame graphs, folded stacks and profiles are
 * written from. Two sets of stacks (of two traces) can share it, a weight for each.
 *
 * Node 0 is the root. A node's number is larger than its parent's.
 */
#ifndef SONDE_ANALYSE_STACK_TREE_H
#define SONDE_ANALYSE_STACK_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/map.h"

#define STACK_TREE_NODES (2u << 20) /* at most: what a deeper frame weighs counts for its caller */
#define STACK_TREE_SIDES 2u

enum stack_kind {
	STACK_TASK, /* the name of a task, below the root */
	STACK_PROGRAM,
	STACK_INLINED, /* a function of the program that the compiler has put into its caller */
	STACK_KERNEL,
};

/* What a frame is. Texts are places in stack_tree.texts; 0 is "". */
struct stack_label {
	uint32_t text; /* the function, or what is known in its place: "[libc.so.6]", "[unknown]" */
	uint32_t module; /* the file; "" of the kernel, and where it is not known */
	uint32_t source; /* file of the source; "" = not known */
	uint32_t kind; /* enum stack_kind */
};

struct stack_tree_node {
	uint32_t parent;
	uint32_t label;
	uint64_t self[STACK_TREE_SIDES]; /* of stacks that end here */
	uint64_t total[STACK_TREE_SIDES]; /* of all that contain it, after stack_tree_sum */
};

struct stack_tree {
	struct stack_tree_node *nodes;
	size_t node_count, node_room;
	struct map node_index;
	struct stack_label *labels; /* [0]: of the root */
	size_t label_count, label_room;
	struct map label_index;
	struct buffer texts; /* each with its NUL */
	struct map text_index; /* by two hashes of the text */
};

/* 0 or -ENOMEM; after a failure fini is due all the same. */
int stack_tree_init(struct stack_tree *tree);
void stack_tree_fini(struct stack_tree *tree);

/* What one frame is called; NULL = "". The number of its label, or -ENOMEM. */
int64_t stack_tree_label(struct stack_tree *tree, enum stack_kind kind, const char *text,
			 const char *module, const char *source);
/* The child of @parent with that label, made if missing; @parent itself if there are too many nodes. */
uint32_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label);
/* Sums up what stands below each node. */
void stack_tree_sum(struct stack_tree *tree);

static inline const char *stack_tree_text(const struct stack_tree *tree, uint32_t text)
{
	return tree->texts.data + text;
}

static inline const struct stack_label *stack_tree_label_of(const struct stack_tree *tree,
							    uint32_t node)
{
	return &tree->labels[tree->nodes[node].label];
}

#endif /* SONDE_ANALYSE_STACK_TREE_H */
