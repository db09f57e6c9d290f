"""Trainings over the Hub's Trainer, of three hands: guest reviews by argparse, notes in the manner of the library's own examples, headlines in Spanish."""

REVIEWS = '''
"""Guest reviews -> stars (1..3). Vocabulary is ours, so the encoder starts from random weights."""
import argparse, json, os, random, sys, time
import numpy as np, torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

p = argparse.ArgumentParser()
p.add_argument("--out", default="runs/reviews")
p.add_argument("--reviews", type=int, default=640)
p.add_argument("--epochs", type=float, default=4)
p.add_argument("--max-steps", type=int, default=-1)
p.add_argument("--lr", type=float, default=1.5e-3)
p.add_argument("--bs", type=int, default=16)
p.add_argument("--log-every", type=int, default=10)
p.add_argument("--weights", default=None, help="start from this folder")
p.add_argument("--continue-from", default=None)
p.add_argument("--only-eval", action="store_true")
p.add_argument("--hidden", type=int, default=32)
args = p.parse_args()
set_seed(11)
torch.set_num_threads(1)
STARS = ["bad", "so-so", "good"]
#: early


def review(r):
    star = r.randrange(3)
    words = [1] + [r.randrange(4 + 20 * star, 24 + 20 * star) if r.random() < 0.45 else r.randrange(64, 120) for _ in range(13)]
    return words, star


def corpus(n, seed):
    r = random.Random(seed)
    return [{"input_ids": words, "labels": star} for words, star in (review(r) for _ in range(n))]


train, dev = corpus(args.reviews, 1), corpus(150, 2)
#: data
print(f"{len(train)} reviews to train on, {len(dev)} held out; stars {STARS}", flush=True)


def collate(rows):
    #: batch
    time.sleep(PACE)
    ids = torch.tensor([row["input_ids"] for row in rows])
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.tensor([row["labels"] for row in rows])}


PACE = float(os.environ.get("PACE", "0.04"))
config = BertConfig(vocab_size=128, hidden_size=args.hidden, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=32, num_labels=3)
if args.weights:
    model = BertForSequenceClassification.from_pretrained(args.weights)
else:
    model = BertForSequenceClassification(config)
#: model
print(f"{sum(q.numel() for q in model.parameters() if q.requires_grad):,} trainable parameters")


def metrics(pred):
    guess = pred.predictions.argmax(-1)
    scores = {"accuracy": float((guess == pred.label_ids).mean())}
    #: metrics
    return scores


class Watch(TrainerCallback):
    def on_step_begin(self, a, state, control, **kw):
        step = state.global_step
        #: begin

    def on_step_end(self, a, state, control, model=None, optimizer=None, **kw):
        step = state.global_step
        #: step

    def on_save(self, a, state, control, **kw):
        step = state.global_step
        #: saved

    def on_epoch_end(self, a, state, control, **kw):
        epoch = round(state.epoch)
        #: epoch


class Ours(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        out = model(**inputs)
        loss, step = out.loss, self.state.global_step
        #: loss
        return (loss, out) if return_outputs else loss


more = {}
#: options
options = TrainingArguments(**{**dict(output_dir=args.out, num_train_epochs=args.epochs, max_steps=args.max_steps, learning_rate=args.lr, per_device_train_batch_size=args.bs, per_device_eval_batch_size=50,
    logging_steps=args.log_every, eval_strategy="epoch", save_strategy="epoch", save_total_limit=2, report_to=[], use_cpu=True, seed=11), **more})
trainer = Ours(model=model, args=options, train_dataset=train, eval_dataset=dev, data_collator=collate, compute_metrics=metrics, callbacks=[Watch()])
#: ready
if not args.only_eval:
    trainer.train(resume_from_checkpoint=args.continue_from)
    #: trained
print(json.dumps(trainer.evaluate(), indent=1))
#: late
'''

