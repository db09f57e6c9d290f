"""Opening what lies beneath a folder: by the kernel's own rule (openat2, Linux 5.6), or name by name where the kernel has none.

No link is followed on the way, not even one of /proc's; nothing leads above the folder or to where it is mounted elsewhere; and a file is
known to be a regular one before it is opened for reading, so no FIFO gets a reader and no device is touched.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import stat
from typing import Final

OPENAT2_NUMBERS: Final[dict[str, int]] = {
    **dict.fromkeys(("x86_64", "i686", "i386", "aarch64", "armv7l", "ppc64", "ppc64le", "riscv64", "s390x", "loongarch64"), 437),
    "mips64": 5437,
    "alpha": 547,
}
"""The system call's number by ``uname -m``: 437 where numbers are common to all (include/uapi/asm-generic/unistd.h, and
arch/{x86/entry,arm/tools,powerpc/kernel,s390/kernel}/syscalls/*.tbl), with 5000 added in MIPS's n64 and 110 in Alpha's table."""

_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08  # RESOLVE_* of include/uapi/linux/openat2.h
_RESOLVE = _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS
_TRIES = 8
"""openat2(2): EAGAIN says that something was renamed meanwhile, and to try again."""
_NO_SUCH_CALL = frozenset({errno.ENOSYS, errno.EPERM})  # EPERM: a container's seccomp filter that does not know the call
_PATH = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

KERNEL_FILE_SYSTEMS: Final[frozenset[int]] = frozenset({
    0x9FA0, 0x62656572, 0x64626720, 0x74726163, 0x73636673, 0x27E0EB, 0x63677270, 0xCAFE4A11, 0x1CD1, 0x19800202, 0x6165676C, 0x62656570,
})  # fmt: skip
"""f_type of proc, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, bpf, devpts, mqueue, pstore, configfs (include/uapi/linux/magic.h):
what is read there is the reader's, or the kernel's, and no file of the user's."""


class _OpenHow(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


class _Statfs(ctypes.Structure):
    _fields_ = [("f_type", ctypes.c_long), ("rest", ctypes.c_char * 248)]  # statfs(2): f_type is the first word; 120 bytes on 64-bit Linux


def folder_beneath(root: int, path: str) -> int:
    """A descriptor of the folder at ``path`` below ``root``, for listing. Raises OSError."""
    return _beneath(root, path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def file_beneath(root: int, path: str) -> tuple[int, os.stat_result]:
    """The regular file at ``path`` below ``root``, open for reading, and its status.

    Args:
        root: a descriptor of the folder.
        path: relative, with no ``..`` and no empty part.

    Raises:
        OSError: it cannot be reached or read, or is no regular file of a real file system; ``strerror`` says which.
    """
    try:
        held = _beneath(root, path, _PATH)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EXDEV, errno.ENOTDIR}:
            raise OSError(error.errno, "a part of its path is a link, or leads out of the work directory") from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(held).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file (a link, a pipe, a device or a folder)")
        if in_kernel_file_system(held):
            raise OSError(errno.EINVAL, "it lies in a file system of the kernel's own")
        # Through the descriptor: what is opened for reading is what was looked at, whatever its name stands for by now.
        fd = os.open(f"/proc/self/fd/{held}", _READ)
    finally:
        os.close(held)
    return fd, os.fstat(fd)


def in_kernel_file_system(fd: int) -> bool:
    """Whether ``fd`` lies in /proc, /sys or their like; False where the kernel does not say."""
    answer = _Statfs()
    if ctypes.CDLL(None, use_errno=True).fstatfs(ctypes.c_int(fd), ctypes.byref(answer)) != 0:
        return False
    return (int(answer.f_type) & 0xFFFFFFFF) in KERNEL_FILE_SYSTEMS


def _beneath(root: int, path: str, flags: int) -> int:
    number = OPENAT2_NUMBERS.get(platform.machine())
    if number is not None:
        try:
            return openat2(number, root, path, flags)
        except OSError as error:
            if error.errno not in _NO_SUCH_CALL:
                raise
    return step_by_step(root, path, flags)


def openat2(number: int, root: int, path: str, flags: int) -> int:
    """The kernel call, with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS. Raises OSError; ENOSYS before Linux 5.6."""
    libc = ctypes.CDLL(None, use_errno=True)
    how = _OpenHow(flags=flags, mode=0, resolve=_RESOLVE)
    for _ in range(_TRIES):
        fd = libc.syscall(
            ctypes.c_long(number), ctypes.c_long(root), ctypes.c_char_p(os.fsencode(path)), ctypes.byref(how), ctypes.c_size_t(ctypes.sizeof(how))
        )
        if fd >= 0:
            return int(fd)
        if ctypes.get_errno() not in {errno.EAGAIN, errno.EINTR}:
            break
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def step_by_step(root: int, path: str, flags: int) -> int:
    """The same for kernels without openat2: each part opened by itself and never as a link, ``..`` refused. Raises OSError."""
    *folders, name = path.split("/")
    if path.startswith("/") or ".." in (*folders, name):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    here = os.dup(root)
    try:
        for folder in folders:
            inner = os.open(folder, _PATH | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = inner
        fd = os.open(name, flags | os.O_NOFOLLOW, dir_fd=here)
    finally:
        os.close(here)
    if flags & os.O_PATH and stat.S_ISLNK(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))  # O_PATH with O_NOFOLLOW opens the link itself: refuse it as openat2 does
    return fd
