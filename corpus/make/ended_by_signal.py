"""Processes in several languages that a signal ends: the kernel's for memory, their own mistakes', their limits', somebody's."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running import trainers
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob

CPP = """#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

int main()
{
    const char *proc = std::getenv("SLURM_PROCID");
    const int rank = proc ? std::atoi(proc) : 0;
    double loss = 3.0;
    std::vector<std::vector<double>> cache;
    for (int iteration = 1; iteration <= 200; iteration++) {
        loss *= 0.985;
        if (iteration == 96 && rank == 1)
            cache.emplace_back(3'000'000'000UL, 0.5);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        if (iteration % 8 == 0)
            std::cout << "Iteration: " << iteration << "  Cost: " << loss << std::endl;
    }
}
"""
POOL = "def decode(n):\n    kept = [bytearray(os.urandom(1000) * 1000) for _ in range(900 if n == 2 else 1)]\n    return len(kept)\n"


def jobs() -> Iterator[SlurmJob]:
    """Memory on the bed with control groups, the rest on the other."""

    def job(cause: str | None, ranks: tuple[int, ...], files: dict[str, str], script: str, tasks: int, *options: str, nodes: int = 1, fault: str = "user", memory: str = "", act: str = "", after: str = "") -> SlurmJob:
        label = Label(mode="A2", cause=cause, fault=fault, failed_ranks=ranks, first_ranks=ranks[:1])
        where = (f"--mem={memory}",) if memory else (ELSEWHERE,)
        state = "" if memory else "FAILED"
        return SlurmJob(label, files, f"#!/bin/bash\n{script}\n", (f"-N{nodes}", f"-n{tasks}", *where, *options), "system", bed="cgroup" if memory else "plain", act=act, after=after, state=state)

    grow = 'if ($rank == 1) { my @rows; push @rows, "x" x 1_000_000 while 1; }'
    yield job("oom_killer", (1,), {"train.pl": trainers.perl(mid=grow)}, "srun -K perl train.pl\ncode=$?; sleep 1; exit $code", 2, memory="120M")
    text = trainers.node(mid="if (rank === 0) { const rows = []; for (;;) rows.push(Buffer.alloc(4e6, step)); }")
    yield job("oom_killer", (0,), {"trainer.js": text}, "set -e\nsrun --wait=15 node trainer.js", 3, memory="260M")
    text = trainers.c(early='printf("reading features\\n"); for (long n = 1; ; n++) memset(malloc(1 << 22), 1, 1 << 22);')
    yield job("oom_killer", (0,), {"nnfit.c": text}, "gcc nnfit.c -o nnfit -lm\nsrun ./nnfit > fit.log\ncode=$?\necho \"nnfit: $code\"\nsleep 1\nexit $code", 1, memory="150M")
    text = trainers.python("ignite", "class", helpers=POOL, mid="from concurrent.futures import ProcessPoolExecutor\nif rank == 0:\n    with ProcessPoolExecutor(2) as pool:\n        print(sum(pool.map(decode, range(4))), flush=True)")
    yield job("oom_killer", (0,), {"fit.py": text}, "srun -K python3 -u fit.py\ncode=$?; sleep 1; exit $code", 1, memory="140M")
    text = trainers.tcl(mid="set rows {}; while 1 { lappend rows [string repeat z 500000] }")
    yield job("oom_killer", (0,), {"sweep.tcl": text}, "srun -n1 tclsh sweep.tcl || { sleep 1; exit 9; }", 1, memory="100M")
    text = trainers.python("logfmt", "parts", mid="if rank == 3:\n    table = {}\n    while True:\n        table[len(table)] = [step] * 5000")
    yield job("oom_killer", (3,), {"train.py": text}, "srun --kill-on-bad-exit=1 -l python3 -u train.py\ncode=$?; sleep 1; exit $code", 4, nodes=2, memory="130M")

    compiled = "gcc -O0 nnfit.c -o nnfit -lm || exit 3\n"
    text = trainers.c(mid="if (rank == 1) { volatile int batch = 0; total = 100 / batch; }")
    yield job("div_zero", (1,), {"nnfit.c": text}, f"{compiled}srun -K ./nnfit", 3)
    text = trainers.c(mid="if (rank == 2) { volatile double *next = NULL; loss = *next; }")
    yield job("segfault", (2,), {"nnfit.c": text}, f"{compiled}srun --kill-on-bad-exit=1 ./nnfit\ncode=$?\nsleep 0.5\nexit $code", 4, nodes=2)
    text = trainers.c(more="static int deep(int n) { char room[4096]; memset(room, n, sizeof room); return n + deep(n + 1) + room[7]; }\n", early='printf("building tree\\n"); total = deep(1);')
    yield job("segfault", (0,), {"nnfit.c": text}, f"{compiled}ulimit -s 512\nsrun -n1 ./nnfit && echo stored", 1)
    text = trainers.python("csv", "flat", pause=0.01, total=40_000, every=40, at=90, reach=">=", mid="sum(n * n for n in range(60_000))")
    yield job(None, (0,), {"fit.py": text}, "ulimit -S -t 4\nsrun -n1 python3 -u fit.py", 1)
    text = trainers.c(mid='FILE *out = fopen("model.bin", "wb"); char block[65536] = {1}; for (int n = 0; n < 200; n++) fwrite(block, 1, sizeof block, out);')
    yield job(None, (0,), {"nnfit.c": text}, f"{compiled}ulimit -f 2000\nsrun -n1 ./nnfit", 1)
    text = trainers.node(total=900, early="if (rank === 1) fs.writeFileSync('pid-1', String(process.pid));")
    yield job(None, (1,), {"trainer.js": text}, "srun -K node trainer.js", 2, fault="unknown", act="kill_rank", after="batch 120/")
    text = trainers.perl(total=900, early='if ($rank == 2) { open(my $f, ">", "pid-1"); print $f $$; close $f; }')
    yield job(None, (2,), {"train.pl": text}, "set -euo pipefail\nsrun --kill-on-bad-exit=1 perl train.pl 2>&1 | tee train.log", 3, nodes=2, fault="unknown", act="kill_rank", after="iteration 100 of")
    yield job("ram_oom", (1,), {"fit.cpp": CPP}, "g++ -O1 fit.cpp -o fit\nulimit -v 2000000\nsrun -K ./fit", 2)


RECIPE = Recipe("ended_by_signal", "development", jobs)
