/* Which step of which job this slurmstepd runs, in one place. */
#ifndef GPUALERT_IDENTITY_H
#define GPUALERT_IDENTITY_H

#include <slurm/spank.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "instant.h"

struct identity {
    uint32_t job, array_job, array_task; /* array_job 0: no array */
    uid_t uid;
    gid_t gid;
    char step[16]; /* batch, interactive or a number */
    bool extern_step, first_of_attempt;
    uint32_t local_tasks, step_tasks, node_index, node_count;
    uint64_t memory_limit_mib; /* 0: none */
    char node[65];
    char boot_id[BOOT_ID_CHARS + 1];
    const char *slurm_version;
};

/* Returns NULL, or what could not be found out. */
const char *identity_read(spank_t sp, struct identity *id);

#endif
