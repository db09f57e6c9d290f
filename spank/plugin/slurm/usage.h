/* How much log a job, and all jobs together, have on this node: doc/formats/job-file.md, `usage`. */
#ifndef GPUALERT_USAGE_H
#define GPUALERT_USAGE_H

#include <stdint.h>

struct usage {
    uint64_t logs, bytes;
};

/* Relative to the record folder. The node's is counted anew by gpualert-node when it has removed old jobs. */
#define USAGE_OF_JOB "usage"
#define USAGE_OF_NODE "../usage"

struct usage usage_read(int record_folder, const char *whose);

/* Adds what a step kept. Steps that end at the same time wait for each other, at most a second. */
void usage_add(int record_folder, const char *whose, struct usage more);

#endif
