"""Companies of PyTorch ranks of which one stops, or all do: before the first step, in the midst of training, or by a signal."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stands import crew
from corpus.make._troupes import only
from corpus.running.job import Recipe, SlurmJob

FAILED = "FAILED"


def label(mode: str, cause: str | None, first: int | None, variant: str | None = None, fault: str = "user") -> Label:
    """Which rank failed first, unless all did."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=() if first is None else (first,))


def at_the_start() -> Iterator[SlurmJob]:
    """A1."""
    read = "import json\nsplits = json.load(open('data/blobs/annotations/train.json'))"
    yield crew(label("A1", "file_not_found", None, "data"), "SEG", 2, places={"before": read}, state=FAILED)
    scratch = only(2, None, "cache = os.path.join(os.environ['NODE_SCRATCH'], 'features')")
    yield crew(label("A1", "traceback", 2, "env"), "ASR", 3, how="srun", launch={"srun": "-K"}, places={"early": scratch + "\ndist.barrier()"}, state=FAILED)
    cut = "tensor_parallel = 3\nassert world % tensor_parallel == 0, f'world size ({world}) is not divisible by tensor model parallel size ({tensor_parallel})'"
    yield crew(label("A1", "assertion", None, "config"), "GPT", 4, 2, places={"before": cut}, state=FAILED)
    yield crew(label("A1", "missing_module", None, "env"), "DET", 3, places={"top": "from pycocotools.coco import COCO"}, state=FAILED)
    yield crew(label("A1", "permission", 1, "config"), "CLIP", 2, 2, "srun", launch={"srun": "--kill-on-bad-exit=1"}, places={"early": only(1, None, "os.makedirs('/usr/share/clip-logs/run1')") + "\ndist.barrier()"}, state=FAILED)
    yield crew(label("A1", "runtime_error", None, "config"), "VIT", 2, places={"early": only(1, None, "net[3] = nn.Linear(72, 4)  # this node has the list with four classes")}, state=FAILED)
    yield crew(label("A1", "file_not_found", None, "asset"), "EACH", 3, how="srun", places={"early": "tower.load_state_dict(torch.load('/datasets/towers/tower-v3.pt', weights_only=True))"}, state=FAILED)
    yield crew(label("A1", "ram_oom", 0, "data"), "ZERO", 3, places={"early": only(0, None, "corpus = torch.zeros(2_900_000_000, 4096)") + "\ndist.barrier()"}, state=FAILED)
    yield crew(label("A1", "div_zero", None, "config"), "GAN", 2, how="spawn", places={"before": "experts = int(os.environ.get('EXPERTS', 0))\nshare = world // experts"}, state=FAILED)
    yield crew(label("A1", None, None, "config"), "SEG", 2, launch={"args": "--max_iter=200"}, state=FAILED)
    yield crew(label("A1", "traceback", None), "DET", 2, 2, places={"early": "import json\nsettings = json.load(open('boxes.json'))"}, files={"boxes.json": "{\"classes\": 2,\n \"anchors\": [16, 32, 64,],\n}\n"}, state=FAILED)
    yield crew(label("A1", "traceback", 3, "config"), "EACH", 4, 2, "srun", launch={"srun": "-l --kill-on-bad-exit"}, places={"early": only(3, None, "tower = torch.nn.Linear(8, 1, biais=False)") + "\ndist.barrier()"}, state=FAILED)
    yield crew(label("A1", "traceback", None, "asset"), "VIT", 3, python="torch", places={"early": "backbone = torch.hub.load_state_dict_from_url('http://127.0.0.1:9/vit_tiny-1a2b.pth')"}, state=FAILED)


