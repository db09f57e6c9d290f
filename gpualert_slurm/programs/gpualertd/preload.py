"""Imported once by the process from which the judging children are forked: each of them inherits what is done here.

It has no network from then on, and gets no privileges; and it has all of judging and composing in memory, tried once: what a
first call compiles and looks up (modes, patterns, templates, fonts) would else be done by every child anew.
"""

from __future__ import annotations

import ctypes
import gc
import logging

from gpualert_slurm import classifier
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Mail
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify import preload
from gpualert_slurm.notify.compose import Composition, compose
from gpualert_slurm.programs.gpualertd import dispatch
from gpualert_slurm.programs.gpualertd.bounded import adapter
from gpualert_slurm.programs.gpualertd.diagnosis import Weighed
from gpualert_slurm.wishes import Wishes

CLONE_NEWUSER, CLONE_NEWNET, PR_SET_NO_NEW_PRIVS = 0x10000000, 0x40000000, 38


def confine() -> None:
    """No new privileges, and no network; the latter where user namespaces are allowed, else the rlimits must do.

    The server's own socket has a path, and such sockets do not care for network namespaces (unix(7)).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.unshare(CLONE_NEWNET) != 0:
        libc.unshare(CLONE_NEWUSER | CLONE_NEWNET)


def warm() -> None:
    """Judge and compose once: a job that never was."""
    logging.disable(logging.CRITICAL)
    try:
        job = JobRecord(attempt=Attempt(cluster="warm", job_id=1), wishes=Wishes(addresses=("a@example.org",)), started_ns=1, ended_ns=2)
        verdict = classifier.judge(job)
        compose(verdict, job, Mail(allowed_domains=("example.org",)))
    except Exception:  # noqa: S110 - then the first job says it, in its own child
        pass
    finally:
        logging.disable(logging.NOTSET)


confine()
warm()
adapter(Weighed)
adapter(Composition)
gc.freeze()  # the children share these pages as long as nothing touches them
gc.set_threshold(100_000, 20, 50)

__all__ = ["dispatch", "preload"]
