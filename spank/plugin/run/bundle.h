/* The bundle: one private folder for one run. Format: doc/formats/bundle.md. */
#ifndef GPUALERT_RUN_BUNDLE_H
#define GPUALERT_RUN_BUNDLE_H

#include <limits.h>
#include <stdbool.h>

#include "instant.h"
#include "memory_group.h"
#include "options.h"

#define BUNDLE_NAME_CHARS 37 /* 20261120T163240.123Z.5f0c8a3b9d2e4f61 */

struct bundle {
    int folder; /* -1: none */
    char path[PATH_MAX];
    char name[BUNDLE_NAME_CHARS + 1];
    char boot_id[BOOT_ID_CHARS + 1];
    char host[256];
    struct instant created;
    struct memory_group memory_group; /* gpualert-run's own, in which the command starts; an empty path: none */
    struct memory_counters memory;    /* its kills and ooms when the run began */
};

/* Makes the folder; says on stderr, once, where it had to go elsewhere. False, and said, when there is no place for it at all. */
bool bundle_make(struct bundle *b);

/* Finds this process's memory group and notes how many kills it has counted: whatever it counts from now on is this run's. */
void bundle_watch_memory(struct bundle *b);

/* A new file in the bundle, readable and writable, close-on-exec; -1 and errno. */
int bundle_file(const struct bundle *b, const char *name);

/* run.json. Returns 0 or an errno. */
int bundle_write_run(const struct bundle *b, const struct options *o);

#endif
