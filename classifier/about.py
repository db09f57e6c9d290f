"""What a startup crash is about: data, configuration, environment or an asset. By the error's own kind, else by its words."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.meaning import about_path
from gpualert_slurm.evidence import Evidence

KINDS = ("data", "config", "env", "asset")
_ENV_REFUSALS = {"command_not_found", "environment_missing", "program_not_found", "program_not_run"}
_PATH = re.compile(r"['\"‘`](?P<path>[^'\"’`]{1,400})['\"’`]")
_SYSTEM = re.compile(r"/(?:opt|etc|usr|var|srv|root|boot|lib|lib64|bin|sbin|sys|proc|run)(?:/|\Z)")
_PROGRAM = re.compile(r"(?:\./)?[A-Za-z][\w+-]{1,60}\Z")
"""A name without a folder and without an ending is a program's."""
_DATA = re.compile(
    r"\b(?:data(?:set|frame)?|samples?|labels?|rows?|columns?|images?|masks?|records?|shards?|tokens?|vocab(?:ulary)?|holes?|missing|empty|features?|annotations?"
    r"|checksum|truncated|header|decod\w{1,8}|buffer of)\b|torch\.Size|\(\d{1,9}, ?\d{1,9}\)|contains NaN|[Ll]ists differ"
    r"|could not be broadcast|number of dimensions|batch_size|Sizes of tensors must match|is invalid for input of size|list index out of range"
    r"|is not in list"
    r"|inhomogeneous|returned no|StopIteration|out of bounds|Not equal to tolerance",
    re.IGNORECASE,
)
_READER = re.compile(r"(?:load|read|parse|collate|getitem|decode|dataset|sample|batch|preprocess|tokenize)|<(?:list|dict|gen|set)", re.IGNORECASE)
_READERS = re.compile(r"/(?:pandas|pyarrow|datasets|PIL|h5py|webdataset|torch/utils/data)/")
_INVALID_USE = re.compile(r"invalid usage|ncclInvalidUsage|Duplicate GPU|ncclInvalidArgument", re.IGNORECASE)
_NETWORK = re.compile(r"(?:Connection\w{0,20}Error|gaierror|SSLError|TimeoutError|URLError|ProxyError)\Z")


def about(error: Evidence) -> str | None:
    """One of ``KINDS`` where the error itself names it; None where it does not."""
    said = error.data.get("about")
    named = said if isinstance(said, str) and said in KINDS else None
    found: str | None
    if error.says in {"command_not_found", "launch_refused"}:
        found = _of_refusal(error, named)
    elif error.cause is Cause.MISSING_MODULE or (error.cause is Cause.CUDA_RUNTIME and "initialization error" in words.told(error)):
        found = "env"
    elif error.cause in {Cause.FILE_NOT_FOUND, Cause.PERMISSION} and named in {None, "data"}:
        found = _of_path(error)
    elif named == "config" and error.detail is None and of_data(error):
        found = "data"
    else:
        found = named or {"usage": "config", "asset_refused": "asset"}.get(error.says)
    return found


def _of_refusal(error: Evidence, named: str | None) -> str:
    if error.detail == "script_missing":
        return "config"
    if named is not None and error.data.get("command"):
        return named
    return "env" if error.detail in _ENV_REFUSALS or (error.cause is not None and named is None) else named or "config"


def likely(error: Evidence) -> str | None:
    """Where the error does not say: what errors of its cause are about most often. No claim of the verdict rests on it."""
    told = words.told(error)
    if error.cause is Cause.NCCL:
        return "config" if _INVALID_USE.search(told) else "env"
    if error.cause in {Cause.RAM_OOM, Cause.CUDA_RUNTIME} or _NETWORK.search(str(error.data.get("type", ""))):
        return "env"
    if of_data(error) or (error.cause is Cause.ASSERTION and not error.data.get("message")):
        return "data"
    return "config" if error.cause is not None else None


def of_data(error: Evidence) -> bool:
    """Whether the message, the function or the library that raised it speaks of data."""
    name = str(error.data.get("type", ""))
    if error.cause is Cause.DEVICE_MISMATCH:
        return False
    if _DATA.search(str(error.data.get("message", ""))) or "Data" in name or name.startswith(("zlib.", "struct.", "gzip.", "lzma.")):
        return True
    if name == "KeyError" and _READERS.search(str(error.data.get("file", ""))):
        return True
    return error.cause in {Cause.DIV_ZERO, Cause.ASSERTION, Cause.TRACEBACK} and bool(_READER.search(str(error.data.get("function", ""))))


def _of_path(error: Evidence) -> str | None:
    told = words.told(error)
    named = _PATH.search(told)
    if named is None:
        return "config" if error.cause is Cause.PERMISSION and not error.data.get("filename") else about_path(told)
    path = named["path"]
    if _PROGRAM.match(path) and "/" not in path.removeprefix("./") and about_path(path) == "data" and path.lower() not in {"data", "dataset"}:
        return "env"
    if error.cause is Cause.PERMISSION and _SYSTEM.match(path):
        return "config"
    return about_path(told)
