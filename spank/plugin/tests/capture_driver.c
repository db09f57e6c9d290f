/*
 * A parent of tasks on the capture core: what slurmstepd is to the plugin, in 150 lines, for the tests.
 *
 * capture-driver FOLDER [key=value …] -- COMMAND [ARGUMENT …]
 *   tasks=N head=BYTES tail=BYTES backlog=BYTES min_free=BYTES linger=MS stall=MS finish=MS own_stderr=1 own_table=1 own_says=TEXT lets_go=1 frozen=PATH
 * Runs COMMAND in N tasks with TASK=<n> in their environment, their fds 1 and 2 being the driver's own; or the paths of out=PATH and
 * err=PATH, opened as slurmstepd does (each of them, appending; %t is the task's number). Logs, indexes and exit records land in FOLDER. Ends with task 0's exit code, or 128 + its
 * signal; 3 when a thread was left behind. lets_go: fd 2 is a pipe, of which the driver lets go before the end; 4 when its reader does not see that. frozen:
 * the file system at PATH hangs (FIFREEZE) from the first fork until the tasks are gone and fd 2 was let go of; logs are flushed before tasks start.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "exit_record.h"
#include "rank_log.h"

struct options {
    unsigned tasks;
    struct capture_bounds bounds;
    const char *out, *err, *own_says, *frozen;
    int own_stderr, lets_go;
};

static void fail(const char *what)
{
    fprintf(stderr, "capture-driver: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void read_option(struct options *o, const char *word)
{
    const char *value = strchr(word, '=');
    size_t key = value ? (size_t)(value - word) : 0;
#define IS(name) (key == strlen(name) && strncmp(word, name, key) == 0)
    if (!value)
        fail(word);
    value++;
    if (IS("tasks"))
        o->tasks = (unsigned)strtoul(value, NULL, 10);
    else if (IS("head"))
        o->bounds.head_max_bytes = strtoull(value, NULL, 10);
    else if (IS("tail"))
        o->bounds.tail_max_bytes = (uint32_t)strtoul(value, NULL, 10);
    else if (IS("backlog"))
        o->bounds.backlog_max_bytes = strtoull(value, NULL, 10);
    else if (IS("min_free"))
        o->bounds.min_free_bytes = strtoull(value, NULL, 10);
    else if (IS("linger"))
        o->bounds.linger_ms = (unsigned)strtoul(value, NULL, 10);
    else if (IS("stall"))
        o->bounds.stall_ms = (unsigned)strtoul(value, NULL, 10);
    else if (IS("finish"))
        o->bounds.finish_ms = (unsigned)strtoul(value, NULL, 10);
    else if (IS("own_stderr"))
        o->own_stderr = 1;
    else if (IS("lets_go"))
        o->lets_go = 1;
    else if (IS("frozen"))
        o->frozen = value, o->bounds.sync_first = true;
    else if (IS("own_table"))
        o->bounds.own_table = true;
    else if (IS("own_says"))
        o->own_says = value;
    else if (IS("out"))
        o->out = value;
    else if (IS("err"))
        o->err = value;
    else
        fail(word);
#undef IS
}

static int make_log(int folder, unsigned task, const char *stream, const char *boot)
{
    char name[64];
    struct rank_log_name id = {.job = 7, .attempt = "7.0123456789abcdef", .step = "0", .stream = stream, .node = "here", .boot_id = boot,
                               .task = task, .local = task, .uid = getuid()};
    snprintf(name, sizeof name, "0.%u.%s", task, stream);
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || rank_log_start(fd, &id))
        fail(name);
    return fd;
}

static void redirect(const char *pattern, unsigned task, int target)
{
    const char *at = pattern ? strstr(pattern, "%t") : NULL;
    char path[1024] = "";
    if (pattern)
        snprintf(path, sizeof path, "%.*s", at ? (int)(at - pattern) : (int)sizeof path - 1, pattern);
    if (at)
        snprintf(path + strlen(path), sizeof path - strlen(path), "%u%s", task, at + 2);
    int fd = pattern ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (pattern && (fd < 0 || dup2(fd, target) < 0))
        fail(path);
    if (fd > 2)
        close(fd);
}

/* Fd 2 becomes a pipe. Returns its read end. */
static int stderr_pipe(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0 || dup2(ends[1], 2) < 0)
        fail("pipe2");
    close(ends[1]);
    return ends[0];
}

