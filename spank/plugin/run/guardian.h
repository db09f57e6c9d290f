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

/*
 * Forks the guardian, before any thread is there, and with it the witness of `signals`: ends[0] and witness[0] are our ends of their
 * sockets, close-on-exec. `words` is this program's argv, which both overwrite in their copies: they are not to be found under the
 * command's name. False when there is no guardian.
 */
bool guardian_start(const struct bundle *b, int ends[2], int witness[2], const sigset_t *signals, char **words);

/* In the command's process, before exec: what to end if gpualert-run is killed. Async-signal-safe. */
void guardian_watch_me(int socket);

/* The command has ended so: the guardian writes end.json, which nobody has to wait for. False when it will not. */
bool guardian_end(int socket, const struct end *end);

/* All is written: start the diagnosis. */
void guardian_finish(int socket);

/* Waits until the guardian has ended, but no longer than `wait_ms`. */
void guardian_await(int socket, int wait_ms);

#endif
