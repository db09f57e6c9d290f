"""Jobs of one task, as a small company's people give them to Slurm: a classifier of tickets, band gaps, cells; scripts around them, stages before and behind them."""

from collections.abc import Iterator

from corpus.make._millrace import DONE, FAILED, GOOD, HARD, at, gang, true
from corpus.make._millrace_states import keep, take
from corpus.running.job import Recipe, SlurmJob


def ended() -> Iterator[SlurmJob]:
    """A1, A2, A3."""
    yield gang(true("A1", "missing_module", (0,), variant="env", failed=(0,)), "CELLS", 1, code={"early": "import skimage_tools.tiles as tiles"}, head="module load cuda/12.4 2>/dev/null || echo 'no modules on this node, going on with the plain environment'\n", **FAILED)
    vocabulary = "import json\nvocabulary = [json.loads(line)['token'] for line in open('vocab.jsonl')]\nprint(f'{len(vocabulary)} words', flush=True)"
    yield gang(true("A1", "traceback", (0,), variant="data", failed=(0,)), "TICKETS", 1, code={"early": vocabulary}, files={"vocab.jsonl": '{"token": "printer", "n": 811}\n{"token": "vpn", "n": 640}\n{"word": "badge", "n": 12}\n'}, **FAILED)
    yield gang(true("A1", "permission", (0,), variant="asset", failed=(0,)), "CRYSTAL", 1, code={"load": "net.load_state_dict(torch.load('weights/base.pt'))"}, head="mkdir -p weights; echo x > weights/base.pt; chmod 000 weights/base.pt\n", **FAILED)
    yield gang(true("A2", None, (0,), failed=(0,)), "CRYSTAL", 1, code={"data": "if step > 100:\n    for _ in range(40):\n        np.linalg.svd(dice.normal(size=(120, 120)))"}, head="export STEPS=9000 NAP=0\nulimit -S -t 16\n", **FAILED)
    crash = at(None, 96, "import faulthandler\nfaulthandler.enable()\nimport ctypes\nctypes.string_at(17)")
    yield gang(true("A2", "segfault", (0,), failed=(0,)), "CELLS", 1, code={"data": crash}, **FAILED)
    hog = at(None, 70, "keep = globals().setdefault('keep', [])\nkeep.append(bytearray(20 << 20))", since=True)
    yield gang(true("A2", "oom_killer", (0,), failed=(0,)), "TICKETS", 1, 1, "--epochs 900", code={"data": hog}, options=("--mem=900M",), where="", bed="cgroup")
    full = at(None, 150, "labels = {n: n % 5 for n in range(400)}\nassert int(team.max()) < 4, f'team {int(team.max())} is not one of the 4 that the mapping has'")
    yield gang(true("A3", "assertion", (0,), failed=(0,)), "TICKETS", 1, code={"data": full}, **FAILED)
    nanless = at(None, 130, "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/metrics', data=b'rmse', timeout=5)")
    yield gang(true("A3", "traceback", (0,), failed=(0,)), "CRYSTAL", 1, code={"after": nanless}, **FAILED)


def results() -> Iterator[SlurmJob]:
    """E1, E3, G1."""
    yield gang(true("E1", variant="spike"), "CRYSTAL", 1, code={"after": at(None, 190, "opt.param_groups[0]['lr'] = 1.5")}, **DONE)
    yield gang(true("E1", variant="flat"), "TICKETS", 1, 1, "--epochs 7", code={"data": "team = torch.randint(0, a.teams, (32,))"}, **DONE)
    stop = "if not torch.isfinite(bce):\n    sys.exit(f'it {step}: bce is {bce.item()}, there is no point in going on')"
    yield gang(true("E1", "nan_loss", variant="non_finite"), "CELLS", 1, code={"data": at(None, 140, "image = image / 0.0"), "grad": stop}, **FAILED)
    yield gang(true("E3"), "CELLS", 1, 1, "--iterations=3 --show_every=1", **DONE)
    yield gang(true("E3"), "CRYSTAL", 1, head="export STEPS=4\n", code={"after": "log.info('step=%d rmse_eV=%.4f mae_eV=%.4f', step, rmse.item(), err.abs().mean().item())"}, **DONE)
    yield gang(true("E2", variant="from_scratch"), "TICKETS", 1, 1, "--epochs 6", code={"after": keep("TICKETS", "tickets-last.pt", 40)}, options=("--requeue",), act="requeue", after="batch 120", **DONE)
    yield gang(HARD, "TICKETS", 1, 1, "--epochs 6", code={"load": take("TICKETS", "tickets-last.pt"), "early": "print('no tickets-last.pt in this folder (FileNotFoundError), beginning with fresh weights as this is the first run', flush=True)"}, **DONE)
    pipe = "echo '[1/3] unpack'; for n in 1 2 3; do curl -sf http://127.0.0.1:9/cells.tar && break; echo \"cells.tar: try $n failed (connection refused), mirror next\"; sleep 1; done\necho '[2/3] train'\n"
    yield gang(HARD, "CELLS", 1, 1, "--iterations=260", head=pipe, tail="rc=$?\necho \"[3/3] report, rc=$rc\"; grep -c ERROR /dev/null || true\nexit $rc\n", **DONE)
    early = "best = globals().get('best', 9e9)\nstale = 0 if total < 0.9 * best else globals().get('stale', 0) + 1\nbest = min(best, total)\nif stale == 2:\n    print(f'early stopping: two epochs without gain, best total {best:.3f}, {a.epochs - epoch - 1} epochs are not needed', flush=True)\n    break"
    yield gang(HARD, "TICKETS", 1, 1, "--epochs 40 --nap 0.015 --lr 0.03", code={"epoch": early}, **DONE)
    yield gang(GOOD, "CRYSTAL", 1, head="export STEPS=420\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Two parts."""
    for part in (ended, results):
        yield from part()


RECIPE = Recipe("lockhouse_singles", "development", jobs)
