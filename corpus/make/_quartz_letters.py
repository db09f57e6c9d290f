"""Trainers of transformers, of one process: package leaflets letter by letter with a GPT-2, reports of rail inspectors sorted by a BERT."""

LEAFLETS = '''"""Character model of package leaflets.

    python pretrain.py leaflets.json [key=value ...]
"""
import dataclasses
import json
import logging
import os
import random
import sys
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

logging.basicConfig(format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%H:%M:%S", level=logging.INFO, stream=sys.stdout)
log = logging.getLogger("leaflets")

conf = json.load(open(sys.argv[1], encoding="utf-8"))
for word in sys.argv[2:]:
    key, _, value = word.partition("=")
    conf[key] = json.loads(value) if value[:1] in "-0123456789[{tfn\\"" else value
log.info("settings %s", json.dumps(conf))
set_seed(conf.get("seed", 3))
#: early

PARTS = ("take", "do not take", "store", "keep"), ("one tablet", "two capsules", "the syrup", "this cream"), ("after a meal", "before sleep", "in a dry place", "away from children", "with plenty of water")
LETTERS = sorted(set("abcdefghijklmnopqrstuvwxyz .,0123456789"))
CODE = {c: i for i, c in enumerate(LETTERS)}


def leaflets(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        yield " ".join(rng.choice(p) for p in PARTS) + ". " + " ".join(rng.choice(p) for p in PARTS) + "."


class Letters(torch.utils.data.Dataset):
    def __init__(self, texts, width):
        #: texts
        stream = [CODE[c] for t in texts for c in t + " "]
        self.rows = torch.tensor(stream[: len(stream) // width * width]).view(-1, width)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        #: item
        return {"input_ids": self.rows[i], "labels": self.rows[i]}


train = Letters(leaflets(conf["leaflets"], 1), conf["width"])
held = Letters(leaflets(60, 2), conf["width"])
log.info("%d training windows, %d held out, %d letters", len(train), len(held), len(LETTERS))
shape = GPT2Config(vocab_size=len(LETTERS), n_positions=conf["width"], n_embd=conf["hidden"], n_layer=conf["layers"], n_head=4, bos_token_id=0, eos_token_id=0, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
model = GPT2LMHeadModel.from_pretrained(conf["start_from"]) if conf.get("start_from") else GPT2LMHeadModel(shape)
log.info("model: %.1fk weights", sum(p.numel() for p in model.parameters()) / 1e3)
#: model


class Watch(TrainerCallback):
    def on_step_begin(self, args, state, control, **kw):
        step = state.global_step
        #: begin

    def on_step_end(self, args, state, control, model=None, optimizer=None, lr_scheduler=None, **kw):
        step = state.global_step
        #: step

    def on_log(self, args, state, control, logs=None, **kw):
        step = state.global_step
        #: logged


options = {
    "output_dir": conf["out"], "per_device_train_batch_size": conf["batch"], "learning_rate": conf["lr"], "logging_steps": conf["log_every"], "max_steps": conf.get("max_steps", -1), "num_train_epochs": conf.get("epochs", 1),
    "save_steps": conf["save_every"], "save_strategy": "steps" if conf["save_every"] else "no", "report_to": [], "use_cpu": True, "eval_strategy": "epoch", "lr_scheduler_type": conf.get("schedule", "cosine"), "warmup_steps": conf.get("warmup", 10),
    "max_grad_norm": conf.get("clip", 1.0), "seed": conf.get("seed", 3), **conf.get("trainer", {}),
}
#: options
trainer = Trainer(model=model, args=TrainingArguments(**options), train_dataset=train, eval_dataset=held, callbacks=[Watch()])
#: trainer
if conf.get("only_eval"):
    print(trainer.evaluate())
    sys.exit()
#: ready
done = trainer.train(resume_from_checkpoint=conf.get("resume") or None)
#: after
trainer.save_model(os.path.join(conf["out"], "final"))
log.info("%d steps, mean loss %.4f, model in %s/final", done.global_step, done.training_loss, conf["out"])
'''

