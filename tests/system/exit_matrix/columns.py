"""What can be wrong with gpualert: each a state of the bed, entered and left again."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.testbed import Cluster
from tests.testbed.daemon import DaemonError

NOWHERE = "/nonexistent/gpualert"


@dataclass(frozen=True)
class Column:
    """A condition of gpualert. ``asked``: whether jobs ask for it (without the plugin the option is unknown to Slurm)."""

    title: str
    enter: Callable[[Cluster], AbstractContextManager[None]]
    asked: bool = True


def services(c: Cluster, *, start: bool, daemon: bool = True, nodes: bool = True) -> None:
    """Stop gpualert's own programs, or start them; a daemon that cannot start is what some columns are about."""
    for service in c.node_services.values():
        if start and nodes:
            service.start()
        else:
            service.stop(kill=True)
    if not start:
        c.daemon.stop(term_timeout_s=2)
    elif daemon:
        with contextlib.suppress(DaemonError):
            c.start_daemon()


@contextmanager
def _running(c: Cluster, *, daemon: bool = True, nodes: bool = True) -> Iterator[None]:
    services(c, start=True, daemon=daemon, nodes=nodes)
    try:
        yield
    finally:
        services(c, start=False)


@contextmanager
def _unhooked(c: Cluster) -> Iterator[None]:
    c.unhook()
    try:
        yield
    finally:
        c.hook_in()


@contextmanager
def _configured(c: Cluster, table: str, key: str, value: object) -> Iterator[None]:
    before = c.gpualert.settings[table].get(key)
    c.configure({table: {key: value}})
    try:
        yield
    finally:
        if before is None:
            del c.gpualert.settings[table][key]
            c.configure()
        else:
            c.configure({table: {key: before}})


def _unmount(folder: Path) -> None:
    if subprocess.run(["umount", str(folder)], check=False, capture_output=True).returncode != 0:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def _tmpfs(folder: Path, options: str) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "gpualert-matrix", str(folder)], check=True)
    try:
        yield
    finally:
        _unmount(folder)


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """A file system in memory, writable by all, with no byte left."""
    with _tmpfs(folder, "size=4k,mode=1777"):
        (folder / "filler").write_bytes(b"x" * 4096)
        yield


@contextmanager
def _hung(folder: Path) -> Iterator[None]:
    program = Path(__file__).with_name("hung_mount.py")
    server = subprocess.Popen([sys.executable, str(program), str(folder)], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        if server.stdout.readline() != b"mounted\n":
            raise RuntimeError("no file system can be served over /dev/fuse here: the kernel or the privilege lacks")
        yield
    finally:
        server.kill()  # everything that waits there gets an error now
        server.wait()
        _unmount(folder)


@contextmanager
def _replaced(folder: Path) -> Iterator[None]:
    """The folder is not there; what was there comes back."""
    away = folder.with_name(f"{folder.name}.away")
    folder.rename(away)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        away.rename(folder)


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "--bind", str(folder), str(folder)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield
    finally:
        _unmount(folder)


def _state(how: Callable[[Path], AbstractContextManager[None]], *, nodes: bool = True) -> Callable[[Cluster], AbstractContextManager[None]]:
    @contextmanager
    def enter(c: Cluster) -> Iterator[None]:
        with how(c.gpualert.state_dir), _running(c, nodes=nodes):
            yield

    return enter


def _small(folder: Path) -> AbstractContextManager[None]:
    """The first jobs find room for a part of their files, each for another part, the last ones for none."""
    return _tmpfs(folder, "size=128k,mode=0711")


def _stuffed(folder: Path) -> AbstractContextManager[None]:
    return full_disk_for_root(folder)


@contextmanager
def full_disk_for_root(folder: Path) -> Iterator[None]:
    """As ``full_disk``, with the mode that a state folder must have."""
    with full_disk(folder):
        folder.chmod(0o711)
        yield


def _spool(how: Callable[[Path], AbstractContextManager[None]]) -> Callable[[Cluster], AbstractContextManager[None]]:
    @contextmanager
    def enter(c: Cluster) -> Iterator[None]:
        with how(c.gpualert.spool_dir), _running(c):
            yield
            services(c, start=False)

    return enter


def _archive(how: Callable[[Path], AbstractContextManager[None]] | None) -> Callable[[Cluster], AbstractContextManager[None]]:
    @contextmanager
    def enter(c: Cluster) -> Iterator[None]:
        folder = c.root / "archive"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o1777)
        with contextlib.ExitStack() as stack:
            stack.enter_context(_configured(c, "site", "archive_dir", f"{folder if how else NOWHERE}/%u/%j"))
            if how:
                stack.enter_context(how(folder))
            stack.enter_context(_running(c))
            yield

    return enter


