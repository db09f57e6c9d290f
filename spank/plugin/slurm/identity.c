#include "identity.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* slurm.h of 22.05 names them, later ones too; the numbers are the protocol's. */
enum { MOST_TASKS = 8192 };

static bool is_safe_name(const char *name)
{
    if (!*name || *name == '.')
        return false;
    for (; *name; name++)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') || strchr("._-", *name)))
            return false;
    return true;
}

/* Also right where several slurmd share a host: slurmd sets it for its slurmstepd. */
static bool read_node(char *node, size_t size)
{
    const char *said = getenv("SLURMD_NODENAME");
    if (said && strlen(said) < size) {
        snprintf(node, size, "%s", said);
    } else {
        if (gethostname(node, size - 1) < 0)
            return false;
        node[size - 1] = '\0';
        node[strcspn(node, ".")] = '\0';
    }
    return is_safe_name(node);
}

static void name_step(struct identity *id, uint32_t step)
{
    id->extern_step = step == SLURM_EXTERN_CONT;
    id->first_of_attempt = step == SLURM_BATCH_SCRIPT || step == SLURM_INTERACTIVE_STEP;
    if (id->first_of_attempt)
        snprintf(id->step, sizeof id->step, "%s", step == SLURM_BATCH_SCRIPT ? "batch" : "interactive");
    else
        snprintf(id->step, sizeof id->step, "%u", step);
}

const char *identity_read(spank_t sp, struct identity *id)
{
    uint32_t step;

    memset(id, 0, sizeof *id);
    if (spank_get_item(sp, S_JOB_ID, &id->job) || spank_get_item(sp, S_JOB_STEPID, &step) || spank_get_item(sp, S_JOB_UID, &id->uid) ||
        spank_get_item(sp, S_JOB_GID, &id->gid))
        return "Slurm does not say which job this is";
    name_step(id, step);
    if (id->extern_step)
        return NULL;
    if (spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &id->local_tasks) || id->local_tasks < 1 || id->local_tasks > MOST_TASKS)
        return "Slurm does not say how many tasks there are";
    if (!read_node(id->node, sizeof id->node))
        return "the node's name is not known or not usable as a file name";
    boot_id_read(id->boot_id);
    if (spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &id->step_tasks))
        id->step_tasks = id->local_tasks;
    if (spank_get_item(sp, S_JOB_NODEID, &id->node_index) || spank_get_item(sp, S_JOB_NNODES, &id->node_count))
        id->node_index = 0, id->node_count = 1;
    if (id->node_count == 0) /* 22.05, batch step */
        id->node_count = 1;
    if (spank_get_item(sp, S_JOB_ARRAY_ID, &id->array_job) || spank_get_item(sp, S_JOB_ARRAY_TASK_ID, &id->array_task) ||
        id->array_job == NO_VAL || id->array_task == NO_VAL)
        id->array_job = 0;
    if (spank_get_item(sp, S_JOB_ALLOC_MEM, &id->memory_limit_mib))
        id->memory_limit_mib = 0;
    if (spank_get_item(sp, S_SLURM_VERSION, &id->slurm_version))
        id->slurm_version = NULL;
    return NULL;
}
