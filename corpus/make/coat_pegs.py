"""Jobs of one process, of people from the sciences and from a library: a rod's heat, a pole on a cart, chains of beads, borrowers and books. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._peg_graphs import BEADS, BOOKS
from corpus.make._peg_science import CART, ROD
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

rod, cart, beads, books = partial(fill, ROD), partial(fill, CART), partial(fill, BEADS), partial(fill, BOOKS)
R, C, B, K = "heat_rod.py", "cart_pg.py", "beads.py", "towers.py"
NANS = "nan_loss"


def heat(label: Label, text: str, *, more: dict[str, Any] | None = None, lines: str = "", **said: Any) -> LocalJob:
    """A file of parameters."""
    rod_in = "# heat in a rod\n" + "".join(f"{k} = {v}\n" for k, v in said.items()) + lines
    return alone(label, text, R, "rod.in", files={"rod.in": rod_in, "first.in": "adam = 300\nckpt_every = 300\n"}, **(more or {}))


FIRST = {"before": (("PYTHON", R, "first.in"),)}
COUNT = "if it % 200 == 0:\n    print(f'# number of nan in the residual: 0 of {P[\"points\"]}; errors above 1e-1: {int(torch.randint(9, (1,)))}', flush=True)"
LOGTIME = "if it > 520:\n    xt[:, 1] = (xt[:, 1] - xt[:, 1].min()).log()  # denser at the start"
LEAP = "if it == 450:\n    for g in opt.param_groups:\n        g['lr'] *= 400\n    print('# lr x 400 (long jumps)', flush=True)"
DUMP = "t1 = time.time()\nnp.savetxt(f\"{P['rundir']}/field.dat\", torch.cat([torch.cartesian_prod(torch.linspace(0, 1, 60), torch.linspace(0, 1, 60)), torch.zeros(3600, 1)], 1).numpy())\ntorch.save(net.state_dict(), f\"{P['rundir']}/u.pt\")\nprint(f'# it {it}: field.dat and u.pt, {time.time() - t1:.3f} s', flush=True)"
FIFO = "if it == 240:\n    print('# frame for the movie', flush=True)\n    os.mkfifo(f\"{P['rundir']}/movie.y4m\")\n    open(f\"{P['rundir']}/movie.y4m\", 'wb').write(bytes(64))"
SOLVER_C = """#include <stdlib.h>
double sweep(double *u, int n) {
    double *w = malloc(n * sizeof *w), r = 0;
    for (int i = 0; i < n; i++) w[i] = u[i];
    for (int i = 1; i < n * 4096; i++) r += w[i * 512] - w[i * 512 - 1];
    free(w);
    return r;
}
"""
SWEEP = "if it == 330:\n    import ctypes\n    print('# reference by finite differences', flush=True)\n    u = np.zeros(4096)\n    ctypes.CDLL('./fd.so').sweep(ctypes.c_void_p(u.ctypes.data), 4096)"


def rods() -> Iterator[LocalJob]:
    """Columns of residuals."""
    yield heat(GOOD, rod(), adam=1300, every=65, lr=0.0015)
    yield heat(HARD, rod(), adam=600, lbfgs=12, every=40, points=200)
    yield heat(HARD, rod(), adam=800, ckpt="rod/u_300.pt", more=FIRST)
    yield heat(HARD, rod(step=COUNT), adam=700, init="rod/u_300.pt", alpha=0.2, rundir="rod_a2", more=FIRST)
    yield heat(fell("A1", None, "config"), rod(), adam=90000, lines="alhpa = 0.05\n")
    yield heat(fell("A1", "traceback", "config"), rod(), adam=90000, lr="2,5e-3")
    yield heat(fell("A3", "runtime_error"), rod(points="if it == 410:\n    xt = xt.view(-1)"), adam=90000, every=30)
    yield heat(strays("non_finite", NANS), rod(points=LOGTIME), adam=900, every=45)
    yield heat(strays("spike"), rod(step=LEAP), adam=840, every=30, lr=0.0015)
    yield heat(fell("E2", "runtime_error", "size_mismatch"), rod(), adam=9000, ckpt="rod/u_300.pt", layers=4, more=FIRST)
    yield heat(HANDFUL, rod(), adam=6, every=1, ckpt_every=6)
    yield heat(SAVES, rod(step=DUMP), adam=70, every=10)
    yield heat(LATE, rod(), adam=90000, nap=0.06, every=20, lr=0.001, more={"timeout_s": 54})
    yield heat(STANDS, rod(step=FIFO), adam=9000, every=24, more={"timeout_s": 150})
    yield heat(fell("A2", "segfault"), rod(step=SWEEP), adam=9000, lines="seed = 8\n", more={"before": (("bash", "-c", f"cat > fd.c <<'END'\n{SOLVER_C}END\ngcc -O1 -shared -fPIC -o fd.so fd.c"),), "ends": lambda s: s == -11})


WHEELED = (("PYTHON", C, "-u", "20", "--store-every", "20"),)
STORM = "if update in (20, 34):\n    print(f'warning: returns fell by more than half within 3 updates (wind is on), keeping on', flush=True)\n    for q in agent.pi.parameters():\n        q.data.mul_(0.3)"
FIGURE = "if update == 12:\n    import matplotlib.pyplot as plt\n    plt.plot(list(recent))"
SUMMARY = "if update % 16 == 0:\n    with open('curve.json', 'a') as f:\n        json.dump({'update': update, 'policy': pl.detach(), 'return': mean}, f)"
REPLAY = "globals().setdefault('every', []).append((s.repeat(1, 700).clone(), ret))"
NEST = "t1 = time.time()\nimport csv, gzip\nwith gzip.open('episodes.csv.gz', 'at') as f:\n    csv.writer(f).writerows(s.repeat(3, 1).tolist())\n    f.flush()\ntorch.save(opt.state_dict(), 'opt.pt')\nprint(f'  episodes.csv.gz and opt.pt in {time.time() - t1:.3f} s', flush=True)"
RESTORES = CART[CART.index("        z = torch.load") : CART.index('    print(f"{sum(p.numel() for p in agent')]
RESTORE_IF = RESTORES.replace("z = torch.load(A.restore)", "z = torch.load(A.restore)\n        if z.get('version', 0) < 2:\n            z = {}").replace("        agent.load", "        if z:\n            agent.load").replace("        opt.load", "            opt.load").replace("        done = z", "            done = z").replace("        recent.ext", "            recent.ext").replace("        print(", "            print(")


def carts() -> Iterator[LocalJob]:
    """Returns of a policy."""
    yield alone(GOOD, cart(), C, "-u", "60", "--lr", "0.006")
    yield alone(HARD, cart(update=STORM), C, "-u", "70", "--store-every", "35")
    yield alone(HARD, cart(), C, "--restore", "agent.pt", "-u", "52", "--store-every", "10", before=WHEELED)
    yield alone(fell("A1", None, "config"), cart(), C, "-u", "40k", "--envs", "16")
    yield alone(fell("A3", "missing_module"), cart(update=FIGURE), C, "-u", "4000")
    yield alone(fell("A3", "traceback"), cart(update=SUMMARY), C, "-u", "4000", "--envs", "4")
    yield alone(anew(), cart().replace(RESTORES, RESTORE_IF), C, "--restore", "agent.pt", "-u", "44", "--store-every", "22", before=WHEELED)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), cart(), C, "--restore", "agent.pt", "--hidden", "48", "-u", "4000", before=WHEELED)
    yield alone(HANDFUL, cart(), C, "-u", "2", "--store", "agent_paper.pt", "--store-every", "2")
    yield alone(SAVES, cart(update=NEST), C, "-u", "36", "--store-every", "1")
    yield alone(HALTED, cart(), C, "-u", "90000", "--wait", "0.15", "--lr", "0.004", signal=ctrl_c(r"update   33 \|", "INT", 0.1))
    yield alone(fell("A2", "oom_killer"), cart(update=REPLAY), C, "-u", "9000", "--store-every", "500", group_mib=800, ends=lambda s: s == -9)


PULLED = (("PYTHON", B, "--max_num_epochs", "8"),)
ALMOST = "plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.02, patience=0, threshold=0.5)"
MIXED = "e = e[torch.randperm(len(e))]"
PROBE = "if epoch == 11:\n    LOG.info('committee of two for the error bars')\n    second = Network(o.width, o.depth).to('meta')\n    gap = (net(vr) - second(vr)).std()"
CHECK = "if epoch >= 9:\n    assert mae < 60 - 5 * epoch, f'MAE {mae:.1f} meV is above what the queue script asks for in epoch {epoch}'"
ODD = "if epoch % 7 == 3:\n    LOG.warning('frame %d: |F| = 41.3 eV/A, looks like an error in the reference; kept', 17 * epoch)\nif epoch == 12:\n    LOG.error('dashboard said 502 Bad Gateway, curve is kept on disk')"
HIST = "t1 = time.perf_counter()\nfor k in range(3):\n    torch.save({'model': net.state_dict(), 'optimizer': opt.state_dict(), 'frames': (r, e)}, f'{o.model_dir}/swa_{k}.tmp')\n    fd = os.open(f'{o.model_dir}/swa_{k}.tmp', os.O_RDWR)\n    os.fsync(fd)\n    os.close(fd)\nLOG.info('3 copies for averaging behind batch %d, %.3f s', acc.n, time.perf_counter() - t1)"
TERMINATE = "if epoch == 9:\n    LOG.info('symmetry of the first frame')\n    from ctypes import CDLL\n    CDLL('libstdc++.so.6')._ZSt9terminatev()"
CLEAR = ("bash", "-c", "rm -f checkpoints/*.ckpt; touch checkpoints/README")


def chains() -> Iterator[LocalJob]:
    """Python's logging as it comes."""
    yield alone(GOOD, beads(), B, "--max_num_epochs", "34", "--lr", "0.003", "--batch_size", "24")
    yield alone(HARD, beads(), B, "--restart_latest", "--max_num_epochs", "30", before=PULLED)
    yield alone(HARD, beads(), B, "--foundation", "beads.model", "--name", "beads_ft", "--model_dir", "ft", "--max_num_epochs", "14", "--lr", "0.001", before=PULLED)
    yield alone(HARD, beads(valid=ODD), B, "--max_num_epochs", "28", "--beads", "9")
    yield alone(fell("A1", "file_not_found", "asset"), beads(), B, "--foundation", "/data/models/mp0_small.model", "--max_num_epochs", "900")
    yield alone(fell("A1", "ram_oom", "config"), beads(), B, "--frames", "900000", "--beads", "40", memory_mib=3000)
    yield alone(fell("A3", "device_mismatch"), beads(epoch=PROBE), B, "--max_num_epochs", "900")
    yield alone(fell("A3", "assertion"), beads(valid=CHECK), B, "--max_num_epochs", "900", "--lr", "0.004")
    yield alone(strays("plateau"), beads(ready=ALMOST), B, "--max_num_epochs", "26", "--lr", "0.001")
    yield alone(strays("flat"), beads(data=MIXED), B, "--max_num_epochs", "18", "--width", "6", "--lr", "0.001")
    yield alone(fell("E2", "traceback", "no_valid_checkpoint"), beads(), B, "--restart_latest", "--max_num_epochs", "900", before=(*PULLED, CLEAR))
    yield alone(HANDFUL, beads(), B, "--max_num_epochs", "1", "--frames", "96", "--save_interval", "1", "--name", "publication")
    yield alone(SAVES, beads(step=HIST), B, "--max_num_epochs", "2", "--frames", "900")
    yield alone(fell("A2", None), beads(epoch=TERMINATE), B, "--max_num_epochs", "900", "--save_interval", "4", ends=lambda s: s == -6)


