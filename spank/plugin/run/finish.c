#include "finish.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef GPUALERT_COMMAND
#define GPUALERT_COMMAND "/usr/bin/gpualert"
#endif

#define FINISH_DEADLINE_S 900 /* the mail's own deadline is far shorter: this is for what hangs */
#define TURN_WAIT_S 60
#define TURN_LOOK_MS 50

/* The command's environment is made for the command: what would bend our own interpreter is taken out. */
static void clean_environment(void)
{
    static const char *const names[] = {"PYTHONPATH",       "PYTHONHOME",   "PYTHONSTARTUP", "PYTHONINSPECT",   "PYTHONDEBUG",
                                        "PYTHONWARNINGS",   "PYTHONOPTIMIZE", "PYTHONVERBOSE", "PYTHONEXECUTABLE", "PYTHONBREAKPOINT",
                                        "PYTHONPLATLIBDIR", "LD_PRELOAD",   "LD_AUDIT",      "BASH_ENV",        "ENV"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("PYTHONSAFEPATH", "1", 1);
    setenv("PYTHONUNBUFFERED", "1", 1);
}

static void lift_limits(void)
{
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_STACK};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)limits[i], &limit) == 0) {
            limit.rlim_cur = limits[i] == RLIMIT_STACK && limit.rlim_max == RLIM_INFINITY ? limit.rlim_cur : limit.rlim_max;
            setrlimit((__rlimit_resource_t)limits[i], &limit);
        }
    }
}

/* In the child: never returns. */
static void start(const struct bundle *b)
{
    char beside[PATH_MAX];
    const char *python = getenv("GPUALERT_PYTHON");
    int log = openat(b->folder, "report.log", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    setsid();
    setpriority(PRIO_PROCESS, 0, 10); /* the caller's next command comes first; at 19 a busy machine would keep the mail back for minutes */
    lift_limits();
    clean_environment();
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL);
    if (python && *python)
        execl(python, python, "-m", "gpualert_slurm.programs.cli", "finish", b->path, (char *)NULL);
    ssize_t length = readlink("/proc/self/exe", beside, sizeof beside - 16);
    char *slash = length > 0 ? memrchr(beside, '/', (size_t)length) : NULL;
    if (slash) {
        strcpy(slash + 1, "gpualert");
        execl(beside, beside, "finish", b->path, (char *)NULL);
    }
    execl(GPUALERT_COMMAND, GPUALERT_COMMAND, "finish", b->path, (char *)NULL);
    dprintf(2, "gpualert-run: cannot start the diagnosis: no gpualert in GPUALERT_PYTHON, beside gpualert-run, or at %s: %s; run: gpualert diagnose %s\n",
            GPUALERT_COMMAND, strerror(errno), b->path);
    _exit(127);
}

/* A loop of a thousand short commands must not have a thousand diagnoses run at once: those of one user go one by one, by a lock on the folder
 * of the bundles. It is given up after a minute, or at once where the file system has no locks: a diagnosis that hangs holds up no other's mail.
 * Returns the lock's descriptor, or -1. */
static int take_turn(const struct bundle *b)
{
    int fd = openat(b->folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int left_ms = TURN_WAIT_S * 1000; fd >= 0 && left_ms > 0; left_ms -= TURN_LOOK_MS) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            break;
        nanosleep(&(struct timespec){.tv_nsec = TURN_LOOK_MS * 1000000L}, NULL);
    }
    return fd;
}

static void run_diagnosis(const struct bundle *b)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_UNBLOCK, &child, NULL);
        start(b);
    }
    if (pid < 0)
        return;
    time_t until = time(NULL) + FINISH_DEADLINE_S;
    while (waitpid(pid, NULL, WNOHANG) == 0) {
        if (time(NULL) >= until) {
            kill(-pid, SIGKILL); /* its session is its group */
            waitpid(pid, NULL, 0);
            return;
        }
        sigtimedwait(&child, NULL, &(struct timespec){.tv_sec = 60});
    }
}

void finish_run(const struct bundle *b)
{
    int turn = take_turn(b);
    run_diagnosis(b);
    if (turn >= 0)
        close(turn);
}
