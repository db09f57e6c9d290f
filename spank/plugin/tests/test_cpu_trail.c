/* The CPU trail: what it counts, what it keeps of a long run, what it writes. */
#undef NDEBUG
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../run/cpu_trail.h"
#include "instant.h"

#define S 1000000000LL

static void of_a_day_the_first_look_and_the_last_minutes_are_kept(void)
{
    struct cpu_trail t = {.root = 1};
    for (int64_t s = 2; s <= 86400; s += 15)
        cpu_trail_add(&t, (struct cpu_look){.at_ns = s * S, .cpu_ms = s});
    int64_t end = 2 + (86400 - 2) / 15 * 15;
    assert(t.looks == TRAIL_LOOKS && t.look[0].at_ns == 2 * S && t.look[t.looks - 1].at_ns == end * S);
    for (unsigned i = 1; i < t.looks; i++) {
        int64_t gap = t.look[i].at_ns - t.look[i - 1].at_ns, age = end * S - t.look[i - 1].at_ns;
        assert(gap > 0 && (gap <= 15 * S || gap * 4 <= age)); /* never more than a quarter of the way back to it */
    }
}

static void a_clock_that_was_set_back_loses_nothing_but_looks(void)
{
    struct cpu_trail t = {.root = 1};
    for (int64_t i = 0; i < 1000; i++)
        cpu_trail_add(&t, (struct cpu_look){.at_ns = (i % 100) * S, .cpu_ms = i});
    assert(t.looks == TRAIL_LOOKS && t.look[t.looks - 1].cpu_ms == 999);
}

_Noreturn static void burn(double s)
{
    prctl(PR_SET_NAME, "ba) (nd \"\\");
    while ((double)clock() / CLOCKS_PER_SEC < s)
        continue;
    pause();
    _exit(0);
}

static void the_whole_tree_is_counted_whatever_its_processes_are_called(void)
{
    struct cpu_trail t;
    char text[8192];
    struct json j;
    int64_t now = monotonic_now_ns();
    pid_t parent = fork();
    if (parent == 0) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            burn(0.3);
        }
        pause();
        _exit(0);
    }
    cpu_trail_start(&t, parent, now);
    for (int i = 0; i < 400 && (t.looks == 0 || t.look[t.looks - 1].cpu_ms < 250); i++) {
        usleep(50000);
        now += 60 * S; /* as far as the trail knows */
        assert(cpu_trail_keep(&t, now) > 0);
    }
    assert(t.looks > 0 && t.look[t.looks - 1].cpu_ms >= 250 && t.processes == 2 && t.names == 2);
    unsigned before = t.looks;
    cpu_trail_last(&t, now + 1);
    assert(t.looks == before);
    cpu_trail_last(&t, now + S);
    assert(t.looks == before + (before < TRAIL_LOOKS));
    json_begin(&j, text, sizeof text, NULL);
    cpu_trail_put(&t, &j);
    assert(json_end(&j) && strstr(text, "\"processes\":2") && strstr(text, "\"ba) (nd \\\"\\\\\""));
    kill(parent, SIGKILL);
    assert(waitpid(parent, NULL, 0) == parent);
    before = t.looks;
    cpu_trail_last(&t, now + 100 * S);
    assert(t.looks == before); /* it is gone */
}

static int64_t own_cpu_ns(void)
{
    struct timespec t;
    assert(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return t.tv_sec * S + t.tv_nsec;
}

/* Uses all of a CPU but for a moment now and then, from which it comes back before anything that is idle may go on. */
_Noreturn static void crowd(void)
{
    for (;;) {
        for (int64_t until = own_cpu_ns() + S / 100; own_cpu_ns() < until;)
            continue;
        usleep(50);
    }
}

/* The time that a look waits for a CPU is no cost of it: on a busy node the next one would come minutes later. */
static void a_look_that_waited_for_its_cpu_is_not_dear(void)
{
    int status;
    pid_t idle = fork();
    if (idle == 0) {
        struct cpu_trail t;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        assert(sched_setaffinity(0, sizeof one, &one) == 0);
        pid_t crowded = fork();
        if (crowded == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            crowd();
        }
        assert(crowded > 0 && sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) == 0);
        for (int i = 0; i < 20; i++) { /* some have the CPU for all of their time */
            cpu_trail_start(&t, crowded, 0);
            int64_t cpu_ns = own_cpu_ns();
            int pause_ms = cpu_trail_keep(&t, 2 * S);
            cpu_ns = own_cpu_ns() - cpu_ns;
            assert(t.looks == 1 && pause_ms >= 2000 && (pause_ms <= 2001 || pause_ms <= cpu_ns * 200 / 1000000 + 1));
        }
        kill(crowded, SIGKILL);
        assert(waitpid(crowded, NULL, 0) == crowded);
        _exit(0);
    }
    assert(waitpid(idle, &status, 0) == idle && status == 0);
}

static void nothing_is_looked_at_before_there_is_a_command(void)
{
    struct cpu_trail t = {0};
    assert(cpu_trail_keep(&t, 5 * S) == -1);
    cpu_trail_last(&t, 5 * S);
    assert(t.looks == 0);
}

int main(void)
{
    of_a_day_the_first_look_and_the_last_minutes_are_kept();
    a_clock_that_was_set_back_loses_nothing_but_looks();
    the_whole_tree_is_counted_whatever_its_processes_are_called();
    a_look_that_waited_for_its_cpu_is_not_dear();
    nothing_is_looked_at_before_there_is_a_command();
    return 0;
}
