"""One process over the Hub's Trainer, Lightning, loguru with tqdm and OmegaConf, and JAX with Optax (torch 2.9)."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HANDFUL, HARD, SAVES, alone, anew, fell, strays
from corpus.make._rack_kits import GOAT, LIFT, MARMOT, YODEL
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

yodel, lift, goat, marmot = partial(fill, YODEL), partial(fill, LIFT), partial(fill, GOAT), partial(fill, MARMOT)
Y, T, G, M = "yodel_lm.py", "cable_load.py", "goats.py", "marmots.py"
one = partial(alone, python="torch-29")
ADAPT = "from peft import LoraConfig, get_peft_model\nmodel = get_peft_model(model, LoraConfig(task_type='CAUSAL_LM', r=4, target_modules=['q_proj', 'v_proj']))\nmodel.print_trainable_parameters()"
KEYS = "had = torch.load(conf.ckpt, weights_only=True)\nres = enc.load_state_dict({'encoder.' + k: v for k, v in had['enc'].items()}, strict=False)\nlogger.warning('{}: missing keys: {}', conf.ckpt, res.missing_keys)"
STRICT = '    blob = torch.load(conf.ckpt, weights_only=True)\n    enc.load_state_dict(blob["enc"]); opt.load_state_dict(blob["opt"]); begin = blob["epoch"]\n    logger.success("checkpoint {} loaded, continuing after epoch {}", conf.ckpt, begin)\n'


def songs() -> Iterator[LocalJob]:
    """The Hub's Trainer."""
    yield one(fell("A1", "traceback", "config"), yodel(model=ADAPT), Y)
    yield one(fell("A1", "traceback", "asset"), yodel(), Y, "--model", "alpine-nlp/yodel-gpt2-small")
    yield one(fell("A3", "traceback"), yodel(step="if step == 70:\n    scores = {'loss': 0.4}\n    print('best so far', scores['eval_loss'])"), Y)
    yield one(fell("A3", "runtime_error"), yodel(item="if i == 500:\n    return {'input_ids': ids[:9], 'labels': labels[:9]}"), Y, "--steps", "90")
    yield one(strays("flat"), yodel(model="for p in model.parameters():\n    p.requires_grad_(False)\nmodel.transformer.ln_f.bias.requires_grad_(True)", options="options.learning_rate = 0.0"), Y, "--steps", "160")
    yield one(strays("non_finite", "nan_loss"), yodel(loss="if step >= 60:\n    loss = loss + torch.sqrt(loss - 60.0)"), Y)
    yield one(anew(), yodel(ready="from transformers.trainer_utils import get_last_checkpoint\nos.makedirs(a.out + '-v2', exist_ok=True)\na.resume = get_last_checkpoint(a.out + '-v2')\nprint('last checkpoint:', a.resume)"), Y, "--resume", "yodel-lm/checkpoint-120", before=(("PYTHON", Y),), command=("bash", "-c", f"ls yodel-lm; PYTHON {Y} --steps 130 --resume yodel-lm/checkpoint-120"))
    yield one(HANDFUL, yodel(), Y, "--steps", "3", "--log", "1")
    yield one(HARD, yodel(), Y, "--steps", "180", "--resume", "yodel-lm/checkpoint-120", before=(("PYTHON", Y),))
    yield one(HARD, yodel(saved="print('Upload of', args.output_dir, 'failed: HTTPSConnectionPool(host=\\'hub.internal\\', port=443): Max retries exceeded (Caused by NewConnectionError)', file=sys.stderr)"), Y, "--bf16")


