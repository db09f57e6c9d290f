#!/bin/sh
# EpilogSlurmctld for sites without gpualertd as a service: a job has just begun to end, so see to what is due.
#
# slurmctld runs this for every job and keeps the job COMPLETING until it ends: it starts one detached process and is gone
# in milliseconds, whatever happens, with status 0. Of many at once one works, one waits for its turn, the others end.
# Reports come seconds later; "gpualertd --once" waits for them. What it does not see is left to the cron line (gpualert.cron).

GPUALERTD=${GPUALERTD:-/opt/gpualert/bin/gpualertd}
GPUALERT_CONFIG=${GPUALERT_CONFIG:-/etc/gpualert/gpualert.toml}
GPUALERT_USER=${GPUALERT_USER:-gpualert}
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH

# Reports are sealed for one user. SlurmUser may be that user (site.daemon_user = "slurm"), root, or allowed to become it by
# sudo: slurm ALL=(gpualert) NOPASSWD: /opt/gpualert/bin/gpualertd
become=
me=$(id -un 2>/dev/null)
if [ "$me" = root ]; then
    become="runuser -u $GPUALERT_USER --"
elif [ "$me" != "$GPUALERT_USER" ]; then
    become="sudo -n -u $GPUALERT_USER --"
fi

if [ ! -e /etc/gpualert/off ] && [ -x "$GPUALERTD" ]; then
    # slurmctld kills this script's process group when it ends, so the new session must be there before: setsid is waited
    # for, and it is the shell inside that leaves gpualertd behind.
    # shellcheck disable=SC2016,SC2086  # "$@" is the inner shell's; $become is a command and its arguments
    setsid -w sh -c '"$@" &' sh $become "$GPUALERTD" --once --config "$GPUALERT_CONFIG" </dev/null >/dev/null 2>&1
fi
exit 0
