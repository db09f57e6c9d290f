"""What PyTorch's ``load_state_dict(…, strict=False)`` returns where it is printed: keys that were missing and keys that were not expected.

Form by ``torch.nn.modules.module._IncompatibleKeys`` (1.2 to 2.13). With ``strict=False`` keys that do not fit are no error: a state saved
through ``DataParallel`` or ``torch.compile`` has a prefix (``module.``, ``_orig_mod.``), none of its keys fits, and nothing at all is loaded.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.pattern import Match, Parser, Pattern
from gpualert_slurm.evidence import Role


def _prefixed(found: re.Match[str], match: Match) -> Match | None:
    """Only where the first missing key and the first that was not expected are one name with and without a prefix: then so are all."""
    missing, unexpected = found["missing"], found["unexpected"]
    return match if unexpected.endswith(f".{missing}") or missing.endswith(f".{unexpected}") else None


PARSER = Parser(
    program="PyTorch's state dictionaries",
    patterns=(
        Pattern(
            name="no_key_fits",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=r"_IncompatibleKeys\(missing_keys=\['(?P<missing>[^'\](]{1,300})'[^\](]{0,15000}\], unexpected_keys=\['(?P<unexpected>[^'\](]{1,300})'",
            literals=("_IncompatibleKeys(",),
            samples=(
                "_IncompatibleKeys(missing_keys=['0.weight', '0.bias'], unexpected_keys=['module.0.weight', 'module.0.bias'])",
                "load: _IncompatibleKeys(missing_keys=['model.embed.weight'], unexpected_keys=['embed.weight'])",
                "_IncompatibleKeys(missing_keys=['fc.weight'], unexpected_keys=['_orig_mod.fc.weight'])",
            ),
            near_misses=(
                "_IncompatibleKeys(missing_keys=['head.weight', 'head.bias'], unexpected_keys=['fc.weight', 'fc.bias'])",
                "_IncompatibleKeys(missing_keys=[], unexpected_keys=['module.ema'])",
                "<All keys matched successfully>",
            ),
            read=_prefixed,
        ),
    ),
)
