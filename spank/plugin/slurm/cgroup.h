/* The step's memory counters, from the cgroup that Slurm put slurmstepd in. */
#ifndef GPUALERT_CGROUP_H
#define GPUALERT_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "exit_record.h"

struct step_memory {
    char cgroup[512]; /* "": there is none */
    struct memory_counters step, job;
};

/* Reads /proc/self/cgroup and the counters of the step's and the job's group. Absent ones are -1. The kills in the groups below, which
 * version 1 counts there alone, are added for a task that `failed`: one file a task of the node. */
void cgroup_read_memory(uint32_t job, bool failed, struct step_memory *memory);

#endif
