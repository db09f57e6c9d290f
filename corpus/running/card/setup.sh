#!/bin/bash
# setup.sh [FOLDER]: on the machine with the GPU, as root, in the project's tree: .venv, Slurm, MariaDB and users from what pack.sh gathered in
# FOLDER (.card). What exists there is never overwritten, and a shared library is added only where the machine has none of its name.
set -eu -o pipefail
trap 'echo "setup.sh: line $LINENO failed" >&2' ERR
cd "$(dirname "$(readlink -f "$0")")/../../.."
folder=$(readlink -e "${1:-.card}")
base=${CARD_PYTHON:-/opt/torch/.venv/bin/python3}
say() { printf '%(%T)T %s\n' -1 "$*"; }

# Job users must be able to run the interpreter, wherever it really lies.
open_up() {
    local at=$1
    while [ "$at" != / ]; do
        [ ! -d "$at" ] || [ "$(($(stat -c 0%a "$at") & 1))" = 1 ] || { chmod o+x "$at"; say "opened $at to others"; }
        at=$(dirname "$at")
    done
}
real=$("$base" -c 'import os, sys; print(os.path.realpath(sys.executable))')
prefix=$("$base" -c 'import sys; print(sys.base_prefix)')
for place in "$(dirname "$base")" "$(dirname "$real")" "$prefix/lib" /var/tmp /tmp; do open_up "$place"; done
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
if ! (cd / && as_nobody "$base" -c 'import json'); then
    say "$base is closed to others: opening it"
    chmod -R o+rX "$(dirname "$(dirname "$base")")" "$prefix"
    (cd / && as_nobody "$base" -c 'import json')
fi

unpack() { # there may be no xz
    "$base" -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$folder/$1" | tar --no-same-owner -x "${@:2}"
}
say "files of Slurm and MariaDB"
unpack root.tar.xz -C / --skip-old-files --keep-directory-symlink
libraries=$(mktemp -d /var/tmp/card.XXXXXX)
unpack libraries.tar.xz -C "$libraries"
known=$(ldconfig -p | awk '{print $1}' | sort -u)
for file in "$libraries"/lib*; do
    there=/usr/lib/x86_64-linux-gnu/$(basename "$file")
    [ -e "$there" ] || grep -qxF "$(basename "$file")" <<<"$known" || cp "$file" "$there"
done
rm -rf "$libraries"
for name in slurmctld slurmd slurmstepd slurmdbd; do # Debian's alternatives
    [ -e /usr/sbin/$name ] || ln -s $name-wlm /usr/sbin/$name
done
if ! ldconfig -p | grep -q 'libnvidia-ml\.so\.1 '; then
    { find /usr/local/nvidia /usr/lib /opt -name libnvidia-ml.so.1 -printf '%h\n' 2>/dev/null || true; } | sort | head -1 >/etc/ld.so.conf.d/zz-card.conf
fi
ldconfig

[ -e /dev/nvidia0 ] || [ ! -e /dev/nvidiactl ] || ln -s "$(find /dev -name 'nvidia[0-9]*' | sort | head -1)" /dev/nvidia0

say "users"
for name in munge mysql slurm; do
    getent passwd $name >/dev/null || useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin $name
done
for name in localhost "$(hostname)"; do grep -qsw "$name" /etc/hosts || echo "127.0.0.1 $name" >>/etc/hosts; done
chmod a+r /etc/hosts

say "Python"
rm -rf .venv
"$real" -m venv --without-pip .venv
.venv/bin/python "$(echo "$folder"/wheels/pip-*.whl)/pip" install --quiet --disable-pip-version-check --no-index --no-deps --no-compile --no-cache-dir \
    --root-user-action=ignore "$folder"/wheels/*.whl
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
for file in "$folder"/bin/__editable__*; do sed "s#'/[^']*/\(gpualert_slurm\|classifier\|epilog\|notify\|spank\)'#'$PWD/\1'#g" "$file" >"$site/$(basename "$file")"; done
install -m 0755 "$folder/bin/gpualert-run" .venv/bin/gpualert-run
.venv/bin/python -c 'import gpualert_slurm.epilog.history.store, gpualert_slurm.classifier, hyperscan, pydantic, aiosmtpd, tests.testbed, corpus.make'
for program in slurmctld slurmd slurmdbd munged mariadbd sbatch sacctmgr scontrol mariadb mariadb-install-db; do
    path=$(PATH=$PATH:/usr/sbin command -v "$program") || { say "no $program"; exit 1; }
    if ldd "$path" 2>/dev/null | grep 'not found'; then say "$program lacks libraries"; exit 1; fi
done
say "ready"
