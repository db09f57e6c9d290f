/* Slurm's entry points. No logic here: which context, which function. Each returns 0, whatever happens: the job runs. */
#include <slurm/slurm.h>
#include <slurm/spank.h>

#include "client.h"
#include "config.h"
#include "options.h"
#include "step.h"

SPANK_PLUGIN(gpualert, 1)

int slurm_spank_init(spank_t sp, int argc, char **argv)
{
    config_read(argc, argv);
    switch (spank_context()) {
    case S_CTX_LOCAL:
    case S_CTX_ALLOCATOR:
    case S_CTX_REMOTE:
        options_register(sp);
        break;
    default:
        break;
    }
    return 0;
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
    (void)argc, (void)argv;
    switch (spank_context()) {
    case S_CTX_LOCAL:
    case S_CTX_ALLOCATOR:
        client_tell_epilog(sp);
        break;
    case S_CTX_REMOTE:
        step_prepare(sp);
        break;
    default:
        break;
    }
    return 0;
}

int slurm_spank_task_post_fork(spank_t sp, int argc, char **argv)
{
    (void)sp, (void)argc, (void)argv;
    if (spank_context() == S_CTX_REMOTE)
        step_task_forked();
    return 0;
}

int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (spank_context() == S_CTX_REMOTE)
        step_attach_task(sp);
    return 0;
}

int slurm_spank_task_exit(spank_t sp, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (spank_context() == S_CTX_REMOTE)
        step_task_exited(sp);
    return 0;
}

int slurm_spank_exit(spank_t sp, int argc, char **argv)
{
    (void)sp, (void)argc, (void)argv;
    if (spank_context() == S_CTX_REMOTE)
        step_end();
    return 0;
}
