"""The program is not what was started: make, a workflow's rule runner, pools, xargs, a shell that reads its own limits, programs that are no Python at all."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

FIT = """import csv
import math
import random
import sys
import time

random.seed(3)
writer = csv.writer(sys.stdout)
writer.writerow(["iter", "elapsed", "train_nll", "lr"])
a, b, began = 0.0, 0.0, time.time()
points = [(t / 40, 1 / (1 + math.exp(-(2.5 * t / 40 - 1)))) for t in range(-80, 80)]
for it in range(1, int(sys.argv[1]) + 1):
    nll = 0.0
    for t, p in points:
        q = 1 / (1 + math.exp(-(a * t + b)))
        nll -= p * math.log(q) + (1 - p) * math.log(1 - q)
        a += 0.004 * (p - q) * t
        b += 0.004 * (p - q)
    if it % 5 == 0:
        writer.writerow([it, f"{time.time() - began:.1f}", f"{nll / len(points):.6f}", 0.004])
        sys.stdout.flush()
"""
MAKEFILE = "all: report.txt\n\ndata.txt:\n\tseq 1 200 > data.txt\n\nmodel.txt: data.txt {dep}\n\tpython3 fit.py 60 > model.log; tail -n 8 model.log\n\tcp model.log model.txt\n\nreport.txt: model.txt\n\t{report}\n"
RULES = """import datetime
import subprocess
import sys

RULES = [("prepare", "seq 1 50 > table.txt"), ("train", "python3 fit.py 80"), ("evaluate", {evaluate!r})]


def stamp():
    return datetime.datetime.now().strftime("[%a %b %e %H:%M:%S %Y]")


print("Building DAG of jobs...\\nUsing shell: /usr/bin/bash\\nJob stats:\\njob         count\\n--------  -------\\nevaluate        1\\nprepare         1\\ntrain           1\\ntotal           3\\n", flush=True)
for number, (name, command) in enumerate(RULES):
    print(f"{{stamp()}}\\nlocalrule {{name}}:\\n    jobid: {{number}}\\n    reason: Missing output files\\n", flush=True)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command])
    if done.returncode:
        print(f"{{stamp()}}\\nError in rule {{name}}:\\n    jobid: {{number}}\\n    shell:\\n        {{command}}\\n        (one of the commands exited with non-zero exit code; note that the shell runs in strict mode)\\n\\nShutting down, this might take some time.\\nExiting because a job execution failed. Look above for error message", file=sys.stderr)
        sys.exit(1)
    print(f"{{stamp()}}\\nFinished job {{number}}.\\n{{number + 1}} of 3 steps ({{(number + 1) * 100 // 3}}%) done", flush=True)
"""
POOL = """import multiprocessing as mp
import os
import time


def fold(k):
    w = 4.0
    for epoch in range(1, 13):
        w *= 0.8
        print(f"(fold {{k}} pid {{os.getpid()}}) epoch {{epoch}}/12 val_rmse {{w + 0.1 * k:.4f}}", flush=True)
        time.sleep(0.02)
        if k == 2 and epoch == 9:
            {bad}
    return w


if __name__ == "__main__":
    with mp.Pool(2) as pool:
        print(pool.map(fold, range(4)))
