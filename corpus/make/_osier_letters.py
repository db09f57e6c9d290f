"""Programs over the trainer of transformers: chapters of discharge letters in the way of its examples, folk tunes with an own callback."""

LETTERS = '''#!/usr/bin/env python
"""Main diagnosis (ICD-10 chapter) of discharge letters with a small BERT of our own."""
import logging
import os
import random
import sys
from dataclasses import dataclass, field

import datasets
import numpy as np
import torch
import transformers
from transformers import BertConfig, BertForSequenceClassification, EarlyStoppingCallback, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments, set_seed
from transformers.trainer_utils import get_last_checkpoint

logger = logging.getLogger("icd")


@dataclass
class DataArguments:
    train_file: str = ""
    letters: int = 1200
    max_len: int = 28


@dataclass
class ModelArguments:
    init: str = ""
    chapters: int = 6
    width: int = 48
    stop_after: int = field(default=0, metadata={"help": "evaluations without a better loss"})


parser = HfArgumentParser((DataArguments, ModelArguments, TrainingArguments))
data_args, model_args, args = parser.parse_args_into_dataclasses()
logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s -   %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO, stream=sys.stdout)
transformers.utils.logging.set_verbosity(args.get_process_log_level())
logger.warning(f"device: {args.device}, n_gpu: {args.n_gpu}, 16-bits training: {args.fp16}")
set_seed(args.seed)
#: early
STEMS = ["cardi hypert infarct rhythm stent", "pneum bronch cough inhal spiro", "frakt osteo gips knie luxat", "insul diabet thyr hba metform", "gastr hepat chole endosk reflux", "neuro stroke apha epil pares", "derm ekzem psor haut salbe", "renal dialys krea harn stein"]
SHARED = "patient aufnahme entlassung befund labor therapie kontrolle hausarzt stationär unauffällig procedere mg täglich".split()
vocabulary = {w: i + 1 for i, w in enumerate(SHARED + [w for s in STEMS for w in s.split()])}


def letter(draw):
    chapter = draw.randrange(model_args.chapters)
    words = [draw.choice(STEMS[chapter].split()) if draw.random() < 0.22 else draw.choice(SHARED + STEMS[draw.randrange(model_args.chapters)].split()) for _ in range(data_args.max_len)]
    return {"text": " ".join(words), "label": chapter}


draw = random.Random(args.seed)
#: data
if data_args.train_file:
    raw = datasets.load_dataset("csv", data_files={"train": data_args.train_file})["train"]
else:
    raw = datasets.Dataset.from_list([letter(draw) for _ in range(data_args.letters)])


def encode(batch):
    #: encode
    return {"input_ids": [[vocabulary[w] for w in t.split()] for t in batch["text"]]}


parts = raw.map(encode, batched=True, remove_columns=["text"], desc="encoding letters").train_test_split(0.15, seed=1)
logger.info(f"{len(parts['train'])} letters for training, {len(parts['test'])} held back")
if model_args.init:
    model = BertForSequenceClassification.from_pretrained(model_args.init, num_labels=model_args.chapters, ignore_mismatched_sizes=True)
else:
    model = BertForSequenceClassification(BertConfig(vocab_size=len(vocabulary) + 1, hidden_size=model_args.width, num_hidden_layers=2, num_attention_heads=2, intermediate_size=96, max_position_embeddings=64, num_labels=model_args.chapters))
logger.info(f"{sum(p.numel() for p in model.parameters()):,} weights")


def measures(pred):
    hits = pred.predictions.argmax(-1) == pred.label_ids
    result = {"accuracy": float(hits.mean())}
    #: measures
    return result


callbacks = [EarlyStoppingCallback(model_args.stop_after)] if model_args.stop_after else []
#: ready
trainer = Trainer(model=model, args=args, train_dataset=parts["train"], eval_dataset=parts["development"], compute_metrics=measures, callbacks=callbacks)
#: trainer
if args.do_train:
    go_on = args.resume_from_checkpoint
    if go_on in ("True", "true"):
        go_on = True
    #: resume
    done = trainer.train(resume_from_checkpoint=go_on)
    trainer.save_model()
    trainer.log_metrics("train", done.metrics)
    trainer.save_state()
if args.do_eval:
    logger.info("*** Evaluate ***")
    trainer.log_metrics("eval", trainer.evaluate())
#: end
'''

