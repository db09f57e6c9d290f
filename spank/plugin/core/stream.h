/* One stream on its way: a ring of the newest bytes, a log with the first ones, and how far each got. */
#ifndef GPUALERT_STREAM_H
#define GPUALERT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture.h"
#include "pace.h"
#include "time_index.h"

#define STREAM_CHUNK_BYTES 131072

enum out_kind {
    OUT_NONE,     /* nowhere to forward to */
    OUT_POLLED,   /* a pipe or socket that is ours alone, non-blocking; or /dev/null: the drain thread serves it */
    OUT_BLOCKING, /* a file, which nothing can make non-blocking: the forward thread serves it */
};

/*
 * Offsets count the stream's bytes: sent <= got, logged <= got. The ring holds [floor, got). Bytes below `floor` that are still to be
 * sent are read back from the log, which holds [0, logged).
 * `got`, `floor`, `logged`, `log_done`, `sent`, `paused` and the output's fields are shared by the two threads, under the capture's lock;
 * the rest is the drain thread's.
 */
struct stream {
    int in_fd, out_fd, log_fd;
    int left_fd; /* the input that was left open for the caller */
    enum out_kind out_kind;
    enum capture_why_not why_not;
    bool merged;
    bool framed;  /* the log has a header, and gets mark, tail and footer */
    bool paused;  /* not read because of the bounds: whoever sends wakes the drain thread */
    bool late;    /* was paused since the last read */
    bool blocked; /* OUT_POLLED: the output took nothing, wait for it */
    struct pace pace; /* OUT_POLLED: for how long to leave it alone then */
    bool last_drain;
    bool log_done; /* `logged` grows no more */
    unsigned failed_reads; /* one after the other */
    uint64_t quota; /* in last_drain: how much more may be read */
    uint64_t got, floor, logged, sent;
    uint64_t head_max, tail_max, tail_saved, free_checked;
    uint64_t head, hole, tail; /* after stream_close_log */
    int64_t tail_saved_ns;
    unsigned char *ring;
    uint32_t ring_bytes;
    unsigned index_stream; /* 1 out, 2 err, 0 none */
    struct time_index *index;
    const char *hole_reason, *ended;
    int log_error, output_error;
    uint64_t output_error_at, undelivered, log_lost;
    int64_t retry_ns; /* a failed output is tried again then */
};

void stream_reset(struct stream *s, unsigned char *ring, uint32_t ring_bytes, uint64_t head_max);

/* How many bytes may be read now without overwriting what is still needed; 0: wait for the output. Under the lock. */
uint64_t stream_room(const struct stream *s, uint64_t backlog_max_bytes);

/* Reads into the ring after the reservation `want`. Returns as read(2). Without the lock. */
ssize_t stream_read(struct stream *s, uint64_t want);

/* Puts the n bytes just read behind the log's head, until its cap. Returns how many it took. Without the lock. */
uint64_t stream_log(struct stream *s, uint64_t n, uint64_t min_free_bytes);

/* The contiguous bytes of the ring from `from` on, at most up to `got`. */
const unsigned char *stream_ring_at(const struct stream *s, uint64_t from, uint64_t *length);

/* Reads bytes to be sent back from the log into `buffer`. Returns how many; 0 when the log was cut under us. Without the lock. */
uint64_t stream_read_back(const struct stream *s, uint64_t from, uint64_t length, unsigned char *buffer);

/* What write(2) said about `tried` bytes at `sent`. Returns true when the output is gone for good. Under the lock. */
bool stream_sent(struct stream *s, ssize_t done, uint64_t tried, int why, int64_t now_ns);

/* Drops what an output that failed (ENOSPC, EIO, …) a moment ago cannot take. Under the lock. */
void stream_skip_failing(struct stream *s, int64_t now_ns);

/* Writes the ring's bytes behind the head as the tail, with its mark. Only a framed log. Returns 0 or an errno. */
int stream_save_tail(struct stream *s);

/* After the threads: completes the log's content and sets head, hole and tail. The footer is the caller's. */
void stream_close_log(struct stream *s);

#endif
