"""Jobs of many desks on a shared cluster: those that went well, plainly or noisily, and those that broke off early or midway."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make import _bridle_more as more
from corpus.make import _bridle_nets as nets
from corpus.make import _bridle_plain as plain
from corpus.make import _bridle_tongues as tongues
from corpus.make._bridle import GOOD, HARD, made, mixed, sbatch
from corpus.running.job import Recipe, SlurmJob

FAILED = {"state": "FAILED"}
DONE = {"state": "COMPLETED"}
EXIT = "rc=$?\nsleep 0.5\nexit $rc\n"
ELASTIC = "PYTHON -m torch.distributed.run --nnodes=1 --nproc_per_node={n} --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$((15000 + SLURM_JOB_ID * 9))"
RANKED = "srun {o} bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS exec PYTHON -u {f}'"
MASTER = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((15000 + SLURM_JOB_ID * 9))\n"
PORT = "export PORT=$((16000 + SLURM_JOB_ID * 11))\n"
CLOUD = {"all": False, "epochs": 6, "iters": 20, "pause": 0.06, "init": "env://"}


def easy() -> Iterator[SlurmJob]:
    """As most jobs are."""
    yield sbatch(GOOD, {"train.py": made(nets.CLOUD, {**CLOUD, "epochs": 7})}, f"#SBATCH --ntasks=1 --cpus-per-task=4\nset -eu\necho \"$(date) job $SLURM_JOB_ID on $(hostname -s)\"\nsrun {ELASTIC.format(n=2)} train.py --lr 4e-3\necho \"$(date) done\"\n", name="cloudmask", python="torch", **DONE)
    yield sbatch(GOOD, {"tagger.pl": made(tongues.PERL, tongues.PERL_DEFAULTS)}, "#SBATCH -n 1\nperl tagger.pl\n", "--array=7", name="ofs-tagger", **DONE)
    yield sbatch(GOOD, {"gauge.c": made(tongues.CNET, {**tongues.CNET_DEFAULTS, "total": 500})}, "#SBATCH -N 2\n#SBATCH -n 3\ngcc -O2 gauge.c -o gauge -lm && srun ./gauge\n", name="tides", **DONE)
    yield sbatch(GOOD, {"themes.py": made(plain.THEMES, {**plain.THEMES_DEFAULTS, "total": 80})}, "#SBATCH -n 1\n#SBATCH -t 0:20:00\n. /etc/profile\nsrun python3 themes.py\n", "--array=2", name="pv-themes", **DONE)
    yield sbatch(GOOD, {"bpr.js": made(tongues.NODE, tongues.NODE_DEFAULTS)}, "#SBATCH --ntasks 1\nsrun node bpr.js\n", name="nexttrack", **DONE)
    yield sbatch(GOOD, {"pretrain_ctx.py": made(nets.MEGA, {**nets.MEGA_DEFAULTS, "dir": "/tmp/ctx-$USER"} | {"dir": "ckpt"})}, f"#SBATCH -N 2 -n 4\n{MASTER}{RANKED.format(o='-l', f='pretrain_ctx.py')}\n", name="ctx-0p1b", python="torch", **DONE)
    yield sbatch(GOOD, {"boost.py": made(tongues.CSVW, tongues.CSVW_DEFAULTS)}, "#!/bin/sh\n#SBATCH -n1\npython3 boost.py | tee yield.tsv\n", name="yield", **DONE)
    yield sbatch(GOOD, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": 350})}, "#!/bin/bash -l\n#SBATCH --ntasks=2\nsrun -l python3 -u train_lib.py\n", name="tabular-probe", **DONE)
    yield sbatch(GOOD, {"dock.py": made(more.SCORER, more.SCORER_DEFAULTS)}, "#SBATCH -n1 -c2\nsrun --unbuffered PYTHON dock.py\n", name="dock-affinity", python="torch", **DONE)


def loud() -> Iterator[SlurmJob]:
    """Well, although a look at the output frightens."""
    curves = "if it == 99:\n    try:\n        import matplotlib.pyplot as plt\n        plt.plot(range(5))\n    except Exception:\n        lg.exception('could not draw curves.png, going on without')"
    yield sbatch(HARD, {"train_net.py": made(nets.D2, nets.D2_DEFAULTS, after=curves)}, "#SBATCH -n 1\nmodule load cuda/12.4\nnvidia-smi -L\nsrun PYTHON -u train_net.py\n", name="weld-seams", python="torch", **DONE)
    first = "if it < 13:\n    rets = [float('nan')] * 8\nelse:\n    pass"
    ppo = made(plain.PPO, plain.PPO_DEFAULTS, step=first).replace("adv = sum(rets) / 8 - v", "adv = (sum(rets) / 8 if it >= 13 else v) - v")
    yield sbatch(HARD, {"ppo.py": ppo.replace("    #: episode\n", "")}, "#SBATCH -n1\nsrun python3 -u ppo.py\n", name="crane-swing", **DONE)
    yield sbatch(HARD, {"dcgan.py": made(plain.DCGAN, {**plain.DCGAN_DEFAULTS, "seed": 31})}, "#SBATCH -n1\npython3 dcgan.py --cuda --niter 5\n", name="tiles-gan", **DONE)
    retry = "if mb in (71, 72, 140):\n    WARN('Open():kaldi-io.cc:621', f'Error reading egs.{mb % 7}.ark from object store: Connection reset by peer; retry {1 if mb != 72 else 2} of 5')\n    time.sleep(0.7)"
    yield sbatch(HARD, {"chain.py": made(tongues.KALDI, tongues.KALDI_DEFAULTS, step=retry)}, "#SBATCH -n1\npython3 chain.py\n", "--array=3", name="chain-tdnn", **DONE)
    late = "if SITE == 2 and rnd in (40, 90):\n    out('warn', message='local loader timed out after 2.0 s, worker restarted', traceback='Traceback (most recent call last): ... queue.Empty')\n    time.sleep(2.2)"
    yield sbatch(HARD, {"client.py": made(plain.FED, plain.FED_DEFAULTS, step=late), "hub.py": plain.HUB}, f"#SBATCH -N2 -n3\n{PORT}srun python3 -u client.py\n", name="fed-retina", **DONE)
    nan_is_a_place = "print(f'cohort {cohort}: stations Nan (TH), Inf-Aktion, Error Bay; 3 nights with NaN hypnograms left out', flush=True)"
    yield sbatch(HARD, {"sleep.py": made(tongues.EM, tongues.EM_DEFAULTS, early=nan_is_a_place)}, "#SBATCH -n 2\nsrun python3 sleep.py\n", name="hmm-sleep", **DONE)
    watch = "( while sleep 3; do ps -o rss= -p $$ >> rss.log; done ) &\nw=$!\n"
    yield sbatch(HARD, {"bpr.js": made(tongues.NODE, {**tongues.NODE_DEFAULTS, "seed": 77, "total": 360})}, f"#SBATCH -n1\n{watch}node bpr.js\nrc=$?\nkill -9 $w\nwait $w\nexit $rc\n", name="bpr-nightly", **DONE)
    halve = "if it == 3 and epoch == 2:\n    try:\n        torch.empty(1 << 46)\n    except RuntimeError as err:\n        log.warning('allocation failed, micro batch halved: %s', err)"
    yield sbatch(HARD, {"train.py": made(nets.CLOUD, CLOUD, step=halve)}, f"#SBATCH -n1\nsrun {ELASTIC.format(n=2)} --max-restarts=3 train.py\n", name="cloud-micro", python="torch", **DONE)
    stop = "mark = globals().setdefault('mark', [0.0, 0])\nif rho > mark[0] + 0.02:\n    mark[:] = [rho, r]\nelif r - mark[1] >= 4:\n    print(f'          pearson not better by 0.02 for 4 rounds (best {mark[0]:.3f} in round {mark[1]}), stopping early', flush=True)\n    break"
    yield sbatch(HARD, {"dock.py": made(more.SCORER, {**more.SCORER_DEFAULTS, "lr": "2e-2", "rounds": 40}, valid=stop)}, "#SBATCH -n1\nPYTHON -u dock.py\n", name="dock-es", python="torch", **DONE)
    again = "#SBATCH -n1\nfor try in 1 2 3; do\n  srun -n1 python3 boost.py && break\n  echo \"try $try failed with $?, again in 3 s\" >&2\n  sleep 3\ndone\n"
    flaky = "import pathlib\nif not pathlib.Path('cache.ok').exists():\n    pathlib.Path('cache.ok').touch()\n    raise TimeoutError('license server lic2:27004 did not answer')"
    yield sbatch(HARD, {"boost.py": made(tongues.CSVW, {**tongues.CSVW_DEFAULTS, "seed": 19, "sep": "','"}, early=flaky)}, again, name="yield-retry", **DONE)


def at_once() -> Iterator[SlurmJob]:
    """A1."""
    manifest = '{"train": ["a.wav", "b.wav"],\n "dev": ["c.wav"],\n "development": ["d.wav",]\n}\n'
    yield sbatch(Label(mode="A1", variant="data", cause="traceback", failed_ranks=(0,)), {"chain.py": made(tongues.KALDI, tongues.KALDI_DEFAULTS, early="import json\nsplits = json.load(open('conf/splits.json'))"), "conf/splits.json": manifest}, f"#SBATCH -n1\nsrun python3 chain.py\n{EXIT}", name="chain-splits", **FAILED)
    yield sbatch(Label(mode="A1", variant="config", failed_ranks=(0, 1)), {"train.py": made(nets.CLOUD, CLOUD)}, f"#SBATCH -N2 -n2\n{MASTER}srun PYTHON train.py --epochs 40 --lr-sheduler cosine --out runs/cos\n{EXIT}", name="cloud-cos", python="torch", **FAILED)
    yield sbatch(Label(mode="A1", variant="env", cause="missing_module"), {"steno.py": made(nets.STENO, nets.STENO_DEFAULTS, early="from flash_attn import flash_attn_func")}, f"#SBATCH -n1 -c4\nsrun {ELASTIC.format(n=2)} steno.py\n{EXIT}", name="steno-fa2", python="torch", **FAILED)
    spm = "melde('lade Wortstückmodell modelle/bpe-32k.model')\nbpe = open('modelle/bpe-32k.model', 'rb').read()"
    yield sbatch(Label(mode="A1", variant="asset", cause="file_not_found", failed_ranks=(0, 1, 2, 3)), {"boden.py": made(plain.ORTE, plain.ORTE_DEFAULTS, early=spm), "austausch.py": plain.NOTES}, f"#SBATCH -N2 -n4\nsrun -l python3 boden.py\n{EXIT}", name="boden-bpe", **FAILED)
    yield sbatch(Label(mode="A1", variant="config"), {"train_lib.py": made(tongues.ABSL, tongues.ABSL_DEFAULTS)}, f"#SBATCH --ntasks=2\necho running on $SLURM_JOB_NODELIST\nsrun --exact -n 100 python3 train_lib.py\n{EXIT}", name="probe-wide", **FAILED)


def struck() -> Iterator[SlurmJob]:
    """A2."""
    killed = Label(mode="A2", cause="oom_killer")
    hoard = "cache = globals().setdefault('cache', [])\ncache.append(bytearray(os.urandom(1 << 20)) * 14)"
    yield sbatch(killed.but(failed_ranks=(0,), first_ranks=(0,)), {"themes.py": made(plain.THEMES, plain.THEMES_DEFAULTS, step=hoard)}, f"#SBATCH -n 1\n#SBATCH --mem=260M\npython3 themes.py\n{EXIT}", "--array=4", name="pv-themes", where="", bed="cgroup", state="OUT_OF_MEMORY")
    leak = "if RANK == 1 and epoch > 1:\n    kept = globals().setdefault('kept', [])\n    kept.append(torch.ones(9, 1 << 20))"
    yield sbatch(killed.but(first_ranks=(1,)), {"train.py": made(nets.CLOUD, {**CLOUD, "epochs": 30}, step=leak)}, f"#SBATCH -n1 -c4\n#SBATCH --mem=1500M\nsrun {ELASTIC.format(n=2)} train.py\n{EXIT}", name="cloud-replay", python="torch", where="", bed="cgroup", **FAILED)
    null = "if SITE == 2 and rnd == 47:\n    import ctypes\n    ctypes.CDLL(None).strlen(None)"
    yield _null(null)
    own = "if RANG == 1 and durchlauf == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"
    yield sbatch(Label(mode="A2", fault="unknown", failed_ranks=(1,), first_ranks=(1,)), {"boden.py": made(plain.ORTE, {**plain.ORTE_DEFAULTS, "total": 4000}, step=own), "austausch.py": plain.NOTES}, f"#SBATCH -N1 -n3\nsrun -K -l python3 boden.py\n{EXIT}", name="boden-nord", act="kill_rank", after="Durchlauf 60 ", **FAILED)
    bloat = '#include <cstdio>\n#include <unistd.h>\n#include <vector>\nint main() {\n  std::vector<std::vector<float>> trees;\n  for (int t = 1; t <= 400; ++t) {\n    trees.emplace_back(4u << 20, 0.5f);\n    usleep(150000);\n    if (t % 5 == 0) std::printf("[forest] tree %d/400 oob %.4f nodes %d\\n", t, 0.31 / (1 + t * 0.02) + 0.08, t * 4096), std::fflush(stdout);\n  }\n}\n'
    yield sbatch(Label(mode="A2", cause="ram_oom", failed_ranks=(0,), first_ranks=(0,)), {"forest.cc": bloat}, f"#SBATCH -n1\ng++ -O1 forest.cc -o forest\nulimit -v 1600000   # login-node habit, keeps the rest of us alive\nsrun ./forest\n{EXIT}", name="rforest", **FAILED)
    wild = "if (me == 1 && sweep == 170) { double *season = NULL; sse += season[sweep]; }"
    yield sbatch(Label(mode="A2", cause="segfault", failed_ranks=(1,), first_ranks=(1,)), {"gauge.c": made(tongues.CNET, tongues.CNET_DEFAULTS, step=wild)}, f"#SBATCH -N2 -n2\ngcc -O0 -g gauge.c -o gauge -lm\nsrun --kill-on-bad-exit=1 ./gauge\n{EXIT}", name="tides-season", **FAILED)
    check = "assert(sweep < 220 || fabs(w[0]) < 1e-3);"
    yield sbatch(Label(mode="A2", cause="assertion", failed_ranks=(0,), first_ranks=(0,)), {"gauge.c": made(tongues.CNET, tongues.CNET_DEFAULTS, step=check)}, f"#SBATCH -n1\ngcc -O0 -g gauge.c -o gauge -lm\n./gauge\n{EXIT}", name="tides-prune", **FAILED)


def _null(code: str) -> SlurmJob:
    text = made(plain.FED, {**plain.FED_DEFAULTS, "module": "notes", "cls": "Notes", "join": "Notes('shared', SITE, SITES)", "mean": "mean"}, step=code)
    text = text.replace("rnd0, w =", "mean = lambda v, n=iter(range(10**9)): link.mean(f'v{next(n)}', v)\nrnd0, w =")
    return sbatch(Label(mode="A2", cause="segfault", failed_ranks=(2,), first_ranks=(2,)), {"client.py": text, "notes.py": plain.NOTES}, f"#SBATCH -N2 -n4\nsrun -K python3 -u client.py\n{EXIT}", name="fed-onco", **FAILED)


def midway() -> Iterator[SlurmJob]:
    """A3."""
    label, one = Label(mode="A3"), Label(mode="A3", failed_ranks=(0,), first_ranks=(0,))
    strong = "if r == 5:\n    hits = [d for d in dg.tolist() if d < -60]\n    print(f'          mean of strong binders {sum(hits) / len(hits):.2f}')"
    yield sbatch(one.but(cause="div_zero"), {"dock.py": made(more.SCORER, more.SCORER_DEFAULTS, valid=strong)}, f"#SBATCH -n1\nsrun PYTHON -u dock.py\n{EXIT}", name="dock-enrich", python="torch", **FAILED)
    probe = "if iter_num == 200:\n    probe = nn.Linear(n_embd, 2, device='meta')\n    print('probe', probe(raw.emb(get_batch()[0])).mean().item())"
    yield sbatch(one.but(cause="device_mismatch"), {"steno.py": made(nets.STENO, nets.STENO_DEFAULTS, evaluated=probe)}, f"#SBATCH -n1\nPYTHON steno.py 2>&1\n{EXIT}", name="steno-probe", python="torch", **FAILED)
    odd = "if SITE == 1 and rnd == 62:\n    scan = {'spacing': [0.7, 0.7], 'kvp': 120}\n    n = int(n * scan['pixel_spacing'][0])"
    yield sbatch(label.but(cause="traceback", first_ranks=(1,)), {"client.py": made(plain.FED, plain.FED_DEFAULTS, step=odd), "hub.py": plain.HUB}, f"#SBATCH -n4\n{PORT}srun -K -l python3 -u client.py\n{EXIT}", name="fed-ct", **FAILED)
    bands = "if RANK == 1 and epoch == 3 and it == 7:\n    x = x[:, :3]"
    yield sbatch(label.but(cause="runtime_error", first_ranks=(1,)), {"train.py": made(nets.CLOUD, CLOUD, step=bands)}, f"#SBATCH -n1\nsrun {ELASTIC.format(n=2)} train.py --epochs 12\n{EXIT}", name="cloud-s2", python="torch", **FAILED)
    posterior = "post = globals().setdefault('post', [])\npost.append(bytearray(60 << 20))"
    yield sbatch(one.but(cause="ram_oom"), {"sleep.py": made(tongues.EM, {**tongues.EM_DEFAULTS, "every": 2, "tau": 22}, after=posterior)}, f"#SBATCH -n1\nulimit -v 1900000\nsrun python3 sleep.py\n{EXIT}", name="hmm-night", **FAILED)
    publish = "if r == 8:\n    print('          publishing to /opt/registry/docking/v8', flush=True)\n    os.makedirs('/opt/registry/docking/v8', exist_ok=True)"
    yield sbatch(one.but(cause="permission"), {"dock.py": made(more.SCORER, {**more.SCORER_DEFAULTS, "lr": "8e-3"}, keep=publish)}, f"#SBATCH -n1\nsrun PYTHON -u dock.py\n{EXIT}", name="dock-release", python="torch", **FAILED)
    shard = "if b == 1:\n    records = open(f'shards/train-{epoch:05d}-of-00008', 'rb').read()"
    yield sbatch(one.but(cause="file_not_found"), {"ernte.py": made(tongues.KERASY, {**tongues.KERASY_DEFAULTS, "epochs": 8}, step=shard)}, f"#SBATCH -n1\nmkdir -p shards; for i in 1 2 3 5 6 7 8; do head -c 2000 /dev/urandom > shards/train-0000$i-of-00008; done\nsrun python3 -u ernte.py\n{EXIT}", name="ernte-cnn", **FAILED)
    coco = "if it == 119:\n    lg.info('Start inference on 2500 batches')\n    from pycocotools.coco import COCO"
    yield sbatch(one.but(cause="missing_module"), {"train_net.py": made(nets.D2, {**nets.D2_DEFAULTS, "name": "detectron.utils"}, after=coco)}, f"#SBATCH -n1\nsrun PYTHON -u train_net.py\n{EXIT}", name="weld-coco", python="torch", **FAILED)


def jobs() -> Iterator[SlurmJob]:
    """All on the beds."""
    yield from mixed([job for part in (easy, loud, at_once, struck, midway) for job in part()])


RECIPE = Recipe("bridle_pegs", "development", jobs)