TUNES = '''"""Folk tunes in ABC notation, letter by letter: GPT-2 of two layers. Usage: tunes.py settings.json"""
import json
import math
import os
import random
import sys
import time

import torch
import transformers
from loguru import logger
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

logger.remove()
logger.add(sys.stdout, format="{time:HH:mm:ss.SSS} | {level: <7} | {message}")
with open(sys.argv[1]) as f:
    cfg = json.load(f)
logger.info("settings {}", json.dumps(cfg))
transformers.set_seed(cfg.get("seed", 17))
transformers.utils.logging.set_verbosity_error()
NOTES = "CDEFGABcdefgab|:2/ "
PHRASES = ["GABc dedB|", "dedB dedB|", "c2ec B2dB|", "A2FA GFED|", "EFGA B2AF|", "gfed cBAG|"]
#: early


class Tunes(Dataset):
    """Random walks through phrases, cut to equal length."""

    def __init__(self, count, length, seed):
        draw = random.Random(seed)
        self.items = []
        while len(self.items) < count:
            at, text = draw.randrange(len(PHRASES)), ""
            while len(text) < length:
                text += PHRASES[at]
                at = (at + draw.choice([0, 1, 1, 1, 2])) % len(PHRASES)
            #: item
            self.items.append(torch.tensor([NOTES.index(c) for c in text[:length]]))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        #: get
        return {"input_ids": self.items[index], "labels": self.items[index]}


class Diary(TrainerCallback):
    """What we want to read in the morning."""

    def on_train_begin(self, args, state, control, **kwargs):
        self.began = time.time()
        logger.info("training from step {} to {}", state.global_step, state.max_steps)

    def on_step_end(self, args, state, control, **kwargs):
        step = state.global_step
        #: step
        return control

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            logger.info("step {}/{}  bits per note {:.4f}  |g| {:.3f}  lr {:.2e}  ({:.1f} s)", state.global_step, state.max_steps, logs["loss"] / math.log(2), logs.get("grad_norm", 0.0), logs["learning_rate"], time.time() - self.began)
        elif "eval_loss" in logs:
            logger.success("held-out tunes: {:.4f} bits per note", logs["eval_loss"] / math.log(2))
        #: log

    def on_save(self, args, state, control, **kwargs):
        logger.debug("kept {}/checkpoint-{}", args.output_dir, state.global_step)
        #: save


#: data
train, held = Tunes(cfg.get("tunes", 800), 40, 1), Tunes(64, 40, 2)
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(NOTES), n_positions=64, n_embd=cfg.get("width", 48), n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0))
if cfg.get("weights"):
    #: weights
    model = GPT2LMHeadModel.from_pretrained(cfg["weights"])
    logger.info("weights of {} taken over", cfg["weights"])
args = TrainingArguments(
    output_dir=cfg.get("out", "reels"), max_steps=cfg.get("steps", 400), per_device_train_batch_size=cfg.get("batch", 8), learning_rate=cfg.get("lr", 3e-3), max_grad_norm=cfg.get("clip", 1.0),
    logging_steps=cfg.get("log", 10), eval_strategy="steps", eval_steps=cfg.get("eval", 100), save_steps=cfg.get("save", 100), save_total_limit=3, warmup_steps=cfg.get("warmup", 10), logging_nan_inf_filter=False,
    lr_scheduler_type=cfg.get("schedule", "linear"), weight_decay=0.01, report_to="none", disable_tqdm=True, use_cpu=True, seed=cfg.get("seed", 17), dataloader_num_workers=cfg.get("workers", 0),
)
trainer = Trainer(model=model, args=args, train_dataset=train, eval_dataset=held, callbacks=[Diary()])
trainer.remove_callback(transformers.PrinterCallback)
#: ready
trainer.train(resume_from_checkpoint=cfg.get("resume"))
#: end
model.eval()
start = torch.tensor([[NOTES.index("G")]])
tune = model.generate(start, max_new_tokens=48, do_sample=True, attention_mask=torch.ones_like(start), pad_token_id=0)[0]
logger.info("a tune of its own: {}", "".join(NOTES[i] for i in tune))
logger.info("over, {} steps", trainer.state.global_step)
'''
