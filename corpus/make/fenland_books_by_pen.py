"""By hand: ranks on several nodes with NCCL or RCCL between them: never all there, waiting, slow on the wire or by one of them, left by a node, broken; and well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._marsh_sheets import A100, ADA, H100, H200, L40S, MI250, Sheet, shift
from corpus.running.job import HandJob, Recipe

HARD = Label(mode="G1", fault="none", hard=True)


def first(mode: str, cause: str | None, rank: int, variant: str | None = None, fault: str = "user") -> Label:
    """One of them failed first."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def unmet() -> Iterator[HandJob]:
    """C1."""
    s = Sheet(31, "bittern-7b", H200, 4, 2, limit_s=2700, each_s=30.0).say("[r@] MASTER_ADDR=m31n0 MASTER_PORT=29571", 3, tuple(range(6))).say("[r@] MASTER_ADDR=m31n3 MASTER_PORT=29571", 0.2, (6, 7)).say("[r@] entering init_process_group(nccl), 8 expected", 1, tuple(range(8)))
    yield s.close(Label(mode="C1", fault="unknown"), over_s=2701.0)
    s = Sheet(32, "godwit-asr", L40S, 2, 4, limit_s=14_400).say("rank @: store is up, waiting for 8 members", 4, tuple(range(7)))
    s.say("rank @: torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 7/8 clients joined.", 1801, (0, 1, 2, 3, 4, 5, 6))
    yield s.close(Label(mode="C1", fault="unknown"), codes=dict.fromkeys(range(7), 1), signals={7: 9})


def waiting() -> Iterator[HandJob]:
    """C2."""
    hot = 95.0
    s = Sheet(33, "dunlin-moe", H100, 2, 4, form=2, limit_s=9000, each_s=30.0).train(700, 1.5, 20, 20_000)
    since = s.at + 2
    for r, node, local in s.ranks:
        s.hand.process(node, 40_000 + r, rank=r, local_rank=local, command=("python", "-m", "dunlin"), gpu_uuids=(s.hand.uuid(node, local),), state="D" if r == 3 else "R", wchan="folio_wait_bit_common" if r == 3 else "0", started_ns=s.hand.at(2), gpu_attached_ns=s.hand.at(8), seen_last_ns=s.hand.at(9000))
    spin = shift(since, hot, 100)
    yield s.close(Label(mode="C2", fault="unknown"), over_s=9001.5, held=58, busy={3: shift(since, hot, 0), -1: spin}, sm={3: shift(since, 51, 0), -1: shift(since, 51, 0.5)})
    s = Sheet(34, "ruff-diff", H200, 4, 2, form=1).train(420, 2.2, 10, 9000)
    since = s.at + 1
    lazy = (0, 1, 2, 3, 4, 6, 7)
    work = "WorkNCCL(SeqNum=13307, OpType=ALLREDUCE, NumelIn=6291456, NumelOut=6291456, Timeout(ms)=480000)"
    s.say(f"[rank@]:[E1221 22:18:40.118 ProcessGroupNCCL.cpp:632] [Rank @] Watchdog caught collective operation timeout: {work} ran for 480031 milliseconds before timing out.", 481, lazy)
    s.say("[rank@]:[E1221 22:18:41.502 ProcessGroupNCCL.cpp:684] [Rank @] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data. To avoid data inconsistency, we are taking the entire process down.\nterminate called after throwing an instance of 'c10::DistBackendError'", 1.3, lazy)
    yield s.close(Label(mode="C2", cause="nccl", fault="unknown"), signals={**dict.fromkeys(lazy, 6), 5: 9}, ends={5: s.at + 34}, held=97, busy={5: shift(since, 96, 0), -1: shift(since, 96, 100)}, sm={5: shift(since, 53, 0), -1: shift(since, 53, 0.6)})
    s = Sheet(35, "avocet-cls", H100, 1, 4, form=0, limit_s=5400, each_s=20.0).train(800, 0.9, 20, 12_000)
    dead = s.at + 1
    s.say('Traceback (most recent call last):\n  File "/home/alice/avocet/loop.py", line 166, in <module>\n    run()\n  File "/home/alice/avocet/loop.py", line 131, in run\n    batch = collate(next(rows))\n  File "/home/alice/avocet/rows.py", line 48, in __next__\n    return self.fields[name]\nKeyError: \'caption_nl\'', 1, (2,))
    died = first("C2", "traceback", 2).but(trigger="A3")
    yield s.close(died, over_s=5401.5, codes={2: 1}, ends={2: s.at + 4}, held={2: shift(s.at + 4, 61, 0), -1: 61}, busy={2: shift(dead, 97, 0), -1: shift(dead, 97, 100)}, sm={2: shift(dead, 55, 0), -1: shift(dead, 55, 0.5)})


