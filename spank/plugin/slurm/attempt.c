#include "attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "job_file.h"
#include "whole_file.h"

/* The node's folders, open. */
struct node {
    int logs, node, jobs, ended, byjob, tmp;
};

static int open_folder(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Opens a folder, making it when it is missing. -1 and errno. */
static int need_folder(int parent, const char *name, mode_t mode)
{
    int fd = open_folder(parent, name);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
        return -1;
    fd = open_folder(parent, name);
    if (fd >= 0 && mode != 0700 && fchmod(fd, mode) < 0) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

static void close_node(struct node *n)
{
    const int fds[] = {n->logs, n->node, n->jobs, n->ended, n->byjob, n->tmp};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static int open_node(struct node *n, int state, const char *name)
{
    int all = need_folder(state, "node", 0700), why = 0;
    *n = (struct node){-1, -1, -1, -1, -1, -1};
    if (all < 0)
        return errno;
    if ((n->logs = need_folder(state, "logs", 0711)) < 0 || (n->node = need_folder(all, name, 0700)) < 0 ||
        (n->jobs = need_folder(n->node, "jobs", 0700)) < 0 || (n->ended = need_folder(n->node, "ended", 0700)) < 0 ||
        (n->byjob = need_folder(n->node, "byjob", 0700)) < 0 || (n->tmp = need_folder(n->node, "tmp", 0700)) < 0)
        why = errno;
    close(all);
    if (why)
        close_node(n);
    return why;
}

static int name_attempt(char *name, size_t size, uint32_t job)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        return errno ? errno : EAGAIN;
    snprintf(name, size, "%u.%016llx", job, (unsigned long long)random);
    return 0;
}

static bool is_attempt_name(const char *name, uint32_t job)
{
    char start[16];
    int n = snprintf(start, sizeof start, "%u.", job);
    return strncmp(name, start, (size_t)n) == 0 && strlen(name) == (size_t)n + 16 && strspn(name + n, "0123456789abcdef") == 16;
}

static void close_and_forget(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void attempt_release(struct attempt *a)
{
    close_and_forget(&a->log_folder);
    close_and_forget(&a->record_folder);
    for (int i = 0; i < ATTEMPT_FRESH; i++)
        close_and_forget(&a->fresh[i]);
}

/* Opens the two folders of an attempt that exists. */
static int open_attempt(struct attempt *a, const struct node *n, const struct identity *id)
{
    struct stat status;
    a->record_folder = open_folder(n->node, a->name);
    if (a->record_folder < 0)
        return errno;
    a->log_folder = open_folder(n->logs, a->name);
    if (a->log_folder < 0 || fstat(a->log_folder, &status) < 0 || status.st_uid != id->uid) {
        int why = a->log_folder < 0 ? errno : EPERM;
        attempt_release(a);
        return why;
    }
    return 0;
}

enum standing { NONE, OURS, STALE };

/* What byjob/<job id> says. Fills the attempt's name unless there is none. */
static enum standing look_up(struct attempt *a, const struct node *n, const struct identity *id, const char *key)
{
    static char text[JOB_FILE_MAX_BYTES];
    char boot[BOOT_ID_CHARS + 1] = "", uid[32];

    a->name[0] = '\0';
    if (whole_file_read(n->byjob, key, text, sizeof text) < 0)
        return errno == ENOENT ? NONE : STALE;
    if (!job_file_field(text, "attempt", a->name, sizeof a->name) || !is_attempt_name(a->name, id->job)) {
        a->name[0] = '\0';
        return STALE;
    }
    snprintf(uid, sizeof uid, "\"uid\":%u,", id->uid);
    if (id->first_of_attempt || !strstr(text, uid) || !job_file_field(text, "boot_id", boot, sizeof boot) || strcmp(boot, id->boot_id) != 0)
        return STALE;
    return OURS;
}

/* An attempt whose epilog never ran: its logs are still worth a report. */
static void retire(const struct node *n, const char *key, const char *name)
{
    if (*name && renameat(n->jobs, name, n->ended, name) < 0 && errno != ENOENT)
        slurm_info("gpualert: %s could not be moved to ended/: %s", name, strerror(errno));
    unlinkat(n->byjob, key, 0);
}

static void remove_attempt(const struct node *n, const char *name)
{
    unlinkat(n->tmp, name, 0);
    unlinkat(n->node, name, AT_REMOVEDIR);
    unlinkat(n->logs, name, AT_REMOVEDIR);
}

/* Two folders and the job file in tmp/. */
static int make_attempt(struct attempt *a, const struct node *n, spank_t sp, const struct identity *id, const struct storage *storage)
{
    static char text[JOB_FILE_MAX_BYTES];
    size_t length;
    int why = name_attempt(a->name, sizeof a->name, id->job);

    if (why)
        return why;
    if (mkdirat(n->node, a->name, 0700) < 0 || mkdirat(n->logs, a->name, 0700) < 0 ||
        fchownat(n->logs, a->name, id->uid, id->gid, AT_SYMLINK_NOFOLLOW) < 0) {
        why = errno;
    } else {
        length = job_file_text(text, sizeof text, sp, id, a->name, storage);
        why = length ? whole_file_create(n->tmp, a->name, text, length, false) : EOVERFLOW;
    }
    if (why)
        remove_attempt(n, a->name);
    return why;
}

/* At most a second: another slurmstepd of this job replaces a stale entry just now, or hangs. */
static void lock_briefly(int fd)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    for (int i = 0; i < 100 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK; i++)
        nanosleep(&nap, NULL);
}

/* Links the job file to byjob/. The one link that succeeds decides who made the attempt; EEXIST: another step did. */
static int publish(struct attempt *a, const struct node *n, const struct identity *id, const char *key)
{
    struct attempt standing;
    int why = linkat(n->tmp, a->name, n->byjob, key, 0) < 0 ? errno : 0;

    if (why == EEXIST && look_up(&standing, n, id, key) == STALE) {
        lock_briefly(n->byjob);
        if (look_up(&standing, n, id, key) == STALE)
            retire(n, key, standing.name);
        why = linkat(n->tmp, a->name, n->byjob, key, 0) < 0 ? errno : 0;
        flock(n->byjob, LOCK_UN);
    }
    if (why)
        return why;
    if (linkat(n->tmp, a->name, n->jobs, a->name, 0) < 0 && errno != EEXIST) { /* EEXIST: a later step mended it, see below */
        why = errno;
        unlinkat(n->byjob, key, 0);
        return why;
    }
    unlinkat(n->tmp, a->name, 0);
    a->fresh[0] = openat(n->jobs, a->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    a->fresh[1] = fcntl(n->jobs, F_DUPFD_CLOEXEC, 3);
    return 0;
}

static int find_or_make(struct attempt *a, const struct node *n, spank_t sp, const struct identity *id, const struct storage *storage)
{
    char key[16];
    int why;

    snprintf(key, sizeof key, "%u", id->job);
    if (look_up(a, n, id, key) == OURS) {
        /* Its maker may have died between its two links: nobody would ever hear of the job. */
        if (faccessat(n->jobs, a->name, F_OK, 0) < 0 && faccessat(n->ended, a->name, F_OK, 0) < 0)
            (void)linkat(n->byjob, key, n->jobs, a->name, 0);
        return 0;
    }
    why = make_attempt(a, n, sp, id, storage);
    if (why)
        return why;
    why = publish(a, n, id, key);
    if (why) {
        remove_attempt(n, a->name);
        if (why == EEXIST && look_up(a, n, id, key) == OURS)
            return 0;
    }
    return why;
}

int attempt_open(struct attempt *a, spank_t sp, const struct identity *id, const struct storage *storage, const char **what)
{
    struct node n;
    int why = open_node(&n, storage->fd, id->node);

    a->log_folder = a->record_folder = -1;
    for (int i = 0; i < ATTEMPT_FRESH; i++)
        a->fresh[i] = -1;
    *what = "the node's folders";
    if (why)
        return why;
    *what = "the job file";
    why = find_or_make(a, &n, sp, id, storage);
    if (why == 0) {
        *what = "the job's folders";
        why = open_attempt(a, &n, id);
        snprintf(a->record_path, sizeof a->record_path, "%s/node/%s/%s", config()->state_dir, id->node, a->name);
    }
    if (why)
        attempt_release(a);
    close_node(&n);
    return why;
}

int attempt_open_records(const struct attempt *a)
{
    return open(a->record_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}
