/*
 * Capture: copies of what tasks write, durable while they run, with threads in the task's parent.
 *
 * For each task two streams: task -> pipe -> [drain thread] -> log and time index, and on to the task's own output. The log is
 * the queue between reading and forwarding. Neither a slow or failing output, nor a failing log, nor a process that
 * never lets go of the pipe stops the other parts. Nothing here knows Slurm; nothing here prints.
 *
 * Order of calls, in the parent: capture_new, capture_add_task for each, capture_start; fork; in the child (or in the parent for it)
 * capture_attach or capture_hand_over before exec; in the parent capture_task_ended after wait; capture_finish; capture_stream for
 * what became of each stream; capture_free.
 * Logs and indexes belong to the drain thread from capture_start on: it alone writes, completes and closes them.
 */
#ifndef GPUALERT_CAPTURE_H
#define GPUALERT_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "instant.h"

struct capture;

enum capture_stream_name { CAPTURE_OUT = 0, CAPTURE_ERR = 1 };

struct capture_bounds {
    uint64_t head_max_bytes;    /* of a stream kept from its start; later only the tail is kept */
    uint32_t tail_max_bytes;    /* rounded up to a power of two, at least 64 KiB; memory of this size for each stream */
    uint32_t tail_kept_bytes;   /* of that, how much a log gets at most; 0: all of it */
    uint64_t backlog_max_bytes; /* in the log and not yet taken by the output, before the task is made to wait */
    uint64_t min_free_bytes;    /* below it on the log's file system heads grow no further */
    unsigned linger_ms;         /* after the last task: how long other holders of a pipe are still read */
    unsigned stall_ms;          /* in capture_finish: how long the outputs may take nothing at all */
    unsigned finish_ms;         /* in capture_finish: how long forwarding may take altogether */
    bool sync_first;            /* no task gets its word before its own logs, and capture_durable's descriptors, are on the disk */
    bool leave_open;            /* an input that others still hold at the end is not closed: capture_left_open */
    bool own_table;             /* the drain thread holds its descriptors in a table of its own where the kernel can: supply.h; not with leave_open */
};

extern const struct capture_bounds capture_default_bounds;

/* Why a stream is not captured. */
enum capture_why_not {
    CAPTURED = 0,
    NOT_FORKED,    /* nobody attached the task */
    IS_A_TTY,      /* the stream is a terminal: left alone */
    NO_STDIO,      /* the stream is closed, or making a pipe failed */
};

/* The drain thread's descriptors, at most: two logs, two inputs, two outputs, an index, a pidfd and a handshake's two for each task. */
enum { CAPTURE_FDS_A_TASK = 10, CAPTURE_FDS_OTHERS = 64 };

/* Allocates everything that is ever needed for `tasks` tasks. NULL and errno when it cannot. */
struct capture *capture_new(unsigned tasks, const struct capture_bounds *bounds);

/*
 * Before capture_start. Takes the descriptors: logs opened for reading and writing, with rank_log_start's header already in them; the
 * index empty, or -1. Returns 0, or an errno where they cannot be kept: then there is no capture.
 */
int capture_add_task(struct capture *c, unsigned task, int out_log, int err_log, int index_fd, const char *boot_id);

/*
 * Before capture_start: when the tasks are forked, take over this process's own fd 2, copy at most max_bytes of it to `log`, and
 * forward it to where it went. Takes `log`.
 */
void capture_own_stderr(struct capture *c, int log, uint64_t max_bytes);

/*
 * Before capture_start, with sync_first: the drain thread makes `fd` durable too (a file or folder; duplicated) before it says yes to any
 * task, while the parent goes on. The logs' folder first; at most CAPTURE_MOST_DURABLE.
 */
#define CAPTURE_MOST_DURABLE 8
void capture_durable(struct capture *c, int fd);

/*
 * Starts the drain thread, all signals blocked in it. Returns 0 or an errno; then nothing runs and streams stay untouched. A second thread
 * is started with the first output that may block; a task whose output needs it, where it cannot be had, is not captured.
 */
int capture_start(struct capture *c);

/* All tasks are forked: a must with own_table; without, the first task's word does as well. Safe in a clone(CLONE_VM) child. */
void capture_forked(struct capture *c);

/* The socket for capture_attach and capture_hand_over; close-on-exec. */
int capture_socket(const struct capture *c);

/*
 * In the forked child, before exec: puts pipes in place of fds 1 and 2 (terminals are left alone) and hands their other ends and
 * the original outputs to the drain thread. Waits at most wait_ms for its word; without it fds 1 and 2 stay as they are.
 * Async-signal-safe. Returns whether the task is captured.
 */
bool capture_attach(int socket, unsigned task, uint32_t rank, int wait_ms);

#define CAPTURE_NO_RANK UINT32_MAX

/* As capture_attach, for a parent that makes the pipes itself. Descriptors are duplicated, not taken; -1 where there is none. */
struct capture_ends {
    int in[2];                       /* read ends for out and err; in[1] -1 and merged: one pipe for both */
    int out[2];                      /* where the streams went */
    bool merged;                     /* err goes into out's pipe */
    enum capture_why_not why_not[2]; /* where in[] is -1 */
    pid_t pid;                       /* the task, 0: the caller itself */
    bool shared;                     /* others use the same open outputs: never make them non-blocking */
};
bool capture_hand_over(int socket, unsigned task, uint32_t rank, const struct capture_ends *ends, int wait_ms);

/* The task was waited for. Only marks it: safe in a clone(CLONE_VM) child. */
void capture_task_ended(struct capture *c, unsigned task);

enum capture_flush {
    FLUSH_NOT,
    FLUSH_BEGIN, /* the logs are written back, without waiting */
    FLUSH_WAIT,  /* until logs and indexes survive power loss */
};

/*
 * Drains what is left, forwards it within the bounds, writes tails, footers and index ends, flushes the logs, ends the threads. Gives
 * fd 2 back. Returns false when a thread had to be left behind in a blocked write: capture_free then keeps its memory.
 */
bool capture_finish(struct capture *c, enum capture_flush flush);

/* What became of a task; stable after capture_finish. `exited` is zero unless the kernel told the drain thread. */
struct capture_task {
    bool attached;
    pid_t pid;
    uint32_t rank; /* CAPTURE_NO_RANK where unknown */
    struct instant started, exited;
};
struct capture_task capture_task(struct capture *c, unsigned task);

struct capture_stream {
    enum capture_why_not why_not;
    bool merged;                   /* err only: its bytes are in out's log */
    uint64_t bytes;                /* the stream's length */
    uint64_t head, hole, tail;     /* how much of it the log has, lacks and has */
    const char *hole_reason;       /* "cap", "min_free", "log_error", or NULL */
    uint64_t undelivered;          /* bytes the task's own output did not take */
    int output_error;              /* the first errno of the output, 0: none */
    uint64_t output_error_at;      /* at which stream offset */
    int log_error;                 /* errno that ended the log, 0: none */
    uint64_t log_lost;             /* bytes the output missed because the log was cut under us */
    const char *ended;             /* "eof", "deadline", "output_closed", "read_error", or NULL while open */
};
struct capture_stream capture_stream(struct capture *c, unsigned task, enum capture_stream_name name);

/*
 * After capture_finish, with leave_open: the read end of a stream that ended at its deadline, the caller's from now on; -1 when there is
 * none. Whoever holds the other end would otherwise be killed by its next write.
 */
int capture_left_open(struct capture *c, unsigned task, enum capture_stream_name name);

void capture_free(struct capture *c);

#endif
