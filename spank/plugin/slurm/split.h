/* Ranks below a task: --gpualert-split. */
#ifndef GPUALERT_SPLIT_H
#define GPUALERT_SPLIT_H

#include <slurm/spank.h>
#include <stdint.h>

/* Sets torchelastic's switches in the step's environment, where the job asked and has not set them itself. In init_post_opt. */
void split_ranks(spank_t sp, uint32_t job);

#endif
