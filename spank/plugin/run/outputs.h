/* The pipes and pseudo-terminals between the command and gpualert-run, and where they lead. */
#ifndef GPUALERT_RUN_OUTPUTS_H
#define GPUALERT_RUN_OUTPUTS_H

#include "capture.h"

struct outputs {
    struct capture_ends ends; /* what the drain thread gets: our ends, and the originals */
    int task_end[2];          /* what becomes the command's fd 1 and 2; -1: left as it is */
    char terminal[2][64];     /* path of the stream's pseudo-terminal, "": none */
};

/* A stream that is a terminal gets a pseudo-terminal of its own, any other open one a pipe; both streams one, if they are one file. */
void outputs_make(struct outputs *o);

/* In the forked child: fds 1 and 2 as the command is to see them. Async-signal-safe. */
void outputs_take(const struct outputs *o);

/* In the parent, when the command has them and the drain thread has ours. */
void outputs_release(struct outputs *o);

/* Carries the size of the real terminals over. Returns whether there is a pseudo-terminal. */
bool outputs_resize(const struct outputs *o);

#endif
