"""The SPANK plugin: named in plugstack.conf, built for this Slurm, and known to the commands and to slurmd."""

from __future__ import annotations

import contextlib
import re
import shlex
import struct
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm.epilog.bounded_command import CommandError, run
from gpualert_slurm.programs.doctor.check import EVERYWHERE, Check, Found, Host, Patient, bad, good, unknown
from gpualert_slurm.programs.doctor.examination import processes

MOST_INCLUDES = 100
NAME = "gpualert.so"


def _run(who: Patient) -> Iterator[Found]:
    plugstack = plugstack_of(who.facts)
    try:
        found = list(lines_of(plugstack))
    except OSError as error:
        yield bad(f"{plugstack} cannot be read: {error.strerror}", f"install -m 0644 slurm_conf_examples/plugstack.conf {plugstack}")
        return
    ours = [(path, words) for path, words in found if len(words) > 1 and Path(words[1]).name == NAME]
    if not ours:
        yield bad(
            f"{plugstack} has no line with {NAME}",
            f"echo 'optional /opt/gpualert/lib/gpualert/{NAME}' >> {plugstack}; then: systemctl restart slurmd",
        )
        return
    path, words = ours[0]
    plugin = Path(words[1])
    if not plugin.is_absolute():
        plugin = Path(who.facts.get("PluginDir", "/usr/lib/slurm").split(":")[0]) / plugin
    if words[0] != "optional":
        yield bad(
            f"{path} says {words[0]!r}: a required plugin that cannot be loaded drains nodes",
            f"sed -i 's/^{words[0]} .*gpualert/optional {plugin}/' {path}",
        )
    else:
        yield good(f"{path} names {plugin}, optional")
    yield from _version(who, plugin)
    yield from _clients()
    if Host.NODE in who.hosts:
        yield from _slurmd(path)


def plugstack_of(facts: dict[str, str]) -> Path:
    """Where Slurm looks for its plugin stack: PlugStackConfig, else beside slurm.conf."""
    named = facts.get("PlugStackConfig", "")
    if named.startswith("/"):
        return Path(named)
    return Path(facts.get("SLURM_CONF", "/etc/slurm/slurm.conf")).with_name("plugstack.conf")


def lines_of(path: Path, left: int = MOST_INCLUDES) -> Iterator[tuple[Path, list[str]]]:
    """Every line with its words, includes followed; raises OSError for the first file only."""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if len(words) == 2 and words[0] == "include" and left > 0:
            pattern = words[1] if words[1].startswith("/") else str(path.parent / words[1])
            for included in sorted(Path("/").glob(pattern.lstrip("/"))):
                with contextlib.suppress(OSError):
                    yield from lines_of(included, left - 1)
        elif words:
            yield path, words


def _version(who: Patient, plugin: Path) -> Iterator[Found]:
    try:
        built = plugin_version(plugin.read_bytes())
    except OSError as error:
        yield bad(
            f"{plugin} cannot be read: {error.strerror}", "make -C spank/plugin all && install -D spank/plugin/build/gpualert.so " + str(plugin)
        )
        return
    except (ValueError, struct.error) as error:
        yield unknown(f"{plugin}: {error}")
        return
    theirs = who.facts.get("SLURM_VERSION") or _client_version()
    if theirs is None:
        yield unknown(f"{plugin} was built for Slurm {_words(built)}; which Slurm runs here is not known: scontrol does not answer")
    elif theirs.split(".")[:2] != _words(built).split(".")[:2]:
        make = f"make -C spank/plugin clean all && install spank/plugin/build/gpualert.so {plugin}"
        yield bad(
            f"{plugin} was built for Slurm {_words(built)}, here runs {theirs}: Slurm leaves it out without a word",
            f"{make}   # with the headers of Slurm {theirs}",
        )
    else:
        yield good(f"it was built for Slurm {_words(built)}, here runs {theirs}")


def plugin_version(elf: bytes) -> int:
    """The ``plugin_version`` word of a Slurm plugin (ELF64, little-endian), read, never loaded.

    Raises:
        ValueError, struct.error: no such file, or it has no such word.
    """
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    table, entry, count = struct.unpack_from("<Q", elf, 40)[0], *struct.unpack_from("<HH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * entry) for i in range(count)]
    for section in sections:
        if section[1] != 11:  # SHT_DYNSYM
            continue
        strings = sections[section[6]]
        for at in range(section[4], section[4] + section[5], 24):
            name, _, _, index, value, size = struct.unpack_from("<IBBHQQ", elf, at)
            start = strings[4] + name
            if elf[start : start + 15] == b"plugin_version\0" and size == 4 and 0 < index < count:
                home = sections[index]
                return int(struct.unpack_from("<I", elf, home[4] + value - home[3])[0])
    raise ValueError("it has no word plugin_version: no Slurm plugin")


def _words(version: int) -> str:
    return f"{version >> 16}.{version >> 8 & 255:02d}.{version & 255}"


def _client_version() -> str | None:
    try:
        found = re.search(r"(\d+\.\d+\.\d+)", run(["sinfo", "--version"], timeout_s=10).stdout)
    except CommandError:
        return None
    return found[1] if found else None


def _clients() -> Iterator[Found]:
    try:
        helped = run(["sbatch", "--help"], timeout_s=10).stdout
    except CommandError as error:
        yield unknown(f"sbatch does not answer: {error}")
        return
    if "--gpualert-mail" in helped:
        yield good("sbatch knows --gpualert-mail")
    else:
        yield bad(
            "sbatch --help does not know --gpualert-mail: the plugin is not loaded here", "sbatch -vvv --version 2>&1 | grep -i spank   # says why"
        )


def _slurmd(conf: Path) -> Iterator[Found]:
    """Each step's slurmstepd reads plugstack.conf by itself, but where slurmd hands out the configuration (configless) it is slurmd's copy."""
    pids = [pid for pid, name in processes().items() if name == "slurmd"]
    if not pids:
        yield unknown("slurmd does not run here")
        return
    try:
        started = max(Path(f"/proc/{pid}").stat().st_mtime for pid in pids)
        changed = conf.stat().st_mtime
    except OSError as error:
        yield unknown(f"slurmd's start: {error}")
        return
    if changed > started:
        yield unknown(
            f"{conf} was changed after slurmd was started; a configless slurmd still has the old one",
            "scontrol reconfigure   # running jobs go on",
        )
    else:
        yield good(f"slurmd was started after {conf} was last changed")


CHECK = Check("plugin", EVERYWHERE, _run, order=10)
