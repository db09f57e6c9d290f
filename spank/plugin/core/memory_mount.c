#include "memory_mount.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "whole_file.h"

#define MOUNTS_MAX_BYTES 65536
#define FIRST_CGROUP_NAMESPACE 0xEFFFFFFBu /* PROC_CGROUP_INIT_INO of linux/proc_ns.h: its inode on every machine */

/* The folder of the group's path, as it is seen below a mount of `root`, if that shows it and its events can be read there. */
static bool lies_in(struct memory_group *group, const char *mount, const char *root)
{
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(group->path, root, n) != 0 || (group->path[n] && group->path[n] != '/') || strstr(group->path, "/.."))
        return false;
    const char *rest = group->path + n;
    snprintf(group->folder, sizeof group->folder, "%s%s", mount, strcmp(rest, "/") == 0 ? "" : rest);
    group->found = memory_group_events(group->folder, group->v2);
    if (group->found.oom_kill_events >= 0)
        return true;
    group->folder[0] = '\0';
    return false;
}

/* proc_pid_mountinfo(5): blanks, tabs, line ends and backslashes of a path are written as \ooo. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++)
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
            *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    *to = '\0';
}

/* "<id> <parent> <device> <root> <mount point> <options> [<field>]... - <type> <source> <its options>" */
bool memory_mount_find(char *text, struct memory_group *group)
{
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *type = strstr(line, " - "), *in = NULL, *word = NULL, *root = NULL, *mount = NULL, *options = NULL;
        if (!type)
            continue;
        *type = '\0';
        for (int i = 0; i < 5 && (word = strtok_r(i ? NULL : line, " ", &in)); i++) {
            root = i == 3 ? word : root;
            mount = i == 4 ? word : mount;
        }
        char *kind = strtok_r(type + 3, " ", &in);
        if (strtok_r(NULL, " ", &in))
            options = strtok_r(NULL, " ", &in);
        if (!mount || !kind || strcmp(kind, group->v2 ? "cgroup2" : "cgroup") != 0)
            continue;
        if (!group->v2 && (!options || !memory_group_listed(options, options + strlen(options))))
            continue;
        unescape(root);
        unescape(mount);
        if (lies_in(group, mount, root))
            return true;
    }
    return false;
}

static bool in_first_namespace(void)
{
    struct stat space;
    return stat("/proc/self/ns/cgroup", &space) == 0 && space.st_ino == FIRST_CGROUP_NAMESPACE;
}

/* Not inlined: its pages of the stack are touched only where it is needed. */
__attribute__((noinline)) static bool find_by_mounts(struct memory_group *group)
{
    char mounts[MOUNTS_MAX_BYTES];
    return whole_file_read(AT_FDCWD, "/proc/self/mountinfo", mounts, sizeof mounts) > 0 && memory_mount_find(mounts, group);
}

/* The list of mounts may be long: it is read only where the usual folder does not show the group, or its name says nothing (of a container). */
bool memory_mount_own(struct memory_group *group)
{
    char text[8192];
    bool found = false;
    if (whole_file_read(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) > 0 && memory_group_named(text, group)) {
        bool root = strcmp(group->path, "/") == 0;
        found = !root && lies_in(group, group->v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", "/");
        if (!found && !(root && in_first_namespace()))
            found = find_by_mounts(group);
    }
    if (!found)
        *group = (struct memory_group){0};
    return found;
}

int64_t memory_mount_limit_above(const struct memory_group *group)
{
    char folder[sizeof group->folder], *end;
    int64_t least = -1;
    strcpy(folder, group->folder);
    while ((end = strrchr(folder, '/')) && end != folder) { /* above the root of all no folder has such files */
        *end = '\0';
        int64_t limit = memory_group_read(folder, group->v2).limit_bytes;
        least = limit >= 0 && (least < 0 || limit < least) ? limit : least;
    }
    return least;
}
