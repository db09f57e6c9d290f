"""Jobs of one process over PyTorch, told in tables, JSON lines and key=value, some in German and Spanish, under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._acorn_fields import COMMANDS, OLIVES, POLYPS
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

polyps, spoken, olives = partial(fill, POLYPS), partial(fill, COMMANDS), partial(fill, OLIVES)
P, C, Z = "polypen.py", "commands.py", "olivos.py"
NANS = "nan_loss"


def outlined(label: Label, text: str, *, more: dict[str, Any] | None = None, store: str = "", **said: Any) -> LocalJob:
    """An INI file."""
    ini = "[training]\n" + "".join(f"{k} = {v}\n" for k, v in said.items()) + store
    return alone(label, text, P, "lauf.ini", files={"lauf.ini": ini, "erster.ini": "[training]\nepochen = 8\n"}, **(more or {}))


BEGAN = {"before": (("PYTHON", P, "erster.ini"),)}
LATER_OK = "if epoche in (3, 10):\n    print(f'FEHLER beim Schreiben der Vorschau vorschau_{epoche}.png (Datenträger nicht erreichbar), neuer Versuch in 1 s', flush=True)\n    time.sleep(0.3)\n    print(f'Vorschau vorschau_{epoche}.png geschrieben (2. Versuch)', flush=True)"
SHAPE = "if epoche == 5 and i == 2:\n    soll = soll[:, :, :23]  # Rand"
WEIGHT = "if epoche == 7:\n    anteil = {k: v for k, v in zip('abc', torch.rand(3).tolist())}['gesamt']"
EMPTY = "treffer = (y.sum((1, 2, 3)) > 400)\nprint('positive je negative:', len(x) // int(treffer.sum()), flush=True)"
WRITES = "if i % 2 == 1:\n    t1 = time.time()\n    for k in range(5):\n        with open(f\"{ab['ordner']}/zwischen_{k}.pt\", 'wb') as f:\n            torch.save([netz.state_dict(), opt.state_dict(), x, y, x, y], f)\n            f.flush()\n            os.fsync(f.fileno())\n    print(f'  zwischen_0..4.pt nach Stapel {i}: {time.time() - t1:.3f} s (Epoche läuft seit {time.time() - t0:.3f} s)', flush=True)"
WAITS = "if epoche == 6 and i == 4:\n    import fcntl\n    eins, zwei = open('sperre', 'w'), open('sperre', 'w')\n    fcntl.flock(eins, fcntl.LOCK_EX)\n    print('warte auf die Sperre des Bildspeichers', flush=True)\n    fcntl.flock(zwei, fcntl.LOCK_EX)"
MISSED = "kandidat = tr['fortsetzen'].replace('stand', 'Stand')\nif not os.path.exists(kandidat):\n    print(f'Hinweis: {kandidat} nicht vorhanden, Training beginnt bei Epoche 1', flush=True)"
RESUMES = POLYPS[POLYPS.index('    stand = torch.load(tr["fortsetzen"])') : POLYPS.index("#: bereit")]


def outlines() -> Iterator[LocalJob]:
    """German."""
    yield outlined(GOOD, polyps(), epochen=18, kanaele=10)
    yield outlined(HARD, polyps(epoche=LATER_OK), epochen=15)
    yield outlined(HARD, polyps(), epochen=12, vortrainiert="ergebnisse/stand_8.pt", lernrate=0.001, store="[ablage]\nordner = ergebnisse_klinik_b\n", more=BEGAN)
    yield outlined(HARD, polyps(), epochen=20, fortsetzen="ergebnisse/stand_8.pt", more=BEGAN)
    yield outlined(fell("A1", "traceback", "config"), polyps(), epochen=400, lernrate="0,004")
    yield outlined(fell("A1", "div_zero", "data"), polyps(daten=EMPTY), epochen=400)
    yield outlined(fell("A3", "traceback"), polyps(stapel=SHAPE), epochen=400)
    yield outlined(fell("A3", "traceback"), polyps(epoche=WEIGHT), epochen=400, kanaele=6)
    yield outlined(strays("flat"), polyps(), epochen=32, kanaele=6, lernrate="4e-9")
    yield outlined(fell("E2", "runtime_error", "size_mismatch"), polyps(), epochen=400, kanaele=12, fortsetzen="ergebnisse/stand_8.pt", more=BEGAN)
    yield outlined(anew(), polyps().replace(RESUMES, "    " + MISSED.replace("\n", "\n    ") + "\n"), epochen=14, fortsetzen="ergebnisse/stand_8.pt", more={"command": ("bash", "-c", f"PYTHON {P} erster.ini && PYTHON {P} lauf.ini")})
    yield outlined(SAVES, polyps(schritt=WRITES), epochen=3, bilder=400)
    yield outlined(STANDS, polyps(stapel=WAITS), epochen=800, more={"timeout_s": 45})
    yield outlined(HALTED, polyps(schritt="time.sleep(0.02)"), epochen=900, more={"signal": ctrl_c(r"^ +12 \|")})
    yield outlined(LATE, polyps(schritt="time.sleep(0.03)"), epochen=5000, more={"timeout_s": 34})


TAUGHT = (("PYTHON", C, "updates=200"),)
NANWORD = "if update == 100:\n    emit('note', text='class \"nan\" (Hindi) renamed to \"naan\", 0 errors; 14 utterances with loss=nan skipped in scoring')\nif update == 230:\n    emit('warning', text='Exception ignored in: <function Reader.__del__ at 0x7f1c2a0d3e20>', traceback=['Traceback (most recent call last):', 'AttributeError: Reader object has no attribute sox'])"
AUG = "if update == 150:\n    noise = torch.randn(7, cfg['frames'], 12)\n    x = x + noise"
RIRS = "if update == 180:\n    import glob\n    rir = open(sorted(glob.glob('/data/rirs_noises/*.wav'))[0], 'rb')"
KILLS = "if update == 190:\n    import resource\n    pages = [bytearray(b'1' * (24 << 20)) for _ in range(80)]"
DIES = "if update == 240:\n    emit('lm', text='rescoring with the 3-gram (libkenlm)')\n    import ctypes\n    ctypes.CDLL(None).abort()"
WORKER = "if update == 130:\n    import multiprocessing as mp\n    emit('valid', text='scoring in a second process')\n    a, b = mp.get_context('spawn').Pipe()\n    b.recv()"


def words() -> Iterator[LocalJob]:
    """JSON lines."""
    yield alone(GOOD, spoken(), C, "updates=420", "dim=40")
    yield alone(HARD, spoken(step=NANWORD), C, "updates=380")
    yield alone(HARD, spoken(), C, "updates=500", "restore=exp/commands/200.ckpt", "exp=exp/commands_b", before=TAUGHT)
    yield alone(fell("A1", "assertion", "config"), spoken(), C, "updates=90000", "learning_rate=1e-3")
    yield alone(fell("A1", "device_mismatch"), spoken(ready="ema = Listener(cfg['dim'], cfg['words']).to('meta')\ngap = sum((e - p).abs().sum() for e, p in zip(ema.parameters(), model.parameters()))"), C, "updates=90000")
    yield alone(fell("A3", "runtime_error"), spoken(batch=AUG), C, "updates=90000")
    yield alone(fell("A3", "traceback"), spoken(step=RIRS), C, "updates=90000", "dim=24")
    yield alone(strays("non_finite", NANS), spoken(loss="if update > 210:\n    loss = loss / (z.argmax(-1) < 0).sum()"), C, "updates=420")
    yield alone(fell("E1", NANS, "non_finite"), spoken(loss="if update > 180:\n    loss = loss + (-loss).sqrt()\nif not math.isfinite(loss.item()):\n    emit('stop', reason='loss is not finite', update=update, loss=loss.item())\n    sys.exit(3)"), C, "updates=9000")
    yield alone(fell("A2", "oom_killer"), spoken(step=KILLS), C, "updates=90000", group_mib=800, ends=lambda s: s == -9)
    yield alone(fell("A2", None), spoken(step=DIES), C, "updates=90000", ends=lambda s: s == -6)
    yield alone(STANDS, spoken(step=WORKER), C, "updates=90000", "pause=0.02", timeout_s=45)
    yield alone(fell("E2", "traceback", "no_valid_checkpoint"), spoken(restore="found = sorted(f for f in os.listdir(cfg['restore']) if f.endswith('.ckpt'))\ncfg['restore'] = os.path.join(cfg['restore'], found[-1])"), C, "updates=9000", "restore=exp/pretrain", folders=("exp/pretrain",))
    yield alone(HANDFUL, spoken(), C, "updates=4", "log_interval=2", "exp=exp/commands_final")
    yield alone(HALTED, spoken(), C, "updates=90000", "pause=0.03", "lr=5e-4", signal=ctrl_c(r'"update": 170,', "TERM", 0.2))


COUNTED = (("PYTHON", Z, "--vueltas", "10"),)
WARNS = "if vuelta == 6:\n    diga(suceso='aviso', texto='\"ERROR 404: ortofoto 2019_113 no existe; se usa la de 2018\"')\nif vuelta == 9:\n    diga(suceso='aviso', texto='\"fallo de memoria al cargar el mosaico entero, se carga por teselas\"')"
GATE = "if vuelta == 12:\n    assert mae < 0.05, f'mae {mae:.3f} por encima de lo pactado con la cooperativa (0.05)'"
GONE = "if vuelta == 9:\n    with open('fincas/jaen_2023.geojson') as f:\n        fincas = f.read()"
JUMP = "if vuelta > 14:\n    for q in red.parameters(): q.grad.neg_()"
STUCK = "if vuelta > 4:\n    for g in opt.param_groups: g['lr'] = 1e-12"


def trees() -> Iterator[LocalJob]:
    """Spanish."""
    yield alone(GOOD, olives(), Z, "--vueltas", "34", "--ancho", "12")
    yield alone(HARD, olives(vuelta=WARNS), Z, "--vueltas", "28")
    yield alone(HARD, olives(), Z, "--solo-evaluar", "--reanudar", "modelos/olivos-010.pt", before=COUNTED)
    yield alone(fell("A1", "permission", "data"), olives(datos="with open('cuentas/campo.csv') as f:\n    y = torch.tensor([float(v) for v in f.read().split()])"), Z, "--vueltas", "900", files={"cuentas/campo.csv": "3\n4\n"}, locked=("cuentas/campo.csv",))
    yield alone(fell("A3", "assertion"), olives(vuelta=GATE), Z, "--vueltas", "900")
    yield alone(fell("A3", "file_not_found"), olives(vuelta=GONE), Z, "--vueltas", "900")
    yield alone(strays("spike"), olives(grad=JUMP), Z, "--vueltas", "36")
    yield alone(strays("plateau"), olives(vuelta=STUCK), Z, "--vueltas", "34", "--tasa", "5e-4")
    yield alone(fell("E2", "traceback", "corrupt"), olives(), Z, "--reanudar", "modelos/olivos-010.pt", "--vueltas", "900", before=(*COUNTED, ("bash", "-c", "printf '' > modelos/olivos-010.pt")))
    yield alone(HANDFUL, olives(), Z, "--vueltas", "1", "--teselas", "60", "--salida", "entrega_final")
    yield alone(fell("A2", "segfault"), olives(vuelta="if vuelta == 8:\n    from ctypes import CFUNCTYPE, c_int\n    CFUNCTYPE(c_int)(8)()"), Z, "--vueltas", "900", ends=lambda s: s == -11)
    yield alone(LATE, olives(paso="time.sleep(0.02)"), Z, "--vueltas", "9000", "--tasa", "5e-4", timeout_s=32)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from outlines()
    yield from words()
    yield from trees()


RECIPE = Recipe("acorn_bowls", "development", jobs)
