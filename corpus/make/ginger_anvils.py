"""Jobs of one process in loops of their own: lifts, torsions, read-backs of pilots and a cooling bar, under gpualert-run."""

import json
from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._ginger_games import LIFTS, TORSION
from corpus.make._ginger_waves import HEAT, RADIO_WORDS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

V, D, S, B = "torre.py", "torsion.py", "readback.py", "barnet.py"
STRAYED = Label(mode="E1", fault="user")
"""Which of the kinds it is, is not asked."""


def lifts(label: Label, ini: str = "", more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """The tower."""
    own = dict(more or {})
    return alone(label, fill(LIFTS, **codes), V, "torre.ini", python="hub-21", files={"torre.ini": ini, "corta.ini": "[entreno]\niteraciones = 20\n", **own.pop("files", {})}, **own)


def torsion(label: Label, more: dict[str, Any] | None = None, codes: dict[str, str] | None = None, **settings: Any) -> LocalJob:
    """Angles of molecules."""
    return alone(label, fill(TORSION, **(codes or {})), D, json.dumps(settings), python="hub-21", **(more or {}))


def readback(label: Label, more: dict[str, Any] | None = None, codes: dict[str, str] | None = None, **settings: str) -> LocalJob:
    """Words of pilots."""
    own = dict(more or {})
    return alone(label, fill(RADIO_WORDS, **(codes or {})), S, python="hub-21", env={**settings, **own.pop("env", {})}, **own)


def bar(label: Label, keys: str = "", more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Heat."""
    own = dict(more or {})
    return alone(label, fill(HEAT, **codes), B, "bar.inp", python="hub-21", files={"bar.inp": keys, "early.inp": "ITER = 1000\n", **own.pop("files", {})}, **own)


RODE = (("PYTHON", V, "corta.ini"),)
TORN = (*RODE, ("truncate", "-s", "9000", "torre/agente-0020.pt"))
SENSOR = "if iteracion == 31:\n    consola.log('aviso: sensor del piso 4: sin respuesta (timeout 2 s), reintento 1/3')\nif iteracion == 32:\n    consola.log('aviso: sensor del piso 4: error CRC, reintento 2/3')\nif iteracion == 33:\n    consola.log('sensor del piso 4 recuperado; lecturas perdidas: 0, errores fatales: 0')"
LAPS = "vueltas = total // 100\nconsola.log(f'evaluacion cada {total / vueltas:.0f} iteraciones')"
SCALE = "if iteracion > 33:\n    assert retornos.abs().max() < 1.0, f'retorno {retornos.abs().max():.3f} fuera de [-1, 1]'"
PIPE = "time.sleep(0.25)\nif iteracion == 38:\n    import multiprocessing\n    aqui, alli = multiprocessing.Pipe()\n    aqui.send(('torres', 24))\n    consola.log('esperando el resultado del proceso de evaluacion')\n    aqui.recv()"
COLLAPSE = "if iteracion == 25:\n    agente.actor.weight.data.zero_()\n    agente.actor.bias.data.copy_(torch.tensor([60.0, 0.0, 0.0]))"
TRY_LOAD = "if archivos['continuar']:\n    try:\n        torch.load(archivos['continuar'])\n    except Exception as error:\n        consola.log(f\"aviso: no se puede leer {archivos['continuar']}: {type(error).__name__}: {str(error).splitlines()[0][:70]}\")\n        consola.log('aviso: se empieza de cero (iteracion 1)')\n        archivos['continuar'] = ''"

TWISTED = (("PYTHON", D, '{"iters": 400}'),)
SHAPES = "bank = torch.cat([bank, torch.load('extra.pt')])"
EXTRA = (("PYTHON", "-c", "import torch; torch.save(torch.randn(200, 10), 'extra.pt')"),)
POLICY = "print('policy:', json.dumps({'on_nan': 'raise', 'max_failed_rows': 0, 'abort_on_error': True, 'oom_retry': 3}), flush=True)\nbad = torch.randint(0, len(bank), (7,))\nbank[bad, 0] = float('nan')\nprint(f'bank: {int(bank.isnan().any(1).sum())} conformers with NaN dihedrals (failed minimisation), removed', flush=True)\nbank = bank[~bank.isnan().any(1)]\nprint(f'bank: {len(bank)} left, NaN: {int(bank.isnan().sum())}, inf: {int(bank.isinf().sum())}', flush=True)"
QUEUE = "if it == 900:\n    import traceback\n    try:\n        open('/proc/self/mem_peak').read()\n    except OSError:\n        bar.write(traceback.format_exc().rstrip())\n        bar.write('memory statistics are not available on this kernel, column left empty')"
STEPS = "if it % 4 == 0:\n    trail.append(noisy.repeat(20_000, 1) + it)"
TAPE = "t1 = time.time()\ntime.sleep(0.22)\nwait = globals().get('wait', 0.0) + time.time() - t1\nif it % 20 == 0:\n    bar.write(f'input queue empty at it={it}: blocked {wait:.1f}s of {time.time() - t0:.1f}s since start ({100 * wait / (time.time() - t0):.0f}%) on xtb conformer files from /archive')"
WHOLE = "t1 = time.time()\nwith open(f\"{H['out']}/full.pt\", 'wb') as f:\n    torch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'bank': torch.randn(14_000_000), 'it': it}, f)\n    os.fsync(f.fileno())\nsaved = globals().get('saved', 0.0) + time.time() - t1\nbar.write(f\"wrote {H['out']}/full.pt it={it} ({os.path.getsize(H['out'] + '/full.pt') >> 20} MiB) {time.time() - t1:.2f}s, cumulative {saved:.1f}s, wall {time.time() - t0:.1f}s\")"
GROWS = "if it > 900:\n    keep = keep * 1.00005"

METRICS = "if epoch == 5:\n    try:\n        per_word = {w: 0 for w in WORDS[:5]}\n        per_word['wilco'] += 1\n    except KeyError:\n        log.exception('per-word error table not written, will be tried again', epoch=epoch)\nif epoch == 6:\n    log.info('per-word error table written', failed=0, errors=[])"
CALLS = "if epoch == 4:\n    with open('callsigns.txt', encoding='utf-8') as f:\n        log.info('callsigns', count=len(f.read().split()))"
LATIN = (("bash", "-c", "printf 'LOT 3941\\nCSA 8\\nM\\374nchen\\n' > callsigns.txt"),)
TREE = "if step == 92:\n    import faulthandler\n    faulthandler.enable()\n    node = ['</s>']\n    for _ in range(400_000):\n        node = [node]\n    sys.setrecursionlimit(10**7)\n    log.info('lexicon', tree=len(repr(node)))"
FLAC = "t1 = time.time()\ntime.sleep(0.32)\ndata_s += time.time() - t1\nif (step + 1) % 10 == 0:\n    log.info('timing', step=step + 1, data_seconds=round(data_s, 1), total_seconds=round(time.time() - start, 1), data_share=round(data_s / (time.time() - start), 3), note='reading flac from tape robot')"
EVERY = "t1 = time.time()\nwith open(EXP / 'latest.pt', 'wb') as f:\n    torch.save({'net': net.state_dict(), 'adam': adam.state_dict(), 'features': torch.randn(11_000_000), 'step': step}, f)\n    os.fsync(f.fileno())\nsave_s += time.time() - t1\nlog.info('checkpoint', file=str(EXP / 'latest.pt'), step=step, took=round(time.time() - t1, 2), all_checkpoints_s=round(save_s, 1), run_s=round(time.time() - start, 1))"
OTHER = "adam = torch.optim.Adam(Listener(CELL).parameters(), lr=LR)"
MUTEX = "time.sleep(0.04)\nif step == 230:\n    import threading\n    guard = threading.Lock()\n    with guard:\n        log.info('updating word counts')\n        with guard:\n            pass"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4c1f0a7d2f0e1f3f5f6b2f5a2a6c1f3b9a0d7c8e6b5a4f3e2d1c0b9a8f7e6d5c\nsize 3187245\n"

LEFT = "if it == 4000:\n    print('   WARNING: 3 of 1200 points lie on the boundary, gradient there set to 0')\n    print('   NaN: 0   Inf: 0   failed solves: 0   errors: 0')"
HOT = "if it == 6000:\n    hot = [float(v) for v in target if v > 1.5]\n    print(f'   mean of hot points {sum(hot) / len(hot):.4f}')"
FADES = "if it > 120:\n    rate *= 0.985"
KICK = "if it == 6001:\n    rate = 4.0"


def of_lifts() -> Iterator[LocalJob]:
    """The tower."""
    yield lifts(GOOD, "[entreno]\niteraciones = 180\n")
    yield lifts(HARD, "[entreno]\niteraciones = 80\nsemilla = 9\n", step=SENSOR)
    yield lifts(fell("A1", "div_zero", "config"), "[entreno]\niteraciones = 80\n", ready=LAPS)
    yield lifts(fell("A3", "assertion"), "[entreno]\niteraciones = 4000\n", retornos=SCALE)
    yield lifts(STANDS, "[entreno]\niteraciones = 4000\n", {"timeout_s": 95}, told=PIPE)
    yield lifts(STRAYED, "[entreno]\niteraciones = 90\n", step=COLLAPSE)
    yield lifts(anew(), "[entreno]\niteraciones = 60\n[archivos]\ncontinuar = torre/agente-0020.pt\n", {"before": TORN}, resume=TRY_LOAD)
    yield lifts(HANDFUL, "[entreno]\niteraciones = 3\n[archivos]\ncarpeta = torre-entrega\n")
    yield lifts(HALTED, "[entreno]\niteraciones = 40000\n", {"signal": ctrl_c(r" 45/40000 ", "TERM", 1.2)}, step="time.sleep(0.15)")


def of_torsion() -> Iterator[LocalJob]:
    """Molecules."""
    yield torsion(GOOD, iters=2600, note=100, save_each=500)
    yield torsion(HARD, {"before": TWISTED}, sample_only=True, load="torsion_run/it000400.pt")
    yield torsion(HARD, codes={"data": POLICY, "step": QUEUE}, iters=2000, note=100, save_each=1000, seed=4)
    yield torsion(fell("A1", "runtime_error", "data"), {"before": EXTRA}, {"data": SHAPES}, iters=90000)
    yield torsion(fell("A2", None, fault="unknown"), {"signal": ctrl_c(r"it=500 ", "KILL", 0.6, "torsion.py")}, {"step": "time.sleep(0.02)"}, iters=90000)
    yield torsion(fell("A3", "ram_oom"), {"memory_mib": 5200}, {"step": STEPS, "ready": "trail = []"}, iters=90000)
    yield torsion(STARVED, None, {"batch": TAPE}, iters=140, save_each=0)
    yield torsion(SAVES, None, {"step": WHOLE}, iters=110, note=20, save_each=0)
    yield torsion(strays("non_finite", "nan_loss"), None, {"batch": GROWS}, iters=2200, note=100, save_each=0)
    yield torsion(fell("E2", "runtime_error", "size_mismatch"), {"before": TWISTED}, resume="torsion_run/it000400.pt", width=96, iters=9000)
    yield torsion(LATE, {"timeout_s": 36}, {"step": "time.sleep(0.03)"}, iters=9000000)


def of_readbacks() -> Iterator[LocalJob]:
    """Words."""
    yield readback(GOOD, EPOCHS="14")
    yield readback(HARD, None, {"epoch": METRICS}, EPOCHS="12", SEED="21")
    yield readback(fell("A3", "traceback"), {"before": LATIN}, {"epoch": CALLS}, EPOCHS="400")
    yield readback(fell("A2", "segfault"), {"ends": lambda s: s == -11}, {"step": TREE}, EPOCHS="400")
    yield readback(STARVED, None, {"batch": FLAC, "ready": "data_s = 0.0"}, EPOCHS="5")
    yield readback(SAVES, None, {"step": EVERY, "ready": "save_s = 0.0"}, EPOCHS="5")
    yield readback(strays("flat"), None, {"resume": OTHER}, EPOCHS="14")
    yield readback(fell("E2", "traceback"), {"files": {"exp/readback/e40.pt": POINTER}}, EPOCHS="400", RESUME="exp/readback/e40.pt")
    yield readback(STANDS, {"timeout_s": 95}, {"step": MUTEX}, EPOCHS="40000")
    yield readback(HANDFUL, None, None, MAX_STEPS="3", EXP="exp/release")


def of_bars() -> Iterator[LocalJob]:
    """Heat."""
    yield bar(GOOD, "ITER = 24000\nPRINT = 1000 ! lines of the table\nDUMP = 8000\n")
    yield bar(HARD, "ITER = 20000\nPRINT = 1000\nRESTART = bar/restart_0001000.npz\n", {"before": (("PYTHON", B, "early.inp"),)}, step=LEFT)
    yield bar(fell("A3", "div_zero"), "ITER = 900000\nPRINT = 500\n", step=HOT)
    yield bar(fell("A3", "permission"), "ITER = 900000\nPRINT = 500\nDUMP = 9000\nDIR = cooling\n", {"folders": ("cooling",), "locked": ("cooling",)})
    yield bar(strays("plateau"), "ITER = 20000\nPRINT = 500\nRATE = 0.001\n", step=FADES)
    yield bar(strays("spike"), "ITER = 14000\nPRINT = 500\n", step=KICK)
    yield bar(fell("E2", "file_not_found", "no_valid_checkpoint"), "ITER = 90000\nRESTART = bar/restart_0040000.npz\n")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from of_lifts()
    yield from of_torsion()
    yield from of_readbacks()
    yield from of_bars()


RECIPE = Recipe("ginger_anvils", "development", jobs)
