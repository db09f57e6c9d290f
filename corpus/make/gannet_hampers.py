"""One process: seismic traces in French with decimal commas, droughts in Spanish tables and plain Python. Under gpualert-run."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._gannet_terrains import SEISME, SEQUIA
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

seisme, sequia = partial(fill, SEISME), partial(fill, SEQUIA)
F, E = "apprendre.py", "sequia.py"
NANS = "nan_loss"


def ini(said: dict[str, Any], fichiers: dict[str, str] | None = None, evaluer: bool = False) -> str:
    """Settings by section."""
    rows = ["[apprentissage]", *(f"{k} = {w}" for k, w in said.items()), "", "[fichiers]", *(f"{k} = {w}" for k, w in (fichiers or {}).items())]
    return "\n".join([*rows, "", "[mode]", "evaluer = oui" if evaluer else "evaluer = non"]) + "\n"


def trace(label: Label, text: str, fichiers: dict[str, str] | None = None, *, evaluer: bool = False, more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """The institute's traces."""
    others = dict(more or {})
    files = {"alpes.ini": ini(said, fichiers, evaluer), "avant.ini": ini({"epoques": 10}), **others.pop("files", {})}
    return alone(label, text, F, "alpes.ini", files=files, **others)


AVANT = (("PYTHON", F, "avant.ini"),)
DIX = "sortie/etat_010.pt"
MUETTES = """for station, combien in (("CH03", 41), ("CH07", 12)):
    dire.error("station %s : %d traces illisibles (somme de contrôle fausse), ignorées", station, combien)
dire.warning("pente instrumentale : 7 valeurs NaN remplacées par la médiane")"""
SERVEUR = """if epoque in (6, 14):
    import urllib.request
    try:
        urllib.request.urlopen("http://127.0.0.1:9/suivi", timeout=2)
    except OSError as e:
        dire.error("serveur de suivi : %s ; on continue sans lui", e)
if epoque == 15:
    dire.info("serveur de suivi retrouvé, 2 messages en attente envoyés")"""
CATALOGUE = """import csv
with open("catalogue.csv", encoding="utf-8") as f:
    magnitudes = [float(r["magnitude"]) for r in csv.DictReader(f)]
dire.info("%d séismes au catalogue, magnitude maximale %s", len(magnitudes), v(max(magnitudes), 1))"""
CSV = "date,lieu,magnitude\n2026-02-11,Vallorcine,2.4\n2026-03-02,Barcelonnette,3.1\n2026-03-09,Sion,2,8\n2026-04-21,Ubaye,n/d\n2026-05-30,Martigny,1.9\n"
FILTRE = """if epoque == 8:
    dire.info("filtre en C à partir d'ici")
    import ctypes
    ctypes.memmove(XV.data_ptr() >> 24, X.data_ptr(), 4096)"""
PROFONDS = """if epoque == 7:
    profonds = [i for i in range(len(XV)) if XV[i].abs().max() > 90]
    bons = sum(int(reseau(XV[i : i + 1]).argmax() == KV[i]) for i in profonds)
    dire.info("séismes profonds : bien classés %s %%", v(100 * bons / len(profonds), 1))"""
PAIRES = """if epoque == 9:
    dire.info("corrélation croisée de toutes les fenêtres")
    fenetres = X.unfold(2, 32, 2).reshape(-1, 32)
    voisins = torch.cdist(fenetres.repeat(2, 1), fenetres.repeat(2, 1))"""
AFFICHE = """if epoque == 9:
    import threading
    pret = threading.Event()
    dire.info("carte des stations confiée au serveur d'affichage")
    pret.wait()"""
BANDE = "time.sleep(0.16 + 0.12 * (lot % 2))"
BANDES = 'dire.info("    temps du lot 1 au lot %d : %s s, dont attente des données %s s", lot, v(time.time() - t_epoque, 1), v(lire, 1))'
TOUT = """import bz2
t1 = time.time()
with open(f"{FIC['sortie']}/lot_{epoque:03d}_{lot:03d}.bz2", "wb") as f:
    f.write(bz2.compress(os.urandom(2_600_000)))
t_ecrire += time.time() - t1
dire.info("état du lot %d écrit dans %s/lot_%03d_%03d.bz2 en %s s", lot, FIC["sortie"], epoque, lot, v(time.time() - t1, 2))"""
BILAN = 'dire.info("depuis le début %s s, dont %s s à écrire des états", v(time.time() - debut, 1), v(t_ecrire, 1))'
MORTE = """if epoque >= 8:
    x = x / x.abs().amax(2, keepdim=True)
    if lot == 5:
        x[0] = torch.zeros(3, 96) / torch.zeros(3, 96).abs().amax(1, keepdim=True)"""
BRUTES = """if epoque == 16 and lot == 1:
    dire.info("ajout de la station CH07 (comptes bruts)")
if epoque >= 16:
    x = x.clone()
    x[::3] *= 40000.0"""
