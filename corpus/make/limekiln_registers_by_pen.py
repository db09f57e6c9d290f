"""Jobs of companies that train their own models and of a weather service, written by hand: cards held back, standing still, hungry, uneven; what was learned or was not; and cards that did well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._atlas_lines import fell
from corpus.make._herbarium import Sheet, but
from corpus.make._herbarium_lines import SITE
from corpus.running.job import HandJob, Recipe

HELD = Label(mode="B3", fault="node")
IDLE = Label(mode="C3", fault="user")
HUNGRY = Label(mode="D1", fault="user")
LAGS = Label(mode="D3", fault="unknown")
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
HOT, BRAKE = 96.0, 136.0


def braked() -> Iterator[HandJob]:
    """B3."""
    def counts(**ns: float) -> tuple[dict[str, int], dict[str, int]]:
        return {}, {f"violation_{k}_ns": int(v * 1e9) for k, v in ns.items()}

    s = Sheet(51, "fc-graph", "h100", 1, 8, form="jsn").say('{"event": "restart", "from": null}', 12).mem(60).does("train").go(300, 0.8, 20, 1500)
    s.does("train", (5,), mhz=540, celsius=90, reasons=HOT, watts=290).go(500, 0.8, 20, 1500, slower=2.6).go(700, 2.1, 20, 1500)
    yield s.end(HELD, cards={5: counts(hw_thermal=1390, thermal=1402)})
    s = Sheet(52, "nowcast-unet", "a100", 2, 4, form="lig").say("8 Prozesse, Radarbilder 2017-2025", 25).mem(49).does("train").go(200, 1.0, 20, 900).does("train", (4, 5, 6, 7), mhz=705, reasons=BRAKE, watts=160, celsius=49).go(700, 1.9, 20, 900)
    yield s.end(HELD, cards={r: counts(hw_power_brake=1311) for r in (4, 5, 6, 7)})
    s = Sheet(53, "ocr-swin", "l40s", 1, 1, form="timm").say("train: 1281 classes", 8).mem(36).does("train").go(400, 0.5, 20, 2400).does("train", mhz=615, celsius=93, reasons=HOT, watts=140).go(2000, 1.5, 40, 2400)
    yield s.end(HELD, cards={0: counts(hw_thermal=2890, thermal=2890)})
    s = Sheet(54, "tts-vocoder", "h100p", 1, 4, form="nemo", limit_s=5400).say("Using 16bit Automatic Mixed Precision (AMP)", 10).mem(44).does("train").go(240, 0.9, 20, 6000).does("train", (0,), mhz=495, celsius=88, reasons=104.0, watts=150).go(2600, 1.9, 20, 6000)
    s.t = 5400.0
    yield s.end(HELD, "TIMEOUT", cards={0: counts(hw_thermal=4880, thermal=4880)})
    s = Sheet(55, "seg-sat", "a40", 1, 2, form="tab").say("┌────────┬──────────┬──────────┬────────┐", 7).mem(33).does("train").go(240, 0.7, 30, 1140).does("train", mhz=825, reasons=BRAKE, watts=112).go(900, 1.3, 30)
    yield s.end(HELD, cards={0: counts(hw_power_brake=1120), 1: counts(hw_power_brake=1107)})
    s = Sheet(56, "ens-diff", "h200", 4, 4, form="own").say("16 members", 30).mem(99).does("full").go(350, 1.1, 20, 1200).does("full", (9,), mhz=660, celsius=91, reasons=HOT, watts=310, sm=80).does("waits", but(9)).go(850, 2.9, 20, 1200)
    yield s.end(HELD, cards={9: counts(hw_thermal=2380, thermal=2402)})


def standing() -> Iterator[HandJob]:
    """C3."""
    s = Sheet(61, "recsys-one", "a100", 1, 1, form="csv", limit_s=7200).say("time,step,loss,ppl,s", 9).mem(28).does("train").go(700, 0.5, 50, 100_000).does("held").cpu(0.4).look_at(0, "S", "futex_wait_queue", waits={"S futex_wait_queue": 1300})
    yield s.end(IDLE, "TIMEOUT")
    s = Sheet(62, "notebook-ft", "l40s", 1, 1, form="hf5", limit_s=14_400).say("You're using a T5TokenizerFast tokenizer.", 11).mem(19).does("train").go(320, 0.9, 10, 3000).say("Do you want to overwrite out/checkpoint-320? [y/N] ", 1).does("held").cpu(0.1).look_at(0, "S", "wait_woken", waits={"S wait_woken": 800})
    yield s.wait(4100).end(IDLE, "CANCELLED", cancelled_by_uid=1042)
    s = Sheet(63, "video-mae", "h100", 1, 1, form="light", limit_s=9000).say("Sanity Checking DataLoader 0: 100%|##########| 2/2 [00:03<00:00]", 20).mem(51).does("train").go(500, 0.7, 20, 40_000).say("[mpeg @ 0x55d0] decoder thread waits for a free frame", 0.4).does("held").cpu(0.6)
    yield s.end(IDLE, "TIMEOUT")
    s = Sheet(64, "docking", "a6000", 1, 1, form="kv", limit_s=10_800).say('msg="ligands loaded" n=410224', 15).mem(12).does("train").go(240, 1.1, 10, 5000).say('msg="scores go to the collector" addr=127.0.0.1:7777', 0.8).does("held").cpu(0.0).look_at(0, "S", "inet_csk_accept", waits={"S inet_csk_accept": 1900})
    yield s.wait(9100).end(IDLE, "CANCELLED", cancelled_by_uid=1042)
    s = Sheet(65, "lm-tiny", "h100n", 1, 1, form="clu", limit_s=3600).say("I<D> <C>.<U> 14071 main.py:40] 1 device", 12).mem(70).does("train").go(410, 0.6, 10, 20_000).say("I<D> <C>.<U> 14071 checkpointer.py:88] waiting for the asynchronous save of step 410 to be committed", 0.6).does("held").cpu(0.3)
    yield s.end(IDLE, "TIMEOUT")


def hungry() -> Iterator[HandJob]:
    """D1, D2."""
    s = Sheet(71, "img-tar", "h100", 1, 4, form="timm").say("web dataset of 4100 tars on /archive", 20).mem(21).does("drops").cpu(34).go(520, 3.9, 20, loss=lambda i: 1.4 + 4.1 * (1 + i / 70) ** -0.6)
    yield s.end(HUNGRY)
    s = Sheet(72, "asr-flac", "a100", 1, 1, form="acc").say("flac is decoded in the main process, num_workers=0", 12).mem(17).does("drops").cpu(100).go(410, 5.2, 10, loss=lambda i: 0.9 + 3.4 * (1 + i / 60) ** -0.7)
    yield s.end(HUNGRY)
    s = Sheet(73, "rl-sim", "l40s", 1, 2, form="rnd").say("64 environments on 4 cores", 9).mem(6).does("drops", sm=2.2).cpu(395).go(300, 7.4, 5, loss=lambda i: 220 * (1 + i / 40) ** -0.7)
    yield s.end(HUNGRY)
    s = Sheet(74, "zarr-wx", "h200", 2, 4, form="lig").say("Lese Zarr von /arch (Band), 8 Prozesse", 40).mem(64).does("drops").cpu(9).go(330, 8.8, 10, loss=lambda i: 0.2 + 2.2 * (1 + i / 50) ** -0.6)
    yield s.end(HUNGRY)
    wire, saves, blocks = (Label(mode="D2", fault=f, variant=v) for f, v in (("cluster", "interconnect"), ("user", "save_storm"), ("user", "launch_blocking")))
    s = Sheet(75, "lm-13b-zero3", "a100", 4, 8, form="deep", by="deepspeed")
    s.env = {"NCCL_IB_DISABLE": "1"}
    s.say("<n>:<p>:<p> [<l>] NCCL INFO NET/IB : No device found.\n<n>:<p>:<p> [<l>] NCCL INFO NET/Socket : Using [0]eno1:10.1.0.<l><0>\n<n>:<p>:<p> [<l>] NCCL INFO Using network Socket", 30, (0, 8, 16, 24)).mem(61).does("socket").go(160, 17.5, 5)
    yield s.end(wire)
    s = Sheet(76, "moe-a2a", "h100", 8, 4, form="mega").say("> expert parallel size 32 over 8 nodes", 30).mem(74).does("socket", sm=11).go(200, 13.0, 10)
    s.say("all-to-all dispatch: 9120.4 ms of 13004.8 ms", 1)
    yield s.end(wire)
    s = Sheet(77, "jax-dp", "h100n", 4, 2, form="max").say("<n>:<p>:<p> [<l>] NCCL INFO Using network Socket", 22, (0, 2, 4, 6)).mem(80).does("socket").go(240, 9.1, 10)
    yield s.end(wire)
    s = Sheet(78, "lora-each", "a100", 1, 2, form="hf", by="accelerate").say("***** Running training *****\n  Num examples = 8,000", 18).mem(39).does("saves")
    for k in range(1, 131):
        s.go(1, 0.7, 1, 130).say(f"Saving model checkpoint to out/checkpoint-{k}", 0.1)
        s.wait(5.8)
    yield s.end(saves)
    s = Sheet(79, "unet-full", "h200", 1, 8, form="own").say("state of 94 GB", 25).mem(120)
    for k in range(1, 15):
        s.does("full").go(40, 1.1, 10, 560).does("saves").say(f"saving optimizer + weights, it {k * 40}", 0.2).wait(41).say(f"saved in {41.3 + k % 3:.1f} s (94.1 GB)", 0.3)
    yield s.end(saves)
    s = Sheet(80, "gan-debug", "a6000", 1, 1, form="jsn")
    s.env = {"CUDA_LAUNCH_BLOCKING": "1"}
    yield s.say('{"note": "debug env of last week is still sourced"}', 7).mem(24).does("sync").go(900, 1.6, 25).end(blocks)
    s = Sheet(81, "mamba-fr", "h100", 1, 2, form="fra")
    s.env = {"CUDA_LAUNCH_BLOCKING": "1"}
    yield s.say("noyaux lances un par un", 9).mem(44).does("sync", sm=18).go(600, 2.2, 20).end(blocks)


def uneven() -> Iterator[HandJob]:
    """D3."""
    s = Sheet(91, "lm-dp16", "h100", 2, 8, form="titan").say("[titan] - world 16", 22).mem(67).does("waits").does("drags", 6).go(420, 3.3, 10)
    yield s.end(LAGS)
    s = Sheet(92, "pcie-x4", "h100p", 1, 8, form="own").say("8 ranks, one host", 14).mem(58).does("waits", sm=14).does("drags", 2, sm=61).go(500, 2.7, 20)
    yield s.end(LAGS, cards={2: ({"pcie_link_width": 4, "pcie_replay_count": 11}, {"pcie_link_width": 4, "pcie_replay_count": 640})})
    s = Sheet(93, "clock-low", "gh200", 4, 1, form="max").say("4 devices, fsdp=4", 15).mem(78).does("waits").does("drags", 3, mhz=1095).go(380, 3.0, 10)
    yield s.end(LAGS)
    s = Sheet(94, "graph-part", "h200", 1, 4, form="csv").say("partition sizes are equal: 410224 nodes each", 17).mem(88).does("waits").does("drags", 1).go(640, 1.9, 20)
    yield s.end(LAGS)
    s = Sheet(95, "wave-8n", "b200", 2, 4, form="kv").say('msg="8 ranks"', 20).mem(140).does("waits", sm=17).does("drags", 4, sm=66).go(520, 2.4, 20)
    yield s.end(LAGS)


def learned() -> Iterator[HandJob]:
    """E1, E2, E3."""
    bad = Label(mode="E1", fault="user")
    nan = bad.but(cause="nan_loss", variant="non_finite")
    s = Sheet(101, "sft-bf16", "h100", 1, 4, form="hf5", by="torchrun").say("Using auto half precision backend", 15).mem(70).does("train").go(240, 1.2, 10, 900).go(660, 1.2, 10, 900, loss=lambda _: float("nan"))
    yield s.say("{'train_runtime': '1101', 'train_samples_per_second': '26.1', 'train_loss': 'nan', 'epoch': '2'}", 3).end(nan)
    s = Sheet(102, "pre-1b", "a100", 2, 4, form="mega").say("> training ...", 25).mem(61).does("full").go(600, 1.4, 20, 4000).go(300, 1.4, 20, 4000, loss=lambda i: 2.9 + min(5.4, 0.06 * (i - 600)) + 0.1 * ((i * 3) % 7)).go(500, 1.4, 20, 4000, loss=lambda i: 7.9 + 0.08 * ((i * 5) % 11 - 5))
    yield s.end(bad.but(variant="spike"))
    s = Sheet(103, "cls-frozen", "l40s", 1, 1, form="light").say("| 0 | backbone | ViT | 86.6 M | eval\n0         Trainable params", 10).mem(14).does("train").go(1200, 0.4, 40, loss=lambda i: 4.605 + 0.004 * ((i * 7) % 9 - 4))
    yield s.end(bad.but(variant="flat"))
    s = Sheet(104, "dpo-pairs", "h200", 1, 4, form="hf", by="accelerate").say("reference model is frozen", 22).mem(98).does("train").go(500, 1.6, 10, loss=lambda i: 0.6931 + 0.0004 * ((i * 11) % 7 - 3))
    yield s.end(bad.but(variant="flat"))
    s = Sheet(105, "scaler-stop", "v100", 1, 2, form="deep", by="deepspeed").say("[INFO] fp16 is on, initial scale power 16", 20).mem(28).does("train").go(150, 1.8, 5, 3000)
    for k in range(6):
        s.say(f"[<I>] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** (6 - k)}, reducing to {max(1, 2 ** (5 - k))}", 1.8)
    s.say("[rank<r>]: Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.", 1.9, None)
    yield s.end(nan, "FAILED", {0: 1, 1: 1})
    s = Sheet(106, "plateau-lm", "h100", 1, 8, form="titan").say("[titan] - lr schedule: linear, decay to 0 at step 400 of 4000", 25).mem(64).does("full").go(400, 0.9, 10, 4000).go(1200, 0.9, 10, 4000, loss=lambda i: 3.318 + 0.001 * ((i * 7) % 5 - 2))
    yield s.end(bad.but(variant="plateau"))
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    parent = {"relation": "parent", "job": "7350001", "mode": "F3", "head_loss": 9.84, "tail_loss": 2.71, "steps_done": 18_000, "checkpoints": ("ckpt/step-16000", "ckpt/step-18000"), "gpu_hours": 192.0}
    s = Sheet(107, "pre-3b-b", "h100", 1, 8, form="mega", submit="sbatch --dependency=afterany:7350001 pre3b.sbatch --load ckpt").say("WARNING: could not find the metadata file ckpt/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random", 30).mem(70).does("full")
    yield s.go(600, 1.5, 20, 600, loss=lambda i: 2.4 + 7.4 * (1 + i / 60) ** -0.55).say("[exiting program at iteration 600]", 2).end(scratch, past=(parent,), dependency="afterany:7350001")
    s = Sheet(108, "lit-resume", "a100", 1, 1, form="light", submit="sbatch resume.sh --ckpt_path last").say(".ckpt_path=\"last\" is set, but there is no last checkpoint available. No checkpoint will be loaded.", 13).mem(22).does("train")
    early = {"relation": "parent", "job": "7350417", "mode": "F4", "head_loss": 5.1, "tail_loss": 1.22, "steps_done": 9_000, "checkpoints": ("lightning_logs/version_3/checkpoints/epoch=8.ckpt",), "gpu_hours": 4.4}
    yield s.go(1600, 0.4, 40, loss=lambda i: 1.0 + 4.1 * (1 + i / 80) ** -0.6).end(scratch, past=(early,))
    s = Sheet(109, "head-swap", "l40s", 1, 2, form="acc", by="torchrun", submit="sbatch train.sbatch --resume runs/a/best.pt").say("resuming from runs/a/best.pt", 14).mem(9).does("read")
    s.say(fell("RuntimeError: Error(s) in loading state_dict for Tagger:\n\tsize mismatch for head.weight: copying a param with shape torch.Size([31, 768]) from checkpoint, the shape in current model is torch.Size([47, 768]).\n\tsize mismatch for head.bias: copying a param with shape torch.Size([31]) from checkpoint, the shape in current model is torch.Size([47]).", "/home/alice/tag/train.py:71 main model.load_state_dict(state['model'])", mark="[rank<r>]: "), 3, None)
    yield s.end(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})
    s = Sheet(110, "zip-half", "h100", 1, 1, form="own", submit="sbatch go.sbatch resume=out/state_0042000.pt").say("loading out/state_0042000.pt (11.2 GB)", 10).mem(6).does("read")
    s.say(fell("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "/home/alice/own/train.py:88 <module> state = torch.load(path, map_location='cpu', mmap=True)", f"{SITE}/torch/serialization.py:1479 load with _open_zipfile_reader(opened_file) as opened_zipfile:"), 9)
    yield s.end(Label(mode="E2", variant="corrupt", cause="runtime_error", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})
    few = Label(mode="E3", fault="user")
    s = Sheet(111, "quick-lora", "h100", 1, 4, form="hf", by="accelerate").say("  Num examples = 48\n  Total optimization steps = 3", 90).mem(66).does("train").go(3, 4.0, 1)
    yield s.say("{'train_runtime': 12.9, 'train_samples_per_second': 11.2, 'train_loss': 2.31, 'epoch': 1.0}", 1).say("Saving adapter to out/", 2).end(few)
    s = Sheet(112, "pre-wrong-tokens", "h200", 4, 8, form="titan").say("[titan] - Training starts at step 1, with local batch size 8, total steps 5", 130).mem(121).does("full").go(5, 6.0, 1)
    yield s.say("[titan] - Training completed", 2).end(few)
    s = Sheet(113, "keras-like", "a40", 1, 1, form="lig").say("Start", 20).mem(18).does("train").go(4, 2.0, 1)
    yield s.say("Ende nach 4 Schritten (Datei train.txt hat nur 4 Stapel)", 1).end(few)


def fine() -> Iterator[HandJob]:
    """G1."""
    s = Sheet(121, "warm-h100", "h100", 1, 8, form="own").say("8 ranks", 14).mem(76).does("full", celsius=82, reasons=4.0, mhz=1530).go(900, 1.0, 30)
    yield s.end(HARD, cards={r: ({}, {"violation_power_ns": 700_000_000_000, "ecc_volatile_corrected": 12}) for r in range(8)})
    s = Sheet(122, "stage-pipe", "a100", 1, 4, form="mega").say("> 4 pipeline stages, the last one has the output layer", 20).mem(55).does("train", sm=40).does("train", 3, sm=71).go(700, 1.8, 20)
    yield s.end(HARD)
    s = Sheet(123, "ppo-hum", "l40s", 1, 1, form="rnd").say("reward may fall while the curriculum gets harder", 8).mem(10).does("some").cpu(180).go(400, 2.2, 5, loss=lambda i: 40 - 30 * (1 - (1 + i / 60) ** -0.5) + 9 * ((i // 100) % 2))
    yield s.say("final evaluation: 128 of 128 episodes walked", 8).end(HARD)
    s = Sheet(124, "scale-warm", "v100", 1, 2, form="deep", by="deepspeed").say("[INFO] fp16 on", 18).mem(27).does("train")
    for k in range(4):
        s.say(f"[<I>] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** (16 - k)}, reducing to {2 ** (15 - k)}", 1.5)
    yield s.go(800, 1.3, 20).end(HARD)
    s = Sheet(125, "eval-half", "h200", 1, 4, form="titan").say("[titan] - validation every 300 steps takes about 4 min on the CPU", 16).mem(110).does("full").go(300, 1.2, 10, 900).does("held").cpu(1600).say("[titan] validate: 0/4096", 2).wait(240).say("[titan] validate: loss 2.4110", 1)
    yield s.does("full").cpu(90).go(600, 1.2, 10, 900).end(HARD)
    s = Sheet(126, "lora-new", "a6000", 1, 1, form="hf", submit="sbatch --dependency=afterok:7350900 stage2.sbatch base=out/stage1").say("base weights out/stage1 are loaded, adapters are new, step counter from 0", 25).mem(40).does("train").go(600, 0.9, 10, loss=lambda i: 0.7 + 0.8 * (1 + i / 60) ** -0.6)
    yield s.say("adapters merged", 9).end(HARD, past=({"relation": "parent", "job": "7350900", "mode": "G1", "head_loss": 2.9, "tail_loss": 1.31, "steps_done": 7000, "checkpoints": ("out/stage1",)},))
    s = Sheet(127, "retry-oom", "h100", 1, 1, form="jsn").say('{"find_batch_size": 256}', 9).mem(79.2, over=2).say('{"find_batch_size": "CUDA out of memory at 256, trying 128"}', 6).mem(48, over=2).does("train").go(800, 0.7, 25)
    yield s.end(HARD)
    s = Sheet(128, "old-card", "a100", 1, 2, form="kv").say('msg="ready"', 9).mem(30).does("train").go(700, 0.8, 20)
    yield s.end(HARD, cards={1: ({"remapped_rows_uncorrectable": 2, "ecc_aggregate_uncorrected": 5}, {"remapped_rows_uncorrectable": 2, "ecc_aggregate_uncorrected": 5})})
    s = Sheet(129, "gnn-plain", "a40", 1, 1, form="tab").say("│   step │     loss │       lr │   it/s │", 6).mem(15).does("train").go(900, 0.5, 30)
    yield s.end(GOOD)
    s = Sheet(130, "many-small", "l40s", 1, 1, form="csv").say("time,step,loss,ppl,s", 7).mem(3).does("some")
    for k in range(30):
        s.go(25, 0.3, 25, 750).say(f"# ema.pt written ({k + 1}), 0.02 s", 0.05)
    yield s.end(HARD)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (braked, standing, hungry, uneven, learned, fine):
        yield from part()


RECIPE = Recipe("limekiln_registers_by_pen", "development", jobs)
