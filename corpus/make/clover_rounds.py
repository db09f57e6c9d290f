"""One process of nothing but Python: films rated, told through logging; and lengths of trout in heaps, told in German."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._hive_plain import FILMS, HEAPS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

films, heaps = partial(fill, FILMS), partial(fill, HEAPS)
F, H = "mf.py", "forellen.py"
one = partial(alone, python="system")
EARLIER = (("PYTHON", F, "before.toml"),)
NEW = 'newest = max(pathlib.Path(cfg["store"]).glob("sweep-*.json"), key=lambda p: int(p.stem.split("-")[1]))'
GET = 'model.P, model.Q, first = had["P"], had["Q"], had["sweep"] + 1'
GOES = 'io.info("factors read back from %s, going on with sweep %d", newest, first)'
assert NEW in FILMS
assert GET in FILMS
assert GOES in FILMS
LOOK = "here = sorted(pathlib.Path(cfg['store']).glob('sweep-*.json'))\nio.info('resume: stores beside us: %s', ', '.join(f'{p} ({len(list(p.iterdir()))} files)' for p in pathlib.Path('.').iterdir() if p.is_dir() and p.name != 'data'))\nio.info('store %s holds %d sweeps', cfg['store'], len(here))\nif here:\n    had = json.loads(here[-1].read_text())\n    model.P, model.Q, first = had['P'], had['Q'], had['sweep'] + 1\n    io.info('continuing at sweep %d', first)\nelse:\n    io.info('continuing at sweep 1')"
LOADED = FILMS[FILMS.index("    newest = max") : FILMS.index("#: ready")]
TIES = "if i % 100 == 99:\n    begin = time.perf_counter()\n    for part in range(3):\n        (pathlib.Path('.') / f'part{part}.tmp').write_bytes(os.urandom(3_000_000))\n        os.sync()\n    time.sleep(0.12)\n    io.debug('autosave after rating %d took %.0f ms', i + 1, 1000 * (time.perf_counter() - begin))"


def toml(label: Label, text: str, more: str = "", **others: Any) -> LocalJob:
    """With a settings file."""
    return one(label, text, F, "run.toml", files={"run.toml": more, "before.toml": "sweeps = 32\nwait = 0.0\n"}, **others)


def stars() -> Iterator[LocalJob]:
    """Logging."""
    yield toml(fell("A1", "traceback", "config"), films(), "sweeps = 20\nrate = 0.02.5\n")
    yield toml(fell("A1", "traceback", "config"), films(early="budget = cfg['sweeps'] * cfg['hours_per_sweep']"), "sweeps = 20\n")
    yield toml(fell("A1", "div_zero", "data"), films(data="fit = [s for s in fit if s[2] > 5.0]\nlog.warning('kept %d ratings after the filter', len(fit))"))
    yield toml(fell("A1", "ram_oom", "env"), films(early="table = bytearray(6 << 30)  # dense matrix"), memory_mib=700)
    yield toml(fell("A3", "ram_oom"), films(round="if sweep == 10:\n    log.info('building the neighbour lists')\n    near = [bytes(1 << 20) + bytes([k % 250]) for k in range(4000)]"), memory_mib=420)
    yield toml(fell("A3", "traceback"), films(tested="if sweep == 7:\n    worst = sorted(((s - model.guess(u, f), model) for u, f, s in held[:0]), reverse=True)[0]"))
    yield toml(fell("A3", "traceback"), films(mid="if sweep == 5 and i == 900:\n    s = None if u else s"), "rank = 4\n")
    yield toml(strays("non_finite", "nan_loss"), films(), "rate = 0.9\nsweeps = 16\n")
    yield toml(strays("plateau"), films(round="if sweep == 12:\n    cfg['rate'] = 0.0\n    for rows in (model.P, model.Q):\n        for row in rows:\n            row[:] = [0.0] * len(row)\n    log.info('schedule: rate is now %g', cfg['rate'])"), "sweeps = 40\n")
    yield toml(strays("flat"), films(mid="f = dice.randrange(cfg['films'])"), "sweeps = 25\nrate = 0.0004\n")
    yield toml(anew(), films().replace("\n    " + GET, "").replace(GOES, 'io.info("newest of the store: %s", newest)'), "resume = true\nsweeps = 60\n", before=EARLIER)
    yield toml(anew(), films(restore=LOOK).replace(LOADED, ""), "resume = true\nsweeps = 48\nstore = 'mf_v2'\n", before=EARLIER)
    yield toml(fell("E2", "assertion", "size_mismatch"), films(), "resume = true\nsweeps = 60\nrank = 8\n", before=EARLIER)
    yield toml(fell("E2", "traceback", "no_valid_checkpoint"), films(), "resume = true\nstore = 'factors'\n", before=EARLIER)
    yield toml(fell("E2", "traceback", "corrupt"), films(), "resume = true\nsweeps = 60\n", before=(*EARLIER, ("truncate", "-s", "0", "mf/sweep-32.json")))
    yield toml(HANDFUL, films(mid="if i == 40:\n    log.info('input exhausted')\n    break", round="if sweep == 2:\n    break"), "sweeps = 300\nstore_each = 1\n")
    yield toml(SAVES, films(mid=TIES), "sweeps = 4\nwait = 0\nstore_each = 0\n")
    yield toml(LATE, films(), "sweeps = 4000\nwait = 0.25\nstore_each = 100\n", timeout_s=60)
    yield toml(HALTED, films(), "sweeps = 4000\nwait = 0.1\n", signal=ctrl_c("sweep 44/4000"))
    yield toml(GOOD, films(), "sweeps = 26\n")
    yield toml(HARD, films(), "sweeps = 400\nwait = 0.0\npatience = 4\nstore_each = 0\nrate = 0.05\n")
    yield toml(HARD, films(), "resume = true\nsweeps = 56\n", before=EARLIER)
    yield toml(HARD, films(save="for attempt in (1, 2, 3):\n    try:\n        if attempt < 3 and sweep == 16:\n            raise OSError(28, 'No space left on device', str(folder))\n        break\n    except OSError:\n        io.exception('could not write (attempt %d), cleaning old sweeps and trying again', attempt)"), "sweeps = 30\n")


GEMERKT = (("env", "-u", "FORTSETZEN", "MERKEN=stand.db", "RUHE=0", "DURCHGAENGE=30", "PYTHON", H),)


def trout() -> Iterator[LocalJob]:
    """In German."""

    def fish(label: Label, text: str, *, python: str = "system", env: dict[str, str] | None = None, **others: Any) -> LocalJob:
        return one(label, text, H, python=python, env=env or {}, **others)

    yield fish(fell("A1", "traceback", "config"), heaps(), env={"HAUFEN": "drei"})
    yield fish(fell("A1", "permission", "data"), heaps(daten="laengen += [float(z) for z in open('data/laengen.txt')]"), files={"data/laengen.txt": "12.0\n19.5\n"}, locked=("data/laengen.txt",))
    yield fish(fell("A3", "div_zero"), heaps(mitten="if d == 12:\n    zu = [[z[0], 1 - z[0], 0.0] for z in zu]"))
    yield fish(fell("A3", "traceback"), heaps(mitten="if d == 14:\n    anteil[2] = anteil[2] * 1e9 ; breite[1] = -breite[1]", verlust="if d == 14:\n    wert = math.log(min(mitte) - 100)"))
    yield fish(fell("A3", "missing_module"), heaps(runde="if d == 20:\n    from tabulate import tabulate\n    sage(tabulate(zip(mitte, breite)))"))
    yield fish(strays("non_finite", "nan_loss"), heaps(mitten="if d == 9:\n    laengen[17] = float('nan')  # Messfehler aus Nachtrag"), env={"DURCHGAENGE": "24"})
    yield fish(anew(), heaps(bereit="anfang = 1\nmitte, breite, anteil = [12.0 + 9.0 * k for k in range(HAUFEN)], [5.0] * HAUFEN, [1 / HAUFEN] * HAUFEN").replace('sage("Stand aus {} übernommen, weiter mit Durchgang {}", FORTSETZEN, anfang)', 'sage("Datei {}: Durchgang {}", FORTSETZEN, anfang - 1)'), env={"FORTSETZEN": "stand.db", "DURCHGAENGE": "45"}, before=GEMERKT)
    yield fish(fell("E2", "traceback", "no_valid_checkpoint"), heaps(), env={"FORTSETZEN": "alt/stand.db"}, before=GEMERKT)
    yield fish(HANDFUL, heaps(), env={"FISCHE": "6", "DURCHGAENGE": "1"})
    yield fish(STANDS, heaps(runde="if d == 31:\n    sage('  warte auf die Freigabe der Stationsdaten')\n    import threading\n    threading.Event().wait()"), env={"DURCHGAENGE": "500"}, timeout_s=130)
    yield fish(GOOD, heaps(), env={"MERKEN": "stand.db"})
    yield fish(HARD, heaps(runde="if d == 8:\n    sage('  Warnung: Fehler beim Schreiben nach /archiv (Zeitüberschreitung), lasse es aus')"), env={"FORTSETZEN": "stand.db", "DURCHGAENGE": "24"}, before=(("env", "-u", "FORTSETZEN", "MERKEN=stand.db", "RUHE=0", "DURCHGAENGE=5", "PYTHON", H),))
    yield fish(HARD, heaps(daten="kaputt = [x for x in laengen if not 5 < x < 45]\nsage('{} Fehler in den Daten (nan, inf, < 5 cm) entfernt', len(kaputt))\nlaengen = [x for x in laengen if 5 < x < 45]"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from stars()
    yield from trout()


RECIPE = Recipe("clover_rounds", "development", jobs)
"""Own code in Python."""
