"""A file system that never answers: mounted over /dev/fuse, it says hello and then keeps every request for ever.

``python hung_mount.py FOLDER`` prints "mounted" and runs until it is killed; the kernel then fails what waits. Processes that
touched the folder sleep uninterruptibly meanwhile, as on a dead NFS server. Root only.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

MS_NOSUID, MS_NODEV = 2, 4
# linux/fuse.h: the header of a request, its answer's header, opcode 26 and its answer as of protocol 7.31.
IN, OUT, INIT = struct.Struct("<IIQQIIII"), struct.Struct("<IiQ"), 26
INIT_OUT = struct.Struct("<IIIIHHIIHHI28x")


def main(folder: str) -> None:
    """Mount, say hello, and never answer again."""
    libc = ctypes.CDLL(None, use_errno=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40755,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"gpualert-hung", folder.encode(), b"fuse", MS_NOSUID | MS_NODEV, options) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), folder)
    greeted = False
    while True:
        request = os.read(device, 1 << 20)
        _length, opcode, unique, *_rest = IN.unpack_from(request)
        if opcode == INIT and not greeted:
            answer = INIT_OUT.pack(7, 31, 0, 0, 64, 48, 1 << 16, 1, 0, 0, 0)
            os.write(device, OUT.pack(OUT.size + len(answer), 0, unique) + answer)
            greeted = True
            print("mounted", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
