"""Training programs as other people write them: three shapes in Python, and Perl, awk, C, JavaScript, Tcl and shell, each with ways of its own to tell of progress.

Every program fits a line by stochastic gradient descent. ``early`` stands before the first told step, ``mid`` in the loop where step ``at`` is reached, ``late`` after the
loop; each is code of the program's language, in which ``step``, ``loss``, ``rank``, ``world`` and ``total`` are known.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Tell:
    """How a program tells of a step and of its end."""

    report: str
    done: str = ""
    imports: str = ""
    setup: str = ""


TELLS = {
    "glog": Tell(
        'sys.stderr.write(f"I{time.strftime(\'%m%d %H:%M:%S\')}.{int(time.time() % 1 * 1e6):06d} {os.getpid():>6} solver.py:{88 + rank}] Iteration {step} ({41 + step % 7}.{step % 10} iter/s), loss = {loss:.6g}\\n")',
        'sys.stderr.write(f"I{time.strftime(\'%m%d %H:%M:%S\')}.000000 {os.getpid():>6} solver.py:131] Optimization Done.\\n")',
    ),
    "ppl": Tell(
        'print(f"| epoch {1 + step // 100:3d} | {step:5d}/{total:5d} batches | lr {lr:02.2f} | ms/batch {5 + step % 3}.{step % 100:02d} | loss {loss:5.2f} | ppl {math.exp(min(loss, 20)):8.2f}", flush=True)',
        'print("=" * 89 + f"\\n| End of training | test loss {loss:5.2f} | test ppl {math.exp(min(loss, 20)):8.2f}\\n" + "=" * 89, flush=True)',
    ),
    "boost": Tell('print(f"[{step}]\\ttrain-rmse:{loss ** 0.5:.5f}\\tvalid-rmse:{(1.04 * loss) ** 0.5:.5f}", flush=True)', 'print(f"best iteration: {total}", flush=True)'),
    "logfmt": Tell(
        'print(f"ts={time.strftime(\'%Y-%m-%dT%H:%M:%SZ\', time.gmtime())} level=info event=step step={step} of={total} loss={loss:.5f} lr={lr}", flush=True)',
        'print(f"ts={time.strftime(\'%Y-%m-%dT%H:%M:%SZ\', time.gmtime())} level=info event=done steps={total} loss={loss:.5f}", flush=True)',
    ),
    "box": Tell('print(f"│ {step:>6} │ {loss:>9.4f} │ {lr:>7.3f} │ {step * 0.031:>7.1f}s │", flush=True)', 'print("└────────┴───────────┴─────────┴──────────┘\\ntraining complete", flush=True)', setup='print("┌────────┬───────────┬─────────┬──────────┐\\n│  step  │    loss   │    lr   │   time   │\\n├────────┼───────────┼─────────┼──────────┤", flush=True)'),
    "keras": Tell('print(f"Epoch {step // every}/{total // every}\\n{every}/{every} - {1 + step % 2}s - {38 + step % 5}ms/step - loss: {loss:.4f} - mae: {loss ** 0.5:.4f}", flush=True)'),
    "jsonl": Tell(
        'print(json.dumps({"time": round(time.time(), 3), "level": "INFO", "logger": "train_inner", "num_updates": str(step), "loss": f"{loss:.3f}", "lr": str(lr), "wps": str(900 + step)}), flush=True)',
        'print(json.dumps({"time": round(time.time(), 3), "level": "INFO", "logger": "train", "msg": f"done training in {step * 0.03:.1f} seconds"}), flush=True)',
        "import json",
    ),
    "csv": Tell('print(f"{step},{loss:.5f},{lr},{time.time():.1f}", flush=True)', setup='print("step,loss,lr,time", flush=True)'),
    "ignite": Tell(
        'log.info("Epoch[%d/%d] Iteration[%d/%d] Loss: %.4f Avg accuracy: %.3f", 1 + step // 60, 1 + total // 60, step, total, loss, 1 / (1 + loss))',
        'log.info("Engine run complete. Time taken: 00:00:%02d", int(step * 0.03) % 60)',
        "import logging",
        'logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s: %(message)s", level=logging.INFO)\nlog = logging.getLogger(f"engine.r{os.environ.get(\'SLURM_PROCID\', 0)}")',
    ),
    "rollout": Tell(
        'print(f"{\'-\' * 37}\\n| time/              |              |\\n|    iterations      | {step:<12} |\\n| train/             |              |\\n|    learning_rate   | {lr:<12} |\\n|    loss            | {loss:<12.5g} |\\n{\'-\' * 37}", flush=True)',
    ),
    "steps_of": Tell('print(f"Training: step {step} of {total}: train_loss={loss:.4f} ({100 * step / total:.1f}% done)", flush=True)', 'print(f"Reached max_steps={total}, exiting normally.", flush=True)'),
    "percent": Tell('sys.stderr.write(f"\\r{100 * step // total:3d}%|{\'#\' * (20 * step // total):<20}| {step}/{total} [{step * 0.03:05.1f}s, loss={loss:.3f}]")\nsys.stderr.flush()', 'sys.stderr.write("\\n")\nprint(f"final loss {loss:.4f}", flush=True)'),
}
"""By name."""
FIT = '''
class Fit:
    def __init__(self, lr, seed):
        self.lr = lr
        self.rng = random.Random(seed)
        self.slope, self.offset = 0.0, 0.0

    def step(self):
        total = 0.0
        for _ in range(6):
            x = self.rng.uniform(-1.5, 1.5)
            error = self.slope * x + self.offset - (2.1 * x - 0.8 + self.rng.gauss(0, 0.15))
            self.slope -= self.lr * error * x
            self.offset -= self.lr * error
            total += error * error / 6
        return total
'''
FLAT = """{imports}
{helpers}
{fit}
rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
lr, total, every = {lr}, {total}, {every}
{setup}
{early}
fit = Fit(lr, {seed} + rank)
step = 0
while step < total:
    step += 1
    loss = fit.step()
    {sync}
    if step {reach} {at}:
        {mid}
    time.sleep({pause})
    if step % every == 0{who}:
        {report}
    {each}
