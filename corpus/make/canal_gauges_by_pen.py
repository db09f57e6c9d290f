"""Jobs that a university's cluster lost, moved, stopped or never got started, written by hand: launchers' refusals, kills, plain mistakes, nodes, limits, people; and what looked so and was not."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._atlas_lines import fell
from corpus.make._herbarium import Sheet, but
from corpus.make._herbarium_lines import LATE, SITE, agent
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

HARD = Label(mode="G1", fault="none", hard=True)
CRASH = Label(mode="A3", fault="user")
LOST = Label(mode="F1", fault="node")
CUT = (("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15))


def start(variant: str, cause: str | None, *ranks: int, failed: tuple[int, ...] = ()) -> Label:
    """A1."""
    return Label(mode="A1", variant=variant, cause=cause, fault="user", first_ranks=ranks, failed_ranks=failed or ranks)


def refused() -> Iterator[HandJob]:
    """A1."""
    s = Sheet(151, "llm-gated", "h100", 1, 1, form="hf5").cpu(30)
    s.say(fell("OSError: You are trying to access a gated repo.\nMake sure to have access to it at https://huggingface.co/lakehouse/Heron-3-8B.\n403 Client Error. (Request ID: Root=1-69360c11-2b8)\n\nCannot access gated repo for url https://huggingface.co/lakehouse/Heron-3-8B/resolve/main/config.json.\nAccess to model lakehouse/Heron-3-8B is restricted and you are not in the authorized list.", "/home/alice/ft/run.py:22 <module> model = AutoModelForCausalLM.from_pretrained(name)", f"{SITE}/transformers/utils/hub.py:560 cached_files raise OSError("), 14)
    yield s.end(start("asset", "traceback", 0), "FAILED", {0: 1})
    s = Sheet(152, "old-driver", "v100", 1, 2, form="own").say(f"{SITE}/torch/cuda/__init__.py:174: UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx\n  return torch._C._cuda_getDeviceCount() > 0", 11, None)
    s.say(fell("RuntimeError: No CUDA GPUs are available", "/home/alice/own/train.py:19 <module> model.cuda()", f"{SITE}/torch/cuda/__init__.py:372 _lazy_init torch._C._cuda_init()"), 1, None)
    yield s.end(start("env", "cuda_runtime", failed=(0, 1)), "FAILED", {0: 1, 1: 1})
    s = Sheet(153, "no-image", "b200", 1, 1, form="titan").say("[titan] - Model 8B built", 20).mem(16).say(fell("torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device" + LATE, "/home/alice/titan/train.py:140 <module> tokens = torch.arange(8192, device='cuda')"), 3)
    yield s.end(start("env", "cuda_runtime", 0), "FAILED", {0: 1})
    s = Sheet(154, "hydra-typo", "a100", 1, 4, form="light").say("Could not override 'optimizer.weigth_decay'.\nTo append to your config use +optimizer.weigth_decay=0.1\nKey 'weigth_decay' is not in struct\n    full_key: optimizer.weigth_decay\n    object_type=dict\n\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.", 9, None, 0.2)
    yield s.end(start("config", None, failed=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))
    s = Sheet(155, "lora-target", "l40s", 1, 1, form="hf").mem(14).say(fell("ValueError: Target modules {'query_key_value'} not found in the base model. Please check the target modules and try again.", "/home/alice/lora/sft.py:51 main model = get_peft_model(model, LoraConfig(r=16, target_modules=args.targets))", f"{SITE}/peft/tuners/tuners_utils.py:769 inject_adapter raise ValueError(error_msg)"), 40)
    yield s.end(start("config", "traceback", 0), "FAILED", {0: 1})
    s = Sheet(156, "world-8-of-4", "a100", 1, 4, form="own", by="torchrun").say("using 8 ranks for 4 cards", 8, 0)
    s.say(fell("torch.AcceleratorError: CUDA error: invalid device ordinal" + LATE, "/home/alice/own/train.py:25 <module> torch.cuda.set_device(int(os.environ['LOCAL_RANK']) + 4)", mark="[rank<r>]: "), 4, None, 0.2).say(agent("train.py", [(r, r, "1 (pid: <p>)") for r in range(4)]), 3)
    yield s.end(start("config", "cuda_runtime", failed=(0, 1, 2, 3)).but(first_ranks=()), "FAILED", dict.fromkeys(range(4), 1))
    s = Sheet(157, "dup-gpu", "h100", 2, 4, form="own").say("[rank<r>]: using device cuda:0", 15, None)
    s.say(fell("torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3384, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.27.3\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000", "/home/alice/dup/main.py:41 <module> dist.broadcast(seed, 0)", mark="[rank<r>]: "), 4, None, 0.02)
    yield s.end(start("config", "nccl", failed=tuple(range(8))).but(first_ranks=()), "FAILED", dict.fromkeys(range(8), 1))
    s = Sheet(158, "jsonl-bad", "gh200", 1, 1, form="max").say("reading /datasets/mix/part-0007.jsonl", 16).say(fell("pyarrow.lib.ArrowInvalid: JSON parse error: Missing a closing quotation mark in string. in row 411", "/home/alice/mix/data.py:30 load table = pa.json.read_json(path)"), 5)
    yield s.end(start("data", "traceback", 0), "FAILED", {0: 1})


def shot() -> Iterator[HandJob]:
    """A2."""
    def dead(cause: str | None, first: tuple[int, ...], fault: str = "user") -> Label:
        return Label(mode="A2", cause=cause, fault=fault, first_ranks=first)

    def memory(gib: int) -> CgroupMemory:
        return CgroupMemory(limit_bytes=gib * GIB, peak_bytes=gib * GIB, oom_events=4, oom_kill_events=1)

    oom_said = "slurmstepd: error: Detected 1 oom_kill event in StepId=<j>.0. Some of the step tasks have been OOM Killed."
    s = Sheet(161, "tok-cache", "a100", 1, 4, form="acc").say("tokenized shards are kept in memory", 14).mem(30).does("train").go(330, 1.1, 10, 20_000).killed(3)
    died = s.t
    yield s.does("spin", but(3)).wait(1.5).end(dead("oom_killer", (3,)), "OUT_OF_MEMORY", {3: -9}, others=-15, first_at={3: died}, memory={3: memory(240)}, tail=((died + 0.7, oom_said),), code=137)
    s = Sheet(162, "pre-index", "h100", 1, 1, form="csv").say("building suffix index", 20).cpu(800).wait(240).killed(0)
    yield s.end(dead("oom_killer", (0,)).but(failed_ranks=(0,)), "OUT_OF_MEMORY", {0: -9}, memory={0: memory(64)}, tail=((s.t + 0.4, oom_said),), later=0.2)
    s = Sheet(163, "node-full", "l40s", 1, 2, form="lig").say("zwei Prozesse", 9).mem(22).does("train").go(280, 0.9, 20, 9000).killed(1, whole_node=True)
    died = s.t
    yield s.wait(1).end(dead("oom_killer", (1,), "unknown"), "FAILED", {1: -9}, others=-15, first_at={1: died})
    s = Sheet(164, "tri-kernel", "h200", 1, 8, form="titan").say("[titan] - compiling each block with torch.compile", 30).mem(80).does("full").go(120, 1.4, 10, 8000).say("Fatal Python error: Segmentation fault\n\nThread 0x00007f1a2c0ff640 (most recent call first):\n  File \"/home/alice/titan/kern/moe.py\", line 88 in launch\n  File \"/home/alice/titan/train.py\", line 301 in forward_backward_step", 0.6, 2)
    yield s.end(dead("segfault", (2,)), "FAILED", {2: -11}, others=-15, later=3, first_at={2: s.t + 0.2})
    s = Sheet(165, "arrow-abort", "a40", 1, 1, form="kv").say('msg="mapping 41 files"', 9).mem(12).does("train").go(190, 0.8, 10, 7000).say("malloc(): unaligned tcache chunk detected", 0.5)
    yield s.end(dead(None, (0,)).but(failed_ranks=(0,)), "FAILED", {0: -6}, later=0.3)
    s = Sheet(166, "sent-9", "h100p", 1, 2, form="jsn", by="torchrun").say('{"event": "start"}', 12).mem(50).does("train").go(400, 0.7, 20, 50_000).does("off", 1)
    s.say("W<D> <C>.401000 40000 torch/distributed/elastic/multiprocessing/api.py:908] Sending process 41500 closing signal SIGTERM\n" + agent("train.py", [(1, 1, "-9 (pid: 41501)")]).replace("traceback : To enable traceback see: https://docs.pytorch.org/docs/stable/elastic/errors.html", "traceback : Signal 9 (SIGKILL) received by PID 41501"), 1.5, 0)
    yield s.end(dead(None, (1,), "unknown"), "FAILED", {1: -9}, others=-15, first_at={1: s.t - 1.4})


def slipped() -> Iterator[HandJob]:
    """A3."""
    s = Sheet(171, "mds-shard", "h100", 2, 4, form="mega").say("> 512 shards", 20).mem(60).does("full").go(260, 1.5, 10, 9000).say(fell("FileNotFoundError: [Errno 2] No such file or directory: '/scratch/alice/mds/shard.00411.mds.zstd'", "/home/alice/mds/stream.py:77 __iter__ with open(path, 'rb') as f:", mark="[rank5]: "), 0.6, 5)
    yield s.end(CRASH.but(cause="file_not_found", first_ranks=(5,)), "FAILED", {5: 1}, others=-15, later=4, first_at={5: s.t + 0.4})
    s = Sheet(172, "disk-quota", "a100", 1, 4, form="hf", by="accelerate").say("***** Running training *****", 12).mem(55).does("train").go(500, 0.9, 10, 4000).say("Saving model checkpoint to /home/alice/out/checkpoint-500", 0.4)
    s.say(fell("OSError: [Errno 122] Disk quota exceeded", f"{SITE}/transformers/trainer.py:3510 _save_optimizer_and_scheduler torch.save(self.optimizer.state_dict(), path)", f"{SITE}/torch/serialization.py:784 __exit__ self.file_like.write_end_of_file()"), 5, 0).say(agent("sft.py", [(0, 0, "1 (pid: <p>)")]), 4, 0)
    yield s.end(CRASH.but(cause="traceback", first_ranks=(0,)), "FAILED", {0: 1}, others=-15)
    s = Sheet(173, "ema-cpu", "l40s", 1, 1, form="light").say("EMA starts at step 200", 8).mem(20).does("train").go(200, 0.6, 20, 6000).say(fell("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!", "/home/alice/dif/ema.py:31 update shadow.lerp_(p.detach(), 1 - self.decay)"), 0.5)
    yield s.end(CRASH.but(cause="device_mismatch", first_ranks=(0,), failed_ranks=(0,)), "FAILED", {0: 1})
    s = Sheet(174, "fold-assert", "gh200", 1, 1, form="clu").say("I<D> <C>.<U> 14071 fold.py:12] 5 folds", 9).mem(40).does("train").go(310, 0.7, 10, 3000).say(fell("AssertionError: Not equal to tolerance rtol=0.001\nparams of replica 0 and 1 differ by 0.0121 in block_7/w_o", "/home/alice/fold/main.py:210 train check_replicas(state)", "/home/alice/fold/checks.py:18 check_replicas assert ok, text"), 0.7)
    yield s.end(CRASH.but(cause="assertion", first_ranks=(0,), failed_ranks=(0,)), "FAILED", {0: 1})
    s = Sheet(175, "pin-mem", "a6000", 1, 2, form="timm").say("pin_memory=True", 7).mem(30).does("train").go(340, 0.5, 20, 9000).say(fell("RuntimeError: DataLoader worker (pid 41877) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.", f"{SITE}/torch/utils/data/dataloader.py:1310 _try_get_data raise RuntimeError(", mark="[rank0]: "), 0.9, 0)
    yield s.end(CRASH.but(cause="runtime_error", first_ranks=(0,)), "FAILED", {0: 1}, others=-15, later=2, first_at={0: s.t + 0.4})
    s = Sheet(176, "acc-per-class", "a40", 1, 1, form="tab").say("validation each 150 steps", 6).mem(18).does("train").go(300, 0.6, 30, 5000).say(fell("ZeroDivisionError: float division by zero", "/home/alice/acc/eval.py:44 per_class return hits[c] / seen[c]"), 3)
    yield s.end(CRASH.but(cause="div_zero", first_ranks=(0,), failed_ranks=(0,)), "FAILED", {0: 1})


def nodes() -> Iterator[HandJob]:
    """F1."""
    s = Sheet(181, "lm-3n", "h100", 3, 8, form="titan").say("[titan] - 24 ranks", 20).mem(65).does("full").go(520, 1.6, 10, 30_000)
    s.book.event(s.hosts[2], s.t + 31, "DOWN*", "Not responding")
    yield s.does("spin", (*range(16),)).wait(46).end(LOST.but(first_ranks=tuple(range(16, 24))), "NODE_FAIL", others=-9, down=(2,), mute=(2,), code=0, failed_node=s.hosts[2])
    s = Sheet(182, "cp-sat", "a100", 1, 1, form="kv").say('msg="go"', 8).mem(22).does("train").go(600, 0.9, 20, 90_000)
    s.book.event(s.hosts[0], s.t + 20, "DOWN", "Low RealMemory (reported:257000 < 100.00% of configured:515000)")
    yield s.wait(24).end(LOST, "NODE_FAIL", down=(0,), mute=(0,), code=0, failed_node=s.hosts[0])
    s = Sheet(183, "ens-2", "gh200", 2, 1, form="max").say("2 processes", 14).mem(70).does("train").go(410, 1.2, 10, 9000).say("completed step: 411, seconds: 1.188", 1, 1)
    s.book.event(s.hosts[0], s.t + 60, "DOWN*", "Node unexpectedly rebooted")
    yield s.does("spin", 1).wait(66).end(LOST.but(first_ranks=(0,)), "NODE_FAIL", others=-9, down=(0,), mute=(0,), code=0, failed_node=s.hosts[0])
    s = Sheet(184, "big-batch", "h200", 4, 4, form="own", by="torchrun").say("16 ranks", 20).mem(111).does("full").go(300, 2.0, 10, 12_000)
    s.book.event(s.hosts[1], s.t + 40, "DOWN*+DRAIN", "Not responding; PSU alarm of chassis 4")
    yield s.does("spin").wait(55).end(LOST.but(first_ranks=(4, 5, 6, 7)), "NODE_FAIL", others=-9, down=(1,), mute=(1,), code=0, failed_node=s.hosts[1])
    # a node drained long before, and a program that broke of itself
    s = Sheet(185, "sum-news", "l40s", 1, 2, form="hf", by="torchrun").say("  Num examples = 287,113", 9).mem(30).does("train").go(220, 0.8, 10, 9000)
    s.book.event(s.hosts[0], -60_000, "DRAIN", "firmware of the BMC, after the jobs")
    s.say(fell("IndexError: index 1024 is out of bounds for dimension 1 with size 1024", "/home/alice/sum/collate.py:27 __call__ labels[i, len(row)] = eos", mark="[rank1]: "), 0.5, 1).say(agent("sum.py", [(1, 1, "1 (pid: <p>)")]), 3, 0)
    yield s.end(CRASH.but(cause="traceback", first_ranks=(1,)), "FAILED", {1: 1}, others=-15)


def moved() -> Iterator[HandJob]:
    """F2, F3, F4."""
    def before(s: Sheet, state: str, ran: float, pause: float, **more: Any) -> None:
        s.book.restart = 1
        begun = -pause - ran
        s.book.ended(state, end=0.0, start_ns=s.book.at(begun), end_ns=s.book.at(-pause), elapsed_s=round(ran), submit_ns=s.book.at(begun - 20), steps=CUT, **more)

    twice = Label(mode="F2", fault="none")
    s = Sheet(191, "mae-spare", "a100", 1, 4, form="acc", submit="sbatch -p spare --requeue mae.sbatch").say("resume: found out/last (step 3600)", 15)
    before(s, "PREEMPTED", 4020, 610, partition="spare")
    s.at_step, s.low = 3600, 1.0
    yield s.mem(50).does("train").go(1400, 0.7, 20, 5000).say("done", 2).end(twice.but(variant="preempted_recovered"), restarts=1, past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 4.4, "tail_loss": 1.55, "steps_done": 3640, "checkpoints": ("out/last",)},))
    s = Sheet(192, "lm-weekly", "h100", 2, 4, form="mega").say(" loading checkpoint from /scratch/alice/lmw at iteration 2000\n  successfully loaded checkpoint from /scratch/alice/lmw [ t 1/1, p 1/1 ] at iteration 2000", 40)
    before(s, "REQUEUED", 7900, 190)
    s.at_step = 2000
    yield s.mem(71).does("full").go(900, 1.3, 20, 2900).say("[exiting program at iteration 2900]", 2).end(twice.but(variant="requeued_recovered"), restarts=1, past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 10.4, "tail_loss": 3.1, "steps_done": 2070, "checkpoints": ("/scratch/alice/lmw",)},))
    s = Sheet(193, "rec-spot", "l40s", 1, 1, form="csv", submit="sbatch -p spot --no-requeue rec.sbatch").say("time,step,loss,ppl,s", 7).mem(20).does("train").go(900, 0.6, 50, 80_000)
    yield s.end(twice.but(variant="preempted"), "PREEMPTED", partition="spot")
    late = Label(mode="F3", variant="advancing", fault="user")
    for number, kind, per, form, limit, pace in ((194, "h200", 8, "titan", 5400, 2.1), (195, "a40", 1, "lig", 3600, 0.9), (196, "v100", 4, "fra", 2700, 1.4)):
        s = Sheet(number, {194: "cpt-code", 195: "tropen-fern", 196: "parole-l"}[number], kind, 1, per, form=form, limit_s=limit).say("ok", 12).mem(27 if per < 8 else 120).does("train")
        yield s.go(int((limit - s.t - 3) / pace), pace, 20, int(4 * limit / pace)).end(late, "TIMEOUT")
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    s = Sheet(197, "sweep-17", "a6000", 1, 1, form="jsn").say('{"trial": 17}', 6).mem(11).does("train").go(310, 0.8, 10, 9000)
    yield s.end(own, "CANCELLED", cancelled_by_uid=1042)
    s = Sheet(198, "pre-maint", "h100", 4, 8, form="mega").say("> 32 ranks", 20).mem(70).does("full").go(340, 1.9, 10, 50_000)
    yield s.end(other, "CANCELLED", cancelled_by_uid=0, admin_comment="power work in hall 2")
    s = Sheet(199, "dpo-b", "h200", 1, 4, form="hf5", by="torchrun").say("4 ranks", 12).mem(103).does("full").go(260, 1.4, 10, 3000).say("W<D> <C>.110000 40000 torch/distributed/elastic/agent/server/api.py:739] Received 15 death signal, shutting down workers", 1.2, 0)
    yield s.end(own, "CANCELLED", cancelled_by_uid=1042)


def calm() -> Iterator[HandJob]:
    """G1."""
    s = Sheet(211, "hub-429", "h100", 1, 2, form="hf5", by="torchrun").say("HTTP Error 429 thrown while requesting HEAD https://huggingface.co/api/models/heron/tiny\nRetrying in 4s [Retry 2/5].", 9, 0).say("model files are complete", 7, 0).mem(40).does("train").go(700, 0.7, 20)
    yield s.say("{'train_runtime': '517.4', 'train_loss': '1.41', 'epoch': '2'}", 2).end(HARD)
    s = Sheet(212, "nccl-warns", "a100", 2, 4, form="own").say("<n>:<p>:<p> [<l>] NCCL INFO Call to connect returned Connection refused, retrying\n<n>:<p>:<p> [<l>] NCCL INFO Connected all rings", 18, None).mem(60).does("full").go(600, 1.0, 20)
    yield s.say("[rank<r>]:[W<D> <C>.<U> ProcessGroupNCCL.cpp:1250] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.", 1, None).end(HARD)
    s = Sheet(213, "drained-after", "l40s", 2, 2, form="kv").say('msg="4 ranks"', 10).mem(24).does("train").go(560, 0.9, 20)
    s.book.event(s.hosts[1], s.t + 3, "DRAIN", "Kill task failed")
    yield s.end(HARD)
    s = Sheet(214, "preproc-then", "gh200", 1, 1, form="max").say("tokenizing 41 files (no device is used yet)", 12).cpu(1900).wait(900).say("tokenized", 1).mem(75).does("full").cpu(80).go(420, 1.1, 10)
    yield s.end(HARD)
    s = Sheet(215, "xid-43", "a40", 1, 1, form="timm").say("self-test of custom op in a child process", 8).xid(0, 43, "pid=40377, name=optest, Ch 00000010").say("custom op failed its self-test (child died with signal 6), plain one is used", 2).mem(30).does("train").go(800, 0.5, 20)
    yield s.end(HARD)
    s = Sheet(216, "tf32-plain", "a100p", 1, 1, form="acc").say("begin", 5).mem(21).does("train").go(700, 0.6, 20).say("best step 660", 2)
    yield s.end(Label(mode="G1", fault="none"))


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (refused, shot, slipped, nodes, moved, calm):
        yield from part()


RECIPE = Recipe("canal_gauges_by_pen", "development", jobs)
