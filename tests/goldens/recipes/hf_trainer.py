"""Hugging Face Trainer on a very small GPT-2, as a user's script."""

# /// runs
# env = "new"
# step_slack = 5
# [[run]]
# log = "trainer-5.23/01"
# what = "30 steps, a checkpoint at every tenth, to the planned end"
# args = ["1"]
# words = ["progress", "planned_end"]
# absent = ["exception", "nan_loss"]
# learns = true
# [[run]]
# log = "trainer-5.23/02"
# what = "the same, with INFO messages: banner, planned steps, saves"
# args = ["1", "info"]
# words = ["training_started", "progress", "checkpoint_saved", "planned_end"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "trainer-5.23/03"
# what = "goes on from a checkpoint, with INFO messages"
# before = [["1"]]
# args = ["2", "info"]
# words = ["checkpoint_loaded", "progress", "planned_end"]
# [[run]]
# log = "trainer-5.23/04"
# what = "learning rate far too high: the filter prints what is not finite as 0"
# args = ["3"]
# words = ["progress"]
# [[run]]
# log = "trainer-5.23/05"
# what = "asked to go on from a checkpoint that is not there"
# args = ["2"]
# ends = 1
# root = {type = "ValueError", detail = "no_valid_checkpoint", about = "asset"}
# absent = ["progress"]
# [[run]]
# log = "trainer-5.23/06"
# what = "the data file is not there"
# args = ["4"]
# ends = 1
# root = {type = "FileNotFoundError", cause = "file_not_found", about = "data"}
# absent = ["progress"]
# [[run]]
# log = "trainer-5.23/07"
# what = "SIGINT in mid-training"
# args = ["5"]
# signal = {name = "INT", after = "'loss'"}
# ends = -2
# words = ["progress"]
# steady = false
# [[run]]
# log = "trainer-5.23/08"
# what = "a checkpoint whose model file was cut"
# before = [["1"], ["cut"]]
# args = ["2"]
# ends = 1
# root = {type = "safetensors._safetensors_rust.SafetensorError", detail = "corrupt_checkpoint", about = "asset"}
# [[run]]
# log = "trainer-5.23/09"
# what = "weights of a wider model"
# before = [["1"]]
# args = ["6"]
# ends = 1
# root = {type = "RuntimeError", detail = "size_mismatch", about = "asset"}
# [[run]]
# log = "trainer-5.23/10"
# what = "a model folder without a tokenizer"
# args = ["7"]
# ends = 1
# root = {cause = "file_not_found", detail = "tokenizer_missing", about = "asset"}
# [[run]]
# log = "trainer-5.23/11"
# what = "a model name that is in no cache, on a node without network"
# args = ["8"]
# ends = 1
# root = {cause = "traceback", detail = "offline_cache_miss", about = "asset"}
# [[run]]
# log = "trainer-5.23/12"
# what = "a model type that this version does not know"
# args = ["9"]
# ends = 1
# root = {type = "ValueError", detail = "unknown_architecture", about = "env"}
# [[run]]
# log = "trainer-5.23/13"
# what = "an attention implementation whose package is not installed"
# args = ["10"]
# ends = 1
# root = {type = "ImportError", cause = "missing_module", about = "env"}
# [[run]]
# log = "trainer-5.23/14"
# what = "a loader's worker is killed after some steps"
# args = ["11"]
# ends = 1
# steady = false
# root = {cause = "oom_killer", detail = "loader_worker_killed"}
# words = ["progress"]
# [[run]]
# log = "trainer-5.23/15"
# what = "an argument that the Trainer does not have"
# args = ["12"]
# ends = 1
# root = {type = "TypeError", about = "config"}
# [[run]]
# log = "trainer-5.23/16"
# what = "a token beyond the embedding in mid-training"
# args = ["13"]
# ends = 1
# root = {type = "IndexError", detail = "index_range", about = "data"}
# words = ["progress"]
# [[run]]
# log = "trainer-5.23/17"
# what = "three steps, and done"
# args = ["14"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# [[run]]
# log = "trainer-4.30/01"
# what = "30 steps, a checkpoint at every tenth, to the planned end"
# env = "old"
# args = ["1"]
# words = ["progress", "planned_end"]
# absent = ["exception", "nan_loss"]
# learns = true
# [[run]]
# log = "trainer-4.30/02"
# what = "the same, with INFO messages: banner, planned steps, saves"
# env = "old"
# args = ["1", "info"]
# words = ["training_started", "progress", "checkpoint_saved", "planned_end"]
# learns = true
# [[run]]
# log = "trainer-4.30/03"
# what = "goes on from a checkpoint, with INFO messages"
# env = "old"
# before = [["1"]]
# args = ["2", "info"]
# words = ["checkpoint_loaded", "progress", "planned_end"]
# [[run]]
# log = "trainer-4.30/04"
# what = "learning rate far too high"
# env = "old"
# args = ["3"]
# words = ["progress"]
# [[run]]
# log = "trainer-4.30/05"
# what = "asked to go on from a checkpoint that is not there"
# env = "old"
# args = ["2"]
# ends = 1
# root = {type = "ValueError", detail = "no_valid_checkpoint", about = "asset"}
# [[run]]
# log = "trainer-4.30/06"
# what = "a checkpoint whose model file was cut"
# env = "old"
# before = [["1"], ["cut"]]
# args = ["2"]
# ends = 1
# root = {detail = "corrupt_checkpoint", about = "asset"}
# [[run]]
# log = "trainer-4.30/07"
# what = "weights of a wider model"
# env = "old"
# before = [["1"]]
# args = ["6"]
# ends = 1
# root = {type = "RuntimeError", detail = "size_mismatch", about = "asset"}
# [[run]]
# log = "trainer-4.30/08"
# what = "a model name that is in no cache, on a node without network"
# env = "old"
# args = ["8"]
# ends = 1
# vars = {TRANSFORMERS_OFFLINE = "1"}
# root = {cause = "traceback", about = "asset"}
# [[run]]
# log = "trainer-4.30/09"
# what = "a model type that this version does not know"
# env = "old"
# args = ["9"]
# ends = 1
# root = {type = "KeyError", detail = "unknown_architecture", about = "env"}
# [[run]]
# log = "trainer-4.30/10"
# what = "a loader's worker is killed after some steps"
# env = "old"
# args = ["11"]
# ends = 1
# steady = false
# root = {cause = "oom_killer", detail = "loader_worker_killed"}
# words = ["progress"]
# [[run]]
# log = "trainer-4.30/11"
# what = "three steps, and done"
# env = "old"
# args = ["14"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# ///

