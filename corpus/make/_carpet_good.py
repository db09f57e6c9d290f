"""Runs of Hugging Face's and Lightning's trainers that came to their planned end."""

from corpus.make._crate import crate

BERT = '''
import argparse, logging, sys
import numpy as np, torch, transformers
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed
logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", handlers=[logging.StreamHandler(sys.stdout)], level=logging.INFO)
logger = logging.getLogger(__name__); transformers.utils.logging.set_verbosity_info(); transformers.utils.logging.enable_default_handler(); transformers.utils.logging.enable_explicit_format()
class Polarity(torch.utils.data.Dataset):
    def __init__(self, n, seed): g = torch.Generator().manual_seed(seed); self.x = torch.randint(5, 60, (n, 12), generator=g); self.y = (self.x[:, 0] > 32).long()
    def __len__(self): return len(self.x)
    def __getitem__(self, i): return {"input_ids": self.x[i], "attention_mask": torch.ones(12, dtype=torch.long), "labels": self.y[i]}
def metrics(p): return {"accuracy": float((np.argmax(p.predictions, 1) == p.label_ids).mean())}
ap = argparse.ArgumentParser(); ap.add_argument("--num_train_epochs", type=float, default=4); ap.add_argument("--learning_rate", type=float, default=3e-3); a = ap.parse_args()
set_seed(42); logger.info("Training/evaluation parameters %s", vars(a))
model = BertForSequenceClassification(BertConfig(vocab_size=60, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16))
args = TrainingArguments("sst2_out", num_train_epochs=a.num_train_epochs, learning_rate=a.learning_rate, per_device_train_batch_size=16, eval_strategy="epoch", save_strategy="epoch", save_total_limit=1, load_best_model_at_end=True, metric_for_best_model="accuracy", logging_steps=8, report_to=[], use_cpu=True)
tr = Trainer(model, args, train_dataset=Polarity(512, 0), eval_dataset=Polarity(128, 1), compute_metrics=metrics)
res = tr.train(); tr.save_model(); tr.log_metrics("train", res.metrics); logger.info("*** Evaluate ***"); tr.log_metrics("eval", tr.evaluate())
'''
GPT = '''
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, DataCollatorForLanguageModeling, Trainer, TrainingArguments
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
import math, random
random.seed(0); lines = [f"{random.choice(['a', 'the', 'one'])} {n} {v} {random.choice(['here', 'there'])}" for n in ("bird", "frog", "mole", "newt") for v in ("sings", "waits", "digs") for _ in range(18)]
tok = Tokenizer(models.WordLevel(unk_token="[UNK]")); tok.pre_tokenizer = pre_tokenizers.Whitespace(); tok.train_from_iterator(lines, trainers.WordLevelTrainer(special_tokens=["[UNK]", "[PAD]"]))
fast = PreTrainedTokenizerFast(tokenizer_object=tok, unk_token="[UNK]", pad_token="[PAD]"); rows = [fast(l) for l in lines]
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(fast), n_positions=16, n_embd=32, n_layer=2, n_head=2))
print(f"Training {model.num_parameters():,} parameters on {len(rows)} sequences")
trainer = Trainer(model=model, args=TrainingArguments("lm", max_steps=80, warmup_steps=8, learning_rate=5e-3, per_device_train_batch_size=12, logging_steps=10, save_strategy="no", report_to="none", use_cpu=True), train_dataset=rows, data_collator=DataCollatorForLanguageModeling(fast, mlm=False))
out = trainer.train(); trainer.save_model("lm/final"); fast.save_pretrained("lm/final"); print(f"perplexity on train {math.exp(out.training_loss):.2f}; model in lm/final")
'''
ACCVIT = '''
import time, torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from transformers import ViTConfig, ViTForImageClassification, get_cosine_schedule_with_warmup
acc = Accelerator(cpu=True, gradient_accumulation_steps=2); set_seed(1); acc.print(acc.state)
X = torch.randn(256, 3, 16, 16) * 0.3; Y = torch.randint(4, (256,)); X[torch.arange(256), :, Y * 4] += 1.5
net = ViTForImageClassification(ViTConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=48, image_size=16, patch_size=4, num_labels=4))
opt = torch.optim.AdamW(net.parameters(), 4e-3); dl = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), 16, shuffle=True); sch = get_cosine_schedule_with_warmup(opt, 6, 64)
net, opt, dl, sch = acc.prepare(net, opt, dl, sch)
for ep in range(8):
    tot = 0.0; ok = 0
    for x, y in dl:
        with acc.accumulate(net): o = net(pixel_values=x, labels=y); acc.backward(o.loss); acc.clip_grad_norm_(net.parameters(), 1.0); opt.step(); sch.step(); opt.zero_grad()
        tot += o.loss.item(); ok += (o.logits.argmax(1) == y).sum().item()
    acc.print(f"epoch {ep}: loss {tot / len(dl):.4f} acc {ok / 256:.4f} lr {sch.get_last_lr()[0]:.2e}")
acc.wait_for_everyone(); acc.save_model(net, "vit"); acc.print("saved to vit/")
'''
LITMLP = '''
import torch, lightning as L, torchmetrics
from torch.utils.data import DataLoader, TensorDataset
class Digits(L.LightningDataModule):
    def setup(self, stage): g = torch.Generator().manual_seed(0); x = torch.randn(640, 20, generator=g); y = x[:, :5].argmax(1); self.tr, self.va = TensorDataset(x[:512], y[:512]), TensorDataset(x[512:], y[512:])
    def train_dataloader(self): return DataLoader(self.tr, 32, shuffle=True)
    def val_dataloader(self): return DataLoader(self.va, 64)
class Net(L.LightningModule):
    def __init__(self): super().__init__(); self.f = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 5)); self.acc = torchmetrics.Accuracy("multiclass", num_classes=5)
    def training_step(self, b, i): l = torch.nn.functional.cross_entropy(self.f(b[0]), b[1]); self.log("train_loss", l, prog_bar=True); return l
    def validation_step(self, b, i): o = self.f(b[0]); self.acc(o, b[1]); self.log("val_loss", torch.nn.functional.cross_entropy(o, b[1]), prog_bar=True); self.log("val_acc", self.acc, prog_bar=True)
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 5e-3)
L.seed_everything(3); t = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False, log_every_n_steps=4); t.fit(Net(), datamodule=Digits()); print({k: round(v.item(), 4) for k, v in t.callback_metrics.items()})
'''
T5 = '''
import torch, json
from transformers import T5Config, T5ForConditionalGeneration, Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainerCallback
class JsonLines(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw): print(json.dumps({"step": state.global_step, **{k: round(v, 5) if isinstance(v, float) else v for k, v in logs.items()}}))
class Reverse(torch.utils.data.Dataset):
    def __len__(self): return 300
    def __getitem__(self, i): g = torch.Generator().manual_seed(i % 40); x = torch.randint(3, 20, (6,), generator=g); return {"input_ids": x, "labels": x.flip(0)}
net = T5ForConditionalGeneration(T5Config(vocab_size=24, d_model=32, d_kv=16, d_ff=64, num_layers=1, num_heads=2, decoder_start_token_id=0))
a = Seq2SeqTrainingArguments("rev", max_steps=90, per_device_train_batch_size=20, learning_rate=1e-2, lr_scheduler_type="constant_with_warmup", warmup_steps=5, logging_steps=9, save_strategy="no", disable_tqdm=True, report_to=[], use_cpu=True)
Seq2SeqTrainer(net, a, train_dataset=Reverse(), callbacks=[JsonLines()]).train()
'''
AELOG = '''
import logging, torch
import lightning.pytorch as pl
from lightning.pytorch.callbacks import ModelCheckpoint, LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger
class AE(pl.LightningModule):
    def __init__(self, z=4): super().__init__(); self.save_hyperparameters(); self.e, self.d = torch.nn.Linear(24, z), torch.nn.Linear(z, 24)
    def training_step(self, b, _): l = (self.d(torch.tanh(self.e(b))) - b).pow(2).mean(); self.log("recon", l, on_epoch=True, on_step=False); return l
    def configure_optimizers(self): o = torch.optim.SGD(self.parameters(), 0.5, momentum=0.9); return {"optimizer": o, "lr_scheduler": torch.optim.lr_scheduler.StepLR(o, 6, 0.5)}
    def on_train_epoch_end(self): logging.getLogger("ae").warning("epoch %d finished: recon=%.5f", self.current_epoch, self.trainer.callback_metrics["recon"])
pl.seed_everything(9); data = torch.randn(400, 3) @ torch.randn(3, 24) / 3
ck = ModelCheckpoint("ae_ck", monitor="recon", save_top_k=1, every_n_epochs=4); tr = pl.Trainer(max_epochs=12, enable_progress_bar=False, logger=CSVLogger("csv"), callbacks=[ck, LearningRateMonitor()], log_every_n_steps=5)
tr.fit(AE(), torch.utils.data.DataLoader(data, 40, shuffle=True)); print("best:", ck.best_model_path, f"{ck.best_model_score:.5f}")
'''

