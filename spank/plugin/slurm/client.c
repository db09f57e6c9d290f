#include "client.h"

#include <slurm/slurm.h>

#include "options.h"

static void tell(spank_t sp, const char *name, const char *value)
{
    /* Inside an allocation srun cannot set them any more; the allocation's own are right then. */
    if (value && spank_job_control_setenv(sp, name, value, 1) != ESPANK_SUCCESS)
        slurm_debug("gpualert: %s could not be stored with the job", name);
}

void client_tell_epilog(spank_t sp)
{
    if (!options_mail())
        return;
    tell(sp, "GPUALERT_MAIL", options_mail());
    tell(sp, "GPUALERT_WHEN", options_when());
    tell(sp, "GPUALERT_ARTIFACTS", options_artifacts());
}
