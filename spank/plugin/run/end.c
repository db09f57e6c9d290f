#include "end.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "errno_name.h"
#include "exit_record.h"
#include "json.h"
#include "memory_mount.h"
#include "whole_file.h"

static void put_instant(struct json *j, const char *key, struct instant at)
{
    if (!at.monotonic_ns)
        return;
    json_open(j, key, '{');
    json_int(j, "ns", at.realtime_ns);
    json_int(j, "monotonic_ns", at.monotonic_ns);
    json_close(j, '}');
}

static void put_status(struct json *j, const struct end *e)
{
    if (!e || !e->waited)
        return;
    json_int(j, "wait_status", e->wait_status);
    if (WIFEXITED(e->wait_status))
        json_int(j, "exit_code", WEXITSTATUS(e->wait_status));
    if (WIFSIGNALED(e->wait_status))
        json_int(j, "signal", WTERMSIG(e->wait_status));
    json_bool(j, "core_dumped", WIFSIGNALED(e->wait_status) && WCOREDUMP(e->wait_status));
}

static int64_t risen(int64_t now, int64_t before)
{
    return now < 0 || before < 0 || now < before ? -1 : now - before;
}

void end_count_memory(const struct bundle *b, struct end *e)
{
    bool well = e->waited && WIFEXITED(e->wait_status) && WEXITSTATUS(e->wait_status) == 0;
    e->memory = NO_MEMORY_COUNTERS;
    if (!*b->memory_group.path)
        return;
    e->memory = (well ? memory_group_events : memory_group_read)(b->memory_group.folder, b->memory_group.v2);
    e->memory.oom_events = risen(e->memory.oom_events, b->memory.oom_events);
    e->memory.oom_kill_events = risen(e->memory.oom_kill_events, b->memory.oom_kill_events);
    if (well || e->memory.oom_kill_events <= 0)
        return;
    int64_t above = memory_mount_limit_above(&b->memory_group);
    if (above >= 0 && (e->memory.limit_bytes < 0 || above < e->memory.limit_bytes))
        e->memory.limit_bytes = above; /* a limit is kept by all groups below */
}

static void put_counter(struct json *j, const char *key, int64_t value)
{
    if (value >= 0)
        json_int(j, key, value);
}

static void put_memory(struct json *j, const struct bundle *b, const struct memory_counters *m)
{
    if (!*b->memory_group.path || m->oom_kill_events < 0)
        return;
    json_open(j, "memory", '{');
    json_text(j, "cgroup", b->memory_group.path);
    put_counter(j, "limit_bytes", m->limit_bytes);
    put_counter(j, "peak_bytes", m->peak_bytes);
    put_counter(j, "oom_events", m->oom_events);
    put_counter(j, "oom_kill_events", m->oom_kill_events);
    json_close(j, '}');
}

int end_write(const struct bundle *b, const struct end *e)
{
    struct json j;
    char content[16384];
    json_begin(&j, content, sizeof content, NULL);
    json_text(&j, "format", "gpualert-run-end/1");
    json_text(&j, "by", e->by_guardian ? "guardian" : "gpualert-run");
    put_instant(&j, "ended", e->ended);
    put_status(&j, e);
    if (e->exec_errno)
        json_text(&j, "exec_error", errno_name(e->exec_errno));
    json_bool(&j, "timed_out", e->timed_out);
    json_open(&j, "signals", '[');
    for (unsigned i = 0; i < e->signals; i++) {
        const struct sent_signal *s = &e->signal[i];
        json_open(&j, NULL, '{');
        json_int(&j, "signal", s->signal);
        json_int(&j, "at_ns", s->at_ns);
        if (s->sender) {
            json_int(&j, "sender_pid", s->sender);
            json_int(&j, "sender_uid", s->sender_uid);
        }
        json_bool(&j, "forwarded", s->forwarded);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_bool(&j, "output_open", e->output_open);
    put_memory(&j, b, &e->memory);
    cpu_trail_put(&e->cpu, &j);
    size_t length = json_end(&j);
    return length ? whole_file_put(b->folder, "end.json", content, length, false) : E2BIG;
}

int exit_record_write(const struct bundle *b, struct capture *c, const char *capture, const struct end *e, pid_t pid, struct instant started)
{
    struct exit_record record = {
        .attempt = b->name, .node = b->host, .boot_id = b->boot_id, .step = "run", .local_tasks = 1, .step_tasks = 1, .node_count = 1,
        .parent_pid = getpid(), .pid = pid, .state = e ? "closed" : "prepared", .rank = CAPTURE_NO_RANK,
        .prepared = b->created, .started = started, .capture = capture, .has_streams = c != NULL,
    };
    if (e) {
        record.waited = e->waited;
        record.wait_status = e->wait_status;
        record.exited = e->ended;
        record.exited_by = "wait";
        record.closed = instant_now();
    }
    for (int i = 0; c && i < 2; i++)
        record.stream[i] = capture_stream(c, 0, (enum capture_stream_name)i);
    return exit_record_put(b->folder, &record, false);
}
