"""Looms of which one rank breaks down and takes the others along, that learn nothing, begin anew, or do hardly a step."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._loom_jobs import at, loom
from corpus.running.job import Recipe, SlurmJob

FAILED: dict[str, Any] = {"state": "FAILED"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
LONG = 40_000


def first(mode: str, cause: str | None, rank: int, variant: str | None = None, fault: str = "user") -> Label:
    """This rank was the first that failed; what the launcher then does to the others is not asked."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=(rank,))


def at_the_start() -> Iterator[SlurmJob]:
    """A1."""
    yield loom(first("A1", "file_not_found", 2, "asset"), "TAGGER", 4, 2, code={"built": at("TAGGER", 2, None, "log.info('rank %d reads the pretrained word vectors', rank)\nwith open('vectors/de-300.vec') as vectors:\n    next(vectors)") + "\ntime.sleep(1)"}, srun="-K", **FAILED)
    yield loom(first("A1", "permission", 1, "config"), "DRIFT", 4, 2, agents=True, code={"built": at("DRIFT", 1, None, "cache = pathlib.Path('/usr/share/sites-cache')\nout(kind='cache', path=str(cache))\ncache.mkdir()") + "\ntime.sleep(1.5)"}, **FAILED)
    yield loom(first("A1", "missing_module", 1, "env"), "HEAT", 3, 3, code={"built": at("HEAT", 1, None, "import meshzoo_lite as mesh") + "\ntime.sleep(1)"}, srun="-K", **FAILED)
    check = at("RUCHER", 3, None, "lignes = 41_877\njournal.info('releves-%02d.csv : %d lignes', RANG, lignes)\nassert lignes == 41_900, f'releves-{RANG:02d}.csv : {lignes} lignes au lieu de 41900, fichier tronque'") + "\ntime.sleep(1)"
    yield loom(first("A1", "assertion", 3, "data"), "RUCHER", 4, code={"early": check}, srun="-K", **FAILED)


def by_signal() -> Iterator[SlurmJob]:
    """A2."""
    yield loom(first("A2", None, 1, fault="unknown"), "PINBALL", 3, 3, code={"early": at("PINBALL", 1, None, "open('pid-1', 'w').write(str(os.getpid()))")}, args=f"ticks={LONG}", srun="-K", act="kill_rank", after="tick=140 ", **FAILED)
    yield loom(first("A2", "segfault", 3), "TAGGER", 4, 2, agents=True, code={"stepped": at("TAGGER", 3, 110, "import ctypes\nctypes.cast(48, ctypes.POINTER(ctypes.c_double))[0] = 1.0")}, args=f"--updates {LONG}", **FAILED)
    yield loom(first("A2", None, 2), "FINCHES", 4, 2, code={"mid": at("FINCHES", 2, 130, 'note("beak $#beak does not fit, leaving a core"); kill "ABRT", $$; sleep 5')}, env=f"GENERATIONS={LONG}", srun="-K", **FAILED)
    bus = "with open('marea-1.bin', 'wb') as f:\n    f.write(bytes(8192))\nf = open('marea-1.bin', 'r+b')\nvista = mmap.mmap(f.fileno(), 8192)\nos.truncate('marea-1.bin', 0)\nvista[4100]"
    yield loom(first("A2", None, 1), "MARES", 3, code={"data": at("MARES", 1, 120, bus)}, args=f"{LONG} 0.05", srun="-K", **FAILED)


def on_the_way() -> Iterator[SlurmJob]:
    """A3."""
    yield loom(first("A3", "runtime_error", 1), "TAGGER", 3, code={"data": at("TAGGER", 1, 140, "log.info('archive 7 has 40 columns')\nmodel.tags(torch.randn(8, 40))")}, args=f"--updates {LONG}", srun="-K", **FAILED)
    yield loom(first("A3", "traceback", 2), "DRIFT", 4, 2, agents=True, code={"data": at("DRIFT", 2, 30, "weights = {'north': 1.0, 'south': 0.5}\nscale = weights['noth']")}, env=f"CONF='{{\"rounds\": {LONG}}}'", **FAILED)
    yield loom(first("A3", "ram_oom", 1), "PEGEL", 3, code={"data": at("PEGEL", 1, 90, "melde('alle Pegel seit 1816 werden eingelesen')\nreihe = bytearray(1 << 47)")}, env=f"RUNDEN={LONG}", srun="-K", **FAILED)
    yield loom(first("A3", "div_zero", 2), "RUCHER", 3, 3, code={"mid": at("RUCHER", 2, 75, "jours = []\nmoyen = sum(miel) / len(jours)")}, env=f"TOURS={LONG}", srun="-K", **FAILED)
    yield loom(first("A3", "assertion", 1), "HEAT", 2, 2, code={"stepped": at("HEAT", 1, 160, "assert u.max() < -3, f'slab {R}: u = {u.max().item():.3f} outside the walls'")}, env=f"SWEEPS={LONG}", srun="-K", **FAILED)
    yield loom(first("A3", "permission", 3), "MARES", 4, 2, code={"after": at("MARES", 3, 100, "os.makedirs('salida', exist_ok=True)\nos.chmod('salida', 0o500)\nopen('salida/vuelta-100.csv', 'w').write('h,a')")}, args=f"{LONG} 0.05", srun="-K", **FAILED)