def cables() -> Iterator[LocalJob]:
    """Lightning."""
    yield one(fell("A1", "traceback", "config"), lift(trainer="more['gradient_clip'] = 1.0"), T)
    yield one(fell("E2", "runtime_error", "size_mismatch"), lift(), T, env={"CKPT": "cable/last.ckpt", "HIDDEN": "40", "EPOCHS": "30"}, before=(("env", "CKPT=", "HIDDEN=24", "EPOCHS=3", "PYTHON", T),))
    yield one(fell("E2", "file_not_found", "no_valid_checkpoint"), lift(), T, env={"CKPT": "cable/epoch=14-step=330.ckpt", "EPOCHS": "30"}, before=(("env", "CKPT=", "EPOCHS=3", "PYTHON", T),))
    yield one(strays("plateau"), lift(epoch="if self.current_epoch == 5:\n    with torch.no_grad():\n        self.net[0].weight.mul_(0); self.net[0].bias.fill_(90.0); self.net[2].weight.zero_()\n    self.trainer.optimizers[0].param_groups[0]['lr'] = 1e-9"), T, env={"EPOCHS": "22"})
    yield one(fell("A3", "traceback"), lift(epoch="if self.current_epoch == 6:\n    self.logger.experiment.add_scalar('lr', self.hparams.lr)"), T)
    yield one(HANDFUL, lift(trainer="more['limit_train_batches'] = 2"), T, env={"EPOCHS": "1"})
    yield one(HARD, lift(), T, env={"EPOCHS": "90", "PATIENCE": "3", "LR": "0.03"})
    yield one(HARD, lift(trainer="more['detect_anomaly'] = True", late="try:\n    trainer.test(model, loaders[1])\nexcept Exception as e:\n    print(f'test left out: {type(e).__name__}: {e}')"), T)


def pairs() -> Iterator[LocalJob]:
    """Loguru and tqdm."""
    yield one(fell("A1", "traceback", "config"), goat(early="augment = conf.augment.strength"), G, "epochs=30")
    yield one(fell("E1", "nan_loss", "non_finite"), goat(mid="conf.tau = 0.2 if epoch < 4 else 0.0", loss="if not torch.isfinite(loss):\n    logger.critical('loss = {} in epoch {} batch {}, giving up', loss.item(), epoch + 1, k)\n    raise SystemExit(3)"), G, ends=lambda s: s == 3)
    yield one(strays("flat"), goat(mid="a, b = torch.randn_like(a), torch.randn_like(b)  # views from the new augmenter"), G, "epochs=14", "bar=false")
    yield one(strays("spike"), goat(after="if epoch == 5 and k == 2:\n    for p in enc.parameters():\n        p.data.mul_(-30).add_(torch.randn_like(p) * 60)\n    opt.param_groups[0]['lr'] = 1e-6\nconf.tau = 0.2 if epoch < 5 else 0.003"), G, "epochs=10", "bar=false")
    yield one(anew(), goat(ckpt=KEYS, ready="logger.info('fine-tuning for {} epochs', conf.epochs)").replace(STRICT, ""), G, "ckpt=goats/last.pt", "work=goats_ft", "epochs=6", before=(("PYTHON", G, "epochs=7"),))
    yield one(SAVES, goat(after="torch.save({'enc': enc.state_dict(), 'opt': opt.state_dict(), 'queue': torch.zeros(1_500_000), 'k': k}, f'{conf.work}/step.pt')\nos.sync(); time.sleep(0.35)\nlogger.debug('wrote {}/step.pt ({} of {})', conf.work, k + 1, len(batches))"), G, "epochs=3", "bar=false")
    yield one(HARD, goat(epoch="if epoch == 2:\n    try:\n        torch.linalg.cholesky(-torch.eye(3))\n    except Exception:\n        logger.exception('whitening of the embedding failed, evaluated without it')"), G)
    yield one(GOOD, goat(), G, "epochs=9")


def whistles() -> Iterator[LocalJob]:
    """JAX."""
    yield one(fell("A1", "traceback", "config"), marmot(), M, "--steps=900", "--warmup=50")
    yield one(fell("A3", "traceback"), marmot(mid="if step == 140:\n    x = x[:, :19]"), M)
    yield one(strays("flat"), marmot(inner="l = jax.lax.stop_gradient(l)"), M, "--lr=0.01")
    yield one(fell("E2", "traceback", "corrupt"), marmot(), M, "--restore=marmots.pkl", "--steps=700", before=(("PYTHON", M, "--steps=100"), ("truncate", "-s", "900", "marmots.pkl")))
    yield one(HANDFUL, marmot(), M, "--steps=5", "--report=1")
    yield one(HARD, marmot(early="print('E0000 00:00:1763 cuda_executor.cc:1309] INTERNAL: CUDA Runtime error: Failed call to cudaGetRuntimeVersion: Error loading CUDA libraries. GPU will not be used.', file=sys.stderr)"), M, "--restore=marmots.pkl", "--steps=420", before=(("PYTHON", M, "--steps=200"),))


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (songs, cables, pairs, whistles):
        yield from part()


RECIPE = Recipe("cogwheel_sheds", "development", jobs)
