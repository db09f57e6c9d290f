#include "config.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"

static struct config now = {
    .state_dir = "/var/spool/gpualert",
    .off_file = "/etc/gpualert/off",
    .min_free_mib = 1024,
    .rank_max_mib = 64,
    .job_max_mib = 1024,
    .job_max_logs = 8192,
    .node_max_mib = 16384,
    .tail_kib = 256,
    .backlog_mib = 64,
    .tmpfs_rank_max_kib = 1024,
    .tmpfs_job_max_mib = 16,
};

static const char *const names[] = {"state_dir", "off_file", "capture", "min_free_mib", "rank_max_mib", "job_max_mib", "job_max_logs", "node_max_mib",
                                    "tail_kib", "backlog_mib", "tmpfs_rank_max_kib", "tmpfs_job_max_mib", NULL};

static struct {
    const char *name;
    uint64_t *value, least, most;
} const numbers[] = {
    {"min_free_mib", &now.min_free_mib, 0, 1ULL << 30},
    {"rank_max_mib", &now.rank_max_mib, 1, 1 << 20},
    {"job_max_mib", &now.job_max_mib, 1, 1 << 24},
    {"job_max_logs", &now.job_max_logs, 2, 1 << 20},
    {"node_max_mib", &now.node_max_mib, 1, 1 << 24},
    {"tail_kib", &now.tail_kib, 64, 1 << 16},
    {"backlog_mib", &now.backlog_mib, 1, 1 << 16},
    {"tmpfs_rank_max_kib", &now.tmpfs_rank_max_kib, 64, 1 << 20},
    {"tmpfs_job_max_mib", &now.tmpfs_job_max_mib, 1, 1 << 16},
};

/* Only slurmd's log, and only once a life of slurmd: in slurmstepd slurm_error would land in the user's output. */
static void complain(const char *argument, const char *what, const char *nearest)
{
    now.disabled = true;
    if (spank_context() == S_CTX_SLURMD)
        slurm_error("gpualert: plugstack.conf: %s: %s%s%s; capture is off on this node until that is mended", argument, what,
                    nearest ? ", the nearest valid one is " : "", nearest ? nearest : "");
    else
        slurm_verbose("gpualert: plugstack.conf: %s: %s", argument, what);
}

static const char *set_whom(const char *value)
{
    static const char *const words[] = {[CAPTURE_OPT_IN] = "opt-in", [CAPTURE_GPU] = "gpu", [CAPTURE_ALL] = "all"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            now.capture = (enum capture_whom)i;
            return NULL;
        }
    return "not one of opt-in, gpu, all";
}

static const char *set(const char *key, size_t length, const char *value)
{
    const struct {
        const char *name;
        const char **value;
    } paths[] = {{"state_dir", &now.state_dir}, {"off_file", &now.off_file}};

    if (length == strlen("capture") && strncmp(key, "capture", length) == 0)
        return set_whom(value);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strlen(paths[i].name) == length && strncmp(key, paths[i].name, length) == 0) {
            if (value[0] != '/' || strlen(value) > 1000)
                return "not an absolute path of at most 1000 characters";
            *paths[i].value = value;
            return NULL;
        }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == length && strncmp(key, numbers[i].name, length) == 0) {
            char *end;
            unsigned long long number;
            errno = 0;
            number = strtoull(value, &end, 10);
            if (errno || *end || end == value || *value == '-' || number < numbers[i].least || number > numbers[i].most)
                return "not a number in the range of that argument (slurm_conf_examples says which)";
            *numbers[i].value = number;
            return NULL;
        }
    return "unknown argument";
}

void config_read(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const char *wrong = equals ? set(argv[i], length, equals + 1) : "not key=value";
        if (wrong)
            complain(argv[i], wrong, strcmp(wrong, "unknown argument") == 0 || !equals ? nearest_name(argv[i], length, names) : NULL);
    }
}

const struct config *config(void)
{
    return &now;
}
