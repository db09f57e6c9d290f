/* Memory control groups: whose one is, where it lies, what it counted, of both versions. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory_mount.h"

static char top[] = "/tmp/memory group.XXXXXX"; /* with a blank, which mountinfo escapes */

static void make_folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert(mkdir(path, 0700) == 0);
}

static void make_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *file = fopen(path, "w");
    assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool named(const char *text, struct memory_group *group)
{
    char copy[2048];
    snprintf(copy, sizeof copy, "%s", text);
    memset(group, '#', sizeof *group);
    return memory_group_named(copy, group);
}

static void a_group_is_named_by_the_hierarchy_that_counts_memory(void)
{
    struct memory_group group;
    assert(named("0::/user.slice/user-1000.slice/session-3.scope\n", &group) && group.v2);
    assert(strcmp(group.path, "/user.slice/user-1000.slice/session-3.scope") == 0);
    assert(named("9:name=systemd:/a\n4:memory:/jobs/7\n0::/init.scope\n", &group) && !group.v2);
    assert(strcmp(group.path, "/jobs/7") == 0);
    assert(named("0::/b:c\n4:cpu,memory,pids:/jobs/8:9", &group) && !group.v2);
    assert(strcmp(group.path, "/jobs/8:9") == 0);
}

static void what_only_looks_like_it_is_none(void)
{
    struct memory_group group;
    char text[1100];
    assert(!named("", &group) && !*group.path);
    assert(!named("9:name=systemd:/user,memory\n3:cpu:/a:memory:/b\n5:memoryless:/c\n:\n::\n0::relative\nmemory", &group) && !*group.path);
    snprintf(text, sizeof text, "0::/%01000d\n", 0); /* longer than any that is kept */
    assert(!named(text, &group) && !*group.path);
}

/* `lines` with %s for the folder of the test, as mountinfo has it. */
static bool mounted(const char *path, bool v2, const char *lines, struct memory_group *group)
{
    char escaped[64] = "", text[4096];
    for (const char *c = top; *c; c++)
        strcat(escaped, *c == ' ' ? "\\040" : (char[]){*c, '\0'});
    snprintf(text, sizeof text, lines, escaped, escaped);
    *group = (struct memory_group){.v2 = v2};
    strcpy(group->path, path);
    return memory_mount_find(text, group);
}

static void expect_folder(const struct memory_group *group, const char *below)
{
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s%s", top, below);
    assert(strcmp(group->folder, wanted) == 0);
}

static void a_group_lies_below_the_mount_that_shows_it(void)
{
    struct memory_group group;
    const char *host = "24 1 0:1 / /proc rw - proc proc rw\n31 23 0:29 / %s rw,nosuid shared:9 master:2 - cgroup cgroup rw,cpu,memory\n";
    const char *container = "31 23 0:29 /docker/c1 %s ro - cgroup cgroup rw,memory\n";
    const char *unified = "31 23 0:29 / %s rw - cgroup2 none rw,nsdelegate,memory_recursiveprot\n";

    make_folder("jobs");
    make_file("jobs/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    make_file("memory.oom_control", "oom_kill 5\n");
    make_file("memory.events", "low 0\nhigh 0\nmax 17\noom 4\noom_kill 2\noom_group_kill 0\n");
    assert(mounted("/jobs", false, host, &group));
    expect_folder(&group, "/jobs");
    assert(mounted("/docker/c1", false, container, &group));
    expect_folder(&group, "");
    assert(mounted("/docker/c1/jobs", false, container, &group));
    expect_folder(&group, "/jobs");
    assert(mounted("/", true, unified, &group));
    expect_folder(&group, "");
}

static void a_mount_that_does_not_show_it_is_passed_over(void)
{
    struct memory_group group;
    assert(!mounted("/jobs", false, "31 23 0:29 / %s rw - cgroup cgroup rw,cpu\n", &group) && !*group.folder);
    assert(!mounted("/jobs", true, "31 23 0:29 / %s rw - cgroup cgroup rw,memory\n", &group));
    assert(!mounted("/gone", false, "31 23 0:29 / %s rw - cgroup cgroup rw,memory\n", &group));
    assert(!mounted("/docker/c10", false, "31 23 0:29 /docker/c1 %s rw - cgroup cgroup rw,memory\n", &group));
    assert(!mounted("/", false, "31 23 0:29 /../.. %s rw - cgroup cgroup rw,memory\n", &group)); /* mounted outside our namespace */
    assert(!mounted("/../other", false, "31 23 0:29 / %s rw - cgroup cgroup rw,memory\n", &group));
    assert(!mounted("/jobs", false, "31 23 0:29 / %s\n31 - cgroup\n - \n - cgroup cgroup memory\n31 23 0:29 /", &group));
    assert(mounted("/jobs", false, "30 1 0:1 /a %s rw - cgroup cgroup rw,memory\n31 23 0:29 / %s rw - cgroup cgroup rw,memory\n", &group));
}

static void version_1_counts_kills_and_a_huge_limit_is_none(void)
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s/jobs", top);
    make_file("jobs/memory.limit_in_bytes", "9223372036854771712\n");
    make_file("jobs/memory.max_usage_in_bytes", "100663296\n");
    struct memory_counters m = memory_group_read(folder, false);
    assert(m.limit_bytes == -1 && m.peak_bytes == 100663296 && m.oom_events == -1 && m.oom_kill_events == 3);
    make_file("jobs/memory.limit_in_bytes", "167772160\n");
    make_file("jobs/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n"); /* before Linux 4.13 */
    m = memory_group_read(folder, false);
    assert(m.limit_bytes == 167772160 && m.oom_kill_events == -1);
}

