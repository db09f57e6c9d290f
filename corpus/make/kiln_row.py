"""One process over the Hub's Trainer, accelerate, Lightning, TRL, JAX with Flax, Keras on JAX, and loguru with OmegaConf (torch 2.9); an evaluation that trains nothing."""

from functools import partial

from corpus.make._kiln_houses import ASSIST, CLAIMS, GLAZE, ROUTES
from corpus.make._kiln_yards import GRAPES, JUDGE, TIDEPOOL
from corpus.make._mill_logs import DISTIL
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

claims, routes, glaze, assist = partial(fill, CLAIMS), partial(fill, ROUTES), partial(fill, GLAZE), partial(fill, ASSIST)
pool, grapes, judge, distil = partial(fill, TIDEPOOL), partial(fill, GRAPES), partial(fill, JUDGE), partial(fill, DISTIL)
B, R, K, A, P, V, J, D = "run_claims.py", "routes.py", "kiln.py", "tune.py", "tidepool.py", "grapes.py", "judge.py", "distil.py"
HUB = ("--output_dir", "claims", "--report_to", "none", "--use_cpu", "true", "--learning_rate", "3e-3", "--per_device_train_batch_size", "16", "--disable_tqdm", "true")
TEN = ("--logging_steps", "10", "--save_strategy", "no")
HALT = "if not torch.isfinite(loss):\n    logger.critical('loss is {} at step {}: not going on', loss.item(), step)\n    sys.exit(4)"
RESET = "if epoch == 3:\n    head = self.model.layers[0]\n    head.set_weights([np.zeros_like(w) - 1 for w in head.get_weights()])\n    self.model.layers[1].set_weights([np.zeros_like(w) for w in self.model.layers[1].get_weights()])\n    self.model.optimizer.learning_rate = 0.0"
SCRIPTS = (
    Either(distil(mid="if step > 130:\n    x = x * 1e39", loss=HALT), "E1", "nan_loss", "non_finite", D, status=4),
    Either(pool(loss="logits = jax.lax.stop_gradient(logits)"), "E1", None, "flat", P, args=("--num_train_steps=400",), status=0),
    Either(grapes(epoch=RESET), "E1", None, "plateau", V, env=(("EPOCHS", "14"),), status=0),
    Either(routes(after="if done == 70:\n    opt.param_groups[0]['lr'] = 30.0"), "E1", None, "spike", R, status=0),
    Either(claims(loss="if step > 20:\n    loss = loss * 3e38 * 10 - loss * 3e38 * 10"), "E1", "nan_loss", "non_finite", B, args=(*HUB, *TEN, "--num_train_epochs", "3"), status=0),
    Either(claims(), "E3", script=B, args=(*HUB, "--max_steps", "3", "--logging_steps", "1", "--save_strategy", "no")),
    Either(routes(), "E3", script=R, args=("--max_train_steps", "2")),
    Either(pool(), "E3", script=P, args=("--num_train_steps=3", "--log_every=1")),
    Either(grapes(), "E3", script=V, env=(("N", "70"), ("EPOCHS", "1"))),
    Either(distil(mid="if step == 3:\n    break"), "E3", script=D, args=("every=1",)),
    Either(glaze(trainer="more['limit_train_batches'] = 1"), "E3", script=K, env=(("EPOCHS", "2"), ("SAY", "1"))),
    Either(pool(), "E2", "file_not_found", "no_valid_checkpoint", P, args=("--restore=wd/run_0412", "--num_train_steps=500")),
    Either(grapes(), "E2", "traceback", "size_mismatch", V, env=(("WEIGHTS", "vats/last.weights.h5"), ("FROM", "3")), before=(("env", "UNITS=16", "WEIGHTS=", "EPOCHS=3", "PYTHON", V),)),
    Either(distil(), "E2", "runtime_error", "corrupt", D, args=("resume=student.pt", "steps=500"), before=(("PYTHON", D, "steps=100"), ("truncate", "-s", "2300", "student.pt"))),
    Either(assist(), "A1", "traceback", "config", A, args=("targets=query_key_value,dense",)),
    Either(glaze(trainer="more['precison'] = '16-mixed'"), "A1", "traceback", "config", K),
    Either(claims(model="from transformers import AutoModel\nbase = AutoModel.from_pretrained('claims-lab/base-encoder-v2')"), "A1", "traceback", "asset", B, args=(*HUB, *TEN)),
    Either(distil(early="student_width = 96\nassert student_width % 64 == 0, f'student_width {student_width} is no multiple of 64'"), "A1", "assertion", "config", D),
    Either(glaze(mid="if step == 95:\n    x = x.to('meta')"), "A3", "device_mismatch", script=K, env=(("SAY", "1"),)),
    Either(routes(early="def hook(*what):\n    sys.__excepthook__(*what); sys.stderr.flush(); os._exit(1)\n\n\nsys.excepthook = hook", after="if done == 90:\n    metrics = {'rmse': seen}\n    best = metrics['eval_rmse']"), "A3", "traceback", script=R),
    Either(pool(mid="if step == 170:\n    x = x[:, :9]"), "A3", "traceback", script=P),
    Either(claims(end="if step == 40:\n    open('/srv/claims/trace.json', 'w')"), "A3", "file_not_found", script=B, args=(*HUB, *TEN, "--num_train_epochs", "3")),
    Either(judge(), "G1", script=J, hard=True),
    Either(judge(early="print('WARNING: no checkpoint given, weights are newly initialized: [lm_head.weight, wte.weight]. You should probably TRAIN this model', file=sys.stderr)", task="if task == 'order':\n    print('ERROR order.yaml: doc_to_text failed for 2 of 62 docs, skipped', file=sys.stderr)"), "G1", script=J, args=("--limit", "40"), hard=True),
    Either(claims(), "G1", script=B, args=(*HUB, *TEN, "--num_train_epochs", "2", "--do_train", "--do_eval")),
    Either(claims(), "G1", script=B, args=(*HUB, "--logging_steps", "10", "--save_steps", "30", "--num_train_epochs", "3", "--do_train", "--resume_from_checkpoint", "claims/checkpoint-60"), before=(("PYTHON", B, *HUB, "--logging_steps", "10", "--save_steps", "30", "--num_train_epochs", "2"),), hard=True),
    Either(glaze(), "G1", script=K, env=(("EPOCHS", "60"), ("PATIENCE", "2"), ("LR", "0.02"), ("SAY", "1")), hard=True),
    Either(glaze(), "G1", script=K, env=(("ONLY_TEST", "ckpts/last.ckpt"),), before=(("env", "ONLY_TEST=", "PYTHON", K),), hard=True),
    Either(grapes(load="print('keras: ValueError while reading optimizer variables, ignored (by_name)')"), "G1", script=V, env=(("WEIGHTS", "vats/last.weights.h5"), ("FROM", "6"), ("EPOCHS", "9")), before=(("env", "WEIGHTS=", "FROM=0", "EPOCHS=6", "PYTHON", V),), hard=True),
    Either(pool(early="logging.error('libtpu.so not found; cuInit: CUDA_ERROR_NO_DEVICE; falling back to cpu')"), "G1", script=P, hard=True),
    Either(routes(), "G1", script=R, args=("--num_train_epochs", "2", "--gradient_accumulation_steps", "1"), hard=True),
    Either(distil(loss="if step % 90 == 0:\n    logger.warning('found_inf=1 in 3 of 6 tensors, step {} is tried again with half the scale', step)"), "G1", script=D, hard=True),
)  # fmt: skip
RECIPE = Recipe("kiln_row", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