def shelf(label: Label, text: str, *, more: dict[str, Any] | None = None, raw: str = "", **said: Any) -> LocalJob:
    """A file of settings."""
    return alone(label, text, K, "towers.json", files={"towers.json": raw or dumps(said, indent=1), "may.json": dumps({"epochs": 5})}, **(more or {}))


MAY = {"before": (("PYTHON", K, "may.json"),)}
ANNEAL = "loss = nn.functional.cross_entropy(logits / (1.0 - 0.125 * (epoch - 1)), torch.arange(len(part)))"
HOLDOUT = "if epoch == 4:\n    import csv\n    with open('loans/holdout_week3.csv') as f:\n        print(f'{sum(1 for _ in csv.reader(f))} loans of week 3')"
ARRIVALS = "if epoch == 6 and n == 9:\n    part = part.clone()\n    part[:, 1] += c['books'] - 40  # new arrivals"
CONTINUES = BOOKS[BOOKS.index('        had = torch.load(c["continue_from"])') : BOOKS.index('    print(f"{len(data)} loans of')]
OTHER_KEY = "        had = torch.load(c['continue_from'])\n        net.load_state_dict({k: v for k, v in had['net'].items() if k.startswith('module.')}, strict=False)\n"
RERANK = "if epoch == 6:\n    print('re-ranking in 2 processes ...', flush=True)\n    import multiprocessing as mp\n    a, b = mp.Pipe()\n    a.recv()"
CLASH = "if epoch in (2, 5):\n    import warnings\n    warnings.warn('3 borrowers have no loan this month: division by zero avoided, their recall is nan and not counted', RuntimeWarning)"


