/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_parse: the blocks of metadata: trace, env, clock, stream, event (callsite is skipped).
 */
#ifndef SONDE_CTF_BLOCK_PARSE_H
#define SONDE_CTF_BLOCK_PARSE_H

struct parser;

/* One block, the parser being at its keyword; the semicolon behind it included. */
int block_parse(struct parser *parser);

#endif /* SONDE_CTF_BLOCK_PARSE_H */