SAUT = """for g in optimiseur.param_groups:
    g["lr"] = 0.5 if epoque == 9 else A.getfloat("pas") * 0.5 ** max(0, epoque - 14)"""
ETATS = SEISME[SEISME.index('    etat = torch.load(FIC["reprise"])') : SEISME.index('os.makedirs(FIC["sortie"]')]
AUTRE = """    try:
        etat = torch.load(FIC["reprise"])
        reseau.load_state_dict(etat["modele"])
        optimiseur.load_state_dict(etat["optimiseur"])
        faites = etat["epoque"]
    except Exception as e:
        dire.warning("reprise de %s demandée, mais %s : %s ; réseau neuf, époque 1", FIC["reprise"], type(e).__name__, e)
"""


def quakes() -> Iterator[LocalJob]:
    """In French."""
    yield trace(GOOD, seisme(), epoques=26)
    yield trace(HARD, seisme(donnees=MUETTES, fini=SERVEUR), epoques=22)
    yield trace(HARD, seisme(), {"poids": DIX}, evaluer=True, more={"before": AVANT})
    yield trace(HARD, seisme(), {"reprise": DIX, "garder": "10"}, epoques=28, more={"before": AVANT})
    yield trace(fell("A1", "missing_module", "env"), seisme(entete="import obspy"), epoques=300)
    yield trace(fell("A1", "traceback", "data"), seisme(donnees=CATALOGUE), epoques=300, more={"files": {"catalogue.csv": CSV}})
    yield trace(fell("A2", "segfault"), seisme(entete="import faulthandler\nfaulthandler.enable()", fini=FILTRE), epoques=300, more={"ends": lambda s: s == -11})
    yield trace(fell("A3", "div_zero"), seisme(fini=PROFONDS), epoques=300)
    yield trace(fell("A3", "ram_oom"), seisme(fini=PAIRES), epoques=300, more={"memory_mib": 9000})
    yield trace(STANDS, seisme(fini=AFFICHE), epoques=300, pause=0.02, more={"timeout_s": 68})
    yield trace(STARVED, seisme(lot=BANDE, dit=BANDES), epoques=4, pause=0)
    yield trace(SAVES, seisme(apres=TOUT, fini=BILAN), epoques=3, lots=30, pause=0, pas=0.006)
    yield trace(strays("non_finite", NANS), seisme(lot=MORTE), epoques=18)
    yield trace(strays("spike"), seisme(lot=BRUTES), epoques=27)
    yield trace(strays("plateau"), seisme(epoque=SAUT), epoques=32)
    yield trace(anew(), seisme().replace(ETATS, AUTRE), {"reprise": DIX}, epoques=24, more={"before": AVANT})
    yield trace(fell("E2", "runtime_error", "size_mismatch"), seisme(), {"reprise": DIX}, epoques=60, canaux=12, more={"before": AVANT})
    yield trace(HANDFUL, seisme(), {"sortie": "publication", "garder": "1"}, epoques=1, lots=3, afficher=1, pause=0.6)
    yield trace(LATE, seisme(), epoques=5000, pas=0.0006, pause=0.04, more={"timeout_s": 44})


