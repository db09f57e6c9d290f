/*
 * How a task's ends travel from the child to the drain thread: one packet with descriptors. Two eventfds are among them: `claim` holds one
 * token, which either the drain thread takes before it touches anything, or the child that will wait no longer; `ack` is the word back.
 */
#ifndef GPUALERT_HANDSHAKE_H
#define GPUALERT_HANDSHAKE_H

#include <stdbool.h>

#include "capture.h"

/* What arrived. Descriptors are the receiver's to close; -1 where there is none. */
struct handshake {
    unsigned task;
    uint32_t rank;
    pid_t pid;
    int ack_fd, claim_fd, in[2], out[2];
    enum capture_why_not why_not[2];
    bool merged, shared;
    bool own; /* not a task's: in[0] and out[0] are the process's own, and nobody waits for an answer */
};

/* Two ends, non-blocking for the receiver. Returns 0 or an errno. */
int handshake_sockets(int *receiver, int *sender);

/* Takes one packet and its token. Returns false when there is none, it was malformed, or its child has gone on alone (all is closed then). */
bool handshake_receive(int receiver, struct handshake *h);

/* Sends one that is `own`, without waiting; -1 where there is none. Duplicates. Returns whether it is on its way. */
bool handshake_send_own(int socket, int in, int out);

/* Closes its ends; or all of it, without an answer. */
void handshake_close(struct handshake *h);
void handshake_drop(struct handshake *h);

/* Says yes to the sender, or gives the token back: it need not wait. Closes ack_fd and claim_fd. */
void handshake_answer(struct handshake *h, bool yes);

#endif
