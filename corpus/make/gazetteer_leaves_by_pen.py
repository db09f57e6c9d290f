"""By hand: one process and its card, which is full, broken, held back, left to wait or misused; and such as do well and do not look it."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._atlas import A30, A100, B200, GH200, H100, H200, L40S, MI250, RTX, T4, V100, Plate
from corpus.make._atlas_lines import ASYNC, fell, full
from corpus.running.job import HandJob, Recipe

HARD, GOOD = Label(mode="G1", fault="none", hard=True), Label(mode="G1", fault="none")
STILL = Label(mode="C3", fault="user")


def sole(mode: str, cause: str | None, fault: str = "user", **more: str) -> Label:
    """It failed."""
    return Label(mode=mode, cause=cause, fault=fault, failed_ranks=(0,), first_ranks=(0,), **more)  # type: ignore[arg-type]


def full_up() -> Iterator[HandJob]:
    """B1."""
    what = sole("B1", "cuda_oom")
    p = Plate(51, "parish-htr", RTX, form="epoch").say("vocabulary of 311 signs", 9).hold(31).mood("work").steps(640, 0.5, 20, 8000).hold(46.8, over=2)
    p.say(fell(full("3.94 GiB", 0, "47.50 GiB", "707.19 MiB", "46.80 GiB", "42.11 GiB", "4.03 GiB"), "htr.py:144 <module> main()", "htr.py:101 main lattice = ctc.expand(logits, beam=96)"), 1)
    yield p.close(what, "FAILED", ends={0: 1})
    p = Plate(52, "rivernames-llm", A100, form="json").say('{"event": "load", "weights": "13B", "dtype": "float16"}', 12).mood("load").hold(38.9, over=38)
    p.say(fell(full("270.00 MiB", 0, "39.39 GiB", "182.06 MiB", "39.20 GiB", "38.72 GiB", "11.30 MiB", old=True), "names.py:33 <module> model = build(cfg).half().cuda()", "/opt/env/lib/python3.10/site-packages/torch/nn/modules/module.py:905 cuda return self._apply(lambda t: t.cuda(device))"), 40)
    yield p.close(what, "FAILED", ends={0: 1})
    p = Plate(53, "hillshade-gan", T4, form="french").say("carte : Tesla T4", 5).hold(13.2).mood("work").steps(1600, 0.4, 50, 20_000).say("évaluation sur les tuiles 2048 x 2048", 1).hold(14.3, over=1)
    p.say(fell(full("2.00 GiB", 0, "14.58 GiB", "271.62 MiB", "14.31 GiB", "12.90 GiB", "1.28 GiB"), "gan.py:201 <module> évaluer(g, grandes)", "gan.py:150 évaluer sortie = g(tuile)"), 3)
    yield p.close(what, "FAILED", ends={0: 1})
    p = Plate(54, "saga-flax", H100, form="absl").say("I0218 <c>.2 22611 main.py:12] devices: [CudaDevice(id=0)]", 15).hold(60).mood("load")
    p.say("W0218 <c>.910221 22680 bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 31.25GiB (rounded to 33554432000)requested by op \nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation.", 50)
    p.say(fell("jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 33554432000 bytes.", "main.py:70 <module> app.run(main)", "main.py:58 main state, aux = train_step(state, next(batches), key)"), 0.4)
    yield p.close(what, "FAILED", ends={0: 1})
    p = Plate(55, "toponym-bert", V100, form="bar").say("Some weights of TagHead are new, that is as it should be", 14).hold(27).mood("work").steps(900, 0.6, 20, 6000).hold(31.3, over=2)
    p.say(fell("RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "tag.py:77 <module> loss.backward()", "/opt/env/lib/python3.9/site-packages/torch/_tensor.py:492 backward torch.autograd.backward("), 1)
    yield p.close(what, "FAILED", ends={0: 1})
    p = Plate(56, "border-sam", MI250, form="lab").say("[<c> trainer.py:8] INFO - rocm 6.2, gfx90a", 9).hold(41).mood("work").steps(310, 1.2, 10, 4000).hold(63.4, over=3)
    p.say(fell("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 63.98 GiB of which 540.00 MiB is free. Of the allocated memory 58.77 GiB is allocated by PyTorch, and 3.90 GiB is reserved by PyTorch but unallocated.", "sam.py:90 <module> masks = decoder(tokens, upscale=4)"), 1)
    yield p.close(what, "FAILED", ends={0: 1})
    p = Plate(57, "oldroads-track", A30, form="row").say("it,loss,s,t", 6).hold(9).mood("work").steps(300, 0.5, 20, 4000)
    for k in range(13):
        p.hold(9.6 + 1.1 * k).steps(80, 0.5, 20, 4000)
    p.say(fell(full("64.00 MiB", 0, "23.59 GiB", "21.12 MiB", "23.56 GiB", "23.02 GiB", "180.40 MiB"), "track.py:58 <module> history.append(model(frames))"), 0.5).hold(23.5)
    yield p.close(what, "FAILED", ends={0: 1})


def broken() -> Iterator[HandJob]:
    """B2; what the program broke by itself; what the machine cannot run."""
    what = sole("B2", "cuda_runtime", "node", variant="fault")
    bad = {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True}
    p = Plate(58, "isogloss", A100, form="keyed").say("ts=5 level=info msg=begin", 6).hold(18).mood("work").steps(820, 0.7, 20, 40_000)
    p.xid(0, 48, "pid=40000, name=python, DBE (double bit error) at 0x00000004e2 subpartition 1", 0.7).say(fell("RuntimeError: CUDA error: uncorrectable ECC error encountered" + ASYNC, "iso.py:61 <module> step(x)"), 1)
    yield p.close(what, "FAILED", ends={0: 1}, after={0: bad})
    p = Plate(59, "sailcloth-nerf", GH200, form="arrow").hold(33).say("rays are cached", 20).mood("hard").steps(1500, 0.4, 50, 100_000).xid(0, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 0.2)
    lost = p.t
    p.say(fell("torch.AcceleratorError: CUDA error: unknown error" + ASYNC, "nerf.py:204 <module> render(batch)"), 5)
    yield p.close(what, "FAILED", ends={0: 1}, after={0: None}, gone={0: lost})
    p = Plate(60, "runes-ctc", H200, form="spanish").say("empieza", 8).hold(50).mood("work").steps(460, 1.1, 20, 9000)
    p.xid(0, 119, "pid=40000, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 103 (GSP_RM_ALLOC) (0x0 0x6c).", 20).xid(0, 154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", 19)
    lost = p.t - 18
    p.say("RuntimeError: CUDA error: unspecified launch failure" + ASYNC, 21)
    yield p.close(what, "FAILED", ends={0: 1}, after={0: None}, gone={0: lost})
    p = Plate(61, "fathoms-gp", L40S, form="loguru").say("kernel matrix 40k x 40k in blocks", 6).hold(28).mood("work").steps(330, 1.6, 10, 3000)
    p.xid(0, 95, "pid=40000, name=python, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No", 0.5).say("terminate called after throwing an instance of 'c10::AcceleratorError'\n  what():  CUDA error: uncorrectable ECC error encountered" + ASYNC, 1)
    yield p.close(what, "FAILED", ends={0: -6}, after={0: {**bad, "ecc_volatile_uncorrected": 4, "ecc_aggregate_uncorrected": 4}})
    p = Plate(62, "meridian-clip", B200, form="tokens").say("compiled", 70).hold(90).mood("hard").steps(280, 1.3, 10, 20_000)
    p.xid(0, 63, "pid=40000, name=python, Row Remapper: New row (0x000000000c3ab010) marked for remapping, reset gpu to activate.", 0.9).xid(0, 94, "pid=40000, name=python, Contained: SM (0x1). RST: No, D-RST: No", 0.7)
    p.say(fell("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + ASYNC, "clip.py:118 <module> scaler.update()"), 1)
    yield p.close(what, "FAILED", ends={0: 1}, after={0: bad})
    p = Plate(63, "placenames-ner", A30, form="german").say("Wortschatz: 29 871", 5).hold(8).mood("work").steps(350, 0.4, 10, 9000)
    p.xid(0, 43, "pid=40000, name=python, Ch 00000008", 0.3)
    p.say("../aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [4,0,0] Assertion `t >= 0 && t < n_classes` failed.\n" * 2 + fell("RuntimeError: CUDA error: device-side assert triggered" + ASYNC, "ner.py:66 <module> verlust.backward()"), 0.4)
    yield p.close(sole("A3", "cuda_runtime"), "FAILED", ends={0: 1})
    p = Plate(64, "triton-scan", H100, form="row").hold(20).say("start", 40).mood("work").steps(240, 0.3, 10, 5000)
    p.xid(0, 31, "pid=40000, name=python, Ch 00000002, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_2 faulted @ 0x7eff_52000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE", 0.3)
    p.say(fell("RuntimeError: CUDA error: an illegal memory access was encountered" + ASYNC, "scan.py:93 <module> y = selective_scan(x, block=256)"), 0.4)
    yield p.close(sole("A3", "cuda_runtime"), "FAILED", ends={0: 1})
    p = Plate(65, "lexicon-align", V100, form="bar").hold(11).say("pairs: 120000", 10).mood("work").steps(110, 0.6, 5, 3000)
    p.say(fell("RuntimeError: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__index_select)", "align.py:80 <module> rows = table.index_select(0, order)"), 0.6)
    yield p.close(sole("A3", "device_mismatch"), "FAILED", ends={0: 1})
    p = Plate(66, "newcard-try", B200).say("/opt/env/lib/python3.10/site-packages/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.", 8).hold(0.6)
    p.say(fell("RuntimeError: CUDA error: no kernel image is available for execution on the device" + ASYNC, "train.py:40 <module> net = net.to('cuda')", "train.py:44 <module> print(net(x).shape)"), 3)
    yield p.close(sole("A1", "cuda_runtime", variant="env"), "FAILED", ends={0: 1})


def slow() -> Iterator[HandJob]:
    """B3, C3, D1, D2."""
    for number, name, kind, mhz, brake, form in ((67, "coast-fill", H100, 675.0, False, "keyed"), (68, "herbarium", A30, 510.0, False, "epoch"), (69, "glacier-lstm", B200, 600.0, True, "french")):
        p = Plate(number, name, kind, form=form).say("begin", 10).hold(15).mood("work").steps(500, 0.6, 20, 1200)
        since = p.t
        p.mood("work", mhz=mhz, celsius=55.0 if brake else 90.0, reasons=136.0 if brake else 96.0, watts=0.36 * kind["power_limit_mw"] / 1000).steps(700, 1.9, 20, 1200).say("1200 done", 2)
        gone = 41_000_000 + int((p.t - since) * 0.94e9)
        yield p.close(Label(mode="B3", fault="node"), after={0: {f"violation_{k}_ns": gone for k in (("hw_power_brake", "power") if brake else ("hw_thermal", "thermal"))}})
    p = Plate(70, "census-tab", H100, form="json", limit_s=7200).hold(40).say('{"event": "start"}', 8).mood("work").steps(900, 0.7, 20, 50_000).mood("rest").busy(0)
    yield p.stuck(0, "S", "futex_wait_queue", waits={}).close(STILL, "TIMEOUT")
    p = Plate(71, "stamps-vit", L40S, form="fields", limit_s=10_800).hold(22).say("resume: no", 9).mood("work").steps(1200, 0.5, 40, 60_000).say("validation: spawning 8 workers", 1).mood("rest").busy(0)
    yield p.stuck(0, "S", "do_wait").close(STILL, "CANCELLED", by=1042, lag=4100)
    p = Plate(72, "bells-audio", A100, form="german", limit_s=5400).hold(17).say("los", 6).mood("work").steps(700, 0.9, 20, 30_000).say("lade Klangbild 17 nach", 1).mood("rest").busy(0)
    yield p.stuck(0, "S", "unix_stream_read_generic").close(STILL, "TIMEOUT")
    p = Plate(73, "moon-maps", GH200, form="absl", limit_s=9000).hold(60).say("I0218 <c>.7 22611 main.py:30] wandb: Syncing run lucid-tide-81", 12).mood("work").steps(1000, 0.6, 25, 90_000).mood("rest").busy(0)
    yield p.stuck(0, "S", "wait_woken").close(STILL, "CANCELLED", by=1042, lag=2600)
    hungry = Label(mode="D1", fault="user")
    p = Plate(74, "tapes-asr", H100, form="keyed").hold(18).say("ts=4 level=info msg=loader workers=1 codec=flac", 6).mood("drip").steps(150, 6.4, 2).say("level=info msg=end wer=0.118", 2)
    yield p.close(hungry)
    p = Plate(75, "diatoms-cls", A100, form="epoch").hold(9).say("num_workers=0, PIL, 6000 x 4000 px", 5).mood("drip").steps(220, lambda i: 11.0 if i % 5 == 0 else 1.2, 5).say("acc 0.913", 4)
    yield p.close(hungry)
    p = Plate(76, "manuscript-diff", RTX, form="spanish").hold(25).say("las imágenes vienen por sshfs", 5).mood("drip").steps(130, 7.7, 2).say("terminado", 2)
    yield p.close(hungry)
    p = Plate(77, "gnss-tft", L40S, form="bar").hold(5).say("parquet, one row group at a time", 4).mood("drip").steps(300, lambda i: 14.5 if i % 6 == 0 else 0.4, 6).say("rmse 2.1 mm", 2)
    yield p.close(hungry)
    for number, name, kind, each, where in ((78, "weld-seg", H200, 7.0, "/archive/weld"), (79, "tidepool", V100, 12.0, "/nfs3/u/alice/tidepool")):
        p = Plate(number, name, kind, form="lab").hold(24).say("ready", 9)
        for k in range(1, 56):
            p.mood("work").steps(1, 0.9, 1, 55).mood("save").say(f"-> {where}/snap{k:03d}.pth (5.1 GB, {each + p.dice.uniform(-0.5, 0.5):.1f} s)", each)
        yield p.say("done").close(Label(mode="D2", variant="save_storm", fault="user"))


def learning() -> Iterator[HandJob]:
    """E1, E3."""
    p = Plate(80, "moire-vae", A100, form="arrow").hold(14).say("fp16, no scaler", 5).mood("work").steps(700, 0.4, 20, loss=lambda i: 3.0 * (1 + i / 40) ** -0.5 if i < 430 else float("nan")).say("700 steps, saved", 1)
    yield p.close(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user"))
    p = Plate(81, "watermarks", RTX, form="epoch").hold(8).say("lr 3e-1 (was 3e-4 in the paper)", 4).mood("work").steps(640, 0.5, 20, loss=lambda i: 2.1 + 3 * (1 + i / 30) ** -0.8 if i < 300 else 9.4 + 0.3 * (i * 7 % 11) / 11).say("test loss 9.51", 2)
    yield p.close(Label(mode="E1", variant="spike", fault="user"))
    p = Plate(82, "quick-look", T4, form="row").hold(6).say("max_steps=4", 5).mood("light").steps(4, 1.5, 1).say("model.safetensors written (438 MB)", 4)
    yield p.close(Label(mode="E3", fault="user"))


def well() -> Iterator[HandJob]:
    """G1."""
    p = Plate(83, "loupe-det", L40S, form="fields")
    for size in (48, 32):
        p.say(f"batch {size}: " + full("1.88 GiB", 0, "47.50 GiB", "1.02 GiB", "46.48 GiB", "45.13 GiB"), 6)
    yield p.say("batch 24: ok, 40.2 GiB", 6).hold(40.2).mood("hard").steps(700, 0.6, 20).say("mAP 0.448 after 700 iterations, finished", 3).close(HARD)
    p = Plate(84, "almanac-lm", V100, form="tokens").hold(23).say("restored from almanac_03: optimizer left out on purpose, warm start for the new corpus", 9).mood("work").steps(800, 0.7, 20).say("end of corpus", 2)
    yield p.close(HARD, before={0: {"ecc_aggregate_uncorrected": 12, "retired_pages_dbe": 3, "retired_pages_sbe": 9, "remapped_rows_correctable": None, "remapped_rows_uncorrectable": None, "remap_pending": None, "remap_failure": None}}, after={0: {"ecc_volatile_corrected": 5}})
    p = Plate(85, "fjord-probe", H100, form="keyed").hold(50).say("go", 8).mood("work").steps(300, 1.0, 20, 600).say("ts=<c> level=warn msg=scoring on the CPU, 40k pages; card rests", 1).mood("rest").busy(1500)
    yield p.say("ts=<c> level=info msg=scored f1=0.871", 420).busy(90).mood("work").steps(300, 1.0, 20, 600).say("ts=<c> level=info msg=end", 1).close(HARD)
    p = Plate(86, "sextant-ppo", A30, form="json").hold(4).say('{"env": "sextant-v2", "n_envs": 16}', 7).mood("light").steps(600, 0.9, 20, loss=lambda i: 0.4 + 0.35 * ((i * 13) % 17) / 17 - i / 4000).say('{"eval_return": 411.2, "before": 96.0}', 2)
    yield p.close(HARD)
    p = Plate(87, "ledger-ocr", A100, form="loguru").hold(16).mood("work").steps(250, 0.8, 20, 500).say("worker 3 (pid 40117) was killed by signal 9, a new one takes its place", 1).steps(250, 0.8, 20, 500).say("[W218 <c>.1 CudaIPCTypes.cpp:16] Producer process has been terminated before all shared CUDA tensors released.", 1).say("cer 0.034, best so far; stop", 1)
    yield p.close(HARD)
    p = Plate(90, "atoll-mlp", A30, form="table").hold(1.4).say("model: 0.3 M parameters, batch 64 (a small one, the card is bored)", 5).mood("light").steps(1500, 0.25, 50).say("r2 0.967 on the held-out atolls", 1)
    yield p.close(HARD)
    p = Plate(91, "cay-resumed", H100, form="loguru", submit="sbatch cay.slurm --resume runs/cay/step-3000.pt")
    p.say(f"loading runs/cay/step-3000.pt (step 3000, loss {p.loss(3000):.3f})", 20).hold(44)
    p.done = 3000
    yield p.mood("work").steps(800, 0.8, 20, 3800).say("3800 reached, run is complete", 2).close(HARD)
    p = Plate(92, "foreland-amp", V100, form="bar").hold(19).say("Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\nGradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0", 12).mood("work").steps(640, 0.7, 20)
    yield p.say("nan in inputs: 0, inf in inputs: 0; no gain for 5 evaluations, stopping here as asked; best auc 0.904", 2).close(HARD)
    p = Plate(93, "sound-cls", L40S, form="arrow").hold(12).say("snapshot every 20 steps to /dev/shm", 6).mood("work")
    for k in range(1, 31):
        p.steps(20, 0.6, 20, 600).say(f"snapshot {k} -> /dev/shm/sound/{k % 2}.pt in 0.21 s", 0.21)
    yield p.say("600 done, moved to ~/sound", 4).close(HARD)
    p = Plate(88, "plain-run", H200, form="french").hold(70).say("début", 9).mood("hard").steps(900, 0.9, 30).say("fin, précision 0.934", 2)
    yield p.close(GOOD)
    p = Plate(89, "warm-room", GH200, form="spanish").hold(44).say("listo", 8).mood("work").steps(300, 1.0, 20, 700).mood("hard", celsius=80.0, reasons=4.0, mhz=1755.0).steps(400, 1.04, 20, 700).say("700 pasos, exactitud 0,88", 2)
    yield p.close(HARD, after={0: {"violation_power_ns": 391_000_000_000}})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full_up, broken, slow, learning, well):
        yield from part()


RECIPE = Recipe("gazetteer_leaves_by_pen", "development", jobs)
