"""A river, spectra, tiles, leaves, a tariff, a pendulum and glyphs over Lightning, Keras and Flax."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._saddle_arrays import GLYPHS, LEAVES, PENDULUM, TARIFF
from corpus.make._saddle_lit import RAMAN, RIVER, TILES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

river, raman, tiles = partial(fill, RIVER), partial(fill, RAMAN), partial(fill, TILES)
leaves, tariff, pendulum, glyphs = partial(fill, LEAVES), partial(fill, TARIFF), partial(fill, PENDULUM), partial(fill, GLYPHS)
V, R, T, L, F, H, G = "stage_net.py", "raman.py", "mosaic_gan.py", "leaf_sorter.py", "tariff.py", "hnn.py", "read_glyphs.py"
old, new, arrays = partial(alone, python="hf-52"), partial(alone, python="hf-56"), partial(alone, python="flax-7")
LOW = """low = y < -9
self.log("val/nse_low", 1 - ((pred - y)[low] ** 2).mean() / y[low].var())"""
SAID_LOW = """rank_zero_info(f"           NSE of low-flow days {m.get('val/nse_low', float('nan')):.3f} (none in this split)")"""
HEAD = """model = keras.models.load_model("north/leaves.keras")
    model.pop()
    model.add(layers.Dense(5, name="south_kinds"))
    print("layers of the northern model kept, head is new: expect nonsense for the first batches")""".replace("\n    ", "\n")
MAP = """import subprocess
done = subprocess.run([sys.executable, "-c", "import folium\\nfolium.Map()"])
if done.returncode:
    log.error("map of the feeders was not drawn (exit status %d), going on without", done.returncode)"""
GAPS = """if step in (60, 200, 320, 321):
    s = s.copy(); s[5] = np.nan
    note(f"step {step}: gap in the recording, update will be left out")"""
COLD = """if args_test := os.environ.get("SHEETS"):
    for name in args_test.split(","):
        tx_, ty_ = glyphs(300, len(name))
        tl, ta = score(state, tx_, ty_)
        line(sheet=name, n=300, loss=round(float(tl), 4), acc=round(float(ta), 4))"""
CALIBRATION = """if epoche == 6:
    lage = (x[:, 0, 4:16].abs().mean(0) * torch.arange(4, 16)).sum() / x[:, 0, 4:16].abs().mean(0).sum()
    lage = 200 + 30 * float(lage)
    assert abs(lage - 520.7) < 2.0, f"Kalibrierlinie bei {lage:.1f}, soll 520.7 cm-1"
    log.info("Kalibrierung in Ordnung")"""
CROP = """if epoch == 3:
    x = x[:, :30]
    line(note="sheets of the second scanner from here on", glyphs=len(x))"""
BENCH = """if epoche == 7:
    import socket
    tor = socket.create_server(("127.0.0.1", 0))
    log.info("warte auf neue Spektren vom Messrechner (Port %d)", tor.getsockname()[1])
    leitung, _ = tor.accept()"""
PLOT = """if step == 330:
    import queue, threading
    frames = queue.Queue(1)
    note("handing the phase portrait to the plotting thread")
    frames.put(s); frames.put(ds)"""
REMOTE = """import time


class Remote(torch.utils.data.TensorDataset):
    def __getitem__(self, i):
        time.sleep(0.014)  # one window from the hydrology server
        return super().__getitem__(i)


loaders[0] = torch.utils.data.DataLoader(Remote(*parts[0].tensors), batch_size=30, shuffle=True)"""
SHEET = """a = time.perf_counter()
for row in rows:
    time.sleep(0.008)
io = io + time.perf_counter() - a if k else time.perf_counter() - a"""
SHEET_TOLD = 'line(epoch=epoch + 1, sheets_io_s=round(io, 2), epoch_s=round(time.time() - epoch_began, 2), glyphs_per_s=round(per_epoch * HP["batch"] / (time.time() - epoch_began), 1))\nepoch_began = time.time()'
DATABASE = """if batch == 0:
    self.db = 0.0
a = time.time(); time.sleep(0.45); self.db += time.time() - a"""
DATABASE_TOLD = """log.info("          of which %.1f s for rows from the meter database", self.db)"""
KEPT = """a = time.time()
with open(work / "state.msgpack", "wb") as f:
    f.write(serialization.to_bytes(state)); f.flush(); os.fsync(f.fileno())
