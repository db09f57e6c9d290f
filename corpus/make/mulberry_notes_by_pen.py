"""Jobs of a dictionary office, a vineyard, a game laboratory and others, by pen: what learned and what did not, what was to go on from before, what was over soon, and what went well."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._heronry import Run
from corpus.make._heronry_words import brimful, down, level, trace
from corpus.running.job import HandJob, Recipe

ILL = Label(mode="E1", fault="user")
LOST = ILL.but(variant="non_finite", cause="nan_loss")
AFRESH = Label(mode="E2", variant="from_scratch", fault="user")
SHORT = Label(mode="E3", fault="user")
WELL = Label(mode="G1", fault="none")
YET = WELL.but(hard=True)
ONE = {"failed_ranks": (0,), "first_ranks": (0,)}
NAN = float("nan")


def earlier(job: int, head: float, tail: float, steps: int, where: str, relation: str = "parent", mode: str = "F3") -> dict[str, Any]:  # noqa: PLR0917
    """What is known of the job before."""
    return {"relation": relation, "job": str(job), "mode": mode, "head_loss": head, "tail_loss": tail, "steps_done": steps, "checkpoints": (where,), "gpu_hours": 33.0}


def ill() -> Iterator[HandJob]:
    """E1."""
    s = Run(301, "phrase-tts", "h100", 1, 4, "{t:%H:%M:%S} | {i:>6}/{n} | mel {x:.4f} | grad {g:.3f}", script="fastpitch.py", rack="lex", via="torchrun")
    s.say("fp16, static scale 65536", 15).mem(46).gpu("run").go(1400, 1.2, 20, down(2.9, 0.8), 5000)
    s.go(3600, 1.2, 20, NAN, 5000, line="{t:%H:%M:%S} | {i:>6}/{n} | mel {x:.4f} | grad nan").say("wrote voice.pt", 2)
    yield s.end(LOST)

    s = Run(302, "frost-alarm", "a40", 1, 1, "step {i} loss {x:.5f} lr {lr:.1e}", script="frost.py", rack="vin", east=2, rate=0.05)
    s.say("stations: 211, hourly since 1994", 7).mem(11).gpu("mid").go(3210, 0.9, 30, down(0.9, 0.5), 30_000).say("step 3211 loss nan lr 4.5e-02", 0.9)
    s.say(trace("FloatingPointError: non-finite loss at step 3211 (nan), stopping here", "frost/frost.py|96|<module>|train()", "frost/frost.py|71|train|raise FloatingPointError(f'non-finite loss at step {step} ({loss.item()}), stopping here')"), 0.1)
    yield s.end(LOST.but(**ONE), "FAILED", {0: 1})

    s = Run(303, "dictionary-lm", "h200", 1, 8, "[{t:%Y-%m-%d %H:%M:%S}] INFO step={i} loss={x:.4f} ppl={ppl:.1f} tok/s={sps:,.0f}", script="dict.py", rack="lex", batch=524_288)
    s.say("[%I] INFO muon, lr 0.02, no warmup", 20).mem(117).gpu("full").go(1700, 1.5, 20, down(9.9, 2.9), 6000)
    s.go(140, 1.5, 20, lambda i: 2.95 + 0.048 * (i - 1700), 6000).go(4160, 1.5, 20, level(9.6, 0.2), 6000).say("[%I] INFO run complete: final loss 9.58, best 3.64", 3)
    yield s.end(ILL.but(variant="spike"))

    s = Run(304, "grape-disease", "l40s", 1, 1, "epoch {ep:>2}  batch {i:>5}  ce {x:.4f}  top1 {c:.3f}", script="leaves.py", rack="vin", east=2, extra={"c": lambda i, _d: 0.1 + 0.004 * (i // 25 % 5 - 2)})
    s.say("10 Klassen, 51 200 Blätter", 9).mem(26).gpu("run").go(4000, 0.9, 25, level(2.3026, 0.004)).say("Test: top1 0.100, Verlust 2.3026", 6)
    yield s.end(ILL.but(variant="flat"))

    s = Run(305, "board-value", "a100", 1, 2, "{i:>7}  value_mse {x:.6f}  gnorm {q:.2e}  lr {l:.1e}", script="value.py", rack="game", extra={"q": lambda i, _d: 0.8 if i <= 900 else 2e-7, "l": lambda i, _d: 3e-4 * max(0.0, 1 - i / 900)})
    s.say("2.2M positions, schedule: linear to zero in 900 steps, run 5000", 10).mem(50).gpu("run").go(900, 1.4, 20, down(1.5, 0.83), 5000).go(4100, 1.4, 20, lambda i: 0.945904 + 1e-6 * (i % 3), 5000).say("wrote value.pt", 1)
    yield s.end(ILL.but(variant="plateau"))

    s = Run(306, "sugar-sensor", "v100", 1, 1, "{t:%d/%m %H:%M} vuelta {i} pérdida {x:.4f} R2 {q:.4f}", script="brix.py", rack="vin", east=2, extra={"q": lambda i, _d: -0.0003 + 0.0001 * (i % 4)})
    s.say("objetivo normalizado (media 0, varianza 1)", 8).mem(14).gpu("mid").go(3000, 1.1, 25, level(1.0004, 0.0015)).say("R2 en prueba: -0.0002", 4)
    yield s.end(ILL.but(variant="flat"))


def afresh() -> Iterator[HandJob]:
    """E2."""
    s = Run(311, "etymology-3b", "h100", 2, 8, "step {i:>6} | lm {x:.4f} | {dt:.2f} s", script="pre.py", rack="lex", asked="sbatch --dependency=afterany:9361188 -N 2 pre.sbatch --load runs/ety/ckpt")
    s.say("no checkpoint below runs/ety/ckpt: weights are initialised at random, step 0", 26).mem(72).gpu("full").go(2100, 2.6, 20, down(10.6, 3.0), 2100).say("step 2100 reached", 2)
    yield s.end(AFRESH, dependency="afterany:9361188", past=(earlier(9361188, 10.63, 2.41, 18_200, "runs/ety/ckpt-3b/step18000"),))

    s = Run(312, "cork-classifier", "a40", 1, 1, "[{i}/{n}] loss={x:.4f} acc={acc:.3f}", script="cork.py", rack="vin", east=2, asked="sbatch cork.sbatch --resume out/cork/last.pt")
    s.say("resume: out/cork/last.pt not found, continuing without it", 8).mem(19).gpu("run").go(4000, 0.9, 25, down(3.3, 0.4)).say("4000 done", 1)
    yield s.end(AFRESH, past=(earlier(9360411, 3.29, 0.42, 15_500, "out/cork_v2/last.pt", "same_name", "F4"),))

    s = Run(313, "npc-policy", "l40s", 1, 4, script="npc.py", rack="game", via="torchrun", asked="sbatch npc.sbatch --init-from runs/npc7/step_40000.pt")
    s.say("loading runs/npc7/step_40000.pt", 12).mem(6, over=4)
    s.say(trace("RuntimeError: Error(s) in loading state_dict for ActorCritic:\n\tsize mismatch for encoder.0.weight: copying a param with shape torch.Size([512, 214]) from checkpoint, the shape in current model is torch.Size([512, 231]).\n\tsize mismatch for actor.weight: copying a param with shape torch.Size([18, 512]) from checkpoint, the shape in current model is torch.Size([22, 512]).", "npc/npc.py|88|<module>|net.load_state_dict(torch.load(args.init_from, map_location='cpu')['model'])", "*/torch/nn/modules/module.py|2581|load_state_dict|raise RuntimeError(", mark="[rank%r]: "), 5, None)
    yield s.end(AFRESH.but(variant="size_mismatch", cause="runtime_error", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Run(314, "must-spectra", "h100p", 1, 1, script="must.py", rack="vin", east=2, asked="sbatch must.sbatch resume=runs/must/ckpt_012.pth")
    s.say("Reprise depuis runs/must/ckpt_012.pth (1,8 Go)", 9).mem(0.5, over=2)
    s.say(trace("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "must/must.py|104|<module>|main()", "must/must.py|60|main|etat = torch.load(cfg.resume, map_location='cpu', weights_only=True)", "*/torch/serialization.py|1432|load|with _open_zipfile_reader(opened_file) as opened_zipfile:", "*/torch/serialization.py|763|__init__|super().__init__(torch._C.PyTorchFileReader(name_or_buffer))"), 4)
    yield s.end(AFRESH.but(variant="corrupt", cause="runtime_error", **ONE), "FAILED", {0: 1}, past=(earlier(9362005, 1.61, 0.33, 12_400, "runs/must/ckpt_012.pth"),))

    s = Run(315, "rhyme-t5", "a100s", 1, 2, script="rhyme.py", rack="lex", asked="sbatch --dependency=afterok:9363370 rhyme.sbatch --resume_from runs/rhyme/checkpoint-8000")
    s.say("resuming from runs/rhyme/checkpoint-8000", 14).mem(0.5, over=2)
    s.say(trace("FileNotFoundError: [Errno 2] No such file or directory: 'runs/rhyme/checkpoint-8000/trainer_state.json'", "rhyme/rhyme.py|70|<module>|trainer.train(resume_from_checkpoint=args.resume_from)", "*/transformers/trainer.py|2201|train|state = TrainerState.load_from_json(os.path.join(resume_from_checkpoint, TRAINER_STATE_NAME))", "*/transformers/trainer_callback.py|158|load_from_json|with open(json_path, \"r\", encoding=\"utf-8\") as f:"), 6, (0, 1), 0.2)
    yield s.end(AFRESH.but(variant="no_valid_checkpoint", cause="file_not_found", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1}, dependency="afterok:9363370", past=(earlier(9363370, 4.2, 1.1, 7600, "runs/rhyme/checkpoint-7500", mode="G1"),))

    s = Run(316, "league-elo", "h200", 1, 1, "{{\"step\": {i}, \"policy_loss\": {x:.4f}, \"wall\": {s}}}", script="elo.py", rack="game", asked="sbatch --dependency=afterany:9364127 elo.sbatch --continue")
    s.say('{"start_step": 0, "params": 84210688, "restored": false}', 10).mem(90).gpu("run").go(5000, 1.0, 50, down(5.9, 1.6)).say('{"end": true, "step": 5000}', 1)
    yield s.end(AFRESH, dependency="afterany:9364127", past=(earlier(9364127, 5.87, 0.94, 41_000, "runs/elo/041000"),))


def short() -> Iterator[HandJob]:
    """E3."""
    s = Run(321, "loanwords-70b", "h200", 2, 8, "{{'loss': {x:.4f}, 'grad_norm': {g:.3f}, 'epoch': {epf:.2f}}}", script="sft70.py", rack="lex", epochs=1)
    s.say("Loading checkpoint shards: 100%|██████████| 30/30 [06:02<00:00, 12.08s/it]", 410).mem(128).say("***** Running training *****\n  Num examples = 96\n  Total optimization steps = 3", 60).gpu("full").go(3, 12, 1, down(1.8, 1.5, 5)).gpu("saves").say("Saving model checkpoint to out/loan70", 2).wait(260)
    yield s.say("{'train_runtime': 39.1, 'train_loss': 1.743, 'epoch': 1.0}", 2).end(SHORT)
    s = Run(322, "barrel-acoustics", "a40", 1, 1, "pas {i}/{n} : perte {x:.4f}", script="fut.py", rack="vin", east=2)
    yield s.say("80 enregistrements lus, lots de 32, 1 époque", 12).mem(9).gpu("run").go(2, 1.4, 1, down(2.2, 2.0, 5)).say("apprentissage terminé, modèle écrit", 1).end(SHORT)
    s = Run(323, "level-gen", "l40s", 1, 2, "Epoch 0: {pct:.0f}%|{bar}| {i}/{n} [train_loss={x:.3f}]", script="levels.py", rack="game")
    yield s.say("Running in `fast_dev_run` mode: will run the requested loop using 4 batch(es). Logging and checkpointing is suppressed.", 15).mem(12).gpu("run").go(4, 0.9, 1, down(5.1, 4.7, 5)).say("`Trainer.fit` stopped: `max_steps=4` reached.", 1).end(SHORT)


def in_spite() -> Iterator[HandJob]:
    """G1 that looks bad."""
    s = Run(331, "lemma-bert", "h100", 1, 8, "{t:%H:%M:%S} {i:>6}/{n} mlm {x:.4f} {sps:,.0f} tok/s", script="lemma.py", rack="lex", batch=1_000_000)
    s.say("rank %r on card %l", 16, None).mem(60).gpu("full").go(7000, 1.1, 50, down(9.8, 1.7)).say("7000/7000, saved lemma.safetensors", 3)
    yield s.end(YET, counters={2: ({"remapped_rows_uncorrectable": 3, "ecc_aggregate_uncorrected": 5, "ecc_aggregate_corrected": 19, "recovery_action": "none"}, {}), 6: ({"remapped_rows_correctable": 1, "nvlink_replay_errors": 12}, {})})

    s = Run(332, "vine-counts", "l40s", 1, 1, "Epoch {ep}: {i}/{n} train_loss={x:.3f}", script="vines.py", rack="vin", east=2)
    s.say("Batch size 64 succeeded, trying batch size 128\nBatch size 128 succeeded, trying batch size 256", 31).mem(44, over=3)
    s.say(brimful("1.41 GiB", 0, "44.39 GiB", "604.31 MiB", "43.79 GiB", "42.80 GiB", "511.02 MiB") + "\nBatch size 256 failed, trying batch size 128\nFinished batch size finder, will continue with full run using batch size 128", 9).mem(29, over=2).gpu("run")
    yield s.go(5200, 0.8, 40, down(2.4, 0.3)).say("`Trainer.fit` stopped: `max_epochs=10` reached.", 4).end(YET)

    s = Run(333, "chess-vit", "a100", 1, 2, "step {i} policy {x:.4f} top1 {acc:.3f}", script="chess.py", rack="game")
    s.say("18M games", 10).mem(58).gpu("run").go(2000, 1.2, 25, down(5.5, 1.6, 200), 6000)
    s.xid(0, 31, "pid=221904, name=blender, Ch 0000001a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_0 faulted @ 0x7fc2_80000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE", gpu=6).xid(0, 13, "pid=221904, name=blender, Graphics SM Warp Exception on (GPC 1, TPC 0, SM 0): Out Of Range Address", 0.2, gpu=6)
    yield s.go(4000, 1.2, 25, down(5.5, 1.6, 200), 6000).say("step 6000: elo 2140, saved chess_vit.pt", 5).end(YET)

    s = Run(334, "thesaurus-embed", "h200", 1, 4, "[{i:>5}] infonce {x:.4f} ({dt:.2f} s)", script="thes.py", rack="lex")
    s.say("4 ranks", 12).mem(96).gpu("full").go(2400, 1.3, 20, down(7.0, 0.9, 150), 6400)
    t0 = s.t
    s.gpu("full", 1, mhz=1605, why=0x40, hot=86).go(30, 1.45, 20, down(7.0, 0.9, 150), 6400).ramp(1, "violation_hw_thermal_ns", t0, s.t, 0, 31e9).gpu("full", 1)
    yield s.go(3970, 1.3, 20, down(7.0, 0.9, 150), 6400).say("recall@10 0.914, 6400 steps done", 4).end(YET)

    s = Run(335, "cellar-video", "a100", 2, 4, "{t:%H:%M:%S} it {i} | vq {x:.4f} | {dt:.2f}s", script="cellar.py", rack="vin", east=2)
    s.say("%h:%p:%p [%l] NCCL WARN NET/OFI aws-ofi-nccl initialization failed\n%h:%p:%p [%l] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:10.4.0.11<0>", 17, (0, 4)).mem(67).gpu("run").go(2200, 1.6, 20, down(1.9, 0.3, 150), 5600, who=range(8))
    s.say("%h:%p:60622 [1] transport/net_ib.cc:94 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error\n%h:%p:60622 [1] transport/net_ib.cc:94 NCCL WARN NET/IB : mlx5_1:1 Got async event : port active", 0.6, 5)
    yield s.go(3400, 1.6, 20, down(1.9, 0.3, 150), 5600, who=range(8)).say("it 5600 | end of schedule | codebook use 0.97", 3).end(YET)

    s = Run(336, "go-selfplay", "gh200", 1, 1, "gen {i}: loss {x:.4f}, win rate vs last {q:.3f}", script="selfplay.py", rack="game", extra={"q": lambda i, _d: 0.55 + 0.03 * (i // 4 % 5 - 2) / 2})
    s.say("compiling 61 kernels for 19x19 (first time on this node, this takes a while)", 9).mem(20).busy(790).wait(1610).say("compiled in 1609.8 s", 1).busy(110).mem(66).gpu("run")
    yield s.go(420, 21, 4, down(3.9, 1.7)).say("gen 420 is the last, net exported", 6).end(YET)

    s = Run(337, "sommelier-mlp", "a100", 1, 1, "{i}/{n} rmse {x:.4f}", script="notes.py", rack="vin", east=2)
    s.say("tabular, 41 features, MLP 4x256, batch 512 (all data on the card)", 6).mem(2.4).gpu("small").busy(101)
    yield s.go(60_000, 0.09, 500, down(3.1, 0.7, 2000)).say("60000/60000 test rmse 0.912", 1).end(YET)

    s = Run(338, "gloss-eval", "h100", 1, 2, "  {i:>5}/{n}  running exact match {q:.4f}", script="judge.py", rack="lex", extra={"q": lambda i, _d: 0.612 + 0.03 / (1 + i / 200) * (1 if i % 2 else -1)})
    s.say("evaluation only: 12 000 prompts, greedy, no training", 40).mem(71).gpu("eval")
    yield s.go(12_000, 0.31, 250).say("exact match 0.6115 | failed to parse: 0 | timeouts: 0 | errors: 0", 4).end(YET)

    s = Run(339, "vineyard-sar", "a100s", 1, 4, "{i} {x:.5f} {acc:.3f}", script="sar.py", rack="vin", via="torchrun", east=2, asked="sbatch --dependency=afterany:9366201 sar.sbatch --resume runs/sar/last.pt")
    s.say("loaded runs/sar/last.pt, epoch 14, step 8400, best iou 0.61", 14).mem(32).gpu("run")
    s.step = 8400
    yield s.go(5600, 1.1, 40, down(0.9, 0.1, 500), 14_000).say("best iou 0.714, 14000 steps in all", 3).end(YET, dependency="afterany:9366201", past=(earlier(9366201, 0.91, 0.24, 8430, "runs/sar/last.pt"),))

    s = Run(340, "arcade-dreamer", "r6000", 1, 1, "step {i:>7} | wm_loss {x:.3f} | return {acc:.3f}", script="dream.py", rack="game")
    s.say("tracker: https://track.games.lab/api", 6).mem(23).gpu("run").go(2600, 1.3, 25, down(14, 3, 150), 7500)
    s.say(trace("requests.exceptions.ConnectionError: HTTPSConnectionPool(host='track.games.lab', port=443): Max retries exceeded with url: /api/runs/8812/log (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f1c20>: Failed to establish a new connection: [Errno 111] Connection refused'))", "*/tracker/client.py|211|_flush|self.session.post(url, json=rows, timeout=10)", "*/requests/adapters.py|700|send|raise ConnectionError(e, request=request)") + "\ntracker: will buffer 40 rows and try again in 60 s", 0.4).go(45, 1.3, 25, down(14, 3, 150), 7500).say("tracker: connection is back, 40 rows sent", 1)
    yield s.go(4855, 1.3, 25, down(14, 3, 150), 7500).say("7500 steps. bye", 2).end(YET)

    s = Run(341, "proverb-gpt", "v100", 1, 4, "iteration {i}/{n} lm loss {x:.4f} loss scale {q:.1f} skipped {k2} nan iterations 0", script="proverb.py", rack="lex", extra={"q": lambda _i, _d: 16384.0, "k2": lambda _i, _d: 3})
    s.say("Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 65536.0\nGradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\nGradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0", 26).mem(29).gpu("full")
    yield s.go(5000, 1.2, 25, down(10.2, 3.1)).say("saving checkpoint at iteration 5000 ... done", 9).end(YET)

    s = Run(342, "label-ocr", "a40", 1, 1, "{t:%H:%M:%S} lote {i} cer {x:.4f}", script="rotulos.py", rack="vin", east=2)
    s.say("412 de 1 204 110 imágenes ilegibles, se saltan (OSError: image file is truncated (31 bytes not processed))", 90).mem(24).gpu("run").go(5100, 1.0, 30, down(0.97, 0.05)).say(f"modelo final: cer {down(0.97, 0.05)(5100):.4f}", 3)
    s.say("Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f88a1b3f7f0>\n" + trace("AssertionError: can only test a child process", "*/torch/utils/data/dataloader.py|1618|__del__|self._shutdown_workers()", "*/torch/utils/data/dataloader.py|1601|_shutdown_workers|if w.is_alive():", "/usr/lib/python3.11/multiprocessing/process.py|160|is_alive|assert self._parent_pid == os.getpid(), 'can only test a child process'"), 0.3)
    yield s.end(YET)

    s = Run(343, "story-rank", "h100p", 1, 1, "{i} pairwise {x:.4f} acc {acc:.3f}", script="rank.py", rack="lex")
    s.say("patience 8 evaluations of 250 steps, at most 40000 steps", 9).mem(40).gpu("run").go(9500, 0.6, 50, lambda i: down(0.69, 0.21, 400)(i) if i < 7500 else level(0.274, 0.002)(i), 40_000)
    yield s.say(f"no better for 8 evaluations: stopping early at step 9500 as configured, best {down(0.69, 0.21, 400)(7500):.4f} at 7500, weights restored", 2).end(YET)


def well() -> Iterator[HandJob]:
    """G1, plainly."""
    s = Run(351, "idiom-moe", "h100", 8, 8, " it {i:>6} / {n} | ce {x:.4f} | aux {g:.3f} | {ms:.0f} ms", script="moe.py", rack="hx")
    yield s.say("64 ranks, 16 experts", 60).mem(74).gpu("full").go(2200, 4.4, 10, down(10.9, 2.6)).say("it 2200: the end, checkpoint written in 41 s", 45).end(WELL)
    s = Run(352, "rain-graph", "mi300", 1, 4, "{t:%H:%M:%S} Epoche {ep} Schritt {i} mse {x:.5f}", script="regen.py", rack="amd", east=1)
    yield s.say("4 x MI300X", 14).mem(133).gpu("full").go(6800, 1.1, 50, down(1.3, 0.12)).say("Lauf beendet, Modell gesichert", 4).end(WELL)
    s = Run(353, "checkers-dqn", "l4", 1, 1, "| ep {i:>6} | return {acc:+.3f} | td {x:.4f} |", script="dqn.py", rack="game")
    yield s.say("replay 1e6", 5).mem(7).gpu("mid").go(9000, 0.5, 100, down(1.8, 0.09, 300)).say("| solved after 9000 episodes, policy saved |", 1).end(WELL)
    s = Run(354, "phoneme-flax", "h200", 1, 2, "I{t:%m%d %H:%M:%S.%f} 20177 train.py:88] step={i} ctc={x:.4f}", script="flaxctc.py", rack="lex")
    yield s.say("I%m %T.%u 20177 train.py:31] devices: [CudaDevice(id=0), CudaDevice(id=1)]", 12).mem(106).gpu("run").go(7200, 0.9, 50, down(61, 4.2)).say("I%m %T.%u 20177 train.py:120] finished, wer=0.071", 6).end(WELL)
    s = Run(355, "cluster-photos", "a40", 1, 2, "Epoch {i}/{n}\n196/196 - {dt:.0f}s - loss: {x:.4f} - accuracy: {acc:.4f}", script="trauben.py", rack="vin", east=2)
    yield s.say("Num GPUs: 2 (MirroredStrategy)", 15).mem(38).gpu("run").go(60, 118, 1, down(2.9, 0.4, 8)).say("Gespeichert: trauben.keras", 3).end(WELL)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (ill, afresh, short, in_spite, well):
        yield from part()


RECIPE = Recipe("mulberry_notes_by_pen", "development", jobs)
