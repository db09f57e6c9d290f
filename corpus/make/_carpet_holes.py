"""Runs of Hugging Face's and Lightning's trainers that broke down."""

from corpus.make._crate import crate
from corpus.running.job import Signal

NOMODEL = '''
import argparse, logging
from transformers import AutoModelForCausalLM, AutoTokenizer
logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(message)s"); p = argparse.ArgumentParser(); p.add_argument("--model_name_or_path"); p.add_argument("--lora_r", type=int, default=8); a = p.parse_args()
logging.info("loading base model %s", a.model_name_or_path)
model = AutoModelForCausalLM.from_pretrained(a.model_name_or_path); tok = AutoTokenizer.from_pretrained(a.model_name_or_path)
logging.info("base model loaded: %d parameters", model.num_parameters())
'''
NOTOK = '''
from transformers import AutoTokenizer, BertConfig, BertModel
enc = BertModel(BertConfig(hidden_size=48, num_hidden_layers=1, num_attention_heads=4, intermediate_size=96)); enc.save_pretrained("encoder")
print("encoder weights written; files: config.json, model.safetensors")
tok = AutoTokenizer.from_pretrained("encoder"); print(tok("a test"))
'''
MISMATCHARGS = '''
import sys, yaml
from transformers import HfArgumentParser, TrainingArguments
conf = yaml.safe_load(open(sys.argv[1])); print("loaded", sys.argv[1], "with", len(conf), "keys")
(args,) = HfArgumentParser(TrainingArguments).parse_dict(conf); print("effective batch", args.train_batch_size * args.gradient_accumulation_steps)
'''
NOPEFT = '''
import torch
from transformers import LlamaConfig, LlamaForCausalLM
base = LlamaForCausalLM(LlamaConfig(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2))
print("trainable before adapters:", sum(p.numel() for p in base.parameters()))
def add_adapters(m):
    from peft import LoraConfig, get_peft_model
    return get_peft_model(m, LoraConfig(r=8, target_modules=["q_proj", "v_proj"]))
base = add_adapters(base)
'''
NOGPU = '''
import os, lightning as L, torch
class Lit(L.LightningModule):
    def __init__(self): super().__init__(); self.w = torch.nn.Linear(8, 1)
    def training_step(self, b, i): return self.w(b).mean()
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
L.seed_everything(int(os.environ.get("SEED", "11")))
trainer = L.Trainer(accelerator="gpu", devices=4, strategy="ddp", precision="bf16-mixed", max_epochs=3)
trainer.fit(Lit(), torch.utils.data.DataLoader(torch.randn(64, 8), 8))
'''
HYDRA = '''
import hydra, logging, torch
from omegaconf import DictConfig, OmegaConf
log = logging.getLogger(__name__)
@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    log.info("\\n" + OmegaConf.to_yaml(cfg)); torch.manual_seed(cfg.seed); net = torch.nn.Linear(cfg.model.inp, cfg.model.out); opt = torch.optim.SGD(net.parameters(), cfg.optim.lr)
    for s in range(cfg.steps): l = net(torch.randn(8, cfg.model.inp)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); log.info("step %d %.4f", s, l)
main()
'''
NOLABEL = '''
import json, torch
from transformers import AlbertConfig, AlbertForSequenceClassification, Trainer, TrainingArguments
rows = [json.loads(l) for l in open("train.jsonl")]; print(len(rows), "rows, keys:", sorted(rows[0]))
net = AlbertForSequenceClassification(AlbertConfig(vocab_size=30, embedding_size=16, hidden_size=32, num_attention_heads=2, intermediate_size=32, num_hidden_layers=1))
Trainer(net, TrainingArguments("alb", max_steps=50, report_to=[], use_cpu=True, logging_steps=5, disable_tqdm=True), train_dataset=rows).train()
'''
LONGSAMPLE = '''
import torch
from transformers import OPTConfig, OPTForCausalLM, Trainer, TrainingArguments
class Docs(torch.utils.data.Dataset):
    def __len__(s): return 400
    def __getitem__(s, i): n = 14 if i < 330 else 30; x = (torch.arange(n) * 3 + i) % 40 + 4; return {"input_ids": x, "labels": x}
class InOrder(Trainer):
    def _get_train_sampler(self, *a): return torch.utils.data.SequentialSampler(self.train_dataset)
net = OPTForCausalLM(OPTConfig(vocab_size=50, hidden_size=32, num_hidden_layers=1, ffn_dim=64, num_attention_heads=2, max_position_embeddings=20, word_embed_proj_dim=32))
InOrder(net, TrainingArguments("opt", num_train_epochs=3, per_device_train_batch_size=5, logging_steps=6, learning_rate=1e-3, save_strategy="no", report_to=[], use_cpu=True), train_dataset=Docs()).train()
'''
METRICKEY = '''
import numpy as np, torch
from transformers import BertConfig, BertForTokenClassification, Trainer, TrainingArguments
TAGS = {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC"}
def seqeval_like(p):
    pred = p.predictions.argmax(-1); names = [[TAGS[int(v)] for v in row] for row in pred]; gold = [[TAGS[int(v)] for v in row if v != -1] for row in p.label_ids]
    return {"f1": float(np.mean([a[:len(b)] == b for a, b in zip(names, gold)]))}
def rows(n): return [{"input_ids": (x := torch.randint(3, 30, (9,))), "labels": torch.where(x > 28, -100, x % 4)} for _ in range(n)]
torch.manual_seed(0); m = BertForTokenClassification(BertConfig(vocab_size=30, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, num_labels=4))
Trainer(m, TrainingArguments("ner", num_train_epochs=4, learning_rate=3e-3, eval_strategy="steps", eval_steps=45, logging_steps=9, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True), train_dataset=rows(320), eval_dataset=rows(64), compute_metrics=seqeval_like).train()
'''
LITVAL = '''
import lightning as L, torch
class Track(L.LightningModule):
    def __init__(self): super().__init__(); self.net = torch.nn.GRU(3, 12, batch_first=True); self.out = torch.nn.Linear(12, 3); self.seen = {}
    def training_step(self, b, i): l = (self.out(self.net(b)[0])[:, :-1] - b[:, 1:]).abs().mean(); self.log("loss", l, prog_bar=True); self.seen[self.current_epoch] = float(l); return l
    def on_train_epoch_end(self): assert self.seen[self.current_epoch] <= self.seen.get(self.current_epoch - 3, 9e9) * 0.5, f"loss has not halved in three epochs: {self.seen}"
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 2e-3)
L.seed_everything(1); tr = L.Trainer(max_epochs=50, accelerator="cpu", logger=False, enable_checkpointing=False, enable_model_summary=False); tr.fit(Track(), torch.utils.data.DataLoader(torch.randn(256, 10, 3).cumsum(1) / 3, 16))
'''
DISKFULL = '''
import torch
from accelerate import Accelerator
acc = Accelerator(cpu=True); torch.manual_seed(5)
net = torch.nn.Sequential(torch.nn.Linear(128, 900), torch.nn.ReLU(), torch.nn.Linear(900, 16)); opt = torch.optim.AdamW(net.parameters(), 1e-3); net, opt = acc.prepare(net, opt)
for step in range(1, 201):
    x = torch.randn(32, 128); l = torch.nn.functional.cross_entropy(net(x), x[:, :16].argmax(1)); acc.backward(l); opt.step(); opt.zero_grad()
    if step % 10 == 0: acc.print(f"step {step}: loss={l.item():.4f}")
    if step % 25 == 0:
        acc.print(f"dumping activations of step {step}")
        with open(f"full/act_{step:04d}.f32", "wb") as f: f.write(net[0](x).relu().detach().numpy().tobytes() * 8)
'''
NPZ = '''
import lightning as L, torch, numpy as np
class Maps(torch.utils.data.IterableDataset):
    def __iter__(self):
        for k in range(9): yield from torch.from_numpy(np.load(f"tiles/{k:03d}.npz")["a"]).float().split(8)
class Lit(L.LightningModule):
    def __init__(self): super().__init__(); self.c = torch.nn.Conv2d(1, 1, 3, padding=1)
    def training_step(self, b, i): b = b[:, None]; l = (self.c(b) - b).pow(2).mean(); self.log("mse", l); print(f"[{self.global_step:03d}] mse {l.item():.5f}") if i % 4 == 0 else None; return l
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 0.02)
L.Trainer(max_epochs=2, enable_progress_bar=False, logger=False, enable_checkpointing=False, enable_model_summary=False).fit(Lit(), torch.utils.data.DataLoader(Maps(), None))
'''
TILES = 'import numpy as np\nfor k in range(9):\n    if k != 6: np.savez(f"tiles/{k:03d}.npz", a=np.random.default_rng(k).normal(size=(64, 12, 12)))\n'
HOSTOOM = '''
import torch, time
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM, Trainer, TrainingArguments, TrainerCallback
class Keep(TrainerCallback):
    """Keeps the logits of each step for a later plot."""
    kept = []
    def on_step_end(self, args, state, control, model=None, **kw): self.kept.append(model(torch.randint(60, (48, 32))).logits.repeat(1, 16, 1).contiguous())
net = GPTNeoXForCausalLM(GPTNeoXConfig(vocab_size=300, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=32))
rows = [{"input_ids": (x := (torch.arange(16) + i) % 60), "labels": x} for i in range(400)]
Trainer(net, TrainingArguments("neox", num_train_epochs=4, per_device_train_batch_size=8, logging_steps=5, save_strategy="no", report_to=[], use_cpu=True), train_dataset=rows, callbacks=[Keep()]).train()
'''
EXTCRASH = '''
import ctypes, torch
from accelerate import Accelerator
from accelerate.utils import tqdm
acc = Accelerator(cpu=True); torch.manual_seed(1); net, opt = acc.prepare(m := torch.nn.Linear(16, 16), torch.optim.SGD(m.parameters(), 0.1)); table = torch.zeros(1000, 16); libc = ctypes.CDLL("libc.so.6")
for step in tqdm(range(300), desc="train", mininterval=0.5):
    x = torch.randn(64, 16); l = (net(x) - x).pow(2).mean(); opt.zero_grad(); acc.backward(l); opt.step()
    if step % 25 == 0: acc.print(f"loss at {step}: {l.item():.5f}", flush=True)
    libc.memset(ctypes.c_void_p(table.data_ptr() if step < 180 else 0x40), 0, 64)
'''
EVALKILL = '''
import lightning as L, torch, time
class Slow(L.LightningModule):
    def __init__(self): super().__init__(); self.f = torch.nn.Linear(11, 2)
    def training_step(self, b, i): time.sleep(0.03); l = torch.nn.functional.cross_entropy(self.f(b), (b[:, 0] > 0).long()); self.log("loss", l, prog_bar=True); return l
    def on_train_batch_end(self, o, b, i): self.global_step % 10 == 0 and print(f"\\nglobal_step={self.global_step} loss={o['loss'].item():.4f}", flush=True)
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
torch.manual_seed(0); L.Trainer(max_epochs=400, accelerator="cpu", logger=False, enable_checkpointing=False, enable_model_summary=False, enable_progress_bar=False).fit(Slow(), torch.utils.data.DataLoader(torch.randn(160, 11), 16))
'''
NOVALIDCK = '''
import sys
from transformers import Trainer, TrainingArguments, XLNetConfig, XLNetForSequenceClassification
import torch
net = XLNetForSequenceClassification(XLNetConfig(vocab_size=40, d_model=32, n_layer=1, n_head=2, d_inner=64)); args = TrainingArguments("xl_run", max_steps=60, report_to=[], use_cpu=True, logging_steps=10)
tr = Trainer(net, args, train_dataset=[{"input_ids": torch.arange(8) + i % 9, "labels": i % 2} for i in range(90)])
tr.train(resume_from_checkpoint="--resume" in sys.argv)
'''
LITSIZE = '''
import lightning as L, sys, torch
class Cls(L.LightningModule):
    def __init__(self, k): super().__init__(); self.body = torch.nn.Linear(13, 20); self.head = torch.nn.Linear(20, k); self.k = k
    def training_step(self, b, i): l = torch.nn.functional.cross_entropy(self.head(self.body(b).tanh()), b[:, : self.k].argmax(1)); self.log("l", l); return l
    def on_train_epoch_end(self): print(f"epoch {self.current_epoch} of {self.trainer.max_epochs}: loss {self.trainer.callback_metrics['l']:.4f}")
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 0.01)
k, epochs = int(sys.argv[1]), int(sys.argv[2]); resume = sys.argv[3] if len(sys.argv) > 3 else None
torch.manual_seed(0); t = L.Trainer(max_epochs=epochs, enable_progress_bar=False, enable_model_summary=False, logger=False, enable_checkpointing=False, accelerator="cpu"); t.fit(Cls(k), torch.utils.data.DataLoader(torch.randn(300, 13), 30), ckpt_path=resume); t.save_checkpoint("cls.ckpt"); print("wrote cls.ckpt")
'''
SAFECUT = '''
import os, torch
from transformers import CamembertConfig, CamembertForMaskedLM, Trainer, TrainingArguments
def fit(steps, resume): return Trainer(CamembertForMaskedLM(CamembertConfig(vocab_size=40, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=20)), TrainingArguments("cam", max_steps=steps, save_steps=30, logging_steps=10, per_device_train_batch_size=8, report_to=[], use_cpu=True, disable_tqdm=True), train_dataset=[{"input_ids": (x := (torch.arange(8) + i) % 36 + 4), "labels": x} for i in range(160)]).train(resume_from_checkpoint=resume)
if not os.path.isdir("cam/checkpoint-30"): fit(30, None)
else: print("resuming from cam/checkpoint-30,", os.path.getsize("cam/checkpoint-30/model.safetensors"), "bytes of weights"); fit(90, "cam/checkpoint-30")
'''
IGNORED = '''
import argparse, os, torch
from accelerate import Accelerator
from transformers import GPT2Config, GPT2LMHeadModel
p = argparse.ArgumentParser(); p.add_argument("--output_dir"); p.add_argument("--resume_from_checkpoint"); p.add_argument("--max_train_steps", type=int, default=90); a = p.parse_args()
acc = Accelerator(cpu=True); torch.manual_seed(0); net = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=16, n_embd=32, n_layer=1, n_head=2)); opt = torch.optim.AdamW(net.parameters(), 3e-3); net, opt = acc.prepare(net, opt); done = 0
acc.print("***** Running training *****"); acc.print(f"  Total optimization steps = {a.max_train_steps}"); acc.print(f"  output_dir = {a.output_dir}, resume_from_checkpoint = {a.resume_from_checkpoint}")
if a.resume_from_checkpoint and a.resume_from_checkpoint.startswith("epoch"): acc.load_state(a.resume_from_checkpoint); acc.print("Resumed"); done = 45
while done < a.max_train_steps:
    x = (torch.arange(12) * 3 + torch.randint(40, (16, 1))) % 40; l = net(input_ids=x, labels=x).loss; acc.backward(l); opt.step(); opt.zero_grad(); done += 1
    if done % 10 == 0 or done == 1: acc.print(f"  step {done}: train_loss {l.item():.4f}")
acc.save_state(os.path.join(a.output_dir, "last")); acc.print(f"saved {a.output_dir}/last")
'''

