#include "exit_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "errno_name.h"
#include "json.h"
#include "whole_file.h"

static void put_instant(struct json *j, const char *key, const struct instant *at)
{
    if (!at->monotonic_ns)
        return;
    json_open(j, key, '{');
    json_int(j, "ns", at->realtime_ns);
    json_int(j, "monotonic_ns", at->monotonic_ns);
    json_close(j, '}');
}

static void put_counter(struct json *j, const char *key, int64_t value)
{
    if (value >= 0)
        json_int(j, key, value);
}

static void put_memory(struct json *j, const struct exit_record *record)
{
    if (!record->cgroup)
        return;
    json_open(j, "memory", '{');
    json_text(j, "cgroup", record->cgroup);
    put_counter(j, "limit_bytes", record->memory.limit_bytes);
    put_counter(j, "peak_bytes", record->memory.peak_bytes);
    put_counter(j, "oom_events", record->memory.oom_events);
    put_counter(j, "oom_kill_events", record->memory.oom_kill_events);
    put_counter(j, "job_limit_bytes", record->job_memory.limit_bytes);
    put_counter(j, "job_peak_bytes", record->job_memory.peak_bytes);
    put_counter(j, "job_oom_events", record->job_memory.oom_events);
    put_counter(j, "job_oom_kill_events", record->job_memory.oom_kill_events);
    json_close(j, '}');
}

static const char *why_not_captured(const struct exit_record *record, const struct capture_stream *s)
{
    switch (s->why_not) {
    case CAPTURED:
        return NULL;
    case IS_A_TTY:
        return "tty";
    case NO_STDIO:
        return "no_stdio";
    case NOT_FORKED:
        break;
    }
    return record->waited ? "no_handshake" : "never_forked";
}

static void put_stream(struct json *j, const struct exit_record *record, int number)
{
    const struct capture_stream *s = &record->stream[number];
    char log[64];

    snprintf(log, sizeof log, "%s.%u.%s", record->step, record->task, number ? "err" : "out");
    json_open(j, number ? "err" : "out", '{');
    json_text(j, "log", log);
    json_bool(j, "captured", s->why_not == CAPTURED);
    if (strcmp(record->state, "closed") == 0) {
        json_text(j, "why_not", why_not_captured(record, s));
        json_text(j, "merged", s->merged ? "out" : NULL);
        json_int(j, "bytes", (int64_t)s->bytes);
        json_int(j, "head", (int64_t)s->head);
        json_int(j, "hole", (int64_t)s->hole);
        json_int(j, "tail", (int64_t)s->tail);
        json_text(j, "reason", s->hole_reason);
        json_int(j, "undelivered", (int64_t)s->undelivered);
        json_text(j, "output_error", errno_name(s->output_error));
        if (s->output_error)
            json_int(j, "output_error_at", (int64_t)s->output_error_at);
        json_text(j, "log_error", errno_name(s->log_error));
        json_int(j, "log_lost", (int64_t)s->log_lost);
        json_text(j, "ended", s->ended);
    }
    json_close(j, '}');
}

static void put_ending(struct json *j, const struct exit_record *record)
{
    if (!record->waited)
        return;
    json_int(j, "wait_status", record->wait_status);
    if (WIFEXITED(record->wait_status))
        json_int(j, "exit_code", WEXITSTATUS(record->wait_status));
    if (WIFSIGNALED(record->wait_status)) {
        json_int(j, "signal", WTERMSIG(record->wait_status));
        json_bool(j, "core_dumped", WCOREDUMP(record->wait_status) != 0);
    }
}

int exit_record_put(int folder, const struct exit_record *record, bool durable)
{
    char text[8192], name[64];
    struct json j;
    size_t length;

    json_begin(&j, text, sizeof text, NULL);
    json_text(&j, "format", "gpualert-exit/1");
    json_text(&j, "attempt", record->attempt);
    json_int(&j, "job_id", record->job);
    json_text(&j, "node", record->node);
    json_text(&j, "boot_id", record->boot_id);
    json_text(&j, "step", record->step);
    json_int(&j, "task", record->task);
    json_int(&j, "local", record->local);
    json_int(&j, "local_tasks", record->local_tasks);
    json_int(&j, "step_tasks", record->step_tasks);
    json_int(&j, "step_node_index", record->node_index);
    json_int(&j, "step_node_count", record->node_count);
    json_int(&j, "stepd_pid", record->parent_pid);
    json_text(&j, "state", record->state);
    if (record->rank != CAPTURE_NO_RANK)
        json_int(&j, "rank", record->rank);
    if (record->pid > 0)
        json_int(&j, "pid", record->pid);
    put_ending(&j, record);
    put_instant(&j, "prepared", &record->prepared);
    put_instant(&j, "started", &record->started);
    put_instant(&j, "exited", &record->exited);
    json_text(&j, "exited_by", record->exited_by);
    put_instant(&j, "closed", &record->closed);
    put_memory(&j, record);
    json_text(&j, "capture", record->capture);
    if (record->has_streams) {
        json_open(&j, "streams", '{');
        put_stream(&j, record, CAPTURE_OUT);
        put_stream(&j, record, CAPTURE_ERR);
        json_close(&j, '}');
    }
    length = json_end(&j);
    if (length == 0)
        return EOVERFLOW;
    snprintf(name, sizeof name, "%s.%u.exit.json", record->step, record->task);
    if (length < WHOLE_FILE_BLOCK_BYTES) {
        memset(text + length, ' ', WHOLE_FILE_BLOCK_BYTES - length);
        text[WHOLE_FILE_BLOCK_BYTES - 1] = '\n';
        return whole_file_put_block(folder, name, text, WHOLE_FILE_BLOCK_BYTES, durable);
    }
    text[length++] = '\n';
    return whole_file_put(folder, name, text, length, durable);
}
