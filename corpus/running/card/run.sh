#!/bin/bash
# run.sh SECONDS PHASE…: on the machine with the GPU, as root, in the project's tree with pack.sh's folder in it: sets up, makes cases, and leaves
# cases.tar.gz, output.log and facts/ in $OUT, after every phase anew, whatever happens. A PHASE is KIND:SECONDS[:RECIPE[,RECIPE…]]:
#   facts:80            what NVML, the kernel log and gpualert's own reader give here
#   lanes:150:a,b       the jobs under gpualert-run of these recipes, six at a time (CARD_LANES)
#   alone:60:c          the same, one at a time
#   slurm:200:a,d       their jobs on Slurm, one after another
# All is over after SECONDS at the latest.
set -u -o pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit
if [ "${CARD_INSIDE:-}" != 1 ]; then # under a host name of its own: the machine's is nobody's business
    export CARD_INSIDE=1
    # shellcheck disable=SC2016
    exec unshare --uts bash -c 'hostname gpu-w07; exec "$0" "$@"' "$PWD/corpus/running/card/run.sh" "$@"
fi
out=${OUT:?}
exec > >(tee "$out/output.log") 2>&1
began=$SECONDS
limit=$1
shift
export PATH="$PATH:/usr/sbin:/sbin" PYTHONUNBUFFERED=1 GPUALERT_TESTBED_KEEP=1
export CORPUS_ROOT=${CORPUS_ROOT:-/var/tmp/c-w} CORPUS_BED=${CORPUS_BED:-/var/tmp/c-b}
cases=/var/tmp/card-cases
mkdir -p "$cases" "$out/facts"
left() { echo $((limit - SECONDS + began)); }
say() { printf '== %(%T)T %4d s left: %s\n' -1 "$(left)" "$*"; }
pack() { tar -C "$cases" --owner=0 --group=0 -czf "$out/cases.part" . && mv "$out/cases.part" "$out/cases.tar.gz"; }
trap pack EXIT

say "the card and what runs on it"
python=${CARD_PYTHON:-/opt/torch/.venv/bin/python3}
ls -l /dev/nvidia* 2>&1
env | grep -E '^(CUDA|NVIDIA|LD_|PATH=|XLA|TRITON|PYTHON)'
unset PYTHONPATH PYTHONHOME LD_LIBRARY_PATH LD_PRELOAD
# Slurm looks names up, which works only where there is an address beside 127.0.0.1 (AI_ADDRCONFIG).
"$python" - <<'PY'
import fcntl
import socket
import struct

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: up
    fcntl.ioctl(any_socket, 0x8916, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("127.0.1.1")))  # SIOCSIFADDR
PY
( # files of libraries are read for the first time while the rest is unpacked
    for module in torch cupy jax triton lightning transformers; do timeout 45 "$python" -c "import $module" >/dev/null 2>&1 & done
    wait
) &
reading=$!
if ! timeout 120 corpus/running/card/setup.sh; then say "set-up failed"; exit 1; fi
for phase in "$@"; do
    IFS=: read -r kind seconds names <<<"$phase"
    [ "$seconds" -le "$(($(left) - 15))" ] || seconds=$(($(left) - 15))
    if [ "$seconds" -lt 15 ]; then say "no time for $phase"; continue; fi
    say "$phase, $seconds s"
    if [ -n "$reading" ]; then wait "$reading"; reading=; fi
    mapfile -t recipes < <(tr ',' '\n' <<<"$names" | sed '/^$/d; s/^/--recipe=/')
    if [ ${#recipes[@]} = 0 ] && [ "$kind" != facts ]; then say "no recipes in $phase"; continue; fi
    until_s=$(($(date +%s) + seconds))
    case $kind in
    facts) timeout -k 5 "$seconds" .venv/bin/python -m corpus.running.card.facts "$out/facts" ;;
    lanes | alone)
        lanes=1
        [ "$kind" = alone ] || lanes=${CARD_LANES:-6}
        CORPUS_UNTIL_S=$((until_s - 6)) timeout -k 8 "$((seconds - 2))" .venv/bin/python -m corpus.make --under run --lanes "$lanes" --to "$cases" "${recipes[@]}"
        ;;
    slurm)
        rm -rf "$CORPUS_BED"
        CORPUS_UNTIL_S=$((until_s - 25)) GPUALERT_TESTBED_WHEEL=$(echo "$PWD"/.card/gpualert_slurm-*.whl) \
            timeout -k 10 "$((seconds - 8))" .venv/bin/python -m corpus.make --under slurm --bed card --to "$cases" "${recipes[@]}"
        if [ -d "$CORPUS_BED/log" ]; then tar -C "$CORPUS_BED" --ignore-failed-read -czf "$out/facts/bed-logs.tar.gz" log etc/slurm.conf etc/gres.conf; fi
        ;;
    *) say "no such phase: $kind" ;;
    esac
    say "$phase ended with $?"
    find "$cases" -mindepth 2 -maxdepth 2 -type d ! -exec test -e {}/label.toml \; -exec rm -rf {} +
    pack
done
say "$(find "$cases" -name label.toml | wc -l) cases"
