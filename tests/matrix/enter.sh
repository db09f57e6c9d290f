#!/bin/bash
# Called inside new mount, pid and (where there is one) cgroup namespaces: enter.sh ROOT WORK READONLY BINDS -- COMMAND...
# Lays out ROOT and runs COMMAND inside. Every mount made here belongs to this mount namespace and ends with its last
# process: there is nothing to take down, and nothing that a later rm could reach through.
set -euo pipefail
root=$1 work=$2 readonly=$3 binds=$4
shift 5

mount --make-rprivate /
if [ "$(readlink -f "$root")" = / ]; then
    echo "enter.sh: ROOT must be a folder of its own, to which / may be bound" >&2
    exit 125
fi
if [ ! -e "$root/usr/bin/env" ]; then
    mount --bind / "$root"      # the host's own suite; not recursive: what else is mounted on the host stays out
else
    mount --bind "$root" "$root"
fi
[ "$readonly" = no ] || mount -o remount,bind,ro "$root"

mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t tmpfs -o mode=0755,size=256m tmpfs "$root/run"
mkdir -m 1777 "$root/run/lock"
for folder in tmp var/tmp; do
    mkdir -p "$work/$folder"
    chmod 1777 "$work/$folder"
    mount --bind "$work/$folder" "$root/$folder"
done

# In a cgroup namespace of its own, a newly mounted hierarchy shows this matrix's group as its root: two clusters whose nodes have
# the same names don't share groups.
if [ -n "${GPUALERT_MATRIX_HIERARCHIES:-}" ]; then
    mount -t tmpfs -o mode=0755 tmpfs "$root/sys/fs/cgroup"
    for hierarchy in $GPUALERT_MATRIX_HIERARCHIES; do
        name=${hierarchy%%:*} options=${hierarchy#*:}
        mkdir -p "$root/sys/fs/cgroup/$name"
        if [ "$options" = cgroup2 ]; then
            mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/$name"
        else
            mount -t cgroup -o "$options" cgroup "$root/sys/fs/cgroup/$name"
        fi
    done
fi

# What fetching needs from the host (resolver, certificates, pip's configuration): read-only, and never copied into the folder.
for bind in $binds; do
    if [ -d "$bind" ]; then
        mkdir -p "$root$bind"
    elif [ ! -e "$root$bind" ]; then
        mkdir -p "$root$(dirname "$bind")"
        : > "$root$bind"
    fi
    mount --bind "$(readlink -f "$bind")" "$root$bind"
    mount -o remount,bind,ro "$root$bind"
done

# Not chroot: who joins a job's mount namespace (job_container/tmpfs) starts at the namespace's own root, and has to find ROOT there.
mkdir "$root/run/outside"
cd "$root"
pivot_root . run/outside
cd /
umount -l /run/outside
rmdir /run/outside

# Not exec: this shell stays the namespace's first process and reaps the orphans of slurmd and of tests.
status=0
"$@" || status=$?
exit "$status"
