"""A program over the Trainer of transformers: intents of calls to a municipal hotline."""

INTENTS = '''"""Fine-tunes a small encoder on hotline intents. usage: run_intents.py settings.json [key=value ...]"""
import json
import os
import random
import sys
import time

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, EarlyStoppingCallback, Trainer, TrainerCallback, TrainingArguments, set_seed

CONF = {"out": "hotline", "epochs": 3, "batch": 16, "lr": 1e-3, "hidden": 32, "layers": 1, "heads": 2, "calls": 960, "logging_steps": 5,
        "save_steps": 60, "save_strategy": "steps", "eval_steps": 60, "scheduler": "linear", "max_steps": -1, "resume": None, "start_from": None, "patience": 0, "seed": 17}
CONF.update(json.load(open(sys.argv[1])))
for word in sys.argv[2:]:
    key, value = word.split("=", 1)
    if key not in CONF:
        raise KeyError(f"unknown setting {key!r}, known are {', '.join(sorted(CONF))}")
    CONF[key] = json.loads(value) if value[0] in "0123456789-[tfn" else value
set_seed(CONF["seed"])
print(json.dumps(CONF, indent=1))
INTENTS = ["bulky_waste", "parking_permit", "passport", "dog_tax", "noise", "street_light"]
#: early


class Calls(torch.utils.data.Dataset):
    """Word ids of transcribed calls."""

    def __init__(self, count, seed):
        draw = random.Random(seed)
        self.rows = []
        for _ in range(count):
            intent = draw.randrange(len(INTENTS))
            ids = [draw.randrange(4, 120) if draw.random() < 0.7 else 120 + 12 * intent + draw.randrange(12) for _ in range(20)]
            self.rows.append({"input_ids": [1, *ids, 2], "labels": intent})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, n):
        row = dict(self.rows[n])
        #: item
        return row


def collate(rows):
    batch = {"input_ids": torch.tensor([r["input_ids"] for r in rows]), "labels": torch.tensor([r["labels"] for r in rows])}
    #: batch
    return batch


train, dev = Calls(CONF["calls"], 1), Calls(192, 2)
#: data
config = BertConfig(vocab_size=200, hidden_size=CONF["hidden"], num_hidden_layers=CONF["layers"], num_attention_heads=CONF["heads"], intermediate_size=64,
                    max_position_embeddings=32, num_labels=len(INTENTS), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
if CONF["start_from"]:
    model = BertForSequenceClassification.from_pretrained(CONF["start_from"])
    print(f"weights of {CONF['start_from']}, fine-tuning on the new district")
else:
    model = BertForSequenceClassification(config)
print(f"{model.num_parameters():,} parameters, {len(train)} calls for training, {len(dev)} for dev")


def metrics(pred):
    #: metric
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


class Watch(TrainerCallback):
    def on_train_begin(self, args, state, control, **kw):
        self.t0 = time.time()

    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        step = state.global_step
        #: step

    def on_save(self, args, state, control, **kw):
        step = state.global_step
        #: saved
        print(f"checkpoint-{step} in {args.output_dir}")


class Ours(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kw):
        out = model(**inputs)
        loss = out.loss
        #: loss
        return (loss, out) if return_outputs else loss


args = TrainingArguments(
    output_dir=CONF["out"], num_train_epochs=CONF["epochs"], max_steps=CONF["max_steps"], per_device_train_batch_size=CONF["batch"], per_device_eval_batch_size=64,
    learning_rate=CONF["lr"], lr_scheduler_type=CONF["scheduler"], logging_steps=CONF["logging_steps"], save_strategy=CONF["save_strategy"], save_steps=CONF["save_steps"], eval_strategy="steps",
    eval_steps=CONF["eval_steps"], save_total_limit=3, load_best_model_at_end=bool(CONF["patience"]), metric_for_best_model="accuracy", report_to=[], use_cpu=True,
    disable_tqdm=True, logging_nan_inf_filter=False, seed=CONF["seed"],
)
more = [EarlyStoppingCallback(CONF["patience"])] if CONF["patience"] else []
trainer = Ours(model=model, args=args, train_dataset=train, eval_dataset=dev, data_collator=collate, compute_metrics=metrics, callbacks=[Watch(), *more])
#: ready
result = trainer.train(resume_from_checkpoint=CONF["resume"])
trainer.save_model(os.path.join(CONF["out"], "final"))
print("dev:", trainer.evaluate())
#: end
print(f"saved {CONF['out']}/final after {trainer.state.global_step} steps")
'''
