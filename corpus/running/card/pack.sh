#!/bin/bash
# pack.sh [FOLDER]: everything that a machine with a GPU and without any registry needs to make cases, gathered into FOLDER (.card, some
# 45 MB; git must ignore it): wheels for Python 3.12, Slurm and MariaDB from this Debian with the libraries they need, gpualert's own programs.
# Run it where `make build deps` was run; setup.sh unpacks the folder there.
set -eu -o pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
folder=$(readlink -m "${1:-.card}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$folder"
mkdir -p "$folder/wheels" "$folder/bin" "$work/debs" "$work/root"

platforms=()
for n in manylinux_2_{39,35,34,31,28,27,24,17}_x86_64 manylinux2014_x86_64 manylinux2010_x86_64 manylinux1_x86_64; do platforms+=(--platform "$n"); done
mapfile -t needs < <(.venv/bin/python - <<'PY'
import sys
try:
    import tomllib
except ImportError:
    import tomli as tomllib
for line in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]:
    name, _, marker = line.partition(";")
    if not marker or "aarch64" not in marker and "tomli" not in name:
        print(name.strip())
PY
)
.venv/bin/python -m pip download -qq --disable-pip-version-check --only-binary=:all: --python-version 3.12 --implementation cp \
    "${platforms[@]}" -d "$folder/wheels" "${needs[@]}" aiosmtpd pip
.venv/bin/python -m pip wheel -qq --disable-pip-version-check --no-deps -w "$folder" .
cp spank/plugin/build/gpualert-run "$folder/bin/"
cp .venv/lib/python3*/site-packages/__editable__* "$folder/bin/"  # which room lies where

programs=(slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin munge libmunge2 libmariadb3
    mariadb-server-core mariadb-client-core mariadb-common mysql-common)
programs+=("$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 'libslurm*' | grep -oE '^ii *libslurm[0-9]+$' | grep -oE 'lib.*')")
libraries() { # the packages of all shared libraries that these need, but for libc's
    dpkg -L "${programs[@]}" | sort -u | while read -r file; do
        [ -f "$file" ] && [ ! -L "$file" ] && head -c4 "$file" | grep -qa ELF && echo "$file"
    done | xargs -r -n50 ldd 2>/dev/null | grep -oE '=> /\S+' | cut -c4- | sort -u | while read -r file; do
        { dpkg -S "$file" || dpkg -S "/usr$file" || dpkg -S "${file#/usr}"; } 2>/dev/null | cut -d: -f1
    done | sort -u | grep -vE '^(libc6|libgcc-s1|libstdc\+\+6)$'
}
mapfile -t more < <(libraries)
(cd "$work/debs" && apt-get -qq download "${programs[@]}" "${more[@]}" 2>/dev/null)
for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
for name in bin sbin lib lib64; do # one tree, as where /bin is a link
    if [ -d "$work/root/$name" ]; then mkdir -p "$work/root/usr/$name"; cp -a "$work/root/$name/." "$work/root/usr/$name/"; rm -rf "${work:?}/root/$name"; fi
done
rm -rf "$work"/root/usr/share/{doc,man,locale,lintian,bug,groff,perl5,apport,zoneinfo} "$work"/root/{var,etc/init.d,etc/logrotate.d,etc/apparmor.d,etc/security,etc/pam.d} "$work"/root/usr/lib/systemd
find "$work/root" -name '*.la' -delete
mkdir "$work/libraries"
for file in "$work"/root/usr/lib/x86_64-linux-gnu/lib*.so*; do # each under the one name that programs ask for
    if [ ! -L "$file" ]; then name=$(readelf -d "$file" | grep -oE 'soname: \[[^]]+' | cut -c10-); cp "$file" "$work/libraries/${name:-$(basename "$file")}"; fi
done
rm "$work"/root/usr/lib/x86_64-linux-gnu/lib*.so*
for part in root libraries; do tar -C "$work/$part" --sort=name --owner=0 --group=0 -c . | xz -T0 -6 >"$folder/$part.tar.xz"; done
git rev-parse --short HEAD >"$folder/made-of"
du -sh "$folder"