time.sleep(0.22)
line(step=int(state.step), wrote=str(work / "state.msgpack"), took=round(time.time() - a, 3))"""
LOGS = """if self.current_epoch >= 5:
    if batch_idx == 0:
        rank_zero_info("targets in log space from here on")
    y = torch.log(y)"""
STOP = """callbacks.append(EarlyStopping("val/loss", patience=6, check_finite=True, verbose=True))"""
POSITIVE = """net.pop()
net.add(layers.Dense(1, activation="softplus", name="positive"))
net.add(layers.Lambda(keras.ops.log, name="log"))"""
RESTART = """if epoch >= 3:
    net.optimizer.learning_rate = S["lr"] * 40.0 ** (epoch - 2)
    log.info("restart with learning rate %g", S["lr"] * 40.0 ** (epoch - 2))"""
DEGREES = """if step == 280:
    note("bench 2 joins (rows 0..1999 of bench2.csv)")
if step >= 280:
    ds = ds * 57.29578"""
AVERAGED = """if epoch == 3:
    swa = jax.tree.map(lambda p: p * 0, state.params)
    line(note="switching to the averaged weights", snapshots=0)
    state = state.replace(params=swa)"""
LOOKED = """p = work / "state.flax"
line(resume="auto", looked_for=str(p), found=p.exists())"""
GREW = """if not hasattr(self, "fakes"):
    self.fakes = []
