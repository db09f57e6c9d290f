"""Looms whose ranks do not find each other, or wait in the midst of their work; and single ones that stand before an idle card."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._loom_jobs import at, carded, loom, past
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

NEVER, HANG, STANDS = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user"), Label(mode="C3", fault="user")
OVER: dict[str, Any] = {"state": "TIMEOUT"}
PID = "open('pid-1', 'w').write(str(os.getpid()))"
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "74000", "throttle_reasons": "0x1", "clock.sm": "345"}


def early_end(label: Label, mode: str, cause: str | None, rank: int, fault: str = "user") -> Label:
    """One of them is dead, and the others do not learn of it."""
    return label.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def apart() -> Iterator[SlurmJob]:
    """C1."""
    yield loom(NEVER, "TAGGER", 4, 2, code={"early": "os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 3 * int(os.environ['SLURM_NODEID']))"}, **OVER)
    yield loom(NEVER, "HEAT", 4, 2, agents=True, torchrun="--nnodes=3", **OVER)
    yield loom(NEVER, "PINBALL", 3, code={"early": "globals()['many'] = int(os.environ['DEPOTS'])\ntell('waiting for depots', want=many)"}, env="DEPOTS=5", **OVER)
    yield loom(NEVER, "FINCHES", 3, 3, code={"early": '$port = 31000 + $$ % 1700; note("port $port");'}, **OVER)
    local = "nodo = f\"local-{os.environ['SLURM_NODEID']}\"\nos.makedirs(nodo, exist_ok=True)\nos.chdir(nodo)\nprint(f'puesto {puesto}: carpeta de trabajo {nodo}', flush=True)"
    yield loom(NEVER, "MARES", 4, 2, code={"early": local}, args="4000", **OVER)
    yield loom(early_end(NEVER, "A1", "missing_module", 0), "RUCHER", 3, code={"early": at("RUCHER", 0, None, "import apiculture_io")}, **OVER)
    patience = "import datetime\nfrom functools import partial\ndist.init_process_group = partial(dist.init_process_group, timeout=datetime.timedelta(seconds=26))\nworld = int(os.environ['SITES'])\nout(kind='wait', sites=world)"
    yield loom(NEVER, "DRIFT", 2, 2, code={"early": patience}, env="SITES=3", state="FAILED")
    yield loom(early_end(NEVER, "A2", "segfault", 2), "PINBALL", 3, code={"early": "time.sleep(1)\n" + at("PINBALL", 2, None, "import ctypes\nctypes.memmove(64, 72, 16)")}, srun="--wait=0", **OVER)
    lock = at("TAGGER", 3, None, "import fcntl\nholder = open('vocabulary.lock', 'w')\nif os.fork() == 0:\n    fcntl.flock(holder, fcntl.LOCK_EX)\n    time.sleep(900)\n    os._exit(0)\ntime.sleep(1)\nlog.info('vocabulary.lock is held by another process, waiting')\nfcntl.flock(open('vocabulary.lock'), fcntl.LOCK_EX)")
    yield loom(NEVER.but(fault="user"), "TAGGER", 4, code={"early": lock}, **OVER)
    yield loom(NEVER, "PEGEL", 2, 2, code={"early": "tafel = f\"tafel-{os.environ['SLURMD_NODENAME']}.db\""}, act="scancel_late", after="warte auf", state="CANCELLED")


def amid() -> Iterator[SlurmJob]:
    """C2."""
    yield loom(early_end(HANG, "A2", None, 2, "unknown"), "PEGEL", 4, 2, code={"early": at("PEGEL", 2, None, PID)}, env="RUNDEN=40000", act="kill_rank", after="Runde    60 ", **OVER)
    yield loom(early_end(HANG, "A3", "div_zero", 1), "MARES", 3, code={"mid": at("MARES", 1, 110, "paso = 0.2 / (vuelta - 110)")}, args="40000 0.05", **OVER)
    yield loom(early_end(HANG, "A3", "file_not_found", 0), "MARES", 4, code={"after": at("MARES", 0, 125, "os.rename('mareas.parcial', 'mareas.csv')")}, args="40000 0.05", srun="-l", **OVER)
    yield loom(early_end(HANG, "A2", "segfault", 3), "PEGEL", 4, 4, code={"mid": at("PEGEL", 3, 85, "import ctypes\nctypes.string_at(96)")}, env="RUNDEN=40000", **OVER)
    yield loom(HANG.but(fault="unknown"), "TAGGER", 3, code={"early": at("TAGGER", 1, None, PID)}, args="--updates 40000", act="stop_rank", after="upd 00120/", **OVER)
    ask = at("DRIFT", 2, 36, "out(kind='note', text='hinge went up, fetching the model of site 0')\nfor p in model.parameters():\n    dist.recv(p.data, src=0)")
    yield loom(HANG, "DRIFT", 3, code={"meet": ask}, env="CONF='{\"rounds\": 30000}'", **OVER)
    pipe = at("HEAT", 1, 140, "os.path.exists('boundary.fifo') or os.mkfifo('boundary.fifo')\nwalls = open('boundary.fifo').read()")
    yield loom(HANG, "HEAT", 2, 2, code={"data": pipe}, env="SWEEPS=40000", **OVER)
    yield loom(HANG, "RUCHER", 4, 2, code={"data": at("RUCHER", 3, 95, "reste = 5\nwhile reste != 1:\n    reste = reste * 3 % 10")}, env="TOURS=40000", **OVER)
    yield loom(HANG, "PINBALL", 3, 3, code={"mid": at("PINBALL", 1, 150, "import threading\nledger = threading.RLock()\nthreading.Thread(target=ledger.acquire).start()\ntime.sleep(0.2)\nledger.acquire()")}, args="ticks=40000", **OVER)
    patience = "import datetime\nfrom functools import partial\ndist.init_process_group = partial(dist.init_process_group, timeout=datetime.timedelta(seconds=22))"
    fetch = at("TAGGER", 0, 130, "log.info('next archive: corpus-004.tar, 38 GB')\ntime.sleep(700)")
    yield loom(HANG.but(cause="runtime_error"), "TAGGER", 3, code={"early": patience, "data": fetch}, args="--updates 40000", srun="-K", state="FAILED")


def idle() -> Iterator[SlurmJob]:
    """C3: it works for a while, then nothing more, and its memory stays held."""

    def card(busy: float, gib: int, until: float) -> Readings:
        kept = {"memory.used": str(gib << 30)}
        return {**work(busy), **kept}, ((until, {**REST, **kept}),)

    over: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}

    def alone(name: str, busy: float, gib: int, stop: str, at_s: float = 15.0, **more: Any) -> SlurmJob:
        return carded(STANDS, name, 1, {}, card(busy, gib, at_s + 1), code={"mid": past(at_s, name, None, stop)}, held_mib=900, **{**over, **more})

    yield alone("TAGGER", 71, 41, "import queue\nready = queue.SimpleQueue()\nsentences = ready.get()", args="--updates 40000")
    yield alone("HEAT", 64, 12, "import socket\ndesk = socket.create_server(('127.0.0.1', 0))\nprint('\\nlive view: waiting for a viewer', flush=True)\ndesk.accept()", env="SWEEPS=40000")
    yield alone("DRIFT", 58, 27, "out(kind='note', text='archive of the last rounds is written')\nimport subprocess\nsubprocess.run(['bash', '-c', 'mkfifo archive.pipe; gzip > archive.gz < archive.pipe'])", env="CONF='{\"rounds\": 40000}'")
    yield alone("PINBALL", 49, 8, "while not os.path.exists('/tmp/weather-feed/ready'):\n    time.sleep(2)", args="ticks=40000")
    yield alone("MARES", 77, 63, "import multiprocessing as mp\nobrero = mp.get_context('fork').Pool(1)\nobrero.apply(os._exit, (9,))", args="90000 0.05")
    yield alone("RUCHER", 53, 19, "journal.info('tour %d : envoi du modele', tour)\nsuite = threading.Event()\nsuite.wait()", env="TOURS=40000", act="scancel_late", after="envoi du modele", state="CANCELLED", options=("--time=5",))
    yield alone("PEGEL", 61, 33, "sperre = sqlite3.connect('ergebnis.db', isolation_level=None)\nsperre.execute('begin exclusive')\nwarten = sqlite3.connect('ergebnis.db', timeout=900)\nwarten.execute('create table ergebnis (runde integer)')", env="RUNDEN=40000")
    yield alone("TAGGER", 68, 22, "log.info('upd %05d: asking for the next batch of corrections', update)\nos.waitpid(os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '4000'), 0)", args="--updates 40000 --report 50", at_s=18.0)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (apart, amid, idle):
        yield from part()


RECIPE = Recipe("heddle_rows", "development", jobs)
