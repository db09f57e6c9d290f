#include "process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stat_line {
    char state;
    pid_t parent;
    unsigned long long started;
};

/* What /proc says of `pid` now. */
static bool look_up(pid_t pid, struct stat_line *line)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    const char *after_name = strrchr(text, ')'); /* the name may hold anything, also spaces and brackets */
    int parent = 0;
    if (!after_name || sscanf(after_name + 1, " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &line->state, &parent,
                              &line->started) != 3)
        return false;
    line->parent = (pid_t)parent;
    return true;
}

static void add(struct process_tree *t, pid_t pid, int pidfd, unsigned long long started)
{
    if (t->count < TREE_MAX)
        t->member[t->count++] = (struct tree_member){.pid = pid, .pidfd = pidfd, .started = started};
    else if (pidfd >= 0)
        close(pidfd);
}

void tree_start(struct process_tree *t, pid_t root, int root_pidfd)
{
    struct stat_line line = {0};
    t->count = 0;
    if (look_up(root, &line) || root_pidfd >= 0)
        add(t, root, root_pidfd >= 0 ? fcntl(root_pidfd, F_DUPFD_CLOEXEC, 3) : (int)syscall(SYS_pidfd_open, root, 0), line.started);
}

static bool alive(const struct tree_member *m)
{
    struct stat_line line;
    struct pollfd p = {.fd = m->pidfd, .events = POLLIN};
    if (m->pidfd >= 0)
        return poll(&p, 1, 0) == 0;
    return look_up(m->pid, &line) && line.started == m->started && line.state != 'Z' && line.state != 'X';
}

static bool is_member(const struct process_tree *t, pid_t pid, bool running)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->member[i].pid == pid && (!running || alive(&t->member[i])))
            return true;
    return false;
}

void tree_grow(struct process_tree *t)
{
    unsigned before;
    do { /* /proc is in order of pid, and a child's may be lower than its parent's: until nothing is new */
        before = t->count;
        DIR *proc = opendir("/proc");
        if (!proc)
            return;
        for (struct dirent *entry; (entry = readdir(proc));) {
            pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
            struct stat_line line, again;
            if (pid <= 0 || is_member(t, pid, true) || !look_up(pid, &line) || !is_member(t, line.parent, true))
                continue;
            int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
            if (look_up(pid, &again) && again.started == line.started) /* the pidfd is the one that was looked at */
                add(t, pid, pidfd, line.started);
            else if (pidfd >= 0)
                close(pidfd);
        }
        closedir(proc);
    } while (t->count != before && t->count < TREE_MAX);
}

void tree_signal(const struct process_tree *t, int signal)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct tree_member *m = &t->member[i];
        if (m->pidfd >= 0)
            syscall(SYS_pidfd_send_signal, m->pidfd, signal, NULL, 0);
        else if (alive(m))
            kill(m->pid, signal);
    }
}

bool tree_alive(const struct process_tree *t)
{
    for (unsigned i = 0; i < t->count; i++)
        if (alive(&t->member[i]))
            return true;
    return false;
}

void tree_free(struct process_tree *t)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->member[i].pidfd >= 0)
            close(t->member[i].pidfd);
    t->count = 0;
}
