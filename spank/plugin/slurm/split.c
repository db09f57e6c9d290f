#include "split.h"

#include <slurm/slurm.h>
#include <stdio.h>

#include "options.h"

/* 0: what the user has set stays. */
static void set(spank_t sp, const char *name, const char *value)
{
    spank_err_t said = spank_setenv(sp, name, value, 0);
    if (said != ESPANK_SUCCESS && said != ESPANK_ENV_EXISTS)
        slurm_verbose("gpualert: --gpualert-split: %s could not be set", name);
}

/*
 * torchrun takes PET_<option> for every option it was not given (torch/distributed/argparse_util.py, torch 1.9 to 2.13). PET_TEE=3: both streams
 * of each local rank into files of its own, and on to torchrun's streams, each line behind "[default<local rank>]:".
 * The files have no bound, so they go where the user's own output goes, never into the node's state folder.
 */
void split_ranks(spank_t sp, uint32_t job)
{
    char folder[4096], path[4160];
    if (!options_split())
        return;
    set(sp, "PET_TEE", "3");
    if (spank_getenv(sp, "SLURM_SUBMIT_DIR", folder, sizeof folder) == ESPANK_SUCCESS && folder[0] == '/') {
        snprintf(path, sizeof path, "%s/gpualert-ranks-%u", folder, job);
        set(sp, "PET_LOG_DIR", path);
    }
}
