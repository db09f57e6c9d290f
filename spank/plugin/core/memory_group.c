#include "memory_group.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "whole_file.h"

#define MOUNTS_MAX_BYTES 65536
#define FIRST_CGROUP_NAMESPACE 0xEFFFFFFBu /* PROC_CGROUP_INIT_INO of linux/proc_ns.h: its inode on every machine */

static bool read_text(const char *folder, const char *name, char *text, size_t size)
{
    char path[1100];
    text[0] = '\0';
    return (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path && whole_file_read(AT_FDCWD, path, text, size) > 0;
}

static int64_t number_in(const char *text)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    return end == text || value < 0 || value >= (1LL << 62) ? -1 : value; /* v1 writes "no limit" as a huge number, v2 as "max" */
}

/* The number behind `key ` at the start of a line, -1 where there is none. */
static int64_t line_value(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            return number_in(line + n + 1);
    return -1;
}

static const char *events_file(bool v2)
{
    return v2 ? "memory.events" : "memory.oom_control";
}

struct memory_counters memory_group_events(const char *folder, bool v2)
{
    struct memory_counters m = NO_MEMORY_COUNTERS;
    char text[1024];
    if (read_text(folder, events_file(v2), text, sizeof text)) {
        m.oom_events = v2 ? line_value(text, "oom") : -1;
        m.oom_kill_events = line_value(text, "oom_kill");
    }
    return m;
}

struct memory_counters memory_group_read(const char *folder, bool v2)
{
    struct memory_counters m = memory_group_events(folder, v2);
    char text[64];
    if (read_text(folder, v2 ? "memory.max" : "memory.limit_in_bytes", text, sizeof text))
        m.limit_bytes = number_in(text);
    if (read_text(folder, v2 ? "memory.peak" : "memory.max_usage_in_bytes", text, sizeof text))
        m.peak_bytes = number_in(text);
    return m;
}

/* Whether `word` is one of the words of a list with commas, which ends at `end`. */
static bool among(const char *list, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at < end; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            comma = end;
        if ((size_t)(comma - at) == n && memcmp(at, word, n) == 0)
            return true;
        at = comma;
    }
    return false;
}

/* "<id>:<controllers>:<path>", v2 as "0::<path>". */
bool memory_group_named(char *text, struct memory_group *group)
{
    char *save = NULL;
    group->path[0] = group->folder[0] = '\0';
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *controllers = strchr(line, ':'), *where = controllers ? strchr(controllers + 1, ':') : NULL;
        bool unified = controllers && where == controllers + 1;
        if (!where || where[1] != '/' || strlen(where + 1) >= sizeof group->path || (!unified && !among(controllers + 1, where, "memory")))
            continue;
        if (*group->path && unified)
            continue; /* a hybrid host counts memory in v1 */
        strcpy(group->path, where + 1);
        group->v2 = unified;
    }
    return *group->path;
}

/* The folder of the group's path, as it is seen below a mount of `root`, if that shows it and its events can be read there. */
static bool lies_in(struct memory_group *group, const char *mount, const char *root)
{
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
    char events[1100];
    if (strncmp(group->path, root, n) != 0 || (group->path[n] && group->path[n] != '/') || strstr(group->path, "/.."))
        return false;
    const char *rest = group->path + n;
    snprintf(group->folder, sizeof group->folder, "%s%s", mount, strcmp(rest, "/") == 0 ? "" : rest);
    snprintf(events, sizeof events, "%s/%s", group->folder, events_file(group->v2));
    if (access(events, R_OK) == 0)
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
bool memory_group_mounted(char *text, struct memory_group *group)
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
        if (!group->v2 && (!options || !among(options, options + strlen(options), "memory")))
            continue;
        unescape(root);
        unescape(mount);
        if (lies_in(group, mount, root))
            return true;
    }
    return false;
}

bool memory_group_own(struct memory_group *group)
{
    char text[8192], mounts[MOUNTS_MAX_BYTES];
    struct stat space;
    bool plain = stat("/proc/self/ns/cgroup", &space) == 0 && space.st_ino == FIRST_CGROUP_NAMESPACE, found = false;
    if (whole_file_read(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) > 0 && memory_group_named(text, group)) {
        if (plain) /* names are then whole, and the list of mounts, which may be long, is read only where they are mounted elsewhere */
            found = strcmp(group->path, "/") != 0 && lies_in(group, group->v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", "/");
        if (!found && !(plain && strcmp(group->path, "/") == 0) && whole_file_read(AT_FDCWD, "/proc/self/mountinfo", mounts, sizeof mounts) > 0)
            found = memory_group_mounted(mounts, group);
    }
    if (!found)
        *group = (struct memory_group){0};
    return found;
}
