/* The command: started, waited for, signalled, ended in time. */
#ifndef GPUALERT_RUN_COMMAND_H
#define GPUALERT_RUN_COMMAND_H

#include <signal.h>

#include "end.h"
#include "outputs.h"

/* What gpualert-run changed in itself and the command must not see. */
struct inherited {
    sigset_t mask;
    struct sigaction child;
};

struct command {
    pid_t pid;
    int exec_fault; /* read end: the errno of an exec that failed; close-on-exec */
    int witness;    /* -1: none */
    struct instant started;
};

/* Blocks the signals that are forwarded, names them, and gives a descriptor to read them from; -1 and errno. */
int command_signals(struct inherited *was, sigset_t *forwarded);

/* Forks and execs. False and errno when there is no process to be had. */
bool command_start(struct command *command, char **words, const struct outputs *outputs, const struct inherited *was, int guardian);

/* Until the command has ended, forwarding what is sent to us; ends it, and all below it, after `timeout_s` (0: never). */
void command_wait(struct command *command, int signals, double timeout_s, const struct outputs *outputs, struct end *end);

#endif
