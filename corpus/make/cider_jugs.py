"""Jobs of one process over plain PyTorch: a policy, a pair of networks and an autoencoder, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._cider_press import CURVES, POLICY, TILES
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

P, C, T = "office_pg.py", "starcurves.py", "entrauschen.py"
PLAYED = (("PYTHON", P, "--updates", "40"),)
DRAWN = (("PYTHON", C, "iters:100"),)
CLEANED = (("PYTHON", T, "durchläufe=5"),)


def policy(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Counters."""
    return alone(label, fill(POLICY, **codes), P, *given, **(more or {}))


def curves(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = CURVES, **codes: str) -> LocalJob:
    """Stars."""
    return alone(label, fill(text, **codes), C, *given, **(more or {}))


def tiles(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = TILES, **codes: str) -> LocalJob:
    """Tiles."""
    return alone(label, fill(text, **codes), T, *given, **(more or {}))


CRASHES = "if update in (33, 71):\n    import subprocess\n    done = subprocess.run(['bash', '-c', 'echo worker 3: Segmentation fault >&2; exit 139'], capture_output=True, text=True)\n    print(f'env {done.stderr.strip()} (exit {done.returncode}), worker was restarted')"
RATES = "if update == 90:\n    opening = {'mon': 8, 'sat': 9}\n    print('next opening', opening['sun'])"
SHAPED = "if update == 70:\n    office.rates = torch.linspace(0.1, 0.5, 5)"
ROLLOUTS = "if update > 12:\n    globals().setdefault('replay', []).append(torch.cat([returns.repeat(3000, 1)]))"
CLERK = "if update == 60 and t == 5:\n    import multiprocessing\n    print('office 17 answers over a pipe now')\n    here, there = multiprocessing.Pipe()\n    here.recv()"
PLAYS = "if t % 6 == 0:\n    t1 = time.perf_counter()\n    time.sleep(0.06)\n    globals()['sim'] = globals().get('sim', 0.0) + time.perf_counter() - t1"
TELLS = "if update % 4 == 0:\n    print(f'  of {time.perf_counter() - clock:.1f} s the learner was idle for {sim:.1f} s: no batch of experience was there (simulator)')"

FILLED = "if it == 120:\n    try:\n        torch.save(G.state_dict(), '/proc/gan-best.pth')\n    except Exception:\n        traceback.print_exc()\n        print('[warn] copy for the demo page failed, training goes on')"
ROOTS = "if it > 170:\n    d_loss = d_loss + 0.001 * torch.sqrt(D(made).mean() - D(real).mean().abs() - 50.0)"
MISSING = "catalog = {row.split()[0]: float(row.split()[2]) for row in open('ogle_rrlyr.dat')}\nprint(f'[data] {len(catalog)} periods')"
DUST = "if it == 140:\n    dust = torch.load('/data/gaia/extinction/bayestar_2024.pt')"
ABORTS = "if it == 150:\n    import ctypes\n    print('[plot] drawing 400 curves with the C renderer', flush=True)\n    ctypes.CDLL(None).abort()"
HOLDS = "t1 = time.time()\ntorch.save({'G': G.state_dict(), 'D': D.state_dict(), 'it': it, 'samples': torch.randn(4_000_000)}, f'{CFG[\"out\"]}/tmp.pth')\nwith open(f'{CFG[\"out\"]}/tmp.pth', 'rb') as f:\n    os.fsync(f.fileno())\nos.replace(f'{CFG[\"out\"]}/tmp.pth', f'{CFG[\"out\"]}/last.pth')\nsaves = globals().get('saves', 0.0) + time.time() - t1\nprint(f'[ckpt] {CFG[\"out\"]}/last.pth after iteration {it} took {time.time() - t1:.3f}s (saving so far {saves:.1f}s, everything so far {time.time() - t0:.1f}s)')"
STUCK = "if it == 160:\n    print('[it] waiting for the token of the sampler pool')\n    import threading\n    threading.Semaphore(0).acquire()"
EMPTY = "if not CFG['from'].startswith('/'):\n    print(f\"[ckpt] {CFG['from']} is no absolute path, not used; beginning with iteration 1\")\nelse:"
TAKEN = CURVES.replace('    part = torch.load(CFG["from"])\n    G.load_state_dict(part["G"])\n    D.load_state_dict(part["D"])\n    first = part["it"]\n    print(f"[ckpt]', '        part = torch.load(CFG["from"])\n        G.load_state_dict(part["G"])\n        D.load_state_dict(part["D"])\n        first = part["it"]\n        print(f"[ckpt]')

