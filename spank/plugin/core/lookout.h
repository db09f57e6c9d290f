/* What the drain thread waits for. */
#ifndef GPUALERT_LOOKOUT_H
#define GPUALERT_LOOKOUT_H

#include <stdbool.h>
#include <stdint.h>

struct capture;

/*
 * Fills c->polled: wake, handshakes, two slots a stream, one a task; *wake_ns: how long to wait at most, -1: for ever. Returns false when
 * there is nothing left to do.
 */
bool lookout_prepare(struct capture *c, int64_t *wake_ns);

/* Waits for one of them, `most_ns` at most (-1: for ever). Returns whether c->polled says what happened. */
bool lookout_wait(struct capture *c, int64_t most_ns);

#endif
