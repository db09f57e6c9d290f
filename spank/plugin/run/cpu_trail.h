/* How much CPU the command and all below it had used, looked at every while: later it tells a silent command that worked from one that slept. */
#ifndef GPUALERT_RUN_CPU_TRAIL_H
#define GPUALERT_RUN_CPU_TRAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "json.h"

#define TRAIL_LOOKS 64
#define TRAIL_NAMES 16
#define TRAIL_NAME_BYTES 16 /* of comm, with its NUL */

struct cpu_look {
    int64_t at_ns;  /* CLOCK_REALTIME */
    int64_t cpu_ms; /* of those that live, and of their children that they have waited for: less than before where a process left the tree */
};

struct cpu_trail {
    pid_t root; /* 0: nothing to look at */
    int64_t began_ns, looked_ns, next_ns; /* CLOCK_MONOTONIC */
    unsigned looks, processes, names;
    struct cpu_look look[TRAIL_LOOKS]; /* oldest first; the older, the further apart */
    char name[TRAIL_NAMES][TRAIL_NAME_BYTES]; /* of the processes at the last look */
};

void cpu_trail_start(struct cpu_trail *t, pid_t root, int64_t now_ns);

/* Looks where it is time to; how many milliseconds until the next time, -1: never. Looking takes at most a two-hundredth of one CPU. */
int cpu_trail_keep(struct cpu_trail *t, int64_t now_ns);

/* A last look before the command is told to end; none where the last one was a moment ago. */
void cpu_trail_last(struct cpu_trail *t, int64_t now_ns);

/* One look more; the trail is never longer than TRAIL_LOOKS, and its first and newest looks stay. */
void cpu_trail_add(struct cpu_trail *t, struct cpu_look look);

void cpu_trail_put(const struct cpu_trail *t, struct json *j);

#endif