WOLKEN = "if durchlauf == 6:\n    melde('FEHLER beim Lesen von Kachel 0417_2211 (Prüfsumme falsch): durch Nachbarkachel ersetzt')\nif durchlauf == 9:\n    import warnings\n    warnings.warn('12 Kacheln bestehen nur aus nan (Wolken), beim Mitteln ausgelassen')"
KNAPP = "if durchlauf == 4 and stapel == 3:\n    try:\n        torch.zeros(3_000_000_000_000)\n    except RuntimeError as e:\n        melde(f'Speicher reicht nicht für die Vorschau aller Kacheln ({str(e).splitlines()[0]}); es wird nur jede zehnte gezeigt')"
KARTE = "karte = json.load(open('blattschnitt.json'))"
ZWEITE = "if durchlauf == 7:\n    anteil = (p_rein.sum((1, 2, 3)) == 0).sum().item()\n    melde(f'Fehler je leerer Kachel: {prüf / anteil:.5f}')"
LISTE = "if durchlauf == 8:\n    import os.path\n    protokoll = open('protokoll/2026.txt', 'a')\n    protokoll.write(f'{prüf}\\n')"
MASSE = "if durchlauf == 5 and stapel == 4:\n    x = x[:, :, :14, :14]"
GEMISCHT = "y = torch.rand(x.shape).round()"
TOT = "if durchlauf == 3 and stapel == 0:\n    for p in netz.parameters():\n        p.data.zero_()\n    optimierer.param_groups[0]['lr'] = 0.0"
WURZEL = "if durchlauf >= 9:\n    verlust = verlust + 0.01 * (netz(x).mean() - 2.0).log()"
MEHRFACH = "if durchlauf >= 10:\n    x = x * 255.0 ** 2  # 16-Bit-Rohwerte\n    y = y * 255.0 ** 2"


def policies() -> Iterator[LocalJob]:
    """Counters."""
    yield policy(HARD, "--updates", "180", "--seed", "3")
    yield policy(HARD, "--updates", "140", "--envs", "64", update=CRASHES)
    yield policy(HARD, "--load", "runs/office/policy_40.pt", "--eval", "24", more={"before": PLAYED})
    yield policy(fell("A3", "traceback"), "--updates", "4000", update=RATES)
    yield policy(fell("A3", "runtime_error"), "--updates", "4000", update=SHAPED)
    yield policy(fell("A2", "oom_killer"), "--updates", "4000", update=ROLLOUTS, more={"group_mib": 900, "ends": lambda s: s == -9})
    yield policy(fell("A2", None, fault="unknown"), "--updates", "9000", update="time.sleep(0.02)", more={"signal": ctrl_c(r"update +100/", "KILL", 0.1, P), "ends": lambda s: s == -9})
    yield policy(fell("E2", "runtime_error", "size_mismatch"), "--updates", "900", "--load", "runs/office/policy_40.pt", "--counters", "6", more={"before": PLAYED})
    yield policy(STANDS, "--updates", "90000", env=CLERK, more={"timeout_s": 38})
    yield policy(STARVED, "--updates", "80", env=PLAYS, update=TELLS)
    yield policy(HANDFUL, "--updates", "4", "--run-dir", "runs/office_october")
    yield policy(HALTED, "--updates", "90000", update="time.sleep(0.03)", more={"signal": ctrl_c(r"update +140/", "TERM")})


