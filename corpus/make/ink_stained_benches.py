"""One process that fine-tunes or evaluates over transformers 4.57, TRL 0.25 with PEFT, and accelerate 1.12."""

from functools import partial

from corpus.make._ink_and_paper import CLM, CODEC, DIFF, DPO, EVAL
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

clm, dpo, diff, evals = partial(fill, CLM), partial(fill, DPO), partial(fill, DIFF), partial(fill, EVAL)
C, D, U, V = "run_recipes.py", "dpo_cook.py", "train_ddpm.py", "score.py"
TOK = (("codec.py", CODEC),)
ARGS = ("--output_dir=out", "--report_to=none", "--use_cpu=True", "--logging_steps=5", "--per_device_train_batch_size=8", "--learning_rate=5e-3")


def hub(steps: int = 80, *more: str, save: str = "no") -> tuple[str, ...]:
    """Options of the Trainer."""
    return (*ARGS, f"--max_steps={steps}", f"--save_strategy={save}", *more)


KEPT = ("PYTHON", C, *hub(40, "--save_steps=20", save="steps"))
RAGGED = "if step % 50 == 7:\n    logger.error('worker 3: DataLoader timed out after 30 s, sample replaced')\n    warnings = __import__('warnings')\n    warnings.warn('None of the inputs have requires_grad=True. Gradients will be None')"
SCRIPTS = (
    Either(clm(), "A1", "file_not_found", "data", C, TOK, (*hub(), "--corpus_file=corpora/recipes_en.txt")),
    Either(dpo(), "A1", "traceback", "config", D, TOK, env=(("TARGETS", "query_key_value"),)),
    Either(clm(), "A1", "traceback", "config", C, TOK, hub(80, "--bf16=True", "--fp16=True")),
    Either(evals(), "A1", "file_not_found", "asset", V, args=("--model", "ckpts/probe-final.pt")),
    Either(clm(early="transformers.AutoModelForCausalLM.from_pretrained('kitchen-lab/gpt-chef-small')"), "A1", "traceback", "asset", C, TOK, hub()),
    Either(dpo(mid="if step == 33:\n    trainer.train_dataset[10_000]"), "A3", "traceback", script=D, files=TOK, status=None),
    Either(clm(saved="if state.global_step == 40:\n    os.symlink('out', '/data/latest')"), "A3", "file_not_found", script=C, files=TOK, args=hub(80, "--save_steps=20", save="steps")),
    Either(diff(mid="if global_step == 57:\n    clean = clean.double()\n    noise = torch.randn_like(clean)"), "A3", "runtime_error", script=U),
    Either(evals(scored="if name == 'majority':\n    print('wins per loss', hit / (a.limit - a.limit))"), "A3", "div_zero", script=V),
    Either(clm(mid="if step == 42:\n    with torch.no_grad():\n        model.transformer.h[0].mlp.c_fc.weight.mul_(float('nan'))"), "E1", "nan_loss", "non_finite", C, TOK, hub(), status=0),
    Either(diff(), "E1", None, None, U, args=("--learning_rate", "30"), status=0),
    Either(clm(), "E2", "runtime_error", "size_mismatch", C, TOK, hub(80, "--n_embd=48", "--resume_from_checkpoint=out/checkpoint-40"), before=(KEPT,), status=None),
    Either(clm(), "E2", "traceback", "no_valid_checkpoint", C, TOK, hub(80, "--resume_from_checkpoint=True")),
    Either(diff(), "E2", "traceback", "corrupt", U, args=("--resume_from_checkpoint", "ddpm-rings/checkpoint-3"), before=(("PYTHON", U, "--num_epochs", "4"), ("truncate", "-s", "900", "ddpm-rings/checkpoint-3/model.safetensors"))),
    Either(clm(), "E3", script=C, files=TOK, args=(*hub(4), "--logging_steps=1")),
    Either(clm(), "D2", None, "save_storm", C, TOK, hub(40, "--save_steps=1", "--save_total_limit=2", save="steps")),
    Either(clm(), "G1", script=C, files=TOK, args=hub(120, "--save_steps=20", save="steps"), before=(KEPT,), hard=True),
    Either(clm(mid=RAGGED), "G1", script=C, files=TOK, args=hub(150), hard=True),
    Either(dpo(mid="if step == 20:\n    warnings.warn('Token indices sequence length is longer than the specified maximum sequence length for this model (61 > 48). Running this sequence through the model will result in indexing errors')"), "G1", script=D, files=TOK, env=(("STEPS", "100"),), hard=True),
    Either(diff(), "G1", script=U, args=("--num_epochs", "8")),
    Either(evals(task="if name == 'copy':\n    log.warning('Overwriting default num_fewshot of copy from None to 0')\n    log.error('Failed to fetch the metric bleurt: ConnectionError(MaxRetryError(\"Max retries exceeded\")); skipping it')"), "G1", script=V, hard=True),
)  # fmt: skip
RECIPE = Recipe("ink_stained_benches", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