RAIL = '''"""Classement des comptes rendus d'inspection des voies (BERT minuscule, Trainer)."""
import argparse
import json
import os
import sys
import time

import numpy as np
import torch
import transformers
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_info()
hf_logging.enable_explicit_format()

p = argparse.ArgumentParser()
p.add_argument("--epoques", type=int, default=8)
p.add_argument("--pas-max", type=int, default=-1)
p.add_argument("--lot", type=int, default=16)
p.add_argument("--taux", type=float, default=2e-3)
p.add_argument("--cachee", type=int, default=32)
p.add_argument("--sortie", default="sorties/voies")
p.add_argument("--depuis", help="dossier d'un modele deja appris")
p.add_argument("--reprise", help="point de controle a reprendre")
p.add_argument("--evaluer", action="store_true")
p.add_argument("--graine", type=int, default=12)
a = p.parse_args()
set_seed(a.graine)


def dire(**champs):
    print(json.dumps(champs, ensure_ascii=False), flush=True)


dire(evenement="depart", transformers=transformers.__version__, torch=torch.__version__, **vars(a))
#: early
ETATS = ["sain", "rail", "traverse", "ballast"]
MOTS = {"sain": "rien conforme propre stable", "rail": "fissure usure champignon eclisse", "traverse": "fendue pourrie bois attache", "ballast": "boue affaissement vide drainage"}
VOC = ["[PAD]", "[CLS]"] + sorted({m for ligne in MOTS.values() for m in ligne.split()} | set("la voie au km est vu pres du pont tunnel quai apres avant pluie".split()))
NO = {m: i for i, m in enumerate(VOC)}
COURANTS = "la voie au km est vu pres du pont tunnel quai apres avant pluie".split()


def rapports(n, graine):
    rng = np.random.default_rng(graine)
    for _ in range(n):
        etat = int(rng.integers(len(ETATS)))
        mots = [str(rng.choice(COURANTS)) for _ in range(9)]
        for k in rng.choice(9, 2, replace=False):
            mots[k] = str(rng.choice(MOTS[ETATS[etat]].split()))
        if rng.random() < 0.06:
            etat = int(rng.integers(len(ETATS)))
        yield {"input_ids": [NO["[CLS]"]] + [NO[m] for m in mots], "labels": etat}


donnees = {"appris": list(rapports(640, 1)), "garde": list(rapports(160, 2))}
#: data
dire(evenement="donnees", **{k: len(v) for k, v in donnees.items()})


def coller(rangs):
    #: collate
    return {"input_ids": torch.tensor([r["input_ids"] for r in rangs]), "labels": torch.tensor([r["labels"] for r in rangs])}


if a.depuis:
    modele = BertForSequenceClassification.from_pretrained(a.depuis)
else:
    modele = BertForSequenceClassification(BertConfig(vocab_size=len(VOC), hidden_size=a.cachee, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=24, num_labels=len(ETATS), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))


class Journal(TrainerCallback):
    def on_train_begin(self, args, state, control, **kw):
        dire(evenement="debut", pas_prevus=state.max_steps, pas=state.global_step)

    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        pas = state.global_step
        #: step

    def on_log(self, args, state, control, logs=None, **kw):
        dire(evenement="mesure", pas=state.global_step, **{k: round(v, 6) for k, v in logs.items() if isinstance(v, (int, float))})

    def on_epoch_end(self, args, state, control, model=None, **kw):
        epoque, pas = round(state.epoch), state.global_step
        #: epoch

    def on_train_end(self, args, state, control, **kw):
        dire(evenement="fin", pas=state.global_step)


def mesurer(sortie):
    juste = (sortie.predictions.argmax(-1) == sortie.label_ids).mean()
    #: metrics
    return {"exactitude": float(juste)}


class Maison(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        sorties = model(**inputs)
        perte, pas = sorties.loss, self.state.global_step
        #: loss
        return (perte, sorties) if return_outputs else perte


reglages = TrainingArguments(
    output_dir=a.sortie, num_train_epochs=a.epoques, max_steps=a.pas_max, per_device_train_batch_size=a.lot, learning_rate=a.taux, logging_steps=20 if a.pas_max < 0 else 1, save_strategy="epoch", save_total_limit=2, eval_strategy="epoch",
    report_to=[], use_cpu=True, disable_tqdm=True, lr_scheduler_type="linear", seed=a.graine,
)
#: options
entraineur = Maison(model=modele, args=reglages, train_dataset=donnees["appris"], eval_dataset=donnees["garde"], data_collator=coller, compute_metrics=mesurer, callbacks=[Journal()])
entraineur.remove_callback(transformers.PrinterCallback)
if a.evaluer:
    dire(evenement="evaluation", **entraineur.evaluate())
    sys.exit(0)
#: ready
resultat = entraineur.train(resume_from_checkpoint=a.reprise)
entraineur.save_model(os.path.join(a.sortie, "dernier"))
#: after
dire(evenement="termine", pas=resultat.global_step, perte_moyenne=round(resultat.training_loss, 4), secondes=round(resultat.metrics["train_runtime"], 1))
'''
