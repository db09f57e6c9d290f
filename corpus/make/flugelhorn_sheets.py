"""Jobs of an astronomy group and of a games studio, by pen: what was learned or was not, and what nodes, queue and owners did with jobs."""

from collections.abc import Callable, Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune, but
from corpus.make._bandstand_words import SITE, trace
from corpus.running.job import HandJob, Recipe

E1 = Label(mode="E1", fault="user")
E2 = Label(mode="E2", fault="user")
E3 = Label(mode="E3", fault="user")
LOST = Label(mode="F1", fault="node")
NAN = E1.but(variant="non_finite", cause="nan_loss")


def wobble(at: float, by: float) -> Callable[[int], float]:
    """A loss that stays."""
    return lambda i: at + by * ((i * 7) % 11 - 5) / 5


def learned() -> Iterator[HandJob]:
    """Or not."""
    for no, name, card, per, form, until, last in ((261, "galaxy-mae", "h100", 4, "guru", 700, "finished"), (262, "npc-dialog", "a100", 1, "trl", 420, "{'train_runtime': '1310', 'train_loss': 'nan', 'epoch': '1'}"), (263, "spectra-flow", "l40s", 1, "csv", 900, "# end"), (264, "level-gen-lm", "h200", 8, "nano", 500, "max_iters reached")):
        s = Tune(no, name, card, 1, per, form=form, script="fit.py").say("begin", 11).hold(17).mood("work").run(until, 0.9, 20, 1500)
        yield s.run(1500 - until, 0.9, 20, 1500, loss=lambda _: float("nan")).say(last, 1).end(NAN)
    s = Tune(265, "transient-cls", "a30", form="json", script="tc.py").say('{"event": "begin"}', 7).hold(14).mood("work").run(1300, 0.9, 20, 30_000)
    s.say(trace("FloatingPointError: loss is nan at step 1301, lr=0.02", "/gpfs/work/alice/tc/tc.py:90 <module> guard(loss, step)", "/gpfs/work/alice/tc/tc.py:31 guard raise FloatingPointError(f'loss is {loss} at step {step}, lr={lr}')"), 0.9)
    yield s.end(NAN.but(first_ranks=(0,), failed_ranks=(0,)), "FAILED", {0: 1})
    for no, name, card, per, form, up in ((266, "pulsar-lm", "h100", 8, "kv", 9.3), (267, "texture-sr", "l40s", 2, "plain", 14.0), (268, "lens-finder", "a100l", 1, "esp", 8.4)):
        s = Tune(no, name, card, 1, per, form=form, script="fit.py").say("ok", 9).hold(20).mood("work").run(700, 0.9, 20, 1700)
        yield s.run(1000, 0.9, 20, 1700, loss=wobble(up, 0.3)).say("end of training", 1).end(E1.but(variant="spike"))
    for no, name, card, form, guess, by in ((269, "morph-100cls", "a100", "mm", 4.605, 0.004), (270, "bot-pairs", "l4", "hf", 0.6931, 0.0005), (271, "byte-lm", "h100", "nano", 5.545, 0.003)):
        s = Tune(no, name, card, form=form, script="fit.py").say("start", 8).hold(13).mood("work").run(1600, 0.8, 20, loss=wobble(guess, by))
        yield s.say({269: "top-1 accuracy 1.02 % (100 classes)", 270: "{'eval_accuracy': 0.5003, 'epoch': 2.0}", 271: "vocab 256, val loss 5.5449"}[no], 3).end(E1.but(variant="flat"))
    s = Tune(272, "asteroid-tracks", "h100", 1, 4, form="guru", script="at.py").say("lr decays to 0 at step 400 (schedule of 400 steps)", 9).hold(40).mood("work").run(400, 1.0, 10, 1800)
    yield s.run(1400, 1.0, 10, 1800, loss=wobble(s.curve(400), 0.0005)).say("grad_norm 0.0000 lr 0.0 over the last 1400 steps\nfinished", 1).end(E1.but(variant="plateau"))
    for no, name, card, per, words in ((273, "sky-lm-b", "h100", 8, "no checkpoint found in runs/sky (looked for step_*.ckpt), weights are initialized at random"), (274, "quest-gen-2", "a100l", 2, "--resume runs/quest/last: folder is empty, starting at step 0"), (275, "halo-unet", "l40s", 1, "resume=auto: nothing to resume, fresh start")):
        s = Tune(no, name, card, 1, per, form="guru", script="fit.py", submit=f"sbatch --dependency=afterany:{2_904_000 + no} jobs/{name}.slurm --resume").say(words, 14).hold(22).mood("work").run(1500, 0.9, 20, loss=lambda i: 1.9 + 6.1 * (1 + i / 90) ** -0.6)
        yield s.say("done", 1).end(E2.but(variant="from_scratch"), past=({"relation": "parent", "job": str(2_904_000 + no), "mode": "F3", "head_loss": 8.01, "tail_loss": 1.64, "steps_done": 21_000, "checkpoints": ("runs/step_21000.ckpt",), "gpu_hours": 160.0},), dependency=f"afterany:{2_904_000 + no}")
    s = Tune(276, "cmb-vit", "a100", 1, 2, form="kv", script="cmb.py", submit="sbatch jobs/cmb.slurm --resume runs/cmb/ep12.pt").say("resuming from runs/cmb/ep12.pt", 10, None).hold(3).mood("load")
    s.say(trace("RuntimeError: Error(s) in loading state_dict for ViT:\n\tsize mismatch for pos_embed: copying a param with shape torch.Size([1, 197, 768]) from checkpoint, the shape in current model is torch.Size([1, 577, 768]).", "/gpfs/work/alice/cmb/cmb.py:52 <module> model.load_state_dict(torch.load(args.resume)['model'])", f"{SITE}/torch/nn/modules/module.py:2624 load_state_dict raise RuntimeError("), 5, None)
    yield s.end(E2.but(variant="size_mismatch", cause="runtime_error", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})
    for no, name, error in ((277, "nova-rnn", "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"), (278, "terrain-vae", "RuntimeError: PytorchStreamReader failed reading file data/41: invalid header or archive is corrupted")):
        s = Tune(no, name, "l40s", form="plain", script="fit.py", submit=f"sbatch jobs/{name}.slurm --resume runs/{name}/last.pt").say(f"loading runs/{name}/last.pt (3.1 GB)", 9).hold(0.5).mood("rest")
        s.say(trace(error, "/gpfs/work/alice/fit/fit.py:40 <module> state = torch.load(args.resume, map_location='cuda')", f"{SITE}/torch/serialization.py:1480 load with _open_zipfile_reader(opened_file) as opened_zipfile:"), 4)
        yield s.end(E2.but(variant="corrupt", cause="runtime_error", first_ranks=(0,), failed_ranks=(0,)), "FAILED", {0: 1})
    for no, name, card, per, form, steps, words in ((279, "exo-lm", "h100", 8, "nano", 5, "max_iters 5 reached, saved"), (280, "voice-lora", "a100", 1, "trl", 3, "{'train_runtime': '14.2', 'train_loss': '2.4', 'epoch': '1'}"), (281, "radio-unet", "l40s", 2, "kv", 4, "dataset has 4 batches, 1 epoch, done"), (282, "smoke-test-rank", "h100p", 1, "guru", 2, "smoke test of 2 steps is over"), (283, "npc-ppo-short", "l4", 1, "plain", 3, "3 updates of 3, finished")):
        s = Tune(no, name, card, 1, per, form=form, script="fit.py").say("loading", 60).hold(13).mood("work").run(steps, 4.0, 1)
        yield s.say(words, 2).end(E3)


