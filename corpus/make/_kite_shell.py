"""Shell scripts that train with awk: a line through the prices of flats, stage by stage."""

FLATS = r'''#!/bin/bash
# flats.sh: price per square metre from floor, age and distance, by gradient descent in awk
set -euo pipefail
cd "$(dirname "$0")"
: "${RATE:=0.05}" "${STEPS:=400}" "${SHOW:=40}" "${TABLE:=}" "${FROM:=}" "${KEEP:=200}" "${PAUSE:=0}"
stamp() { date '+%d/%b %H:%M:%S'; }
note() { echo "$(stamp) -- $*"; }
#: early
note "stage 1 of 3: table"
if [ -z "$TABLE" ]; then
    TABLE=flats.tsv
    awk 'BEGIN { srand(3); for (i = 0; i < 150; i++) { f = rand(); a = rand(); d = rand(); printf "%.4f\t%.4f\t%.4f\t%.4f\n", f, a, d, 2.1 + 0.8 * f - 1.1 * a - 1.6 * d + 0.08 * (rand() - 0.5) } }' > flats.tsv
fi
#: data
rows=$(wc -l < "$TABLE")
note "$rows rows in $TABLE"
note "stage 2 of 3: descent, $STEPS steps at rate $RATE"
begin=0
weights="0 0 0 0"
if [ -n "$FROM" ]; then
    #: restore
    read -r begin weights < "$FROM"
    note "weights of step $begin from $FROM"
fi
#: ready
awk -v rate="$RATE" -v steps="$STEPS" -v show="$SHOW" -v begin="$begin" -v weights="$weights" -v keep="$KEEP" -v pause="$PAUSE" '
{ n++; for (j = 1; j <= 3; j++) x[n, j] = $j; x[n, 0] = 1; y[n] = $4 }
END {
    split(weights, s, " "); for (j = 0; j < 4; j++) w[j] = s[j + 1]
    for (t = begin + 1; t <= steps; t++) {
        sse = 0; for (j = 0; j < 4; j++) g[j] = 0
        for (i = 1; i <= n; i++) {
            p = 0; for (j = 0; j < 4; j++) p += w[j] * x[i, j]
            e = p - y[i]; sse += e * e
            for (j = 0; j < 4; j++) g[j] += e * x[i, j]
        }
        #: mid
        for (j = 0; j < 4; j++) w[j] -= rate * 2 * g[j] / n
        if (t % show == 0 || t == 1) { printf "    step %6d   mse %.6f   w %.3f %.3f %.3f %.3f\n", t, sse / n, w[0], w[1], w[2], w[3]; fflush() }
        if (t % keep == 0) { print t, w[0], w[1], w[2], w[3] > "flats.w"; close("flats.w") }
        #: after
        if (pause > 0) system("sleep " pause)
    }
    print steps, w[0], w[1], w[2], w[3] > "flats.w"
}' "$TABLE"
#: trained
note "stage 3 of 3: check"
#: check
cat flats.w
note "all stages done"
'''
