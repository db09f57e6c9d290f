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

/* Reads /proc/self/cgroup and the counters of the step's and the job's group. Absent ones are -1. */
void cgroup_read_memory(uint32_t job, struct step_memory *memory);

#endif