def basin(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Droughts."""
    return alone(label, text, E, *given, python="system", **more)


BASE = (("PYTHON", E, "--ciclos", "1200"),)
RED = "modelos/red_001200.json"


def rows(bad: int = -1) -> str:
    """Basins by month; one of them as a spreadsheet writes it."""
    r = random.Random(9)
    lines = [";".join([*(f"{r.gauss(0, 1):.3f}" for _ in range(8)), str(r.randint(0, 1))]) for _ in range(220)]
    return "\n".join(line.replace(".", ",") if n == bad else line for n, line in enumerate(lines)) + "\n"


AVISOS = """import warnings
print("AVISO: 14 cuencas sin nieve medida: se toma 0 (no es un error)", file=sys.stderr, flush=True)
for intento in (1, 2):
    try:
        open("/mnt/satelite/humedad.nc", "rb")
    except OSError as e:
        print(f"ERROR al leer la humedad por satélite, intento {intento} de 2: {e}", file=sys.stderr, flush=True)
        time.sleep(1.5)
warnings.warn("se usa la humedad de las estaciones en lugar de la del satélite")"""
INFORME = """if ciclo == 1500:
    print("informe para la confederación", flush=True)
    with open("informes/avance.txt", "w", encoding="utf-8") as informe:
        informe.write(f"aciertos {aciertos:.3f}")"""
OTONO = """if ciclo == 1400:
    print("se añaden las cuencas de otoño", flush=True)
    with open("datos/otono_2026.csv", encoding="utf-8") as fichero:
        muestras += [([float(w) for w in r.split(";")[:8]], float(r.split(";")[8])) for r in fichero]"""
MESES = """if ciclo == 1700:
    pesos = dict(zip(VARIABLES, red["w"][0]))
    print("peso del viento:", pesos["viento"], flush=True)"""
COLA = """if ciclo == 1300:
    print("leyendo las medidas de hoy", flush=True)
    import subprocess
    hoy = subprocess.run(["tail", "-n", "+1", "-f", "hoy.csv"], capture_output=True).stdout"""
CONTORNO = """if ciclo == 1100:
    print("trazado de cuencas con la biblioteca de C++", flush=True)
    import ctypes
    borde = ctypes.CDLL("libstdc++.so.6")
    borde._ZSt20__throw_out_of_rangePKc(b"vector::_M_range_check: __n (which is 12) >= this->size() (which is 12)")"""
CINTA = "time.sleep(0.045)"
CINTAS = """print(f"          tiempo: {time.time() - marca:.1f} s desde el comienzo; {leyendo:.1f} s esperando la lectura de las cuencas", flush=True)"""
COPIA = """import gzip
t1 = time.time()
with gzip.open(f"{o.carpeta}/ciclo_{ciclo:06d}.json.gz", "wb", 9) as copia:
    copia.write(json.dumps({"red": red, "muestras": muestras * 3}).encode())
guardando += time.time() - t1
print(f"          -> {o.carpeta}/ciclo_{ciclo:06d}.json.gz (red y muestras), {time.time() - t1:.2f} s", flush=True)"""
COPIAS = """print(f"          {time.time() - marca:.1f} s en total, {guardando:.1f} s guardando", flush=True)"""
BARAJA = """lote = [(f, float(azar.random() < 0.46)) for f, _ in lote]"""
VACIAS = """if ciclo == 1200:
    print("nuevas cuencas: 40, columna 'nieve' sin datos (nan)", flush=True)
    muestras += [(f[:3] + [float("nan")] + f[4:], y) for f, y in (cuenca() for _ in range(40))]"""
DECAE = "tasa = o.tasa * 0.5 ** (ciclo // 40)"
PEQUENA = "red = {k: [[0.05 * w for w in f] if isinstance(f, list) else 0.05 * f for f in red[k]] for k in red}"


def basins() -> Iterator[LocalJob]:
    """In Spanish."""
    yield basin(GOOD, sequia(), "--ciclos", "2600")
    yield basin(HARD, sequia(cabeza="", datos=AVISOS), "--ciclos", "2200")
    yield basin(HARD, sequia(), "--ciclos", "60000", "--paciencia", "4", "--tasa", "0.3", "--cada", "200")
    yield basin(fell("A1", None, "config"), sequia(), "--ciclos", "90000", "--capas", "2")
    yield basin(fell("A1", "permission"), sequia(), "--ciclos", "90000", "--datos", "cuencas.csv", files={"cuencas.csv": rows()}, locked=("cuencas.csv",))
    yield basin(fell("A1", "traceback", "data"), sequia(), "--ciclos", "90000", "--datos", "cuencas.csv", files={"cuencas.csv": rows(137)})
    yield basin(fell("A2", None), sequia(despues=CONTORNO), "--ciclos", "90000", ends=lambda s: s == -6)
    yield basin(fell("A3", "permission"), sequia(renglon=INFORME), "--ciclos", "90000", folders=("informes",), locked=("informes",))
    yield basin(fell("A3", "file_not_found"), sequia(renglon=OTONO), "--ciclos", "90000")
    yield basin(fell("A3", "traceback"), sequia(renglon=MESES), "--ciclos", "90000")
    yield basin(STANDS, sequia(renglon=COLA), "--ciclos", "90000", files={"hoy.csv": rows()}, signal=ctrl_c("leyendo las medidas", "TERM", 52.0), ends=lambda s: s in (-15, 143))
    yield basin(STARVED, sequia(lote=CINTA, renglon=CINTAS), "--ciclos", "800", "--cada", "50", "--tasa", "0.1", "--espera", "0")
    yield basin(SAVES, sequia(despues=COPIA, renglon=COPIAS), "--ciclos", "250", "--cada", "10", "--tasa", "0.3", "--espera", "0")
    yield basin(strays("flat"), sequia(lote=BARAJA, red=PEQUENA), "--ciclos", "3000", "--tasa", "0.01")
    yield basin(strays("non_finite", NANS), sequia(renglon=VACIAS), "--ciclos", "2400")
    yield basin(strays("plateau"), sequia(tasa=DECAE), "--ciclos", "2800", "--tasa", "0.05")
    yield basin(fell("E2", "traceback", "corrupt"), sequia(), "--ciclos", "90000", "--seguir", RED, before=(*BASE, ("truncate", "-s", "700", RED)))
    yield basin(fell("E2", "file_not_found", "no_valid_checkpoint"), sequia(), "--ciclos", "90000", "--seguir", "modelos/red_002400.json", before=BASE)
    yield basin(HANDFUL, sequia(), "--ciclos", "3", "--cada", "1", "--guardar", "3", "--carpeta", "modelos_entrega", "--espera", "0.7")
    yield basin(HALTED, sequia(), "--ciclos", "900000", signal=ctrl_c(r"^ +2300 "))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from quakes()
    yield from basins()


RECIPE = Recipe("gannet_hampers", "development", jobs)
