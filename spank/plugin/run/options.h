/* The command line of gpualert-run. */
#ifndef GPUALERT_RUN_OPTIONS_H
#define GPUALERT_RUN_OPTIONS_H

#include <stdbool.h>

#define MAX_WORDS 64 /* of each list below */

struct words {
    char *at[MAX_WORDS];
    unsigned count;
};

struct options {
    struct words addresses, artifacts, attach;
    const char *when;
    double timeout_s; /* 0: none */
    bool notify, dry_run, verbose;
    char **command; /* NULL-terminated, never empty when options_read returned -1 */
};

/* Reads argv. Returns -1 to go on, or the status to exit with; it has then said why. */
int options_read(struct options *o, int argc, char **argv);

#endif
