#!/bin/bash
# Five jobs on a real Slurm cluster of this machine, and the mails their owner gets. Run by `make demo`, as root on Debian 12 or alike.
set -eu -o pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

works_anyway='What works anyway, without root, without Debian and without Slurm:
  make && .venv/bin/gpualert-run -- python3 train.py    runs one command, and explains how it ended
  .venv/bin/gpualert diagnose LOG...                    explains logs that are there already'

if ! command -v python3 >/dev/null; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        printf 'the demo cannot run here: python3 is missing, and only root on a Debian-like system can install it here\n%s\n' "$works_anyway" >&2
        exit 1
    fi
    apt-get -q -y update >&2
    apt-get -q -y install --no-install-recommends python3 >&2
fi

if ! python3 -m tests.testbed.check >&2; then
    printf '\n%s\n' "$works_anyway" >&2
    exit 1
fi

began=$SECONDS
bash tests/testbed/install-packages.sh
bash tests/testbed/install-packages.sh demo/packages.txt
mkdir -p demo-out
make --no-print-directory build >demo-out/build.log 2>&1 || {
    tail -40 demo-out/build.log >&2
    echo "the build failed; all of its output is in demo-out/build.log" >&2
    exit 1
}
echo "packages and build: $((SECONDS - began)) s"
exec .venv/bin/python -m demo "$@"
