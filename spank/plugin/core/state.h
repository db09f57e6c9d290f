/* What the two threads and the parent share. */
#ifndef GPUALERT_STATE_H
#define GPUALERT_STATE_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "capture.h"
#include "handshake.h"
#include "stream.h"

struct task {
    struct capture_task said; /* under the lock */
    int pidfd;
    atomic_bool ended; /* waited for, or the kernel says it is gone */
    bool durable;      /* its logs were flushed to the disk; the drain thread's own */
    struct time_index index;
};

struct capture {
    struct capture_bounds bounds;
    unsigned tasks;
    struct task *task;
    struct stream *stream; /* out and err of each task, then our own stderr */
    unsigned streams;
    unsigned char *rings;
    size_t rings_bytes;
    struct pollfd *polled;
    unsigned char *drain_buffer, *forward_buffer;

    int durable[CAPTURE_MOST_DURABLE];
    unsigned durables;
    bool one_commit; /* durable[0] is the last thing that one commit makes durable with all the rest */
    int *to_sync;    /* the drain thread's own: room for each log and durable */
    int receiver, sender, wake_fd;
    int own_stderr[2]; /* read end, write end; -1: not wanted */
    int saved_stderr;  /* under the lock: where fd 2 went, while it is taken over */

    pthread_t drain, forward;
    bool drain_runs;
    atomic_bool forward_runs; /* started by the drain thread with the first output that may block */
    pthread_mutex_t lock;
    pthread_cond_t work; /* for the forward thread */
    bool forward_waits;

    atomic_bool finishing, give_up, drained;
    atomic_ullong moved; /* grows whenever an output took something */
    int64_t linger_until_ns;
};

/* Starts a thread with all signals blocked. Returns 0 or an errno. */
int capture_thread(pthread_t *thread, void *(*run)(void *), struct capture *c);

void *drain_run(void *capture);
void *forward_run(void *capture);

/* Adopts a task's ends. Returns whether it was one we wait for. */
bool drain_adopt(struct capture *c, struct handshake *h);

/* Tells the other thread that something changed; call forward_kick with the lock held. */
void drain_kick(struct capture *c);
void forward_kick(struct capture *c);

/* Closes an output, with the lock held. */
void output_close(struct stream *s);

#endif