"""
FUTURES = POOL.replace("import multiprocessing as mp", "from concurrent.futures import ProcessPoolExecutor").replace("with mp.Pool(2) as pool:\n        print(pool.map(fold, range(4)))", "with ProcessPoolExecutor(2) as pool:\n        print(list(pool.map(fold, range(4))))")
C_CODE = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\nstatic double *table;\nint main(void)\n{\n    double w = 6.0;\n    for (int sweep = 1; sweep <= 300; sweep++) {\n        w -= 0.02 * w;\n        if (sweep % 20 == 0) { printf(\"sweep %4d  energy % .6e\\n\", sweep, w * w); fflush(stdout); }\n        if (sweep == 220) { FAIL }\n    }\n    puts(\"converged\");\n    return 0;\n}\n"
PERL = "#!/usr/bin/perl\nuse strict; use warnings;\n$| = 1;\nmy $w = 3;\nfor my $pass (1 .. 40) {\n    $w *= 0.93;\n    printf \"pass %2d  perplexity %.3f\\n\", $pass, exp($w) if $pass % 2 == 0;\n    END_HERE\n}\nprint \"done\\n\";\n"
FILES = (("fit.py", FIT),)
S = "job.sh"


def c_file(fail: str) -> tuple[tuple[str, str], ...]:
    """The C program, failing so."""
    return (("anneal.c", C_CODE.replace("FAIL", fail)),)


SCRIPTS = (
    Flat("make -s all", "G1", script=S, files=(*FILES, ("Makefile", MAKEFILE.format(dep="", report="@wc -l model.txt | tee report.txt")))),
    Flat("make all", "A1", "file_not_found", "data", S, (*FILES, ("Makefile", MAKEFILE.format(dep="labels.tsv", report="true"))), status=2),
    Flat("make -j2 all", "A3", "traceback", script=S, files=(*FILES, ("Makefile", MAKEFILE.format(dep="", report="python3 -c \"rows=open('model.txt').read().split(); print(float(rows[0]))\""))), status=2),
    Flat(RULES.format(evaluate="tail -n 1 table.txt"), "G1", script="workflow.py", files=FILES),
    Flat(RULES.format(evaluate="cat results/scores.tsv | sort -k2 | head"), "A3", "file_not_found", script="workflow.py", files=FILES),
    Flat(RULES.format(evaluate="mkdir -p /srv/published && cp table.txt /srv/published/"), "A3", "permission", script="workflow.py", files=FILES),
    Flat(RULES.format(evaluate="python3 -m sacrebleu table.txt"), "A3", "missing_module", script="workflow.py", files=FILES),
    Flat(POOL.format(bad="raise ArithmeticError('fold 2: singular covariance')"), "A3", "traceback", script="cv.py"),
    Flat(POOL.format(bad="raise RuntimeError('fold 2: solver stopped without an answer')"), "A3", "runtime_error", script="cv.py"),
    Flat(FUTURES.format(bad="assert w > 1, f'w fell to {w:.3f}'"), "A3", "assertion", script="cv.py"),
    Flat(FUTURES.format(bad="pass"), "G1", script="cv.py"),
    Flat("set -e\ngcc -O1 -o anneal anneal.c -lm\n./anneal", "A2", "segfault", script=S, files=c_file("table[9] = w;"), status=139),
    Flat("gcc -O1 -o anneal anneal.c -lm && ./anneal || { rc=$?; echo \"anneal: exit $rc\"; exit $rc; }", "A2", None, script=S, files=c_file("abort();"), status=134),
    Flat("gcc -O1 -o anneal anneal.c -lm\n./anneal && echo written > anneal.done", "G1", script=S, files=c_file(";")),
    Flat("perl train.pl", "G1", script=S, files=(("train.pl", PERL.replace("END_HERE", "")),)),
    Flat("perl train.pl", "A3", "div_zero", script=S, files=(("train.pl", PERL.replace("END_HERE", "print 1 / ($pass - 30), \"\\n\" if $pass >= 30;")),), status=255),
    Flat("perl train.pl", "A3", "file_not_found", script=S, files=(("train.pl", PERL.replace("END_HERE", "open(my $f, '<', 'dev.txt') or die \"cannot open dev.txt: $!\" if $pass == 25;")),), status=2),
    Flat("awk 'BEGIN { w = 9; for (i = 1; i <= 50; i++) { w = w * 0.9; if (i % 5 == 0) print \"round\", i, \"cost\", w }; n = split(\"\", rows); print \"mean\", w / n }'", "A3", "div_zero", script=S, status=2),
    Flat("set -euo pipefail\npython3 fit.py 70 | tee fit.csv | awk -F, 'NR % 2 { print strftime(\"%T\"), $0; fflush() }'\nsort fit.csv > /etc/fit.sorted", "A3", "permission", script=S, files=FILES),
    Flat("exec 2>&1\nulimit -v 900000\nnice -n 1 python3 fit.py 75\nperl -e 'my @pairs = (1) x 400_000_000; print scalar(@pairs), \"\\n\"'", "A3", "ram_oom", script=S, files=FILES),
    Flat("conda_run() { echo \"+ conda run -n train $*\" >&2; \"$@\"; rc=$?; [ $rc -eq 0 ] || echo \"ERROR conda.cli.main_run:execute(125): \\`conda run $*\\` failed. (See above for error)\" >&2; return $rc; }\nconda_run python3 -m fairseq_cli.train data-bin --arch transformer", "A1", "missing_module", "env", S),
)  # fmt: skip
RECIPE = Recipe("wrapped_launches", "development", lambda: flat_jobs(SCRIPTS, "system"))