/* Points fd 2 elsewhere; whether the pipe's reader sees its end within three seconds. */
static bool let_go(int reader)
{
    struct pollfd p = {.fd = reader, .events = POLLIN};
    char bytes[4096];
    redirect("/dev/null", 0, 2);
    while (poll(&p, 1, 3000) > 0)
        if (read(reader, bytes, sizeof bytes) == 0)
            return true;
    return false;
}

static pid_t launch(const struct options *o, struct capture *c, unsigned task, char **command)
{
    char number[16];
    pid_t child = fork();
    if (child)
        return child;
    redirect(o->out, task, 1);
    redirect(o->err, task, 2);
    snprintf(number, sizeof number, "%u", task);
    setenv("TASK", number, 1);
    capture_attach(capture_socket(c), task, task, 2000);
    execvp(command[0], command);
    fprintf(stderr, "execve(): %s: %s\n", command[0], strerror(errno));
    _exit(errno);
}

static void record(int folder, struct capture *c, const struct options *o, unsigned task, int status, const char *boot)
{
    struct capture_task said = capture_task(c, task);
    struct exit_record r = {.attempt = "7.0123456789abcdef", .node = "here", .boot_id = boot, .step = "0", .job = 7, .task = task, .local = task,
                            .local_tasks = o->tasks, .step_tasks = o->tasks, .node_count = 1, .parent_pid = getpid(), .pid = said.pid,
                            .state = "closed", .rank = said.rank, .waited = true, .wait_status = status, .prepared = instant_now(),
                            .started = said.started, .exited = said.exited, .exited_by = said.exited.monotonic_ns ? "pidfd" : NULL,
                            .closed = instant_now(), .capture = "on", .has_streams = true};
    r.stream[0] = capture_stream(c, task, CAPTURE_OUT);
    r.stream[1] = capture_stream(c, task, CAPTURE_ERR);
    if (exit_record_put(folder, &r, false))
        fail("exit record");
}

int main(int argc, char **argv)
{
    struct options o = {.tasks = 1, .bounds = capture_default_bounds};
    char boot[BOOT_ID_CHARS + 1], name[64];
    int at = 2, folder, status[64] = {0};
    pid_t child[64];
    struct capture *c;
    bool ended, seen = true;
    int reader = -1, frozen = -1;

    o.bounds.min_free_bytes = 0;
    for (; at < argc && strcmp(argv[at], "--"); at++)
        read_option(&o, argv[at]);
    if (at + 1 >= argc || o.tasks < 1 || o.tasks > 64) {
        fprintf(stderr, "usage: capture-driver FOLDER [key=value ...] -- COMMAND [ARGUMENT ...]\n");
        return 2;
    }
    folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        fail(argv[1]);
    boot_id_read(boot);
    if (o.lets_go)
        reader = stderr_pipe();
    c = capture_new(o.tasks, &o.bounds);
    if (!c)
        fail("capture_new");
    for (unsigned i = 0; i < o.tasks; i++) {
        int out = make_log(folder, i, "out", boot), err = make_log(folder, i, "err", boot);
        snprintf(name, sizeof name, "0.%u.idx", i);
        (void)capture_add_task(c, i, out, err, openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), boot);
    }
    if (o.own_stderr)
        capture_own_stderr(c, openat(folder, "0.stepd.log", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), 262144);
    if (capture_start(c))
        fail("capture_start");
    if (o.frozen && ((frozen = open(o.frozen, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 || ioctl(frozen, FIFREEZE, 0) < 0))
        fail(o.frozen);
    for (unsigned i = 0; i < o.tasks; i++)
        child[i] = launch(&o, c, i, argv + at + 1);
    if (o.bounds.own_table)
        capture_forked(c);
    for (unsigned left = o.tasks; left > 0; left--) {
        int s;
        pid_t gone = wait(&s);
        for (unsigned i = 0; i < o.tasks; i++)
            if (child[i] == gone) {
                status[i] = s;
                capture_task_ended(c, i);
            }
    }
    if (o.own_says)
        fprintf(stderr, "%s\n", o.own_says);
    if (o.lets_go)
        seen = let_go(reader);
    if (o.frozen && ioctl(frozen, FITHAW, 0) < 0)
        fail("FITHAW");
    ended = capture_finish(c, FLUSH_NOT);
    for (unsigned i = 0; i < o.tasks; i++)
        record(folder, c, &o, i, status[i], boot);
    close(folder);
    if (!ended)
        _exit(3);
    capture_free(c);
    if (!seen)
        return 4;
    return WIFSIGNALED(status[0]) ? 128 + WTERMSIG(status[0]) : WEXITSTATUS(status[0]);
}
