/* The job's two folders on this node: made by its first step, found by later ones. Life: doc/formats/job-file.md. */
#ifndef GPUALERT_ATTEMPT_H
#define GPUALERT_ATTEMPT_H

#include <slurm/spank.h>

#include "identity.h"
#include "storage.h"

#define ATTEMPT_FRESH 2

struct attempt {
    char name[40];   /* <job id>.<16 hex digits> */
    int log_folder;  /* descriptors */
    int record_folder;
    int fresh[ATTEMPT_FRESH]; /* what this step made and nobody has fsynced yet: job file, jobs/ (byjob/ serves this boot only); -1: nothing */
};

/* Returns 0, or an errno with *what naming the step that failed; nothing is left open then. */
int attempt_open(struct attempt *attempt, spank_t sp, const struct identity *id, const struct storage *storage, const char **what);

/* Closes what only the making of logs needs. */
void attempt_release_logs(struct attempt *attempt);

void attempt_close(struct attempt *attempt);

#endif
