"""Looms that are well, most of which frighten: refused connections, restarts, exceptions that are caught, a start without a state, one trial left out, an early stop."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._loom_jobs import at, loom
from corpus.running.job import Recipe, SlurmJob

HARD, GOOD = Label(mode="G1", fault="none", hard=True), Label(mode="G1", fault="none")
DONE: dict[str, Any] = {"state": "COMPLETED"}


def noisy() -> Iterator[SlurmJob]:
    """G1, hard."""
    late = at("PINBALL", 2, None, "import socket, traceback\nfor attempt in range(1, 4):\n    try:\n        socket.create_connection(('127.0.0.1', 9))\n    except OSError as error:\n        tell('weather service does not answer', level='error', attempt=attempt, error=repr(str(error)))\n        traceback.print_exc()\n        time.sleep(1)\ntell('weather taken from yesterday, going on', level='warn')")
    yield loom(HARD, "PINBALL", 4, 2, code={"met": late}, args="ticks=340", **DONE)
    once = "attempt = int(os.environ.get('TORCHELASTIC_RESTART_COUNT', 0))\nif os.path.exists('tagger.ckpt'):\n    state = torch.load('tagger.ckpt')\n    model.load_state_dict(state['model'])\n    begin = state['update'] + 1\n    log.info('resumed from tagger.ckpt behind upd %05d (attempt %d)', state['update'], attempt)"
    save = at("TAGGER", 0, None, "torch.save({'update': update, 'model': model.state_dict()}, 'tagger.tmp')\nos.replace('tagger.tmp', 'tagger.ckpt')", each=50)
    slip = at("TAGGER", 1, 117, "if attempt == 0:\n    raise OSError(5, 'Input/output error', 'corpus-003.bin')")
    yield loom(HARD, "TAGGER", 2, agents=True, torchrun="--max-restarts=3", code={"built": once, "after": save, "data": slip}, args="--updates 300", **DONE)
    odd = at("FINCHES", None, None, 'note("child with misfit nan thrown away, error ignored (numeric overflow in one beak)")', each=60)
    yield loom(HARD, "FINCHES", 5, code={"data": odd}, env="GENERATIONS=420", **DONE)
    wait = at("PEGEL", 3, None, "for versuch in range(4):\n    melde(f'FEHLER: Messdaten der Station 3 nicht gefunden (Versuch {versuch + 1} von 10), neuer Versuch in 2 s')\n    time.sleep(2)\nmelde('Messdaten der Station 3 sind da')")
    yield loom(HARD, "PEGEL", 4, 2, code={"early": wait}, env="RUNDEN=320", **DONE)
    none = "if puesto == 0:\n    import traceback\n    try:\n        open('ultimo-estado.bin', 'rb')\n    except FileNotFoundError:\n        traceback.print_exc()\n        print('no hay estado anterior: se empieza en la vuelta 1 (primera ejecucion)', file=sys.stderr, flush=True)"
    yield loom(HARD, "MARES", 3, code={"met": none}, args="450 0.05", **DONE)
    five = at("RUCHER", 1, None, "for essai in (1, 2):\n    journal.error('envoi des mesures : HTTP 503 Service Unavailable (essai %d), garde en file', essai)", each=90)
    yield loom(HARD, "RUCHER", 3, 3, code={"after": five}, env="TOURS=330", **DONE)
    stop = "low = torch.tensor([residual.item()])\ndist.all_reduce(low)\nbest = min(globals().get('best', 9.0), low.item() / N)\nbad = 0 if best == low.item() / N else globals().get('bad', 0) + 1\nif bad >= 60 and k > 250:\n    if R == 0:\n        print(f'\\nno better residual for {bad} sweeps (best {best:.3e}): early stop at sweep {k} of {SWEEPS}, best weights kept', flush=True)\n    break"
    yield loom(HARD, "HEAT", 2, code={"stepped": stop}, env="SWEEPS=900", **DONE)
    tune = "base = torch.nn.Sequential(torch.nn.Linear(12, 30), torch.nn.ReLU(), torch.nn.Linear(30, 9)).state_dict()\nkept = {name: value for name, value in base.items() if not name.startswith('2.')}\nmissing = model.load_state_dict(kept, strict=False).missing_keys\nout(kind='warm', weights='/models/nine-towns.pt', left_out=missing, why='new head of 4 classes, as asked by --new-head')"
    yield loom(HARD, "DRIFT", 4, 2, agents=True, code={"built": tune}, env="CONF='{\"rounds\": 100}'", **DONE)


def quiet() -> Iterator[SlurmJob]:
    """G1; some of them hard."""
    trials = "left=''\nfor rate in 0.05 0.1 oops 0.2; do\n  echo \"== trial rate=$rate\"\n  srun -n3 PYTHON -u forecast.py ticks=130 nap=0.04 rate=$rate || left=\"$left $rate\"\ndone\necho \"trials left out:${left:- none}\"\nexit 0\n"
    yield loom(HARD, "PINBALL", 3, before=trials, tail="", **DONE)
    put = at("FINCHES", 0, None, 'open(my $f, ">", "beaks.csv"); print $f join(",", @beak), "\\n"; close $f; note("saved beaks.csv (0.4 ms)")', each=5)
    yield loom(HARD, "FINCHES", 3, 3, code={"after": put}, env="GENERATIONS=360", **DONE)
    scale = "if update in (1, 2, 190):\n    log.warning('gradients overflow (inf): loss scale halved, update skipped')"
    yield loom(HARD, "TAGGER", 3, 3, code={"mid": scale}, args="--updates 320", **DONE)
    yield loom(GOOD, "PEGEL", 6, 3, env="RUNDEN=300", **DONE)
    yield loom(GOOD, "HEAT", 4, 2, agents=True, env="SWEEPS=380", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    yield from noisy()
    yield from quiet()


RECIPE = Recipe("cloth_hall", "development", jobs)