static void version_2_counts_ooms_and_kills_and_max_is_no_limit(void)
{
    make_file("memory.max", "max\n");
    struct memory_counters m = memory_group_read(top, true); /* memory.peak came with Linux 5.19 */
    assert(m.limit_bytes == -1 && m.peak_bytes == -1 && m.oom_events == 4 && m.oom_kill_events == 2);
    make_file("memory.max", "1073741824\n");
    make_file("memory.peak", "1073741000\n");
    m = memory_group_read(top, true);
    assert(m.limit_bytes == 1073741824 && m.peak_bytes == 1073741000);
    make_file("memory.events", "oom_kill_x 1\noom_kill many\n");
    m = memory_group_events(top, true);
    assert(m.limit_bytes == -1 && m.oom_events == -1 && m.oom_kill_events == -1);
}

static void the_smallest_limit_above_is_the_one_that_holds(void)
{
    struct memory_group group = {.v2 = true};
    make_folder("deep");
    make_folder("deep/er");
    make_file("deep/memory.max", "max\n");
    make_file("deep/er/memory.max", "4096\n"); /* its own, not one above */
    snprintf(group.folder, sizeof group.folder, "%s/deep/er", top);
    assert(memory_mount_limit_above(&group) == 1073741824);
    make_file("deep/memory.max", "536870912\n");
    assert(memory_mount_limit_above(&group) == 536870912);
    make_file("deep/memory.max", "max\n");
    make_file("memory.max", "max\n");
    assert(memory_mount_limit_above(&group) == -1);
    snprintf(group.folder, sizeof group.folder, "/gone");
    assert(memory_mount_limit_above(&group) == -1);
}

static void what_is_not_there_counts_nothing(void)
{
    struct memory_counters m = memory_group_read("/no/such/folder", true);
    assert(m.limit_bytes == -1 && m.peak_bytes == -1 && m.oom_events == -1 && m.oom_kill_events == -1);
    struct memory_group group;
    if (!memory_mount_own(&group)) /* whatever this machine has */
        assert(!*group.path && !*group.folder);
    else
        assert(memory_group_events(group.folder, group.v2).oom_kill_events >= -1);
}

int main(void)
{
    char clean[128];
    assert(mkdtemp(top));
    a_group_is_named_by_the_hierarchy_that_counts_memory();
    what_only_looks_like_it_is_none();
    a_group_lies_below_the_mount_that_shows_it();
    a_mount_that_does_not_show_it_is_passed_over();
    version_1_counts_kills_and_a_huge_limit_is_none();
    version_2_counts_ooms_and_kills_and_max_is_no_limit();
    the_smallest_limit_above_is_the_one_that_holds();
    what_is_not_there_counts_nothing();
    snprintf(clean, sizeof clean, "rm -r '%s'", top);
    return system(clean) == 0 ? 0 : 1;
}
