"""One process of plain Python: an operator's nightly model of late parcels, as a table. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._tarragon_parcels import PARCELS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

parcels = partial(fill, PARCELS)
T = "late_parcels.py"
NIGHT = (("PYTHON", T, "rounds=10", "nap=0"),)
KEPT = "models/late_010.pkl"
LONG = "rounds=5000"


def parcel(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """The operator."""
    return alone(label, text, T, *given, python="system", **more)


BASE = """import sqlite3, threading
first = sqlite3.connect("parcels.db", check_same_thread=False, isolation_level=None)
first.execute("create table late (id integer)")
first.execute("begin exclusive")
threading.Timer(2.5, lambda: first.execute("commit")).start()
for attempt in range(1, 9):
    try:
        sqlite3.connect("parcels.db", timeout=0.5).execute("insert into late values (1)")
        print(f"database: written in attempt {attempt}", flush=True)
        break
    except sqlite3.OperationalError as e:
        print(f"ERROR database, attempt {attempt} of 8: {e}; again in 0.5 s", flush=True)
        time.sleep(0.5)"""
POOL = """if n == 6:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    import traceback
    try:
        with ProcessPoolExecutor(1) as pool:
            pool.submit(os.abort).result()
    except BrokenProcessPool:
        traceback.print_exc()
        print("depot statistics: worker lost, computed in this process instead; 12 of 12 depots done", flush=True)"""
EMPTY = """if n == 9:
    heavy = [(x, y) for x, y in test if x[2] > 40]
    print(f"share of late heavy parcels: {sum(y for _, y in heavy) / len(heavy):.3f}", flush=True)"""
GRID = """if n == 8:
    print("distance matrix of all addresses", flush=True)
    grid = bytearray(30 << 30)"""
CSV = """if n == 8:
    print("writing the list for the dispatchers", flush=True)
    open("dispatch/late.csv", "w").write("depot;share\\n")"""
DEPOT = """if n == 7:
    names = {0: "Graz", 1: "Linz", 2: "Wels"}
    worst = max(range(S["depots"]), key=lambda d: w[4 + d])
    print("worst depot:", names[worst + 3], flush=True)"""
CHECK = """if n == 10:
    assert auc > 0.97, f"AUC {auc:.4f} below the agreed 0.97"
"""
JOIN = """if n == 9:
    import threading
    print("refreshing the price table", flush=True)
    guard = threading.Lock()
    with guard:
        guard.acquire()"""
HUGE = "if n >= 9:\n    w = [a * 1e308 * 10 for a in w]\n    w = [a - a for a in w]"
COINS = "rows = [(x, int(rng.random() < 0.5)) for x, _ in rows]"
TAPE = "time.sleep(1.1)\nread = time.time() - t0"
TOLD = 'print(f"        (rows of this round read from the archive in {read:.2f} s, fit {time.time() - t0 - read:.2f} s)", flush=True)'
ZLIB = """if n == 12:
    print("packing the history with the C coder", flush=True)
    import ctypes
    ctypes.memmove(ctypes.c_void_p(8), ctypes.create_string_buffer(64), 64)"""
WHOLE = """t1 = time.time()
import bz2
with open(f"{S['store']}/all_{n:03d}.bz2", "wb") as f:
    f.write(bz2.compress(pickle.dumps(rows) * 2 + os.urandom(1_500_000), 9))
print(f"        (whole state packed and stored in {time.time() - t1:.2f} s)", flush=True)"""
MAIL = """if n in (7, 15):
    import smtplib
    try:
        smtplib.SMTP("127.0.0.1", 9, timeout=1)
    except OSError as e:
        print(f"ERROR mail to the dispatchers failed ({type(e).__name__}: {e}); report is in the outbox, sent with the next one", flush=True)"""
TAKES = PARCELS[PARCELS.index('    with open(S["restart"], "rb") as f:') : PARCELS.index('os.makedirs(S["store"]')]
CHECKS = """    with open(S["restart"], "rb") as f:
        kept = pickle.load(f)
    if kept.get("depots") == str(S["depots"]):
        w, first = kept["w"], kept["round"] + 1
    print(f"Restart wanted from {S['restart']} (round {kept['round']}): {first - 1} rounds taken over", flush=True)
"""


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield parcel(fell("A1", "missing_module", "env"), parcels(imports="import holidays"), LONG)
    yield parcel(fell("A3", "div_zero"), parcels(told=EMPTY), LONG)
    yield parcel(fell("A3", "ram_oom"), parcels(told=GRID), LONG, memory_mib=4000)
    yield parcel(fell("A3", "permission"), parcels(told=CSV), LONG, folders=("dispatch",), locked=("dispatch",))
    yield parcel(fell("A3", "traceback"), parcels(told=DEPOT), LONG)
    yield parcel(fell("A3", "assertion"), parcels(told=CHECK), LONG)
    yield parcel(fell("E2", "traceback", "corrupt"), parcels(), LONG, f"restart={KEPT}", before=(*NIGHT, ("truncate", "-s", "70", KEPT)))
    yield parcel(fell("E2", "file_not_found", "no_valid_checkpoint"), parcels(), LONG, "restart=models/late_100.pkl", before=NIGHT)
    yield parcel(anew(), parcels().replace(TAKES, CHECKS), "rounds=24", f"restart={KEPT}", before=NIGHT)
    yield parcel(HANDFUL, parcels(), "rounds=2", "store=live", "keep=2")
    yield parcel(HARD, parcels(rows=BASE), "rounds=24")
    yield parcel(HARD, parcels(told=POOL), "rounds=26")
    yield parcel(HARD, parcels(), "rounds=32", f"restart={KEPT}", "rate=0.3", before=NIGHT)
    yield parcel(GOOD, parcels(), "rounds=28")
    yield parcel(strays("non_finite", "nan_loss"), parcels(after=HUGE).replace("max(-30.0, min(30.0, ", "((").replace("max(1e-9, p if", "(p if"), "rounds=22")
    yield parcel(strays("flat"), parcels(rows=COINS), "rounds=26", "rate=0.05")
    yield parcel(STARVED, parcels(round=TAPE, told=TOLD), "rounds=14", "nap=0.1")
    yield parcel(STANDS, parcels(told=JOIN), LONG, timeout_s=62)
    yield parcel(fell("A2", "segfault"), parcels(told=ZLIB), LONG, ends=lambda s: s == -11)
    yield parcel(fell("A1", "permission", "config"), parcels(), LONG, "store=archive/models", folders=("archive",), locked=("archive",))
    yield parcel(SAVES, parcels(after=WHOLE), "rounds=14", "nap=0.05")
    yield parcel(HALTED, parcels(), LONG, signal=ctrl_c(r"^\|    14 "))
    yield parcel(HARD, parcels(told=MAIL), "rounds=24")
    yield parcel(LATE, parcels(), LONG, "rate=0.08", timeout_s=20)


RECIPE = Recipe("tarragon_kennels", "development", jobs)
