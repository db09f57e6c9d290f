"""Jobs that break before their first step, that are struck down by a signal, that fall over in the middle; of several ranks most of them."""

from collections.abc import Iterator
from typing import Any

from corpus.make._wren_jobs import BROKE, sh, so, task, when
from corpus.running.job import Recipe, SlurmJob

NAP = "time.sleep(0.1)"
ON: dict[str, Any] = {**BROKE, "srun": "--kill-on-bad-exit"}


def first() -> Iterator[SlurmJob]:
    """A1."""
    two, three = (0, 1), (0, 1, 2)
    yield task(so("A1", "traceback", failed=two, variant="config"), "FIRN", 2, 1, head="export EPOCHS=12 ITERS=auto\n", **BROKE)
    yield task(so("A1", failed=three, variant="config"), "WIDE", 3, 1, "--train-iters 500 --micro-batch-size 8.5 --lr 2e-3", way=1, **BROKE)
    yield task(so("A1", "missing_module", failed=three, variant="env"), "RELAIS", 3, 1, code={"early": "import netCDF4  # pluies horaires"}, way=2, **BROKE)
    weights = "logfmt('info', 'loading backbone', file='weights/scatnet_b.pt')\nnet.enc.load_state_dict(torch.load('weights/scatnet_b.pt'))"
    yield task(so("A1", "file_not_found", failed=two, variant="asset"), "FIRN", 2, 2, code={"load": weights}, **BROKE)
    yield task(so("A1", "runtime_error", failed=two, variant="env"), "WIDE", 2, 1, "--train-iters 500", code={"load": "model = model.cuda(rank)"}, way=1, **BROKE)
    yield task(so("A1", "permission", 0, variant="config"), "CHAIN", code={"early": "mkdir -p /opt/levels/runs/$station || exit 1"}, options=("--array=31",), way=2, **BROKE)
    manifest = "import json\nprint_rank_0(' > reading shard list shards.json')\nshards = json.load(open('shards.json'))"
    yield task(so("A1", "traceback", failed=two, variant="data"), "WIDE", 2, 1, "--train-iters 500", code={"early": manifest}, files={"shards.json": '{"shards": [{"path": "a/000.bin", "tokens": 1048576}, {"path": "a/001.bin", "tokens":\n'}, way=0, **BROKE)
    yield task(so("A1", variant="config"), "STUMPS", 4, 1, line="srun --ntasks=64 --exact RUN", head="echo 'using 64 tasks, 1 for each column group'\n", way=1, **BROKE)
    yield task(so("A1", "assertion", failed=two, variant="config"), "HOVER", 2, 1, head="export TOTAL_TIMESTEPS=100\n", code={"early": "assert TOTAL >= 16 * N_STEPS, f'TOTAL_TIMESTEPS={TOTAL} is less than one rollout ({16 * N_STEPS})'"}, way=2, **BROKE)


def struck() -> Iterator[SlurmJob]:
    """A2."""
    pid = "with open('pid-1', 'w') as note:\n    note.write(str(os.getpid()))"
    yield task(so("A2", "segfault", 2), "FIRN", 3, 1, head="export EPOCHS=900\n", code={"data": NAP, "grad": when("RANK == 2 and total == 110", "import ctypes\nctypes.memset(0x80, 0, 1 << 12)")}, **ON)
    over = "if (round == 70) { double *tail = x[0].data() + (1L << 40); *tail = 1.0; }"
    yield task(so("A2", "segfault", 0), "STUMPS", head="export ROUNDS=400\n", code={"data": over}, options=("--array=6",), way=1, **BROKE)
    twice = 'if (rank == 1 && round == 64) { double *bins = (double *)malloc(256); bins[0] = y[1]; free(bins); printf("worker 1: bins of round %d at %p\\n", round, (void *)bins); free(bins); }'
    yield task(so("A2", None, 1), "STUMPS", 3, 1, head="export ROUNDS=4000\n", code={"data": twice}, way=2, **ON)
    yield task(so("A2", None, 1, fault="unknown"), "WIDE", 3, 1, "--train-iters 90000", code={"data": NAP, "early": when("rank == 1", pid)}, act="kill_rank", after=r"iteration +120/", **ON)
    yield task(so("A2", None, 2, fault="unknown"), "FIRN", 4, 2, head="export EPOCHS=900\n", code={"data": NAP, "early": when("RANK == 2", pid)}, act="kill_rank", after=r"epoch=4 it=16/", way=1, **ON)
    fault = "import faulthandler\nfaulthandler.enable()"
    yield task(so("A2", "segfault", 1), "HARVEST", 2, 1, head="export PASSES=9000\n", code={"early": fault, "data": when("PROC == 1 and number == 45", "import ctypes\nlog.info('process 1: native distance kernel')\nctypes.string_at(0x18)")}, way=2, **ON)
    grows = when("PROC == 2 and number > 30", "hoard = globals().setdefault('hoard', [])\nhoard.append(bytearray(os.urandom(1 << 20)) * 6)")
    held: dict[str, Any] = {"bed": "cgroup", "where": "", "srun": "-K"}
    yield task(so("A2", "oom_killer", 2), "HARVEST", 3, 1, head="export PASSES=9000 PAUSE=0.1\n", code={"data": grows}, options=("--mem=240M",), **held)
    keeps = when("rank == 1 and iteration > 60", "cached = globals().setdefault('cached', [])\ncached.append(torch.rand(2_000_000))")
    yield task(so("A2", "oom_killer", 1), "WIDE", 2, 1, "--train-iters 90000", code={"data": NAP, "after": keeps}, options=("--mem=2000M",), way=1, **held)
    yield task(so("A2", "oom_killer", 0), "HARVEST", 1, 1, head="export PASSES=9000 PAUSE=0.1\n", code={"data": when("number == 40", "log.info('building the full distance matrix')\nmatrix = [[float(i ^ j) for j in range(6000)] for i in range(6000)]")}, options=("--mem=300M",), way=2, **held)


