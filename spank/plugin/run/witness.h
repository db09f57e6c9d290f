/*
 * The witness: a process in the command's process group that only tells which signals reach it. What it got, too, was sent to the whole
 * group, or to every process of a job: then the command has it already, and to pass it on would be to send it twice.
 */
#ifndef GPUALERT_RUN_WITNESS_H
#define GPUALERT_RUN_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* In a forked child that is still in the group: tells through `socket` until its other end is closed. Never returns. */
_Noreturn void witness_run(int socket, const sigset_t *signals);

/* Whether the witness got this signal from this process, now or in the next moment. */
bool witness_saw(int socket, int signal, pid_t sender);

#endif