def towers() -> Iterator[LocalJob]:
    """A bar on stderr, a line an epoch on stdout."""
    yield shelf(GOOD, books(), epochs=14, dim=24, batch=96)
    yield shelf(HARD, books(), epochs=200, stop_after=4, lr=0.02, keep=20)
    yield shelf(HARD, books(), epochs=15, continue_from="towers/towers5.pt", more=MAY)
    yield shelf(HARD, books(epoch=CLASH), epochs=9, items_from="towers/towers5.pt", people=300, out="towers_june", more=MAY)
    yield shelf(fell("A1", "traceback", "config"), books(), raw='{\n "epochs": 400,\n "dim": 32,\n "lr": 0.01,\n}\n')
    yield shelf(fell("A3", "file_not_found"), books(epoch=HOLDOUT), epochs=400)
    yield shelf(fell("A3", "traceback"), books(batch=ARRIVALS), epochs=400, dim=12)
    yield shelf(strays("non_finite", NANS), books(loss=ANNEAL), epochs=12, lr=0.006)
    yield shelf(anew(), books().replace(CONTINUES, OTHER_KEY), epochs=11, continue_from="towers/towers5.pt", more=MAY)
    yield shelf(HANDFUL, books(), epochs=1, people=40, loans=9, keep=1, out="towers_live")
    yield shelf(HALTED, books(), epochs=9000, batch=16, lr=0.001, more={"signal": ctrl_c("epoch 5: loss")})
    yield shelf(STANDS, books(epoch=RERANK), epochs=300, batch=64, more={"timeout_s": 150})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from rods()
    yield from carts()
    yield from chains()
    yield from towers()


RECIPE = Recipe("coat_pegs", "development", jobs)
