#include "step.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "capture.h"
#include "cgroup.h"
#include "config.h"
#include "identity.h"
#include "logs.h"
#include "options.h"
#include "split.h"
#include "storage.h"
#include "usage.h"

enum { ATTACH_WAIT_MS = 2000, LAST_WORDS_BYTES = 4096, TMPFS_LOG_BYTES = 16384 };

struct ending {
    uint32_t global;
    pid_t pid;
    int wait_status;
    bool waited;
    struct instant exited;
    struct step_memory memory;
};

static struct {
    struct identity id;
    struct attempt attempt;
    struct capture *capture; /* NULL: off */
    struct ending *tasks;    /* NULL: nothing was prepared, nothing is to be done */
    struct instant prepared;
    char said[384];          /* "on", or "off: why" */
} step;

static struct exit_record record_of(unsigned local, const char *state)
{
    const struct ending *task = &step.tasks[local];
    struct exit_record r = {
        .attempt = step.attempt.name, .node = step.id.node, .boot_id = step.id.boot_id, .step = step.id.step, .job = step.id.job,
        .task = task->global, .local = local, .local_tasks = step.id.local_tasks, .step_tasks = step.id.step_tasks,
        .node_index = step.id.node_index, .node_count = step.id.node_count, .parent_pid = getpid(), .pid = task->pid, .state = state,
        .rank = CAPTURE_NO_RANK, .waited = task->waited, .wait_status = task->wait_status, .prepared = step.prepared, .exited = task->exited,
        .exited_by = task->waited ? "wait" : NULL, .cgroup = *task->memory.cgroup ? task->memory.cgroup : NULL, .memory = task->memory.step,
        .job_memory = task->memory.job, .capture = step.said,
    };
    if (step.capture) {
        struct capture_task said = capture_task(step.capture, local);
        r.has_streams = true;
        r.rank = said.rank;
        r.started = said.started;
        r.pid = r.pid ? r.pid : said.pid;
        if (said.exited.monotonic_ns && task->waited) { /* the kernel told us at once; Slurm may have run a TaskEpilog first */
            r.exited = said.exited;
            r.exited_by = "pidfd";
        }
        r.stream[0] = capture_stream(step.capture, local, CAPTURE_OUT);
        r.stream[1] = capture_stream(step.capture, local, CAPTURE_ERR);
    }
    return r;
}

static void put_record(int folder, unsigned local, const char *state, bool durable)
{
    struct exit_record r = record_of(local, state);
    int why;
    if (strcmp(state, "closed") == 0)
        r.closed = instant_now();
    why = folder < 0 ? errno : exit_record_put(folder, &r, durable);
    if (why)
        slurm_verbose("gpualert: exit record of task %u: %s", r.task, strerror(why));
}

static struct capture_bounds bounds_of(const struct storage *storage, const struct usage *usage)
{
    const struct config *c = config();
    struct capture_bounds b = capture_default_bounds;
    uint64_t rank = storage->in_memory ? c->tmpfs_rank_max_kib << 10 : c->rank_max_mib << 20;
    uint64_t job = (storage->in_memory ? c->tmpfs_job_max_mib : c->job_max_mib) << 20;
    uint64_t share = usage->bytes < job ? (job - usage->bytes) / step.id.local_tasks : 0;
    uint64_t each = (share < rank ? share : rank) / 2; /* two streams */
    uint64_t tail = c->tail_kib << 10;

    if (storage->in_memory && tail > 65536)
        tail = 65536;
    b.tail_max_bytes = (uint32_t)tail;
    if (each < LAST_WORDS_BYTES)
        each = tail = LAST_WORDS_BYTES;
    else if (tail > each / 2)
        tail = each / 2;
    b.tail_kept_bytes = (uint32_t)tail;
    b.head_max_bytes = each - tail;
    b.backlog_max_bytes = c->backlog_mib << 20;
    b.sync_first = b.own_table = true;
    b.min_free_bytes = storage->in_memory ? 0 : c->min_free_mib << 20;
    return b;
}

