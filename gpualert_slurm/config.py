"""gpualert.toml: one table a room. An unknown key is an error that names its file, its line and the nearest valid key."""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT_PATH = Path("/etc/gpualert/gpualert.toml")


class ConfigError(Exception):
    """The configuration cannot be used; the text says where, why and what would be right."""


class Table(BaseModel):
    """A table of the file: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Site(Table):
    """What node and daemon must agree on."""

    cluster: str | None = Field(default=None, description="the cluster's name as sacct prints it; read from Slurm where absent")
    state_dir: Path = Field(default=Path("/var/spool/gpualert"), description="node-local state: rank logs, records, sealed reports")
    spool_dir: Path = Field(default=Path("/var/spool/gpualert-reports"), description="folder shared by nodes and daemon for the spool transport")
    archive_dir: str | None = Field(
        default=None,
        description="where the job's user keeps a bounded copy of the logs, a template such as %h/.gpualert/%j (%h home, %u user, %j job id)",
    )
    off_file: Path = Field(default=Path("/etc/gpualert/off"), description="when this file exists, every hook does nothing")
    daemon_user: str = Field(default="gpualert", description="the user gpualertd runs as; reports are sealed for its uid only")
    munge_socket: Path | None = Field(default=None, description="munged's socket, where it is not the default one")
    seal: str = Field(default="munge", description="how reports are sealed: munge, or key_file for clusters without it")
    seal_key_file: Path = Field(default=Path("/etc/gpualert/seal.key"), description="for the seal key_file: the shared keys; root, 0400")
    transport: str = Field(default="spool", description="how reports travel: spool (a shared folder), or tcp (straight to the daemon)")
    daemon_host: str | None = Field(default=None, description="for the transport tcp: where nodes reach gpualertd")
    daemon_port: int = Field(default=6829, gt=0, lt=65536, description="for the transport tcp: its port")
    listen: tuple[str, ...] = Field(default=("0.0.0.0", "::"), description="for the transport tcp: where the daemon answers")  # noqa: S104
    listen_connections: int = Field(default=64, gt=0, le=1024, description="for the transport tcp: nodes served at once; the others try again")


class Node(Table):
    """gpualert-node: what is watched, and the bounds of the report."""

    sample_first_s: float = Field(default=1.0, gt=0, description="seconds between GPU samples in a job's first minute")
    sample_interval_s: float = Field(default=10.0, gt=0, description="seconds between GPU samples afterwards")
    kernel_log_from_root: bool = Field(
        default=False,
        description="believe kernel-log lines that root wrote into /dev/kmsg; unsafe where journald forwards users' messages (ForwardToKMsg=yes)",
    )
    nvml_timeout_s: float = Field(default=5.0, gt=0, description="NVML's child is given up when it answers no earlier")
    dcgm: bool = Field(
        default=False,
        description="take SM activity of GPUs before Hopper from the site's DCGM (dcgmi dmon); users' own profilers there are refused meanwhile",
    )
    cuda_counts: bool = Field(
        default=False,
        description="count kernel launches, copies and collectives of ranks by uprobes, two seconds at a time; a call costs microseconds then",
    )
    cuda_counts_every_s: float = Field(default=300.0, ge=5, description="from one such window to the next")
    collect_timeout_s: float = Field(default=60.0, gt=0, description="the child that reads a job's logs is killed after this long")
    parse_max_memory_mib: int = Field(default=512, gt=0, description="address space of the child that reads a job's logs")
    excerpt_head_bytes: int = Field(default=16_384, ge=0, description="of each reported log, this much from the start travels")
    excerpt_tail_bytes: int = Field(default=65_536, ge=0, description="and this much from the end")
    excerpt_ranks: int = Field(default=4, ge=1, description="excerpts of at most this many ranks travel, the failed ones first")
    artifact_max_bytes: int = Field(default=1_048_576, ge=0, description="a larger artifact is named in the mail, not attached")
    artifacts_max_total_bytes: int = Field(default=4_194_304, ge=0, description="all artifacts of a node together")
    archive_max_bytes: int = Field(default=268_435_456, ge=0, description="bounded copy of the logs in archive_dir")
    keep_days: float = Field(default=7.0, gt=0, description="logs and records of ended jobs are removed after this long")
    logs_max_mib: int = Field(
        default=8192, gt=0, description="all logs on the node; above it those of the oldest jobs that are over are removed before keep_days"
    )
    stall_factor: float = Field(
        default=5.0, gt=1, description="a run silent for so many of its own usual intervals, whose GPUs stand still too, is taken to hang"
    )
    stall_min_s: float = Field(default=300.0, gt=0, description="but never sooner than this")
    stall_before_limit_s: float = Field(
        default=120.0, ge=0, description="so long before its time limit a run is looked at in any case; 0: never"
    )
    stalls_per_job: int = Field(default=10, ge=0, description="a node looks at a job so often at most, and never twice an hour; 0: never")
    idle_exit_s: float = Field(default=5.0, ge=0, description="the service ends when no job file has been left for this long")


class Daemon(Table):
    """gpualertd: deadlines, and how Slurm is asked."""

    state_dir: Path = Field(default=Path("/var/lib/gpualert"), description="history, outbox, lock: local disk of the daemon's host")
    poll_interval_s: float = Field(default=1.0, gt=0, description="seconds between two looks into the spool")
    report_deadline_s: float = Field(default=120.0, gt=0, description="a node's report that is later than this after the job's end is a gap")
    accounting_deadline_s: float = Field(
        default=300.0, gt=0, description="without a final accounting record the mail goes out after this, and says so"
    )
    slurm_poll_s: float = Field(default=2.0, gt=0, description="at most one query of Slurm's accounting in this time, for all jobs together")
    reconcile_s: float = Field(
        default=600.0, ge=0, description="so often accounting is searched for jobs that asked, ended, and that no node announced; 0: never"
    )
    slurm_timeout_s: float = Field(default=20.0, gt=0, description="a Slurm command that takes longer is killed")
    metrics: str = Field(
        default="", description="where Prometheus finds numbers: a loopback address and port (127.0.0.1:9841) or a Unix socket's path; empty: nowhere"
    )
    provider: Literal["auto", "pyslurm", "command_line"] = Field(default="auto", description="where Slurm's records come from")
    max_report_bytes: int = Field(default=33_554_432, gt=0, description="a larger report is refused, and said")
    keep_days: float = Field(default=365.0, gt=0, description="verdicts stay in the history this long")


class Mail(Table):
    """Who may be written to, and through which relay."""

    channel: str = Field(default="smtp", description="the way out: smtp (the relay below), sendmail, webhook, apprise, or file (.eml files)")
    sendmail: Path = Field(default=Path("/usr/sbin/sendmail"), description="for the channel sendmail: the program")
    webhook_url: str | None = Field(default=None, description="for the channel webhook: where the JSON is posted")
    webhook_secret_file: Path | None = Field(default=None, description="the secret it is signed with, on one line; 0400")
    webhook_schemes: tuple[str, ...] = Field(default=("https",), description="what webhook_url may begin with; http has no secrecy")
    webhook_internal: tuple[str, ...] = Field(default=(), description="internal networks (CIDR) that webhook_url may resolve to")
    apprise_urls_file: Path | None = Field(default=None, description="for the channel apprise: its URLs, one a line; they hold secrets: 0400")
    apprise_schemes: tuple[str, ...] = Field(default=(), description="the services apprise may use, such as slack, matrixs, ntfys; empty: none")
    folder: Path | None = Field(default=None, description="for the channel file: where the .eml files go")
    host: str = Field(default="localhost", description="the relay")
    port: int = Field(default=25, gt=0, lt=65536, description="its port")
    tls: Literal["none", "starttls", "tls"] = Field(default="none", description="starttls and tls verify the certificate")
    username: str | None = Field(default=None, description="for SMTP AUTH")
    password_file: Path | None = Field(default=None, description="read by the daemon only; 0400")
    notify: Literal["opt-in", "gpu", "all"] = Field(
        default="opt-in", description="who is written to: who asked, or owners of captured jobs with GPUs, or of any captured job"
    )
    lookup: tuple[Literal["slurm", "gecos", "domain"], ...] = Field(
        default=("slurm", "gecos", "domain"), description="where the address of an owner who did not ask comes from: --mail-user, GECOS, user_domain"
    )
    user_domain: str | None = Field(default=None, description="owners who did not ask are user@this")
    sender: str = Field(default="gpualert@localhost", description="From and envelope sender")
    reply_to: str | None = Field(default=None, description="where an answer goes: the help desk")
    allowed_domains: tuple[str, ...] = Field(
        default=(), description="only addresses in these domains are written to; empty means nobody, ['*'] everybody; a leading dot takes sub-domains"
    )
    timeout_s: float = Field(default=30.0, gt=0, description="for each message, all of the dialogue")
    connections: int = Field(default=4, gt=0, le=64, description="so many messages at once, each on a connection of its own")
    domain_per_minute: int = Field(default=0, ge=0, description="at most so many messages a minute to one domain; 0: the relay is to see to that")
    address_per_hour: int = Field(default=30, ge=0, description="at most so many mails an hour to one address, the rest in one digest; 0: no limit")
    group_interval_s: float = Field(
        default=600.0, ge=0, description="an array's tasks, failures alike: the first at once, the others gathered this long, then longer; 0: never"
    )
    max_message_bytes: int = Field(default=5_242_880, gt=65_536, description="what does not fit is left out and named in the mail")
    retry_hours: float = Field(default=48.0, gt=0, description="a message that the relay will not take for now is tried again this long")
    support: str | None = Field(default=None, description="one line for people at the foot of the mail: where to ask")


class Config(Table):
    """All of gpualert.toml."""

    site: Site = Site()
    node: Node = Node()
    daemon: Daemon = Daemon()
    mail: Mail = Mail()


def load(path: Path | None = None) -> Config:
    """Read ``path``; without one, the default path, whose absence means the defaults.

    Raises:
        ConfigError: unreadable, no TOML, an unknown key or a wrong value.
    """
    chosen = path or DEFAULT_PATH
    try:
        text = chosen.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if path is None:
            return Config()
        raise ConfigError(f"{chosen}: no such file; copy slurm_conf_examples/gpualert.toml there") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{chosen}: cannot be read: {error}") from error
    return parse(text, str(chosen))


def parse(text: str, name: str) -> Config:
    """The configuration in ``text``; ``name`` is the file's name in errors."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: not TOML: {error}") from error
    try:
        return Config.model_validate(tables)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(e, text, name) for e in error.errors())) from error


