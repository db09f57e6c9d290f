/* The files of one step: rank logs, time indexes, slurmstepd's own words. */
#ifndef GPUALERT_LOGS_H
#define GPUALERT_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attempt.h"
#include "capture.h"
#include "identity.h"

/*
 * Makes and opens the files of all local tasks, gives the logs to the job's user, hands them to `c`, whose drain thread makes
 * them, and a fresh job file, durable before the first exec.
 * Returns false with the reason in `said` ("off: ...") when one could not be made.
 */
bool logs_open(struct capture *c, const struct attempt *attempt, const struct identity *id, const uint32_t *globals, char *said, size_t size);

#endif