if rank == 0:
    {done}
{late}
"""
CLASS = """{imports}
{helpers}
{fit}

class Experiment:
    def __init__(self, lr, total, every):
        self.rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
        self.world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
        self.lr, self.total, self.every = lr, total, every
        self.step = 0

    def prepare(self):
        rank, world, lr, total = self.rank, self.world, self.lr, self.total
        {early}
        self.fit = Fit(lr, {seed} + rank)

    def train_step(self):
        rank, world, lr, total, every = self.rank, self.world, self.lr, self.total, self.every
        self.step += 1
        step, fit = self.step, self.fit
        loss = fit.step()
        {sync}
        if step {reach} {at}:
            {mid}
        time.sleep({pause})
        if step % every == 0{who}:
            {report}
        {each}
        return loss

    def run(self):
        self.prepare()
        rank, world, lr, total = self.rank, self.world, self.lr, self.total
        loss = 0.0
        while self.step < self.total:
            loss = self.train_step()
        step = self.step
        if rank == 0:
            {done}
        {late}


{setup}
if __name__ == "__main__":
    Experiment({lr}, {total}, {every}).run()
"""
PARTS = """import argparse
{imports}
{helpers}
{fit}

def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default={lr})
    parser.add_argument("--steps", type=int, default={total})
    parser.add_argument("--log-every", type=int, default={every})
    parser.add_argument("--resume", default="")
    return parser.parse_args()


def train_one_epoch(fit, first, last, lr, total, every, rank, world):
    loss = 0.0
    for step in range(first, last + 1):
        loss = fit.step()
        {sync}
        if step {reach} {at}:
            {mid}
        time.sleep({pause})
        if step % every == 0{who}:
            {report}
        {each}
    return loss


def main(args):
    rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
    world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
    lr, total, every = args.lr, args.steps, args.log_every
    {early}
    fit = Fit(lr, {seed} + rank)
    for first in range(1, total + 1, 60):
        loss = train_one_epoch(fit, first, min(total, first + 59), lr, total, every, rank, world)
    step = total
    if rank == 0:
        {done}
    {late}