JOBS = (
    crate("A1", "lora_ft.py --model_name_or_path /models/mistral-7b-v0.3", NOMODEL, cause="traceback", variant="asset", python="hub-51", note="OSError of transformers / HFValidationError for a model folder that is not there"),
    crate("A1", "encode.py", NOTOK, cause="traceback", variant="asset", python="hub-51", note="no tokenizer files in the folder"),
    crate("A1", "hf_args.py run.yaml", MISMATCHARGS, cause="traceback", variant="config", python="hub-51", files={"run.yaml": "output_dir: out\nuse_cpu: true\nload_best_model_at_end: true\neval_strategy: steps\neval_steps: 100\nsave_strategy: epoch\nnum_train_epochs: 3\n"}, note="ValueError: --load_best_model_at_end requires the strategies to match"),
    crate("A1", "adapters.py", NOPEFT, cause="missing_module", variant="env", python="hub-51", note="ModuleNotFoundError: peft"),
    crate("A1", "lit_ddp.py", NOGPU, cause="traceback", variant="env", python="hub-51", note="MisconfigurationException: no supported gpu backend found"),
    crate("A1", "hydra_main.py optim.learning_rate=0.05 steps=200", HYDRA, variant="config", python="hub-51", files={"conf/config.yaml": "seed: 1\nsteps: 100\nmodel:\n  inp: 8\n  out: 3\noptim:\n  lr: 0.1\n"}, note="Hydra: Could not override, key not in struct; exit 1, no Python traceback"),
    crate("A1", "albert.py", NOLABEL, cause="traceback", variant="data", python="hub-51", files={"train.jsonl": "\n".join(f'{{"input_ids": [{4 + i % 9}, 5, 6, 7], "label_text": "{("no", "yes")[i % 2]}"}}' for i in range(64))}, note="ValueError: the model did not return a loss / no labels, before step 1"),
    crate("A3", "opt_lm.py", LONGSAMPLE, cause="traceback", python="hub-51", note="IndexError: index out of range in self, after 66 steps of 240"),
    crate("A3", "ner.py", METRICKEY, cause="traceback", python="hub-51", note="KeyError: -100 in compute_metrics at the second half of epoch 2"),
    crate("A3", "lit_track.py", LITVAL, cause="assertion", python="hub-51", note="AssertionError in a hook after some epochs"),
    crate("A3", "acc_state.py", DISKFULL, cause="traceback", python="hub-51", disk_mib=4, note="No space left on device on saving after 150 steps or so"),
    crate("A3", "lit_tiles.py", NPZ, cause="file_not_found", python="hub-51", folders=("tiles",), files={"mk.py": TILES}, before=(("PYTHON", "mk.py"),), note="FileNotFoundError of tiles/006.npz after 48 steps"),
    crate("A2", "neox.py", HOSTOOM, cause="oom_killer", status=-9, python="hub-51", group_mib=1400, note="oom_kill event at the group's limit, signal 9"),
    crate("A2", "acc_table.py", EXTCRASH, cause="segfault", status=-11, python="hub-51", note="signal 11 while training"),
    crate("A2", "lit_slow.py", EVALKILL, fault="unknown", status=-9, python="hub-51", signal=Signal("KILL", "global_step=90 ", to="lit_slow"), note="signal 9, no memory event, advancing"),
    crate("E2", "xlnet.py --resume", NOVALIDCK, cause="traceback", variant="no_valid_checkpoint", python="hub-51", note="ValueError: No valid checkpoint found in output directory"),
    crate("E2", "sh lit2.sh PYTHON", '"$1" lit_cls.py 4 6 && exec "$1" lit_cls.py 6 12 cls.ckpt', cause="runtime_error", variant="size_mismatch", python="hub-51", files={"lit_cls.py": LITSIZE}, note="size mismatch for head.weight on restoring cls.ckpt"),
    crate("E2", "sh cam.sh PYTHON", '"$1" cam.py || exit 1\nW=cam/checkpoint-30/model.safetensors\nhead -c 9000 $W > w.part && mv w.part $W\nexec "$1" cam.py', cause="traceback", variant="corrupt", python="hub-51", files={"cam.py": SAFECUT}, note="SafetensorError on a file cut short, when resuming"),
    crate("E2", "sh again.sh PYTHON", '"$1" clm_no_trainer.py --output_dir a && exec "$1" clm_no_trainer.py --output_dir b --resume_from_checkpoint a/last', variant="from_scratch", status=0, python="hub-51", files={"clm_no_trainer.py": IGNORED}, note="resume_from_checkpoint given and printed, no 'Resumed', step 1 with the first loss again"),
)
