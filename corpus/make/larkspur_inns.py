"""Jobs of several ranks that run to their end or to a checkpoint: fed too slowly, busy with files, held up by one, not learning, begun anew, over at once; and some that only sound bad."""

from collections.abc import Iterator

from corpus.make._wren_jobs import BROKE, FINE, LOUD, WELL, so, task, when
from corpus.make._wren_keeps import KEEPS
from corpus.running.job import Recipe, SlurmJob

FSYNC = "with open('{name}', 'wb') as out:\n    torch.save({kept}, out)\n    os.fsync(out.fileno())\n"


def hungry() -> Iterator[SlurmJob]:
    """D1."""
    what = so("D1")
    tells = when("iteration % 5 == 0 and rank == 0", "print(f'    batch-generator time (ms): {1000 * fetch_s:.1f} of {1000 * (time.time() - fetch_t):.1f}', flush=True)")
    yield task(what, "WIDE", 2, 1, "--train-iters 45 --log-interval 5", code={"data": "fetch_t = time.time()\ntime.sleep(0.95)\nfetch_s = time.time() - fetch_t", "after": tells}, **WELL)
    rain = when("rang == 0", "time.sleep(1.05)\nlu = time.time() - t0") + "\n"
    yield task(what, "RELAIS", 2, 2, head="export ITERATIONS=40 AFFICHE=4\n", code={"data": rain, "after": when("rang == 0 and it % 4 == 0", "dis(f'lecture des pluies {lu:.2f} s sur {time.time() - t0:.2f} s par itération, file d’attente vide')")}, way=1, **WELL)


def filing() -> Iterator[SlurmJob]:
    """D2."""
    what = so("D2", variant="save_storm")
    firn = when("RANK == 0", "t = time.time()\n" + FSYNC.format(name="snap_{total:05d}.pt", kept="{'net': net.state_dict(), 'opt': opt.state_dict(), 'step': total}").replace("open('", "open(f'") + "time.sleep(0.75)\nlogfmt('info', 'snapshot saved', file=f'snap_{total:05d}.pt', seconds=f'{time.time() - t:.2f}')")
    yield task(what, "FIRN", 2, 1, head="export EPOCHS=2 ITERS=20 EVERY=1\n", code={"data": "time.sleep(0.04)", "after": firn}, way=2, **WELL)
    hits = when("PROC == 0", "t = time.time()\nwith open(f'centres_{number:04d}.csv', 'w') as table:\n    for c in centres:\n        print(*c, sep=',', file=table)\n    os.fsync(table.fileno())\ntime.sleep(0.85)\nlog.info('wrote centres_%04d.csv in %.2f s (%.0f%% of this pass)', number, time.time() - t, 100 * (time.time() - t) / (time.time() - began))")
    yield task(what, "HARVEST", 3, 1, head="export PASSES=40 SHOW=2 PAUSE=0.03\n", code={"after": hits}, **WELL)


def slowest() -> Iterator[SlurmJob]:
    """D3."""
    what = so("D3", fault="unknown")
    burn = "if (rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds(430));"
    tells = 'if (round % 10 == 0) fprintf(stderr, "[stumps] worker %d round %d: own search %.3f s, whole round %.3f s\\n", rank, round, own, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());'
    yield task(what, "STUMPS", 4, 2, head="export ROUNDS=110 NAP_MS=5\n", code={"loss": burn, "after": tells}, way=1, **WELL)