@contextmanager
def _node_killed(c: Cluster) -> Iterator[None]:
    ending = threading.Event()

    def kill() -> None:
        while not ending.wait(0.7):
            for service in c.node_services.values():
                service.daemon.kill()

    with _running(c):
        thread = threading.Thread(target=kill, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join()


@contextmanager
def _nvml_hangs(c: Cluster) -> Iterator[None]:
    for node in c.node_names:
        c.nvml.set_host(node, {"init": "@hang=600"})
    try:
        with _running(c):
            yield
    finally:
        for node in c.node_names:
            c.nvml.reset(node)


@contextmanager
def _toml_broken(c: Cluster) -> Iterator[None]:
    c.gpualert.config.write_text("[site\nstate_dir = = 7\n")
    try:
        with _running(c):
            yield
    finally:
        c.gpualert.configure()


def _plugstack(line: Callable[[Cluster], str]) -> Callable[[Cluster], AbstractContextManager[None]]:
    @contextmanager
    def enter(c: Cluster) -> Iterator[None]:
        c.plugstack([line(c)])
        try:
            with _running(c):
                yield
        finally:
            c.plugstack([c.gpualert.plugstack_line()])

    return enter


@contextmanager
def _munge_gone(c: Cluster) -> Iterator[None]:
    with _configured(c, "site", "munge_socket", f"{NOWHERE}/munge.socket"), _running(c):
        yield


@contextmanager
def _munge_silent(c: Cluster) -> Iterator[None]:
    path = c.root / "silent.socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        path.chmod(0o777)
        listening.listen(64)
        try:
            with _configured(c, "site", "munge_socket", str(path)), _running(c):
                yield
        finally:
            path.unlink()


@contextmanager
def _smtp_down(c: Cluster) -> Iterator[None]:
    c.smtp.stop()
    try:
        with _running(c):
            yield
    finally:
        c.smtp.start()


@contextmanager
def _smtp_silent(c: Cluster) -> Iterator[None]:
    c.smtp.behave(greet=False)
    try:
        with _running(c):
            yield
    finally:
        c.smtp.behave()


@contextmanager
def _off(c: Cluster) -> Iterator[None]:
    c.gpualert.off_file.write_text("")
    try:
        with _running(c):
            yield
    finally:
        c.gpualert.off_file.unlink()




WITHOUT = Column("without gpualert", _unhooked, asked=False)
ALL_WELL = Column("all well", _running)
COLUMNS: tuple[Column, ...] = (
    ALL_WELL,
    Column("state folder missing", _state(_replaced)),
    Column("state folder read-only", _state(_read_only)),
    Column("state folder full", _state(_stuffed)),
    Column("state folder fills up", _state(_small)),
    # Nothing can look for job files there: the service is never started.
    Column("state folder hung", _state(_hung, nodes=False)),
    Column("spool folder missing", _spool(_replaced)),
    Column("spool folder read-only", _spool(_read_only)),
    Column("spool folder full", _spool(full_disk)),
    Column("spool folder hung", _spool(_hung)),
    Column("archive folder missing", _archive(None)),
    Column("archive folder read-only", _archive(_read_only)),
    Column("archive folder full", _archive(full_disk)),
    Column("archive folder hung", _archive(_hung)),
    Column("gpualert-node killed every 0.7 s", _node_killed),
    Column("gpualert-node absent", lambda c: _running(c, nodes=False)),
    Column("NVML hanging", _nvml_hangs),
    Column("gpualert.toml broken", _toml_broken),
    Column("plugstack.conf: unknown argument", _plugstack(lambda c: f"optional {c.gpualert.plugin} stat_dir={c.gpualert.state_dir} tail_kib=many")),
    Column("munge socket missing for gpualert", _munge_gone),
    Column("munge socket that never answers gpualert", _munge_silent),
    Column("SMTP down", _smtp_down),
    Column("SMTP accepts and never answers", _smtp_silent),
    Column("gpualertd absent", lambda c: _running(c, daemon=False)),
    Column("off file present", _off),
)
