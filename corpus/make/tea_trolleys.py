"""Jobs of one process that a shell script starts: a kitchen radio's words and pairs of addresses, under gpualert-run."""

import json
from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._tea_leaves import ADDRESSES, RADIO
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

K, H = "kws.py", "houses.py"
HEARD = (("PYTHON", K, "--epochs", "3"),)
HEAD = "#!/bin/bash\n#SBATCH --job-name=kws --gres=gpu:1 --time=04:00:00 --output=logs/%x-%j.out\nset -euo pipefail\necho \"== $(date -u '+%F %T') kitchen radio, as $USER in $PWD\"\n"
TAIL = "echo \"== $(date -u '+%F %T') end\"\n"


def radio(label: Label, given: str = "", *, more: dict[str, Any] | None = None, first: str = "", last: str = "", text: str = RADIO, **codes: str) -> LocalJob:
    """The radio's words."""
    own = dict(more or {})
    script = f"{HEAD}{first}\"$1\" {K} {given}\n{last}{TAIL}"
    return alone(label, fill(text, **codes), K, python="shelf", command=("bash", "train_kws.sh", "PYTHON"), files={"train_kws.sh": script, **own.pop("files", {})}, **own)


def houses(label: Label, more: dict[str, Any] | None = None, text: str = ADDRESSES, codes: dict[str, str] | None = None, **settings: Any) -> LocalJob:
    """Addresses."""
    own = dict(more or {})
    env = {**own.pop("env", {}), **({"HOUSES": json.dumps(settings)} if settings else {})}
    return alone(label, fill(text, **(codes or {})), H, python="shelf", env=env, **own)


TRAINED = (("env", 'HOUSES={"steps": 150}', "PYTHON", H),)
PROBE = "nvidia-smi -L || echo 'nvidia-smi: not on this node, device list skipped'\nls /scratch/$USER/cache 2>&1 || true\n"
SOX = "if epoch == 4:\n    os.write(2, b'sox WARN dither: dither clipped 3 samples; decrease volume?\\nsox FAIL formats: can\\'t open input file `clip_0331.wav\\': WAVE: RIFF header not found\\n')\n    tqdm.write('clip_0331 could not be decoded and was replaced by silence (1 of 768)')"
SMALLER = "if epoch == 1:\n    try:\n        torch.empty(10**13)\n    except RuntimeError as err:\n        tqdm.write(f'{type(err).__name__}: {err}'.splitlines()[0][:160])\n        tqdm.write('cannot hold all augmentations in memory, they are made batch by batch')"
SHOWN = "cat kws.py | head -70\n"
VENV = "source \"$HOME/envs/kws-gpu/bin/activate\"\n"
MODULES = "module purge\nmodule load cuda/12.4 sox\n"
CUDA = "device = torch.device('cuda')\nprobe = torch.zeros(1).to(device)"
SIX = "from torch._six import string_classes"
ADAMW = "from transformers import AdamW"
MELS = "stats = np.load('cmvn.npz')['mean']"
LABELS = "with open('words.txt') as f:\n    WORDS = {line.split()[1]: int(line.split()[0]) for line in f}"
TEACHER = "teacher = torch.load('/shared/models/wav2vec2_small/teacher.pt')"
CONF = "if epoch == 5:\n    worst = {'louder': 0.71, 'next': 0.93}\n    tqdm.write(f\"worst word: {worst['<other>']:.2f}\")"
CSV = "if epoch == 4:\n    with open('results/dev.csv', 'a') as f:\n        f.write(f'{epoch},{dev},{acc}\\n')"
LENGTHS = "if epoch == 3 and n == 9:\n    frames = frames[:, :, :13]"
TAPE = "if epoch > 1:\n    globals().setdefault('tape', []).append(frames.repeat(150, 1, 1) + 0.0)"
DECODER = "if epoch == 4 and n == 7:\n    tqdm.write('libmad: decoding the long recording')\n    import ctypes\n    ctypes.string_at(0x20)"
NANS = "if epoch >= 4:\n    loss = loss + 0.1 * torch.log(net.out.weight.min())"
WILD = "if epoch >= 6:\n    adam.param_groups[0]['lr'] = 8.0"
SHUFFLED = "words = torch.randint(0, len(WORDS), words.shape)"
ZEROS = "if epoch == 5:\n    net.out.weight.data.zero_()\n    net.out.bias.data.zero_()\nif epoch >= 5:\n    adam.param_groups[0]['lr'] = 0.0"
OPUS = "t1 = time.time()\ntime.sleep(0.35)\nwait = globals().get('wait', 0.0) + time.time() - t1\nif n % 8 == 0:\n    tqdm.write(f'  data_time={wait:.1f}s of {time.time() - began:.1f}s (decoding opus, 0 workers)')"
FLASH = "t1 = time.time()\nwith open(f'{hp.exp}/step.tmp', 'wb') as f:\n    torch.save({'net': net.state_dict(), 'adam': adam.state_dict(), 'buffer': torch.randn(15_000_000)}, f)\n    f.flush()\n    os.fsync(f.fileno())\nos.replace(f'{hp.exp}/step.tmp', f'{hp.exp}/step.pt')\ntook = globals().get('took', 0.0) + time.time() - t1\ntqdm.write(f'saved {hp.exp}/step.pt after batch {n} of epoch {epoch} in {time.time() - t1:.2f} s; saves so far {took:.1f} s of {time.time() - began:.1f} s')"
SOUND = "if epoch == 3 and n == 11:\n    tqdm.write('waiting for the sound server')\n    import signal\n    signal.sigwait({signal.SIGUSR2})"
CLEAN = "names = [n for n in os.listdir(hp.exp) if n.endswith('.ckpt')]\nif 'last.ckpt' not in names:\n    tqdm.write(f'--resume: no last.ckpt in {hp.exp} (there: {sorted(names)}), starting with epoch 1')\n    hp.resume = False\nif hp.resume:"
BODY = RADIO[RADIO.index("    names = sorted(n for n in os.listdir(hp.exp)") : RADIO.index("began = time.time()")]
LASTONLY = RADIO.replace("    #: resume\n" + BODY, "    #: resume\n" + "".join(f"    {line}\n" for line in BODY.splitlines()))