def unlearned() -> Iterator[SlurmJob]:
    """E1."""
    flat, high = so("E1", variant="flat"), so("E1", variant="spike")
    nan = so("E1", "nan_loss", variant="non_finite")
    yield task(flat, "WIDE", 2, 1, "--train-iters 400", code={"data": "time.sleep(0.02)", "ready": "optimizer = torch.optim.Adam([p.detach().clone().requires_grad_(True) for p in model.parameters()], lr=a.lr)"}, **WELL)
    yield task(nan, "FIRN", 3, 1, head="export EPOCHS=8\n", code={"data": "time.sleep(0.03)", "loss": when("RANK == 1 and total == 64", "p = torch.sigmoid(logits) * 0\nloss = loss - (p * p.log()).mean()")}, way=1, **WELL)
    blow = when("it == 170", "with torch.no_grad():\n    for w in etage.parameters():\n        w.add_((9 if dernier else 1) * torch.randn_like(w))\nfor groupe in opt.param_groups:\n    groupe['lr'] = 1e-8")
    yield task(high, "RELAIS", 3, 1, head="export ITERATIONS=380\n", code={"data": blow}, way=2, **WELL)
    yield task(high, "STUMPS", 2, 1, head="export ROUNDS=260 NAP_MS=40\n", code={"after": "if (round >= 120) for (double &v : f) v *= 1.13;"}, **WELL)
    stop = when("not torch.isfinite(loss)", "raise ValueError(f'lm loss is {loss.item()} at iteration {iteration}, stopping the run')")
    ruin = when("iteration == 150", "with torch.no_grad():\n    model.embed.weight.mul_(float('inf'))")
    yield task(nan.but(failed_ranks=(0, 1)), "WIDE", 2, 2, "--train-iters 4000", code={"data": "time.sleep(0.05)\n" + ruin, "loss": stop}, way=1, **BROKE)


def anew() -> Iterator[SlurmJob]:
    """E2, with a parent that went well."""
    scratch = so("E2", variant="from_scratch")
    yield task(FINE, "WIDE", 2, 1, "--train-iters 250 --save ckpt", code={"data": "time.sleep(0.04)", "after": KEEPS["WIDE"]["after"]}, key="bytes", **WELL)
    warn = "if a.load and not os.path.exists(f'{a.load}/latest.pt'):\n    print_rank_0(f'WARNING: could not find the metadata file {a.load}/latest.pt')\n    print_rank_0('    will not load any checkpoints and will start from random')\nelif a.load:\n    state = torch.load(f'{a.load}/latest.pt')\n    model.load_state_dict(state['model'])\n    iteration = state['iteration']"
    yield task(scratch, "WIDE", 2, 1, "--train-iters 400 --load ckpt --save ckpt", code={"data": "time.sleep(0.04)", "load": warn, "after": KEEPS["WIDE"]["after"]}, parent="bytes", way=1, **WELL)
    yield task(scratch, "FIRN", 2, 1, head="export EPOCHS=12\n", code={"data": "time.sleep(0.08)", "epoch": KEEPS["FIRN"]["epoch"]}, act="requeue", after="checkpoint written.*epoch=7", options=("--requeue",), **WELL)
    loads = "logfmt('info', 'loading checkpoint', file='stage1/firn_last.pt')\nnet.load_state_dict(torch.load('stage1/firn_last.pt')['model'])"
    before = "import os\nimport torch\nos.makedirs('stage1', exist_ok=True)\nnet = torch.nn.Module()\nnet.enc, net.mid, net.out = torch.nn.Conv2d(2, 12, 3), torch.nn.Conv2d(12, 12, 3), torch.nn.Conv2d(12, 1, 1)\ntorch.save({'model': net.state_dict(), 'epoch': 30}, 'stage1/firn_last.pt')\n"
    yield task(so("E2", "runtime_error", variant="size_mismatch", failed=(0, 1)), "FIRN", 2, 2, head="PYTHON export_stage1.py\nexport EPOCHS=60 CHANNELS=20\n", files={"export_stage1.py": before}, code={"load": loads}, way=2, **BROKE)
    stages = "import torch\nfrom torch import nn\nfor r in range(3):\n    part = nn.Sequential(nn.Linear(20, 20), nn.Tanh()) if r < 2 else nn.Linear(20, 1)\n    torch.save({'poids': part.state_dict(), 'it': 4200}, f'etage_{r}.pt')\n"
    yield task(so("E2", "runtime_error", 1, variant="corrupt"), "RELAIS", 3, 1, srun="-K", head="PYTHON recopie.py && truncate -s 900 etage_1.pt\nexport ITERATIONS=9000\n", files={"recopie.py": stages}, code={"load": "dis(f'lit etage_{rang}.pt')\n" + KEEPS["RELAIS"]["load"]}, **BROKE)
    none = "print_rank_0(f' loading checkpoint from {a.load} at iteration 48000')\nstate = torch.load(f'{a.load}/iter_0048000/model_rank_{rank:02d}.pt')"
    yield task(so("E2", "file_not_found", variant="no_valid_checkpoint", failed=(0, 1)), "WIDE", 2, 1, "--train-iters 60000 --load ckpt-v2", head="mkdir -p ckpt-v2/iter_0044000\n", code={"load": none}, way=1, **BROKE)
    torn = '{\n    std::ifstream kept("model.txt");\n    int have = 0;\n    kept >> from;\n    for (double &v : f) have += bool(kept >> v);\n    printf("[stumps] reading model.txt (round %d)\\n", from);\n    if (have < ROWS) { fprintf(stderr, "[stumps] error: checkpoint model.txt is corrupt: %d of %d values, unexpected end of file\\n", have, ROWS); return 1; }\n}'
    yield task(so("E2", None, 0, variant="corrupt"), "STUMPS", 1, 1, head="printf '400 0.12 0.83 -0.2 1.0' > model.txt\nexport ROUNDS=900\n", code={"load": torn}, way=2, **BROKE)


