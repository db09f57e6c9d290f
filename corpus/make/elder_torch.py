"""PyTorch 1.12 with Ignite, skorch, Lightning 1.7, Stable-Baselines3 and loops of its time, alone and as two or three processes over gloo."""

from corpus.make._elder import IGNITE, LIGHT, RL, SKORCH, ring, tagger
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

LAUNCH = ("PYTHON", "-m", "torch.distributed.launch", "--nproc_per_node=2", "--master_port=PORT")
ELASTIC = ("PYTHON", "-m", "torch.distributed.run", "--nproc_per_node=3", "--master_port=PORT")
WALK = RL.replace("{step}", "pass")
SCRIPTS = (
    Either(IGNITE + "trainer.run(rows, max_epochs=6)\nprint('finished')", "G1", script="ignite_fit.py"),
    Either(IGNITE + "@trainer.on(Events.EXCEPTION_RAISED)\ndef shown(engine, e):\n    print('handler:', repr(e), flush=True)\n    if isinstance(e, KeyError):\n        engine.state.metrics['skipped'] = 1\n    else:\n        raise e\n\n@trainer.on(Events.ITERATION_COMPLETED(once=47))\ndef odd(engine):\n    try:\n        raise KeyError('augment_v2')\n    except KeyError as e:\n        engine.logger.error('Current run is continuing after exception: %s', e)\n\ntrainer.run(rows, max_epochs=6)\nprint('finished')", "G1", script="ignite_fit.py", hard=True),
    Either(IGNITE + "trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())\nfor group in opt.param_groups:\n    group['lr'] = 60.0\ntrainer.run(rows, max_epochs=6)\nprint('run is over after', trainer.state.iteration)", "E1", "nan_loss", "non_finite", "ignite_fit.py", status=0, tasks=1),
    Either(IGNITE + "trainer.add_event_handler(Events.EPOCH_COMPLETED(every=2), Checkpoint({'model': net}, DiskSaver('out', create_dir=False, require_empty=False), n_saved=2))\ntrainer.run(rows, max_epochs=6)", "A1", "file_not_found", "config", "ignite_save.py"),
    Either(IGNITE + "@trainer.on(Events.EPOCH_COMPLETED(once=4))\ndef rate(engine):\n    seen = [r for r in rows if len(r) > 2]\n    print('share', len(rows) / len(seen))\n\ntrainer.run(rows, max_epochs=6)", "A3", "div_zero", script="ignite_fit.py", tasks=1),
    Either(IGNITE + "Checkpoint.load_objects({'model': net}, torch.load('best_model.pt'))\ntrainer.run(rows, max_epochs=6)", "E2", "file_not_found", "no_valid_checkpoint", "ignite_more.py", args=("--resume", "best_model.pt")),
    Either(SKORCH + "NeuralNetClassifier(Two, max_epochs=24, lr=0.2).fit(X, y)\nprint('fitted')", "G1", script="sk_fit.py", tasks=1),
    Either(SKORCH + "net = NeuralNetClassifier(Two, max_epochs=40, lr=0.2, callbacks=[EarlyStopping(patience=4, threshold=0.01)])\ntry:\n    NeuralNetClassifier(Two, lr=0.1, widht=3).fit(X, y)\nexcept (TypeError, ValueError) as e:\n    print('self-test:', str(e).splitlines()[0])\nnet.fit(X, y)\nprint('fitted')", "G1", script="sk_fit.py", hard=True),
    Either(SKORCH + "net = NeuralNetClassifier(Two, max_epochs=24, lr=0.2).fit(X, y)\nnet.predict(X[:, :5])", "A3", "runtime_error", script="sk_fit.py"),
    Either(SKORCH + "NeuralNetClassifier(Two, max_epochs=24, lr=0.2).fit(X.astype('f8'), y)", "A1", "runtime_error", "data", "sk_fit.py", tasks=1),
    Either(SKORCH + "NeuralNetClassifier(Two, max_epochs=30, lr=1e-12).fit(X, y)\nprint('fitted')", "E1", None, "flat", "sk_fit.py", status=0),
    Either(SKORCH + "class Store(Callback):\n    def on_epoch_end(self, net, **kw):\n        if len(net.history) == 9:\n            net.save_params(f_params='/opt/params.pkl')\n\nNeuralNetClassifier(Two, max_epochs=24, lr=0.2, callbacks=[Store()]).fit(X, y)", "A3", "permission", script="sk_store.py"),
    Either(SKORCH + "small = NeuralNetClassifier(Two, max_epochs=2, module__width=8).fit(X, y)\nsmall.save_params(f_params='a.pkl')\nwide = NeuralNetClassifier(Two, warm_start=True).initialize()\nprint('loading a.pkl')\nwide.load_params(f_params='a.pkl')", "E2", "runtime_error", "size_mismatch", "sk_more.py", tasks=1),
    Either(LIGHT + "fit(Lit())\nprint('fit is over')", "G1", script="lit17.py"),
    Either(LIGHT + "fit(Lit(), max_epochs=30, callbacks=[EarlyStopping('train_loss', patience=2, min_delta=0.05)], detect_anomaly=True)\nprint('fit is over')", "G1", script="lit17.py", hard=True, tasks=1),
    Either(LIGHT + "class Stop(Lit):\n    def training_step(self, batch, i):\n        assert self.global_step < 64 or i % 2, 'odd batches only in the second stage'\n        return super().training_step(batch, i)\n\nfit(Stop())", "A3", "assertion", script="lit17.py", tasks=2),
    Either(LIGHT + "fit(Lit(), accelerator='gpu', devices=2)", "A1", "traceback", "config", "lit17.py"),
    Either(LIGHT + "fit(Lit(), gradient_clip_val=0.5, max_epochs=2, max_steps=3)\nprint('max_steps reached')", "E3", script="lit17.py"),
    Either(LIGHT + "fit(Lit(lr=1e25), max_epochs=4, callbacks=[EarlyStopping('train_loss', check_finite=True, patience=9)])\nprint('fit is over')", "E1", "nan_loss", "non_finite", "lit17.py", status=0),
    Either(LIGHT + "fit(Lit(), resume='runs/v3/epoch=7.ckpt')", "E2", "file_not_found", "no_valid_checkpoint", "lit17.py", args=("--resume", "runs/v3/epoch=7.ckpt")),
    Either(LIGHT + "fit(Lit(), max_epochs=3).save_checkpoint('a.ckpt')\nprint('second stage from a.ckpt')\nfit(Lit(width=48), resume='a.ckpt', max_epochs=6)", "E2", "runtime_error", "size_mismatch", "lit17.py"),
    Either(WALK + "PPO('MlpPolicy', Walk(), n_steps=64, verbose=1, seed=2, device='cpu').learn(1600)\nprint('policy learned')", "G1", script="ppo_walk.py"),
    Either(RL.replace("{step}", "Walk.seen = getattr(Walk, 'seen', 0) + 1\n        if Walk.seen == 900:\n            raise IndexError(f'tile {int(self.place * 20)} is outside of the map')") + "PPO('MlpPolicy', Walk(), n_steps=64, verbose=1, seed=2, device='cpu', learning_rate=0.01).learn(30000)", "A3", "traceback", script="ppo_walk.py"),
    Either(WALK + "A2C('MlpPolicy', Walk(), verbose=1, tensorboard_log='/usr/local/tb', device='cpu').learn(900)", "A1", "permission", "env", "a2c_walk.py", tasks=1),
    Either(WALK + "print('loading dqn_walk.zip')\nDQN.load('dqn_walk', env=Walk()).learn(900, reset_num_timesteps=False)", "E2", "file_not_found", "no_valid_checkpoint", "dqn_walk.py", args=("--resume", "dqn_walk")),
    Either(tagger(early="from fairscale.optim import Adafactor\noptim = Adafactor(params)"), "A1", "missing_module", "env", "tagger.py"),
    Either(tagger(mid="if update == 101:\n    teacher = torch.load('teacher/best.th')"), "A3", "file_not_found", script="tagger.py"),
    Either(tagger(mid="if update == 90:\n    import ctypes\n    (ctypes.c_char * 8).from_address(40)[0] = b'x'", seed=4), "A2", "segfault", script="tagger.py", status=-11),
    Either(tagger(mid="if update == 77:\n    keep = torch.empty(10**13)", seed=8), "A3", "ram_oom", script="tagger.py", tasks=1),
    Either(tagger(total=2, every=1), "E3", script="tagger.py", tasks=2),
    Either(tagger(late="torch.save(emb.state_dict(), 'emb.pt')\nsys.stderr.write('Exception ignored in: <generator object rows at 0x7f01>\\nRuntimeError: generator ignored GeneratorExit\\n')", seed=12), "G1", script="tagger.py", hard=True),
    Either(ring(late="print(f'rank {me} leaves')"), "G1", script="ring.py", launch=LAUNCH, hard=True),
    Either(ring(early="lexicon = open(f'lexicon.{me}.txt').read()"), "A1", "file_not_found", "data", "ring.py", launch=LAUNCH, failed=(0, 1), first=()),
    Either(ring(mid="if it == 70:\n    assert size % 2 == 0, f'{size} replicas do not pair up'"), "A3", "assertion", script="ring.py", launch=ELASTIC, failed=(0, 1, 2), first=()),
    Either(ring(early="import apex.parallel"), "A1", "missing_module", "env", "ring.py", launch=ELASTIC, failed=(0, 1, 2), first=()),
    Either(ring(mid="if it == 55:\n    import ctypes\n    ctypes.memset(16, 1, 64)"), "A2", "segfault", script="ring.py", launch=LAUNCH, failed=(0, 1), first=()),
    Either(ring(mid="if it == 61:\n    budget = 800 // (it - 61)"), "A3", "div_zero", script="ring.py", launch=LAUNCH, failed=(0, 1), first=()),
)  # fmt: skip
RECIPE = Recipe("elder_torch", "development", lambda: either_jobs(SCRIPTS, "torch-112"))
