"""Models, tokenizers, adapters, checkpoints and their shapes."""

from __future__ import annotations

ADVICE: dict[str, tuple[str, ...]] = {
    "gated_repo": ("Accept the model's terms on its page, then on a login node: huggingface-cli login (or export HF_TOKEN=… in the job).",),
    "unauthorised": ("Check the token: huggingface-cli whoami; export HF_TOKEN=… in the job script.",),
    "unknown_model": ("Check the model's name or path; a local folder must exist on the compute node: srun -N1 ls -ld PATH",),
    "model_name": ("A path was taken for a repository's name: the folder is not there on the compute node: srun -N1 ls -ld PATH",),
    "model_config": ("The folder's config.json says no model_type: point to the folder of the whole model, or copy config.json of its base into it.",),
    "offline_cache_miss": ("Download it on a node with network first (huggingface-cli download MODEL), and point HF_HOME of the job to that cache.",),
    "hub_unavailable": ("The hub refused or was away: download once on a login node (huggingface-cli download MODEL), then export HF_HUB_OFFLINE=1 HF_HOME=… in the job.",),
    "asset_file_missing": ("List what the folder holds (ls -l PATH): a file the loader needs is not there; download or convert it again.",),
    "unknown_architecture": ("pip install --upgrade transformers: this version does not know the model's architecture.",),
    "attention_package": ("pip install flash-attn --no-build-isolation in the job's environment, or attn_implementation='sdpa'.",),
    "attention_build": ("flash-attn was built for another torch: pip install --force-reinstall --no-cache-dir --no-build-isolation flash-attn, or attn_implementation='sdpa'.",),
    "attention_unsupported": ("This GPU or dtype is not for FlashAttention: attn_implementation='sdpa'; FlashAttention needs Ampere or newer, and fp16 or bf16.",),
    "quantisation_library": ("bitsandbytes found no CUDA library: python -m bitsandbytes names why; module load the CUDA it wants, or pip install -U bitsandbytes.",),
    "quantised_offload": ("The quantised model does not fit on the GPUs: more of them or a smaller one; or llm_int8_enable_fp32_cpu_offload=True with a device_map.",),
    "tokenizer_missing": ("The folder has no tokenizer: save it with the model (tokenizer.save_pretrained(PATH)), or load it by the base model's name.",),
    "tokenizer_class": ("The tokenizer's class is of another version: AutoTokenizer.from_pretrained(…), and correct tokenizer_class in tokenizer_config.json.",),
    "tokenizer_broken": ("tokenizer.json is of a newer tokenizers, or cut: pip install -U tokenizers transformers, or download the file again.",),
    "no_pad_token": ("tokenizer.pad_token = tokenizer.eos_token   # and model.config.pad_token_id = tokenizer.pad_token_id",),
    "no_chat_template": ("Use the instruct model's tokenizer, or set one: tokenizer.chat_template = open('template.jinja').read()",),
    "unknown_template": ("Correct --template (LLaMA-Factory lists them in data/README.md; --template default for a base model).",),
    "adapter_missing": ("The folder holds no adapter_config.json: point to where save_pretrained wrote the adapter (ls PATH), not to the whole checkpoint's parent.",),
    "adapter_type": ("Correct task_type: SEQ_CLS, SEQ_2_SEQ_LM, CAUSAL_LM, TOKEN_CLS, QUESTION_ANS or FEATURE_EXTRACTION.",),
    "adapter_quantised": ("Attach an adapter before training a quantised model: model = get_peft_model(prepare_model_for_kbit_training(model), LoraConfig(…))",),
    "size_mismatch": ("The checkpoint is of another model: load it with the configuration it was trained with.",),
    "no_valid_checkpoint": ("Point the resume option to a folder that holds a whole checkpoint (ls PATH), or start without it.",),
    "checkpoint_missing": ("There is no checkpoint at that place: srun -N1 ls -ld PATH; a relative path counts from the job's directory (sbatch --chdir=DIR).",),
    "checkpoint_tensor": ("The file lacks a tensor that the model has: it is one shard of several (see *.index.json), or of another model.",),
    "corrupt_checkpoint": ("The file is cut or corrupt: use the checkpoint before it, and save to a temporary name that is renamed when whole.",),
    "weights_only": (
        "The file holds more than tensors: torch.load(PATH, weights_only=False) where you trust who wrote it,",
        "or allow its classes: torch.serialization.add_safe_globals([CLASS]); better save model.state_dict() alone.",
    ),
    "shapes": (
        "Two sizes do not fit: print the shapes before the line named above; the model's input or hidden size, or the batch's last dimension, is off.",
        "Only at the last batch: DataLoader(…, drop_last=True).",
    ),
    "dtype": (
        "Two types meet: cast before the line named above (x.to(weight.dtype), labels.long(), targets.float()), or run under torch.autocast('cuda', torch.bfloat16).",
        "Half precision on a CPU is not complete: use bfloat16 or float32 there.",
    ),
    "traced_value": ("Python's if, while and int() need a value that jit does not have: jnp.where, lax.cond, lax.while_loop, or static_argnums for that argument.",),
    "two_devices": ("Move model and inputs to one device (.to(device)) before the line named above.",),
    "weights_elsewhere": ("The model and its input lie on different devices: model.to(device) after building it, batch.to(device) in the loop.",),
}