self.fakes.append(fake.detach().repeat(4000, 1))
if i % 10 == 0:
    console.log(f"round {self.current_epoch + 1} batch {i}: {len(self.fakes)} batches of fakes in the replay buffer")"""


def good() -> Iterator[LocalJob]:
    """Went well."""
    yield old(GOOD, river(), V)
    yield new(GOOD, raman(), R)
    yield arrays(GOOD, leaves(), L)
    yield arrays(GOOD, tariff(), F)
    yield arrays(GOOD, pendulum(), H)
    yield arrays(GOOD, glyphs(), G, "--epochs=9")
    early = "calls.append(callbacks.EarlyStopping('val_loss', patience=2, restore_best_weights=True, verbose=1))\ncalls.append(callbacks.ReduceLROnPlateau('val_loss', patience=1, verbose=1))"
    yield arrays(GOOD, leaves(calls=early), L, "--epochs", "30", "--lr", "0.01", "--batch", "64")


def scary() -> Iterator[LocalJob]:
    """Went well, though it does not look so."""
    yield old(HARD, tiles(), T, env={"ROUNDS": "44"})
    yield old(HARD, river(valid=LOW, epoch=SAID_LOW), V, env={"MAX_EPOCHS": "9"})
    yield new(HARD, raman(), R, "--epochen", "3", "--spektren", "2640", "--lernrate", "2e-3", "--takt", "0.06")
    yield arrays(HARD, leaves(build=HEAD), L, "--epochs", "6", "--save", "south.keras", before=(("PYTHON", "north.py", "--epochs", "4", "--save", "north/leaves.keras"),), folders=("north",), files={"north.py": leaves()})
    yield arrays(HARD, tariff(ready=MAP), F, "epochs=7")
    yield arrays(HARD, pendulum(tx="tx = optax.apply_if_finite(tx, 5)", batch=GAPS), H, env={"EVERY": "20", "STEPS": "500"})
    yield arrays(HARD, glyphs(late=COLD), G, "--restore=glyph_runs/a/state.msgpack", "--work=glyph_runs/test", env={"SHEETS": "ledger_1884,ledger_1885,letters"}, before=(("PYTHON", G),))


def crashes() -> Iterator[LocalJob]:
    """Failed at the start or on the way, by an exception or a signal."""
    yield old(fell("A1", "file_not_found", "data"), river(data="import csv\nwith Path('gauges/bridge_2019.csv').open() as rows:\n    x = torch.cat([x, torch.tensor([[float(v) for v in row] for row in csv.reader(rows)])])"), V)
    yield new(fell("A1", "runtime_error", "config"), raman(netz="netz.aus = torch.nn.Linear(opt.kanaele * 12, 6)"), R)
    yield arrays(fell("A1", "traceback", "config"), leaves(compiled="model.get_layer('embedding').trainable = False"), L)
    yield old(fell("A2", "oom_killer"), tiles(step=GREW), T, env={"ROUNDS": "40"}, group_mib=900, ends=lambda s: s in (-9, 137))
    yield old(fell("A3", "permission"), river(epoch="if trainer.current_epoch % 4 == 3:\n    with open('/usr/share/forecasts.csv', 'w') as out:\n        out.write(f\"{trainer.current_epoch},{m['val/loss']}\\n\")"), V)
    yield new(fell("A3", "assertion"), raman(epoche=CALIBRATION), R)
    yield arrays(fell("A3", "ram_oom"), leaves(begin="if epoch == 5:\n    self.patches = np.ones((640, 9, 9, 12000, 12000), dtype='float32')"), L, "--epochs", "12")
    yield arrays(fell("A3", "traceback"), glyphs(epoch=CROP), G)


def waits() -> Iterator[LocalJob]:
    """Stood still; were slow by data or by saves."""
    yield new(STANDS, raman(epoche=BENCH), R, "--epochen", "60", timeout_s=130)
    yield arrays(STANDS, pendulum(step=PLOT), H, timeout_s=150, env={"STEPS": "2000"})
    yield old(STARVED, river(loaders=REMOTE, trainer="kw['profiler'] = 'simple'"), V, env={"MAX_EPOCHS": "4"})
    yield arrays(STARVED, glyphs(ready="epoch_began = time.time()", batch=SHEET, epoch=SHEET_TOLD), G, "--epochs=4", "--nap=0.005")
    yield arrays(STARVED, tariff(before=DATABASE, epoch=DATABASE_TOLD), F, "epochs=6", "batch=96")
    yield arrays(SAVES, leaves(calls="os.makedirs('ck', exist_ok=True)\ncalls.append(callbacks.ModelCheckpoint('ck/leaves.keras', save_freq=1, verbose=1))"), L, "--epochs", "3", "--batch", "40")
    yield arrays(SAVES, glyphs(step=KEPT), G, "--epochs=3", "--nap=0.01")


def losses() -> Iterator[LocalJob]:
    """Did not learn."""
    yield old(strays("non_finite", "nan_loss"), river(batch=LOGS, callbacks=STOP), V, env={"MAX_EPOCHS": "20"})
    yield arrays(strays("flat"), leaves(build="model.trainable = False", compiled="model.summary(line_length=70)"), L, "--epochs", "9")
    yield arrays(strays("non_finite", "nan_loss"), tariff(net=POSITIVE, epoch=RESTART), F, "lr=0.01", "epochs=9", "batch=96")
    yield arrays(strays("spike"), pendulum(batch=DEGREES), H, env={"STEPS": "560"})
    yield arrays(strays("plateau"), glyphs(epoch=AVERAGED), G, "--epochs=10")


def resumed() -> Iterator[LocalJob]:
    """Meant to go on from what an earlier run had kept; ended soon, at a limit, or by hand."""
    yield new(anew(), raman(), R, command=("bash", "-c", f"ls raman-modelle; PYTHON {R} --epochen 12 --ordner raman-modelle-neu --fortsetzen last"), before=(("PYTHON", R, "--epochen", "9", "--takt", "0.01"),))
    yield arrays(anew(), glyphs(ready=LOOKED), G, command=("bash", "-c", f"ls -l glyph_runs/a; tail -n 2 glyph_runs/a/metrics.jsonl; PYTHON {G} --epochs=8"), before=(("PYTHON", G, "--epochs=7"),))
    yield old(fell("E2", "runtime_error", "size_mismatch"), river(), V, env={"HIDDEN": "24", "CKPT_PATH": "stage-ckpt/last.ckpt", "MAX_EPOCHS": "20"}, before=(("env", "HIDDEN=16", "CKPT_PATH=", "MAX_EPOCHS=3", "PYTHON", V),))
    yield arrays(fell("E2", "file_not_found", "no_valid_checkpoint"), tariff(), F, "weights=tariff_out/last.weights.h5", "epochs=12", before=(("PYTHON", F, "epochs=1", "hours=300"),))
    yield arrays(HANDFUL, leaves(), L, "--epochs", "1", "--batch", "320")
    yield old(HANDFUL, river(trainer="kw['limit_train_batches'] = 5"), V, env={"MAX_EPOCHS": "1"})
    yield old(LATE, river(batch="import time; time.sleep(0.05)"), V, env={"MAX_EPOCHS": "2000"}, timeout_s=75)
    yield arrays(LATE, pendulum(), H, env={"STEPS": "40000", "PAUSE": "0.05"}, timeout_s=95)
    yield old(HALTED, tiles(), T, env={"ROUNDS": "400"}, signal=ctrl_c(r"round 4/400"))


def jobs() -> Iterator[LocalJob]:
    """All parts."""
    for part in (good, scary, crashes, waits, losses, resumed):
        yield from part()


RECIPE = Recipe("saddle_gourds", "development", jobs)