def in_the_midst() -> Iterator[SlurmJob]:
    """A3."""
    bad = "if index == 1187:\n    raise IndexError(f'blobs_{index:05d}: contour has 2 points, at least 3 are needed')"
    yield crew(label("A3", "traceback", None), "SEG", 4, 2, places={"item": bad, "workers": 1, "shuffle": False, "pause": 0.02, "total": 900}, state=FAILED)
    yield crew(label("A3", "traceback", 1), "ASR", 3, how="srun", launch={"srun": "-K"}, places={"mid": only(1, 73, "lexicon = {'aa': 0, 'ae': 1}\ntarget = lexicon['axr']")}, state=FAILED)
    yield crew(label("A3", "traceback", 2), "GPT", 4, python="torch", places={"mid": only(2, 61, "x[1, 7] = 24")}, state=FAILED)
    yield crew(label("A3", "file_not_found", 0), "DET", 2, 2, "srun", launch={"srun": "--wait=20"}, places={"mid": only(0, 88, "raw = open('images/val2017/000000000139.jpg', 'rb').read()")}, state=FAILED)
    yield crew(label("A3", "permission", 0), "CLIP", 3, places={"after": only(0, 80, "torch.save(visual.state_dict(), '/usr/lib/clip/epoch_1.pt') if os.path.isdir('/usr/lib/clip') else open('/usr/lib/clip-epoch_1.pt', 'wb')")}, state=FAILED)
    yield crew(label("A3", "div_zero", 1), "VIT", 3, places={"after": only(1, 70, "seen = 0\naccuracy = 100 * int((output.argmax(1) == y).sum()) / seen"), "total": 200}, state=FAILED)
    yield crew(label("A3", "runtime_error", 3), "EACH", 4, 2, "srun", launch={"srun": "--label --wait=15"}, places={"mid": only(3, 97, "x = x[:31]  # the last of the epoch is short")}, state=FAILED)
    twice = only(None, 60, "s, _ = self.model(x)\nnn.functional.cross_entropy(s, y).backward()")
    yield crew(label("A3", "runtime_error", None), "DET", 2, places={"mid": twice}, state=FAILED)
    yield crew(label("A3", "device_mismatch", 1), "EACH", 2, python="torch", places={"mid": only(1, 66, "y = y + torch.zeros(32, device='meta')")}, state=FAILED)
    yield crew(label("A3", "runtime_error", None), "GAN", 2, how="spawn", places={"after": only(None, 75, "loss.backward()")}, state=FAILED)
    yield crew(label("A3", "missing_module", 0), "DET", 3, places={"after": only(0, 100, "logging.getLogger('evaluation').info('Start inference on 40 batches')\nfrom pycocotools.cocoeval import COCOeval")}, state=FAILED)
    yield crew(label("A3", "ram_oom", 2), "ZERO", 3, how="srun", launch={"srun": "-K"}, places={"mid": only(2, 84, "logits = torch.empty(128, 8192, 8192, 2048)")}, state=FAILED)
    yield crew(label("A3", "traceback", 1), "CLIP", 2, 2, places={"mid": only(1, 55, "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/shards/00055.tar', timeout=5)")}, state=FAILED)
    yield crew(label("A3", "assertion", 2), "ZERO", 4, 2, "srun", launch={"srun": "-K -u"}, python="torch", places={"mid": only(2, 92, "lengths = [16, 15]\nassert len(set(lengths)) == 1, f'rank {rank}: ragged batch {lengths}'")}, state=FAILED)


def by_signals() -> Iterator[SlurmJob]:
    """A2."""
    fault = "import ctypes\nctypes.cast(16, ctypes.POINTER(ctypes.c_double)).contents.value"
    yield crew(label("A2", "segfault", 1), "SEG", 3, places={"mid": only(1, 71, fault)}, state=FAILED)
    yield crew(label("A2", "segfault", 0), "CLIP", 2, 2, "srun", launch={"srun": "-K"}, places={"top": "import faulthandler\nfaulthandler.enable()", "mid": only(0, 64, fault)}, state=FAILED)
    yield crew(label("A2", "segfault", 2), "EACH", 3, python="torch", places={"early": only(2, None, fault) + "\ndist.barrier()"}, state=FAILED)
    yield crew(label("A2", None, 1), "VIT", 2, places={"mid": only(1, 60, "os.abort()")}, state=FAILED)
    mapped = "import mmap\nwith open('tokens.bin', 'wb') as out:\n    out.truncate(1 << 20)\nview = mmap.mmap(os.open('tokens.bin', os.O_RDWR), 1 << 20)\nos.truncate('tokens.bin', 0)\nview[4096]"
    yield crew(label("A2", None, 0), "GPT", 2, how="srun", launch={"srun": "-K"}, places={"mid": only(0, 77, mapped)}, state=FAILED)
    pid = only(1, None, "open('pid-1', 'w').write(str(os.getpid()))")
    yield crew(label("A2", None, 1, fault="unknown"), "ASR", 2, places={"early": pid, "total": 4000}, act="kill_rank", after='"num_updates": "60"', state=FAILED)
    yield crew(label("A2", None, 1, fault="unknown"), "ZERO", 4, 2, "srun", launch={"srun": "-K"}, places={"early": pid, "total": 4000}, act="kill_rank", after="steps: 60", state=FAILED)
    yield crew(label("A2", None, 1, fault="unknown"), "GAN", 3, how="spawn", places={"early": pid, "total": 4000}, act="kill_rank", after='"step": 60', state=FAILED)


def out_of_memory() -> Iterator[SlurmJob]:
    """A2: what the job was granted is used up, and the kernel takes one of its processes."""
    hold = "globals().setdefault('replay', []).append(torch.ones(6_000_000 + step))"
    for number, (name, ranks, how, rank) in enumerate((("EACH", 2, "torchrun", 1), ("ASR", 2, "srun", 0), ("GAN", 2, "spawn", 1), ("VIT", 3, "torchrun", 0))):
        more: dict[str, Any] = {"launch": {"srun": "-K"}} if how == "srun" else {}
        yield crew(label("A2", "oom_killer", rank), name, ranks, 1, how, options=(f"--mem={1500 + 300 * ranks}M",), where="", bed="cgroup", python="torch", places={"mid": only(rank, 25 + 5 * number, hold, since=True), "total": 2000}, **more)


def jobs() -> Iterator[SlurmJob]:
    """Four parts."""
    yield from at_the_start()
    yield from in_the_midst()
    yield from by_signals()
    yield from out_of_memory()


RECIPE = Recipe("parties_cut_short", "development", jobs)
