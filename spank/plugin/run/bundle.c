#include "bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "memory_mount.h"
#include "whole_file.h"

#define COMMAND_MAX_BYTES 65536
#define RUN_MAX_BYTES (1 << 20)

/* mkdir -p below `top`, which must exist. Returns 0 or an errno. */
static int make_folders(const char *top, const char *below, char path[PATH_MAX])
{
    struct stat status;
    if (stat(top, &status) < 0)
        return errno;
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", top, below) >= PATH_MAX - BUNDLE_NAME_CHARS - 32)
        return ENAMETOOLONG;
    for (char *slash = path + strlen(top) + 1;; slash++) {
        slash = strchrnul(slash, '/');
        char kept = *slash;
        *slash = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return errno;
        *slash = kept;
        if (!kept)
            return 0;
    }
}

/* Makes and opens path/name. Returns 0 or an errno. */
static int make_bundle(struct bundle *b, const char *path)
{
    if ((size_t)snprintf(b->path, sizeof b->path, "%s/%s", path, b->name) >= sizeof b->path)
        return ENAMETOOLONG;
    if (mkdir(b->path, 0700) < 0)
        return errno;
    b->folder = open(b->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return b->folder < 0 ? errno : 0;
}

static int in_state_home(struct bundle *b, char path[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int error = ENOENT;
    path[0] = '\0';
    if (state && state[0] == '/') { /* the specification: ignore what is not absolute */
        char parent[PATH_MAX];
        size_t length = (size_t)snprintf(parent, sizeof parent, "%s", state);
        if (length >= sizeof parent)
            return ENAMETOOLONG;
        mkdir(parent, 0700);
        error = make_folders(parent, "gpualert", path);
    } else if (home && home[0] == '/') {
        error = make_folders(home, ".local/state/gpualert", path);
    }
    return error ? error : make_bundle(b, path);
}

/* /tmp is everybody's: the folder must be our own and closed to others, or it is not used. */
static int in_temporary_folder(struct bundle *b)
{
    const char *top = getenv("TMPDIR");
    char path[PATH_MAX];
    struct stat status;
    if (!top || top[0] != '/')
        top = "/tmp";
    if ((size_t)snprintf(path, sizeof path, "%s/gpualert-%u", top, (unsigned)geteuid()) >= sizeof path)
        return ENAMETOOLONG;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return errno;
    if (lstat(path, &status) < 0)
        return errno;
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077)) {
        size_t used = strlen(path);
        snprintf(path + used, sizeof path - used, ".XXXXXX");
        if (!mkdtemp(path))
            return errno;
    }
    return make_bundle(b, path);
}

/* "20261120T163240.123Z." by the civil calendar: gmtime(3) would read the machine's time zone first. */
static size_t stamp(char *text, size_t size, int64_t ms)
{
    int64_t seconds = ms / 1000;
    int64_t day = seconds / 86400, rest = seconds % 86400;
    int64_t shifted = day + 719468, era = shifted / 146097, day_of_era = shifted % 146097; /* days since 0000-03-01, years of 400 */
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100), part = (5 * day_of_year + 2) / 153;
    int month = (int)(part < 10 ? part + 3 : part - 9);
    int n = snprintf(text, size, "%04d%02d%02dT%02d%02d%02d.%03dZ.", (int)(year_of_era + era * 400 + (month <= 2)), month,
                     (int)(day_of_year - (153 * part + 2) / 5 + 1), (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60), (int)(ms % 1000));
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