# Good runs that look bad.

RESUME = '''
import os, sys, torch
from transformers import DistilBertConfig, DistilBertForMaskedLM, Trainer, TrainingArguments, TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
class Evict(TrainerCallback):
    def on_save(self, args, state, control, **kw):
        if state.global_step == 40 and os.environ.get("SLOT") == "spot": print("slot reclaimed by the scheduler, leaving with code 75", flush=True); os._exit(75)
rows = [{"input_ids": (torch.arange(10) * (1 + i % 3)) % 30, "labels": (torch.arange(10) * (1 + i % 3)) % 30} for i in range(240)]
net = DistilBertForMaskedLM(DistilBertConfig(vocab_size=30, dim=32, n_layers=1, n_heads=2, hidden_dim=64, max_position_embeddings=16, dropout=0.0, attention_dropout=0.0))
last = get_last_checkpoint("mlm") if os.path.isdir("mlm") else None
if last: print(f"Checkpoint detected, resuming training at {last}.")
t = Trainer(net, TrainingArguments("mlm", max_steps=100, save_steps=20, logging_steps=10, learning_rate=2e-3, per_device_train_batch_size=8, report_to=[], use_cpu=True), train_dataset=rows, callbacks=[Evict()])
t.train(resume_from_checkpoint=last); t.save_model("mlm/final"); print("final model saved")
'''
PATIENCE = '''
import numpy as np, torch, warnings
from transformers import EarlyStoppingCallback, MobileBertConfig, RobertaConfig, RobertaForSequenceClassification, Trainer, TrainingArguments, logging
logging.set_verbosity_warning(); torch.manual_seed(8)
def rows(n, k): g = torch.Generator().manual_seed(k); return [{"input_ids": (x := torch.randint(4, 50, (8,), generator=g)), "labels": int((x[1] > 27) ^ (torch.rand(1, generator=g) < 0.12))} for _ in range(n)]
m = RobertaForSequenceClassification(RobertaConfig(vocab_size=50, hidden_size=24, num_hidden_layers=1, num_attention_heads=2, intermediate_size=48, max_position_embeddings=16, pad_token_id=1))
a = TrainingArguments("stop", num_train_epochs=60, per_device_train_batch_size=16, learning_rate=4e-3, eval_strategy="epoch", save_strategy="epoch", save_total_limit=2, load_best_model_at_end=True, metric_for_best_model="eval_loss", logging_strategy="epoch", report_to=[], use_cpu=True, disable_tqdm=True)
t = Trainer(m, a, train_dataset=rows(160, 1), eval_dataset=rows(80, 2), callbacks=[EarlyStoppingCallback(4)], compute_metrics=lambda p: {"acc": float((np.argmax(p.predictions, 1) == p.label_ids).mean())})
t.train(); print("stopped after epoch", t.state.epoch, "best eval_loss", round(t.state.best_metric, 4), "from", t.state.best_model_checkpoint); print(t.evaluate())
'''
OFFHUB = '''
import logging, time, torch
from transformers import AutoConfig, AutoModelForSequenceClassification, ElectraConfig, get_linear_schedule_with_warmup
logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s"); log = logging.getLogger("finetune")
model = None
for attempt in (1, 2, 3):
    try: model = AutoModelForSequenceClassification.from_pretrained("google/electra-small-discriminator"); break
    except OSError as e: log.warning("download failed (try %d/3): %s", attempt, str(e).splitlines()[0]); time.sleep(0.5)
if model is None: log.error("hub is unreachable, falling back to a fresh small model"); model = AutoModelForSequenceClassification.from_config(ElectraConfig(vocab_size=40, embedding_size=16, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, num_labels=3))
torch.manual_seed(0); opt = torch.optim.AdamW(model.parameters(), 3e-3); sch = get_linear_schedule_with_warmup(opt, 10, 150)
for step in range(1, 151):
    y = torch.randint(3, (24,)); x = torch.randint(4, 40, (24, 8)); x[:, 0] = y; out = model(input_ids=x, labels=y); out.loss.backward(); opt.step(); sch.step(); opt.zero_grad()
    if step % 15 == 0: log.info("step %d/150 loss %.4f lr %.2e", step, out.loss.item(), sch.get_last_lr()[0])
model.save_pretrained("electra-ft"); log.info("saved electra-ft, all 150 steps done")
'''
LITSTOP = '''
import torch, lightning as L, logging
from lightning.pytorch.callbacks import Callback, EarlyStopping, TQDMProgressBar
class Skip(Callback):
    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        if trainer.current_epoch == 2 and batch_idx in (1, 5):
            print(f"non-finite input in epoch {trainer.current_epoch} batch {batch_idx}, replaced by zeros"); batch[0].nan_to_num_(0.0)
class Reg(L.LightningModule):
    def __init__(self): super().__init__(); self.l = torch.nn.Sequential(torch.nn.Linear(7, 32), torch.nn.Mish(), torch.nn.Linear(32, 1))
    def training_step(self, b, i): l = torch.nn.functional.huber_loss(self.l(b[0]).squeeze(1), b[1]); self.log("loss", l, prog_bar=True); return l
    def validation_step(self, b, i): self.log("val", torch.nn.functional.huber_loss(self.l(b[0]).squeeze(1), b[1]), prog_bar=True)
    def configure_optimizers(self): return torch.optim.AdamW(self.parameters(), 6e-3)
L.seed_everything(2, verbose=False); X = torch.randn(420, 7); Y = X.abs().sum(1) / 3 + 0.1 * torch.randn(420); ds = torch.utils.data.TensorDataset(X, Y); a, b = torch.utils.data.random_split(ds, [320, 100])
t = L.Trainer(max_epochs=80, accelerator="cpu", logger=False, enable_checkpointing=False, enable_model_summary=False, callbacks=[Skip(), EarlyStopping("val", patience=3, min_delta=0.001, verbose=True), TQDMProgressBar(refresh_rate=10)])
t.fit(Reg(), torch.utils.data.DataLoader(a, 32, shuffle=True, num_workers=0), torch.utils.data.DataLoader(b, 100)); print(f"stopped in epoch {t.current_epoch}, val {t.callback_metrics['val']:.4f}")
'''
BADBATCH = '''
import torch, traceback
from accelerate import Accelerator
from accelerate.logging import get_logger
import logging; logging.basicConfig(level="INFO", format="%(asctime)s %(message)s"); acc = Accelerator(cpu=True); log = get_logger("loop")
class Mixed(torch.utils.data.Dataset):
    def __len__(s): return 60
    def __getitem__(s, i): return torch.full((16, 9), float("nan")) if i in (13, 44) else torch.randn(16, 9 if i != 30 else 8)
net, opt, dl = acc.prepare(m := torch.nn.Sequential(torch.nn.Linear(9, 18), torch.nn.Tanh(), torch.nn.Linear(18, 9)), torch.optim.Adam(m.parameters(), 0.01), torch.utils.data.DataLoader(Mixed(), batch_size=None)); bad = n = 0
for ep in range(5):
    for i, x in enumerate(dl):
        try:
            l = (net(x) - x).abs().mean()
            if not torch.isfinite(l): bad += 1; log.warning(f"loss is nan at epoch {ep} batch {i}; batch dropped"); continue
        except RuntimeError: bad += 1; log.error(f"batch {i} is malformed, dropped\\n{traceback.format_exc()}") if ep == 0 else None; continue
        opt.zero_grad(); acc.backward(l); opt.step(); n += 1
    log.info(f"epoch {ep + 1}/5 l1={l.item():.4f} ({n} updates, {bad} dropped)")
acc.save_state("state"); log.info("finished")
'''

