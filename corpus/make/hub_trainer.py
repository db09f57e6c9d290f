"""The Hugging Face Trainer, really run, on today's version with a small model made from its configuration."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

HEAD = """import os
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments


class Rows(torch.utils.data.Dataset):
    def __init__(self, count=160, length=16):
        self.rows = [(torch.arange(length) + i) % 50 for i in range(count)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i], "labels": self.rows[i]}


def model(width=32):
    return GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=width, n_layer=1, n_head=2))


class At(TrainerCallback):
    def __init__(self, step, do):
        self.step, self.do = step, do

    def on_step_end(self, args, state, control, **more):
        if state.global_step == self.step:
            self.do()


def train(net=None, rows=None, at=None, resume=None, **more):
    args = TrainingArguments("out", per_device_train_batch_size=8, report_to=[], use_cpu=True, **{"logging_steps": 2, "max_steps": 60, "save_strategy": "no", **more})
    trainer = Trainer(net or model(), args, train_dataset=rows or Rows(), callbacks=[at] if at else [])
    trainer.train(resume_from_checkpoint=resume)


def bad(code):
    def run():
        exec(code, globals())
    return run

"""
AT = "train(at=At(40, bad({!r})))"
SCRIPTS = (
    Flat("train()", "G1"),
    Flat("train(max_steps=100, learning_rate=1e-3)", "G1"),
    Flat("train(disable_tqdm=True)", "G1"),
    Flat(AT.format("open('data/eval.json')"), "A3", "file_not_found"),
    Flat(AT.format("raise KeyError('input_ids')"), "A3", "traceback"),
    Flat(AT.format("assert 0, 'must not be'"), "A3", "assertion"),
    Flat(AT.format("torch.ones(2, 3) @ torch.ones(2, 3)"), "A3", "runtime_error"),
    Flat(AT.format("3 % 0"), "A3", "div_zero"),
    Flat(AT.format("os.mkdir('/usr/results')"), "A3", "permission"),
    Flat(AT.format("import deepspeed"), "A3", "missing_module"),
    Flat(AT.format("import ctypes; ctypes.string_at(0)"), "A2", "segfault", status=-11),
    Flat(AT.format("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"), "A2", None, status=-9, fault="unknown"),
    Flat("from transformers import AutoModel\nAutoModel.from_pretrained('./llama-base')", "A1", "traceback", "asset"),
    Flat("from transformers import AutoTokenizer\nAutoTokenizer.from_pretrained('/models/tokenizer')", "A1", "traceback", "asset"),
    Flat("train(rows=[{'input_ids': torch.arange(9)}])", "A1", "traceback", "data"),
    Flat("train(rows=[{'input_ids': torch.arange(70) % 99, 'labels': torch.arange(70) % 99}] * 20)", "A1", "traceback", "data"),
    Flat("model(33)", "A1", "traceback", "config"),
    Flat("TrainingArguments('out', learning_speed=1e-3)", "A1", "traceback", "config"),
    Flat("from transformers import LlamaForCausalLMWithHead", "A1", "missing_module", "env"),
    Flat("TrainingArguments('out', report_to=[], optim='adamw_bnb_8bit', use_cpu=True)\ntrain(optim='adamw_bnb_8bit')", "A1", "missing_module", "env"),
    Flat("train(resume=True)", "E2", "traceback", "no_valid_checkpoint"),
    Flat("train(max_steps=20, save_strategy='steps', save_steps=20)\ntrain(net=model(48), resume='out/checkpoint-20')", "E2", "runtime_error", "size_mismatch"),
    Flat("train(max_steps=80, learning_rate=1e5, max_grad_norm=0, lr_scheduler_type='constant', logging_nan_inf_filter=False)", "E1", "nan_loss", "non_finite", status=0),
    Flat("train(save_strategy='steps', save_steps=1, save_total_limit=2, max_steps=40, logging_steps=1)", "D2", None, "save_storm"),
    Flat("train(max_steps=2)", "E3", None),
    Flat("train(max_steps=3, save_strategy='steps', save_steps=3)", "E3", None),
    Flat("train(save_strategy='steps', save_steps=1, save_total_limit=1, max_steps=60, logging_steps=5, disable_tqdm=True)", "D2", None, "save_storm"),
)
RECIPE = Recipe("hub_trainer", "development", lambda: flat_jobs(SCRIPTS, "frameworks", (HEAD,)))