/* Opens logs and starts the threads; where it cannot, says why in step.said and capture stays off. */
static void start_capture(const struct storage *storage)
{
    struct usage usage = usage_read(step.attempt.record_folder, USAGE_OF_JOB), node = usage_read(step.attempt.record_folder, USAGE_OF_NODE);
    struct capture_bounds bounds = bounds_of(storage, &usage);
    uint64_t most_logs = config()->job_max_logs, node_max = config()->node_max_mib << 20;
    uint32_t *globals;
    int why;

    if (storage->in_memory && most_logs > (config()->tmpfs_job_max_mib << 20) / TMPFS_LOG_BYTES)
        most_logs = (config()->tmpfs_job_max_mib << 20) / TMPFS_LOG_BYTES; /* an empty log takes a page as well */
    if (usage.logs + 2ULL * step.id.local_tasks > most_logs) {
        snprintf(step.said, sizeof step.said, "off: the job has %llu logs on this node, job_max_logs=%llu", (unsigned long long)usage.logs,
                 (unsigned long long)most_logs);
        return;
    }
    if (node.bytes >= node_max) {
        snprintf(step.said, sizeof step.said, "off: the logs of all jobs on this node have %llu MiB, node_max_mib=%llu",
                 (unsigned long long)(node.bytes >> 20), (unsigned long long)config()->node_max_mib);
        return;
    }
    globals = calloc(step.id.local_tasks, sizeof *globals);
    step.capture = globals ? capture_new(step.id.local_tasks, &bounds) : NULL;
    if (!step.capture) {
        snprintf(step.said, sizeof step.said, "off: no memory or descriptors for %u tasks", step.id.local_tasks);
        free(globals);
        return;
    }
    for (unsigned i = 0; i < step.id.local_tasks; i++)
        globals[i] = step.tasks[i].global;
    if (!logs_open(step.capture, &step.attempt, &step.id, globals, step.said, sizeof step.said)) {
        capture_free(step.capture);
        step.capture = NULL;
    } else if ((why = capture_start(step.capture))) {
        snprintf(step.said, sizeof step.said, "off: threads: %s", strerror(why));
        capture_free(step.capture);
        step.capture = NULL;
    }
    free(globals);
}

static bool is_set(spank_t sp, const char *name, const char *none)
{
    char value[64];
    spank_err_t said = spank_getenv(sp, name, value, sizeof value);
    return said == ESPANK_NOSPACE || (said == ESPANK_SUCCESS && strcmp(value, none) != 0);
}

/* As Slurm tells the job; a user may pretend to it, and is then captured. */
static bool has_gpu(spank_t sp)
{
    return is_set(sp, "SLURM_JOB_GPUS", "") || is_set(sp, "SLURM_STEP_GPUS", "") || is_set(sp, "SLURM_GPUS_ON_NODE", "0");
}

/* Whether the job asked, or the site asks for it. */
static bool is_meant(spank_t sp)
{
    if (options_asked() || options_declined())
        return options_asked();
    return config()->capture == CAPTURE_ALL || (config()->capture == CAPTURE_GPU && has_gpu(sp));
}

static bool wanted(spank_t sp)
{
    const char *why;
    if (config()->disabled)
        return false;
    options_complete(sp);
    if (!is_meant(sp) || access(config()->off_file, F_OK) == 0)
        return false;
    why = identity_read(sp, &step.id);
    if (why)
        slurm_info("gpualert: %s: no capture", why);
    return !why && !step.id.extern_step;
}

void step_prepare(spank_t sp)
{
    struct storage storage;
    const char *what;
    int why;

    if (!wanted(sp))
        return;
    storage_open(&storage, config()->state_dir, config()->min_free_mib);
    if (storage.fd < 0) {
        slurm_info("gpualert: job %u: no capture: %s", step.id.job, storage.refused);
        return;
    }
    why = attempt_open(&step.attempt, sp, &step.id, &storage, &what);
    close(storage.fd);
    if (why) {
        slurm_info("gpualert: job %u: no capture: %s in %s: %s", step.id.job, what, config()->state_dir, strerror(why));
        return;
    }
    step.tasks = calloc(step.id.local_tasks, sizeof *step.tasks);
    if (!step.tasks) {
        attempt_release(&step.attempt);
        return;
    }
    for (uint32_t i = 0; i < step.id.local_tasks; i++)
        if (spank_get_item(sp, S_JOB_LOCAL_TO_GLOBAL_ID, i, &step.tasks[i].global))
            step.tasks[i].global = i;
    step.prepared = instant_now();
    snprintf(step.said, sizeof step.said, "%s", *storage.too_full ? storage.too_full : "on");
    if (!*storage.too_full)
        start_capture(&storage);
    if (!step.capture)
        slurm_info("gpualert: job %u: capture is %s", step.id.job, step.said);
    else
        split_ranks(sp, step.id.job);
    for (unsigned i = 0; i < step.id.local_tasks; i++)
        put_record(step.attempt.record_folder, i, "prepared", false);
    attempt_release(&step.attempt);
}

