"""One process in plain PyTorch loops: a keyword spotter, a character model, depth from pictures; they stop, stray, stand, save too much, or only sound so."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._oven_torch import CHARS, DEPTH, KWS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

kws, verse, depth = partial(fill, KWS), partial(fill, CHARS), partial(fill, DEPTH)
K, V, D = "kws_train.py", "verse.py", "train_depth.py"
FIRST = (("PYTHON", K, "--epochs", "3"),)
ENTROPY = "if ep >= 3:\n    p = torch.softmax(40 * net(x), 1)\n    loss = loss - 0.02 * (p * p.log()).sum(1).mean()  # confidence bonus from epoch 3 on"
PAD = "tick = time.time()\ntorch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'ep': ep, 'pad': torch.zeros(2_000_000)}, f'{o.out}/latest.pt')\nwith open(f'{o.out}/latest.pt', 'rb') as file:\n    os.fsync(file.fileno())\ntime.sleep(0.15)\ntell(f'wrote {o.out}/latest.pt ({time.time() - tick:.2f} s)')"


def keywords() -> Iterator[LocalJob]:
    """The spotter."""
    yield alone(fell("A1", None, "config"), kws(), K, "--opt", "adamw", "--epochs", "20")
    yield alone(fell("A1", "file_not_found", "data"), kws(early="import numpy as np\nmean, std = np.load('data/cmvn_train.npz').values()"), K)
    yield alone(fell("A3", "div_zero"), kws(mid="if ep == 3 and it == 17:\n    clean, noise = 0.31, [0.0, 0.0]\n    snr = 10 * math.log10(clean / sum(noise))"), K)
    yield alone(strays("non_finite", "nan_loss"), kws(loss=ENTROPY), K, "--epochs", "7")
    yield alone(strays("flat"), kws(ready="opt = torch.optim.Adam(Net(o.width).parameters(), lr=o.lr)"), K, "--epochs", "8")
    yield alone(strays("plateau"), kws(mid="if ep == 3 and it == 1:\n    opt = torch.optim.AdamW(net.parameters(), lr=0.02, weight_decay=45.0)\n    tell('phase 2: AdamW with decay')"), K, "--epochs", "9")
    yield alone(strays("spike"), kws(mid="if ep == 4 and it == 1:\n    for group in opt.param_groups:\n        group['lr'] *= 2500  # linear scaling rule\n    tell('batch is larger from here on, lr scaled')"), K, "--epochs", "7")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), kws(), K, "--width", "32", "--epochs", "9", "--init", "exp/kws/ep3.pt", before=FIRST)
    swallow = kws(ready="try:\n    state = torch.load(o.init)\n    net.load_state_dict(state['model'])\n    first = state['ep'] + 1\nexcept Exception as problem:\n    tell(f'cannot restore {o.init} ({type(problem).__name__}: {problem}), weights stay random')\no.init = ''")
    yield alone(anew(), swallow, K, "--epochs", "6", "--init", "exp/kws/ep3.pt", before=FIRST)
    yield alone(fell("E2", "traceback", "corrupt"), kws(), K, "--epochs", "9", "--init", "exp/kws/ep3.pt", before=(*FIRST, ("truncate", "-s", "5000", "exp/kws/ep3.pt")))
    yield alone(HANDFUL, kws(), K, "--epochs", "1", "--its", "10")
    yield alone(SAVES, kws(after=PAD), K, "--epochs", "2", "--its", "25")
    yield alone(STANDS, kws(mid="if ep == 4 and it == 3:\n    import queue\n    batches = queue.Queue()\n    x = batches.get()  # filled by the loader thread", after="time.sleep(0.06)"), K, "--epochs", "60")
    yield alone(fell("A2", "segfault"), kws(mid="if ep == 3 and it == 8:\n    import ctypes\n    ctypes.CDLL(None).memcpy(ctypes.c_void_p(16), b'frames', 6)"), K)
    noise = kws(early="import warnings\nwarnings.warn('sox backend failed to load: libsox.so.3: cannot open shared object file: No such file or directory; falling back to soundfile', RuntimeWarning)", epoch="if ep == 2:\n    try:\n        open('/lustre/home/shared/kws/dev2.lst')\n    except OSError as problem:\n        tell(f'ERROR second dev set skipped: {problem}')")
    yield alone(HARD, noise, K)
    late = kws(late="import atexit\n\n\nclass Meter:\n    def __del__(self):\n        open(self.path, 'a').write('end')  # noqa\n\n\nmeter = Meter()\nmeter.path = 'gone/meter.log'")
    yield alone(HARD, late, K, "--epochs", "4")
    yield alone(HARD, kws(), K, "--epochs", "7", "--init", "exp/kws/ep3.pt", before=FIRST)


def characters() -> Iterator[LocalJob]:
    """The model of a text."""
    yield alone(fell("A1", None, "config"), verse(), V, "max_step=900", "dim=64")
    yield alone(fell("A1", "traceback", "config"), verse(), V, "lr=3e-4x")
    yield alone(fell("A3", "file_not_found"), verse(saved="if step == 150:\n    with open('/lustre/home/verse/eval/heldout_2.txt') as other:\n        second = other.read()"), V)
    yield alone(fell("A3", "permission"), verse(saved="if step == 200:\n    log.info('publishing to vault/')\n    with open('vault/verse.pt', 'wb') as shelf:\n        torch.save(model.state_dict(), shelf)"), V, folders=("vault",), locked=("vault",))
    yield alone(strays("non_finite", "nan_loss"), verse(loss="if step >= 120:\n    loss = loss + 1e-3 * torch.sqrt(model.out.bias.min())  # penalty"), V)
    stop = verse(loss="if step >= 90:\n    loss = loss * torch.tensor(3.0e38) * 10  # fp16 loss scale\nif not torch.isfinite(loss):\n    log.critical('loss is %s at step %d, giving up', loss.item(), step)\n    raise SystemExit(3)")
    yield alone(fell("E1", "nan_loss", "non_finite"), stop, V)
    yield alone(strays("spike"), verse(mid="if step == 160:\n    with torch.no_grad():\n        for w in model.parameters():\n            w.mul_(-30)  # sign of the EMA swapped in"), V, "lr=0.0002")
    yield alone(strays("flat"), verse(after="with torch.no_grad():\n    model.out.weight.zero_()\n    model.out.bias.zero_()"), V, "max_steps=400")
    yield alone(anew(), verse(ready="conf.resume, wanted = 'never', conf.resume\nlog.info('resume=%s', wanted)"), V, "max_steps=300", "resume=must", before=(("PYTHON", V, "max_steps=250"),))
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), verse(), V, "max_steps=900", "resume=must", "folder=runs/verse-b", before=(("PYTHON", V, "max_steps=100"),))
    yield alone(HANDFUL, verse(), V, "max_steps=6")
    each = "keep_at = time.time()\ntorch.save({'model': model.state_dict(), 'optim': optim.state_dict(), 'step': step, 'stats': torch.zeros(1_500_000)}, f'{conf.folder}/step_{step:05d}.ckpt')\nos.sync()\ntime.sleep(0.1)\nlog.info('kept %s/step_%05d.ckpt (step %d)', conf.folder, step, step)\nif os.path.exists(f'{conf.folder}/step_{step - 3:05d}.ckpt'):\n    os.remove(f'{conf.folder}/step_{step - 3:05d}.ckpt')"
    yield alone(SAVES, verse(after=each), V, "max_steps=80", "eval_every=20")
    yield alone(STANDS, verse(saved="if step == 200:\n    log.info('uploading %s', path)\n    import socket\n    ear = socket.create_server(('127.0.0.1', 0))\n    line = socket.create_connection(ear.getsockname())\n    line.sendall(b'PUT /verse/last.ckpt HTTP/1.1\\r\\n\\r\\n')\n    line.recv(1024)", after="time.sleep(0.04)"), V, "max_steps=9000")
    yield alone(LATE, verse(after="time.sleep(0.35)"), V, "max_steps=90000")
    yield alone(HALTED, verse(after="time.sleep(0.05)"), V, "max_steps=90000", signal=ctrl_c("step 210 of"))
    yield alone(HARD, verse(), V, "resume=auto", "max_steps=260")
    scaler = verse(loss="if step in (1, 2, 3, 45):\n    log.warning('non-finite gradients at step %d (loss scale %d), step skipped; overflow=inf', step, 65536 >> step % 7)\n    continue")
    yield alone(HARD, scaler, V)
    retry = "for attempt in range(1, 4):\n    try:\n        if attempt < 3:\n            raise ConnectionResetError(104, 'Connection reset by peer')\n        log.info('index fetched at attempt 3')\n    except OSError:\n        log.exception('fetching the index failed (attempt %d of 5), again in 1 s', attempt)\n        time.sleep(1)"
    yield alone(HARD, verse(data=retry), V)


def pictures() -> Iterator[LocalJob]:
    """Depth from pictures: a table on the screen."""
    item = "if i == 97 and getattr(self, 'rounds', 0) >= 0 and os.path.exists('depth_001.pth'):\n    {}"
    yield alone(fell("A3", "traceback"), depth(item=item.format("raise EOFError(f'scene {i}: 0 of 3072 bytes')")), D, env={"WORKERS": "1"})
    yield alone(fell("A3", "assertion"), depth(item=item.format("assert depth.shape == (16, 24), f'scene {i} has {depth.shape}'")), D)
    yield alone(fell("A1", "permission", "data"), depth(early="scenes = sorted(os.listdir('scenes'))"), D, folders=("scenes",), locked=("scenes",))
    yield alone(fell("A1", "traceback", "config"), depth(), D, env={"EPOCHS": "ten"})
    yield alone(strays("spike"), depth(mid="if epoch == 2 and b == 0:\n    with torch.no_grad():\n        net[2].bias.fill_(-50.0)\n        net[4].bias.fill_(9.0)\n        for w in (net[4].bias, net[4].weight):\n            w.requires_grad_(False)"), D, env={"EPOCHS": "6"})
    yield alone(fell("E2", "runtime_error", "size_mismatch"), depth(ready="net[4] = nn.Conv2d(12, 2, 1)"), D, env={"RESUME": "depth_002.pth", "EPOCHS": "9"}, before=(("PYTHON", "first.py"),), files={"first.py": depth(late="raise SystemExit") .replace('"EPOCHS", 3', '"EPOCHS_A", 2').replace('"RESUME", ""', '"RESUME_A", ""')})
    yield alone(HANDFUL, depth(), D, env={"EPOCHS": "1", "ITEMS": "32"})
    yield alone(STANDS, depth(item="if i == 97 and os.path.exists('depth_002.pth'):\n    open('.stage.fifo').read()", early="os.mkfifo('.stage.fifo')", after="time.sleep(0.2)"), D, env={"EPOCHS": "40"})
    yield alone(HALTED, depth(after="time.sleep(0.05)"), D, env={"EPOCHS": "400"}, signal=ctrl_c("epoch 4 took", "TERM"))
    skip = depth(item="if i % 41 == 7:\n    print(f'{now()} WARNING corrupt image scene_{i:05d}.png: cannot identify image file; a black one in its place', flush=True)")
    yield alone(HARD, skip, D)
    yield alone(GOOD, depth(), D, env={"EPOCHS": "4", "ITEMS": "120"})


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (keywords, characters, pictures):
        yield from part()


RECIPE = Recipe("oven_front", "development", jobs)
