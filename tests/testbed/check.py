"""``python -m tests.testbed.check``: what is in the way of a bed on this host."""

from __future__ import annotations

import sys

from . import host


def main() -> int:
    """Say what is in the way; 0 when nothing is (packages that are missing can be installed then)."""
    reasons = host.in_the_way()
    if not reasons:
        return 0
    print("no Slurm cluster can be brought up on this host:")
    print("\n".join(f"- {reason}" for reason in reasons))
    missing = host.missing_packages()
    if missing:
        print(f"- missing, and not installed because of the above: {', '.join(missing)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
