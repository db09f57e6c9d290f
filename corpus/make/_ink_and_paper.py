"""Fine-tuning and evaluation over transformers, TRL, PEFT, accelerate and Lightning by one process, with places for what a case does."""

CODEC = '''from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

WORDS = ["<pad>", "<bos>", "<eos>", "<unk>"] + "add take mix bake boil stir serve chop fry the a some hot cold flour sugar eggs butter onions rice water salt pan oven bowl slowly quickly then until golden soft done how do you make soup cake ?".split()


def codec():
    core = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", bos_token="<bos>", eos_token="<eos>", unk_token="<unk>", model_max_length=48)
'''
CLM = '''#!/usr/bin/env python3
"""causal language model on recipes, with the Trainer"""
import logging
import os
import random
import sys
from dataclasses import dataclass, field

import datasets
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments, DataCollatorForLanguageModeling
from transformers.trainer_utils import get_last_checkpoint

from codec import codec

logger = logging.getLogger(__name__)


@dataclass
class Extra:
    corpus_file: str = field(default="", metadata={"help": "text file"})
    n_embd: int = 32
    rows: int = 400


class Peek(TrainerCallback):
    def on_step_end(self, args, state, control, **kw):
        step, model = state.global_step, kw["model"]
        #: mid
        pass

    def on_save(self, args, state, control, **kw):
        #: saved
        pass


def main():
    extra, args = HfArgumentParser((Extra, TrainingArguments)).parse_args_into_dataclasses()
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", handlers=[logging.StreamHandler(sys.stdout)], level=logging.INFO)
    transformers.utils.logging.set_verbosity_info()
    transformers.utils.logging.enable_explicit_format()
    logger.warning(f"Process rank: {args.local_rank}, device: {args.device}, n_gpu: {args.n_gpu}, 16-bits training: {args.fp16}")
    transformers.set_seed(args.seed)
    #: early
    tok = codec()
    rng = random.Random(3)
    verbs, things = "add take mix bake boil stir serve chop fry".split(), "flour sugar eggs butter onions rice water salt".split()
    if extra.corpus_file:
        data = datasets.load_dataset("text", data_files=extra.corpus_file, split="train")
    else:
        data = datasets.Dataset.from_list([{"text": " ".join(f"{rng.choice(verbs)} the {rng.choice(things)} then" for _ in range(5)) + " serve hot"} for _ in range(extra.rows)])
    #: data
    data = data.map(lambda b: tok(b["text"], truncation=True), batched=True, remove_columns=["text"], desc="Tokenizing")
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tok), n_embd=extra.n_embd, n_layer=2, n_head=2, n_positions=64, bos_token_id=1, eos_token_id=2))
    last = None
    if os.path.isdir(args.output_dir) and args.resume_from_checkpoint is None:
        last = get_last_checkpoint(args.output_dir)
        if last:
            logger.info(f"Checkpoint detected, resuming training at {last}.")
    trainer = Trainer(model, args, train_dataset=data, eval_dataset=data.select(range(40)), data_collator=DataCollatorForLanguageModeling(tok, mlm=False), callbacks=[Peek()])
    #: ready
    result = trainer.train(resume_from_checkpoint=args.resume_from_checkpoint or last)
    trainer.log_metrics("train", result.metrics)
    trainer.save_metrics("train", result.metrics)
    #: late


if __name__ == "__main__":
    main()
'''
DPO = '''import logging
import os
import random
import warnings

import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import Qwen2Config, Qwen2ForCausalLM, TrainerCallback, set_seed
from trl import DPOConfig, DPOTrainer

from codec import codec

set_seed(21)
STEPS = int(os.environ.get("STEPS", "60"))
#: early
tok = codec()
rng = random.Random(1)
pairs = []
for _ in range(160):
    thing = rng.choice("soup cake".split())
    pairs.append({"prompt": f"how do you make {thing} ?", "chosen": "mix the flour then bake until golden", "rejected": "boil some cold cold cold water"})
#: data
base = Qwen2ForCausalLM(Qwen2Config(vocab_size=len(tok), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2))
lora = LoraConfig(r=4, lora_alpha=16, task_type="CAUSAL_LM", target_modules=os.environ.get("TARGETS", "q_proj,v_proj").split(","))


class Peek(TrainerCallback):
    def on_step_end(self, args, state, control, **kw):
        step, model = state.global_step, kw["model"]
        #: mid
        pass


options = dict(output_dir="dpo", max_steps=STEPS, learning_rate=float(os.environ.get("LR", "2e-2")), per_device_train_batch_size=8, logging_steps=4, report_to=[], use_cpu=True, bf16=False, beta=0.1, save_strategy="no", max_length=32, max_prompt_length=12, remove_unused_columns=False, gradient_checkpointing=False)
#: options
trainer = DPOTrainer(base, args=DPOConfig(**options), train_dataset=Dataset.from_list(pairs), processing_class=tok, peft_config=lora, callbacks=[Peek()])
trainer.model.print_trainable_parameters()
#: ready
trainer.train()
#: late
trainer.save_model("dpo/final")
print("adapter in dpo/final")
'''
DIFF = '''import argparse
import logging
import math
import os
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from tqdm.auto import tqdm

logger = get_logger(__name__, log_level="INFO")


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--num_epochs", type=int, default=5)
    p.add_argument("--learning_rate", type=float, default=3e-3)
    p.add_argument("--save_model_epochs", type=int, default=2)
    p.add_argument("--base", type=int, default=12)
    p.add_argument("--resume_from_checkpoint", default=None)
    p.add_argument("--output_dir", default="ddpm-rings")
    return p.parse_args()


class TinyUNet(torch.nn.Module):
    def __init__(self, c):
        super().__init__()
        self.time = torch.nn.Linear(1, c)
        self.inc = torch.nn.Conv2d(1, c, 3, padding=1)
        self.down = torch.nn.Conv2d(c, c, 3, 2, 1)
        self.up = torch.nn.ConvTranspose2d(c, c, 4, 2, 1)
        self.out = torch.nn.Conv2d(c, 1, 3, padding=1)

    def forward(self, x, t):
        h = F.silu(self.inc(x) + self.time(t[:, None])[:, :, None, None])
        return self.out(h + F.silu(self.up(F.silu(self.down(h)))))


def main():
    args = parse()
    accelerator = Accelerator(cpu=True, log_with=None, project_dir=args.output_dir)
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
    torch.manual_seed(6)
    #: early
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 16), torch.linspace(-1, 1, 16), indexing="ij")
    rad = 0.3 + 0.5 * torch.rand(640, 1, 1)
    images = torch.exp(-((xx**2 + yy**2).sqrt()[None] - rad) ** 2 / 0.02)[:, None] * 2 - 1
    #: data
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images), batch_size=32, shuffle=True)
    net = TinyUNet(args.base)
    opt = torch.optim.AdamW(net.parameters(), lr=args.learning_rate)
    net, opt, loader = accelerator.prepare(net, opt, loader)
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(images)}")
    logger.info(f"  Num Epochs = {args.num_epochs}")
    logger.info(f"  Total optimization steps = {args.num_epochs * len(loader)}")
    first, global_step = 0, 0
    if args.resume_from_checkpoint:
        accelerator.print(f"Resuming from checkpoint {args.resume_from_checkpoint}")
        accelerator.load_state(args.resume_from_checkpoint)
        first = 1 + int(args.resume_from_checkpoint.rstrip("/").split("-")[-1])
        global_step = first * len(loader)
    #: ready
    for epoch in range(first, args.num_epochs):
        bar = tqdm(total=len(loader), disable=not accelerator.is_local_main_process, ncols=100)
        bar.set_description(f"Epoch {epoch}")
        for step, (clean,) in enumerate(loader):
            noise, t = torch.randn_like(clean), torch.rand(len(clean))
            a = (t * math.pi / 2).cos()[:, None, None, None]
            #: mid
            loss = F.mse_loss(net(a * clean + (1 - a**2).sqrt() * noise, t), noise)
            #: loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
            bar.update(1)
            global_step += 1
            bar.set_postfix(loss=loss.detach().item(), lr=opt.param_groups[0]["lr"], step=global_step)
            #: after
        bar.close()
        accelerator.wait_for_everyone()
        if (epoch + 1) % args.save_model_epochs == 0:
            where = Path(args.output_dir) / f"checkpoint-{epoch}"
            accelerator.save_state(str(where))
            logger.info(f"Saved state to {where}")
        #: epoch
    #: late
    accelerator.end_training()


if __name__ == "__main__":
    main()
'''
EVAL = '''"""Score a model on three small tasks, as evaluation harnesses do."""
import argparse
import json
import logging
import os
import sys
import time

import torch
from tqdm import tqdm

logging.basicConfig(format="%(asctime)s,%(msecs)03d %(levelname)-8s [%(filename)s:%(lineno)d] %(message)s", datefmt="%Y-%m-%d:%H:%M:%S", level=logging.INFO)
log = logging.getLogger("harness")
p = argparse.ArgumentParser()
p.add_argument("--model", default="")
p.add_argument("--tasks", default="parity,copy,majority")
p.add_argument("--limit", type=int, default=400)
p.add_argument("--batch_size", default="16")
p.add_argument("--output_path", default="results")
a = p.parse_args()
torch.manual_seed(1234)
#: early
TASKS = {"parity": lambda x: x.sum(1) % 2, "copy": lambda x: x[:, 0], "majority": lambda x: (x.float().mean(1) > 0.5).long()}
net = torch.nn.Sequential(torch.nn.Linear(9, 32), torch.nn.GELU(), torch.nn.Linear(32, 2))
if a.model:
    log.info("loading pretrained=%s", a.model)
    net.load_state_dict(torch.load(a.model))
else:
    log.info("no model given: probing a fresh one")
results = {}
for name in a.tasks.split(","):
    rule = TASKS[name]
    log.info("Building contexts for %s on rank 0...", name)
    x = (torch.rand(a.limit, 9) < 0.5).long()
    y = rule(x)
    #: task
    hit = 0
    for at in tqdm(range(0, a.limit, int(a.batch_size)), desc=f"Running loglikelihood requests ({name})", ncols=100):
        xb, yb = x[at : at + int(a.batch_size)], y[at : at + int(a.batch_size)]
        #: mid
        with torch.no_grad():
            hit += (net(xb.float()).argmax(1) == yb).sum().item()
        time.sleep(0.02)
    results[name] = hit / a.limit
    #: scored
print("|  Tasks  |Version|Metric|Value |")
print("|---------|------:|------|-----:|")
for name, value in results.items():
    print(f"|{name:<9}|      1|acc   |{value:.4f}|")
#: late
os.makedirs(a.output_path, exist_ok=True)
with open(os.path.join(a.output_path, "results.json"), "w") as f:
    json.dump(results, f)
log.info("results written to %s", a.output_path)
'''
