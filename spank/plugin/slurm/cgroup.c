#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct memory_counters nothing = {-1, -1, -1, -1};

static bool read_text(const char *folder, const char *name, char *text, size_t size)
{
    char path[1024];
    ssize_t got = -1;
    int fd;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, text, size - 1);
        close(fd);
    }
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static int64_t number_in(const char *text)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    return end == text || value < 0 || value >= (1LL << 62) ? -1 : value; /* v1 writes "no limit" as a huge number, v2 as "max" */
}

/* The number behind `key ` at the start of a line, -1 where there is none. */
static int64_t line_value(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            return number_in(line + n + 1);
    return -1;
}

static struct memory_counters read_counters(const char *folder, bool v2)
{
    struct memory_counters m = nothing;
    char text[1024];
    if (read_text(folder, v2 ? "memory.max" : "memory.limit_in_bytes", text, sizeof text))
        m.limit_bytes = number_in(text);
    if (read_text(folder, v2 ? "memory.peak" : "memory.max_usage_in_bytes", text, sizeof text))
        m.peak_bytes = number_in(text);
    if (read_text(folder, v2 ? "memory.events" : "memory.oom_control", text, sizeof text)) {
        m.oom_events = v2 ? line_value(text, "oom") : -1;
        m.oom_kill_events = line_value(text, "oom_kill");
    }
    return m;
}

/* Version 1 counts a kill in the killed process's own group alone, and Slurm gives each task a group below its step's. */
static int64_t kills_below(const char *folder, unsigned levels)
{
    char entries[4096] __attribute__((aligned(8))), path[1024], text[1024];
    int64_t sum = 0;
    long got;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    while (fd >= 0 && (got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
        for (long at = 0; at < got;) {
            const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
            at += entry->d_reclen;
            if (strncmp(entry->d_name, "task_", 5) != 0 && strncmp(entry->d_name, "step_", 5) != 0)
                continue;
            if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
                continue;
            if (read_text(path, "memory.oom_control", text, sizeof text) && line_value(text, "oom_kill") > 0)
                sum += line_value(text, "oom_kill");
            if (levels > 1)
                sum += kills_below(path, levels - 1);
        }
    if (fd >= 0)
        close(fd);
    return sum;
}

/* Cuts the path behind the component that begins with `component` and, for the job's, ends there too. */
static bool cut_behind(char *path, const char *component)
{
    char *at = strstr(path, component), *end;
    if (!at)
        return false;
    end = strchr(at + 1, '/');
    if (end)
        *end = '\0';
    return true;
}

/* cgroups(7): "<id>:<controllers>:<path>", v2 as "0::<path>". Fills the path of the hierarchy that counts memory. */
static bool find_group(char *path, size_t size, bool *v2)
{
    char text[8192], *save = NULL;
    bool found = false;
    if (!read_text("/proc/self", "cgroup", text, sizeof text))
        return false;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *controllers = strchr(line, ':'), *where = controllers ? strchr(controllers + 1, ':') : NULL;
        bool unified = controllers && where == controllers + 1;
        if (!where || (!unified && !(strstr(controllers, ":memory:") || strstr(controllers, ",memory") || strstr(controllers, "memory,"))))
            continue;
        if (found && unified)
            continue; /* a hybrid host counts memory in v1 */
        snprintf(path, size, "%s", where + 1);
        *v2 = unified;
        found = true;
    }
    return found;
}

void cgroup_read_memory(uint32_t job, bool failed, struct step_memory *memory)
{
    char path[512], folder[640], wanted[32];
    bool v2 = false;

    *memory = (struct step_memory){.step = nothing, .job = nothing};
    snprintf(wanted, sizeof wanted, "/job_%u/", job);
    if (!find_group(path, sizeof path, &v2) || !strstr(path, wanted) || !cut_behind(path, "/step_"))
        return; /* slurmstepd is in no group of this job: these counters would be slurmd's own */
    snprintf(memory->cgroup, sizeof memory->cgroup, "%s", path);
    snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", v2 ? "" : "/memory", path);
    memory->step = read_counters(folder, v2);
    if (!v2 && failed && memory->step.oom_kill_events >= 0)
        memory->step.oom_kill_events += kills_below(folder, 1);
    wanted[strlen(wanted) - 1] = '\0';
    if (cut_behind(path, wanted)) {
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", v2 ? "" : "/memory", path);
        memory->job = read_counters(folder, v2);
        if (!v2 && failed && memory->job.oom_kill_events >= 0)
            memory->job.oom_kill_events += kills_below(folder, 2);
    }
}