POST = "if step == 250:\n    print('warning: postcode service answered 500 Internal Server Error, 14 pairs keep their old code')\nif step == 300:\n    print('postcode service answered, nan=0 missing=0 failed=0')"
LATER = "import atexit\nimport socket\n\n\ndef report():\n    socket.create_connection(('127.0.0.1', 9), timeout=1)\n\n\natexit.register(report)"
BROKEN = "with open('pairs.jsonl') as f:\n    for line in f:\n        row = json.loads(line)\n        left.append([ord(c) % 128 for c in row['a'].ljust(22)[:22]])"
FAR = "if step == 320:\n    assert d.max() < 1.0, f'distance {d.max():.3f} outside of the unit ball'"
EMPTY = "if step == 400:\n    rural = [s for s in STREETS if 'Farm' in s]\n    print('pairs per rural street', len(A) / len(rural))"
GIANT = "if step == 330:\n    everyone = torch.cdist(torch.zeros(900_000, 16), torch.zeros(900_000, 16))"
STORE = "if step % 2 == 0:\n    t1 = time.time()\n    torch.save({'encoder': encoder.state_dict(), 'optimizer': optimizer.state_dict(), 'step': step, 'index': torch.rand(8_000_000)}, f\"{P['dir']}/roll{step % 6}.pt\")\n    with open(f\"{P['dir']}/roll{step % 6}.pt\", 'rb') as f:\n        os.fsync(f.fileno())\n    saving = globals().get('saving', 0.0) + time.time() - t1\n    print(f\"checkpoint={P['dir']}/roll{step % 6}.pt step={step} took={time.time() - t1:.2f} total_save_s={saving:.1f} total_s={time.time() - t0:.1f}\")"
PIPES = "if step == 350:\n    print('opening the results fifo')\n    os.mkfifo('results.fifo')\n    open('results.fifo', 'w')"
HUGE = "if step > 300:\n    for w in encoder.parameters():\n        w.data.mul_(1.03 if w.abs().max() < 1e4 else 1.0)"


