"""Models of transformers tuned by one process with TRL's and the hub's trainers, with PEFT, and with accelerate by hand."""

from functools import partial

from corpus.make._solo_hub import CLASSIFY, HF, NO_TRAINER, SFT, WORDS
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

sft, cls, ft = partial(fill, SFT), partial(fill, CLASSIFY), partial(fill, NO_TRAINER)
W = (("words.py", WORDS),)
S, C, N = "sft.py", "run_cls.py", "finetune.py"
ENV = (("HF_HUB_OFFLINE", "1"), ("TOKENIZERS_PARALLELISM", "false"))


def hf(**more: str) -> tuple[str, ...]:
    """The usual options of the Trainer with some changed."""
    said = dict(o[2:].split("=") for o in HF) | more
    return tuple(f"--{k}={v}" for k, v in said.items())


STEPS = {"save_strategy": "steps", "save_steps": "20", "logging_steps": "10"}
SCRIPTS = (
    # before the first step
    Either(sft(), "A1", "traceback", "config", S, W, ("--lora", "--target_modules", "c_attn"), env=ENV),
    Either(sft(early="from transformers import AutoTokenizer\nbase = AutoTokenizer.from_pretrained('models/Llama-3.2-1B')"), "A1", "traceback", "asset", S, W, env=ENV, status=None),
    Either(sft(data="rows[17] = {'prompt': rows[17]['text']}\nrows = [{'text': r['text']} for r in rows]"), "A1", "traceback", "data", S, W, env=ENV, tasks=1),
    Either(sft(options="options['neftune_alpha'] = 5.0"), "A1", "traceback", "config", S, W, env=ENV),
    Either(sft(options="options['attn_implementation'] = None\noptions.pop('attn_implementation')\nmodel.set_attn_implementation('flash_attention_2')"), "A1", "missing_module", "env", S, W, env=ENV, status=None),
    Either(cls(), "A1", "traceback", "config", C, args=hf(warmup_ratio="2.5"), env=ENV),
    Either(cls(), "A1", "traceback", "config", C, args=(*hf(), "--evaluation_strategy=steps"), env=ENV, tasks=1),
    Either(cls(), "A1", None, "config", C, args=hf(save_strategy="every_epoch"), env=ENV, status=2),
    Either(cls(), "A1", "traceback", "asset", C, args=(*hf(), "--init_from=bert/sst2-distil"), env=ENV, status=None),
    Either(cls(early="import bitsandbytes as bnb"), "A1", "missing_module", "env", C, args=hf(), env=ENV, tasks=1),
    Either(cls(ready="assert len(train) >= 1000, f'only {len(train)} training rows left after dedup'"), "A1", "assertion", "data", C, args=hf(), env=ENV),
    Either(cls(), "A1", "permission", "config", C, args=hf(output_dir="/srv/team/run1"), env=ENV),
    Either(cls(early="from datasets import load_dataset\nrows = load_dataset('json', data_files='data/train.jsonl', split='train')"), "A1", "traceback", "data", C, (("data/train.jsonl", '{"text": "good", "label": 1}\n{"text": "bad", "label": 0\n{"text": "so so"}\n'),), hf(), env=ENV, status=None),
    Either(cls(early="from datasets import load_dataset\nrows = load_dataset('csv', data_files='data/train-*.csv', split='train')"), "A1", "traceback", "data", C, args=hf(), env=ENV, tasks=1),
    Either(ft(), "A1", "traceback", "config", N, args=("--mixed_precision", "fp9"), env=ENV),
    Either(ft(early="warm = args.max_train_steps // (args.checkpointing_steps * args.gradient_accumulation_steps)"), "A1", "div_zero", "config", N, env=ENV, tasks=1),
    Either(ft(early="torch.distributed.init_process_group('nccl', init_method='tcp://127.0.0.1:29871', rank=0, world_size=1)"), "A1", "nccl", "env", N, env=ENV),
    Either(ft(ready="model.embed.to('meta')"), "A1", "device_mismatch", "config", N, env=ENV, status=None),
    # signals
    Either(sft(mid="if step == 33:\n    import ctypes\n    ctypes.cast(24, ctypes.POINTER(ctypes.c_long)).contents.value = 7"), "A2", "segfault", script=S, files=W, status=-11, env=ENV, tasks=1),
    Either(cls(mid="if step == 44:\n    import ctypes\n    ctypes.CDLL(None).qsort(1, 1 << 20, 8, None)"), "A2", "segfault", script=C, args=hf(disable_tqdm="True"), status=-11, env=ENV),
    # after steps
    Either(cls(item="self.n = getattr(self, 'n', 0) + 1\nif self.n == 777:\n    b'caf\\xe9'.decode()"), "A3", "traceback", script=C, args=hf(), env=ENV, status=1),
    Either(cls(metrics="with open('data/gold.tsv') as f:\n    gold = f.read()"), "A3", "file_not_found", script=C, args=hf(eval_strategy="steps", eval_steps="40"), env=ENV, tasks=1),
    Either(cls(mid="if step == 60:\n    net = DistilBertForSequenceClassification(config)\n    net.to('meta')(input_ids=train.x[:2])"), "A3", "device_mismatch", script=C, args=hf(), env=ENV, status=None),
    Either(cls(log="if logs.get('loss', 9) < 1.0:\n    print('tokens per epoch', 9000 // int(logs.get('epoch', 0) / 50), flush=True)"), "A3", "div_zero", script=C, args=hf(disable_tqdm="True"), env=ENV),
    Either(cls(mid="if step == 41:\n    os.rename('run1', 'run1.bak')\n    os.chmod('.', 0o555)"), "A3", "permission", script=C, args=hf(**STEPS), env=ENV, status=None),
    Either(sft(mid="if step == 30:\n    model.lm_head.weight.data = model.lm_head.weight.data[:, :20].contiguous()"), "A3", "runtime_error", script=S, files=W, env=ENV),
    Either(sft(mid="if step == 45:\n    import wandb_core"), "A3", "missing_module", script=S, files=W, args=("--lora",), env=ENV, tasks=1),
    Either(ft(mid="if step == 55:\n    assert x.shape[1] == 16, x.shape"), "A3", "assertion", script=N, env=ENV),
    Either(ft(loss="if step == 47:\n    y = torch.full_like(y, 7)\n    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())"), "A3", "traceback", script=N, env=ENV),
    Either(ft(after="if completed == 64:\n    grown = torch.cat([ids] * 9).repeat(90000, 900)"), "A3", "ram_oom", script=N, env=ENV, tasks=1),
    # how it learned
    Either(cls(), "E1", "nan_loss", "non_finite", C, args=hf(learning_rate="1e18", max_grad_norm="0"), env=ENV, status=0),
    Either(cls(), "E1", None, "flat", C, args=hf(learning_rate="0", max_steps="100"), env=ENV, status=0, tasks=1),
    Either(ft(loss="if step > 50:\n    loss = loss * float('nan')"), "E1", "nan_loss", "non_finite", N, env=ENV, status=0),
    Either(sft(options="options['max_grad_norm'] = 0.0", mid="if step == 40:\n    for p in model.parameters():\n        p.data.add_(torch.randn_like(p) * 3)\n    for g in optimizer.param_groups:\n        g['lr'] = 1e-12\n    kwargs['lr_scheduler'].base_lrs = [1e-12 for _ in kwargs['lr_scheduler'].base_lrs]"), "E1", None, "spike", S, W, ("--max_steps", "90"), env=ENV, status=0),
    Either(sft(), "E2", "traceback", "no_valid_checkpoint", S, W, ("--resume_from_checkpoint", "sft-out/checkpoint-400"), env=ENV, status=None),
    Either(cls(), "E2", "traceback", "no_valid_checkpoint", C, args=hf(resume_from_checkpoint="run0/checkpoint-900"), env=ENV, tasks=1),
    Either(cls(), "E2", "runtime_error", "size_mismatch", C, args=(*hf(resume_from_checkpoint="run0/checkpoint-40"), "--dim=64"), env=ENV, before=(("PYTHON", "run_cls.py", *hf(output_dir="run0", max_steps="40", **STEPS)),)),
    Either(ft(), "E2", "runtime_error", "size_mismatch", N, args=("--resume_from_checkpoint", "ft/step_40", "--hidden", "48"), env=ENV, before=(("PYTHON", "finetune.py", "--max_train_steps", "40", "--checkpointing_steps", "40"),), status=None),
    Either(ft(), "E2", "traceback", "corrupt", N, args=("--resume_from_checkpoint", "ft/step_40"), env=ENV, tasks=1, head="PYTHON finetune.py --max_train_steps 40 --checkpointing_steps 40 > first.txt 2>&1\nfor f in ft/step_40/*.safetensors; do truncate -s 3000 $f; done\n"),
    Either(sft(), "E3", script=S, files=W, args=("--max_steps", "2"), env=ENV),
    Either(cls(), "E3", script=C, args=hf(max_steps="3", logging_steps="1"), env=ENV, tasks=1),
    Either(ft(), "D2", None, "save_storm", N, args=("--checkpointing_steps", "1", "--max_train_steps", "70"), env=ENV),
    Either(sft(), "D2", None, "save_storm", S, W, ("--save_steps", "1", "--max_steps", "50"), env=ENV, tasks=1),
    # well
    Either(sft(), "G1", script=S, files=W, args=("--lora", "--learning_rate", "2e-2"), env=ENV),
    Either(sft(), "G1", script=S, files=W, env=ENV, tasks=1),
    Either(cls(), "G1", script=C, args=hf(eval_strategy="steps", eval_steps="40", lr_scheduler_type="cosine"), env=ENV),
    Either(cls(), "G1", script=C, args=hf(resume_from_checkpoint="run0/checkpoint-40"), env=ENV, hard=True, before=(("PYTHON", "run_cls.py", *hf(output_dir="run0", max_steps="80", **STEPS)),)),
    Either(ft(), "G1", script=N, env=ENV, tasks=1),
    Either(ft(), "G1", script=N, args=("--resume_from_checkpoint", "ft/step_60", "--max_train_steps", "140"), env=ENV, hard=True, before=(("PYTHON", "finetune.py", "--max_train_steps", "60", "--checkpointing_steps", "60"),)),
    Either(ft(early="for attempt in range(3):\n    try:\n        raise ConnectionError(\"HTTPSConnectionPool(host='hf-mirror.local', port=443): Max retries exceeded (Caused by NewConnectionError: [Errno 111] Connection refused)\")\n    except ConnectionError as e:\n        logger.error(f'push_to_hub: attempt {attempt + 1}/3 failed: {e}')\nlogger.warning('continuing without the hub')"), "G1", script=N, env=ENV, hard=True),
    Either(cls(mid="if step in (20, 21, 40):\n    print(f\"{{'grad_overflow': True, 'skipped_step': {step}, 'msg': 'nan in gradients, scale reduced'}}\", flush=True)"), "G1", script=C, args=hf(), env=ENV, hard=True, tasks=1),
    Either(sft(late="import subprocess\nr = subprocess.run([sys.executable, '-c', 'raise SystemExit(\"eval harness: FATAL no task named arc_x\")'])\nlog.warning('optional eval exited with %d', r.returncode)"), "G1", script=S, files=W, args=("--learning_rate", "1e-2"), env=ENV, hard=True),
)  # fmt: skip
RECIPE = Recipe("solo_tuning", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