static uint32_t number_of(const char *text)
{
    uint32_t n = 0;
    if (!*text)
        return CAPTURE_NO_RANK;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || n > 100000000)
            return CAPTURE_NO_RANK;
        n = n * 10 + (uint32_t)(*text - '0');
    }
    return n;
}

void step_attach_task(spank_t sp)
{
    char rank[16] = "";
    int local;
    if (!step.capture || spank_get_item(sp, S_TASK_ID, &local) || local < 0)
        return;
    if (spank_getenv(sp, "SLURM_PROCID", rank, sizeof rank))
        rank[0] = '\0';
    capture_attach(capture_socket(step.capture), (unsigned)local, number_of(rank), ATTACH_WAIT_MS);
}

void step_task_forked(void)
{
    if (step.capture)
        capture_forked(step.capture);
}

static bool all_waited(void)
{
    for (unsigned i = 0; i < step.id.local_tasks; i++)
        if (!step.tasks[i].waited)
            return false;
    return true;
}

/* Every task ended, each with status 0. */
static bool all_well(void)
{
    for (unsigned i = 0; i < step.id.local_tasks; i++)
        if (!step.tasks[i].waited || step.tasks[i].wait_status != 0)
            return false;
    return true;
}

void step_task_exited(spank_t sp)
{
    int local, status;
    pid_t pid;
    struct ending *task;

    if (!step.tasks || spank_get_item(sp, S_TASK_ID, &local) || local < 0 || (uint32_t)local >= step.id.local_tasks ||
        spank_get_item(sp, S_TASK_EXIT_STATUS, &status))
        return;
    task = &step.tasks[local];
    task->exited = instant_now();
    task->waited = true;
    task->wait_status = status;
    if (spank_get_item(sp, S_TASK_PID, &pid) == ESPANK_SUCCESS)
        task->pid = pid;
    if (step.capture)
        capture_task_ended(step.capture, (unsigned)local);
    cgroup_read_memory(step.id.job, status != 0, &task->memory);
    if (status != 0 || !all_waited()) { /* else step_end comes at once */
        int folder = attempt_open_records(&step.attempt);
        put_record(folder, (unsigned)local, "exited", false);
        if (folder >= 0)
            close(folder);
    }
}

static struct usage kept(void)
{
    struct usage sum = {0, 0};
    for (unsigned i = 0; i < step.id.local_tasks; i++)
        for (int s = 0; s < 2; s++) {
            struct capture_stream said = capture_stream(step.capture, i, s ? CAPTURE_ERR : CAPTURE_OUT);
            sum.logs++;
            sum.bytes += said.head + said.tail;
        }
    return sum;
}

void step_end(void)
{
    bool durable;
    int folder;

    if (!step.tasks)
        return;
    folder = attempt_open_records(&step.attempt);
    /*
     * Slurm reports the step only after this: a numbered step that waits for a disk here may be reported after its job, whose
     * DerivedExitCode then lacks it. So only the batch step, the last one, waits, and only for a failure.
     */
    durable = step.id.first_of_attempt && !all_well();
    if (step.capture) {
        if (!capture_finish(step.capture, durable ? FLUSH_WAIT : all_well() ? FLUSH_NOT : FLUSH_BEGIN))
            slurm_info("gpualert: job %u step %s: an output or a log hangs; what it did not take is in the exit record", step.id.job, step.id.step);
        usage_add(folder, USAGE_OF_JOB, kept());
        usage_add(folder, USAGE_OF_NODE, kept());
    }
    for (unsigned i = 0; i < step.id.local_tasks; i++)
        put_record(folder, i, "closed", durable);
    if (durable && folder >= 0)
        (void)fsync(folder);
    if (folder >= 0)
        close(folder);
    capture_free(step.capture);
    free(step.tasks);
    step.tasks = NULL;
    step.capture = NULL;
}