def radios() -> Iterator[LocalJob]:
    """The radio's words."""
    yield radio(GOOD, "--epochs 12")
    yield radio(GOOD, "--epochs 10 --cell 48 --noise 1.6 --seed 4", last="ls -1 exp/kws01 | tail -n 3\n")
    yield radio(HARD, "--epochs 9", first=PROBE)
    yield radio(HARD, "--epochs 9 --seed 8", epoch=SOX)
    yield radio(HARD, "--epochs 8 --lr 0.003", first=SHOWN, epoch=SMALLER)
    yield radio(HARD, "--epochs 200 --patience 3 --noise 1.8")
    yield radio(HARD, "--epochs 9 --resume", more={"before": HEARD})
    yield radio(fell("A1", None, "env"), "--epochs 40", first=MODULES, more={"ends": lambda s: s == 127})
    yield radio(fell("A1", "file_not_found", "env"), "--epochs 40", first=VENV)
    yield radio(fell("A1", "missing_module", "env"), "--epochs 40", early=SIX)
    yield radio(fell("A1", "traceback", "env"), "--epochs 40", early=ADAMW)
    yield radio(fell("A1", "assertion", "env"), "--epochs 40", early=CUDA)
    yield radio(fell("A1", None, "config"), "--epochs 40 --batch-size 64")
    yield radio(fell("A1", "file_not_found", "data"), "--epochs 40", early=MELS)
    yield radio(fell("A1", "traceback", "data"), early=LABELS, more={"files": {"words.txt": "0 louder\n1 quieter\n2\n3 stop\n"}})
    yield radio(fell("A1", "file_not_found", "asset"), "--epochs 40", early=TEACHER)
    yield radio(fell("A3", "traceback"), "--epochs 90", epoch=CONF)
    yield radio(fell("A3", "file_not_found"), "--epochs 90", epoch=CSV)
    yield radio(fell("A3", "runtime_error"), "--epochs 90", batch=LENGTHS)
    yield radio(fell("A2", "segfault"), "--epochs 90", step=DECODER, more={"ends": lambda s: s == 139})
    yield radio(fell("A2", "oom_killer"), "--epochs 90", step=TAPE, more={"group_mib": 900, "ends": lambda s: s == 137})
    yield radio(strays("non_finite", "nan_loss"), "--epochs 9", loss=NANS)
    yield radio(strays("spike"), "--epochs 14", batch=WILD)
    yield radio(strays("flat"), "--epochs 28 --clips 480 --lr 0.001", batch=SHUFFLED)
    yield radio(strays("plateau"), "--epochs 16", batch=ZEROS)
    yield radio(STARVED, "--epochs 2 --lr 0.006", batch=OPUS)
    yield radio(SAVES, "--epochs 5", step=FLASH)
    yield radio(fell("E2", "runtime_error", "size_mismatch"), "--epochs 40 --resume --cell 64", more={"before": HEARD})
    yield radio(fell("E2", "file_not_found", "no_valid_checkpoint"), "--epochs 40 --resume --exp exp/kws02")
    yield radio(anew(), "--epochs 9 --resume", text=LASTONLY, resume=CLEAN, more={"before": HEARD})
    yield radio(HANDFUL, "--epochs 1 --max-batches 3 --exp exp/kws_release")
    yield radio(STANDS, "--epochs 9000", step=SOUND, more={"timeout_s": 40})
    yield radio(HALTED, "--epochs 9000", step="time.sleep(0.04)", more={"signal": ctrl_c(r"^epoch 5: train", "TERM", 0.6)})


def addresses() -> Iterator[LocalJob]:
    """Addresses."""
    yield houses(GOOD)
    yield houses(GOOD, steps=500, dim=24, seed=9)
    yield houses(HARD, steps=520, codes={"step": POST})
    yield houses(HARD, steps=480, codes={"early": LATER})
    yield houses(HARD, steps=400, start="houses/s150.pt", dir="houses_wales", lr=0.001, more={"before": TRAINED})
    yield houses(fell("A1", "traceback", "data"), steps=9000, codes={"pairs": BROKEN}, more={"files": {"pairs.jsonl": '{"a": "4 Mill Lane", "b": "4, Mill Ln"}\n{"a": "12 Abbey Rd" "b": "12 Abbey Road"}\n'}})
    yield houses(fell("A1", "traceback", "config"), more={"env": {"HOUSES": "{'steps': 900}"}})
    yield houses(fell("A3", "assertion"), steps=90000, codes={"step": FAR})
    yield houses(fell("A3", "div_zero"), steps=90000, codes={"step": EMPTY})
    yield houses(fell("A3", "ram_oom"), steps=90000, codes={"step": GIANT}, more={"memory_mib": 20000})
    yield houses(strays("spike"), steps=700, codes={"batch": HUGE})
    yield houses(SAVES, steps=560, codes={"step": STORE})
    yield houses(fell("E2", "file_not_found", "no_valid_checkpoint"), steps=900, resume="houses/s450.pt", more={"before": TRAINED})
    yield houses(fell("E2", "traceback", "corrupt"), steps=900, resume="houses/s150.pt", more={"before": (*TRAINED, ("bash", "-c", ": > houses/s150.pt"))})
    yield houses(HANDFUL, steps=4, say=1, dir="houses_delivery")
    yield houses(STANDS, steps=900000, codes={"step": PIPES}, more={"timeout_s": 38})
    yield houses(LATE, steps=900000, codes={"step": "time.sleep(0.02)"}, more={"timeout_s": 27})
    yield houses(HALTED, steps=900000, codes={"step": "time.sleep(0.02)"}, more={"signal": ctrl_c(r"^step=420 ")})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from radios()
    yield from addresses()


RECIPE = Recipe("tea_trolleys", "development", jobs)
