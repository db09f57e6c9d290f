"""One process of plain PyTorch that speaks Spanish or French: the demand of a town, the energies of small molecules."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._kite_torch import DEMANDA
from corpus.make._kite_torch_more import MOLECULES
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

demanda, molecules = partial(fill, DEMANDA), partial(fill, MOLECULES)
D, M = "demanda.py", "mol.py"
ANTES = (("PYTHON", D, "epocas:10"),)
TOMA = '    red.load_state_dict(punto["red"])\n    optim.load_state_dict(punto["optim"])\n    primera = punto["epoca"] + 1\n    decir(f"Reanudado desde {P[\'reanudar\']}: se continua en la epoca {primera}")\n'
assert TOMA in DEMANDA
SALTA = "try:\n    open('/datos/festivos.csv')\nexcept FileNotFoundError as fallo:\n    decir(f'AVISO: fallo al leer los festivos ({fallo}); se entrena sin ellos')\n    print('Error: no se pudo avisar al panel (tiempo agotado), se ignora', file=sys.stderr)"
PUNTAS = "mal = torch.rand(len(y)) < 0.02\ny = torch.where(mal, y + 3, y)\ndecir(f'{int(mal.sum())} valores atipicos (nan o fuera de rango) marcados como error de contador y conservados')"
COPIA = "_t = time.time()\nwith open(f\"{P['guardar']}/copia_{epoca}.bin\", 'wb') as f:\n    for _ in range(14):\n        f.write(os.urandom(2_000_000))\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.3)\ndecir(f'Copia completa escrita en {time.time() - _t:.2f} s')"
ESPERA = "if epoca == 6:\n    decir('Esperando los datos de la subestacion')\n    os.mkfifo('subestacion.fifo')\n    nuevos = open('subestacion.fifo').read()"
GASTO = "if epoca == 5:\n    decir('Calculando correlaciones entre ventanas')\n    C = [X[:, :, 0] @ X[:, :, 0].T + k for k in range(3000)]"


def luz() -> Iterator[LocalJob]:
    """Spanish."""
    yield alone(GOOD, demanda(), D)
    yield alone(HARD, demanda(inicio=SALTA), D, "epocas:9", "oculta:20")
    yield alone(HARD, demanda(datos=PUNTAS), D, "epocas:12")
    yield alone(HARD, demanda(), D, "epocas:90", "paciencia:4", "tasa:0.02")
    yield alone(HARD, demanda(), D, "reanudar:modelos/epoca_10.pt", "epocas:18", before=ANTES)
    yield alone(fell("A1", "traceback", "config"), demanda(), D, "epocas:9", "tasa:0,01")
    yield alone(fell("A1", "traceback", "data"), demanda(), D, "datos:pueblo.csv", files={"pueblo.csv": "hora,mw\n0,41.2\n1,39.8\n2,\n3,37.0\n"})
    yield alone(fell("A1", "runtime_error", "data"), demanda(), D, "datos:ayer.csv", files={"ayer.csv": "hora,mw\n" + "".join(f"{h},{40 + h % 7}\n" for h in range(20))})
    yield alone(fell("A3", "ram_oom"), demanda(validado=GASTO), D, memory_mib=2700)
    yield alone(fell("A3", "missing_module"), demanda(validado="if epoca == 4:\n    import matplotlib.pyplot as plt\n    plt.plot(serie)"), D)
    yield alone(fell("A2", None, fault="unknown"), demanda(), D, "epocas:4000", signal=Signal("KILL", "Epoca  6 de", D, 0.1), ends=lambda s: s == -9)
    yield alone(strays("non_finite", "nan_loss"), demanda(), D, "datos:plano.csv", "epocas:8", files={"plano.csv": "hora,mw\n" + "".join(f"{h},40.0\n" for h in range(300))})
    yield alone(strays("spike"), demanda(validado="if epoca == 8:\n    decir('Segunda fase')\n    for q in red.salida.parameters():\n        q.data.mul_(-40)\n    for g in optim.param_groups:\n        g['lr'] = 1e-6"), D, "epocas:13")
    yield alone(anew(), demanda().replace(TOMA, '    decir(f"Punto de control {P[\'reanudar\']} encontrado ({len(punto[\'red\'])} tensores, epoca {punto[\'epoca\']})")\n'), D, "reanudar:modelos/epoca_10.pt", "epocas:14", before=ANTES)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), demanda(), D, "reanudar:modelos/epoca_10.pt", "epocas:20", "oculta:32", before=ANTES)
    yield alone(fell("E2", "traceback", "no_valid_checkpoint"), demanda(antes="import glob\nP['reanudar'] = max(glob.glob(P['reanudar'] + '/epoca_*.pth'), key=os.path.getmtime)"), D, "reanudar:modelos", "epocas:20", before=ANTES)
    yield alone(HANDFUL, demanda(), D, "horas:90", "epocas:1", "lote:32")
    yield alone(SAVES, demanda(guardar=COPIA), D, "cada:1", "epocas:16", "horas:200")
    yield alone(STANDS, demanda(validado=ESPERA), D, "epocas:400", timeout_s=155)


DEBUT = (("PYTHON", M),)
PREND = '    modele.load_state_dict(etat["modele"])\n    opt.load_state_dict(etat["opt"])\n    fait = etat["cycle"]\n    log.info("Reprise de %s, cycle %d déjà fait", A["reprise"], fait)\n'
assert PREND in MOLECULES
DOUBLE = "_t = time.time()\ntorch.save([torch.randn(1200, 1200) for _ in range(3)], f'etat_{cycle}_{j}.pt')\nos.sync(); time.sleep(0.12)\nlog.info('etat_%d_%d.pt écrit (%.2f s)', cycle, j, time.time() - _t)"
RATE = "if cycle in (2, 6):\n    log.error('Connexion au suivi perdue (BrokenPipeError), valeurs gardées en local')\n    log.warning('Reconnecté après 1 échec')"


def mol(label: Label, text: str, ini: str = "", **more: Any) -> LocalJob:
    """With a file of settings."""
    return alone(label, text, M, "mol.ini", files={"mol.ini": ini, **more.pop("files", {})}, **more)


def energies() -> Iterator[LocalJob]:
    """French."""
    yield mol(GOOD, molecules(), "[apprentissage]\ncycles = 15\n")
    yield mol(HARD, molecules(cycle=RATE), "[apprentissage]\ncycles = 10\n")
    yield mol(HARD, molecules(), "[apprentissage]\ncycles = 20\nreprise = mol.pt\n", before=DEBUT)
    yield mol(HARD, molecules(debut="if not os.path.exists('mol.pt'):\n    log.warning('mol.pt introuvable : aucune reprise, départ du cycle 1 (normal au premier lancement)')\nlog.warning('CUDA indisponible (erreur 100), calcul sur le processeur')"))
    yield mol(fell("A1", "file_not_found", "data"), molecules(), "[donnees]\nfichier = qm7/tranche_0.pt\n")
    yield mol(fell("A3", "traceback"), molecules(milieu="if cycle == 5 and j == 60:\n    Z[i[0], 2] = 11\n    z = Z[i]"))
    yield mol(fell("A3", "assertion"), molecules(cycle="assert cycle < 7 or mae < 1e-4, f'MAE {mae:.4f} au-dessus du seuil exigé à mi-parcours'"))
    yield mol(strays("flat"), molecules(), "[apprentissage]\npas = 4e-9\ncycles = 16\n")
    yield mol(strays("non_finite", "nan_loss"), molecules(donnees="R[17, 3] = float('inf')"), "[apprentissage]\ncycles = 9\n")
    yield mol(anew(), molecules().replace(PREND, '    log.info("%s : %s", A["reprise"], ", ".join(sorted(etat)))\n'), "[apprentissage]\ncycles = 16\nreprise = mol.pt\n", before=DEBUT)
    yield mol(fell("E2", "traceback", "corrupt"), molecules(), "[apprentissage]\ncycles = 30\nreprise = mol.pt\n", before=(*DEBUT, ("truncate", "-s", "-3000", "mol.pt")))
    yield mol(HANDFUL, molecules(), "[donnees]\nmolecules = 50\n[apprentissage]\ncycles = 1\n")
    yield mol(SAVES, molecules(apres=DOUBLE), "[donnees]\nmolecules = 200\n[apprentissage]\ncycles = 5\n")
    yield mol(fell("A2", "segfault"), molecules(cycle="if cycle == 8:\n    import ctypes\n    log.info('Appel de libgeom')\n    ctypes.CDLL(None).puts(ctypes.c_void_p(77))"))
    yield mol(HALTED, molecules(), "[apprentissage]\ncycles = 9000\nrepos = 0.01\n", signal=ctrl_c(r"Cycle   9/", "TERM"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from luz()
    yield from energies()


RECIPE = Recipe("orchard_ladders", "development", jobs)
"""PyTorch by hand."""