def for_memory() -> Iterator[SlurmJob]:
    """A2 by the kernel, on the bed that limits memory."""
    killed = Label(mode="A2", cause="oom_killer", fault="user")
    eat = "globals().setdefault('jahre', []).append(bytearray(b'7') * 24_000_000)"
    yield loom(killed.but(first_ranks=(1,)), "PEGEL", 2, code={"data": at("PEGEL", 1, 60, eat, since=True)}, env=f"RUNDEN={LONG}", srun="-K", options=("--mem=260M",), bed="cgroup")


def learnt_nothing() -> Iterator[SlurmJob]:
    """E1 and E3."""
    diverged = Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user")
    yield loom(diverged, "TAGGER", 2, code={"mid": at("TAGGER", None, 120, "loss = loss + (scores.sum() * 0 + 0.0).log() * 0", since=True)}, args="--updates 260", **DONE)
    yield loom(Label(mode="E1", variant="spike", fault="user"), "RUCHER", 3, code={"data": at("RUCHER", None, 150, "pas = 2.05\njournal.info('deuxieme phase, pas=%.2f', pas)")}, env="TOURS=300", **DONE)
    yield loom(Label(mode="E1", variant="flat", fault="user"), "TAGGER", 3, 3, args="--updates 320 --lr 0", **DONE)


def begun_again() -> Iterator[SlurmJob]:
    """E2."""
    what = Label(mode="E2", fault="user")
    keep = at("RUCHER", 0, None, "with open('modele.json', 'w') as fichier:\n    json.dump({'tour': tour, 'modele': modele}, fichier)\njournal.info('modele.json enregistre (tour %d)', tour)", each=40)
    yield loom(what.but(variant="from_scratch"), "RUCHER", 3, code={"after": keep}, env="TOURS=260", options=("--requeue",), act="requeue", after=r"enregistre \(tour 160", **DONE)
    load = "if args.continue_from:\n    log.info('loading checkpoint %s', args.continue_from)\n    state = torch.load(args.continue_from, map_location='cpu')\n    model.load_state_dict(state['model'])\n    log.info('loaded')"
    wide = "PYTHON -c \"import torch; from torch import nn; m = nn.ModuleDict({'words': nn.Embedding(90, 16), 'reader': nn.GRU(16, 40, batch_first=True, bidirectional=True), 'tags': nn.Linear(80, 7)}); torch.save({'model': m.state_dict()}, 'old-tagger.ckpt')\"\n"
    yield loom(what.but(variant="size_mismatch", cause="runtime_error"), "TAGGER", 2, code={"built": load}, before=wide, args="--continue-from old-tagger.ckpt", srun="--wait=12", **FAILED)
    yield loom(what.but(variant="corrupt", cause="runtime_error"), "TAGGER", 4, 2, code={"built": load}, before=wide + "truncate -s 9000 old-tagger.ckpt\n", args="--continue-from old-tagger.ckpt", agents=True, **FAILED)


def few() -> Iterator[SlurmJob]:
    """E3."""
    yield loom(Label(mode="E3", fault="user"), "TAGGER", 4, 2, args="--updates 3 --report 1", **DONE)
    yield loom(Label(mode="E3", fault="user"), "RUCHER", 3, env="TOURS=2 AFFICHE=1", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All; one of them on the bed that limits memory."""
    for part in (at_the_start, by_signal, on_the_way, for_memory, learnt_nothing, begun_again, few):
        yield from part()


RECIPE = Recipe("mending_room", "development", jobs)
