#include "rank_log.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "instant.h"
#include "json.h"

static int write_at(int fd, const char *bytes, size_t length, uint64_t at)
{
    while (length > 0) {
        ssize_t done = pwrite(fd, bytes, length, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        bytes += done;
        length -= (size_t)done;
        at += (uint64_t)done;
    }
    return 0;
}

/* Fills up with spaces to a line of exactly `size` bytes. */
static int write_padded(int fd, char *line, size_t used, size_t size, uint64_t at)
{
    if (used == 0 || used >= size)
        return EOVERFLOW;
    memset(line + used, ' ', size - used - 1);
    line[size - 1] = '\n';
    return write_at(fd, line, size, at);
}

int rank_log_start(int fd, const struct rank_log_name *name)
{
    char line[RANK_LOG_HEADER_BYTES];
    struct json j;
    json_begin(&j, line, sizeof line, "#gpualert-log/1 ");
    json_int(&j, "job", name->job);
    json_text(&j, "attempt", name->attempt);
    json_text(&j, "step", name->step);
    json_int(&j, "task", name->task);
    json_int(&j, "local", name->local);
    json_text(&j, "stream", name->stream);
    json_text(&j, "node", name->node);
    json_int(&j, "uid", name->uid);
    json_text(&j, "boot_id", name->boot_id);
    json_int(&j, "created_ns", instant_now().realtime_ns);
    return write_padded(fd, line, json_end(&j), sizeof line, 0);
}

uint64_t rank_log_tail_start(uint64_t head)
{
    return RANK_LOG_HEADER_BYTES + head + RANK_LOG_MARK_BYTES;
}

int rank_log_mark(int fd, uint64_t head, uint64_t bytes, uint64_t tail)
{
    char line[RANK_LOG_MARK_BYTES];
    struct json j;
    json_begin(&j, line, sizeof line, "\n#gpualert-hole ");
    json_int(&j, "offset", (int64_t)head);
    json_int(&j, "bytes", (int64_t)bytes);
    json_int(&j, "tail", (int64_t)tail);
    return write_padded(fd, line, json_end(&j), sizeof line, RANK_LOG_HEADER_BYTES + head);
}

int rank_log_finish(int fd, const struct rank_log_end *end)
{
    char line[1024];
    struct json j;
    size_t length;
    int why;
    struct stat status;
    uint64_t at = (end->hole ? rank_log_tail_start(end->head) : RANK_LOG_HEADER_BYTES + end->head) + end->tail;

    json_begin(&j, line, sizeof line, "\n#gpualert-end ");
    json_int(&j, "bytes", (int64_t)end->bytes);
    json_int(&j, "head", (int64_t)end->head);
    json_int(&j, "hole", (int64_t)end->hole);
    json_int(&j, "tail", (int64_t)end->tail);
    json_text(&j, "reason", end->reason);
    json_text(&j, "output_error", end->output_error);
    json_text(&j, "log_error", end->log_error);
    json_int(&j, "undelivered", (int64_t)end->undelivered);
    json_text(&j, "merged", end->merged);
    json_text(&j, "not_captured", end->not_captured);
    json_bool(&j, "forked", end->forked);
    json_int(&j, "closed_ns", instant_now().realtime_ns);
    length = json_end(&j);
    if (length == 0)
        return EOVERFLOW;
    line[length++] = '\n';
    why = write_at(fd, line, length, at);
    if (why == 0 && (fstat(fd, &status) < 0 || (uint64_t)status.st_size != at + length) && ftruncate(fd, (off_t)(at + length)) < 0)
        why = errno;
    return why;
}