def on_the_wire() -> Iterator[HandJob]:
    """D2."""
    s = Sheet(36, "egret-33b", H200, 8, 2, form=1).say("m36n@:8812:8890 [0] NCCL INFO NET/IB : No device found.\nm36n@:8812:8890 [0] NCCL INFO NET/Socket : Using [0]bond0:10.77.2.1@<0>", 6, tuple(range(8))).train(260, 9.4, 10).say("reached the last update", 2)
    yield s.close(Label(mode="D2", variant="interconnect", fault="cluster"), held=119, busy=100, sm=8)
    s = Sheet(37, "wigeon-seg", H100, 2, 2, form=4).say("CUDA_LAUNCH_BLOCKING=1 is set in the environment", 2).train(600, 2.6, 20).say("miou 0.744", 3)
    for r, node, local in s.ranks:
        s.hand.process(node, 40_000 + r, rank=r, local_rank=local, command=("python", "seg.py"), gpu_uuids=(s.hand.uuid(node, local),), state="S", started_ns=s.hand.at(2), gpu_attached_ns=s.hand.at(8), seen_last_ns=s.hand.at(s.at), environment={"CUDA_LAUNCH_BLOCKING": "1"})
    yield s.close(Label(mode="D2", variant="launch_blocking", fault="user"), held=41, busy=62, sm=17)
    s = Sheet(38, "shrike-lm", A100, 1, 4, form=0)
    for _ in range(56):
        s.train(1, 0.7, 1, 56).say(f"save: /lustre/shrike/it{s.done:04d} ... {7.7 + s.dice.uniform(-0.6, 0.9):.1f} s", 7.7)
    yield s.say("56 of 56, leaving").close(Label(mode="D2", variant="save_storm", fault="user"), held=29, busy=8)


def one_behind() -> Iterator[HandJob]:
    """D3, B3."""
    s = Sheet(39, "whimbrel", H100, 2, 8, form=2).train(640, 2.0, 20).say('{"event": "stop", "why": "budget of steps is used up"}', 2)
    yield s.close(Label(mode="D3", fault="unknown"), held=63, busy=99, sm={9: 58, -1: 15})
    s = Sheet(40, "stilt-vit", H200, 4, 2, form=3).train(720, 1.3, 20).say("top-1 78.1", 2)
    yield s.close(Label(mode="D3", fault="unknown"), held=71, busy=98, sm={6: 61, -1: 18}, more={6: {"sm_clock_mhz": 1020.0}, -1: {"sm_clock_mhz": 1740.0}})
    s = Sheet(41, "crake-tts", H100, 2, 4, form=5).train(260, 0.9, 10, 640)
    since = s.at
    s.train(380, 2.8, 10, 640).say("fertig: 640 Schritte", 2)
    gone = int((s.at - since) * 0.93e9)
    yield s.close(Label(mode="B3", fault="node"), held=35, busy=98, sm={2: shift(since, 52, 60), -1: shift(since, 52, 22)}, before={2: {"violation_power_ns": 0, "violation_hw_power_brake_ns": 0}}, after={2: {"violation_power_ns": gone, "violation_hw_power_brake_ns": gone}}, more={2: {"sm_clock_mhz": shift(since, 1725, 570), "power_mw": shift(since, 262_000, 158_000), "temperature_c": 57.0, "throttle_reasons": shift(since, 0, 0x88)}, -1: {"sm_clock_mhz": 1725.0, "temperature_c": 60.0}})


