"""What it means: text to evidence (parsers/), evidence to verdict (modes/). Pure: no network, no clock, no subprocess."""

from gpualert_slurm.classifier.judge import judge
from gpualert_slurm.classifier.scan import scan

__all__ = ["judge", "scan"]
