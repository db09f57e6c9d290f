#include "stream.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rank_log.h"

enum { FREE_CHECK_BYTES = 16 << 20, OUTPUT_RETRY_NS = 1000000000 };

void stream_reset(struct stream *s, unsigned char *ring, uint32_t ring_bytes, uint64_t head_max)
{
    *s = (struct stream){
        .in_fd = -1,
        .left_fd = -1,
        .out_fd = -1,
        .log_fd = -1,
        .ring = ring,
        .ring_bytes = ring_bytes,
        .head_max = head_max,
        .tail_max = ring_bytes,
        .why_not = NOT_FORKED,
    };
}

uint64_t stream_room(const struct stream *s, uint64_t backlog_max_bytes)
{
    uint64_t needed_from = s->got, room;
    if (s->out_fd >= 0) {
        if (s->got - s->sent >= backlog_max_bytes)
            return 0;
        needed_from = s->sent > s->logged ? s->sent : s->logged;
    }
    room = needed_from + s->ring_bytes - s->got;
    if (room > s->ring_bytes / 2) /* the other half is being sent meanwhile */
        room = s->ring_bytes / 2;
    return room < STREAM_CHUNK_BYTES ? room : STREAM_CHUNK_BYTES;
}

ssize_t stream_read(struct stream *s, uint64_t want)
{
    size_t at = (size_t)(s->got & (s->ring_bytes - 1));
    size_t first = s->ring_bytes - at;
    struct iovec parts[2] = {{s->ring + at, first}, {s->ring, 0}};

    if (want < first)
        parts[0].iov_len = (size_t)want;
    else
        parts[1].iov_len = (size_t)want - first;
    return readv(s->in_fd, parts, parts[1].iov_len ? 2 : 1);
}

const unsigned char *stream_ring_at(const struct stream *s, uint64_t from, uint64_t *length)
{
    uint64_t at = from & (s->ring_bytes - 1);
    uint64_t left = s->got - from, straight = s->ring_bytes - at;
    *length = left < straight ? left : straight;
    return s->ring + at;
}

/* pwrite of ring bytes [from, from + length) at file offset `at`; length <= ring. Returns how many were written; errno in *why. */
static uint64_t write_ring(const struct stream *s, uint64_t from, uint64_t length, uint64_t at, int *why)
{
    uint64_t done = 0;
    *why = 0;
    while (done < length) {
        uint64_t place = (from + done) & (s->ring_bytes - 1);
        uint64_t straight = s->ring_bytes - place, n = length - done;
        ssize_t wrote = pwrite(s->log_fd, s->ring + place, (size_t)(n < straight ? n : straight), (off_t)(at + done));
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            *why = wrote < 0 ? errno : ENOSPC;
            break;
        }
        done += (uint64_t)wrote;
    }
    return done;
}

static bool space_runs_out(struct stream *s, uint64_t min_free_bytes)
{
    struct statvfs fs;
    if (min_free_bytes == 0 || s->logged - s->free_checked < FREE_CHECK_BYTES)
        return false;
    s->free_checked = s->logged;
    return fstatvfs(s->log_fd, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < min_free_bytes;
}

uint64_t stream_log(struct stream *s, uint64_t n, uint64_t min_free_bytes)
{
    uint64_t start = s->framed ? RANK_LOG_HEADER_BYTES : 0, take = n, took;
    int why;

    if (s->log_fd < 0 || s->hole_reason)
        return 0;
    if (space_runs_out(s, min_free_bytes)) {
        s->hole_reason = "min_free";
        return 0;
    }
    if (s->logged + take > s->head_max) {
        take = s->head_max - s->logged;
        s->hole_reason = "cap";
    }
    took = write_ring(s, s->logged, take, start + s->logged, &why);
    if (why) {
        s->log_error = why;
        s->hole_reason = "log_error";
    }
    return took;
}

uint64_t stream_read_back(const struct stream *s, uint64_t from, uint64_t length, unsigned char *buffer)
{
    ssize_t got;
    do
        got = pread(s->log_fd, buffer, (size_t)length, (off_t)((s->framed ? RANK_LOG_HEADER_BYTES : 0) + from));
    while (got < 0 && errno == EINTR);
    return got > 0 ? (uint64_t)got : 0;
}

bool stream_sent(struct stream *s, ssize_t done, uint64_t tried, int why, int64_t now_ns)
{
    if (done > 0) {
        s->sent += (uint64_t)done;
        s->blocked = false;
        return false;
    }
    if (done == 0 || why == EINTR)
        return false;
    if (why == EAGAIN) {
        s->blocked = true;
        return false;
    }
    if (!s->output_error) {
        s->output_error = why;
        s->output_error_at = s->sent;
    }
    s->undelivered += tried;
    s->sent += tried;
    s->retry_ns = now_ns + OUTPUT_RETRY_NS;
    return why == EPIPE;
}

void stream_skip_failing(struct stream *s, int64_t now_ns)
{
    if (s->retry_ns && now_ns < s->retry_ns) {
        s->undelivered += s->got - s->sent;
        s->sent = s->got;
    }
}

/* Where the log's tail begins: in the ring, behind the head, and no further back than the tail may be long. */
static uint64_t tail_from(const struct stream *s)
{
    uint64_t from = s->floor > s->logged ? s->floor : s->logged;
    return s->got - from > s->tail_max ? s->got - s->tail_max : from;
}

void stream_close_log(struct stream *s)
{
    uint64_t from = tail_from(s);
    int why;

    s->head = s->logged;
    s->hole = s->got - s->logged;
    if (!s->framed || s->log_fd < 0 || s->hole == 0)
        return;
    if (from == s->logged) { /* all the rest is still here: no hole after all */
        if (write_ring(s, from, s->hole, RANK_LOG_HEADER_BYTES + s->logged, &why) == s->hole) {
            s->head = s->got;
            s->hole = 0;
            s->hole_reason = NULL;
        }
        return;
    }
    s->tail_saved = 0;
    if (stream_save_tail(s) == 0) {
        s->tail = s->got - from;
        s->hole = from - s->logged;
    }
}

int stream_save_tail(struct stream *s)
{
    uint64_t from = tail_from(s);
    int why;

    if (!s->framed || s->log_fd < 0 || s->got == s->tail_saved)
        return 0;
    s->tail_saved = s->got;
    write_ring(s, from, s->got - from, rank_log_tail_start(s->logged), &why);
    return why ? why : rank_log_mark(s->log_fd, s->logged, from - s->logged, s->got - from);
}
