#!/bin/bash
# An environment with PyTorch that every user of this machine can run: make-torch.sh FOLDER PYTHON REQUIREMENT…
# Needs 1 GB for a CPU build, 6 GB where pip finds CUDA builds only. What is there and works is left as it is.
set -euo pipefail
folder=$1 python=$2
shift 2
umask 022

works() {
    local as=()
    # Jobs run as other users: a folder or an interpreter in a private home is of no use to them.
    if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
    (cd / && "${as[@]}" "$folder/bin/python" -c 'import numpy, torch, torch.distributed as d; assert d.is_gloo_available(); print("PyTorch", torch.__version__)')
}

if works 2>/dev/null; then
    exit 0
fi
# Half an environment would be taken for a whole one: what was begun here and failed goes.
made=
if [ ! -e "$folder" ]; then
    mkdir -p "$folder"
    made=yes
fi
tidy() {
    local code=$?
    if [ "$code" != 0 ] && [ -n "$made" ]; then rm -rf "$folder"; fi
}
trap tidy EXIT
trap 'exit 143' TERM INT
test -x "$folder/bin/python" || "$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
works || { echo "$folder/bin/python does not run PyTorch as an ordinary user: choose a folder and a python outside of private homes" >&2; exit 1; }
