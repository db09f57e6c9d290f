"""A job's files on a node as the plugin and gpualert-epilog leave them (doc/formats/job-file.md, exit-record.md, rank-log.md)."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import struct
import time
import uuid
import zlib
from dataclasses import dataclass, field
from pathlib import Path

NOBODY = 65534

TRACEBACK = b"""starting
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    open("data/train.bin")
FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'
"""
"""What a failing task writes."""
BOOT = Path("/proc/sys/kernel/random/boot_id").read_text().strip()


@dataclass
class AJob:
    """One job of ``NOBODY`` on node n1 below ``state``."""

    state: Path
    job_id: int = 42
    boot_id: str = BOOT
    wishes: dict[str, object] = field(default_factory=lambda: {"addresses": ["alice@example.org"], "when": "always", "artifacts": []})
    first_step: str = "batch"
    node: str = "n1"
    started_ns: int = field(default_factory=time.time_ns)
    attempt: str = ""

    def __post_init__(self) -> None:
        self.attempt = self.attempt or f"{self.job_id}.{secrets.token_hex(8)}"
        self.base = self.state / "node" / self.node
        for folder in (self.base / "jobs", self.base / "ended", self.record):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.state / "logs").mkdir(mode=0o711, exist_ok=True)
        self.logs.mkdir(mode=0o700)
        os.chown(self.logs, NOBODY, NOBODY)
        self.work_dir = self.state.parent / f"work-{self.job_id}"
        self.work_dir.mkdir(exist_ok=True)
        os.chown(self.work_dir, NOBODY, NOBODY)

    @property
    def record(self) -> Path:
        """Root's folder of the job."""
        return self.base / self.attempt

    @property
    def logs(self) -> Path:
        """The user's folder."""
        return self.state / "logs" / self.attempt

    def start(self, **changes: object) -> None:
        """The job file, as the plugin writes it at the first step, with ``changes``."""
        content = {
            "format": "gpualert-job/1", "attempt": self.attempt, "job_id": self.job_id, "uid": NOBODY, "gid": NOBODY, "node": self.node,
            "first_step": self.first_step, "step_node_index": 0, "step_node_count": 1, "log_folder": str(self.logs), "record_folder": str(self.record),
            "boot_id": self.boot_id, "started_ns": self.started_ns, "started_monotonic_ns": time.monotonic_ns(), "stepd_pid": os.getpid(),
            "capture": "on", "wishes": self.wishes, "claims": {"nodes": "n1", "user": "nobody", "work_dir": str(self.work_dir)},
        }
        self._whole(self.base / "jobs" / self.attempt, json.dumps(content | changes).encode())

    def task(self, number: int, output: bytes, exit_code: int | None = 0, step: str = "0") -> Path:
        """A task that wrote ``output`` to its stderr and ended; None: slurmstepd never saw its end. Gives the log."""
        path = self.logs / f"{step}.{number}.err"
        header = f'#gpualert-log/1 {{"job":{self.job_id},"attempt":"{self.attempt}","step":"{step}","task":{number},"local":{number},'
        header += f'"stream":"err","node":"{self.node}","created_ns":{self.started_ns}}}'
        footer = f'\n#gpualert-end {{"bytes":{len(output)},"head":{len(output)},"hole":0,"tail":0,"undelivered":0,"forked":true}}\n'
        path.write_bytes(header.encode().ljust(511) + b"\n" + output + (footer.encode() if exit_code is not None else b""))
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o600)
        self._index(step, number, len(output))
        now = time.time_ns()
        instant = {"ns": now, "monotonic_ns": time.monotonic_ns()}
        record: dict[str, object] = {
            "format": "gpualert-exit/1", "attempt": self.attempt, "job_id": self.job_id, "node": self.node, "boot_id": self.boot_id, "step": step,
            "task": number, "local": number, "state": "prepared" if exit_code is None else "closed", "rank": number, "prepared": instant, "capture": "on",
            "streams": {"err": {"log": path.name, "captured": True, "bytes": len(output), "head": len(output), "hole": 0, "tail": 0}},
        }
        if exit_code is not None:
            record |= {"wait_status": exit_code << 8, "exit_code": exit_code, "exited": instant, "started": instant, "pid": 99_000_000 + number}
        self._whole(self.record / f"{step}.{number}.exit.json", json.dumps(record).encode())
        return path

    def end(self, *, epilog: bool = True, env: dict[str, str] | None = None) -> None:
        """As gpualert-epilog does: its facts, then the rename."""
        if epilog:
            facts = {
                "format": "gpualert-epilog/1", "attempt": self.attempt, "node": self.node, "boot_id": self.boot_id, "ended_ns": time.time_ns(),
                "ended_monotonic_ns": time.monotonic_ns(), "env": {"SLURM_JOB_ID": str(self.job_id), "SLURM_JOB_EXIT_CODE2": "1:0", **(env or {})},
            }
            self._whole(self.record / "epilog.json", json.dumps(facts).encode())
        (self.base / "jobs" / self.attempt).rename(self.base / "ended" / self.attempt)

    def _index(self, step: str, number: int, length: int) -> None:
        head = struct.pack("<8sIHH16sqqqI", b"GPALIDX1", 1, 64, 32, uuid.UUID(self.boot_id).bytes, 0, self.started_ns, -1, 0)
        rows = [(self.started_ns + 1_000_000_000, 0, 0, 2, 1, 100), (self.started_ns + 2_000_000_000, 0, length, 2, 3, 100)]
        packed = [struct.pack("<qqQBBH", *row) for row in rows]
        content = head + struct.pack("<I", zlib.crc32(head)) + b"".join(p + struct.pack("<I", zlib.crc32(p)) for p in packed)
        self._whole(self.record / f"{step}.{number}.idx", content)

    @staticmethod
    def _whole(path: Path, content: bytes) -> None:
        part = path.with_name(f".{path.name}.part")
        part.write_bytes(content)
        part.chmod(0o600)
        part.rename(path)

    def remove(self) -> None:
        """All of it."""
        shutil.rmtree(self.record, ignore_errors=True)
        shutil.rmtree(self.logs, ignore_errors=True)
