"""Whether a file that is cut short or garbled is a checkpoint or data: by who read it."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.meaning import Meaning, specific

_NAMED_DATA = re.compile(
    r"(?:data(?!type)|rows?|feat(?:s|ures?)?|shards?|samples?|images?|img|archives?|corpus|csv|records?|labels?|batch(?:es)?|tokens?|embeddings?"
    r"|masks?|annotations?|inputs?)(?![a-z])"
    r"|\.(?:npz|zip|gz|jsonl?|csv|parquet|arrow|tar|hdf5|h5ad|tfrecord|lmdb)\b", re.IGNORECASE,
)
_NAMED_ASSET = re.compile(
    r"model|checkpoint|ckpt|weights?|pretrained|adapter|snapshot|lora(?![a-z])|resum|restor|state_?dict|load_state|warm_?start|\bck/",
    re.IGNORECASE,
)
_RESUMING = re.compile(r"resum|restor|checkpoint|ckpt|snapshot|load_state", re.IGNORECASE)
_ARCHIVES = re.compile(r"(?:BadZipFile|OSError|EOFError|BadGzipFile|zlib\.error)$")


_READERS = re.compile(r"(?:torch/serialization|safetensors/|numpy/lib/|h5py/|orbax/|flax/serialization|flax/training/checkpoints)")
"""Libraries that read what was saved: what they raise with no finer meaning, a file is the reason of."""


def of_what(meant: Meaning, doing: str, kind: str, raised_in: str = "") -> Meaning:
    """The same; a file that is cut short or garbled is a checkpoint's only where who read it speaks of one, or of nothing else.

    Args:
        meant: what type and words alone say.
        doing: names of files and functions, and source lines, of the user's own that led there; and the path that the message names.
        kind: the exception's type.
        raised_in: the library's file that raised it.
    """
    if meant.detail is None and not specific(meant.cause) and _READERS.match(raised_in) and _RESUMING.search(doing):
        return Meaning(meant.cause, "corrupt_checkpoint", "asset")
    if meant.detail == "unreadable_data" and _RESUMING.search(doing) and not _NAMED_DATA.search(doing):
        return Meaning(meant.cause, "corrupt_checkpoint", "asset")
    if meant.detail != "corrupt_checkpoint" or _NAMED_ASSET.search(doing):
        return meant
    if _NAMED_DATA.search(doing) or _ARCHIVES.search(kind):
        return Meaning(meant.cause, "unreadable_data", "data")
    return meant
