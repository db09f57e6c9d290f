"""PyTorch 2.6 through Lightning, the Hugging Face Trainer and torchrun; PyTorch 2.2 through an older Lightning and by hand."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import LocalJob, Recipe

LIT = """import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self, width=16, lr=0.02):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Linear(5, width), nn.Tanh(), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.body(x), y)
        self.log("train_loss", loss, prog_bar=True, on_step=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        {validate}
        self.log("val_loss", nn.functional.mse_loss(self.body(x), y), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


L.seed_everything(4)
x = torch.randn(320, 5)
data = TensorDataset(x, x.sum(1, keepdim=True))
loader, held = DataLoader(data, batch_size=16), DataLoader(data, batch_size=80)


def fit(model, ckpt_path=None, **more):
    trainer = L.Trainer(**{{"max_epochs": 4, "accelerator": "cpu", "logger": False, "enable_checkpointing": False, "log_every_n_steps": 5, **more}})
    trainer.fit(model, loader, held, ckpt_path=ckpt_path)
    return trainer


"""
PRINTS = """class Lines(L.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, i):
        if trainer.global_step % 10 == 0:
            print(f"<{trainer.current_epoch}:{i:03d}> Verlust={outputs['loss'].item():.5f} Schritt={trainer.global_step}/{trainer.estimated_stepping_batches}", flush=True)

"""
BERT = """import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

torch.manual_seed(0)
config = BertConfig(vocab_size=90, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, num_labels=3)
rows = [{"input_ids": torch.full((12,), 30 * (i % 3)) + torch.randint(0, 30, (12,)), "labels": torch.tensor(i % 3)} for i in range(240)]


def args(**more):
    return TrainingArguments(**{"output_dir": "bert", "per_device_train_batch_size": 8, "logging_steps": 5, "max_steps": 60, "save_strategy": "no", "report_to": "none", "use_cpu": True, "learning_rate": 4e-3, **more})


"""
DDP = """import os
import time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo"{patience})
rank, world = dist.get_rank(), dist.get_world_size()
model = DistributedDataParallel(torch.nn.Linear(6, 2))
optimizer = torch.optim.Adam(model.parameters(), 0.02)
start = time.time()
for it in range(1, {n} + 1):
    x = torch.randn(32, 6)
    loss = (model(x) - x[:, :2]).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 10 == 0 and rank == 0:
        print("| it %4d | loss %.4f | lr 2e-2 | %5.1f s |" % (it, loss.item(), time.time() - start), flush=True)
    {inside}
dist.barrier()
if rank == 0:
    print("| end of run", flush=True)
dist.destroy_process_group()
"""
OLD = """import random
import sys
import time
import torch
import torch.nn as nn

torch.manual_seed(0)
vocab = 40
class CharRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(vocab, 12)
        self.rnn = nn.LSTM(12, 24, batch_first=True)
        self.out = nn.Linear(24, vocab)
    def forward(self, t):
        return self.out(self.rnn(self.emb(t))[0])

def timeSince(t0):
    s = time.time() - t0
    return '%dm %ds' % (s // 60, s % 60)

net = CharRNN()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
t0 = time.time()
n_iters, print_every = {n}, 10
for it in range(1, n_iters + 1):
    seq = (torch.arange(21) * random.choice([1, 3]) % vocab).repeat(4, 1)
    loss = criterion(net(seq[:, :-1]).transpose(1, 2), seq[:, 1:])
    opt.zero_grad(); loss.backward(); opt.step()
    if it % print_every == 0:
        print('%s (%d %d%%) %.4f' % (timeSince(t0), it, it / n_iters * 100, loss), flush=True)
"""
RUN = ("PYTHON", "-m", "torch.distributed.run", "--nproc-per-node=2", "--master-addr=127.0.0.1", "--master-port=PORT")
LITE = LIT.format(validate="pass")
NEW = (
    Flat(LITE + "fit(Regressor())", "G1", script="lit.py"),
    Flat(PRINTS.join((LITE, "fit(Regressor(), enable_progress_bar=False, callbacks=[Lines()])\nprint('fertig')")), "G1", script="lit.py"),
    Flat(LIT.format(validate="if self.current_epoch == 2:\n            raise LookupError(f'kein Etikett für Stapel {batch_idx}')") + "fit(Regressor(), num_sanity_val_steps=0)", "A3", "traceback", script="lit.py"),
    Flat(LITE + "fit(Regressor(), accelerator='gpu', devices=2)", "A1", "traceback", script="lit.py"),
    Flat(LITE + "from lightning.pytorch.callbacks import EarlyStopping\nfit(Regressor(lr=900.0), max_epochs=20, callbacks=[EarlyStopping('val_loss', check_finite=True, verbose=True)])", "E1", "nan_loss", "non_finite", "lit.py", status=0),
    Flat(PRINTS.join((LITE, "fit(Regressor(lr=300.0), max_epochs=3, enable_progress_bar=False, callbacks=[Lines()])")), "E1", "nan_loss", "non_finite", "lit.py", status=0),
    Flat(LITE + "fit(Regressor(8), max_epochs=1).save_checkpoint('small.ckpt')\nprint('---- second stage ----')\nfit(Regressor(24), ckpt_path='small.ckpt', max_epochs=3)", "E2", "runtime_error", "size_mismatch", "stages.py"),
    Flat(LITE + "fit(Regressor(), fast_dev_run=2)", "E3", script="lit.py"),
    Flat(LITE + "import logging\nclass Flaky(L.Callback):\n    def on_train_epoch_end(self, trainer, module):\n        try:\n            raise BrokenPipeError(32, 'Broken pipe')\n        except OSError:\n            logging.exception('dashboard is gone, metrics are kept locally')\n\nfit(Regressor(), callbacks=[Flaky()], max_epochs=3)", "G1", script="lit.py", hard=True),
    Flat(BERT + "Trainer(BertForSequenceClassification(config), args(), train_dataset=rows).train()", "G1", script="bert_cls.py"),
    Flat(BERT + "with torch.device('meta'):\n    model = BertForSequenceClassification(config)\nmodel.classifier = torch.nn.Linear(16, 3)\nmodel(input_ids=rows[0]['input_ids'][None])", "A1", "device_mismatch", "config", "bert_cls.py"),
    Flat(BERT + "model = BertForSequenceClassification(config)\nTrainer(model, args(disable_tqdm=True), train_dataset=rows).train()\nmodel.classifier.to_empty(device='meta')\nmodel(input_ids=rows[0]['input_ids'][None])", "A3", "device_mismatch", script="bert_cls.py"),
    Flat(BERT + "class Weighted(Trainer):\n    def compute_loss(self, model, inputs, return_outputs=False, **more):\n        out = model(**inputs)\n        penalty = torch.ones(3, device='meta') if self.state.global_step > 30 else torch.ones(3)\n        return (out.logits * penalty).sum() * 0 + out.loss\n\nWeighted(BertForSequenceClassification(config), args(disable_tqdm=True), train_dataset=rows).train()", "A3", "device_mismatch", script="bert_cls.py"),
    Flat(BERT + "Trainer(BertForSequenceClassification(config), args(optim='sgd', learning_rate=1e12, max_grad_norm=0.0, logging_nan_inf_filter=False), train_dataset=rows).train()", "E1", "nan_loss", "non_finite", "bert_cls.py", status=0),
    Flat(BERT + "from transformers import AutoModelForSequenceClassification\nAutoModelForSequenceClassification.from_pretrained('models/bert-de')", "A1", "traceback", "asset", "bert_cls.py"),
    Flat(BERT + "import os\nmodel = BertForSequenceClassification(config)\nmodel.save_pretrained('stage1')\nos.truncate('stage1/model.safetensors', 6000)\nprint('*** resuming from stage1')\nmodel = BertForSequenceClassification.from_pretrained('stage1')", "E2", "traceback", "corrupt", "stage2.py"),
    Flat(BERT + "model = BertForSequenceClassification(config).to('cuda:0')", "A1", "cuda_runtime", "env", "bert_cls.py"),
    Flat(BERT + "rows[100]['labels'] = torch.tensor(7)\nTrainer(BertForSequenceClassification(config), args(logging_steps=1, max_steps=200), train_dataset=rows).train()", "A3", "traceback", script="bert_cls.py"),
    Flat(BERT + "print('cache of all pairs')\ncache = torch.zeros(300_000, 200_000)", "A1", "ram_oom", "env", "pairs.py"),
    Flat(DDP.format(patience="", n=120, inside="pass"), "G1", script="ddp.py", launch=RUN),
    Flat(DDP.format(patience="", n=200, inside="if it == 64 and rank == 1:\n        os.remove('cache/rank1.lock')"), "A3", "file_not_found", script="ddp.py", launch=RUN, failed=(), first=(1,)),
    Flat(DDP.format(patience="", n=200, inside="if it == 90 and rank == 0:\n        import ctypes; ctypes.memset(0, 1, 99)"), "A2", "segfault", script="ddp.py", launch=RUN, failed=(), first=(0,)),
    Flat(DDP.format(patience=", timeout=__import__('datetime').timedelta(seconds=9)", n=300, inside="if it == 120 and rank == 1:\n        time.sleep(600)"), "C2", "runtime_error", script="ddp.py", launch=RUN, failed=(), first=()),
)  # fmt: skip
PL2 = LIT.replace("import lightning as L", "import pytorch_lightning as L")
OLDER = (
    Flat(OLD.format(n=200), "G1", script="char_rnn.py"),
    Flat(OLD.format(n=120) + "hidden = torch.zeros(1, 4, 24, device='meta')\nnet.rnn(net.emb(seq), (hidden, hidden))", "A3", "device_mismatch", script="char_rnn.py"),
    Flat(OLD.format(n=150) + "net.out(torch.zeros(3, 23))", "A3", "runtime_error", script="char_rnn.py"),
    Flat("import torch\nweights = torch.ones(40, device='meta')\nsampler = torch.nn.CrossEntropyLoss(weight=weights)\nprint('first loss', sampler(torch.randn(2, 40), torch.tensor([1, 2])))\n" + OLD.format(n=100), "A1", "device_mismatch", "config", "char_rnn.py"),
    Flat(OLD.format(n=60) + "net.cuda()", "A3", "cuda_runtime", script="char_rnn.py"),
    Flat(OLD.format(n=80) + "loss.backward()", "A3", "runtime_error", script="char_rnn.py"),
    Flat(OLD.format(n=110) + "dev = [c for c in 'abc' if c in '']\nprint('Dev accuracy', 100 * 3 / len(dev))", "A3", "div_zero", script="char_rnn.py"),
    Flat(OLD.format(n=70).replace("loss = criterion(", "kept = (seq[0, 1:] > it).sum()\n    loss = criterion(").replace("seq[:, 1:])", "seq[:, 1:]) * 10 / kept") + "torch.save(net.state_dict(), 'last.pt')", "E1", "nan_loss", "non_finite", "char_rnn.py", status=0),
    Flat(OLD.replace("5e-3", "2e-2").format(n=90) + "assert loss.item() > 9, ('sanity', loss.item())", "A3", "assertion", script="char_rnn.py"),
    Flat(PL2.format(validate="pass") + "import warnings\nwarnings.warn('RuntimeError in worker 3 (restarted)')\nfit(Regressor(), max_epochs=3)", "G1", script="lit_old.py", hard=True),
    Flat(PL2.format(validate="pass") + "from pytorch_lightning.loggers import TensorBoardLogger\nfit(Regressor(), logger=TensorBoardLogger('tb', log_graph=True))", "A1", "missing_module", "env", "lit_old.py"),
    Flat(PL2.format(validate="pass") + "fit(Regressor(), callbacks=[L.callbacks.ModelCheckpoint('/opt/ckpt', every_n_train_steps=20)], enable_checkpointing=True)", "A3", "permission", script="lit_old.py"),
)  # fmt: skip
WAY = "import datetime\nimport sys\nimport torch.distributed as dist\n\nprint(f'[{datetime.datetime.now():%H:%M:%S}] joining tcp://{sys.argv[1]} as {sys.argv[2]}/{sys.argv[3]}', flush=True)\nstore = dist.TCPStore(*[t(v) for t, v in zip((str, int), sys.argv[1].split(':'))], world_size=int(sys.argv[3]), is_master=sys.argv[2] == '0', timeout=datetime.timedelta(seconds=7))\ndist.init_process_group('gloo', store=store, rank=int(sys.argv[2]), world_size=int(sys.argv[3]))\n"


def jobs() -> Iterator[LocalJob]:
    """Lightning and the Trainer; two-rank runs; the older pair; ranks that look for each other in vain."""
    yield from flat_jobs(NEW, "torch-26")
    yield from flat_jobs(OLDER, "torch-22")
    for python, words in (("torch-26", ("127.0.0.1:9", "2", "4")), ("torch-22", ("127.0.0.1:9", "1", "2")), ("torch-22", ("localhost:47433", "0", "2"))):
        label = Label(mode="C1", fault="unknown", failed_ranks=())
        yield LocalJob(label, {"join.py": WAY + OLD.format(n=50)}, ("PYTHON", "join.py", *words), python, ends=lambda s: s == 1)


RECIPE = Recipe("lit_modules", "development", jobs)