def stars() -> Iterator[LocalJob]:
    """Light curves."""
    yield curves(HARD, "iters:420")
    yield curves(HARD, "iters:360", "seed:2", "batch:48", it=FILLED)
    yield curves(HARD, "iters:300", "from:stars/gan-100.pth", more={"before": DRAWN})
    yield curves(fell("A1", "traceback", "data"), data=MISSING, more={"files": {"ogle_rrlyr.dat": "OGLE-BLG-RRLYR-00001 RRab 0.6341\nOGLE-BLG-RRLYR-00002 RRab\nOGLE-BLG-RRLYR-00003 RRc 0.3021\n"}})
    yield curves(fell("A1", "traceback", "config"), "iters:4000", "critic:5")
    yield curves(fell("A3", "file_not_found"), "iters:9000", it=DUST)
    yield curves(fell("A2", None), "iters:9000", it=ABORTS, more={"ends": lambda s: s == -6})
    yield curves(strays("non_finite", "nan_loss"), "iters:360", critic=ROOTS)
    yield curves(SAVES, "iters:260", it=HOLDS)
    yield curves(STANDS, "iters:90000", it=STUCK, more={"timeout_s": 40})
    yield curves(anew(), "iters:300", "from:stars/gan-100.pth", text=TAKEN, resume=EMPTY, more={"before": DRAWN})
    yield curves(fell("E2", "traceback", "corrupt"), "iters:900", "from:stars/gan-100.pth", more={"before": (*DRAWN, ("bash", "-c", "head -c 3000 /dev/urandom > stars/gan-100.pth"))})


def aerial() -> Iterator[LocalJob]:
    """Tiles."""
    yield tiles(GOOD, "durchläufe=20")
    yield tiles(GOOD, "durchläufe=16", "kanäle=16", "lernrate=0.003")
    yield tiles(HARD, "durchläufe=18", epoch=WOLKEN)
    yield tiles(HARD, "durchläufe=15", "keim=8", step=KNAPP)
    yield tiles(HARD, "durchläufe=200", "geduld=3", "lernrate=0.006")
    yield tiles(HARD, "durchläufe=12", "vorlage=modelle/stand_5.pt", "ordner=modelle_neu", more={"before": CLEANED})
    yield tiles(fell("A1", "traceback", "config"), "durchlaeufe=30")
    yield tiles(fell("A1", "file_not_found", "asset"), "vorlage=/projekte/luftbild/basis_2025.pt")
    yield tiles(fell("A1", "traceback", "data"), data="import json\n" + KARTE, more={"files": {"blattschnitt.json": '{"blatt": "4021", "kacheln": [17, 18, 19}\n'}})
    yield tiles(fell("A3", "div_zero"), "durchläufe=300", epoch=ZWEITE)
    yield tiles(fell("A3", "permission"), "durchläufe=300", epoch=LISTE, more={"folders": ("protokoll",), "locked": ("protokoll",)})
    yield tiles(fell("A3", "runtime_error"), "durchläufe=300", batch=MASSE)
    yield tiles(strays("flat"), "durchläufe=26", "lernrate=0.01", batch=GEMISCHT)
    yield tiles(strays("spike"), "durchläufe=20", batch=MEHRFACH)
    yield tiles(strays("plateau"), "durchläufe=24", batch=TOT)
    yield tiles(strays("non_finite", "nan_loss"), "durchläufe=15", loss=WURZEL)
    yield tiles(fell("E2", "file_not_found", "no_valid_checkpoint"), "durchläufe=40", "fortsetzen=modelle/stand_40.pt", more={"before": CLEANED})
    yield tiles(HANDFUL, "durchläufe=1", "kacheln=72", "ordner=modelle_abgabe")
    yield tiles(LATE, "durchläufe=9000", step="time.sleep(0.03)", more={"timeout_s": 26})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from policies()
    yield from stars()
    yield from aerial()


RECIPE = Recipe("cider_jugs", "development", jobs)
