"""One process: leaves in Flax, tiles in Portuguese, verses as key=value. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._trivet_plates import LEAVES, ROSTOS, VERSES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

leaves, vae, verses = partial(fill, LEAVES), partial(fill, ROSTOS), partial(fill, VERSES)
F, V, M = "leaves.py", "vae.py", "lm_train.py"
NANS = "nan_loss"
GROWN = (("PYTHON", F, "--num-steps", "200"),)
STATE = "work/leaves/state.pkl"


def leaf(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Colorlog without colours."""
    return alone(label, text, F, *given, python="flax-5", **more)


TPU = """log.warning("Unable to initialize backend 'cuda': Unable to load cuSOLVER. Is it installed? Falling back to cpu.")
log.warning("libtpu.so not found: failed to open (No such file or directory), that is fine without a TPU")"""
PUSHED = """if step in (250, 400):
    try:
        import socket
        socket.create_connection(("127.0.0.1", 9), timeout=1)
    except OSError:
        log.exception("tracker: could not push %d records, kept in work/offline.jsonl", 10)"""
NARROW = """if step == 175:
    log.info("leaves of the second camera, 10 x 12 pixels")
    x = x[:, :10]
    net.apply({"params": state.params}, x)"""
GARDEN = """if step == 150:
    log.info("herbarium scans for the comparison")
    scan = open("scans/herbarium_0007.npy", "rb").read()"""
TALLY = """if step == 275:
    rare = (YT == 7)
    log.info("accuracy on rare leaves %.3f", int((rare & (YT == 3)).sum()) / int(rare.sum()))"""
SHUFFLED = """y = rng.integers(0, CLASSES, cfg.batch)
if step == 1:
    state = state.replace(params={**state.params, "Dense_0": jax.tree_util.tree_map(lambda p: p * 0.02, state.params["Dense_0"])})"""
SCALE = """if step == 300:
    log.info("exploration: noise of 0.5 on the weights after every step from here on")
if step >= 300:
    leaves_, tree = jax.tree_util.tree_flatten(state.params)
    state = state.replace(params=jax.tree_util.tree_unflatten(tree, [p + 0.5 * rng.normal(size=p.shape).astype("float32") for p in leaves_]))"""
OFF = "rate = optax.piecewise_constant_schedule(cfg.lr, {200: 0.0})"
ZERO = """if step == 200:
    state = state.replace(params=jax.tree_util.tree_map(lambda p: p * 0.0, state.params))
    log.info("schedule: learning rate is 0 from here on")"""
INFS = "if step >= 260:\n    x = x / np.float32(0.0)"
DISK = "time.sleep(0.21)\nt_wait += 0.21  # one archive member a batch, decoded here"
DISKS = 'if step % cfg.log_every == 0:\n    log.info("step %5d | input pipeline blocked the step for %.2f s of the last %d steps", step, t_wait, cfg.log_every)\n    t_wait = 0.0'
ORBITS = """import gzip
t1 = time.time()
with gzip.open(f"{cfg.workdir}/full_{step}.gz", "wb", compresslevel=9) as f:
    pickle.dump([rng.normal(size=900_000), jax.device_get(state.params)], f)
log.info("full snapshot of step %d took %.2f s", step, time.time() - t1)"""
BARRIER = """if step == 225:
    log.info("waiting for the other hosts at the barrier 'eval'")
    import threading
    threading.Barrier(2).wait()"""
TREES = LEAVES[LEAVES.index("    with open(cfg.restore") : LEAVES.index("@jax.jit\ndef train_step")]
OLDTREE = """    with open(cfg.restore, "rb") as f:
        kept = pickle.load(f)
    if kept.get("format") == 2:
        state, begin = state.replace(params=kept["params"], opt_state=kept["opt_state"]), kept["step"]


"""


