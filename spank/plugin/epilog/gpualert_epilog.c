/*
 * gpualert-epilog: tells the node that a job has ended here. First of the site's Epilog programs; format: doc/formats/job-file.md.
 *
 * Static, forks nothing, needs no PATH, ends within two seconds and always with 0: any other status of an Epilog drains the node.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "instant.h"
#include "json.h"
#include "settings.h"
#include "storage.h"
#include "whole_file.h"

enum { MOST_ATTEMPTS = 16, VALUE_MAX_CHARS = 4096, WAIT_MS = 1000, NAP_MS = 10, HANG_S = 3, FACTS_MAX_BYTES = 131072 };

static const char *const variables[] = {
    "SLURM_JOB_ID", "SLURM_JOB_UID", "SLURM_JOB_USER", "SLURM_JOB_GID", "SLURM_JOB_RESTART_COUNT", "SLURM_JOB_EXIT_CODE", "SLURM_JOB_EXIT_CODE2",
    "SLURM_JOB_DERIVED_EC", "SLURM_JOB_GPUS", "SLURM_JOB_START_TIME", "SLURM_JOB_END_TIME", "SLURM_JOB_WORK_DIR", "SLURM_JOB_NODELIST",
    "SLURM_JOB_PARTITION", "SLURM_JOB_STDOUT", "SLURM_JOB_STDERR", "SLURM_JOB_NAME", "SLURM_JOB_SLUID", "SLURM_CLUSTER_NAME", "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID", "SLURM_HET_JOB_ID", "SLURM_HET_JOB_OFFSET", "SLURMD_NODENAME", "SPANK_GPUALERT_MAIL", "SPANK_GPUALERT_WHEN",
    "SPANK_GPUALERT_ARTIFACTS",
};

struct ended_job {
    char attempt[64];
};

static void say(const char *what, const char *name, int why)
{
    fprintf(stderr, "gpualert-epilog: %s %s: %s\n", what, name, strerror(why)); /* slurmd's log */
}

static void leave(int signal_number)
{
    (void)signal_number;
    _exit(0);
}

/* Whatever hangs below. A program inherits the mask of the thread that started it, and slurmd's may block the alarm. */
static void end_in_time(void)
{
    sigset_t ours;

    signal(SIGALRM, leave);
    signal(SIGTERM, leave);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&ours);
    sigaddset(&ours, SIGALRM);
    sigaddset(&ours, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
    alarm(HANG_S);
}

static int open_folder(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static size_t facts_text(char *buffer, size_t size, const char *attempt, const char *node, size_t value_max)
{
    char boot[BOOT_ID_CHARS + 1], value[VALUE_MAX_CHARS + 1];
    struct instant now = instant_now();
    struct json j;

    boot_id_read(boot);
    json_begin(&j, buffer, size, NULL);
    json_text(&j, "format", "gpualert-epilog/1");
    json_text(&j, "attempt", attempt);
    json_text(&j, "node", node);
    json_text(&j, "boot_id", boot);
    json_int(&j, "ended_ns", now.realtime_ns);
    json_int(&j, "ended_monotonic_ns", now.monotonic_ns);
    json_open(&j, "env", '{');
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *said = getenv(variables[i]);
        if (said) {
            snprintf(value, value_max + 1, "%s", said);
            json_text(&j, variables[i], value);
        }
    }
    json_close(&j, '}');
    return json_end(&j);
}

static void leave_facts(int node_folder, const char *attempt, const char *node)
{
    static char text[FACTS_MAX_BYTES];
    int why, record = open_folder(node_folder, attempt);
    size_t length = facts_text(text, sizeof text, attempt, node, VALUE_MAX_CHARS);

    if (length == 0) /* control characters grow sixfold */
        length = facts_text(text, sizeof text, attempt, node, VALUE_MAX_CHARS / 8);
    if (record < 0) {
        say("record folder of", attempt, errno);
        return;
    }
    why = length ? whole_file_put(record, "epilog.json", text, length, true) : EOVERFLOW;
    if (why)
        say("epilog.json of", attempt, why);
    close(record);
}