def _explain(error: ErrorDetails, text: str, name: str) -> str:
    place = [str(part) for part in error["loc"]]
    where = f"{name}:{_line_of(place, text)}"
    if error["type"] != "extra_forbidden":
        return f"{where}: {'.'.join(place)}: {error['msg']} (found {error['input']!r})"
    table: type[Table] = Config
    for part in place[:-1]:
        annotation = table.model_fields[part].annotation
        table = annotation if isinstance(annotation, type) else Config
    valid = list(table.model_fields)
    elsewhere = [f"{t}.{place[-1]}" for t, f in Config.model_fields.items() if place[-1] in getattr(f.annotation, "model_fields", {})]
    near = elsewhere or difflib.get_close_matches(place[-1], valid, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"valid here: {', '.join(valid)}"
    return f"{where}: unknown key {'.'.join(place)!r}; {hint}"


def _line_of(place: list[str], text: str) -> int:
    """The line (from 1) on which the key stands; the table's line, or 1, where it cannot be told."""
    table, best = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
        if header:
            table = header.group(1)
            if table == ".".join(place) or table == place[0]:
                best = number
        key = re.match(r"""\s*["']?([A-Za-z0-9_.-]+)["']?\s*=""", line)
        if key and ".".join(filter(None, (table, key.group(1)))) == ".".join(place[:2]):
            return number
    return best
