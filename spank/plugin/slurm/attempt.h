/* The job's two folders on this node: made by its first step, found by later ones. Life: doc/formats/job-file.md. */
#ifndef GPUALERT_ATTEMPT_H
#define GPUALERT_ATTEMPT_H

#include <slurm/spank.h>

#include "identity.h"
#include "storage.h"

#define ATTEMPT_FRESH 2

struct attempt {
    char name[40];   /* <job id>.<16 hex digits> */
    int log_folder;  /* descriptors, until attempt_release */
    int record_folder;
    char record_path[1200];
    int fresh[ATTEMPT_FRESH]; /* what this step made and nobody has fsynced yet: job file, jobs/ (byjob/ serves this boot only); -1: nothing */
};

/* Returns 0, or an errno with *what naming the step that failed; nothing is left open then. */
int attempt_open(struct attempt *attempt, spank_t sp, const struct identity *id, const struct storage *storage, const char **what);

/* Closes all of them: while tasks run slurmstepd's table of descriptors has none of ours to carry that can be had again. */
void attempt_release(struct attempt *attempt);

/* The record folder, opened again; the caller's. -1 and errno. */
int attempt_open_records(const struct attempt *attempt);

#endif
