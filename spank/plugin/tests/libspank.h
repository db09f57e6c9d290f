/* The few functions of libspank and Slurm's log that the plugin uses, over a step that the test describes. */
#ifndef GPUALERT_LIBSPANK_H
#define GPUALERT_LIBSPANK_H

#include <slurm/spank.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { LIBSPANK_MOST = 32 };

extern struct libspank {
    enum spank_context context;
    struct spank_option options[LIBSPANK_MOST]; /* as registered */
    unsigned option_count;
    uint32_t job, step, tasks;
    int task, status; /* of the callback that runs; task -1: none */
    pid_t pid;
    bool quiet; /* Slurm's log goes nowhere, else to stderr */
} libspank;

#endif
