"""One process in nothing but Python that tells words of three languages apart: well in spite of its words, and otherwise."""

from functools import partial

from corpus.make._abacus import ABACUS
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

tally = partial(fill, ABACUS)
L = "letters2lang.py"
HALF = (("PYTHON", L, "--passes", "30"),)
ON = ("--continue", "--passes", "80")
COMMAS = "logging.getLogger().handlers[0].setFormatter(logging.Formatter('%(relativeCreated)d,%(levelname)s,\"%(message)s\"'))\nprint('ms,level,text')"
TRIES = "if p in (12, 31):\n    for n in range(3):\n        try:\n            raise OSError(28, 'No space left on device', '/scratch/tmp/l2l.part')\n        except OSError:\n            logging.exception('attempt %d to mirror the state', n + 1)\n    logging.warning('mirror is given up, the local state is there')"
CHILD = "import subprocess\ndone = subprocess.run([sys.executable, '-c', 'import os; os.abort()'], stderr=subprocess.PIPE)\nlogging.error('probe of the fast path died with signal %d, the slow path is taken', -done.returncode)"
SCARE = "if p % 9 == 0:\n    logging.warning('nan in 2 of %d letter pairs (never seen), they count as 0', len(pairs))\nif p == 20:\n    logging.critical('FATAL: could not load libcudart.so.12; running on the CPU')"
SCRIPTS = (
    Either(tally(mid=TRIES), "G1", script=L, hard=True),
    Either(tally(early=CHILD), "G1", script=L, args=("--passes", "60"), hard=True),
    Either(tally(early=COMMAS, mid=SCARE), "G1", script=L, args=("--passes", "400"), hard=True),
    Either(tally(), "G1", script=L, args=ON, before=HALF, hard=True),
    Either(tally(late="import atexit\natexit.register(lambda: (_ for _ in ()).throw(TimeoutError('stats server did not answer in 5 s')))"), "G1", script=L, args=("--passes", "90", "--rate", "0.5"), hard=True),
    Either(tally(), "G1", script=L, args=("--passes", "1000", "--save-each", "200")),
    Either(tally(), "E2", "traceback", "corrupt", L, args=ON, before=(*HALF, ("truncate", "-s", "300", "l2l/state.pkl"))),
    Either(tally(after="with open(os.path.join(o.dir, 'full.bin'), 'wb') as f:\n    f.write(os.urandom(4 << 20)); f.flush(); os.fsync(f.fileno())\nlogging.info('state of pass %d written to %s, 4.2 MB', p, o.dir)"), "D2", None, "save_storm", L, args=("--save-each", "0")),
    Either(tally(mid="heap = globals().setdefault('heap', [])\nif p > 15:\n    heap.append(bytes(bytearray(b'\\x05' * (12 << 20))))\n    time.sleep(0.05)"), "A2", "oom_killer", script=L, args=("--passes", "900"), group_mib=300, status=-9),
    Either(tally(mid="if p == 26:\n    rows[7] = ('', 1)\n    logging.info('mean letters %.1f', sum(len(w) for w, _ in rows) / len([w for w, _ in rows if w.isupper()]))"), "A3", "div_zero", script=L),
)  # fmt: skip
RECIPE = Recipe("lamplight_tallies", "development", lambda: either_jobs(SCRIPTS, "system"))
