#!/bin/bash
# Installs the Debian packages of packages.txt that are missing. No daemon is started by it: the test bed starts its own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mapfile -t wanted < <(sed 's/#.*//' "$here/packages.txt" | xargs -n1)

if ! command -v apt-get >/dev/null; then
    echo "no apt-get here: the system tests need Debian's Slurm packages (${wanted[*]}); without them they are skipped, and say so" >&2
    exit 0
fi
missing=()
for package in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ]; then
    echo "not root: these packages are missing and cannot be installed: ${missing[*]}" >&2
    exit 0
fi

echo "installing ${missing[*]}"
# 101 = "do not start services" (Debian policy-rc.d); an own policy of the host is left as it is.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod 0755 "$policy"
    trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=120 update -qq
apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
