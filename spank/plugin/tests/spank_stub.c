/*
 * Runs the plugin's callbacks in the order of slurmstepd, sbatch or slurmd, in an ordinary process: for tests without a cluster and under
 * sanitizers, over the libspank of libspank.c.
 *
 * spank-stub PLUGIN remote|allocator|slurmd [plug:KEY=VALUE] [opt:NAME=VALUE] [job=N] [step=N] [tasks=N] -- COMMAND [ARGUMENT ...]
 * What the plugin logs goes to stderr, prefixed by its level. Ends with task 0's exit code; 1 when an option is refused, 98 when the plugin
 * left a descriptor or a thread behind, 99 when an entry point said anything but 0.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "failing_calls.h"
#include "libspank.h"

enum { MOST = LIBSPANK_MOST };

static void *plugin;
static int tasks_stderr = -1; /* the step's own fd 2 may be the plugin's pipe by the time of a fork: slurmstepd's tasks have outputs of their own */

/* Every entry point must say 0. */
static void call(const char *name, int argc, char **argv)
{
    spank_f *entry = (spank_f *)(uintptr_t)dlsym(plugin, name);
    int said = entry ? entry(NULL, argc, argv) : 0;
    if (said != 0) {
        fprintf(stderr, "stub: %s said %d\n", name, said);
        exit(99);
    }
}

static void give_option(const char *word)
{
    const char *equals = strchr(word, '=');
    for (unsigned i = 0; equals && i < libspank.option_count; i++)
        if (strlen(libspank.options[i].name) == (size_t)(equals - word) && strncmp(libspank.options[i].name, word, (size_t)(equals - word)) == 0 &&
            libspank.options[i].cb(libspank.options[i].val, equals + 1, libspank.context == S_CTX_REMOTE) < 0)
            exit(1);
}

/* The task waits until `go` is closed, as a task does for slurmstepd's word. */
static pid_t launch(int number, char **command, const int go[2], int argc, char **argv)
{
    char text[16];
    pid_t child = fork();
    if (child)
        return child;
    close(go[1]);
    while (read(go[0], text, 1) < 0 && errno == EINTR)
        continue;
    close(go[0]);
    libspank.task = number;
    dup2(tasks_stderr, 2);
    snprintf(text, sizeof text, "%d", number);
    setenv("SLURM_PROCID", text, 1);
    call("slurm_spank_task_init", argc, argv);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static int run_step(char **command, int argc, char **argv)
{
    pid_t children[MOST];
    int first = 0, go[2];
    if (pipe2(go, O_CLOEXEC) < 0)
        exit(2);
    for (uint32_t i = 0; i < libspank.tasks; i++)
        children[i] = launch((int)i, command, go, argc, argv);
    close(go[0]);
    for (uint32_t i = 0; i < libspank.tasks; i++) {
        libspank.task = (int)i;
        call("slurm_spank_task_post_fork", argc, argv);
    }
    close(go[1]);
    for (uint32_t left = libspank.tasks; left > 0; left--) {
        libspank.pid = wait(&libspank.status);
        for (uint32_t i = 0; i < libspank.tasks; i++)
            if (children[i] == libspank.pid)
                libspank.task = (int)i;
        if (libspank.task == 0)
            first = libspank.status;
        call("slurm_spank_task_exit", argc, argv);
    }
    return WIFSIGNALED(first) ? 128 + WTERMSIG(first) : WEXITSTATUS(first);
}

static int entries(const char *folder)
{
    DIR *listing = opendir(folder);
    int count = 0;
    while (listing && readdir(listing))
        count++;
    if (listing)
        closedir(listing);
    return count;
}

/* A second for a thread that was joined and is on its way out of the kernel, where it closes a table of descriptors of its own. */
static void nothing_left(const char *what, const char *folder, int before)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    for (int tries = 0; tries < 100; tries++) {
        if (entries(folder) <= before)
            return;
        nanosleep(&nap, NULL);
    }
    fprintf(stderr, "stub: %d %s left behind\n", entries(folder) - before, what);
    exit(98);
}

int main(int argc, char **argv)
{
    char *arguments[MOST], *given[MOST];
    int plugs = 0, opts = 0, at, code = 0, files, threads __attribute__((unused));

    if (argc < 3)
        return 2;
    libspank.context = strcmp(argv[2], "remote") == 0 ? S_CTX_REMOTE : strcmp(argv[2], "slurmd") == 0 ? S_CTX_SLURMD : S_CTX_ALLOCATOR;
    for (at = 3; at < argc && strcmp(argv[at], "--") != 0 && plugs < MOST && opts < MOST; at++) {
        if (strncmp(argv[at], "plug:", 5) == 0)
            arguments[plugs++] = argv[at] + 5;
        else if (strncmp(argv[at], "opt:", 4) == 0)
            given[opts++] = argv[at] + 4;
        else if (sscanf(argv[at], "job=%u", &libspank.job) != 1 && sscanf(argv[at], "step=%u", &libspank.step) != 1 && sscanf(argv[at], "tasks=%u", &libspank.tasks) != 1)
            return 2;
    }
    tasks_stderr = fcntl(2, F_DUPFD_CLOEXEC, 3);
    plugin = dlopen(argv[1], RTLD_NOW);
    if (!plugin) {
        fprintf(stderr, "stub: %s\n", dlerror());
        return 2;
    }
    files = entries("/proc/self/fd");
    threads = entries("/proc/self/task");
    if (failing_calls_watch)
        failing_calls_watch(dlsym(plugin, "slurm_spank_init"));
    call("slurm_spank_init", plugs, arguments);
    for (int i = 0; i < opts; i++)
        give_option(given[i]);
    call("slurm_spank_init_post_opt", plugs, arguments);
    if (libspank.context == S_CTX_REMOTE && at + 1 < argc && libspank.tasks <= MOST)
        code = run_step(argv + at + 1, plugs, arguments);
    call("slurm_spank_exit", plugs, arguments);
    if (failing_calls_end)
        failing_calls_end();
    nothing_left("descriptors", "/proc/self/fd", files);
#ifndef __SANITIZE_THREAD__ /* it has a thread of its own from our first one on */
    nothing_left("threads", "/proc/self/task", threads);
#endif
    dlclose(plugin);
    close(tasks_stderr);
    return code;
}