HYDRALIT = '''
import hydra, logging, torch, lightning as L
from omegaconf import DictConfig
log = logging.getLogger("train")
class Reg(L.LightningModule):
    def __init__(self, lr): super().__init__(); self.net = torch.nn.Sequential(torch.nn.Linear(6, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1)); self.lr = lr
    def training_step(self, b, i): l = (self.net(b) - b.pow(2).sum(1, keepdim=True)).pow(2).mean(); self.log("train/loss", l, on_epoch=True, on_step=False); return l
    def validation_step(self, b, i): self.log("val/loss", (self.net(b) - b.pow(2).sum(1, keepdim=True)).pow(2).mean())
    def on_validation_epoch_end(self): m = self.trainer.callback_metrics; log.info("epoch %d: train/loss=%.4f val/loss=%.4f", self.current_epoch, m.get("train/loss", float("inf")), m["val/loss"]) if not self.trainer.sanity_checking else None
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), self.lr)
@hydra.main(version_base=None, config_path="configs", config_name="reg")
def main(cfg: DictConfig):
    L.seed_everything(cfg.seed); log.info("instantiating trainer with max_epochs=%d", cfg.trainer.max_epochs); X = torch.randn(500, 6)
    t = L.Trainer(**cfg.trainer, enable_progress_bar=False, logger=False, enable_checkpointing=False); t.fit(Reg(cfg.lr), torch.utils.data.DataLoader(X[:400], 25, shuffle=True), torch.utils.data.DataLoader(X[400:], 50)); log.info("done, best val/loss seen last: %.4f", t.callback_metrics["val/loss"])
main()
'''
NOTRAINER = '''
import logging, math, random, torch, warnings
from accelerate import Accelerator
from tqdm.auto import tqdm
from transformers import BertConfig, BertForMaskedLM, get_scheduler
logging.basicConfig(format="%(asctime)s - %(levelname)s - %(message)s", level=logging.INFO); logger = logging.getLogger("mlm_no_trainer")
warnings.warn("The class this project derives from is deprecated and will be removed in version 5.0.", FutureWarning)
acc = Accelerator(cpu=True, gradient_accumulation_steps=2); torch.manual_seed(0); net = BertForMaskedLM(BertConfig(vocab_size=40, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16)); opt = torch.optim.AdamW(net.parameters(), 1e-2); sch = get_scheduler("linear", opt, 4, 120)
rows = [(torch.arange(12) + k) % 36 + 4 for k in range(192)]; dl = torch.utils.data.DataLoader(rows, 16, shuffle=True); net, opt, dl, sch = acc.prepare(net, opt, dl, sch); bar = tqdm(total=72, mininterval=1.0)
for ep in range(12):
    tot = 0.0
    for x in dl:
        with acc.accumulate(net):
            mask = torch.rand(x.shape) < 0.2; l = net(input_ids=x.masked_fill(mask, 3), labels=x).loss; acc.backward(l); opt.step(); sch.step(); opt.zero_grad(); tot += l.item()
        if acc.sync_gradients: bar.update(1)
    if ep == 0:
        try: acc.init_trackers("mlm"); import wandb; wandb.init()
        except Exception as e: logger.error("tracker could not be started, metrics go to this log only: %r", e)
    logger.info("epoch %d: perplexity: %.4f", ep, math.exp(tot / len(dl)))
    if ep == 5: logger.warning("epoch 5: 2 of 192 sequences exceed the stated max_length and were truncated")
bar.close(); acc.unwrap_model(net).save_pretrained("mlm-out"); logger.info("Configuration and weights saved in mlm-out")
'''

