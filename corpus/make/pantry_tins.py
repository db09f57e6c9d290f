"""Jobs of one process over the Trainer of transformers 4.56: a hotline's intents, under gpualert-run."""

import json
from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._pantry_words import INTENTS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

N = "run_intents.py"
S = "settings.json"
BEFORE = (("PYTHON", N, S, "epochs=2"),)


def call(label: Label, *given: str, more: dict[str, Any] | None = None, conf: dict[str, Any] | None = None, text: str = INTENTS, **codes: str) -> LocalJob:
    """One of them."""
    own = dict(more or {})
    return alone(label, fill(text, **codes), N, S, *given, python="shelf", files={S: json.dumps(conf or {"epochs": 4}, indent=2), **own.pop("files", {})}, **own)


WORDS = "import logging, warnings\nlogging.warning('gpu_mem probe: nvidia-smi not found, memory column stays empty')\nwarnings.warn('label noise: 14 calls were rejected by two annotators (error code 7)')"
SENDS = "if step in (40, 140):\n    import traceback, urllib.request\n    try:\n        urllib.request.urlopen('http://127.0.0.1:9/api/runs', timeout=1)\n    except OSError:\n        traceback.print_exc()\n        print('tracking server cannot be reached, metrics stay in trainer_state.json')"
SELF = "print('--- source of this run ---')\nprint(open(__file__).read()[-900:])\nprint('--- end of source ---')"
READ = "lines = open('calls.jsonl').read().splitlines()\nfor line in lines:\n    row = json.loads(line)\n    train.rows.append({'input_ids': row['ids'], 'labels': INTENTS.index(row['intent'])})"
LABEL = "if n == 801 and 'seen' in globals():\n    row['labels'] = 6"
RARE = "if step == 130:\n    rare = [r for r in dev.rows if r['labels'] == 5 and len(r['input_ids']) > 30]\n    print('mean length of long calls', sum(len(r['input_ids']) for r in rare) / len(rare))"
META = "if step == 95:\n    import copy\n    teacher = copy.deepcopy(model).to('meta')\n    drift = (teacher.classifier.weight - model.classifier.weight).norm()\n    print(drift.item())"
TABLE = "if step == 120:\n    print('building the nearest-neighbour table over all districts')\n    table = np.ones((600_000, 20_000), dtype=np.float32)"
SECOND = "if step == 110:\n    from hotline_eval import confusion_report\n    confusion_report(model, dev)"
POWER = "if self.state.global_step > 70:\n    loss = loss + 1e-3 * (out.logits.mean() - 1e4).sqrt()"
RAISES = "if step >= 90:\n    for group in optimizer.param_groups:\n        group['lr'] = 3.0"
DETACH = "labels = batch['labels'][torch.randperm(len(rows))]\nbatch['labels'] = torch.randint(0, len(INTENTS), labels.shape)"
DEAD = "if self.state.global_step >= 190:\n    out.logits = out.logits * self.args.weight_decay\n    loss = torch.nn.functional.cross_entropy(out.logits, inputs['labels'])"
BULK = "t1 = time.time()\nwith open(f'{args.output_dir}/checkpoint-{step}/corpus_index.bin', 'wb') as f:\n    f.write(os.urandom(44_000_000))\n    f.flush()\n    os.fsync(f.fileno())\nself.spent = getattr(self, 'spent', 0.0) + time.time() - t1\nprint(f'checkpoint {step}: index written in {time.time() - t1:.2f} s; {self.spent:.1f} of {time.time() - self.t0:.1f} s since the start went into checkpoints')"
LOCK = "if step == 100:\n    print('taking the lock of the shared label store')\n    import fcntl\n    a, b = open('labels.lock', 'w'), open('labels.lock', 'w')\n    fcntl.flock(a, fcntl.LOCK_EX)\n    fcntl.flock(b, fcntl.LOCK_EX)"
NOTHING = "last = [d for d in os.listdir(CONF['out']) if d.startswith('ckpt-')]\nif CONF['resume'] and not last:\n    print(f\"resume: no ckpt-* below {CONF['out']} ({len(os.listdir(CONF['out']))} other entries), training starts from step 0\")\n    CONF['resume'] = None"


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield call(GOOD, conf={"epochs": 5, "hidden": 48})
    yield call(GOOD, "scheduler=cosine", "lr=0.002", conf={"epochs": 4, "logging_steps": 10})
    yield call(HARD, early=WORDS, step=SENDS)
    yield call(HARD, "epochs=3", "lr=0.002", early=SELF)
    yield call(HARD, "patience=3", "epochs=60", "eval_steps=100", "save_steps=100")
    yield call(HARD, "resume=hotline/checkpoint-120", "epochs=4", more={"before": BEFORE})
    yield call(HARD, "start_from=hotline/final", "out=hotline_south", "lr=0.0003", "epochs=2", more={"before": BEFORE})
    yield call(fell("A1", "traceback", "data"), data=READ, more={"files": {"calls.jsonl": '{"ids": [1, 44, 2], "intent": "noise"}\n{"ids": [1, 61, 2], "intent": "noise"\n'}})
    yield call(fell("A1", "traceback", "config"), "batchsize=32")
    yield call(fell("A1", "traceback", "config"), "hidden=50", "heads=4")
    yield call(fell("A1", "traceback", "asset"), "start_from=/models/hf/gbert-hotline-base", conf={"epochs": 3})
    yield call(fell("A3", "div_zero"), "epochs=40", step=RARE)
    yield call(fell("A3", "device_mismatch"), "epochs=40", step=META)
    yield call(fell("A3", "ram_oom"), "epochs=40", step=TABLE, more={"memory_mib": 14000})
    yield call(fell("A3", "missing_module"), "epochs=40", step=SECOND)
    yield call(fell("A3", "traceback"), "epochs=40", item=LABEL, step="if step == 62:\n    globals()['seen'] = True")
    yield call(fell("A2", None, fault="unknown"), "epochs=900", step="time.sleep(0.02)", more={"signal": ctrl_c(r"'epoch': 2\.", "KILL", 0.3, N), "ends": lambda s: s == -9})
    yield call(strays("non_finite", "nan_loss"), loss=POWER)
    yield call(strays("spike"), "scheduler=constant", "lr=0.002", "epochs=5", step=RAISES, text=INTENTS.replace('"scheduler"]', '"scheduler"], max_grad_norm=0.0'))
    yield call(strays("flat"), "epochs=6", batch=DETACH)
    yield call(strays("plateau"), "epochs=9", "scheduler=constant", loss=DEAD)
    yield call(fell("E2", "traceback", "no_valid_checkpoint"), "resume=true", "out=hotline_v2", "epochs=40")
    yield call(fell("E2", "runtime_error", "size_mismatch"), "resume=hotline/checkpoint-120", "hidden=64", "epochs=40", more={"before": BEFORE})
    yield call(anew(), "resume=true", "epochs=4", ready=NOTHING, more={"before": BEFORE})
    yield call(HANDFUL, "max_steps=4", "logging_steps=1", "out=hotline_prod")
    yield call(SAVES, "save_steps=1", "max_steps=130", "lr=0.004", "batch=32", saved=BULK)
    yield call(STANDS, "epochs=900", step=LOCK, more={"timeout_s": 45})
    yield call(LATE, "epochs=900", step="time.sleep(0.03)", more={"timeout_s": 28})
    yield call(HALTED, "epochs=900", step="time.sleep(0.03)", more={"signal": ctrl_c(r"'epoch': 3\.", "TERM")})


RECIPE = Recipe("pantry_tins", "development", jobs)
