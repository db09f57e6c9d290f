#include "cpu_trail.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "instant.h"

/* More processes than this on one machine are not gone through. */
enum { FIRST_MS = 2000, LONGEST_MS = 15000, AGE_SHARE = 32, COST_SHARE = 200, AGAIN_MS = 500, MOST_PROCESSES = 16384, MOST_PARENTS = 256 };

struct process {
    pid_t pid, parent;
    int64_t ticks;
    char name[TRAIL_NAME_BYTES];
};

/* proc(5): the name stands in brackets and may hold anything, also brackets; fields 14 to 17 are utime, stime, cutime and cstime. */
static bool look_up(pid_t pid, struct process *found)
{
    char path[64], text[1024];
    long long utime, stime, cutime, cstime;
    int parent;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    char *name = strchr(text, '('), *after = strrchr(text, ')');
    if (!name || !after || after < name || sscanf(after + 1, " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld %lld %lld", &parent, &utime, &stime,
                                                  &cutime, &cstime) != 5)
        return false;
    *after = '\0';
    *found = (struct process){.pid = pid, .parent = (pid_t)parent, .ticks = utime + stime + cutime + cstime};
    snprintf(found->name, sizeof found->name, "%.*s", (int)sizeof found->name - 1, name + 1);
    return true;
}

static int by_pid(const void *a, const void *b)
{
    pid_t one = ((const struct process *)a)->pid, other = ((const struct process *)b)->pid;
    return (one > other) - (one < other);
}

static bool is_below(const struct process *all, unsigned count, const struct process *one, pid_t root)
{
    for (int i = 0; one && i < MOST_PARENTS; i++) {
        if (one->pid == root)
            return true;
        struct process wanted = {.pid = one->parent};
        one = one->parent > 0 ? bsearch(&wanted, all, count, sizeof *all, by_pid) : NULL;
    }
    return false;
}

static void note_name(struct cpu_trail *t, const char *name)
{
    for (unsigned i = 0; i < t->names; i++)
        if (strcmp(t->name[i], name) == 0)
            return;
    if (t->names < TRAIL_NAMES)
        memcpy(t->name[t->names++], name, TRAIL_NAME_BYTES);
}

/* The CPU of the whole tree, -1: the root is gone, or there are too many processes to tell. */
static int64_t count_ticks(struct cpu_trail *t)
{
    static struct process all[MOST_PROCESSES];
    unsigned count = 0;
    int64_t ticks = 0;
    DIR *proc = opendir("/proc");
    if (!proc)
        return -1;
    for (struct dirent *entry; count < MOST_PROCESSES && (entry = readdir(proc));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && look_up(pid, &all[count]))
            count++;
    }
    closedir(proc);
    if (count == MOST_PROCESSES)
        return -1;
    qsort(all, count, sizeof *all, by_pid);
    struct process root = {.pid = t->root};
    if (!bsearch(&root, all, count, sizeof *all, by_pid))
        return -1;
    t->processes = t->names = 0;
    for (unsigned i = 0; i < count; i++)
        if (is_below(all, count, &all[i], t->root)) {
            ticks += all[i].ticks;
            t->processes++;
            note_name(t, all[i].name);
        }
    return ticks;
}

/* Room for one more: the look goes without which the gap is the smallest part of its age, so that what is kept gets denser towards now. */
static void make_room(struct cpu_trail *t, int64_t now_ns)
{
    unsigned least = 1;
    double least_part = 0;
    for (unsigned i = 1; i + 1 < t->looks; i++) {
        double gap_ns = (double)(t->look[i + 1].at_ns - t->look[i - 1].at_ns), age_ns = (double)(now_ns - t->look[i - 1].at_ns);
        double part = age_ns > 0 ? gap_ns / age_ns : 1;
        if (i == 1 || part < least_part) {
            least = i;
            least_part = part;
        }
    }
    memmove(&t->look[least], &t->look[least + 1], (t->looks - least - 1) * sizeof *t->look);
    t->looks--;
}

void cpu_trail_add(struct cpu_trail *t, struct cpu_look look)
{
    if (t->looks == TRAIL_LOOKS)
        make_room(t, look.at_ns);
    t->look[t->looks++] = look;
}

/* What a look costs is the CPU that it takes: on a busy node it also waits for that CPU, and must not be rarer for it. */
static int64_t own_cpu_ns(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void look(struct cpu_trail *t, int64_t now_ns)
{
    int64_t at_ns = instant_now().realtime_ns, before_ns = own_cpu_ns();
    int64_t ticks = count_ticks(t), per_s = sysconf(_SC_CLK_TCK), cost_ns = own_cpu_ns() - before_ns;
    int64_t pause_ns = (now_ns - t->began_ns) / AGE_SHARE;
    if (pause_ns < FIRST_MS * 1000000LL)
        pause_ns = FIRST_MS * 1000000LL;
    if (pause_ns > LONGEST_MS * 1000000LL)
        pause_ns = LONGEST_MS * 1000000LL;
    if (pause_ns < cost_ns * COST_SHARE)
        pause_ns = cost_ns * COST_SHARE;
    t->looked_ns = now_ns;
    t->next_ns = now_ns + pause_ns;
    if (ticks >= 0 && per_s > 0)
        cpu_trail_add(t, (struct cpu_look){.at_ns = at_ns, .cpu_ms = ticks * 1000 / per_s});
}

void cpu_trail_start(struct cpu_trail *t, pid_t root, int64_t now_ns)
{
    *t = (struct cpu_trail){.root = root, .began_ns = now_ns, .next_ns = now_ns + FIRST_MS * 1000000LL};
}

int cpu_trail_keep(struct cpu_trail *t, int64_t now_ns)
{
    if (!t->root)
        return -1;
    if (now_ns >= t->next_ns)
        look(t, now_ns);
    int64_t left_ms = (t->next_ns - now_ns) / 1000000 + 1;
    return (int)(left_ms < 60000 ? left_ms : 60000);
}

void cpu_trail_last(struct cpu_trail *t, int64_t now_ns)
{
    if (t->root && now_ns - t->looked_ns >= AGAIN_MS * 1000000LL)
        look(t, now_ns);
}

void cpu_trail_put(const struct cpu_trail *t, struct json *j)
{
    if (!t->looks)
        return;
    json_open(j, "cpu", '{');
    json_int(j, "processes", t->processes);
    json_open(j, "names", '[');
    for (unsigned i = 0; i < t->names; i++)
        json_element(j, t->name[i], strlen(t->name[i]));
    json_close(j, ']');
    json_open(j, "looks", '[');
    for (unsigned i = 0; i < t->looks; i++) {
        json_open(j, NULL, '[');
        json_int(j, NULL, t->look[i].at_ns);
        json_int(j, NULL, t->look[i].cpu_ms);
        json_close(j, ']');
    }
    json_close(j, ']');
    json_close(j, '}');
}