/* Names in jobs/ that begin with "<job>.": more than one only where an earlier attempt's epilog never ran. */
static size_t find_attempts(int jobs, const char *job, struct ended_job *found)
{
    size_t count = 0, length = strlen(job);
    int copy = fcntl(jobs, F_DUPFD_CLOEXEC, 3);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;

    if (!listing)
        return 0;
    while (count < MOST_ATTEMPTS && (entry = readdir(listing)))
        if (strncmp(entry->d_name, job, length) == 0 && entry->d_name[length] == '.' && strlen(entry->d_name) < sizeof found->attempt)
            snprintf(found[count++].attempt, sizeof found->attempt, "%s", entry->d_name);
    closedir(listing);
    return count;
}

/* gpualert-node took the job up and has not said yet that it is done. */
static bool is_watched(int node_folder, const char *attempt)
{
    char path[128];
    snprintf(path, sizeof path, "%s/after", attempt);
    if (faccessat(node_folder, path, F_OK, 0) == 0)
        return false;
    snprintf(path, sizeof path, "%s/watching", attempt);
    return faccessat(node_folder, path, F_OK, 0) == 0;
}

static void wait_for_after(int node_folder, const struct ended_job *ended, size_t count)
{
    const struct timespec nap = {.tv_nsec = NAP_MS * 1000000L};
    int64_t until_ns = monotonic_now_ns() + WAIT_MS * 1000000LL;

    for (size_t i = 0; i < count; i++)
        while (monotonic_now_ns() < until_ns && is_watched(node_folder, ended[i].attempt))
            nanosleep(&nap, NULL);
}

static void end_job(int node_folder, const char *node, const char *job)
{
    struct ended_job found[MOST_ATTEMPTS];
    int jobs = open_folder(node_folder, "jobs"), ended = open_folder(node_folder, "ended"), byjob = open_folder(node_folder, "byjob");
    size_t count = jobs < 0 || ended < 0 ? 0 : find_attempts(jobs, job, found);

    for (size_t i = 0; i < count; i++) {
        leave_facts(node_folder, found[i].attempt, node);
        if (renameat(jobs, found[i].attempt, ended, found[i].attempt) < 0)
            say("moving", found[i].attempt, errno);
    }
    if (count && byjob >= 0 && unlinkat(byjob, job, 0) < 0 && errno != ENOENT)
        say("forgetting job", job, errno);
    if (count) {
        (void)fsync(ended);
        (void)fsync(jobs);
        wait_for_after(node_folder, found, count);
    }
}

static bool is_number(const char *word)
{
    size_t length = word ? strlen(word) : 0;
    return length > 0 && length <= 10 && strspn(word, "0123456789") == length;
}

static const char *node_name(char *buffer, size_t size)
{
    const char *said = getenv("SLURMD_NODENAME");
    if (said && *said && *said != '.' && !strchr(said, '/'))
        return said;
    if (gethostname(buffer, size) < 0)
        return NULL;
    buffer[size - 1] = '\0';
    buffer[strcspn(buffer, ".")] = '\0';
    return buffer;
}

int main(int argc, char **argv)
{
    const char *job = getenv("SLURM_JOB_ID"), *node;
    struct settings settings;
    struct storage storage;
    char host[256];
    int all, folder;

    end_in_time();
    settings_read(&settings, argc, argv);
    node = node_name(host, sizeof host);
    if (!is_number(job) || !node || access(settings.off_file, F_OK) == 0)
        return 0;
    storage_open(&storage, settings.state_dir, 0); /* refuses a network file system before it is touched */
    all = storage.fd < 0 ? -1 : open_folder(storage.fd, "node");
    folder = all < 0 ? -1 : open_folder(all, node);
    if (folder >= 0)
        end_job(folder, node, job);
    return 0;
}
