#!/bin/bash
# Installs what packages.txt beside this file names. Not root, or no apt: says so and leaves the host alone (exit status 0: what
# needs the packages says later that they are missing). No service is started by the packages: a policy-rc.d of ours forbids it
# for as long as this runs, where the host has none.
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
mapfile -t wanted < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "${1:-$here/packages.txt}")
missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "not a Debian-like system: not installed: ${missing[*]}" >&2
    exit 0
fi
if [ "$(id -u)" != 0 ]; then
    echo "not root: not installed: ${missing[*]}; as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 0
fi
if [ -e /etc/slurm/slurm.conf ]; then
    echo "a real Slurm is configured on this host (/etc/slurm/slurm.conf): nothing is installed beside it; missing: ${missing[*]}" >&2
    exit 0
fi

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 0755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -q -y -o DPkg::Lock::Timeout=300)
echo "installing: ${missing[*]}" >&2
if ! apt-cache policy "${missing[@]}" 2>/dev/null | grep -q 'Candidate: [^(]'; then "${apt[@]}" update >&2; fi
"${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 || {
    "${apt[@]}" update >&2  # the lists may be older than the mirror
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >&2
}
