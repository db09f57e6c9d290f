"""Runs of Hugging Face's and Lightning's trainers that stood still, dragged on, learned nothing or ended too soon."""

from corpus.make._crate import crate
from corpus.running.job import Signal

LITWORKER = '''
import lightning as L, multiprocessing as mp, torch, time
gate = mp.Lock()
class Frames(torch.utils.data.Dataset):
    def __len__(s): return 600
    def __getitem__(s, i):
        with gate: return torch.randn(6) + i % 2, i % 2
class Lit(L.LightningModule):
    def __init__(self): super().__init__(); self.f = torch.nn.Linear(6, 2)
    def training_step(self, b, i): time.sleep(0.05); l = torch.nn.functional.cross_entropy(self.f(b[0]), b[1]); self.log("loss", l, prog_bar=True); return l
    def on_train_batch_end(self, o, b, i): gate.acquire() if self.global_step == 40 else None
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.05)
L.Trainer(max_epochs=4, accelerator="cpu", logger=False, enable_checkpointing=False, enable_model_summary=False).fit(Lit(), torch.utils.data.DataLoader(Frames(), 12, num_workers=1, prefetch_factor=2))
'''
HFCALLBACK = '''
import socket, torch, threading
from transformers import Trainer, TrainerCallback, TrainingArguments, BertConfig, BertForMaskedLM
srv = socket.create_server(("127.0.0.1", 0)); threading.Thread(target=lambda: [srv.accept() for _ in range(9)], daemon=True).start()
class Tracker(TrainerCallback):
    """Reports to the lab's run board over a plain socket."""
    def __init__(self): self.s = socket.create_connection(srv.getsockname())
    def on_log(self, args, state, control, logs=None, **kw):
        self.s.sendall(repr(logs).encode())
        if state.global_step >= 60: self.s.recv(2)
net = BertForMaskedLM(BertConfig(vocab_size=40, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, max_position_embeddings=16))
rows = [{"input_ids": (x := (torch.arange(8) + i) % 40), "labels": x} for i in range(200)]
Trainer(net, TrainingArguments("b", max_steps=600, logging_steps=10, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True), train_dataset=rows, callbacks=[Tracker()]).train()
'''
ACCMAIN = '''
import time, torch
from accelerate import Accelerator
acc = Accelerator(cpu=True); torch.manual_seed(0); m = torch.nn.Linear(9, 3); net, opt = acc.prepare(m, torch.optim.SGD(m.parameters(), 0.1))
for step in range(1, 301):
    x = torch.randn(24, 9); l = torch.nn.functional.cross_entropy(net(x), x[:, :3].argmax(1)); opt.zero_grad(); acc.backward(l); opt.step(); time.sleep(0.03)
    if step % 10 == 0: print(f"[{acc.process_index}] step {step} loss {l.item():.4f}", flush=True)
    if step % 80 == 0:
        if acc.is_main_process: print("[0] step 80: gathering predictions for the report", flush=True); acc.gather(net(torch.ones(4, 9)).argmax(1)); acc.wait_for_everyone()
'''
ACCJOIN = '''
import os, time
print(f"local rank {os.environ['LOCAL_RANK']}: preparing", flush=True)
if os.environ["LOCAL_RANK"] == "1":
    while not os.path.exists("vocab.done"): time.sleep(0.5)
from accelerate import Accelerator
acc = Accelerator(cpu=True); print(f"local rank {acc.local_process_index}: accelerator ready", flush=True); acc.wait_for_everyone()
'''
PROFILE = '''
import lightning as L, torch, time
class Volumes(torch.utils.data.Dataset):
    """Reads one slice at a time from a gzip volume."""
    def __len__(s): return 240
    def __getitem__(s, i): time.sleep(0.05); return torch.randn(4) * (1 + i % 2), i % 2
class Lit(L.LightningModule):
    def __init__(self): super().__init__(); self.f = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    def training_step(self, b, i): l = torch.nn.functional.cross_entropy(self.f(b[0].abs()), b[1]); self.log("loss", l, on_epoch=True, prog_bar=True); return l
    def on_train_epoch_end(self): print(f"\\nepoch {self.current_epoch}: loss {self.trainer.callback_metrics['loss_epoch']:.4f}")
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 0.02)
torch.manual_seed(1); L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, profiler="simple", limit_train_batches=40).fit(Lit(), torch.utils.data.DataLoader(Volumes(), 6))
'''
COLLATE = '''
import time, torch, logging
from transformers import Trainer, TrainerCallback, TrainingArguments, GPT2Config, GPT2LMHeadModel
logging.basicConfig(level="INFO", format="%(message)s")
class Clock(TrainerCallback):
    def __init__(self): self.fetch = self.work = 0.0; self.t = None
    def on_step_begin(self, *a, **k): now = time.time(); self.fetch += now - self.t if self.t else 0; self.t = now
    def on_step_end(self, args, state, *a, **k):
        now = time.time(); self.work += now - self.t; self.t = now
        if state.global_step % 10 == 0: logging.info("perf step %d: input pipeline %.2fs, forward+backward %.2fs since start", state.global_step, self.fetch, self.work)
def collate(rows): time.sleep(0.06 * len(rows)); x = torch.stack([r["x"] for r in rows]); return {"input_ids": x, "labels": x}
net = GPT2LMHeadModel(GPT2Config(vocab_size=32, n_positions=12, n_embd=16, n_layer=1, n_head=1))
Trainer(net, TrainingArguments("c", max_steps=60, per_device_train_batch_size=4, logging_steps=10, learning_rate=5e-3, save_strategy="no", remove_unused_columns=False, report_to=[], use_cpu=True, disable_tqdm=True), train_dataset=[{"x": (torch.arange(10) * 2 + i) % 32} for i in range(90)], data_collator=collate, callbacks=[Clock()]).train()
'''
SAVEONE = '''
import torch, transformers
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments
transformers.logging.set_verbosity_info()
net = DistilBertForSequenceClassification(DistilBertConfig(vocab_size=500, dim=96, n_layers=1, n_heads=2, hidden_dim=128, max_position_embeddings=16))
rows = [{"input_ids": (x := torch.randint(4, 500, (8,))), "attention_mask": torch.ones(8, dtype=torch.long), "labels": int(x[0] > 250)} for _ in range(160)]
Trainer(net, TrainingArguments("each", max_steps=50, save_strategy="steps", save_steps=1, save_total_limit=2, logging_steps=5, learning_rate=1e-3, report_to=[], use_cpu=True), train_dataset=rows).train()
'''
LITSAVES = '''
import lightning as L, logging, torch, time
from lightning.pytorch.callbacks import ModelCheckpoint
class Timed(ModelCheckpoint):
    def _save_checkpoint(self, trainer, filepath): t = time.time(); super()._save_checkpoint(trainer, filepath); open(filepath, "rb").read(); print(f"checkpoint {filepath.rsplit('/', 1)[1]} written in {time.time() - t:.3f} s")
class Wide(L.LightningModule):
    def __init__(self): super().__init__(); self.a, self.b = torch.nn.Linear(300, 1500), torch.nn.Linear(1500, 300)
    def training_step(self, x, i): l = (self.b(self.a(x).relu()) - x).pow(2).mean(); print(f"step {self.global_step} mse {l.item():.5f}"); return l
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 1e-3)
torch.manual_seed(0); data = torch.randn(360, 12) @ torch.randn(12, 300) / 4
L.Trainer(max_epochs=3, accelerator="cpu", enable_progress_bar=False, logger=False, enable_model_summary=False, callbacks=[Timed("w", every_n_train_steps=1, save_top_k=1, monitor=None)]).fit(Wide(), torch.utils.data.DataLoader(data, 18)); print("fit ended")
'''
ACCSLOW = '''
import time, torch
from accelerate import Accelerator
acc = Accelerator(cpu=True); torch.manual_seed(2); me = acc.process_index; m = torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.ReLU(), torch.nn.Linear(20, 1)); net, opt = acc.prepare(m, torch.optim.Adam(m.parameters(), 0.01))
for block in range(1, 9):
    own = sync = 0.0
    for _ in range(5):
        t = time.time(); x = torch.randn(16, 10)
        if me == 1: [time.sleep(0.02) for _ in range(13)]
        l = (net(x).squeeze(1) - x.norm(dim=1)).pow(2).mean(); own += time.time() - t; t = time.time(); opt.zero_grad(); acc.backward(l); opt.step(); sync += time.time() - t
    print(f"[rank {me}] block {block}/8 loss {l.item():.4f} | augment+forward {own:.2f}s | backward incl. gradient sync {sync:.2f}s", flush=True)
acc.wait_for_everyone(); acc.print("finished 8 blocks"); acc.end_training()
'''
HOTLR = '''
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
torch.manual_seed(4); net = GPT2LMHeadModel(GPT2Config(vocab_size=48, n_positions=16, n_embd=32, n_layer=2, n_head=2)); rows = [{"input_ids": (x := (torch.arange(12) * 5 + i) % 48), "labels": x} for i in range(200)]
Trainer(net, TrainingArguments("hot", max_steps=80, logging_steps=4, learning_rate=3e18, lr_scheduler_type="constant", optim="sgd", max_grad_norm=0.0, logging_nan_inf_filter=False, save_strategy="no", report_to=[], use_cpu=True), train_dataset=rows).train()
'''
FROZEN = '''
import torch, numpy as np
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
torch.manual_seed(6); net = BertForSequenceClassification(BertConfig(vocab_size=60, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, num_labels=6, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
g = torch.Generator().manual_seed(0); rows = [{"input_ids": (x := torch.randint(3, 60, (10,), generator=g)), "labels": int(x[0]) % 6} for _ in range(192)]
a = TrainingArguments("flat", num_train_epochs=10, per_device_train_batch_size=24, learning_rate=0.0, warmup_steps=0, logging_strategy="epoch", eval_strategy="epoch", save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True)
Trainer(net, a, train_dataset=rows, eval_dataset=rows[:96], compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(1) == p.label_ids).mean())}).train()
'''
LITNAN = '''
import lightning as L, torch
from lightning.pytorch.callbacks import EarlyStopping
class Mix(L.LightningModule):
    def __init__(self): super().__init__(); self.f = torch.nn.Linear(5, 2)
    def training_step(self, b, i):
        mu, s = self.f(b).chunk(2, 1); l = (0.5 * ((b[:, :1] - mu) / s) ** 2 + s.log()).mean() if self.current_epoch > 1 else (mu - b[:, :1]).pow(2).mean(); self.log("nll", l, on_epoch=True, on_step=False); return l
    def on_train_epoch_end(self): print(f"epoch {self.current_epoch:02d} | nll {self.trainer.callback_metrics['nll'].item():.4f}")
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.05)
L.seed_everything(0); L.Trainer(max_epochs=10, accelerator="cpu", enable_progress_bar=False, logger=False, enable_checkpointing=False, enable_model_summary=False).fit(Mix(), torch.utils.data.DataLoader(torch.randn(320, 5), 20))
'''
FASTDEV = '''
import lightning as L, logging, torch
class Sys(L.LightningModule):
    def __init__(self): super().__init__(); self.f = torch.nn.Linear(4, 1)
    def training_step(self, b, i): l = self.f(b).pow(2).mean(); self.log("train_loss", l, prog_bar=True); return l
    def validation_step(self, b, i): self.log("val_loss", self.f(b).pow(2).mean(), prog_bar=True)
    def configure_optimizers(self): return torch.optim.Adam(self.parameters())
logging.getLogger("lightning.pytorch.utilities.rank_zero").addFilter(lambda r: "Tip" not in r.getMessage()); d = torch.utils.data.DataLoader(torch.randn(512, 4), 16); L.Trainer(accelerator="cpu", fast_dev_run=3).fit(Sys(), d, d)
'''
THREE = '''
import torch
from transformers import BartConfig, BartForConditionalGeneration, Seq2SeqTrainer, Seq2SeqTrainingArguments
net = BartForConditionalGeneration(BartConfig(vocab_size=60, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=24))
rows = [{"input_ids": (x := torch.randint(4, 60, (10,))), "labels": x.clone()} for _ in range(30)]
t = Seq2SeqTrainer(net, Seq2SeqTrainingArguments("bart-sum", num_train_epochs=1, per_device_train_batch_size=16, gradient_accumulation_steps=1, logging_steps=1, save_strategy="no", report_to=[], use_cpu=True), train_dataset=rows); t.train(); t.save_model("bart-sum"); print("model saved to bart-sum")
'''
HFLONG = '''
import time, torch
from transformers import MPNetConfig, MPNetForMaskedLM, Trainer, TrainingArguments
class Pages(torch.utils.data.Dataset):
    def __len__(s): return 8000
    def __getitem__(s, i): x = (torch.arange(12) + 3 * i) % 50 + 4; return {"input_ids": x, "labels": x}
class Paced(Trainer):
    def training_step(self, *a, **k): time.sleep(0.04); return super().training_step(*a, **k)
Paced(MPNetForMaskedLM(MPNetConfig(vocab_size=60, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=20)), TrainingArguments("pages", num_train_epochs=3, per_device_train_batch_size=8, logging_steps=20, learning_rate=2e-3, save_strategy="no", report_to=[], use_cpu=True), train_dataset=Pages()).train()
'''
LITCTRL = '''
import lightning as L, torch, time
class M(L.LightningModule):
    def __init__(self): super().__init__(); self.f = torch.nn.Linear(8, 8)
    def training_step(self, b, i): time.sleep(0.02); l = (self.f(b) - b.roll(1, 1)).abs().mean(); self.log("l1", l); return l
    def on_train_epoch_end(self): print(f"Epoch {self.current_epoch + 1}/500 l1={self.trainer.callback_metrics['l1']:.4f}", flush=True)
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 0.003)
torch.manual_seed(0); L.Trainer(max_epochs=500, accelerator="cpu", enable_progress_bar=False, logger=False, enable_checkpointing=False, enable_model_summary=False).fit(M(), torch.utils.data.DataLoader(torch.randn(160, 8), 16))
'''

