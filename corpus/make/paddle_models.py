"""PaddlePaddle 2.6: its high-level Model with callbacks and metrics, loops by hand in its own words, its way of dying."""

from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

HIGH = """import numpy as np
import paddle
from paddle.io import Dataset
from paddle.metric import Accuracy

paddle.seed(7)


class Digits(Dataset):
    def __init__(self, count=320):
        rng = np.random.RandomState(count)
        self.rows = rng.rand(count, 12).astype('float32')

    def __getitem__(self, i):
        row = self.rows[i]
        return row, np.array([int(row[:6].sum() > row[6:].sum())], 'int64')

    def __len__(self):
        return len(self.rows)


def network(width=32):
    return paddle.nn.Sequential(paddle.nn.Linear(12, width), paddle.nn.ReLU(), paddle.nn.Linear(width, 2))


def prepared(width=32, lr=0.005):
    model = paddle.Model(network(width))
    model.prepare(paddle.optimizer.Adam(lr, parameters=model.parameters()), paddle.nn.CrossEntropyLoss(), Accuracy())
    return model


"""
LOW = """import time

import paddle
import paddle.nn.functional as F

paddle.seed({seed})
cell = paddle.nn.GRU(4, 10)
out = paddle.nn.Linear(10, 1)
opt = paddle.optimizer.{opt}(learning_rate={lr}, parameters=cell.parameters() + out.parameters())
{early}
began = time.time()
for batch_id in range(1, {total} + 1):
    x = paddle.rand([16, 6, 4])
    cost = F.smooth_l1_loss(out(cell(x)[1][0]), x.mean([1, 2]).unsqueeze(1) * {scale})
    cost.backward()
    opt.step()
    opt.clear_grad()
    {mid}
    if batch_id % {every} == 0:
        print("[%s] [TRAIN] epoch: 1/1, batch: %d/%d, cost: %.6f, speed: %.2f step/s" % (time.strftime('%Y/%m/%d %H:%M:%S'), batch_id, {total}, float(cost), batch_id / (time.time() - began)), flush=True)
{late}
print("[TRAIN] end of pass")
"""


def low(early: str = "", mid: str = "", late: str = "", *, seed: int = 1, lr: float = 0.01, total: int = 200, every: int = 10, opt: str = "Adam", scale: float = 2.0) -> str:
    """A GRU in a loop of its own."""
    return LOW.format(early=early, mid=mid.replace("\n", "\n    "), late=late, seed=seed, lr=lr, total=total, every=every, opt=opt, scale=scale)


SCRIPTS = (
    Either(HIGH + "prepared().fit(Digits(), Digits(96), epochs=4, batch_size=16, verbose=2, log_freq=5)\nprint('model fitted')", "G1", script="hapi.py"),
    Either(HIGH + "stop = paddle.callbacks.EarlyStopping('loss', patience=1, verbose=1, min_delta=0.2, save_best_model=False)\nprepared(lr=0.02).fit(Digits(), Digits(96), epochs=9, batch_size=16, verbose=2, log_freq=5, callbacks=[stop])\nprint('model fitted')", "G1", script="hapi.py", hard=True, tasks=1),
    Either(HIGH + "class Told(paddle.callbacks.Callback):\n    def on_epoch_end(self, epoch, logs=None):\n        if epoch == 2:\n            raise RuntimeError('label server: cursor 88 has expired')\n\nprepared().fit(Digits(), epochs=5, batch_size=16, verbose=2, log_freq=5, callbacks=[Told()])", "A3", "runtime_error", script="hapi.py"),
    Either(HIGH + "prepared().fit(Digits(), epochs=1, batch_size=16, save_dir='/var/lib/paddle', save_freq=1, verbose=2, log_freq=4)", "A3", "permission", script="hapi.py", tasks=1),
    Either(HIGH + "model = prepared()\nmodel.load('output/final', reset_optimizer=True)\nmodel.fit(Digits(), epochs=3)", "E2", "assertion", "no_valid_checkpoint", "hapi_more.py", args=("--resume", "output/final")),
    Either(HIGH + "prepared(16).save('first/w16')\nprint('loading first/w16')\nnet = network(40)\nstate = paddle.load('first/w16.pdparams')\nfor name, value in net.state_dict().items():\n    if value.shape != state[name].shape:\n        raise ValueError(f'{name}: size mismatch, checkpoint has {state[name].shape}, model has {value.shape}')", "E2", "traceback", "size_mismatch", "hapi_more.py", tasks=1),
    Either(HIGH + "prepared().fit(Digits(33), epochs=1, batch_size=11, verbose=2, log_freq=1)\nprint('model fitted')", "E3", script="hapi.py"),
    Either(HIGH + "prepared(lr=1e-13).fit(Digits(), epochs=40, batch_size=320, verbose=2, log_freq=1, shuffle=False)\nprint('model fitted')", "E1", None, "flat", "hapi.py", status=0),
    Either(low(), "G1", script="gru.py", tasks=2),
    Either(low(early="paddle.set_device('gpu:0')"), "A1", "traceback", "config", "gru.py"),
    Either(low(early="import paddlenlp"), "A1", "missing_module", "env", "gru.py", tasks=3),
    Either(low(early="vocab = dict(line.split() for line in open('vocab.txt'))"), "A1", "file_not_found", "data", "gru.py"),
    Either(low(mid="if batch_id == 91:\n    paddle.concat([x, paddle.rand([16, 6])], axis=1)"), "A3", "traceback", script="gru.py", tasks=1),
    Either(low(mid="if batch_id == 104:\n    import ctypes\n    ctypes.string_at(24)", seed=4), "A2", "segfault", script="gru.py", status=-11),
    Either(low(mid="if batch_id == 84:\n    import ctypes\n    ctypes.string_at(72)", seed=5), "A2", "segfault", script="gru.py", tasks=2),
    Either(low(mid="if batch_id == 120:\n    assert float(cost) < 1e-9, 'cost is above its floor'", seed=6), "A3", "assertion", script="gru.py"),
    Either(low(late="print('[EVAL] recall', 0 / len([c for c in range(9) if c > 20]))", seed=7), "A3", "div_zero", script="gru.py"),
    Either(low(mid="if batch_id == 66:\n    import numpy as np\n    cache = np.ones((2_000_000, 900_000))", seed=8), "A3", "ram_oom", script="gru.py"),
    Either(low(lr=1.0e30, opt="SGD", seed=9, scale=1e30), "E1", "nan_loss", "non_finite", "gru.py", status=0, tasks=1),
    Either(low(early="from paddle.amp import GradScaler\nprint('GradScaler: if inf or nan is found in gradients, the update is skipped; 0 found so far')\nimport os\nos.system('nvcc --version')", late="print('[EVAL] error: 0.0132 (lower is better), fail cases: 3 of 200')", seed=10), "G1", script="gru.py", hard=True),
    Either(low(total=4, every=1, seed=11), "E3", script="gru.py"),
)  # fmt: skip
RECIPE = Recipe("paddle_models", "development", lambda: either_jobs(SCRIPTS, "paddle"))
