#include "guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "finish.h"
#include "process_tree.h"
#include "run.h"
#include "witness.h"

enum { SHORT_MS = 10 };

static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ, SIGTSTP, SIGTTIN, SIGTTOU};

struct note {
    enum { COMMAND_IS, IT_ENDED, ALL_IS_WRITTEN } says;
    pid_t pid;
    struct end end;
};

union control {
    struct cmsghdr aligned;
    char bytes[CMSG_SPACE(sizeof(int))];
};

void guardian_watch_me(int socket)
{
    struct note note = {.says = COMMAND_IS, .pid = getpid()};
    int pidfd = (int)syscall(SYS_pidfd_open, note.pid, 0);
    union control control;
    struct iovec part = {&note, sizeof note};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (pidfd >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &pidfd, sizeof pidfd);
    }
    (void)!sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (pidfd >= 0)
        close(pidfd);
}

bool guardian_end(int socket, const struct end *end)
{
    struct note note = {.says = IT_ENDED, .end = *end};
    return socket >= 0 && send(socket, &note, sizeof note, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof note;
}

void guardian_finish(int socket)
{
    struct note note = {.says = ALL_IS_WRITTEN};
    (void)!send(socket, &note, sizeof note, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void guardian_await(int socket, int wait_ms)
{
    struct pollfd p = {.fd = socket, .events = POLLIN};
    poll(&p, 1, wait_ms); /* it never says anything: this is its end */
}

/* One note, with the command's pidfd if there is one. False at the end of gpualert-run. */
static bool listen_to(int socket, struct note *note, int *pidfd)
{
    union control control;
    struct iovec part = {note, sizeof *note};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    *pidfd = -1;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != sizeof *note)
        return false;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(pidfd, CMSG_DATA(header), sizeof *pidfd);
    return true;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* gpualert-run was killed: nobody is there any more who would pass its output on or wait for it. */
static void end_command(pid_t pid, int pidfd)
{
    static struct process_tree tree;
    tree_start(&tree, pid, pidfd);
    tree_grow(&tree);
    tree_signal(&tree, SIGTERM);
    tree_signal(&tree, SIGCONT);
    for (int waited_ms = 0; tree_alive(&tree) && waited_ms < KILL_GRACE_MS; waited_ms += 50) {
        pause_ms(50);
        tree_grow(&tree);
    }
    tree_signal(&tree, SIGKILL);
    tree_free(&tree);
}

/* Nothing of the caller's is held on to: its pipes get their end, its file systems can be unmounted. */
enum { FOLDER = 3, SOCKET = 4, WITNESS = 5 }; /* where let_go puts them; they were made in this order, so each lies higher */

static void let_go(int folder, int socket, int witness)
{
    const int kept[] = {folder, socket, witness};
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        if (fd != null)
            dup2(null, fd);
    if (null > 2)
        close(null);
    for (int i = 0; i < 3; i++)
        if (kept[i] != FOLDER + i)
            dup3(kept[i], FOLDER + i, O_CLOEXEC);
    if (syscall(SYS_close_range, WITNESS + 1U, ~0U, 0U) < 0)
        for (int fd = WITNESS + 1; fd < 1024; fd++)
            close(fd);
    (void)!chdir("/");
}

/* Over the words of the command line, which lie one behind the other. */
static void rename_myself(char **words, const char *name)
{
    static char *end;
    if (!end) {
        end = words[0];
        for (char **word = words; *word == end; word++)
            end += strlen(end) + 1;
    }
    memset(words[0], 0, (size_t)(end - words[0]));
    snprintf(words[0], (size_t)(end - words[0]), "%s", name);
    prctl(PR_SET_NAME, name);
}

/* What gpualert-run left to us, so that its caller need not wait for a disk. */
static void sync_files(const struct bundle *b)
{
    static const char *const names[] = {"run.json", "run.0.out", "run.0.err", "run.0.idx", "run.0.exit.json", "end.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int fd = openat(b->folder, names[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0) {
            fsync(fd);
            close(fd);
        }
    }
    fsync(b->folder);
}

static void ignore_signals(void)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
}

static void heed_signals(void)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_DFL);
}

struct watch {
    pid_t command;
    int command_fd;
    bool ended, whole;
};

/* Takes notes until all is written or gpualert-run is gone (true), or nothing came for `wait_ms` (false; -1: for ever). */
static bool watch(struct watch *w, const struct bundle *b, int wait_ms)
{
    struct note note;
    int fd;
    for (;;) {
        struct pollfd p = {.fd = SOCKET, .events = POLLIN};
        if (poll(&p, 1, wait_ms) == 0)
            return false;
        if (!listen_to(SOCKET, &note, &fd))
            return true;
        if (note.says == COMMAND_IS) {
            w->command = note.pid;
            w->command_fd = fd;
        }
        if (note.says == IT_ENDED) {
            (void)end_write(b, &note.end);
            w->ended = true;
        }
        if (note.says == ALL_IS_WRITTEN) {
            w->whole = true;
            return true;
        }
    }
}

/* The process that was forked first goes back into the command's group as its witness; what it forks is the guardian from now on. */
static void split(pid_t group, const sigset_t *signals, char **words)
{
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        close(WITNESS);
    }
    if (pid <= 0)
        return;
    sigprocmask(SIG_BLOCK, signals, NULL);
    heed_signals();
    close(FOLDER);
    close(SOCKET);
    rename_myself(words, "run-witness");
    if (setpgid(0, group) < 0)
        _exit(0);
    witness_run(WITNESS, signals);
}

_Noreturn static void guard(struct bundle *b, pid_t group, const sigset_t *signals, char **words)
{
    struct watch w = {.command_fd = -1};
    if (!watch(&w, b, SHORT_MS)) { /* a command that is over by then needs no witness */
        split(group, signals, words);
        watch(&w, b, -1);
    }
    if (!w.whole && !w.ended) {
        if (w.command)
            end_command(w.command, w.command_fd);
        (void)exit_record_write(b, NULL, "on", NULL, w.command, (struct instant){0}); /* as it was prepared: nobody knows the rest */
        struct end end = {.by_guardian = true, .ended = instant_now()};
        end_count_memory(b, &end);
        (void)end_write(b, &end);
    }
    sync_files(b);
    finish_run(b);
    _exit(0);
}

static bool make_sockets(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
}

bool guardian_start(const struct bundle *b, int ends[2], int witness[2], const sigset_t *signals, char **words)
{
    if (!make_sockets(ends) || !make_sockets(witness))
        return false;
    pid_t group = getpgrp(), pid = fork(); /* the caller's signals are blocked: none gets in before they are ignored */
    if (pid == 0) {
        struct bundle mine = *b;
        sigset_t none;
        setpgid(0, 0);
        let_go(mine.folder, ends[1], witness[1]);
        mine.folder = FOLDER;
        rename_myself(words, "gpualert-guard");
        ignore_signals();
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        guard(&mine, group, signals, words);
    }
    if (pid > 0)
        setpgid(pid, pid); /* whoever is first: a signal to our group from now on spares it */
    close(ends[1]);
    close(witness[1]);
    return pid > 0;
}
