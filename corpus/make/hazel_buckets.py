"""Ranks of four houses on the bed: who does not get in, who leaves, who is waited for, who takes longest; and evenings on which all is well."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._hazel_jobs import DONE, FAILED, GOOD, HARD, LATE, LONG, job, on, true
from corpus.running.job import Recipe, SlurmJob

APART, HANG = true("C1", fault="unknown"), true("C2")
MANY = 90_000
SLOW_START: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=3",)}


def gone(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is dead, and the others stay."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def pid(test: str) -> str:
    """Where the process of a rank is told."""
    return on(test, "with open('pid-1', 'w') as note:\n    note.write(str(os.getpid()))")


def door() -> Iterator[SlurmJob]:
    """A1."""
    msa = "with open(f'msa/part-{rank}.a3m') as msa:\n    say(len(msa.readlines()), 'lines of alignments', everyone=True)"
    yield job(true("A1", "file_not_found", 3, variant="data"), "CONTACTS", 4, 2, srun="-K", head="mkdir -p msa; for p in 0 1 2; do printf '>q\\nMKV\\n' > msa/part-$p.a3m; done\n", code={"early": msa}, **FAILED)
    yield job(true("A1", "missing_module", failed=(0, 1), variant="env"), "VOZ", 2, code={"early": "import soundfile"}, hand=1, **FAILED)
    yield job(true("A1", "traceback", failed=(0, 1, 2), variant="config"), "TOWERS", 3, 1, "rounds=40 lr=auto", hand=2, **FAILED)
    yield job(true("A1", None, failed=(0, 1), variant="config"), "POLICY", 2, 2, "--iters 4000 --learning-rate 0.1", **FAILED)
    out = on("RANK == 0", "os.makedirs('/srv/scorecards/2026-11')")
    yield job(true("A1", "permission", 0, variant="config"), "BOARD", 3, srun="--kill-on-bad-exit=1", code={"early": out}, hand=1, **FAILED)
    stations = '{"stations": [\n {"naam": "Lobith", "nul": 0.0},\n {"naam": "Borgharen", "nul": 37.4,\n {"naam": "Driel"}\n]}\n'
    yield job(true("A1", "traceback", variant="data"), "WATER", 2, code={"early": "with open('stations.json') as bron:\n    lijst = json.load(bron)['stations']\nmeld(f'{len(lijst)} meetstations')"}, files={"stations.json": stations}, hand=2, **FAILED)


def signals() -> Iterator[SlurmJob]:
    """A2."""
    best = 'struct net *volatile best = NULL;\nif (member == 1 && epoch == 62)\n    printf("member %d: best so far %.4f\\n", member, best->out[0]);'
    yield job(true("A2", "segfault", 1), "MLP", 3, 1, "9000", srun="-K", code={"after": best}, **FAILED)
    twice = "static double *trace;\nif (epoch == 1)\n    trace = malloc(64);\nif (epoch == 70 || (epoch == 85 && member == 0))\n    free(trace);"
    yield job(true("A2", None, 0), "MLP", 2, 2, "9000", srun="-K", code={"after": twice}, hand=1, **FAILED)
    yield job(true("A2", None, 1).but(fault="unknown"), "CONTACTS", 4, 2, "--steps 90000 --nap 0.1", srun="-K", code={"early": pid("rank == 1")}, act="kill_rank", after="   120 \\|", hand=2, **FAILED)
    keep = "if RANK == 1 and turn > 60:\n    history = globals().setdefault('history', [])\n    history.append([[float(i + turn)] * 12 for i in range(9000)])"
    yield job(true("A2", "oom_killer", 1), "BOARD", 2, srun="-K", head=f"export TURNS={MANY}\n", code={"data": keep}, options=("--mem=260M",), where="", bed="cgroup")
    yield job(true("A2", "oom_killer"), "TUR", 1, 1, "--tur 90000", code={"after": "if tur > 40:\n    agaclar.append([list(x) + [tur] for x in saatler * 30])"}, options=("--mem=190M",), where="", bed="cgroup", hand=1)
    waves = "if YO == 0 and paso > 50:\n    globals().setdefault('ondas', []).append(torch.zeros(3, 1024, 1024) + paso)"
    yield job(true("A2", "oom_killer", 0), "VOZ", 2, srun="-K", head=f"export PASOS={MANY}\n", code={"data": waves}, options=("--mem=1500M",), where="", bed="cgroup", hand=2)
    name = on("RANK == 2 and number == 6 and batch == 11", "import ctypes\nlabel_bytes = ctypes.CDLL(None).strlen(None)")
    yield job(true("A2", "segfault", 2), "TOWERS", 3, 1, "rounds=900", srun="-K", code={"data": name}, hand=1, **FAILED)


def midway() -> Iterator[SlurmJob]:
    """A3."""
    new = on("RANK == 2 and number == 7 and batch == 3", "guest[17] = 200")
    yield job(true("A3", "traceback", 2), "TOWERS", 4, 2, "rounds=900", srun="-K", code={"data": new}, **FAILED)
    narrow = on("YO == 1 and paso == 170", "onda = onda[:, :26]")
    yield job(true("A3", "runtime_error", 1), "VOZ", 2, srun="-K", head=f"export PASOS={MANY}\n", code={"data": narrow}, hand=1, **FAILED)
    arms = on("worker == 0 and it == 130", "with open('arms.csv', encoding='utf-8') as names:\n    out(f'{len(names.read())} characters of names')")
    yield job(true("A3", "traceback", 0), "POLICY", 3, 1, f"--iters {MANY}", srun="-K", head="printf 'arm,name\\n0,Caf\\351 au lait\\n' > arms.csv\n", code={"data": arms}, hand=2, **FAILED)
    share = on("RANK == 1 and turn == 140", "young = [bad for loan, bad in zip(loans, late) if loan[0] > 9]\nlog(6, f'turn={turn} share of young defaults {sum(young) / len(young):.3f}')")
    yield job(true("A3", "div_zero", 1), "BOARD", 3, srun="-K", head=f"export TURNS={MANY}\n", code={"data": share}, **FAILED)
    gauge = on("KNOOP == 2 and ronde == 160", "standen[4] = -999.0\nassert min(standen) > -20, f'stand {min(standen)} m bij Lobith, ronde {ronde}'")
    yield job(true("A3", "assertion", 2), "WATER", 4, 2, srun="-K", head=f"export RONDES={MANY}\n", code={"data": gauge}, hand=1, **FAILED)
    table = on("rank == 1 and step == 130", "cutoffs = open('tables/distance_cutoffs.tsv').read()")
    yield job(true("A3", "file_not_found", 1), "CONTACTS", 2, 1, f"--steps {MANY}", torchrun="", code={"data": table}, hand=2, **FAILED)
    snap = 'if (member == 2 && epoch == 90) {\n    FILE *file = fopen("snapshots/member_2.bin", "wb");\n    if (!file) {\n        perror("snapshots/member_2.bin");\n        return 1;\n    }\n    fwrite(n, sizeof *n, 1, file);\n    fclose(file);\n}'
    yield job(true("A3", "file_not_found", 2), "MLP", 3, 1, "9000", srun="-K", code={"after": snap}, **FAILED)
    yield job(true("A3", "traceback"), "TUR", 1, 1, "--tur 9000 --bekle 0.08 --kaydet-her 40", head="ulimit -f 24\n", hand=2, **FAILED)
    other = on("paso == 190", "escala = torch.ones(39, device='meta')\nonda = F.layer_norm(onda, (39,), escala)")
    yield job(true("A3", "device_mismatch", failed=(0, 1)), "VOZ", 2, 2, head=f"export PASOS={MANY}\n", code={"data": other}, **FAILED)


def apart() -> Iterator[SlurmJob]:
    """C1."""
    yield job(APART, "CONTACTS", 3, 1, "--steps 900", head="export WORLD_SIZE=4\n", **LONG)
    yield job(APART, "TOWERS", 3, 1, "rounds=50", code={"early": on("RANK == 1", "os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 10)")}, hand=1, **LONG)
    yield job(APART, "VOZ", 2, 2, head="export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\nexport PASOS=3000\n", hand=2, **LONG)
    prep = on("worker == 2", "while os.path.exists('prep.lock'):\n    out('prep.lock is there: another job prepares the field')\n    time.sleep(20)")
    yield job(APART, "POLICY", 3, 1, "--iters 3000", head="echo 41877 > prep.lock\n", code={"early": prep}, **LONG)
    yield job(APART, "CONTACTS", 4, 2, "--steps 900", torchrun="--nnodes=3 --rdzv_backend=c10d --rdzv_endpoint=127.0.0.1:$MASTER_PORT --rdzv_id=$SLURM_JOB_ID", head="set -x\n", hand=1, **LONG)
    yield job(APART, "BOARD", 4, 2, head="export BOARD_RANKS=5 TURNS=4000\n", hand=2, **LONG)
    yield job(gone(APART, 2, "A1", "missing_module"), "WATER", 3, 1, head="export RONDES=4000\n", code={"early": on("KNOOP == 2", "import netCDF4")}, hand=1, **LONG)
    yield job(gone(APART, 1, "A2", "segfault"), "CONTACTS", 3, 1, "--steps 900", code={"early": on("rank == 1", "import ctypes\nctypes.CDLL(None).strlen(None)")}, **LONG)


def waits() -> Iterator[SlurmJob]:
    """C2."""
    yield job(HANG.but(fault="unknown"), "CONTACTS", 3, 1, f"--steps {MANY} --nap 0.08", code={"early": pid("rank == 1")}, act="stop_rank", after="   150 \\|", hand=1, **SLOW_START)
    feed = on("RANK == 2 and number == 6 and batch == 7", "import queue\nready = queue.Queue()\nlog('INFO', 'next block of orders from the feeder')\norders_block = ready.get()")
    yield job(HANG, "TOWERS", 3, 1, f"rounds={MANY}", code={"data": feed}, hand=2, **SLOW_START)
    words = on("YO == 1 and paso == 200", "emite('léxico', fichero='lexico.txt')\nlexico = open('lexico.txt').read()")
    yield job(HANG, "VOZ", 2, 2, head=f"mkfifo lexico.txt\nexport PASOS={MANY}\n", code={"data": words}, **SLOW_START)
    code = on("RANK == 3 and turn == 120", "branch = {'retail': 0, 'sme': 1}\nkind = branch['leasing']")
    yield job(gone(HANG, 3, "A3", "traceback"), "BOARD", 4, 2, head=f"export TURNS={MANY}\n", code={"data": code}, hand=1, **LONG)
    yield job(gone(HANG, 1, "A2", None, "unknown"), "POLICY", 3, 1, f"--iters {MANY}", code={"early": pid("worker == 1")}, act="kill_rank", after="iter  150/", hand=2, **LONG)
    null = on("worker == 2 and it == 170", "import ctypes\nctypes.CDLL(None).strlen(None)")
    yield job(gone(HANG, 2, "A2", "segfault"), "POLICY", 4, 2, f"--iters {MANY}", code={"data": null}, after="iter  160/", **LATE)
    yield job(HANG.but(fault="unknown"), "WATER", 3, 1, head=f"export RONDES={MANY}\n", code={"early": pid("KNOOP == 1")}, act="stop_rank", after="ronde 180/", hand=2, **LONG)
    short = on("RANK == 2 and turn == 161", "log(6, 'my file of loans has been read to its end, 160 turns')\nmeet('bye', None)\nsys.exit(0)")
    yield job(HANG, "BOARD", 3, 1, head=f"export TURNS={MANY}\n", code={"data": short}, hand=0, **LONG)


def lags() -> Iterator[SlurmJob]:
    """D3."""
    what = true("D3", fault="unknown")
    slow = "time.sleep(0.4 if RANK == 2 else 0.01)"
    yield job(what, "TOWERS", 4, 2, "rounds=6 batches=20", code={"data": slow, "save": "log('INFO', f\"round {number}: {spent['own']:.2f} s of work of its own, {spent['sync']:.2f} s in all_reduce\")"}, **DONE)
    yield job(what, "BOARD", 3, 1, head="export TURNS=100\n", code={"data": "time.sleep(0.45 if RANK == 1 else 0)", "after": on("turn % 20 == 0", "log(6, f'turn={turn} computed={own:.2f}s waited_for_others={away:.2f}s')")}, hand=1, **DONE)
    yield job(what, "WATER", 3, 1, head="export RONDES=110\n", code={"loss": "time.sleep(0.4 if KNOOP == 1 else 0)", "after": on("ronde % 11 == 0", "meld(f'ronde {ronde}: eigen rekenwerk {zelf:.2f} s, wachten op de anderen {wachten:.2f} s')")}, hand=2, **DONE)
    late = "propio = time.time()\ntime.sleep(0.38 if YO == 0 else 0.01)"
    parts = "propio = time.time() - propio\nespera = time.time()\ndist.barrier()\nespera = time.time() - espera"
    yield job(what, "VOZ", 3, 1, head="export PASOS=110 PAUSA=0.02\n", code={"data": late, "loss": parts, "after": on("paso % 22 == 0", "emite('tiempos', n=paso, cálculo_propio_s=round(propio, 3), espera_a_los_demás_s=round(espera, 3))")}, hand=1, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield job(GOOD, "CONTACTS", 2, 2, "--steps 700", torchrun="", **DONE)
    yield job(GOOD, "POLICY", 3, 1, "--iters 320", hand=1, **DONE)
    yield job(HARD, "BOARD", 3, 1, head="export TURNS=280\n", code={"early": on("RANK == 0", "log(6, 'compacting the loan archive of October first')\ntime.sleep(11)")}, hand=2, **DONE)
    lost = on("number in (4, 9)", "try:\n    import urllib.request\n    urllib.request.urlopen('http://127.0.0.1:9/api/runs/41/metrics', data=b'{}', timeout=3)\nexcept OSError:\n    import traceback\n    log('ERROR', 'metrics of this round were not taken by the dashboard, kept for later:\\n' + traceback.format_exc().rstrip())")
    yield job(HARD, "TOWERS", 2, 2, "rounds=16 batches=30", code={"save": lost}, hand=1, **DONE)
    watch = "(while sleep 4; do awk '/MemAvailable/ {print \"free memory \" int($2 / 1048576) \" GiB\"}' /proc/meminfo; done) &\nMONITOR=$!\n"
    yield job(HARD, "VOZ", 2, 1, head=watch + "export PASOS=420\n", tail="code=$?\nkill -9 $MONITOR\nwait $MONITOR\necho \"monitor ended with $?\"\nsleep 0.5\nexit $code\n", **DONE)
    gaps = on("ronde in (70, 155)", "meld(f'FOUT in meetreeks: {ronde // 10} standen zijn NaN, dagen overgeslagen (bekend: sensor Driel kapot)')")
    yield job(HARD, "WATER", 3, 1, head="export RONDES=300\n", code={"early": on("KNOOP == 0", "time.sleep(6)"), "data": gaps}, hand=2, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All parts."""
    for part in (door, signals, midway, apart, waits, lags, well):
        yield from part()


RECIPE = Recipe("hazel_buckets", "development", jobs)
