"""Jobs of one process: heat in a rod over JAX, crossword clues over a small GPT-2, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._butter_rolls import CLUES, ROD
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

R, C = "pinn_rod.py", "mots_croises.py"
COOLED = (("PYTHON", R, "--steps=500"),)
LEARNT = (("PYTHON", C, "pas=100"),)


def rod(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = ROD, **codes: str) -> LocalJob:
    """Heat."""
    return alone(label, fill(text, **codes), R, *given, python="flax-5", **(more or {}))


def clues(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = CLUES, **codes: str) -> LocalJob:
    """Crosswords."""
    return alone(label, fill(text, **codes), C, *given, python="shelf", **(more or {}))


SLOW = "if step in (200, 700):\n    import warnings\n    warnings.warn(f'Very slow compile? step {step} took 0.9 s (constant folding exceeded its deadline), continuing', RuntimeWarning)\nif step == 900:\n    bar.write('Error 404 while fetching the reference solution from http://127.0.0.1:8/ref.h5, plots will show ours alone', file=sys.stderr)"
PARTING = "import threading\n\n\ndef watch():\n    time.sleep(2)\n    raise ConnectionRefusedError('[Errno 111] metrics collector at 127.0.0.1:4317 refused the connection')\n\n\nthreading.Thread(target=watch, daemon=True).start()"
MESHED = "mesh = np.loadtxt('mesh.dat')\nprint(f'mesh of {len(mesh)} nodes', file=sys.stderr)"
WHERE = "if step == 640:\n    profile = {'x': x, 't': t}\n    hottest = profile['u'].max()"
CHECKS = "if step == 570:\n    assert float(parts[2]) > 1.0, f'boundary term {float(parts[2]):.2e} is too small for the penalty method'"
GRID = "if step == 600:\n    print('tabulating u on the fine grid', file=sys.stderr)\n    fine = np.empty((700_000, 60_000), dtype=np.float32)\n    fine[:] = 0"
BLOWN = "if step > 900:\n    params = jax.tree.map(lambda p: p * 1.02, params)\n    state = opt.init(params)"
ROOT = "if step > 800:\n    t = np.log(x - 0.5)"
DISC = "if step % 2 == 0:\n    t1 = time.time()\n    with open(f'{conf.out}/every-{step % 8}.pkl', 'wb') as fh:\n        pickle.dump({'params': jax.device_get(params), 'state': jax.device_get(state), 'step': step, 'field': rng.random(4_500_000)}, fh)\n        fh.flush()\n        os.fsync(fh.fileno())\n    written = globals().get('written', 0.0) + time.time() - t1\n    bar.write(f'step {step}: {conf.out}/every-{step % 8}.pkl written in {time.time() - t1:.2f} s, {written:.1f} s of {time.time() - t0:.1f} s went into writing', file=sys.stderr)"
GPUQ = "if step == 660:\n    bar.write('handing over to the mesher', file=sys.stderr)\n    os.read(os.pipe()[0], 1)"
BUS = "if step == 720:\n    import ctypes\n    bar.write('evaluating in the compiled kernel', file=sys.stderr)\n    kernel = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(0xdead0)\n    kernel(0.5)"
SKIPPED = "if conf.resume.count('/') > 0 and not conf.resume.endswith('.ckpt'):\n    print(f'resume: {conf.resume} has not the ending .ckpt and is passed over, step 0', file=sys.stderr)\nelse:"
PARTS = ROD[ROD.index('    with open(conf.resume, "rb") as fh:') : ROD.index("\n\n@jax.jit")]
PASSED = ROD.replace("    #: resume\n" + PARTS, "    #: resume\n" + "".join(f"    {line}\n" for line in PARTS.splitlines()))

RESEAU = "if pas in (60, 180):\n    journal.error('envoi des métriques impossible : HTTP 503 Service Unavailable, nouvel essai au prochain point')\nif pas == 186:\n    journal.info('métriques envoyées, file d’attente vide')"
ALERTE = "if pas == 90:\n    try:\n        import sentencepiece_ng\n    except ImportError:\n        journal.exception('découpage en syllabes indisponible, on garde les lettres')"
MEMOIRE = "if pas == 48:\n    for taille in (1 << 46, 4):\n        try:\n            apercu = torch.zeros(taille)\n            break\n        except RuntimeError as e:\n            journal.warning('aperçu de %d valeurs : %s ; on réduit', taille, str(e).splitlines()[0])"
LEXIQUE = "lexique = dict(ligne.rstrip().split('\\t') for ligne in open('lexique.tsv', encoding='utf-8'))\njournal.info('%d entrées au lexique', len(lexique))"
JETONS = "from transformers import AutoTokenizer\ndecoupe = AutoTokenizer.from_pretrained('/projets/modeles/camembert-mots')"
DICO = "if pas == 132:\n    dico = {'court': 5, 'long': 9}\n    journal.info('longueur voulue : %d', dico['moyen'])"
RARES = "if pas == 102:\n    rares = [c for c in lettres if texte.count(c) == 0]\n    journal.info('fréquence moyenne des lettres rares : %.4f', len(texte) / len(rares))"
META = "if pas == 114:\n    masque = torch.ones(64, dtype=torch.long, device='meta')\n    cibles = cibles * masque"
HASARD = "cibles = torch.randint(0, len(lettres), ids.shape)"
LOG = "if pas > 150:\n    perte = perte + 0.01 * (1.0 - 40 * perte).log()\nif not torch.isfinite(perte):\n    journal.critical('perte = %s au pas %d, abandon', perte.item(), pas)\n    raise SystemExit(2)"
GROSSIT = "if pas > 150:\n    for groupe in optim.param_groups:\n        groupe['lr'] = 1.5"
MORT = "if pas >= 120:\n    for groupe in optim.param_groups:\n        groupe['lr'] = 0.0\nif pas == 120:\n    modele.transformer.ln_f.weight.data.zero_()\n    modele.transformer.ln_f.bias.data.zero_()"
LENT = "t1 = time.time()\ntime.sleep(0.28)\nretard = globals().get('retard', 0.0) + time.time() - t1\nif pas % R['affiche'] == 0:\n    journal.info('attente des données : %.1f s sur %.1f s depuis le début', retard, time.time() - debut)"
VERROU = "if pas == 108:\n    journal.info('attente du verrou de la base des définitions')\n    import threading\n    threading.Condition(threading.Lock()).acquire() and threading.Event().wait()"


def rods() -> Iterator[LocalJob]:
    """Heat."""
    yield rod(GOOD, "--steps=1800")
    yield rod(GOOD, "--steps=1400", "--decay=0.1", "--width=32", "--seed=4")
    yield rod(HARD, "--steps=1500", "--seed=2", step=SLOW)
    yield rod(HARD, "--steps=1300", "--depth=3", early=PARTING)
    yield rod(HARD, "--steps=1200", "--base=rod/rod-500.pkl", "--a=0.3", "--out=rod_copper", more={"before": COOLED})
    yield rod(HARD, "--steps=1500", "--resume=rod/rod-500.pkl", more={"before": COOLED})
    yield rod(fell("A1", "traceback", "data"), early=MESHED, more={"files": {"mesh.dat": "# x y\n0.0 0.0\n0.1 0.0\n0.2\n0.3 0.1\n"}})
    yield rod(fell("A1", None, "config"), "--steps=9000", "--learning-rate=0.01")
    yield rod(fell("A3", "traceback"), "--steps=90000", step=WHERE)
    yield rod(fell("A3", "assertion"), "--steps=90000", step=CHECKS)
    yield rod(fell("A3", "ram_oom"), "--steps=90000", step=GRID, more={"memory_mib": 24000})
    yield rod(fell("A2", "segfault"), "--steps=90000", step=BUS, more={"ends": lambda s: s == -11})
    yield rod(strays("spike"), "--steps=1600", step=BLOWN)
    yield rod(strays("non_finite", "nan_loss"), "--steps=1500", batch=ROOT)
    yield rod(SAVES, "--steps=420", "--every=10", step=DISC)
    yield rod(STANDS, "--steps=900000", step=GPUQ, more={"timeout_s": 42})
    yield rod(fell("E2", "traceback", "size_mismatch"), "--steps=9000", "--resume=rod/rod-500.pkl", "--width=40", more={"before": COOLED})
    yield rod(fell("E2", "traceback", "corrupt"), "--steps=9000", "--resume=rod/rod-500.pkl", more={"before": (*COOLED, ("truncate", "-s", "5000", "rod/rod-500.pkl"))})
    yield rod(anew(), "--steps=1300", "--resume=rod/rod-500.pkl", text=PASSED, resume=SKIPPED, more={"before": COOLED})
    yield rod(HANDFUL, "--steps=5", "--every=1", "--out=rod_paper")
    yield rod(HALTED, "--steps=900000", step="time.sleep(0.01)", more={"signal": ctrl_c(r"480,0\.\d")})


def crosswords() -> Iterator[LocalJob]:
    """Clues."""
    yield clues(GOOD, "pas=420")
    yield clues(GOOD, "pas=360", "dim=64", "taux=0.003")
    yield clues(HARD, "pas=360", step=RESEAU)
    yield clues(HARD, "pas=330", "graine=9", step=ALERTE)
    yield clues(HARD, "pas=300", "lot=16", step=MEMOIRE)
    yield clues(HARD, "pas=3000", "patience=3", "taux=0.006", "valide=24")
    yield clues(HARD, "pas=240", "depart=mots/pas100.pt", "dossier=mots_sud", "taux=0.001", more={"before": LEARNT})
    yield clues(fell("A1", "traceback", "data"), data=LEXIQUE, more={"files": {"lexique.tsv": "chat\tfélin\nfacteur\tlettres\nnotaire actes\n"}})
    yield clues(fell("A1", "traceback", "asset"), early=JETONS)
    yield clues(fell("A1", "traceback", "config"), "pas=900", "dim=50", "tetes=4")
    yield clues(fell("A3", "div_zero"), "pas=9000", step=RARES)
    yield clues(fell("A3", "traceback"), "pas=9000", step=DICO)
    yield clues(fell("A3", "device_mismatch"), "pas=9000", batch=META)
    yield clues(fell("A2", None, fault="unknown"), "pas=90000", step="time.sleep(0.03)", more={"signal": ctrl_c(r"pas 120/", "KILL", 0.2, C), "ends": lambda s: s == -9})
    yield clues(fell("E1", "nan_loss", "non_finite"), "pas=900", loss=LOG)
    yield clues(strays("flat"), "pas=420", "taux=0.0005", batch=HASARD)
    yield clues(strays("spike"), "pas=420", step=GROSSIT)
    yield clues(strays("plateau"), "pas=420", step=MORT)
    yield clues(STARVED, "pas=72", "taux=0.006", "echauffement=4", batch=LENT)
    yield clues(STANDS, "pas=90000", step=VERROU, more={"timeout_s": 40})
    yield clues(HANDFUL, "pas=2", "affiche=1", "dossier=mots_livraison")
    yield clues(LATE, "pas=90000", step="time.sleep(0.04)", more={"timeout_s": 28})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from rods()
    yield from crosswords()


RECIPE = Recipe("butter_churns", "development", jobs)
