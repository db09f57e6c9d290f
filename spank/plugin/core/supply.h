/*
 * Descriptors on their way from the parent to the drain thread: they wait in the handshakes' socket, and in nobody's table of descriptors, until the thread
 * takes them into one of its own (own_table.h). Each doubling of a table that several threads share waits for a grace period of RCU
 * (expand_fdtable() in Linux's fs/file.c): 10 to 20 ms, before which slurmstepd forks no task.
 */
#ifndef GPUALERT_SUPPLY_H
#define GPUALERT_SUPPLY_H

enum supply_kind {
    SUPPLY_TASK,    /* out's log, err's log, index; -1 where there is none */
    SUPPLY_DURABLE, /* one for capture_durable */
    SUPPLY_OWN_LOG, /* the log of the process's own stderr */
};
enum { SUPPLY_FDS = 3 };

struct supply {
    enum supply_kind kind;
    unsigned task;
    int fd[SUPPLY_FDS];
};

/* Room for so many packets that nobody takes yet; without it (not root) the usual size does for a hundred. */
void supply_room(int sender, unsigned packets);

/* Takes the descriptors, also where it fails. Returns 0 or an errno. */
int supply_send(int sender, struct supply *supply);

/* The next one. Returns 0 or an errno: EAGAIN when there is none; after any other one it is lost. */
int supply_receive(int receiver, struct supply *supply);

#endif
