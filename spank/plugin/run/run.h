/* What the files of gpualert-run share. */
#ifndef GPUALERT_RUN_H
#define GPUALERT_RUN_H

#include <sys/types.h>

/* As timeout(1), env(1) and the shells have them. */
enum { EXIT_TIMED_OUT = 124, EXIT_OWN = 125, EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };

#define KILL_GRACE_MS 5000 /* between TERM and KILL */

#endif
