#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guardian.h"
#include "process_tree.h"
#include "run.h"
#include "witness.h"

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};

int command_signals(struct inherited *was, sigset_t *forwarded)
{
    sigset_t set, quiet;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigemptyset(forwarded);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(forwarded, passed_on[i]);
    set = *forwarded;
    sigaddset(&set, SIGCHLD);
    quiet = set; /* these are the command's to feel: in us they would only end the capture */
    sigaddset(&quiet, SIGPIPE);
    sigaddset(&quiet, SIGXFSZ);
    sigaction(SIGCHLD, &plain, &was->child); /* ignored, it would take the command's status away from us */
    sigprocmask(SIG_BLOCK, &quiet, &was->mask);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* As a shell says it; the words go where the command's own would have gone. */
_Noreturn static void say_exec_failed(const char *word, int why, int report)
{
    (void)!write(report, &why, sizeof why);
    dprintf(2, "gpualert-run: %s: %s\n", word, why == ENOENT ? "command not found" : strerror(why));
    _exit(why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

bool command_start(struct command *command, char **words, const struct outputs *outputs, const struct inherited *was, int guardian)
{
    int fault[2];
    if (pipe2(fault, O_CLOEXEC) < 0)
        return false;
    command->started = instant_now();
    command->pid = vfork(); /* as posix_spawn(3) does; nothing is copied only to be thrown away by exec */
    if (command->pid == 0) {
        if (guardian >= 0)
            guardian_watch_me(guardian);
        outputs_take(outputs);
        sigaction(SIGCHLD, &was->child, NULL);
        sigprocmask(SIG_SETMASK, &was->mask, NULL);
        execvp(words[0], words);
        say_exec_failed(words[0], errno, fault[1]);
    }
    int why = errno;
    close(fault[1]);
    command->exec_fault = fault[0];
    if (command->pid < 0) {
        close(fault[0]);
        errno = why;
        return false;
    }
    return true;
}

/* The terminal's own signals reached the command as well, it is in our process group as it would be without us; so did those for the group. */
static void forward(const struct command *command, const struct signalfd_siginfo *info, const struct outputs *outputs, struct end *end)
{
    int signal = (int)info->ssi_signo;
    bool from_terminal = info->ssi_code == SI_KERNEL, theirs = from_terminal && getpgid(command->pid) == getpgrp();
    if (signal == SIGHUP && getsid(0) == getpid())
        theirs = false; /* a terminal that goes tells the session's leader alone, which the command would have been */
    if (signal == SIGWINCH)
        theirs = !outputs_resize(outputs) && theirs; /* again, now that its terminal has the new size */
    else if (!from_terminal)
        theirs = witness_saw(command->witness, signal, (pid_t)info->ssi_pid);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT)
        cpu_trail_last(&end->cpu, monotonic_now_ns());
    if (!theirs)
        kill(command->pid, signal);
    if (signal != SIGWINCH && end->signals < MAX_SENT_SIGNALS)
        end->signal[end->signals++] = (struct sent_signal){.signal = signal,
                                                           .at_ns = instant_now().realtime_ns,
                                                           .sender = from_terminal ? 0 : (pid_t)info->ssi_pid,
                                                           .sender_uid = info->ssi_uid,
                                                           .forwarded = !theirs};
}

static bool take_status(struct command *command, struct end *end)
{
    int status;
    pid_t got = end->waited ? 0 : waitpid(command->pid, &status, WNOHANG);
    if (got != command->pid)
        return end->waited;
    end->ended = instant_now();
    end->waited = true;
    end->wait_status = status;
    if (read(command->exec_fault, &end->exec_errno, sizeof end->exec_errno) != sizeof end->exec_errno)
        end->exec_errno = 0;
    close(command->exec_fault);
    return true;
}

/* What is left of the time limit's work: TERM at once, KILL after the grace, nothing when all is gone. */
struct limit {
    int64_t at_ns, kill_at_ns; /* 0: none yet */
    bool killed;
};

static int keep_limit(struct limit *limit, struct process_tree *tree, const struct command *command, struct end *end)
{
    int64_t now_ns = monotonic_now_ns();
    if (!limit->at_ns)
        return -1;
    if (now_ns < limit->at_ns)
        return (int)((limit->at_ns - now_ns) / 1000000 < 60000 ? (limit->at_ns - now_ns) / 1000000 + 1 : 60000);
    if (!end->timed_out) {
        end->timed_out = true;
        cpu_trail_last(&end->cpu, now_ns);
        limit->kill_at_ns = now_ns + KILL_GRACE_MS * 1000000LL;
        tree_start(tree, command->pid, -1);
        tree_grow(tree);
        tree_signal(tree, SIGTERM);
        tree_signal(tree, SIGCONT);
    } else {
        tree_grow(tree);
        if (now_ns >= limit->kill_at_ns) {
            tree_signal(tree, SIGKILL);
            limit->killed = true;
        }
    }
    return 20;
}

void command_wait(struct command *command, int signals, double timeout_s, const struct outputs *outputs, struct end *end)
{
    static struct process_tree tree;
    struct limit limit = {.at_ns = timeout_s > 0 ? monotonic_now_ns() + (int64_t)(timeout_s * 1e9) : 0};
    struct signalfd_siginfo info;
    cpu_trail_start(&end->cpu, command->pid, monotonic_now_ns());
    for (;;) {
        bool waited = take_status(command, end);
        if (waited && (!end->timed_out || limit.killed || !tree_alive(&tree)))
            break;
        struct pollfd p = {.fd = signals, .events = POLLIN};
        int wait_ms = keep_limit(&limit, &tree, command, end);
        int look_ms = waited || end->timed_out ? -1 : cpu_trail_keep(&end->cpu, monotonic_now_ns());
        poll(&p, 1, wait_ms < 0 || (look_ms >= 0 && look_ms < wait_ms) ? look_ms : wait_ms);
        while (read(signals, &info, sizeof info) == sizeof info)
            if (info.ssi_signo != SIGCHLD && !end->waited)
                forward(command, &info, outputs, end);
    }
    tree_free(&tree);
}