{setup}
if __name__ == "__main__":
    main(parse())
"""
SHAPES = {"flat": FLAT, "class": CLASS, "parts": PARTS}


def python(tell: str, shape: str = "flat", *, total: int = 240, every: int = 10, pause: float = 0.03, at: int = 83, early: str = "", mid: str = "pass", each: str = "", late: str = "", helpers: str = "",
           sync: str = "", everyone: bool = True, lr: float = 0.02, seed: int = 1, reach: str = "==") -> str:
    """A program in one of three shapes. ``sync`` is code that shares ``loss`` between ranks, ``each`` code after every step; only rank 0 tells unless ``everyone``."""
    how = TELLS[tell]
    values = {
        "imports": f"import math\nimport os\nimport random\nimport sys\nimport time\n{how.imports}", "fit": FIT, "setup": how.setup, "report": how.report, "done": how.done or "pass", "helpers": helpers,
        "early": early, "mid": mid, "each": each, "late": late, "sync": sync, "who": "" if everyone else " and rank == 0", "reach": reach,
        "total": str(total), "every": str(every), "pause": str(pause), "at": str(at), "lr": str(lr), "seed": str(seed),
    }  # fmt: skip
    return _filled(SHAPES[shape], values)


def _filled(shape: str, values: dict[str, str]) -> str:
    """The shape with each ``{name}`` replaced; code that stands alone in a line takes that line's indentation."""
    lines = []
    for line in shape.splitlines():
        word = line.strip()
        if word.startswith("{") and word.endswith("}") and word[1:-1] in values:
            lines.append(textwrap.indent(textwrap.dedent(values[word[1:-1]]).strip("\n"), line[: len(line) - len(line.lstrip())]))
        else:
            full = line
            for name, value in values.items():
                full = full.replace("{" + name + "}", value)
            lines.append(full)
    return "\n".join(lines) + "\n"


def perl(*, total: int = 240, every: int = 10, pause: float = 0.03, at: int = 83, early: str = "", mid: str = "", late: str = "") -> str:
    """Perl, in the manner of older speech toolkits."""
    return f"""use strict; use warnings; use Time::HiRes qw(sleep);
$| = 1; srand(7);
my ($rank, $world, $total, $loss) = ($ENV{{SLURM_PROCID}} // 0, $ENV{{SLURM_NTASKS}} // 1, {total}, 0);
my ($w, $b) = (0, 0);
print "aligning with beam 10, $world job(s), part $rank\\n";
{early}
for my $step (1 .. $total) {{
    my $x = rand(3) - 1.5;
    my $error = $w * $x + $b - (1.7 * $x + 0.4) + rand(0.8) - 0.4;
    $w -= 0.03 * $error * $x; $b -= 0.03 * $error;
    $loss = $step == 1 ? $error * $error : 0.95 * $loss + 0.05 * $error * $error;
    if ($step == {at}) {{ {mid} }}
    sleep({pause});
    printf "LOG (train.$rank) iteration %d of %d: objective %.4f, %d frames\\n", $step, $total, $loss, 100 * $step if $step % {every} == 0;
}}
{late}
printf "LOG (train.$rank) done %d iterations, objective %.4f\\n", $total, $loss;
"""


def awk(*, total: int = 200, every: int = 10, at: int = 83, mid: str = "", late: str = "") -> str:
    """awk, which tells in columns; it waits by ``sleep``."""
    return f"""BEGIN {{
    srand(3); total = {total}; rank = ENVIRON["SLURM_PROCID"]; w = 0; b = 0
    printf "%8s %12s %10s\\n", "iter", "cost", "rate"
    for (step = 1; step <= total; step++) {{
        x = 3 * rand() - 1.5; error = w * x + b - (2 * x - 1) + 0.7 * rand() - 0.35
        w -= 0.04 * error * x; b -= 0.04 * error
        loss = step == 1 ? error * error : 0.9 * loss + 0.1 * error * error
        if (step == {at}) {{ {mid} }}
        if (step % {every} == 0) {{ printf "%8d %12.5f %10.4f\\n", step, loss, 0.04; fflush(); system("sleep 0.3") }}
    }}
    {late}
    print "# converged after " total " iterations"
}}
"""


