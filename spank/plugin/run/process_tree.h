/* A process and everything below it, to be ended for good. */
#ifndef GPUALERT_RUN_PROCESS_TREE_H
#define GPUALERT_RUN_PROCESS_TREE_H

#include <stdbool.h>
#include <sys/types.h>

#define TREE_MAX 1024

/* Processes by pidfd (Linux 5.3) or start time, so that a number that was given to somebody else meanwhile is not signalled. */
struct process_tree {
    struct tree_member {
        pid_t pid;
        int pidfd;                  /* -1: none */
        unsigned long long started; /* ticks after boot */
    } member[TREE_MAX];
    unsigned count;
};

/* Duplicates `root_pidfd`. Where it is -1, root must not have been waited for. */
void tree_start(struct process_tree *t, pid_t root, int root_pidfd);

/* Finds what the members started meanwhile. A process whose parent has ended before is nobody's child any more: it is left alone. */
void tree_grow(struct process_tree *t);

void tree_signal(const struct process_tree *t, int signal);

/* Whether any member still runs; a zombie does not. */
bool tree_alive(const struct process_tree *t);

void tree_free(struct process_tree *t);

#endif