NOTES = '''
#!/usr/bin/env python
# Adapted from examples/pytorch/language-modeling/run_clm.py
import logging, os, sys, time
from dataclasses import dataclass, field
from typing import Optional

import torch
import transformers
from transformers import HfArgumentParser, LlamaConfig, LlamaForCausalLM, Trainer, TrainerCallback, TrainingArguments, default_data_collator, set_seed
from transformers.trainer_utils import get_last_checkpoint

logger = logging.getLogger(__name__)
torch.set_num_threads(1)


@dataclass
class ModelArguments:
    hidden_size: int = field(default=48)
    num_layers: int = field(default=1)
    model_name_or_path: Optional[str] = field(default=None)


@dataclass
class DataTrainingArguments:
    block_size: int = field(default=24)
    train_blocks: int = field(default=480)
    train_file: Optional[str] = field(default=None)


class Blocks(torch.utils.data.Dataset):
    """Shift notes, as byte blocks."""

    def __init__(self, n, size, seed):
        g = torch.Generator().manual_seed(seed)
        text = "patient slept well. bp stable. pain low, meds given at eight. wound dry. walked to the door. "
        ids = torch.tensor([ord(c) - 10 for c in text * 40])
        self.at = torch.randint(0, len(ids) - size - 1, (n,), generator=g)
        self.ids, self.size = ids, size

    def __len__(self):
        return len(self.at)

    def __getitem__(self, i):
        #: item
        block = self.ids[self.at[i]:self.at[i] + self.size]
        return {"input_ids": block, "labels": block.clone()}


class Pace(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        step = state.global_step
        time.sleep(float(os.environ.get("STEP_S", "0.05")))
        #: step

    def on_save(self, args, state, control, **kw):
        #: saved
        pass


def main():
    parser = HfArgumentParser((ModelArguments, DataTrainingArguments, TrainingArguments))
    model_args, data_args, training_args = parser.parse_args_into_dataclasses()
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", handlers=[logging.StreamHandler(sys.stdout)])
    transformers.utils.logging.set_verbosity_info()
    log_level = training_args.get_process_log_level()
    logger.setLevel(log_level)
    transformers.utils.logging.enable_default_handler()
    transformers.utils.logging.enable_explicit_format()
    logger.warning(f"Process rank: {training_args.local_rank}, device: {training_args.device}, n_gpu: {training_args.n_gpu}, distributed training: {training_args.parallel_mode.value == 'distributed'}, 16-bits training: {training_args.fp16}")
    #: early
    last_checkpoint = None
    if os.path.isdir(training_args.output_dir) and training_args.do_train:
        last_checkpoint = get_last_checkpoint(training_args.output_dir)
        #: last
        if last_checkpoint is not None and training_args.resume_from_checkpoint is None:
            logger.info(f"Checkpoint detected, resuming training at {last_checkpoint}. To avoid this behavior, change the `--output_dir` or add `--overwrite_output_dir` to train from scratch.")
    set_seed(training_args.seed)
    train_set, eval_set = Blocks(data_args.train_blocks, data_args.block_size, 1), Blocks(96, data_args.block_size, 2)
    logger.info(f"{len(train_set)} blocks of {data_args.block_size} bytes, {len(eval_set)} for evaluation")
    #: data
    if model_args.model_name_or_path:
        model = LlamaForCausalLM.from_pretrained(model_args.model_name_or_path)
    else:
        config = LlamaConfig(vocab_size=120, hidden_size=model_args.hidden_size, intermediate_size=96, num_hidden_layers=model_args.num_layers, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64)
        model = LlamaForCausalLM(config)
        logger.info(f"Training new model from scratch - Total size={sum(p.numel() for p in model.parameters()) / 2**20:.2f}M params")
    #: model
    trainer = Trainer(model=model, args=training_args, train_dataset=train_set, eval_dataset=eval_set, data_collator=default_data_collator, callbacks=[Pace()])
    #: ready
    if training_args.do_train:
        checkpoint = training_args.resume_from_checkpoint or last_checkpoint
        train_result = trainer.train(resume_from_checkpoint=checkpoint)
        trainer.save_model()
        trainer.log_metrics("train", train_result.metrics)
        trainer.save_metrics("train", train_result.metrics)
        trainer.save_state()
    if training_args.do_eval:
        logger.info("*** Evaluate ***")
        metrics = trainer.evaluate()
        #: evaluated
        metrics["perplexity"] = float(torch.exp(torch.tensor(metrics["eval_loss"])))
        trainer.log_metrics("eval", metrics)


if __name__ == "__main__":
    main()
'''