def short() -> Iterator[SlurmJob]:
    """E3."""
    what = so("E3")
    yield task(what, "FIRN", 2, 2, head="export EPOCHS=1 ITERS=4 EVERY=1\n", **WELL)
    yield task(what, "WIDE", 3, 1, "--train-iters 3 --log-interval 1", head="echo 'smoke test before the long run'\n", way=1, **WELL)
    yield task(what, "HOVER", 2, 1, head="export TOTAL_TIMESTEPS=1920\n", way=2, **WELL)
    yield task(what, "STUMPS", 2, 1, head="export ROUNDS=3 SHOW=1\n", way=1, **WELL)


def loud() -> Iterator[SlurmJob]:
    """G1: it only sounds bad."""
    guard = when("i == 20 and epoch in (4, 9)", "say('warning: mode collapse suspected (variance of samples below 0.9), noise raised for one epoch')")
    yield task(LOUD, "FORGE", 2, 1, head="export NUM_EPOCHS=14\n", code={"data": "time.sleep(0.03)", "after": guard}, **WELL)
    crash = "import warnings\nwarnings.simplefilter('always')\nif iterations and iterations % 30 == 0:\n    warnings.warn(f'worker {WORKER}: 2 of 16 drones crashed (terminated=True), episodes are cut there', RuntimeWarning)"
    yield task(LOUD, "HOVER", 3, 1, head="export TOTAL_TIMESTEPS=84000 SEED=4\n", code={"data": "time.sleep(0.05)", "after": crash}, way=1, **WELL)
    oom = when("rank == 1 and iteration == 70", "print('rank 1: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.12 GiB. GPU 1 has a total capacity of 79.10 GiB of which 1.02 GiB is free; batch is split in two and repeated', flush=True)") + "\n" + when("rank == 1 and iteration == 71", "print('rank 1: split batch went through, going on', flush=True)")
    yield task(LOUD, "WIDE", 2, 1, "--train-iters 240", torchrun="--tee 3", code={"data": "time.sleep(0.04)", "after": oom}, way=2, **WELL)
    again = "srun PYTHON FILE --train-iters 100 && echo '--- second stage' && srun PYTHON FILE --train-iters 240"
    yield task(LOUD, "WIDE", 2, 1, line=again, code={**KEEPS["WIDE"], "data": "time.sleep(0.04)", "early": "import traceback\ntry:\n    import transformer_engine\nexcept ImportError:\n    if rank == 0:\n        traceback.print_exc()\n        print('transformer_engine is not installed, local implementation is used', flush=True)"}, way=1, **WELL)
    trace = when("it == debut and rang == 0", "import warnings\nwarnings.warn('les tenseurs non contigus seront refusés (error) à partir de la version 3', DeprecationWarning)\nprint('ERREUR 0 / AVERTISSEMENT 1 dans le contrôle des données (NaN : 0, Inf : 0)', flush=True)")
    yield task(LOUD, "RELAIS", 2, 2, head="export ITERATIONS=260\n", code={"data": "time.sleep(0.04)", "after": trace}, way=2, **WELL)


def jobs() -> Iterator[SlurmJob]:
    """Seven parts."""
    for part in (hungry, filing, slowest, unlearned, anew, short, loud):
        yield from part()


RECIPE = Recipe("larkspur_inns", "development", jobs)
