/* One step on one node, in slurmstepd. */
#ifndef GPUALERT_STEP_H
#define GPUALERT_STEP_H

#include <slurm/spank.h>

/* init_post_opt: folders, job file, logs, the drain thread. Does nothing for a job that did not ask. */
void step_prepare(spank_t sp);

/* task_post_fork: no task has its word yet, none is waited for. May run in a clone(CLONE_VM) child. */
void step_task_forked(void);

/* task_init, in the child just before exec: async-signal-safe calls only. */
void step_attach_task(spank_t sp);

/* task_exit: the exit record. May run in a clone(CLONE_VM) child. */
void step_task_exited(spank_t sp);

/* slurm_spank_exit: bounded; see capture_finish. */
void step_end(void);

#endif
