/* What the two threads and the parent share. */
#ifndef GPUALERT_STATE_H
#define GPUALERT_STATE_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "capture.h"
#include "handshake.h"
#include "stream.h"
#include "supply.h"

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
    bool asked_durable;
    bool one_commit; /* durable[0] is the last thing that one commit makes durable with all the rest */
    int *to_sync;    /* the drain thread's own: room for each log and durable */
    int receiver, sender, wake_fd;
    atomic_bool has_own_table; /* the drain thread's */
    atomic_uint supplied;      /* packets that wait for it in the handshakes' socket */

    bool own_stderr;      /* wanted */
    dev_t own_stderr_dev; /* which pipe fd 2 is, once it is taken over */
    ino_t own_stderr_ino;
    atomic_bool own_stderr_taken, stderr_wanted, stderr_given; /* the last two: the parent asks for where it went, and has it */

    pthread_t drain, forward;
    bool drain_runs;
    atomic_bool forward_runs; /* started by the drain thread with the first output that may block */
    pthread_mutex_t lock;
    pthread_cond_t work; /* for the forward thread */
    pthread_cond_t news; /* for the parent that waits for a thread, and for a drain thread that waits for the parent */
    bool forward_waits;

    atomic_bool finishing, give_up;
    atomic_bool flushed; /* the drain thread has begun its real work */
    atomic_bool drained, forwarded, closed; /* the drain thread has no more to read, the forward thread none to write; the logs are complete */
    atomic_bool closing;                    /* the parent's word to complete them */
    enum capture_flush flush;               /* and how, set before */
    atomic_ullong moved; /* grows whenever an output took something */
    int64_t linger_until_ns;
};

/* Starts a thread with all signals blocked. Returns 0 or an errno. */
int capture_thread(pthread_t *thread, void *(*run)(void *), struct capture *c);

void *drain_run(void *capture);
void *forward_run(void *capture);

/* Gives descriptors their places; takes all that wait in the supply's socket, into a table of the thread's own where the kernel knows how. */
void intake_place(struct capture *c, const struct supply *supply);
void intake_run(struct capture *c);

/* The logs' ends: content that is still owed, footers, flushes; and all descriptors of the streams closed. By whose table they are in. */
void closing_run(struct capture *c);

/* Says `what`, and wakes who waits for it. Without the lock. */
void capture_say(struct capture *c, atomic_bool *what);

/* The drain thread takes over its process's fd 2, in the table where that is; adopts the stream that comes of it, in its own; gives it back. */
void own_stderr_take(struct capture *c);
void own_stderr_adopt(struct capture *c, struct handshake *h);
void own_stderr_give(struct capture *c);

/* The parent, when all tasks ended: what the thread did not come to take. Safe in a clone(CLONE_VM) child. */
void own_stderr_rescue(struct capture *c);

/* The parent puts fd 2 back where it went, unless somebody else has replaced it since. */
void own_stderr_back(struct capture *c);

/* Waits for a word of capture_say. Returns whether it came. */
bool capture_said(struct capture *c, atomic_bool *what, int wait_ms);

/* To its place, or on its way to the thread that will have it. Takes the descriptors. Returns 0 or an errno. */
int capture_give(struct capture *c, struct supply *supply);

/* Starts the thread for outputs that may block, where one of these does and it is not there. Returns false where it cannot be had. */
struct kinds {
    enum out_kind of[2];
    int flags[2]; /* what an output had, where it was made non-blocking; else -1 */
};
bool adopt_can_serve(struct capture *c, const int out[2], bool shared, struct kinds *kinds);
void adopt_stream(struct stream *s, int in_fd, int out_fd, enum out_kind kind);

/* Takes what tasks (and the thread itself) sent. */
void drain_receive(struct capture *c);

/* Puts a task's logs on the disk; or those of all, answering tasks meanwhile. */
void durable_task(struct capture *c, unsigned task);
void durable_all(struct capture *c);

bool drain_all_ended(const struct capture *c);

/* Adopts a task's ends. Returns whether it was one we wait for. */
bool drain_adopt(struct capture *c, struct handshake *h);

/* Tells the other thread that something changed; call forward_kick with the lock held. */
void drain_kick(struct capture *c);
void forward_kick(struct capture *c);

/* Closes an output, with the lock held. */
void output_close(struct stream *s);

#endif
