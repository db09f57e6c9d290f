/* A SPANK plugin that does nothing: what Slurm itself spends on having one. */
#include <slurm/spank.h>

SPANK_PLUGIN(nothing, 1)

int slurm_spank_init(spank_t sp, int argc, char **argv)
{
    (void)sp, (void)argc, (void)argv;
    return 0;
}
