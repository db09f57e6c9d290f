"""Calls a function as another uid, in a child, and gives its result."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")


def as_uid(uid: int, call: Callable[[], T]) -> T:
    """What ``call`` gives when ``uid`` calls it; its exception is raised here."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            answer: object = call()
        except BaseException as error:
            answer = error
        with os.fdopen(writing, "wb") as file:
            pickle.dump(answer, file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answer = pickle.load(file)
    os.waitpid(pid, 0)
    if isinstance(answer, BaseException):
        raise answer
    return cast("T", answer)
