#include "logs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rank_log.h"

enum { FDS_OTHERS = 128, STEPD_LOG_MAX_BYTES = 256 << 10 };

static int create(int folder, const char *name)
{
    return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Created, with its header, given to the user. -1 and errno. */
static int create_log(const struct attempt *attempt, const struct identity *id, uint32_t local, uint32_t global, const char *stream)
{
    struct rank_log_name name = {.job = id->job, .attempt = attempt->name, .step = id->step, .stream = stream, .node = id->node,
                                 .boot_id = id->boot_id, .task = global, .local = local, .uid = id->uid};
    char file[64];
    int why, fd;

    snprintf(file, sizeof file, "%s.%u.%s", id->step, global, stream);
    fd = create(attempt->log_folder, file);
    if (fd < 0)
        return -1;
    why = rank_log_start(fd, &name);
    if (why == 0 && fchown(fd, id->uid, id->gid) < 0)
        why = errno;
    if (why == 0)
        return fd;
    close(fd);
    unlinkat(attempt->log_folder, file, 0);
    errno = why;
    return -1;
}

static bool enough_descriptors(uint32_t tasks)
{
    struct rlimit limit;
    rlim_t need = (rlim_t)tasks * CAPTURE_FDS_A_TASK + FDS_OTHERS;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= need)
        return true;
    if (limit.rlim_max < need)
        return false;
    limit.rlim_cur = need; /* slurmstepd's own: tasks get the user's limits at exec */
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

bool logs_open(struct capture *c, const struct attempt *attempt, const struct identity *id, const uint32_t *globals, char *said, size_t size)
{
    char name[64];
    int own;

    if (!enough_descriptors(id->local_tasks)) {
        snprintf(said, size, "off: slurmstepd may not open enough files for %u tasks", id->local_tasks);
        return false;
    }
    for (uint32_t i = 0; i < id->local_tasks; i++) {
        int err = -1, out = create_log(attempt, id, i, globals[i], "out");
        if (out >= 0)
            err = create_log(attempt, id, i, globals[i], "err");
        if (err < 0) {
            snprintf(said, size, "off: log of task %u: %s", globals[i], strerror(errno));
            if (out >= 0)
                close(out);
            return false;
        }
        snprintf(name, sizeof name, "%s.%u.idx", id->step, globals[i]);
        int why = capture_add_task(c, i, out, err, create(attempt->record_folder, name), id->boot_id);
        if (why) {
            snprintf(said, size, "off: log of task %u could not be handed over: %s", globals[i], strerror(why));
            return false;
        }
    }
    capture_durable(c, attempt->log_folder);
    for (int i = 0; i < ATTEMPT_FRESH; i++)
        if (attempt->fresh[i] >= 0)
            capture_durable(c, attempt->fresh[i]);
    snprintf(name, sizeof name, "%s.stepd.log", id->step);
    own = create(attempt->record_folder, name);
    if (own >= 0)
        capture_own_stderr(c, own, STEPD_LOG_MAX_BYTES);
    return true;
}