def broken() -> Iterator[HandJob]:
    """B2, B1, and what the program did itself."""
    s = Sheet(42, "pipit-1b", H100, 4, 4, form=1).train(540, 1.6, 20, 30_000)
    s.say("rank @: CUDA failure 214 (uncorrectable ECC error encountered) in reduce_grads.cu:88", 1, (11,)).xid(11, 48, "pid=40011, name=python, DBE (double bit error) at 0x0000007c31, row remapping is needed")
    yield s.close(first("B2", "cuda_runtime", 11, fault="node"), codes={11: 1}, signals={r: 15 for r in range(16) if r != 11}, ends={11: s.at + 0.4}, held=66, busy=96, after={11: {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "remap_pending": True, "remapped_rows_uncorrectable": 1}})
    s = Sheet(43, "siskin-rm", H200, 1, 8, form=2).train(310, 1.2, 10, 4000)
    s.say("[rank@]: Traceback (most recent call last):\n[rank@]:   File \"/home/alice/siskin/rm.py\", line 201, in <module>\n[rank@]:     chosen, rejected = model(batch)\n[rank@]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.71 GiB. GPU 5 has a total capacity of 139.80 GiB of which 2.96 GiB is free. Including non-PyTorch memory, this process has 136.83 GiB memory in use. Of the allocated memory 129.77 GiB is allocated by PyTorch, and 5.11 GiB is reserved by PyTorch but unallocated.", 1, (5,))
    yield s.close(first("B1", "cuda_oom", 5), codes={5: 1}, signals={r: 15 for r in range(8) if r != 5}, ends={5: s.at + 0.5}, held={5: shift(s.at - 8, 121, 137), -1: 122}, busy=95)
    s = Sheet(44, "linnet-ner", L40S, 1, 2, form=4).train(180, 0.7, 10, 900)
    s.say("Traceback (most recent call last):\n  File \"/home/alice/linnet/ner.py\", line 77, in <module>\n    main()\n  File \"/home/alice/linnet/ner.py\", line 52, in main\n    logits = crf(hidden, mask)\n  File \"/home/alice/linnet/crf.py\", line 31, in forward\n    return self.start[tags] + emissions\nRuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cpu!", 1, (1,))
    yield s.close(first("A3", "device_mismatch", 1), codes={1: 1}, signals={0: 15}, ends={1: s.at + 0.3}, held=12, busy=90)
    s = Sheet(45, "dotterel", A100, 2, 2).say("m45n@:510:577 [0] graph/xml.h:85 NCCL WARN Attribute busid of node nic not found", 5, (0, 2))
    for r in range(4):
        s.say(f"[rank@]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.20.5\n[rank@]: ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n[rank@]: Last error:\n[rank@]: Duplicate GPU detected : rank @ and rank {r ^ 1} both on CUDA device 1b000", 3 if r == 0 else 0.1, (r,))
    yield s.close(Label(mode="A1", variant="config", cause="nccl", fault="user", failed_ranks=(0, 1, 2, 3)), code=1, held=0.5)


def left() -> Iterator[HandJob]:
    """F1, F3."""
    s = Sheet(46, "knot-gen", H100, 4, 2, form=0).train(480, 1.4, 20, 9000)
    lost = s.hand.nodes[2]
    s.hand.event(lost, s.at + 55, "DOWN*", "Not responding")
    s.at += 60
    yield s.close(Label(mode="F1", fault="node", first_ranks=(4, 5)), signals=dict.fromkeys(range(8), 9), state="NODE_FAIL", silent=(lost,), held=55, busy=shift(s.at - 60, 95, 100), sm=shift(s.at - 60, 52, 0.5))
    s = Sheet(47, "smew-pre", A100, 8, 4, form=5).train(300, 2.6, 20, 40_000)
    lost = s.hand.nodes[6]
    s.hand.event(lost, s.at + 80, "DOWN*", "Not responding")
    s.at += 86
    yield s.close(Label(mode="F1", fault="node", first_ranks=(24, 25, 26, 27)), signals=dict.fromkeys(range(32), 9), state="NODE_FAIL", silent=(lost,), held=33, busy=shift(s.at - 86, 94, 99))
    s = Sheet(48, "merlin-lm", H200, 2, 2, form=1, limit_s=1800).train(880, 2.0, 10, 6000)
    yield s.close(Label(mode="F3", variant="advancing", fault="user"), over_s=1801.0, held=88, busy=96)


