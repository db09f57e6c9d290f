"""One process of trainers that companies and labs built for themselves: JSON events, hooks and a storage, a translation toolkit, a flow matcher with a table."""

import json
from functools import partial
from typing import Any

from corpus.make._guild_crafts import FLOW, NMT
from corpus.make._guild_halls import EVENTS, HOOKS, HOOKS_CFG
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

events, hooks, nmt, flow = partial(fill, EVENTS), partial(fill, HOOKS), partial(fill, NMT), partial(fill, FLOW)
E, H, N, W = "ranker.py", "train_keypoints.py", "nmt_train.py", "flow.py"
KP = ("--config-file", "configs/kp.py")
KP_FILE = (("configs/kp.py", HOOKS_CFG),)
REV = (("PYTHON", N, "-train_steps", "200"),)


def conf(**more: Any) -> tuple[tuple[str, str], ...]:
    """The configuration as a file."""
    return (("conf/ranker.json", json.dumps(more, indent=1)),)


C = ("conf/ranker.json",)
RETRY = "if step in (60, 61, 170):\n    for attempt in (1, 2, 3):\n        try:\n            raise TimeoutError('feature-store: deadline exceeded after 200 ms')\n        except TimeoutError as error:\n            emit('feature_fetch_failed', lvl='ERROR', error=f'{type(error).__name__}: {error}', stack=traceback.format_exc(), attempt=attempt)\n    emit('feature_fetch_fallback', lvl='WARN', using='cache')"
SPARE = "try:\n    raise RuntimeError('CUDA out of memory. Tried to allocate 3.00 GiB (GPU 0; 23.69 GiB total capacity; 21.02 GiB already allocated)')\nexcept RuntimeError as e:\n    say.warning('%s', e)\n    cfg.IMS_PER_BATCH //= 2\n    say.warning('IMS_PER_BATCH halved to %d', cfg.IMS_PER_BATCH)"
PART = "if step == 240:\n    log('Corrupted shard train.3.pt (unexpected EOF), 1 of 40 shards ignored', 'ERROR')\nif step in (90, 260):\n    log('Exception in background upload thread: ConnectionResetError(104, \\'Connection reset by peer\\')', 'WARNING')"
SCRIPTS = (
    Either(events(), "A1", "traceback", "config", E, conf(steps=200, bacth=64), C, status=70),
    Either(hooks(), "A1", "permission", "config", H, (("configs/kp.py", HOOKS_CFG.replace("output/kp", "/var/lib/keypoints")),), KP),
    Either(nmt(), "A1", "file_not_found", "asset", N, args=("-src_vocab", "vocab/rev.30k.txt")),
    Either(flow(early="base.workers = 4"), "A1", "traceback", "config", W),
    Either(events(evaluated="if step == 200:\n    floor = json.load(open(f\"{cfg['out']}/baseline.json\"))['logloss']"), "A3", "file_not_found", script=E, files=conf(), args=C, status=70),
    Either(hooks(data="if self.storage.iter == 170:\n    xy = xy[:-1]"), "A3", "runtime_error", script=H, files=KP_FILE, args=KP),
    Either(nmt(saved="if step == 400:\n    os.rename(path, '/usr/share/rev_final.pt')"), "A3", "permission", script=N, args=("-train_steps", "600")),
    Either(flow(epoch="if epoch == 6:\n    cfg.train.lr_drop_at = 8"), "A3", "traceback", script=W),
    Either(nmt(mid="if step == 330:\n    model.generator.to('meta')"), "A3", "device_mismatch", script=N, status=None),
    Either(hooks(mid="if it == 140:\n    import faulthandler, ctypes\n    faulthandler.enable()\n    ctypes.string_at(8)"), "A2", "segfault", script=H, files=KP_FILE, args=KP, status=-11),
    Either(events(after="if step > 120:\n    keep = globals().setdefault('keep', [])\n    keep.append(torch.ones(4 << 20))"), "A2", "oom_killer", script=E, files=conf(steps=4000, pause=0.02), args=C, group_mib=1000, status=-9),
    Either(events(mid="if step == 180:\n    for g in opt.param_groups:\n        g['lr'] = 25.0"), "E1", None, None, E, conf(steps=400), C, status=0),
    Either(hooks(mid="if it > 160:\n    image = image * float('inf')"), "E1", "nan_loss", "non_finite", H, KP_FILE, KP, status=0),
    Either(nmt(), "E1", None, "flat", N, args=("-learning_rate", "0", "-train_steps", "500"), status=0),
    Either(hooks(), "E2", "file_not_found", "no_valid_checkpoint", H, KP_FILE, (*KP, "--resume")),
    Either(nmt(), "E2", "runtime_error", "size_mismatch", N, args=("-train_from", "m/rev_step_200.pt", "-rnn_size", "64"), before=REV),
    Either(flow(), "E2", "runtime_error", "corrupt", W, args=("ckpt.load=flow_ckpt/epoch005.pt",), before=(("PYTHON", W, "train.epochs=5"), ("bash", "-c", "head -c 700 /dev/zero > flow_ckpt/epoch005.pt"))),
    Either(events(), "E3", script=E, files=conf(steps=5, report_every=1, eval_every=5, ckpt_every=5), args=C),
    Either(flow(), "E3", script=W, args=("train.epochs=1", "train.iters=3")),
    Either(nmt(saved="with open(path, 'ab') as f:\n    f.write(os.urandom(9_000_000)); os.fsync(f.fileno())"), "D2", None, "save_storm", N, args=("-save_checkpoint_steps", "1", "-train_steps", "60", "-report_every", "10", "-keep_checkpoint", "2", "-valid_steps", "30")),
    Either(hooks(), "D2", None, "save_storm", H, KP_FILE, (*KP, "CHECKPOINT_PERIOD=1", "MAX_ITER=160")),
    Either(events(mid=RETRY), "G1", script=E, files=conf(), args=C, hard=True),
    Either(events(), "G1", script=E, files=conf(steps=500, restore="artifacts/ranker-000300.pt"), args=C, before=(("PYTHON", E),), hard=True),
    Either(hooks(early=SPARE), "G1", script=H, files=KP_FILE, args=KP, hard=True),
    Either(nmt(mid=PART), "G1", script=N, args=("-train_steps", "700"), hard=True),
    Either(flow(epoch="if epoch == 4:\n    logger.error('evaluation server returned 500, metrics of epoch 4 are lost')"), "G1", script=W, hard=True),
    Either(flow(), "G1", script=W, args=("train.epochs=150", "train.iters=20", "ckpt.every=50"), hard=False),
    Either(nmt(), "G1", script=N, args=("-train_steps", "1400", "-report_every", "5", "-valid_steps", "700", "-save_checkpoint_steps", "700")),
)  # fmt: skip
RECIPE = Recipe("guild_hall_ledgers", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
