"""The line at which a program failed, and whether it was taking up what had been saved: resumes in words of their own beside errors of data."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.judge import judge
from tests.unit.classifier.records import Run

BROADCAST = "ValueError: could not broadcast input array from shape (24,15) into shape (32,15)"
CUT = "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 3000 (char 2999)"
NO_ZIP = "zipfile.BadZipFile: File is not a zip file"
BOOST = "booster = xgb.train(params, dtrain, num_boost_round=80, evals=[(dtrain, 'fit')], xgb_model=a.start_from)"


def verdict(line: str, error: str, *command: str):
    text = f'reading what is there\nTraceback (most recent call last):\n  File "/home/alice/train.py", line 31, in <module>\n    {line}\n{error}\n'
    run = Run(command=("python", "train.py", *command)).rank(0, "n1", text, code=1, end=5, times=[0.1 * i for i in range(1, 9)])
    return judge(run.accounting("FAILED", code=1, end=6).record())


@pytest.mark.parametrize(
    ("line", "error", "variant"),
    [
        ("w[...] = z[k]", BROADCAST, "size_mismatch"),
        ("W[:], C[:], done = archive['W'], archive['C'], int(archive['pass'])", BROADCAST, "size_mismatch"),
        ("assert len(had['P'][0]) == rank", "AssertionError: stored factors have rank 5, wanted 8", "size_mismatch"),
        ("check(memory, net)", "ValueError: the saved run has 12 layers, this one 24", "size_mismatch"),
        ("pruefe(alt)", "ValueError: gespeicherte Gewichte: 512 Schichten, Netz: 1024", "size_mismatch"),
        ("z = np.load(argv['init_from'])", NO_ZIP, "corrupt"),
        ("kept = json.load(f)", CUT, "corrupt"),
        ("had = json.loads(newest.read_text())", CUT, "corrupt"),
        ("estado = pickle.load(open(args.reanudar, 'rb'))", "_pickle.UnpicklingError: pickle data was truncated", "corrupt"),
        ("archive = np.load(o.reprise)", "ValueError: This file contains pickled (object) data. If you trust the file you can load it unsafely", "corrupt"),
        ('clf, done = joblib.load(opts["memory"])', "FileNotFoundError: [Errno 2] No such file or directory: '/scratch/p/portions.joblib'", "no_valid_checkpoint"),
        ("w, b, start_round = load_pickle(path)", "EOFError: Ran out of input", "corrupt"),
        ('assert net.shapes() == saved["shapes"], "layers differ"', "AssertionError: layers differ", "size_mismatch"),
        ("if ckpt['width'] != width: raise ValueError('not this width')", "ValueError: not this width", "size_mismatch"),
        ("base = xgb.Booster(model_file=a.base)", "xgboost.core.XGBoostError: [16:46:23] c_api.cc:1532: Invalid model format in: `trams.ubj`.", "corrupt"),
        ("a.base = max(glob.glob(os.path.join(here, '*.ubj')), key=os.path.getmtime)", "ValueError: max() arg is an empty sequence", "no_valid_checkpoint"),
        ('etat = torch.load(A["reprise"])', "OSError: [Errno 22] Invalid argument", "corrupt"),
        ("s = torch.load(LAST)", "_pickle.UnpicklingError: Weights only load failed. Unsupported operand 123", "corrupt"),
        ("raise ValueError(f'{C[0]}: W is {z.shape}')", "ValueError: rbm.npz: W is (25, 16), configured (25, 24)", "size_mismatch"),
        ('assert len(kept["weights"]) == CONF["orders"]', "AssertionError: state mixes 3 orders, we mix 4", "size_mismatch"),
        ("ckpt = found[-1]", "IndexError: list index out of range", "no_valid_checkpoint"),
        ("newest = max(folder.glob('sweep-*.json'), key=number)", "ValueError: max() arg is an empty sequence", "no_valid_checkpoint"),
        ("with shelve.open(FORTSETZEN, 'r') as regal:", "dbm.error: db file doesn't exist; use 'c' or 'n' flag to create a new db", "no_valid_checkpoint"),
        (BOOST, "xgboost.core.XGBoostError: [12:38:47] string_view.h:46: Check failed: beg <= size_ (2003 vs. 2000) :", "corrupt"),
        ("model = lgb.train(p, train, 90, init_model=keep['init_model'])", "lightgbm.basic.LightGBMError: Could not open best.txt", "no_valid_checkpoint"),
    ],
)  # fmt: skip
def test_a_line_that_takes_up_what_was_saved(line, error, variant):
    said = verdict(line, error)
    assert (said.mode, said.variant) == ("E2", variant)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("x[...] = batch_of_images[k]", BROADCAST),
        ("x[0, :] = row", BROADCAST),
        ("features[:] = data['x']", BROADCAST),
        ("rows = json.load(f)", CUT),
        ("assert x.shape == y.shape, 'rows differ'", "AssertionError: rows differ"),
        ("assert old['rows'] == new['rows']", "AssertionError"),
        ("x, y = joblib.load(opts['set'])", "FileNotFoundError: [Errno 2] No such file or directory: '/scratch/p/digits.joblib'"),
        ("latest_data = json.load(open(newest_shard))", CUT),
        ("z = np.load(args.train_data)", NO_ZIP),
        ("vocab = json.loads(latest_vocab.read_text())", CUT),
        ("images = sorted(folder.glob('*.png'))[-1]", "IndexError: list index out of range"),
        ("newest = max(data_folder.glob('*.csv'))", "ValueError: max() arg is an empty sequence"),
        ("check(x)", "ValueError: expected 12 columns, the file has 14"),
        ("check(x)", "ValueError: stored features have dim 12, the data 14"),
        ("net = Net(heads=5)", "AssertionError: 512 hidden units do not split over 5 heads"),
        ("booster = xgb.train(params, dtrain, xgb_model=None)", "xgboost.core.XGBoostError: Check failed: size_ (3 vs. 4)"),
        ("booster = xgb.train(params, dtrain, xgb_model=old)", "xgboost.core.XGBoostError: Check failed: preds.Size() == info.labels.Size() (30 vs. 40)"),
        ("with open(conf['words']) as f:", "FileNotFoundError: [Errno 2] No such file or directory: 'words/part-3.txt'"),
    ],
)
def test_a_line_that_reads_something_else(line, error):
    assert verdict(line, error).mode != "E2"
