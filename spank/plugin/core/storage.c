#include "storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Node-local types. One that is missing here costs a site its logs and says so; a network one that got in could hang every step. */
static const char *const local_types[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "reiserfs", "bcachefs",
                                          "overlay", "tmpfs", "ramfs", NULL};

static bool one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* mountinfo writes space, tab, newline and backslash as \ooo. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

static bool lies_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    if (n == 1)
        return true; /* "/" */
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* proc(5): the fifth field is the mount point, the type follows " - ". Later lines hide earlier ones. */
static void find_type(const char *path, char *type, size_t size)
{
    char *line = NULL;
    size_t room = 0, best = 0;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");

    *type = '\0';
    while (mounts && getline(&line, &room, mounts) > 0) {
        char point[4096], found[32];
        const char *dash = strstr(line, " - ");
        if (!dash || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 || sscanf(dash, " - %31s", found) != 1)
            continue;
        unescape(point);
        if (strlen(point) >= best && lies_below(path, point)) {
            best = strlen(point);
            snprintf(type, size, "%s", found);
        }
    }
    free(line);
    if (mounts)
        fclose(mounts);
}

/*
 * Whether `path` lies on a block device, asked without any I/O: not answered where the kernel has not all of the path in memory, or is
 * older than 5.12. It spares most steps the list of mounts, which is long on some nodes.
 */
static bool on_block_device(const char *path)
{
    bool yes = false;
#ifdef SYS_openat2
    struct statx status;
    struct {
        uint64_t flags, mode, resolve;
    } how = {O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0x20 /* RESOLVE_CACHED */}; /* openat2(2) */
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (fd < 0)
        return false;
    yes = statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0 && status.stx_dev_major != 0;
    close(fd);
#else
    (void)path;
#endif
    return yes;
}

/* statfs(2)'s numbers of the local types that lie on one device; ext2 and ext3 have ext4's. */
static void type_on_device(int fd, char *type, size_t size)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } known[] = {{0xEF53, "ext4"}, {0x58465342, "xfs"}, {0xF2F52010, "f2fs"}, {0x3153464A, "jfs"}, {0x52654973, "reiserfs"}};
    struct statfs fs;

    *type = '\0';
    if (fd < 0 || fstatfs(fd, &fs) < 0)
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((unsigned long)fs.f_type == known[i].magic)
            snprintf(type, size, "%s", known[i].name);
}

static void refuse(struct storage *storage, const char *path, const char *why)
{
    snprintf(storage->refused, sizeof storage->refused, "%.160s: %.80s", path, why);
    if (storage->fd >= 0)
        close(storage->fd);
    storage->fd = -1;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void storage_open(struct storage *storage, const char *path, uint64_t min_free_mib)
{
    struct stat status;
    struct statvfs fs;

    *storage = (struct storage){.fd = -1};
    if (on_block_device(path)) {
        storage->fd = open_folder(path);
        type_on_device(storage->fd, storage->type, sizeof storage->type);
    }
    if (!*storage->type)
        find_type(path, storage->type, sizeof storage->type);
    if (!one_of(storage->type, local_types)) {
        char why[96];
        snprintf(why, sizeof why, "on %s, which is not known to be node-local", *storage->type ? storage->type : "an unknown file system");
        refuse(storage, path, why);
        return;
    }
    storage->in_memory = strcmp(storage->type, "tmpfs") == 0 || strcmp(storage->type, "ramfs") == 0;
    if (storage->fd < 0)
        storage->fd = open_folder(path);
    if (storage->fd < 0 || fstat(storage->fd, &status) < 0) {
        refuse(storage, path, strerror(errno));
        return;
    }
    if (status.st_uid != geteuid() || (status.st_mode & 022)) {
        refuse(storage, path, "must belong to root and be writable by nobody else");
        return;
    }
    if (fstatvfs(storage->fd, &fs) < 0) {
        refuse(storage, path, strerror(errno));
        return;
    }
    uint64_t free_mib = (uint64_t)fs.f_bavail * fs.f_frsize >> 20;
    if (free_mib < min_free_mib && !storage->in_memory)
        snprintf(storage->too_full, sizeof storage->too_full, "off: %llu MiB free, below min_free_mib=%llu", (unsigned long long)free_mib,
                 (unsigned long long)min_free_mib);
}
