"""One process of a student's plain loop: town names letter by letter, and prices of houses below a bar."""

from functools import partial
from itertools import chain

from corpus.make._desk_loops import HOUSE, NAMES
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

names, house = partial(fill, NAMES), partial(fill, HOUSE)
N, H = "train_names.py", "house_prices.py"
AGAIN = ("--init-from", "resume")
FIRST = (("PYTHON", N, "--max-steps", "100"),)
UNTIL = "n=0\nuntil python train_names.py --max-steps 200 $MORE; do\n  n=$((n+1)); [ $n -ge 3 ] && exit 1\n  echo \"[$(date +%T)] training stopped with $?, next try in 1 s\"\n  sleep 1; export MORE=\"--init-from resume\"\ndone\n"
ONCE = "if step == 120 and args.init_from == 'scratch':\n    raise OSError(5, 'Input/output error', '/scratch/names/cache.bin')"
SLOW = "import urllib.request\nfor attempt in range(3):\n    try:\n        urllib.request.urlopen('http://127.0.0.1:9/towns.txt', timeout=2)\n        break\n    except OSError as e:\n        print(f'download failed ({e}), attempt {attempt + 1}/3', flush=True)\nelse:\n    print('ERROR: no network, using the built-in list of towns', flush=True)"
ON_213 = (
    Either(names(early="text += open('data/extra_names.txt').read()"), "A1", "file_not_found", "data", N),
    Either(names(), "A1", "assertion", "config", N, args=("--n-embd", "30")),
    Either(names(), "A1", None, "config", N, args=("--max_iters", "500"), status=2),
    Either(names(early="text += open('data/towns.txt').read()", data="print(text.split()[-3:])\nassert ids.max() < 30"), "A1", "assertion", "data", N, files=(("data/towns.txt", "São Paulo\nKøbenhavn\nŁódź\nÎle\n" * 3),)),
    Either(names(mid="if step == 140:\n    x = torch.cat([x, y], 1)"), "A3", "traceback", script=N),
    Either(names(evaluated="if step:\n    with open('samples.txt', 'a') as f:\n        f.write(text[:40])"), "A3", "permission", script=N, files=(("samples.txt", ""),), locked=("samples.txt",)),
    Either(names(after="if step and step % 130 == 0:\n    print('time per letter', (time.time() - t0) // int((time.time() - t0) // 3600))"), "A3", "div_zero", script=N),
    Either(names(), "E1", "nan_loss", "non_finite", N, args=("--lr", "30"), status=0),
    Either(names(mid="y = torch.randint(len(vocab), y.shape)"), "E1", None, None, N, status=0),
    Either(names(), "E1", None, "flat", N, args=("--lr", "0", "--max-steps", "250"), status=0),
    Either(names(), "E2", "file_not_found", "no_valid_checkpoint", N, args=(*AGAIN, "--out-dir", "out-towns")),
    Either(names(), "E2", "runtime_error", "size_mismatch", N, args=(*AGAIN, "--n-embd", "48"), before=FIRST),
    Either(names(), "E2", "traceback", "corrupt", N, args=AGAIN, before=(*FIRST, ("truncate", "-s", "20000", "out-names/ckpt.pt"))),
    Either(names(), "E3", script=N, args=("--max-steps", "3", "--eval-every", "2")),
    Either(names(), "G1", script=N),
    Either(names(), "G1", script=N, args=(*AGAIN, "--max-steps", "260"), before=FIRST, hard=True),
    Either(UNTIL, "G1", script="keep_going.sh", files=((N, names(mid=ONCE)),), hard=True),
    Either(names(early=SLOW), "G1", script=N, args=("--max-steps", "180", "--lr", "0.003"), hard=True),
    Either(names(after="del x"), "G1", script=N, args=("--eval-every", "1000", "--max-steps", "90"), hard=True),
)  # fmt: skip
LEAK = "rows = globals().setdefault('rows', [])\nrows.append(np.ones((1 << 20,)) * i)"
BUS = "if epoch == 2 and i == 30:\n    import mmap\n    f = open('cache.dat', 'wb+')\n    f.truncate(65536)\n    m = mmap.mmap(f.fileno(), 65536)\n    f.truncate(0)\n    m[40000]"
BYE = "import atexit\n\n\ndef upload():\n    raise ConnectionError('metrics server 10.0.4.2:8080 did not answer')\n\n\natexit.register(upload)"
ON_211 = (
    Either(house(early="import pandas as pd\ntable = pd.read_csv('data/houses.csv')"), "A1", "file_not_found", "data", H),
    Either(house(data="import pandas as pd\ntable = pd.read_csv('data/houses.csv')\nX[:, 0] = torch.tensor(table['sqft_living'].values[:1])"), "A1", "traceback", "data", H, files=(("data/houses.csv", "id,sqft,price\n1,200,9.1\n2,90,4.0\n"),)),
    Either(house(early="import xgboost as xgb"), "A1", "missing_module", "env", H),
    Either(house(), "A1", "traceback", "config", H, env=(("EPOCHS", "ten"),)),
    Either(house(mid=LEAK), "A2", "oom_killer", script=H, group_mib=700, status=-9),
    Either(house(mid=BUS), "A2", None, script=H, status=-7),
    Either("ulimit -S -t 14\nexec python train_names.py --max-steps 90000 --eval-every 400\n", "A2", None, script="run.sh", files=((N, names()),), status=-24),
    Either(house(epoch="if epoch == 2:\n    fig = torch.load('plots/residuals.pt')"), "A3", "file_not_found", script=H),
    Either(house(mid="if epoch == 3 and i == 40:\n    xb = xb[:, :8]"), "A3", "runtime_error", script=H),
    Either(house(epoch="assert rmse > 0.5 or epoch < 1, f'validation leaks into training? rmse {rmse:.4f}'"), "A3", "assertion", script=H),
    Either(house(epoch="if epoch == 1:\n    gram = np.ones((300_000, 300_000))"), "A3", "ram_oom", script=H, memory_mib=9000),
    Either(house(mid="if epoch == 2 and i == 12:\n    xb = xb / xb[:, :1].sub(xb[:, :1])"), "E1", "nan_loss", "non_finite", H, status=0),
    Either(house(), "E1", None, "spike", H, env=(("LR", "60"),), status=0),
    Either(house(data="X, price = X[:50], price[:50]", early="BATCH = 20\nEPOCHS = 1").replace("[1600, 400]", "[40, 10]"), "E3", script=H),
    Either(house(), "G1", script=H),
    Either(house(early=BYE), "G1", script=H, env=(("EPOCHS", "4"),), hard=True),
    Either(house(mid="if i % 29 == 0:\n    tqdm.write(f'WARNING: row {int(xb[0, 0] * 1e4)} has nan in column 7 (garage_age), filled with the median')"), "G1", script=H, env=(("LR", "0.02"),), hard=True),
)  # fmt: skip
RECIPE = Recipe("thesis_desks", "development", lambda: chain(either_jobs(ON_213, "torch"), either_jobs(ON_211, "torch-211")))