bool bundle_make(struct bundle *b)
{
    char path[PATH_MAX];
    unsigned char dice[8];
    b->folder = -1;
    b->created = instant_now();
    boot_id_read(b->boot_id);
    if (gethostname(b->host, sizeof b->host) < 0)
        strcpy(b->host, "localhost");
    b->host[sizeof b->host - 1] = '\0';
    if (getrandom(dice, sizeof dice, 0) != sizeof dice)
        return false;
    size_t used = stamp(b->name, sizeof b->name, b->created.realtime_ns / 1000000);
    for (size_t i = 0; i < sizeof dice && used; i++)
        snprintf(b->name + used + 2 * i, 3, "%02x", dice[i]);
    int error = in_state_home(b, path);
    if (!error)
        return true;
    int second = in_temporary_folder(b);
    if (!second) {
        fprintf(stderr, "gpualert-run: cannot write %s: %s; this run's bundle is %s\n", *path ? path : "a folder in HOME", strerror(error), b->path);
        return true;
    }
    fprintf(stderr, "gpualert-run: cannot write %s: %s, nor %s: %s; the command runs without capture\n", *path ? path : "a folder in HOME", strerror(error),
            b->path, strerror(second));
    return false;
}

void bundle_watch_memory(struct bundle *b)
{
    b->memory = memory_mount_own(&b->memory_group) ? b->memory_group.found : NO_MEMORY_COUNTERS;
}

int bundle_file(const struct bundle *b, const char *name)
{
    return openat(b->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void put_words(struct json *j, const char *key, const struct words *words)
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < words->count; i++)
        json_element(j, words->at[i], strlen(words->at[i]));
    json_close(j, ']');
}

static void put_command(struct json *j, char *const *command)
{
    size_t left = COMMAND_MAX_BYTES;
    bool cut = false;
    json_open(j, "command", '[');
    for (; *command && !cut; command++) {
        size_t length = strnlen(*command, left + 1);
        cut = length > left;
        json_element(j, *command, cut ? left : length);
        left -= cut ? left : length;
    }
    json_close(j, ']');
    if (cut)
        json_bool(j, "command_cut", true);
}

static void put_claims(struct json *j)
{
    static const char *const names[] = {
        "SLURM_JOB_ID",  "SLURM_CLUSTER_NAME", "SLURM_JOB_NAME",      "SLURM_STEP_ID",  "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS",
        "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURMD_NODENAME", "RANK", "LOCAL_RANK", "WORLD_SIZE", "CUDA_VISIBLE_DEVICES",
    };
    json_open(j, "claims", '{');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && strlen(value) <= 1024)
            json_text(j, names[i], value);
    }
    json_close(j, '}');
}

int bundle_write_run(const struct bundle *b, const struct options *o)
{
    struct json j;
    char work_dir[PATH_MAX];
    char *content = malloc(RUN_MAX_BYTES);
    if (!content)
        return ENOMEM;
    json_begin(&j, content, RUN_MAX_BYTES, NULL);
    json_text(&j, "format", "gpualert-run/1");
    json_text(&j, "bundle", b->name);
    put_command(&j, o->command);
    json_text(&j, "work_dir", getcwd(work_dir, sizeof work_dir));
    json_text(&j, "host", b->host);
    json_text(&j, "boot_id", *b->boot_id ? b->boot_id : NULL);
    json_int(&j, "uid", geteuid());
    json_int(&j, "gid", getegid());
    json_int(&j, "pid", getpid());
    json_open(&j, "created", '{');
    json_int(&j, "ns", b->created.realtime_ns);
    json_int(&j, "monotonic_ns", b->created.monotonic_ns);
    json_close(&j, '}');
    json_open(&j, "wishes", '{');
    put_words(&j, "addresses", &o->addresses);
    json_text(&j, "when", o->when);
    put_words(&j, "artifacts", &o->artifacts);
    json_close(&j, '}');
    put_words(&j, "attach", &o->attach);
    json_bool(&j, "notify", o->notify);
    json_bool(&j, "dry_run", o->dry_run);
    if (o->timeout_s > 0)
        json_int(&j, "timeout_ms", (int64_t)(o->timeout_s * 1000));
    json_text(&j, "program_version", GPUALERT_VERSION);
    put_claims(&j);
    size_t length = json_end(&j);
    int error = length ? whole_file_create(b->folder, "run.json", content, length, false) : E2BIG;
    free(content);
    return error;
}
