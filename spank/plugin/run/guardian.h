/*
 * The guardian: a process in a group, and soon a session, of its own. When gpualert-run has ended it starts the diagnosis; when
 * gpualert-run was killed it first ends the command, so that nothing is left behind.
 */
#ifndef GPUALERT_RUN_GUARDIAN_H
#define GPUALERT_RUN_GUARDIAN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "end.h"

/* A guardian's socket: ours is ends[0], its own ends[1], both close-on-exec. False when there is none to be had. */
bool guardian_socket(int ends[2]);

/* Forks the guardian, and closes its end here; a witness of `signals` comes with it, at the end witness[1]. `words` is this program's argv,
 * which both overwrite in their copies: they are not to be found under the command's name. False when there is no guardian. */
bool guardian_start(const struct bundle *b, int ends[2], int witness[2], const sigset_t *signals, char **words);

/* In the command's process, before exec: what to end if gpualert-run is killed. Async-signal-safe. */
void guardian_watch_me(int socket);

/* The command has ended so: the guardian writes end.json, which nobody has to wait for. False when it will not. */
bool guardian_end(int socket, const struct end *end);

/* All is written: start the diagnosis. */
void guardian_finish(int socket);

#endif