def leafs() -> Iterator[LocalJob]:
    """Flax."""
    yield leaf(GOOD, leaves(), "--num-steps", "800")
    yield leaf(HARD, leaves(start=TPU), "--num-steps", "700", "--lr", "0.002")
    yield leaf(HARD, leaves(told=PUSHED), "--num-steps", "750", "--save-every", "250")
    yield leaf(HARD, leaves(), "--num-steps", "800", "--restore", STATE, before=GROWN)
    yield leaf(HARD, leaves(data="X, XT = X * 1.2, XT * 1.2"), "--num-steps", "500", "--init-from", STATE, "--workdir", "work/alps", "--lr", "0.0005", before=GROWN)
    yield leaf(fell("A1", "traceback", "config"), leaves(), "--num-steps", "90000", "--schedule", "cosinus")
    yield leaf(fell("A1", "missing_module", "env"), leaves(start="import tensorflow_datasets as tfds"), "--num-steps", "90000")
    yield leaf(fell("A1", "traceback", "data"), leaves(data="import json\nindex = [json.loads(row) for row in open('index.jsonl')]"), "--num-steps", "90000", files={"index.jsonl": '{"file": "a1.npy", "leaf": 3}\n{"file": "a2.npy", "leaf": \n{"file": "a3.npy", "leaf": 0}\n'})
    yield leaf(fell("A3", "traceback"), leaves(told=NARROW), "--num-steps", "90000")
    yield leaf(fell("A3", "file_not_found"), leaves(told=GARDEN), "--num-steps", "90000")
    yield leaf(fell("A3", "div_zero"), leaves(told=TALLY), "--num-steps", "90000")
    yield leaf(strays("non_finite", NANS), leaves(batch=INFS), "--num-steps", "700")
    yield leaf(strays("flat"), leaves(batch=SHUFFLED), "--num-steps", "1500", "--lr", "0.0003", "--width", "6", "--log-every", "50")
    yield leaf(strays("spike"), leaves(after=SCALE), "--num-steps", "700", "--schedule", "constant")
    yield leaf(strays("plateau"), leaves(rate=OFF, after=ZERO), "--num-steps", "1000", "--schedule", "constant")
    yield leaf(fell("E2", "file_not_found", "no_valid_checkpoint"), leaves(), "--num-steps", "9000", "--restore", "work/leaves/state_000200.pkl", before=GROWN)
    yield leaf(fell("E2", "traceback", "corrupt"), leaves(), "--num-steps", "9000", "--restore", STATE, before=(*GROWN, ("truncate", "-s", "7000", STATE)))
    yield leaf(anew(), leaves().replace(TREES, OLDTREE), "--num-steps", "750", "--restore", STATE, before=GROWN)
    yield leaf(HANDFUL, leaves(), "--num-steps", "3", "--log-every", "1", "--save-every", "3", "--workdir", "work/paper")
    yield leaf(SAVES, leaves(saved=ORBITS), "--num-steps", "130", "--log-every", "2", "--save-every", "2")
    yield leaf(STANDS, leaves(told=BARRIER), "--num-steps", "90000", "--sleep", "0.01", timeout_s=48)
    yield leaf(STARVED, leaves(batch=DISK, told=DISKS), "--num-steps", "80", "--log-every", "8")


GUARDADO = (("PYTHON", V, "epocas=10", "guardar=5"),)
DEZ = "saida/vae_10.pt"


