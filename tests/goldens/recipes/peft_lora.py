"""PEFT adapters on a very small GPT-2."""

# /// runs
# env = "new"
# [[run]]
# log = "peft-0.21/01"
# what = "an adapter is trained and saved"
# args = ["1"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "peft-0.21/02"
# what = "module names of another model family"
# args = ["2"]
# ends = 1
# root = {type = "peft.utils.error.NoMatchingPeftModuleError", detail = "target_modules", about = "config"}
# [[run]]
# log = "peft-0.21/03"
# what = "an adapter folder that is not there"
# args = ["3"]
# ends = 1
# root = {detail = "adapter_missing", about = "asset"}
# [[run]]
# log = "peft-0.21/04"
# what = "an adapter of another rank"
# before = [["1"]]
# args = ["4"]
# ends = 1
# root = {type = "RuntimeError", detail = "size_mismatch", about = "asset"}
# [[run]]
# log = "peft-0.21/05"
# what = "an option that the adapter's configuration does not have"
# args = ["5"]
# ends = 1
# root = {type = "TypeError", about = "config"}
# [[run]]
# log = "peft-0.21/06"
# what = "an adapter type that does not exist"
# args = ["6"]
# ends = 1
# root = {type = "ValueError", about = "config"}
# [[run]]
# log = "peft-0.4/01"
# what = "module names of another model family"
# env = "old"
# args = ["2"]
# ends = 1
# root = {type = "ValueError", detail = "target_modules", about = "config"}
# [[run]]
# log = "peft-0.4/02"
# what = "an adapter folder that is not there"
# env = "old"
# args = ["3"]
# ends = 1
# root = {detail = "adapter_missing", about = "asset"}
# ///

import sys

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from progress_notes import note
from transformers import GPT2Config, GPT2LMHeadModel

part = sys.argv[1]


def main():
    torch.manual_seed(0)
    base = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=1, n_head=2))
    if part in {"3", "4"}:
        if part == "4":
            LoraConfig(r=2, target_modules=["c_attn"], task_type="CAUSAL_LM", fan_in_fan_out=True).save_pretrained("adapter")
        PeftModel.from_pretrained(base, "./adapter")
    if part == "5":
        LoraConfig(rank=8, target_modules=["c_attn"])
    if part == "6":
        LoraConfig(r=8, target_modules=["c_attn"], task_type="CAUSAL_LLM")
        get_peft_model(base, LoraConfig(r=8, target_modules=["c_attn"], task_type="CAUSAL_LLM"))
    names = ["q_proj", "v_proj"] if part == "2" else ["c_attn"]
    model = get_peft_model(base, LoraConfig(r=8, lora_alpha=16, target_modules=names, task_type="CAUSAL_LM", fan_in_fan_out=True))
    model.print_trainable_parameters()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2)
    for step in range(1, 31):
        ids = torch.randint(0, 5, (4, 12))
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 5 == 0:
            print(f"step {step}/30 | loss {loss.item():.4f}")
            note(step=step, loss=loss.item(), planned=30)
    model.save_pretrained("adapter")
    print("training finished")


if __name__ == "__main__":
    main()