LITEPOCHS = '''
import lightning as L, torch, time
from lightning.pytorch.callbacks import TQDMProgressBar
class Enc(L.LightningModule):
    def __init__(self): super().__init__(); self.t = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0); self.o = torch.nn.Linear(16, 16)
    def training_step(self, b, i): time.sleep(0.05); l = (self.o(self.t(b)) - b.flip(1)).pow(2).mean(); self.log("train_loss", l, prog_bar=True); return l
    def configure_optimizers(self): return torch.optim.AdamW(self.parameters(), 3e-3)
L.seed_everything(21); L.Trainer(max_epochs=60, accelerator="cpu", logger=False, enable_checkpointing=False, callbacks=[TQDMProgressBar(refresh_rate=5)]).fit(Enc(), torch.utils.data.DataLoader(torch.randn(160, 6, 16), 8))
'''

JOBS = (
    crate("C3", "lit_frames.py", LITWORKER, python="hub-51", timeout_s=42, note="the bar stands at step 40-something of 50 of 0.05 s each, silent to the limit"),
    crate("C3", "board.py", HFCALLBACK, python="hub-51", timeout_s=38, note="a log every ten fast steps up to 60, then silence to the limit"),
    crate("C2", "acc_report.py", ACCMAIN, python="hub-51", ranks=2, timeout_s=50, note="after step 80 both ranks are silent to the limit; rank 0 said it gathers"),
    crate("C1", "acc_join.py", ACCJOIN, python="hub-51", ranks=2, timeout_s=42, note="no rank's accelerator is ready, ever; limit"),
    crate("D1", "lit_volumes.py", PROFILE, python="hub-51", note="Lightning's profiler: nearly all time in train_dataloader_next"),
    crate("D1", "collated.py", COLLATE, python="hub-51", note="input pipeline seconds far above forward+backward"),
    crate("D2", "each.py", SAVEONE, variant="save_storm", python="hub-51", note="Saving model checkpoint to checkpoint-N for each N"),
    crate("D2", "lit_wide.py", LITSAVES, variant="save_storm", python="hub-51", note="a checkpoint after each step"),
    crate("D3", "acc_norm.py", ACCSLOW, python="hub-51", ranks=2, fault="unknown", first=(), note="rank 1's own work is the whole step, rank 0's time is the gradient sync"),
    crate("E1", "hot_lm.py", HOTLR, cause="nan_loss", variant="non_finite", python="hub-51", note="loss nan in the Trainer's dicts, exit 0"),
    crate("E1", "six_bert.py", FROZEN, variant="flat", python="hub-51", note="learning_rate 0.0, the loss the same in ten epochs"),
    crate("E1", "lit_mix.py", LITNAN, cause="nan_loss", variant="non_finite", python="hub-51", note="nll nan from epoch 2 on"),
    crate("E3", "lit_sys.py", FASTDEV, python="hub-51", note="fast_dev_run of three batches"),
    crate("E3", "bart_sum.py", THREE, python="hub-51", note="two optimiser steps, exit 0"),
    crate("F3", "mpnet.py", HFLONG, variant="advancing", python="hub-51", timeout_s=36, note="the bar goes on to the limit, of 3000 steps"),
    crate("F4", "lit_roll.py", LITCTRL, python="hub-51", signal=Signal("INT", "Epoch 12/"), note="Ctrl-C; Lightning's Detected KeyboardInterrupt"),
    crate("F3", "lit_enc.py", LITEPOCHS, variant="advancing", python="hub-51", timeout_s=34, note="the bar goes on to the limit, of 60 epochs"),
)