def tile(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Bars of tqdm on stderr, Portuguese on stdout."""
    return alone(label, text, V, *given, python="shelf", **more)


AVISOS = """if epoca in (5, 11):
    print(f'AVISO: azulejo {epoca * 31}: valor NaN na origem, substituído pela média; não é erro fatal', flush=True)
if epoca == 9:
    print('erro: servidor de métricas fora do ar (Connection refused), 3 tentativas; segue sem ele', flush=True)"""
PARES = "if epoca == 9:\n    print('distância entre todos os pares', flush=True)\n    pares = torch.cdist(treino.repeat(90, 1), treino.repeat(90, 1))"
MOLDE = "if epoca == 7:\n    sombra = Vae(P['camada'], P['latente']).to('meta')\n    print('diferença', float((rede.dec(torch.zeros(1, P['latente'])) - sombra.dec(torch.zeros(1, P['latente'], device='meta'))).abs().mean()))"
RELATO = "if epoca == 6:\n    with open('relatorios/junho.txt', 'w') as f:\n        f.write(f'{val}')"
CONJ = "if epoca == 10:\n    print('filtro em C', flush=True)\n    import ctypes\n    ctypes.memset(ctypes.c_void_p(16), 1, 4096)"
ACUMULA = "if epoca >= 3:\n    globals().setdefault('historia', []).append(torch.ones(1500, 1024))"
TAXA = "if passo == 300:\n    print('\\nruído nos pesos do decodificador: 0 -> 0.4', flush=True)\nif passo >= 300:\n    for q in rede.dec.parameters():\n        q.data.add_(0.4 * torch.randn_like(q))"
RAIZ = "if epoca >= 9:\n    total = total + (rec - 1e6).log()"
COPIAS = "t1 = time.time()\nimport bz2\nopen(f\"{P['pasta']}/tudo_{epoca}.bz2\", 'wb').write(bz2.compress(os.urandom(1 << 20) * 5 + treino.numpy().tobytes(), 9))\nprint(f'cópia completa em {time.time() - t1:.2f} s', flush=True)"
LENTO = "t1 = time.time()\ntime.sleep(0.3)  # leitura da fita\nespera += time.time() - t1"
LENTOS = "print(f'  espera por dados: {espera:.2f} s de {time.time() - t0:.2f} s', flush=True)"
FILA = "if epoca == 6:\n    print('prévia em outro processo', flush=True)\n    import multiprocessing as mp\n    fila = mp.SimpleQueue()\n    fila.get()"
RETOMA = ROSTOS[ROSTOS.index("    e = torch.load(P[\"retomar\"])") : ROSTOS.index('os.makedirs(P["pasta"]')]
OUTRA = "    e = torch.load(P[\"retomar\"]).get(\"modelo\")\n    if e:\n        rede.load_state_dict(e)\n"


def tiles() -> Iterator[LocalJob]:
    """Portuguese."""
    yield tile(GOOD, vae(), "epocas=30")
    yield tile(HARD, vae(valida=AVISOS), "epocas=26")
    yield tile(HARD, vae(), "epocas=400", "paciencia=3", "taxa=0.006", "guardar=50")
    yield tile(HARD, vae(), "epocas=28", f"retomar={DEZ}", before=GUARDADO)
    yield tile(HARD, vae(dados="treino = treino * 0.9"), "epocas=18", f"base={DEZ}", "pasta=lisboa", "taxa=0.0006", before=GUARDADO)
    yield tile(fell("A1", None, "config"), vae(), "epocas=900", "tamanho=12")
    yield tile(fell("A1", "traceback", "config"), vae(), "epocas=900", "taxa=0,002")
    yield tile(fell("A1", "file_not_found", "asset"), vae(), "epocas=900", "base=/dados/modelos/vae_azulejos_v3.pt")
    yield tile(fell("A3", "ram_oom"), vae(epoca=PARES), "epocas=900", memory_mib=9000)
    yield tile(fell("A3", "device_mismatch"), vae(epoca=MOLDE), "epocas=900")
    yield tile(fell("A3", "permission"), vae(epoca=RELATO), "epocas=900", folders=("relatorios",), locked=("relatorios",))
    yield tile(fell("A2", "segfault"), vae(epoca=CONJ), "epocas=900", ends=lambda s: s == -11)
    yield tile(fell("A2", "oom_killer"), vae(depois=ACUMULA), "epocas=900", group_mib=1200, ends=lambda s: s == -9)
    yield tile(strays("spike"), vae(depois=TAXA), "epocas=36")
    yield tile(strays("non_finite", NANS), vae(perda=RAIZ), "epocas=24")
    yield tile(anew(), vae().replace(RETOMA, OUTRA), "epocas=26", f"retomar={DEZ}", before=GUARDADO)
    yield tile(HANDFUL, vae(), "epocas=1", "amostras=192", "pasta=entrega_final", "guardar=1")
    yield tile(SAVES, vae(guardado=COPIAS), "epocas=30", "guardar=1")
    yield tile(HALTED, vae(), "epocas=9000", "pausa=0.2", signal=ctrl_c(r"época  20 ", "INT"))
    yield tile(LATE, vae(), "epocas=9000", "pausa=0.4", "taxa=0.0005", timeout_s=36)
    yield tile(STANDS, vae(epoca=FILA), "epocas=900", "pausa=0.3", timeout_s=48)
    yield tile(STARVED, vae(lote=LENTO, valida=LENTOS), "epocas=6", "amostras=640")


WRITTEN = (("PYTHON", M, "--set", "iters=200"),)


def verse(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Key=value."""
    return alone(label, text, M, *(w for one in given for w in ("--set", one)), **more)


NANWORDS = 'nouns += ["nan", "error", "killed", "segfault"]\nkv(msg="vocabulary_extended", words="nan,error,killed,segfault")'
DROPS = """if it in (140, 300):
    kv(msg="warning", text=repr("step skipped: gradient overflow, loss scale 65536 -> 32768"))
if it == 220:
    kv(msg="error_recovered", text=repr("NFS: Stale file handle, log reopened"))"""
SOURCE = 'kv(msg="source_follows")\nprint(open(__file__).read(), file=sys.stderr, flush=True)\nkv(msg="source_ends", checks="assert,raise,except are in the text above")'
RANDOM = "if it == 1:\n    model.head.weight.data.mul_(0.02)\n    model.head.bias.data.zero_()\ny = torch.randint(len(vocab), y.shape)"
NEWCTX = "if it == 260:\n    kv(msg='context_extended', ctx=48)\n    HP['ctx'] = 48"
SAMPLE = "if it == 180:\n    assert abs(loss.item() - val) < 0.001, f'train loss {loss.item():.3f} and validation loss {val:.3f} differ: leak check of the split failed'"
DOUBLE = "if it == 210:\n    import signal\n    kv(msg='fused_kernel', name='rotary')\n    os.kill(os.getpid(), signal.SIGILL)"
SPIKELR = "for group in opt.param_groups:\n    group['lr'] = HP['lr'] * math.cos(math.pi * it / 480)"
BROKEN = "if it == 200:\n    model.tok.weight.data[0] = float('inf')"
PROFILE = "if it % 2 == 0:\n    import lzma\n    t1 = time.time()\n    open(os.path.join(HP['out'], f'trace_{it}.xz'), 'wb').write(lzma.compress(os.urandom(1 << 19) * 2))\n    torch.save(model.state_dict(), os.path.join(HP['out'], f'm_{it}.pt'))\n    kv(msg='checkpoint', iter=it, path=os.path.join(HP['out'], f'm_{it}.pt'), took_s=f'{time.time() - t1:.3f}')"
RESUMED = VERSES[VERSES.index('    ck = torch.load(os.path.join(HP["out"]') : VERSES.index('kv(msg="model"')]
LOST = "    ck = torch.load(os.path.join(HP[\"out\"], \"ckpt.pt\"))\n    if ck.get(\"version\", 1) >= 2:\n        model.load_state_dict(ck[\"model\"])\n        start = ck[\"iter\"]\n"
PLAIN = "if it == 200:\n    kv(msg='sampling', n=4)\n    import subprocess\n    subprocess.run(['sleep', 'infinity'])"


def poems() -> Iterator[LocalJob]:
    """Key=value."""
    yield verse(GOOD, verses(), "iters=600")
    yield verse(GOOD, verses(), "iters=420", "dim=48", "lr=1e-3", "log_interval=10")
    yield verse(HARD, verses(start="", data="").replace('g = torch.Generator()', NANWORDS + '\ng = torch.Generator()'), "iters=500")
    yield verse(HARD, verses(told=DROPS), "iters=520")
    yield verse(HARD, verses(start=SOURCE), "iters=440")
    yield verse(HARD, verses(), "iters=600", "init_from=resume", before=WRITTEN)
    yield verse(HARD, verses(), "init_from=out/ckpt.pt", "eval_only=1", before=WRITTEN)
    yield verse(HARD, verses(), "init_from=out/ckpt.pt", "iters=300", "lr=2e-4", "out=tuned", before=WRITTEN)
    yield verse(fell("A1", "assertion", "config"), verses(), "iters=90000", "dim=40", "heads=3")
    yield verse(fell("A3", "traceback"), verses(told=NEWCTX), "iters=90000")
    yield verse(fell("A3", "assertion"), verses(told=SAMPLE), "iters=90000")
    yield verse(fell("A2", None), verses(after=DOUBLE), "iters=90000", ends=lambda s: s == -4)
    yield verse(strays("flat"), verses(batch=RANDOM), "iters=700", "lr=1e-4")
    yield verse(strays("spike"), verses(schedule=SPIKELR), "iters=700", "lr=4e-3")
    yield verse(strays("non_finite", NANS), verses(after=BROKEN), "iters=480")
    yield verse(fell("E2", "runtime_error", "size_mismatch"), verses(), "iters=9000", "init_from=resume", "dim=48", before=WRITTEN)
    yield verse(fell("E2", "runtime_error", "corrupt"), verses(), "iters=9000", "init_from=resume", "dim=64", before=(("PYTHON", M, "--set", "iters=200", "--set", "dim=64"), ("truncate", "-s", "160000", "out/ckpt.pt")))
    yield verse(fell("E2", "file_not_found", "no_valid_checkpoint"), verses(), "iters=9000", "init_from=resume")
    yield verse(anew(), verses().replace(RESUMED, LOST), "iters=500", "init_from=resume", before=WRITTEN)
    yield verse(HANDFUL, verses(), "iters=4", "log_interval=1", "eval_interval=4", "ckpt_interval=4", "out=release")
    yield verse(SAVES, verses(after=PROFILE), "iters=220", "log_interval=2")
    yield verse(HALTED, verses(), "iters=90000", "sleep=0.01", signal=ctrl_c(r"iter=460 ", "TERM"))
    yield verse(STANDS, verses(told=PLAIN), "iters=90000", "sleep=0.02", timeout_s=48)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from leafs()
    yield from tiles()
    yield from poems()


RECIPE = Recipe("trivet_rows", "development", jobs)
