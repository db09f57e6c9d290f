#include "cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory_group.h"
#include "whole_file.h"

/* Version 1 counts a kill in the killed process's own group alone, and Slurm gives each task a group below its step's. */
static int64_t kills_below(const char *folder, unsigned levels)
{
    char entries[4096] __attribute__((aligned(8))), path[1024];
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
            int64_t kills = memory_group_events(path, false).oom_kill_events;
            sum += kills > 0 ? kills : 0;
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

void cgroup_read_memory(uint32_t job, bool failed, struct step_memory *memory)
{
    char text[8192], folder[640], wanted[32];
    struct memory_group group;

    *memory = (struct step_memory){.step = NO_MEMORY_COUNTERS, .job = NO_MEMORY_COUNTERS};
    snprintf(wanted, sizeof wanted, "/job_%u/", job);
    if (whole_file_read(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) <= 0 || !memory_group_named(text, &group))
        return;
    if (!strstr(group.path, wanted) || !cut_behind(group.path, "/step_"))
        return; /* slurmstepd is in no group of this job: these counters would be slurmd's own */
    snprintf(memory->cgroup, sizeof memory->cgroup, "%s", group.path);
    snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", group.v2 ? "" : "/memory", group.path);
    memory->step = memory_group_read(folder, group.v2);
    if (!group.v2 && failed && memory->step.oom_kill_events >= 0)
        memory->step.oom_kill_events += kills_below(folder, 1);
    wanted[strlen(wanted) - 1] = '\0';
    if (cut_behind(group.path, wanted)) {
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", group.v2 ? "" : "/memory", group.path);
        memory->job = memory_group_read(folder, group.v2);
        if (!group.v2 && failed && memory->job.oom_kill_events >= 0)
            memory->job.oom_kill_events += kills_below(folder, 2);
    }
}
