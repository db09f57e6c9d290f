"""A program of several ranks on other people's loop, Hugging Face's Trainer; with places for what a case does."""

SEDGE = '''"""Fine-tunes a tiny BERT on species descriptions (made on the fly)."""
import logging
import os
import sys
import time
from dataclasses import dataclass, field

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments

rank = int(os.environ.get("RANK", "0"))
torch.set_num_threads(1)
step = 0
#: early


@dataclass
class DataArguments:
    train_samples: int = field(default=640)
    pause: float = field(default=0.02)
    layers: int = field(default=1)


class Descriptions(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(n)
        self.y = torch.randint(0, 4, (n,), generator=g)
        self.x = torch.randint(8, 90, (n, 16), generator=g)
        self.x[:, 3] = self.y + 1
        self.x[:, 7] = self.y + 1
        #: data

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        #: item
        return {"input_ids": self.x[i], "labels": self.y[i], "attention_mask": torch.ones(16, dtype=torch.long)}


class Calm(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        step = state.global_step
        time.sleep(data_args.pause)
        #: mid


data_args, args = HfArgumentParser((DataArguments, TrainingArguments)).parse_args_into_dataclasses()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format="%(levelname)s|%(name)s:%(lineno)d] %(asctime)s >> %(message)s")
logging.getLogger(__name__).info("process rank %d, device %s, distributed training: %s", rank, args.device, args.parallel_mode)
config = BertConfig(vocab_size=96, hidden_size=32, num_hidden_layers=data_args.layers, num_attention_heads=2, intermediate_size=48, num_labels=4, max_position_embeddings=32)
model = BertForSequenceClassification(config)
#: ready
trainer = Trainer(model=model, args=args, train_dataset=Descriptions(data_args.train_samples), eval_dataset=Descriptions(120), callbacks=[Calm()])
last = None
if args.resume_from_checkpoint:
    last = args.resume_from_checkpoint
trained = trainer.train(resume_from_checkpoint=last)
#: late
trainer.log_metrics("train", trained.metrics)
trainer.save_model()
'''