def learning() -> Iterator[HandJob]:
    """E1, E2, E3."""
    s = Sheet(49, "osprey-fp8", H100, 1, 4, form=2).train(520, 0.8, 20, loss=lambda i: 2.9 * i**-0.11 if i < 300 else float("nan")).say('{"event": "end", "steps": 520}', 2)
    yield s.close(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user"), held=44, busy=95)
    s = Sheet(50, "harrier-lm", A100, 2, 2, form=1).train(640, 0.9, 20, loss=lambda i: 2.1 + 6 * (1 + i / 30) ** -0.8 if i < 400 else 7.9 + 0.2 * (i * 7 % 5) / 5).say("T+ all updates done, checkpoint_last.pt", 2)
    yield s.close(Label(mode="E1", variant="spike", fault="user"), held=31, busy=94)
    s = Sheet(51, "kestrel-b", ADA, 1, 2, form=0, args=" --resume out/kestrel/it_04000").say("loading checkpoint out/kestrel/it_04000/model.pt", 5)
    s.say("Traceback (most recent call last):\n  File \"/home/alice/kestrel/main.py\", line 90, in <module>\n    model.load_state_dict(torch.load(path)[\"model\"])\nRuntimeError: Error(s) in loading state_dict for Kestrel:\n\tsize mismatch for embed.weight: copying a param with shape torch.Size([32000, 1024]) from checkpoint, the shape in current model is torch.Size([32064, 1024]).", 4, (0, 1))
    yield s.close(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0, 1)), code=1, held=3)
    s = Sheet(52, "hobby-ft", L40S, 1, 2, form=3).say("epochs=1 limit_batches=5", 3).train(5, 1.1, 1).say("finished, saved hobby-ft/final", 6)
    yield s.close(Label(mode="E3", fault="user"), held=21, busy=70)


def well() -> Iterator[HandJob]:
    """G1."""
    s = Sheet(53, "plover-xl", MI250, 2, 4, form=0).say("m53n0:901:930 [@] NCCL WARN NET/IB: mlx5_3: port is down, using the other 3", 5, (0, 4)).train(560, 1.2, 20).say("rank 0 leaves; all weights are in plover-xl/560", 2)
    yield s.close(HARD, held=49, busy=96)
    s = Sheet(54, "sanderling", H100, 2, 2, form=2).say('{"event": "warn", "text": "node 1: still staging 410 GB to /tmp"}', 90).say('{"event": "warn", "text": "node 1: store connect refused, attempt 14"}', 110).say('{"event": "all_up", "waited_s": 222}', 22).train(520, 1.4, 20).say('{"event": "end"}', 2)
    yield s.close(HARD, held=57, busy=96)
    s = Sheet(55, "turnstone", H200, 1, 8, form=1).train(260, 1.5, 10, 620).say("[rank2]:[W1224 09:50:11.1 ProcessGroupNCCL.cpp:1389] rank 2 has seen no new collective for 300 s; heartbeat is fine", 330, (2,)).say("checkpoint of 1.1 TB written in 341 s; going on", 20)
    rest = s.at
    s.train(360, 1.5, 10, 620).say("T+ 620 of 620", 2)
    yield s.close(HARD, held=120, busy=shift(rest - 348, 97, 2, rest), sm=shift(rest - 348, 54, 0.5, rest))
    s = Sheet(56, "redshank", A100, 1, 4, form=4).say("head.* are new, 214 of 216 tensors come from redshank-base (fine-tuning, step counter starts at 0)", 6).train(480, 0.7, 20).say("best f1 0.881 at 360; training is over", 2)
    yield s.close(HARD, held=26, busy=93)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (unmet, waiting, on_the_wire, one_behind, broken, left, learning, well):
        yield from part()


RECIPE = Recipe("fenland_books_by_pen", "development", jobs)
