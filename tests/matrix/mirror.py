"""Where this host gets Debian from, in apt's own words: nothing about mirrors is written down here."""

from __future__ import annotations

import subprocess
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

FORMAT = "$(REPO_URI)\t$(ORIGIN)\t$(LABEL)\t$(SIGNED_BY)\t$(CODENAME)"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class MirrorError(RuntimeError):
    """apt names no Debian mirror, or the mirror does not have a suite."""


@dataclass(frozen=True)
class Mirror:
    """A Debian archive: its address without a slash at the end, and the keys that sign it."""

    address: str
    keyring: Path

    def first_of(self, codenames: tuple[str, ...]) -> str:
        """The first of these suites that the mirror has; raises ``MirrorError`` with what it answered to each."""
        answers = []
        for codename in codenames:
            request = urllib.request.Request(f"{self.address}/dists/{codename}/InRelease", method="HEAD")
            try:
                with urllib.request.urlopen(request, timeout=30):
                    return codename
            except (urllib.error.URLError, TimeoutError) as error:
                answers.append(f"{codename}: {error}")
        raise MirrorError(f"apt's Debian mirror has none of {', '.join(codenames)} ({'; '.join(answers)})")


def of_apt() -> Mirror:
    """The first Debian archive among apt's sources; raises ``MirrorError`` where there is none."""
    try:
        done = subprocess.run(["apt-get", "indextargets", "--format", FORMAT, "Created-By: Packages"], capture_output=True, text=True,
                              timeout=60, check=False)
    except OSError as error:
        raise MirrorError(f"apt-get cannot be asked for a mirror: {error}") from error
    for line in done.stdout.splitlines():
        address, origin, label, signed_by, _ = line.split("\t")
        if (origin, label) == ("Debian", "Debian"):
            keyring = Path(signed_by) if signed_by.startswith("/") else KEYRING
            return Mirror(address.rstrip("/"), keyring)
    raise MirrorError(f"apt's sources name no Debian archive (apt-get indextargets: {done.stderr.strip() or 'nothing of origin Debian'}); "
                      "apt-get update may be needed")


def apt_settings() -> str:
    """What apt's configuration says about fetching (proxies, dates, certificates, tries), for the apt inside a folder."""
    wanted = ("Acquire::http::", "Acquire::https::", "Acquire::Check-", "Acquire::Retries")
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, timeout=60, check=True).stdout
    return "".join(f"{line}\n" for line in dump.splitlines() if line.startswith(wanted))


def proxy_environment() -> dict[str, str]:
    """``http_proxy`` as apt's configuration has it, for debootstrap, which asks wget; empty where apt has none."""
    done = subprocess.run(["apt-config", "shell", "proxy", "Acquire::http::Proxy"], capture_output=True, text=True, timeout=60, check=True)
    found = done.stdout.strip().removeprefix("proxy=").strip("'")
    return {"http_proxy": found} if found.startswith("http") else {}
