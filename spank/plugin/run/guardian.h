/*
 * The guardian: a process in a session of its own, forked before the command. When gpualert-run has ended it starts the diagnosis; when
 * gpualert-run was killed it first ends the command, so that nothing is left behind.
 */
#ifndef GPUALERT_RUN_GUARDIAN_H
#define GPUALERT_RUN_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "bundle.h"

/* Forks the guardian. `words` is this program's argv, which the guardian overwrites in its copy: it is not to be found under the
 * command's name. Returns our end of its socket, close-on-exec; -1 when there is no guardian. */
int guardian_start(const struct bundle *b, char **words);

/* In the command's process, before exec: what to end if gpualert-run is killed. Async-signal-safe. */
void guardian_watch_me(int socket);

/* All is written: start the diagnosis. */
void guardian_finish(int socket);

#endif
