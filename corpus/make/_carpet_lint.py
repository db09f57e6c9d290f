"""A few more runs of Hugging Face's and Lightning's trainers."""

from corpus.make._crate import crate

EMPTYW = '''
import torch
from accelerate import Accelerator, init_empty_weights
from transformers import BloomConfig, BloomForCausalLM
acc = Accelerator(cpu=True)
with init_empty_weights(): net = BloomForCausalLM(BloomConfig(vocab_size=80, hidden_size=32, n_layer=1, n_head=2))
head = torch.nn.Linear(32, 4); opt = torch.optim.AdamW(head.parameters(), 1e-3); print("layers:", sum(1 for _ in net.modules()), "weights:", sum(p.numel() for p in net.parameters()))
for step in range(200):
    x = torch.randint(80, (8, 12)); h = net.transformer(x).last_hidden_state; l = torch.nn.functional.cross_entropy(head(h[:, -1]), x[:, 0] % 4); acc.backward(l); opt.step(); opt.zero_grad()
    print("step", step, "loss", l.item())
'''
SCHED = '''
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, get_linear_schedule_with_warmup
class Ours(Trainer):
    def create_optimizer_and_scheduler(self, num_training_steps):
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-3); self.lr_scheduler = get_linear_schedule_with_warmup(self.optimizer, 2, num_training_steps // 16)
torch.manual_seed(3); net = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=16, n_embd=24, n_layer=1, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)); rows = [{"input_ids": (x := (torch.arange(12) * 7 + 3 * i) % 64), "labels": x} for i in range(160)]
Ours(net, TrainingArguments("sched", max_steps=320, per_device_train_batch_size=16, logging_steps=10, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True), train_dataset=rows).train()
'''
LITSPIKE = '''
import lightning as L, torch
class Emb(L.LightningModule):
    def __init__(self): super().__init__(); self.a, self.b = torch.nn.Linear(12, 32), torch.nn.Linear(32, 12)
    def training_step(self, x, i):
        if self.global_step == 110: torch.nn.init.normal_(self.b.weight, std=40.0)  # re-init the head, as the recipe says
        l = (self.b(self.a(x).tanh()) - x).pow(2).mean(); self.log("mse", l)
        if i % 5 == 0: print(f"e{self.current_epoch} b{i} gs{self.global_step} mse={l.item():.5f}")
        return l
    def configure_optimizers(self): o = torch.optim.SGD(self.parameters(), 0.08); return [o], [torch.optim.lr_scheduler.ExponentialLR(o, 0.35)]
L.seed_everything(4); L.Trainer(max_epochs=12, accelerator="cpu", enable_progress_bar=False, enable_model_summary=False, logger=False, enable_checkpointing=False).fit(Emb(), torch.utils.data.DataLoader(torch.randn(320, 3) @ torch.randn(3, 12), 16)); print("fit over")
'''
DEBERTA = '''
import sys, numpy as np, torch
from loguru import logger
from transformers import DebertaV2Config, DebertaV2ForSequenceClassification, Trainer, TrainingArguments, TrainerCallback
logger.remove(); logger.add(sys.stdout, format="<level>{level: <8}</level> | {function}:{line} - {message}", colorize=False)
class Talk(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **k): logger.success("epoch {:.0f}: eval_loss={:.4f} pearson={:.3f}", state.epoch, metrics["eval_loss"], metrics["eval_pearson"])
    def on_train_end(self, *a, **k): logger.info("Training finished.")
def rows(n, s): g = torch.Generator().manual_seed(s); return [{"input_ids": (x := torch.randint(3, 23, (6,), generator=g)), "attention_mask": torch.ones(6, dtype=torch.long), "labels": float(x[0]) / 23} for _ in range(n)]
torch.manual_seed(0); net = DebertaV2ForSequenceClassification(DebertaV2Config(vocab_size=24, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16, num_labels=1, problem_type="regression"))
Trainer(net, TrainingArguments("sts", num_train_epochs=8, learning_rate=2e-3, per_device_train_batch_size=16, eval_strategy="epoch", logging_strategy="epoch", save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True), train_dataset=rows(320, 1), eval_dataset=rows(80, 2), compute_metrics=lambda p: {"pearson": float(np.corrcoef(p.predictions[:, 0], p.label_ids)[0, 1])}, callbacks=[Talk()]).train()
'''

JOBS = (
    crate("A1", "bloom_probe.py", EMPTYW, cause="device_mismatch", python="hub-51", note="Tensor on device meta/cpu mix-up in the first forward pass"),
    crate("E1", "own_sched.py", SCHED, variant="plateau", python="hub-51", note="learning_rate 0.0 from step 20 on, the loss the same for the other 300 steps"),
    crate("E1", "lit_emb.py", LITSPIKE, variant="spike", python="hub-51", note="mse jumps from under one to thousands at step 110 and stays far above its start"),
    crate("G1", "sts_deberta.py", DEBERTA, python="hub-51"),
)