JOBS = (
    crate("G1", "train.py trainer.max_epochs=10 lr=0.01", HYDRALIT, python="hub-51", files={"configs/reg.yaml": "seed: 5\nlr: 0.003\ntrainer:\n  accelerator: cpu\n  max_epochs: 5\n  enable_model_summary: false\n"}),
    crate("G1", "mlm_no_trainer.py", NOTRAINER, hard=True, python="hub-51"),
    crate("G1", "run_sst2.py --num_train_epochs 5", BERT, python="hub-51"),
    crate("G1", "train_lm.py", GPT, python="hub-51"),
    crate("G1", "vit_acc.py", ACCVIT, python="hub-51"),
    crate("G1", "lit_digits.py", LITMLP, python="hub-51"),
    crate("G1", "t5_reverse.py", T5, python="hub-51"),
    crate("G1", "lit_ae.py", AELOG, python="hub-51"),
    crate("G1", "sh spot.sh PYTHON", 'SLOT=spot "$1" mlm.py; code=$?\necho "exit $code"\nif [ $code -eq 75 ]; then echo "requeueing on a reserved slot"; SLOT=reserved exec "$1" mlm.py; fi\nexit $code', hard=True, python="hub-51", files={"mlm.py": RESUME}),
    crate("G1", "roberta_clf.py", PATIENCE, hard=True, python="hub-51"),
    crate("G1", "finetune.py", OFFHUB, hard=True, python="hub-51"),
    crate("G1", "lit_reg.py", LITSTOP, hard=True, python="hub-51"),
    crate("G1", "loop.py", BADBATCH, hard=True, python="hub-51"),
)
