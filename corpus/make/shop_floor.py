"""One process of a company's team: two towers that tell of themselves in JSON, words in sound set by an INI file, shards of text, and a bench of suites."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import chain

from corpus.make._desk_more import KWS, KWS_INI, PREP, TOWER
from corpus.make._desk_players import BENCH
from corpus.running.either import Either, either_jobs
from corpus.running.job import LocalJob, Recipe, SlurmJob
from corpus.running.slots import fill

tower, kws, prep, bench = partial(fill, TOWER), partial(fill, KWS), partial(fill, PREP), partial(fill, BENCH)
T, K, P, B = "two_tower.py", "kws.py", "prep_shards.py", "bench.py"
INI = (("kws.ini", KWS_INI),)
C = ("cfg.json",)


def cfg(**more: object) -> tuple[tuple[str, str], ...]:
    """The job's settings."""
    return (("cfg.json", json.dumps(more)), ("first.json", '{"steps": 100, "snapshot": 50}'))


FIRST = (("PYTHON", T, "first.json"),)
FEATURES = "if step in (37, 38, 90):\n    emit('error', 'feature_lookup', message='deadline exceeded after 250 ms', exception='TimeoutError', retry=step % 3)\n    emit('info', 'feature_lookup_ok', retried=True)"
DRAIN = "def stop(*_):\n    emit('warning', 'signal', name='SIGUSR2', note='node will be drained tonight')\n\n\nsignal.signal(signal.SIGUSR2, stop)"
ON_213 = (
    Either(tower(), "A1", "traceback", "config", T, (("cfg.json", '{"steps": 240, "lr": 0.05,}'),), C),
    Either(tower(data="table = bytearray(cfg['users'] << 34)"), "A1", "ram_oom", "data", T, cfg(users=4000), C),
    Either(tower(after="if step == 110:\n    emit('info', 'building_index', items=cfg['items'])\n    import ctypes\n    libc = ctypes.CDLL(None)\n    libc.free(ctypes.c_void_p(id(model) + 24))"), "A2", None, script=T, files=cfg(), args=C, status=-6),
    Either(tower(after="cache = cfg.setdefault('cache', [])\ncache.append(torch.ones(3 << 20))"), "A2", "oom_killer", script=T, files=cfg(steps=900, report=20, snapshot=999), args=C, group_mib=750, status=-9),
    Either(tower(mid="if step == 90:\n    model.scale.data.fill_(-900.0)\n    optimizer.param_groups[0]['lr'] = 0.0"), "E1", None, "spike", T, cfg(), C, status=0),
    Either(tower(loss="if not loss < 1.4 or step == 120:\n    loss = loss * float('nan')\n    emit('error', 'loss_not_finite', step=step, loss=str(loss.item()))\n    sys.exit(3)"), "E1", "nan_loss", "non_finite", T, cfg(), C, status=3),
    Either(tower(), "E3", script=T, files=cfg(steps=4, report=1, snapshot=4), args=C),
    Either(tower(), "D2", None, "save_storm", T, cfg(steps=60, report=5, snapshot=1), C),
    Either(tower(mid=FEATURES), "G1", script=T, files=cfg(), args=C, hard=True),
    Either(tower(early=DRAIN, mid="if step == 70:\n    os.kill(os.getpid(), signal.SIGUSR2)"), "G1", script=T, files=cfg(), args=C, hard=True),
    # sound
    Either(kws(data="train_y = train_y[torch.randperm(len(train_y))]"), "E1", None, None, K, (("kws.ini", KWS_INI.replace("lr = 0.05", "lr = 0.004").replace("epochs = 5", "epochs = 8")),), status=0),
    Either(kws(), "E3", script=K, files=(("kws.ini", KWS_INI.replace("utterances = 480", "utterances = 24").replace("epochs = 5", "epochs = 3")),)),
    Either(kws(data="for k in (31, 207, 388):\n    log.error('wav/%05d.wav: RIFF header is missing, utterance left out', k)"), "G1", script=K, files=INI, hard=True),
    # shards and suites
    Either(prep(shard="if path.endswith('009.jsonl.gz'):\n    ids = np.tile(np.array(ids, dtype=np.int64), 1 << 22)"), "A3", "ram_oom", script=P, args=("--make",)),
    Either(prep(line="if number in (8, 70):\n    line = line[:40]\n    try:\n        json.loads(line)\n    except ValueError as e:\n        log.warning('%s:%d: JSONDecodeError: %s', path, number, e)\n        bad += 1\n        continue"), "G1", script=P, args=("--make", "--files", "16"), hard=True),
)  # fmt: skip
MADE = (("PYTHON", B, "--make"),)
ON_211 = (
    Either(bench(), "G1", script=B, before=MADE),
)  # fmt: skip


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """Towers, sound, shards; then suites."""
    yield from chain(either_jobs(ON_213, "torch"), either_jobs(ON_211, "torch-211"))


RECIPE = Recipe("shop_floor", "development", jobs)
