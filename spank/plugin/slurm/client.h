/* In sbatch, srun and salloc. */
#ifndef GPUALERT_CLIENT_H
#define GPUALERT_CLIENT_H

#include <slurm/spank.h>

/* Stores the wishes with the job, where Prolog and Epilog find them as SPANK_GPUALERT_*: user input there. */
void client_tell_epilog(spank_t sp);

#endif
