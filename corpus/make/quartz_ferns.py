"""Jobs of one process over transformers' Trainer and accelerate: leaflets, rail reports and satellite tiles, under gpualert-run."""

import json
from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._quartz_letters import LEAFLETS, RAIL
from corpus.make._quartz_tiles import TILES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

L, R, T = "pretrain.py", "voies.py", "crops.py"
CONF = {"leaflets": 1600, "width": 48, "hidden": 48, "layers": 2, "batch": 8, "lr": 0.003, "log_every": 20, "save_every": 0, "epochs": 2, "out": "runs/leaf"}


def leaflets(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Package leaflets."""
    own = dict(more or {})
    files = {"leaflets.json": json.dumps(CONF, indent=1) + "\n", **own.pop("files", {})}
    return alone(label, fill(LEAFLETS, **codes), L, "leaflets.json", *given, python="hub-21", files=files, **own)


def rail(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Reports of inspectors."""
    return alone(label, fill(RAIL, **codes), R, *given, python="hub-21", **(more or {}))


def tiles(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Satellite tiles."""
    return alone(label, fill(TILES, **codes), T, *given, python="hub-21", **(more or {}))


PRE = (("PYTHON", L, "leaflets.json", "max_steps=160", "save_every=40"),)
CUT = (*PRE, ("truncate", "-s", "150000", "runs/leaf/checkpoint-160/model.safetensors"))
BARE = (*PRE, ("bash", "-c", "rm runs/leaf/checkpoint-*/trainer_state.json"))
SCRAPED = "texts = list(texts)\nfor n, line in enumerate(open('scraped.jsonl', encoding='utf-8'), 1):\n    try:\n        texts.append(json.loads(line)['body'].lower())\n    except (json.JSONDecodeError, KeyError):\n        log.exception('scraped.jsonl:%d left out', n)\nlog.info('scraped.jsonl: 2 of 5 lines left out, 3 used')\ntexts = [''.join(c for c in t if c in CODE) for t in texts]"
LINES = '{"body": "Take one tablet after a meal."}\n{"body": "Store in a dry place."\n{"title": "Syrup"}\n{"body": "Keep away from children. Error: do not take twice."}\n{"body": "Do not take with alcohol, failure of the liver may follow."}\n'
FLASH = "from flash_attn import flash_attn_func"
SAMPLE = "if step == 260:\n    ended = [t for t in (''.join(LETTERS[i] for i in held.rows[n]) for n in range(12)) if t.endswith('!')]\n    log.info('mean length of finished samples: %.1f', sum(map(len, ended)) / len(ended))"
LONGER = "if getattr(self, 'served', 0) >= 2000:\n    row = torch.cat([self.rows[i], self.rows[i - 1]])[:64]\n    return {'input_ids': row, 'labels': row}\nself.served = getattr(self, 'served', 0) + 1"
PACKED = "import bz2\nt1 = time.time()\nblob = bz2.decompress(PACK)\ntime.sleep(0.05)\nCLOCK[0] += time.time() - t1"
PACKS = "import bz2\nPACK = bz2.compress(os.urandom(40_000))\nCLOCK = [0.0, time.time()]"
WAITS = "log.info('step %d: %.1f s waited for the collator (unpacking archives, 0 workers) of %.1f s since start', step, CLOCK[0], time.time() - CLOCK[1])"
STORED = "if SINCE[1]:\n    SINCE[0] += time.time() - SINCE[1]\n    log.info('checkpoint-%d on disk after %.2f s; %.1f s of %.1f s went into checkpoints', step, time.time() - SINCE[1], SINCE[0], time.time() - SINCE[2])"
STORING = "SINCE[1] = time.time()\nos.sync()\nwith open(os.path.join(conf['out'], 'activations.pt'), 'wb') as f:\n    torch.save(torch.randn(9_000_000), f)\n    f.flush()\n    os.fsync(f.fileno())"
NORMED = "if step >= 300:\n    rows = model.transformer.wte.weight.data\n    rows[step % len(rows)] = 0.0\n    rows /= rows.norm(dim=1, keepdim=True)"
LATEST = "if conf.get('resume') == 'latest':\n    found = sorted(p for p in os.listdir(conf['out']) if p.startswith('checkpoint-'))\n    whole = [p for p in found if os.path.exists(os.path.join(conf['out'], p, 'trainer_state.json'))]\n    if not whole:\n        log.warning('resume=latest: none of %s in %s has a trainer_state.json, training starts at step 0 with new weights', found, conf['out'])\n    conf['resume'] = os.path.join(conf['out'], whole[-1]) if whole else ''"

NOTED = (("PYTHON", R, "--epoques", "3"),)
TRACK = "import logging\nimport urllib.request\ntry:\n    urllib.request.urlopen('http://127.0.0.1:9/api/runs', timeout=2)\nexcept OSError:\n    logging.getLogger('suivi').exception('serveur de suivi injoignable, mesures gardees dans suivi.jsonl')\n    dire(evenement='suivi', mode='hors ligne', erreurs=1, fatal=False)"
GIVEN = "donnees['appris'] += [json.loads(ligne) for ligne in open('ajouts.jsonl')]\nassert max(d['labels'] for d in donnees['appris']) < len(ETATS), f\"etiquette {max(d['labels'] for d in donnees['appris'])} inconnue, il y a {len(ETATS)} etats\""
MORE_ROWS = '{"input_ids": [1, 4, 5, 6, 7, 8, 9, 10, 11, 12], "labels": 2}\n{"input_ids": [1, 4, 5, 6, 7, 8, 9, 10, 11, 12], "labels": 7}\n'
VOCAB = "VOC_OFFICIEL = open('/lustre/projets/voies/vocabulaire-2026.txt', encoding='utf-8').read().split()"
LEVEL = "if entraineur.state.global_step > 150:\n    present = np.bincount(sortie.label_ids, minlength=len(ETATS) + 1)\n    assert present.min() >= 5, f'classe {int(present.argmin())} : {present.min()} exemples de garde, 5 demandes'"
HAND_IN = "if pas >= 120:\n    with open(f'remise/epoque-{epoque}.json', 'w') as f:\n        json.dump({'pas': pas}, f)"
QUEUE = "import queue\nimport threading\nREADY = queue.Queue()\n\n\ndef remplir():\n    for n in range(410):\n        READY.put(n)\n        time.sleep(0.04)\n\n\nthreading.Thread(target=remplir, daemon=True).start()"
SHORT = "adam = torch.optim.AdamW(modele.parameters(), lr=a.taux)\nplan = torch.optim.lr_scheduler.LambdaLR(adam, lambda pas: max(0.0, 1.0 - (pas / 64) ** 2))\nMaison.create_optimizer_and_scheduler = lambda self, num_training_steps: (setattr(self, 'optimizer', adam), setattr(self, 'lr_scheduler', plan))"
THAW = "if pas >= 300:\n    for groupe in optimizer.param_groups:\n        groupe['lr'] = 0.9\n    if pas == 300:\n        dire(evenement='degel', pas=pas, taux=0.9)"
SLOW = "time.sleep(0.05)"

SEEN = (("PYTHON", T, "--steps", "300"),)
CLOUD = "if step == 260:\n    logger.warning('tile server: HTTP 503 Service Unavailable for s2/31UFU, attempt 1 of 4')\nif step == 280:\n    logger.warning('tile server: read timed out for s2/31UFU, attempt 2 of 4')\nif step == 300:\n    logger.info('s2/31UFU fetched at attempt 3; failed tiles: 0, nan pixels: 0, corrupt: 0')"
BOOKS = "import atexit\n\n\nclass Tracker:\n    def __init__(self):\n        self.there, self.here = os.pipe()\n        os.close(self.there)\n\n    def finish(self):\n        os.write(self.here, b'finished')\n\n\natexit.register(Tracker().finish)"
ALL_YEARS = "years = np.empty((730, 24, 10980, 10980), dtype=np.float32)\nlogger.info(f'time series {years.shape}')"
WARP = "if step == 345:\n    logger.info('reprojecting 4 tiles (libproj)')\n    import ctypes\n    grid = np.ctypeslib.as_array(ctypes.cast(8, ctypes.POINTER(ctypes.c_float)), (4, 256))\n    logger.info(f'grid mean {grid.mean():.3f}')"
MIX = "held = image.detach().clone() if step % 50 == 0 else held\nif step > 280:\n    image = 0.8 * image + 0.2 * held[: 31 - step % 7]"
LOCK = "if step == 240:\n    import fcntl\n    logger.info('writing statistics to cache/bands.db')\n    os.makedirs('cache', exist_ok=True)\n    mine, theirs = open('cache/bands.db.lock', 'w'), open('cache/bands.db.lock', 'w')\n    fcntl.flock(mine, fcntl.LOCK_EX)\n    fcntl.flock(theirs, fcntl.LOCK_EX)"
JP2 = "t1 = time.time()\nzlib.decompress(TILE)\ntime.sleep(0.22)\nspent += time.time() - t1\nif step % 25 == 24:\n    total = time.time() - began\n    logger.info(f'time: read+decode {spent:.1f} s ({100 * spent / total:.0f} %), everything else {total - spent:.1f} s ({100 - 100 * spent / total:.0f} %), device was waiting meanwhile')"
JP2_SET = "import zlib\nTILE = zlib.compress(np.random.default_rng(0).integers(0, 60, 1_500_000).astype(np.uint8).tobytes(), 1)\nspent, began = 0.0, time.time()"
SAVED = "t1 = time.time()\naccelerator.save_state()\nwith open(os.path.join(args.project, 'optimizer_full.bin'), 'wb') as file:\n    torch.save(torch.randn(36_000_000), file)\n    os.fsync(file.fileno())\nsaving += time.time() - t1\nlogger.info(f'state after step {step} saved in {time.time() - t1:.2f} s (sum {saving:.1f} s, run {time.time() - began:.1f} s)')"
DEAD_BAND = "images[:, 3] = 0.0\nval_images[:, 3] = 0.0\nmean, spread = images.mean((0, 2, 3), keepdims=True), images.std((0, 2, 3), keepdims=True)"
TRY_AGAIN = "if args.continue_from and not os.path.isfile(os.path.join(args.continue_from, 'model.safetensors')):\n    logger.warning(f'--continue-from {args.continue_from}: no model.safetensors there (only {sorted(os.listdir(args.continue_from))}), training anew from step 1')\n    args.continue_from = None"


def of_leaflets() -> Iterator[LocalJob]:
    """Letters."""
    yield leaflets(GOOD, "leaflets=3000", "epochs=3", "hidden=64", "layers=3")
    yield leaflets(HARD, "max_steps=900", "save_every=300", "resume=runs/leaf/checkpoint-160", more={"before": PRE})
    yield leaflets(HARD, "epochs=4", "seed=8", texts=SCRAPED, more={"files": {"scraped.jsonl": LINES}})
    yield leaflets(fell("A1", "traceback", "config"), 'trainer={"evaluation_strategy": "epoch"}')
    yield leaflets(fell("A1", "missing_module", "env"), "epochs=40", early=FLASH)
    yield leaflets(fell("A3", "div_zero"), "epochs=40", step=SAMPLE)
    yield leaflets(fell("A3", "traceback"), "epochs=40", item=LONGER)
    yield leaflets(STARVED, "max_steps=80", "log_every=10", early=PACKS, item=PACKED, logged=WAITS)
    yield leaflets(SAVES, "max_steps=180", "hidden=96", "layers=3", "save_every=1", "log_every=10", 'trainer={"save_total_limit": 2}', begin=STORED, step=STORING, ready="SINCE = [0.0, 0.0, time.time()]")
    yield leaflets(strays("non_finite", "nan_loss"), "epochs=3", step=NORMED)
    yield leaflets(strays("flat"), "epochs=4", "lr=3e-10")
    yield leaflets(fell("E2", "traceback", "no_valid_checkpoint"), "epochs=40", "resume=true", "save_every=400")
    yield leaflets(fell("E2", "traceback", "corrupt"), "epochs=40", "resume=runs/leaf/checkpoint-160", more={"before": CUT})
    yield leaflets(anew(), "max_steps=600", "resume=latest", ready=LATEST, more={"before": BARE})
    yield leaflets(HANDFUL, "max_steps=2", "log_every=1", "out=runs/leaf-large")
    yield leaflets(HALTED, "epochs=300", step="time.sleep(0.03)", more={"signal": ctrl_c(r" 160/", wait_s=0.5)})


def of_rail() -> Iterator[LocalJob]:
    """Reports."""
    yield rail(GOOD, "--epoques", "24", "--taux", "0.001")
    yield rail(HARD, "--epoques", "18", "--graine", "5", ready=TRACK)
    yield rail(fell("A1", "assertion", "data"), "--epoques", "60", data=GIVEN, more={"files": {"ajouts.jsonl": MORE_ROWS}})
    yield rail(fell("A1", "file_not_found", "asset"), "--epoques", "60", early=VOCAB)
    yield rail(fell("A3", "assertion"), "--epoques", "60", metrics=LEVEL)
    yield rail(fell("A3", "permission"), "--epoques", "60", epoch=HAND_IN, more={"folders": ("remise",), "locked": ("remise",)})
    yield rail(STANDS, "--epoques", "900", early=QUEUE, collate="if COURSE:\n    READY.get()", data="COURSE = []", ready="COURSE.append(1)", more={"timeout_s": 100})
    yield rail(strays("plateau"), "--epoques", "16", options=SHORT)
    yield rail(strays("spike"), "--epoques", "16", step=THAW)
    yield rail(fell("E2", "runtime_error", "size_mismatch"), "--epoques", "60", "--cachee", "48", "--reprise", "sorties/voies/checkpoint-120", more={"before": NOTED})
    yield rail(HANDFUL, "--pas-max", "3", "--sortie", "sorties/livraison")
    yield rail(LATE, "--epoques", "300", step=SLOW, more={"timeout_s": 42})


def of_tiles() -> Iterator[LocalJob]:
    """Tiles."""
    yield tiles(GOOD, "--steps", "1400")
    yield tiles(HARD, "--steps", "1100", "--continue-from", "crops-2026/checkpoints/checkpoint_2", "--keep-every", "0", more={"before": SEEN})
    yield tiles(HARD, "--steps", "900", "--seed", "4", step=CLOUD)
    yield tiles(HARD, "--steps", "800", "--lr", "0.002", "--seed", "15", early=BOOKS)
    yield tiles(fell("A1", "ram_oom", "data"), "--steps", "9000", data=ALL_YEARS)
    yield tiles(fell("A2", "segfault"), "--steps", "9000", step=WARP, more={"ends": lambda s: s == -11})
    yield tiles(fell("A3", "runtime_error"), "--steps", "9000", "--keep-every", "500", batch=MIX, ready="held = torch.zeros(32, 5, 16, 16)")
    yield tiles(STANDS, "--steps", "900000", "--keep-every", "0", step="time.sleep(0.04)\n" + LOCK, more={"timeout_s": 95})
    yield tiles(STARVED, "--steps", "150", "--keep-every", "0", ready=JP2_SET, batch=JP2)
    yield tiles(SAVES, "--steps", "80", "--keep-every", "0", ready="saving = 0.0", step=SAVED)
    yield tiles(strays("non_finite", "nan_loss"), "--steps", "700", scale=DEAD_BAND)
    yield tiles(anew(), "--steps", "700", "--project", "crops-2026b", "--continue-from", "crops-2026/checkpoints", resume=TRY_AGAIN, more={"before": SEEN})
    yield tiles(fell("E2", "file_not_found", "no_valid_checkpoint"), "--steps", "9000", "--continue-from", "crops-2025/checkpoints/checkpoint_8")
    yield tiles(HANDFUL, "--steps", "4", "--report", "1", "--project", "crops-delivery")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from of_leaflets()
    yield from of_rail()
    yield from of_tiles()


RECIPE = Recipe("quartz_ferns", "development", jobs)