def c(*, total: int = 240, every: int = 10, pause: float = 0.03, at: int = 83, early: str = "", mid: str = "", late: str = "", more: str = "") -> str:
    """C, which tells in percent."""
    return f"""#include <assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
{more}
static double fit(double *w, double *b, unsigned *seed)
{{
    double x = 3.0 * rand_r(seed) / RAND_MAX - 1.5;
    double error = *w * x + *b - (1.3 * x + 0.6) + 0.8 * rand_r(seed) / RAND_MAX - 0.4;
    *w -= 0.03 * error * x;
    *b -= 0.03 * error;
    return error * error;
}}

int main(int argc, char **argv)
{{
    const char *proc = getenv("SLURM_PROCID");
    int rank = proc ? atoi(proc) : 0, total = {total};
    unsigned seed = 11 + rank;
    double w = 0, b = 0, loss = 0;
    (void)argc; (void)argv;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("nnfit 2.3 process %d\\n", rank);
    {early}
    for (int step = 1; step <= total; step++) {{
        double square = fit(&w, &b, &seed);
        loss = step == 1 ? square : 0.9 * loss + 0.1 * square;
        if (step == {at}) {{ {mid} }}
        usleep({int(pause * 1e6)});
        if (step % {every} == 0)
            printf("[%3d%%] step=%d err=%.6f |w|=%.4f\\n", 100 * step / total, step, loss, fabs(w) + fabs(b));
    }}
    {late}
    printf("[100%%] model written, final err=%.6f\\n", loss);
    return 0;
}}
"""


def node(*, total: int = 240, every: int = 10, pause_ms: int = 30, at: int = 83, early: str = "", mid: str = "", late: str = "") -> str:
    """JavaScript under node."""
    return f"""'use strict';
const fs = require('fs');
const rank = Number(process.env.SLURM_PROCID || 0), world = Number(process.env.SLURM_NTASKS || 1);
const total = {total};
let w = 0, b = 0, loss = 0;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function main() {{
  console.log(`[trainer ${{rank}}/${{world}}] starting, ${{total}} batches`);
  {early}
  for (let step = 1; step <= total; step++) {{
    const x = 3 * Math.random() - 1.5;
    const error = w * x + b - (1.1 * x - 0.3) + 0.9 * Math.random() - 0.45;
    w -= 0.03 * error * x;
    b -= 0.03 * error;
    loss = step === 1 ? error * error : 0.95 * loss + 0.05 * error * error;
    if (step === {at}) {{
      {mid}
    }}
    await pause({pause_ms});
    if (step % {every} === 0) console.log(`[trainer ${{rank}}] batch ${{step}}/${{total}} loss=${{loss.toFixed(5)}} acc=${{(1 / (1 + loss)).toFixed(3)}}`);
  }}
  {late}
  console.log(`[trainer ${{rank}}] finished ${{total}} batches`);
}}

main();
"""


def tcl(*, total: int = 200, every: int = 10, pause_ms: int = 30, at: int = 83, mid: str = "", late: str = "") -> str:
    """Tcl."""
    return f"""fconfigure stdout -buffering line
set rank [expr {{[info exists env(SLURM_PROCID)] ? $env(SLURM_PROCID) : 0}}]
set w 0.0; set b 0.0; set loss 1.0; set total {total}
for {{set step 1}} {{$step <= $total}} {{incr step}} {{
    set x [expr {{3 * rand() - 1.5}}]
    set error [expr {{$w * $x + $b - (0.9 * $x + 0.2) + 0.8 * rand() - 0.4}}]
    set w [expr {{$w - 0.05 * $error * $x}}]
    set b [expr {{$b - 0.05 * $error}}]
    set loss [expr {{0.9 * $loss + 0.1 * $error * $error}}]
    if {{$step == {at}}} {{ {mid} }}
    after {pause_ms}
    if {{$step % {every} == 0}} {{ puts [format "sweep %d/%d  cost %.5f" $step $total $loss] }}
}}
{late}
puts "sweeps done: $total"
"""