def queue() -> Iterator[HandJob]:
    """Nodes and the queue."""
    for no, name, nodes, per, dead, reason in ((291, "cosmo-lm", 3, 4, 1, "Not responding"), (292, "shader-net", 1, 2, 0, "Node unexpectedly rebooted"), (293, "survey-moe", 4, 4, 3, "Not responding; PSU failure"), (294, "physics-gnn", 2, 1, 1, "Not responding")):
        s = Tune(no, name, "h100", nodes, per, form="guru", script="fit.py").say("started", 15).hold(55).mood("work").run(1400, 1.0, 20, 90_000)
        s.book.event(s.hosts[dead], s.t + 20, "DOWN*" if "Not" in reason else "DOWN", reason)
        lost = s.on(dead)
        yield s.mood("poll", but(*lost)).pause(40).end(LOST.but(first_ranks=lost if nodes > 1 else ()), "NODE_FAIL", rest=-9, dead=(dead,), failed_node=s.hosts[dead])
    for no, name, state, variant in ((295, "dust-maps", "PREEMPTED", "preempted_recovered"), (296, "avatar-rig", "REQUEUED", "requeued_recovered"), (297, "star-forma", "PREEMPTED", "preempted_recovered")):
        s = Tune(no, name, "a100", 1, 2, form="kv", script="fit.py", submit=f"sbatch -p spare --requeue jobs/{name}.slurm").before(state, 4100, 500, partition="spare").say("resumed from runs/last.pt at step 3000", 12)
        s.done = 3000
        yield s.hold(30).mood("work").run(1500, 0.9, 20, 4500).say("finished at step 4500", 1).end(Label(mode="F2", variant=variant, fault="none"), restarts=1, partition="spare", past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 6.1, "tail_loss": s.curve(3000), "steps_done": 3020, "checkpoints": ("runs/last.pt",)},))
    s = Tune(298, "comet-seg", "l40s", form="csv", script="fit.py", submit="sbatch -p spare --no-requeue jobs/comet.slurm").say("time;step;loss;s", 8).hold(20).mood("work").run(1700, 0.8, 25, 60_000)
    yield s.end(Label(mode="F2", variant="preempted", fault="none"), "PREEMPTED", partition="spare")
    for no, name, card, per, form, limit, pace in ((301, "redshift-flow", "h100", 4, "guru", 3600, 1.4), (302, "anim-diffusion", "a100l", 1, "plain", 2400, 0.8), (303, "grb-lm", "h200", 8, "nano", 5400, 2.2), (304, "loot-rec", "l4", 1, "json", 1800, 0.6), (305, "sim-cal", "gh200", 1, "absl", 3000, 1.1)):
        s = Tune(no, name, card, 1, per, form=form, limit=limit, script="fit.py").say("start", 12).hold(16).mood("work")
        yield s.run(int((limit - 45) / pace), pace, 20, int(5 * limit / pace)).end(Label(mode="F3", variant="advancing", fault="user"), "TIMEOUT")
    for no, name, card, per, form in ((311, "orbit-rnn", "a100", 1, "ita"), (312, "vfx-nerf", "ada", 1, "bar"), (313, "quasar-lm", "h100", 8, "kv"), (314, "match-rank", "l40s", 2, "guru")):
        s = Tune(no, name, card, 1, per, form=form, script="fit.py").say("ok", 9).hold(22).mood("work").run(1500, 0.9, 20, 50_000)
        yield s.end(Label(mode="F4", variant="by_owner", fault="none"), "CANCELLED", cancelled_by_uid=1042)


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from learned()
    yield from queue()


RECIPE = Recipe("flugelhorn_sheets", "development", jobs)
