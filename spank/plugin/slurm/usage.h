/* How much log the job already has on this node: doc/formats/job-file.md, `usage`. */
#ifndef GPUALERT_USAGE_H
#define GPUALERT_USAGE_H

#include <stdint.h>

struct usage {
    uint64_t logs, bytes;
};

struct usage usage_read(int record_folder);
/* Adds what a step kept. Steps that end at the same time wait for each other, at most a second. */
void usage_add(int record_folder, struct usage more);

#endif