import os
import signal
import sys
import time
from pathlib import Path

import torch
import transformers
from progress_notes import note
from torch.utils.data import Dataset, get_worker_info
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

part = sys.argv[1]
if part == "cut":
    for name in ("model.safetensors", "pytorch_model.bin"):
        for path in Path("out").rglob(name):
            os.truncate(path, 900)
    sys.exit(0)
if "info" in sys.argv:
    transformers.logging.set_verbosity_info()


class Words(Dataset):
    """Sequences of one token each, so that there is something to learn."""

    def __init__(self, top=50):
        self.top = top
        self.read = 0

    def __len__(self):
        return 400

    def __getitem__(self, index):
        self.read += 1
        if part == "11" and self.read > 48 and get_worker_info() is not None:
            time.sleep(1)
            os.kill(os.getpid(), signal.SIGKILL)
        token = self.top + 20 if part == "13" and self.read == 45 else index % self.top
        ids = torch.full((12,), token)
        return {"input_ids": ids, "labels": ids}


class Keep(TrainerCallback):
    """Notes what the trainer itself holds."""

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            note(step=state.global_step, loss=float(logs["loss"]), planned=state.max_steps)


def main():
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0)
    if part == "4":
        Path("corpus/train.jsonl").read_text()
    if part == "6":
        config.n_embd, config.n_inner = 48, 96
        GPT2LMHeadModel.from_pretrained("out/checkpoint-30", config=config)
    if part == "7":
        Path("base").mkdir()
        AutoTokenizer.from_pretrained("./base")
    if part == "8":
        AutoModelForCausalLM.from_pretrained("myteam/small-llm")
    if part == "9":
        Path("base").mkdir()
        Path("base/config.json").write_text('{"model_type": "zebra9", "architectures": ["Zebra9ForCausalLM"]}')
        AutoConfig.from_pretrained("base")
    if part == "10":
        AutoModelForCausalLM.from_config(config, attn_implementation="flash_attention_2")
    more = {"logging_step": 5} if part == "12" else {}
    args = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=4,
        max_steps={"2": 40, "5": 2000, "14": 3}.get(part, 30),
        logging_steps=1 if part == "14" else 5,
        save_steps=10,
        learning_rate=1e8 if part == "3" else 5e-3,
        max_grad_norm=0.0 if part == "3" else 1.0,
        dataloader_num_workers=2 if part == "11" else 0,
        report_to=[],
        **more,
    )
    trainer = Trainer(model=GPT2LMHeadModel(config), args=args, train_dataset=Words(), callbacks=[Keep()])
    trainer.train(resume_from_checkpoint="out/checkpoint-30" if part == "2" else None)


if __name__ == "__main__":
    main()
