#include "errno_name.h"

#include <errno.h>
#include <stddef.h>

const char *errno_name(int why)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {EACCES, "EACCES"}, {EAGAIN, "EAGAIN"}, {EBADF, "EBADF"},     {EDQUOT, "EDQUOT"},       {EEXIST, "EEXIST"}, {EFBIG, "EFBIG"},
        {EINVAL, "EINVAL"}, {EIO, "EIO"},       {EISDIR, "EISDIR"},   {ELOOP, "ELOOP"},         {EMFILE, "EMFILE"}, {ENFILE, "ENFILE"},
        {ENODEV, "ENODEV"}, {ENOENT, "ENOENT"}, {ENOMEM, "ENOMEM"},   {ENOSPC, "ENOSPC"},       {ENOTDIR, "ENOTDIR"}, {ENXIO, "ENXIO"},
        {EPERM, "EPERM"},   {EPIPE, "EPIPE"},   {EROFS, "EROFS"},     {ESTALE, "ESTALE"},       {ETIMEDOUT, "ETIMEDOUT"},
        {EOVERFLOW, "EOVERFLOW"}, {ECONNRESET, "ECONNRESET"}, {ENOTCONN, "ENOTCONN"}, {EREMOTEIO, "EREMOTEIO"}, {EHOSTDOWN, "EHOSTDOWN"},
    };
    if (why == 0)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == why)
            return names[i].name;
    return "errno";
}