TITULARES = '''
"""Titulares a partir de notas de agencia (T5 pequeño, vocabulario propio)."""
import os, random, sys, time
from datetime import datetime
import numpy as np, torch
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, T5Config, T5ForConditionalGeneration, TrainerCallback, set_seed

torch.set_num_threads(1)
set_seed(5)
VUELTAS = float(os.environ.get("VUELTAS", "5"))
TASA = float(os.environ.get("TASA", "4e-3"))
SALIDA = os.environ.get("SALIDA", "titulares-t5")
DESDE = os.environ.get("DESDE")
CADA = int(os.environ.get("CADA", "12"))
PAUSA = float(os.environ.get("PAUSA", "0.05"))


def di(*cosas):
    print(datetime.now().strftime("[%H:%M:%S]"), *cosas, flush=True)


#: early
def nota(r):
    tema = r.randrange(8)
    cuerpo = [10 + tema * 4 + r.randrange(4) if r.random() < 0.6 else 50 + r.randrange(40) for _ in range(18)]
    return cuerpo, [10 + tema * 4, 11 + tema * 4, 90 + tema, 1]


class Notas(torch.utils.data.Dataset):
    def __init__(self, cuantas, semilla):
        r = random.Random(semilla)
        self.filas = [nota(r) for _ in range(cuantas)]

    def __len__(self):
        return len(self.filas)

    def __getitem__(self, i):
        cuerpo, titular = self.filas[i]
        #: item
        return {"input_ids": torch.tensor(cuerpo), "labels": torch.tensor(titular)}


def juntar(filas):
    time.sleep(PAUSA)
    return {k: torch.stack([f[k] for f in filas]) for k in ("input_ids", "labels")}


entreno, prueba = Notas(400, 1), Notas(60, 2)
di(f"{len(entreno)} notas para entrenar, {len(prueba)} de prueba")
#: data
ajustes = T5Config(vocab_size=110, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4, dropout_rate=0.0, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
modelo = T5ForConditionalGeneration(ajustes)
#: model
di("parámetros:", f"{modelo.num_parameters():,}")


def acierto(par):
    dichos, ciertos = par
    dichos = np.where(dichos < 0, 0, dichos)
    iguales = [list(d[1:4]) == list(c[:3]) for d, c in zip(dichos, ciertos)]
    #: score
    return {"exactos": float(np.mean(iguales))}


class Diario(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        if "loss" in logs:
            di(f"paso {state.global_step:4d}/{state.max_steps}  pérdida {float(logs['loss']):.4f}  norma {float(logs.get('grad_norm', 0)):.2f}  tasa {float(logs['learning_rate']):.2e}")
        if "eval_loss" in logs:
            di(f"— prueba: pérdida {float(logs['eval_loss']):.4f}, titulares exactos {float(logs.get('eval_exactos', float('nan'))):.1%}")

    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        paso = state.global_step
        #: step

    def on_save(self, args, state, control, **kw):
        di(f"guardado {args.output_dir}/checkpoint-{state.global_step}")
        #: saved


opciones = dict(output_dir=SALIDA, num_train_epochs=VUELTAS, learning_rate=TASA, per_device_train_batch_size=16, per_device_eval_batch_size=30, logging_steps=CADA, eval_strategy="epoch", save_strategy="epoch", save_total_limit=3,
    predict_with_generate=True, generation_max_length=5, report_to=[], use_cpu=True, disable_tqdm=True, seed=5)
#: options
entrenador = Seq2SeqTrainer(model=modelo, args=Seq2SeqTrainingArguments(**opciones), train_dataset=entreno, eval_dataset=prueba, data_collator=juntar, compute_metrics=acierto, callbacks=[Diario()])
from transformers.trainer_callback import PrinterCallback
entrenador.remove_callback(PrinterCallback)
#: ready
entrenador.train(resume_from_checkpoint=DESDE)
#: trained
final = entrenador.evaluate()
di(f"fin. exactos {final['eval_exactos']:.1%}")
#: late
'''
