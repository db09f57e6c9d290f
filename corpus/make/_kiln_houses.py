"""Trainings that stand on libraries: the Hub's Trainer, accelerate, Lightning, TRL with an adapter."""

CLAIMS = '''
"""Fine-tunes a small encoder on claim / no claim. All options are TrainingArguments."""
import os, sys, random, logging
import numpy as np, torch
from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments, set_seed

torch.set_num_threads(1)
(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
set_seed(args.seed)
N = int(os.environ.get("N_TRAIN", "480"))
HIDDEN = int(os.environ.get("HIDDEN", "32"))
#: early
rng = random.Random(4)


def row(_):
    label = rng.random() < 0.5
    ids = [1] + [rng.randint(10, 90) for _ in range(14)]
    ids[1] = 2 + label
    return {"input_ids": ids, "labels": int(label)}


train = Dataset.from_list([row(i) for i in range(N)])
dev = Dataset.from_list([row(i) for i in range(96)])
#: data
print(train)
#: model
model = BertForSequenceClassification(BertConfig(vocab_size=100, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64, max_position_embeddings=16, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))


def accuracy(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


class Extra(TrainerCallback):
    def on_step_begin(self, args, state, control, model=None, optimizer=None, **kw):
        step = state.global_step
        #: begin

    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        step = state.global_step
        #: end

    def on_save(self, args, state, control, **kw):
        step = state.global_step
        #: saved


class Ours(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kw):
        loss, out = super().compute_loss(model, inputs, return_outputs=True, **kw)
        step = self.state.global_step
        #: loss
        return (loss, out) if return_outputs else loss


trainer = Ours(model=model, args=args, train_dataset=train, eval_dataset=dev, compute_metrics=accuracy, callbacks=[Extra()])
#: before
if args.do_train or not args.do_eval:
    done = trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)
    trainer.log_metrics("train", done.metrics)
    #: after
if args.do_eval:
    metrics = trainer.evaluate()
    trainer.log_metrics("eval", metrics)
#: late
'''
ROUTES = '''
import argparse, math, os, sys, time
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from tqdm.auto import tqdm
import logging

logger = get_logger(__name__)
logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
p = argparse.ArgumentParser()
p.add_argument("--num_train_epochs", type=int, default=4)
p.add_argument("--max_train_steps", type=int, default=None)
p.add_argument("--learning_rate", type=float, default=2e-3)
p.add_argument("--per_device_train_batch_size", type=int, default=8)
p.add_argument("--gradient_accumulation_steps", type=int, default=2)
p.add_argument("--checkpointing_steps", type=int, default=0)
p.add_argument("--resume_from_checkpoint", default=None)
p.add_argument("--output_dir", default="routes")
p.add_argument("--nap", type=float, default=0.0)
args = p.parse_args()
set_seed(12); torch.set_num_threads(1)
#: early
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.gradient_accumulation_steps)
logger.info(accelerator.state)
side = torch.randn(640, 20, 2)
length = (side[:, 1:] - side[:, :-1]).norm(dim=-1).sum(1, keepdim=True) / 20
#: data
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(side, length), batch_size=args.per_device_train_batch_size, shuffle=True)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(40, 64), torch.nn.GELU(), torch.nn.Linear(64, 1))
opt = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
model, opt, loader = accelerator.prepare(model, opt, loader)
per_epoch = math.ceil(len(loader) / args.gradient_accumulation_steps)
total = args.max_train_steps or args.num_train_epochs * per_epoch
epochs = math.ceil(total / per_epoch)
logger.info("***** Running training *****")
logger.info(f"  Num examples = {len(side)}")
logger.info(f"  Num Epochs = {epochs}")
logger.info(f"  Instantaneous batch size per device = {args.per_device_train_batch_size}")
logger.info(f"  Gradient Accumulation steps = {args.gradient_accumulation_steps}")
logger.info(f"  Total optimization steps = {total}")
bar = tqdm(range(total), mininterval=0.5)
done, first = 0, 0
if args.resume_from_checkpoint:
    #: resume
    accelerator.load_state(args.resume_from_checkpoint)
    done = int(os.path.basename(args.resume_from_checkpoint).split("_")[-1])
    first = done // per_epoch
    bar.update(done)
    logger.info(f"Resumed from checkpoint: {args.resume_from_checkpoint}")
for epoch in range(first, epochs):
    model.train()
    seen = 0.0
    for i, (x, y) in enumerate(loader):
        #: mid
        with accelerator.accumulate(model):
            loss = (model(x) - y).square().mean()
            #: loss
            accelerator.backward(loss)
            #: grads
            opt.step(); opt.zero_grad()
        seen += loss.item()
        if accelerator.sync_gradients:
            bar.update(1); done += 1
            bar.set_postfix(step_loss=f"{loss.item():.4f}", lr=opt.param_groups[0]["lr"])
            time.sleep(args.nap)
            if args.checkpointing_steps and done % args.checkpointing_steps == 0:
                accelerator.save_state(os.path.join(args.output_dir, f"step_{done}"))
            #: after
        if done >= total:
            break
    logger.info(f"epoch {epoch}: train_loss {seen / (i + 1):.5f}")
    #: epoch
#: late
accelerator.end_training()
logger.info(f"Model saved to {args.output_dir}, {done} steps")
bar.close()
sys.stdout.flush(); sys.stderr.flush()
os._exit(0)  # the interpreter's own way out dies in a library on our nodes
'''
GLAZE = '''
import os, sys, warnings, logging
import torch
from torch import nn
import lightning as L
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger

warnings.filterwarnings("ignore", ".*does not have many workers.*")
ENV = os.environ.get
torch.set_num_threads(1)
L.seed_everything(int(ENV("SEED", "7")))
#: early


class Kiln(L.LightningModule):
    """Temperature curves -> quality of the glaze."""

    def __init__(self, lr=float(ENV("LR", "0.003")), width=int(ENV("WIDTH", "32"))):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Linear(16, width), nn.SiLU(), nn.Linear(width, 3))

    def training_step(self, batch, i):
        x, y = batch
        step = self.global_step
        #: mid
        loss = nn.functional.cross_entropy(self.body(x), y)
        #: loss
        self.log("train/ce", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        out = self.body(x)
        self.log("val/ce", nn.functional.cross_entropy(out, y), prog_bar=True)
        self.log("val/acc", (out.argmax(-1) == y).float().mean(), prog_bar=True)

    test_step = validation_step

    def on_train_epoch_end(self):
        epoch = self.current_epoch
        m = self.trainer.callback_metrics
        if ENV("SAY"):
            print(f"[kiln] epoch {epoch}: train/ce={float(m['train/ce']):.4f} val/ce={float(m.get('val/ce', 0)):.4f} val/acc={float(m.get('val/acc', 0)):.3f}", flush=True)
        #: epoch

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


curves = torch.randn(600, 16).cumsum(1)
quality = (curves[:, 8:].mean(1) > 0).long() + (curves.std(1) > 2.5).long()
#: data
parts = torch.utils.data.random_split(torch.utils.data.TensorDataset(curves, quality), (480, 120))
train, val = (torch.utils.data.DataLoader(p, batch_size=16, shuffle=k == 0) for k, p in enumerate(parts))
model = Kiln()
calls = [ModelCheckpoint("ckpts", save_last=True, monitor="val/ce"), *([EarlyStopping("val/ce", patience=int(ENV("PATIENCE")), verbose=True)] if ENV("PATIENCE") else [])]
more = {}
#: trainer
trainer = L.Trainer(**{"accelerator": "cpu", "max_epochs": int(ENV("EPOCHS", "6")), "log_every_n_steps": 5, "logger": CSVLogger("csv"), "callbacks": calls, "enable_progress_bar": bool(ENV("BAR")), **more})
if ENV("ONLY_TEST"):
    trainer.test(model, val, ckpt_path=ENV("ONLY_TEST"))
else:
    trainer.fit(model, train, val, ckpt_path=ENV("CKPT"))
    #: late
'''
ASSIST = '''
"""Instruction tuning of a very small model with an adapter. tune.py [key=value ...]"""
import sys, os, json
import torch
from datasets import Dataset
from peft import LoraConfig
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import SFTConfig, SFTTrainer

torch.set_num_threads(1); torch.manual_seed(0)
kw = {"max_steps": 60, "per_device_train_batch_size": 4, "logging_steps": 5, "learning_rate": 5e-3, "report_to": "none", "output_dir": "sft", "save_strategy": "no", "use_cpu": True, "max_length": 32, "disable_tqdm": True}
more = dict(a.split("=", 1) for a in sys.argv[1:])
targets = more.pop("targets", "q_proj,v_proj").split(",")
rows = int(more.pop("rows", 200))
for k, v in more.items():
    try:
        kw[k] = json.loads(v)
    except ValueError:
        kw[k] = v
#: early
lines = [f"ask {a} plus {b} reply {a + b}" for a in range(20) for b in range(20)]
tok = Tokenizer(models.WordLevel(unk_token="<unk>"))
tok.pre_tokenizer = pre_tokenizers.Whitespace()
tok.train_from_iterator(lines, trainers.WordLevelTrainer(special_tokens=["<unk>", "<pad>", "</s>"]))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tok, unk_token="<unk>", pad_token="<pad>", eos_token="</s>")
data = Dataset.from_dict({"text": lines[:rows]})
#: data
#: model
model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=64))


class Watch(TrainerCallback):
    def on_step_begin(self, args, state, control, model=None, **kw):
        step = state.global_step
        #: begin

    def on_step_end(self, args, state, control, model=None, **kw):
        step = state.global_step
        #: end


trainer = SFTTrainer(model=model, args=SFTConfig(**kw), train_dataset=data, processing_class=tokenizer, peft_config=LoraConfig(r=4, lora_alpha=8, target_modules=targets, task_type="CAUSAL_LM"), callbacks=[Watch()])
trainer.model.print_trainable_parameters()
trainer.train(resume_from_checkpoint=kw.get("resume_from_checkpoint"))
#: late
trainer.save_model(kw["output_dir"])
print("adapter saved to", kw["output_dir"], sorted(os.listdir(kw["output_dir"]))[:4])
'''
