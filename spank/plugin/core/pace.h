/*
 * How long to leave a full pipe alone. Its reader may take a kilobyte at a time (slurmstepd does), and whoever waits for room is woken
 * for each page that falls free: 20 µs of CPU for 4 KiB. So the writer rests until about three quarters of the pipe are free, at the
 * speed its reader has had so far; the reader has the last quarter before it meanwhile.
 */
#ifndef GPUALERT_PACE_H
#define GPUALERT_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
    uint32_t pipe_bytes;   /* what the pipe holds; 0: no pipe, no rests */
    int64_t full_ns;       /* when it was full last */
    uint64_t full_at;      /* how much it had taken by then */
    int64_t rest_until_ns; /* 0: no rest */
};

/* For an output that was just opened. */
void pace_start(struct pace *pace, int fd);

/* Asks for a pipe of `bytes` where it holds less; what it then holds counts. */
void pace_widen(struct pace *pace, int fd, uint32_t bytes);

/* The output is full and has taken `taken` bytes in all: begins a rest where one is worth it. */
void pace_full(struct pace *pace, uint64_t taken, int64_t now_ns);

/* Nanoseconds of rest that are left; 0: try again, or wait for room. A rest that is over is forgotten. */
int64_t pace_left_ns(struct pace *pace, int64_t now_ns);

#endif
