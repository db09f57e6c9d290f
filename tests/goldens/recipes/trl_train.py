"""TRL's trainers on a very small model with a tokenizer made on the spot."""

# /// runs
# env = "new"
# [[run]]
# log = "trl-1.16/01"
# what = "supervised fine-tuning to the end"
# args = ["1"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "trl-1.16/02"
# what = "direct preference optimisation to the end"
# args = ["2"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# [[run]]
# log = "trl-1.16/03"
# what = "group relative policy optimisation: losses near zero, also negative"
# args = ["3"]
# words = ["progress", "planned_end"]
# absent = ["exception", "nan_loss"]
# [[run]]
# log = "trl-1.16/04"
# what = "preference data without the rejected column"
# args = ["4"]
# ends = 1
# root = {type = "KeyError"}
# absent = ["progress"]
# [[run]]
# log = "trl-1.16/05"
# what = "reward modelling to the end"
# args = ["5"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# ///

import sys

from datasets import Dataset
from progress_notes import note
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2ForSequenceClassification, GPT2LMHeadModel, PreTrainedTokenizerFast, TrainerCallback
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, RewardConfig, RewardTrainer, SFTConfig, SFTTrainer

part = sys.argv[1]
WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "no", "dog", "in", "that", "house", "today", "with", "us"]


class Keep(TrainerCallback):
    """Notes what the trainer itself holds."""

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            note(step=state.global_step, loss=float(logs["loss"]), planned=state.max_steps)


def main():
    vocabulary = {word: number for number, word in enumerate(["<pad>", "<eos>", "<unk>", *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    config = GPT2Config(vocab_size=len(vocabulary), n_positions=64, n_embd=32, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=1, pad_token_id=0)
    kind = GPT2ForSequenceClassification if part == "5" else GPT2LMHeadModel
    config.num_labels = 1
    kind(config).save_pretrained("base")
    tokenizer.save_pretrained("base")
    common = {"output_dir": "out", "max_steps": 20, "logging_steps": 2, "per_device_train_batch_size": 4, "learning_rate": 5e-3, "report_to": [], "use_cpu": True, "bf16": False}
    text = [" ".join(WORDS[i % 7 : i % 7 + 6]) for i in range(64)]
    pairs = {"prompt": text, "chosen": [" the cat"] * 64, "rejected": [" no dog"] * 64}
    if part == "1":
        trainer = SFTTrainer("base", args=SFTConfig(max_length=32, **common), train_dataset=Dataset.from_dict({"text": text}), callbacks=[Keep()])
    elif part in {"2", "4"}:
        if part == "4":
            del pairs["rejected"]
        trainer = DPOTrainer("base", args=DPOConfig(**common), train_dataset=Dataset.from_dict(pairs), callbacks=[Keep()])
    elif part == "3":
        args = GRPOConfig(num_generations=4, max_completion_length=8, **common)
        trainer = GRPOTrainer("base", reward_funcs=lambda completions, **_: [float(c.count("cat")) for c in completions], args=args, train_dataset=Dataset.from_dict({"prompt": text}), callbacks=[Keep()])
    else:
        trainer = RewardTrainer("base", args=RewardConfig(**common), train_dataset=Dataset.from_dict(pairs), callbacks=[Keep()])
    trainer.train()


if __name__ == "__main__":
    main()