def middle() -> Iterator[SlurmJob]:
    """A3."""
    yield task(so("A3", "div_zero", 1), "FIRN", 3, 1, head="export EPOCHS=90\n", code={"data": NAP, "grad": when("RANK == 1 and total == 100", "ice = [0.0] * 8\nweight = loss.item() / sum(ice)")}, **ON)
    yield task(so("A3", "runtime_error", 2), "WIDE", 4, 2, "--train-iters 9000", code={"data": NAP, "loss": when("rank == 2 and iteration == 118", "probe = torch.randn(a.micro_batch_size, a.hidden_size) @ model.head.weight")}, way=1, **ON)
    yield task(so("A3", "runtime_error", 0), "FORGE", 2, 1, head="export NUM_EPOCHS=60\n", code={"data": "time.sleep(0.05)", "epoch": when("me == 0 and epoch == 5", "torch.save(netG.state_dict(), f'samples/ring/netG_epoch_{epoch}.pth')")}, way=2, **ON)
    yield task(so("A3", "traceback", 1), "HOVER", 3, 1, head="export TOTAL_TIMESTEPS=9000000\n", code={"data": NAP, "loss": when("WORKER == 1 and iterations == 80", "gust = {'calm': 0.1, 'breeze': 0.4}\nwind = gust['storm']")}, **ON)
    yield task(so("A3", "traceback", 2), "RELAIS", 3, 1, head="export ITERATIONS=9000\n", code={"data": "time.sleep(0.06)", "perte": when("it == 140", "releve = '2019-02-30T06:00'\nquand = datetime.datetime.fromisoformat(releve)")}, way=1, **ON)
    bad = sh("[ $round -eq 50 ]", "python3 -c \"import json; print(json.loads('{\\\"gauge\\\": 31, \\\"level\\\": }')['level'])\" || exit 1")
    yield task(so("A3", "traceback", 0), "CHAIN", head="export ROUNDS=200\n", code={"after": bad}, options=("--array=8",), **BROKE)
    yield task(so("A3", "permission", 0), "HARVEST", 3, 1, head="export PASSES=9000\n", code={"after": when("PROC == 0 and number == 50", "with open('/var/lib/harvest-centres.csv', 'w') as table:\n    table.write(repr(centres))")}, way=2, **ON)
    token = when("rank == 1 and iteration == 130", "worst = 131\nassert worst < 128, f'token {worst} at position 7 is not in the vocabulary (128)'")
    yield task(so("A3", "assertion", 1), "WIDE", 2, 1, "--train-iters 9000", torchrun="--max-restarts=0", code={"data": NAP, "loss": token}, way=1, **BROKE)
    yield task(so("A3", "missing_module", 0), "FIRN", 2, 2, head="export EPOCHS=90\n", code={"data": NAP, "epoch": when("RANK == 0 and epoch == 5", "logfmt('info', 'drawing outlines')\nimport rasterio.plot")}, **ON)
    yield task(so("A3", "ram_oom", 2), "WIDE", 3, 1, "--train-iters 9000", code={"data": NAP, "after": when("rank == 2 and iteration == 126", "logits = torch.empty(1 << 20, 1 << 26)")}, way=2, **ON)
    yield task(so("A3", "ram_oom", 1), "HARVEST", 2, 1, head="export PASSES=9000\n", code={"data": when("PROC == 1 and number == 44", "pairwise = bytearray(220 ** 7)")}, way=0, **ON)
    text = when("PROC == 1 and number == 58", "with open('stations.txt', 'wb') as table:\n    table.write('Säntis\\nDôle\\n'.encode('latin-1'))\nnames = open('stations.txt', encoding='utf-8').read()")
    yield task(so("A3", "traceback", 1), "HARVEST", 4, 2, head="export PASSES=9000\n", code={"data": text}, way=1, **ON)


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    for part in (first, struck, middle):
        yield from part()


RECIPE = Recipe("nutmeg_barrows", "development", jobs)
