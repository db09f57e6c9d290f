"""Jobs of several groups on a shared cluster, first shelf: stopped by an error, by a signal, by a card."""

from __future__ import annotations

from corpus.make._lichen_kit import A100, A100P, A6000, H100, H200, L40S, OFF, OPENED, RTX4090, Lab, Mood, busy
from corpus.make._lichen_words import Job, bad, decay, hms, on, shelf, tb

JOBS, case = shelf()


@case
def colleagues_weights() -> Job:
    """A1: the checkpoint to start from lies in a colleague's home and is readable by him alone."""
    f = Lab(
        nodes=("tsp3",),
        name="sam-kidney",
        job_id=2_410_077,
        start_ns=on("2026-11-02 10:05:30"),
        gpus=1,
        board=L40S,
        program="python finetune_sam.py --init /home/tomas/sam/vit_b_stage1.pth",
        submit_line="sbatch sam.sh",
        zone_h=1,
    )
    f.out(0.4, "==> sam-kidney on tsp3, GPU 0: NVIDIA L40S")
    f.put(12, "loading initial weights from /home/tomas/sam/vit_b_stage1.pth")
    f.put(
        12.2,
        tb(
            ("/home/jana/sam/finetune_sam.py", 164, "<module>", "main(get_args())"),
            ("/home/jana/sam/finetune_sam.py", 88, "main", "state = torch.load(args.init, map_location='cpu')"),
            ("/home/jana/.local/lib/python3.10/site-packages/torch/serialization.py", 1425, "load", "with _open_file_like(f, 'rb') as opened_file:"),
            end="PermissionError: [Errno 13] Permission denied: '/home/tomas/sam/vit_b_stage1.pth'",
        ),
    )
    f.leave(0, 13, code=1)
    f.feel((0, OFF), (9, OPENED))
    f.close("FAILED", 14, code=1)
    return bad(f, "A1", "permission", variant="asset")


@case
def unknown_key() -> Job:
    """A1: the chosen configuration of the optimiser lacks a key that the program asks for."""
    f = Lab(
        nodes=("tsp5",),
        name="tts-vits-hr",
        job_id=2_410_530,
        start_ns=on("2026-11-03 16:31:00"),
        gpus=2,
        board=A100,
        way="srun",
        program="python train_vits.py model=vits_hr optim=noam",
        submit_line="sbatch -n2 vits.sh model=vits_hr optim=noam",
    )
    text = tb(
        ("/home/filip/vits/train_vits.py", 201, "<module>", "main()"),
        ("/home/filip/vits/train_vits.py", 77, "main", "schedule = NoamLR(optimizer, cfg.optim.warmup)"),
        ("/home/filip/env/lib/python3.10/site-packages/omegaconf/dictconfig.py", 355, "__getattr__", "self._format_and_raise("),
        ("/home/filip/env/lib/python3.10/site-packages/omegaconf/_utils.py", 797, "_raise", "raise ex.with_traceback(sys.exc_info()[2])"),
        end="omegaconf.errors.ConfigAttributeError: Key 'warmup' is not in struct\n    full_key: optim.warmup\n    object_type=dict",
    )
    f.put_all(7, lambda _: text)
    f.leave(f.world, 7.8, code=1)
    f.feel((0, OFF))
    f.out(8.6, "srun: error: tsp5: tasks 0-1: Exited with exit code 1")
    f.close("FAILED", 9.5, code=1)
    return bad(f, "A1", "traceback", variant="config", failed=(0, 1))


@case
def renderer_of_rank_one() -> Job:
    """A2: rank 1 of two dies of a segmentation fault in its video decoder, an hour in; srun takes the other down."""
    f = Lab(
        nodes=("tsp1",),
        name="videomae-surg",
        job_id=2_411_006,
        start_ns=on("2026-11-04 22:15:00"),
        gpus=2,
        board=H100,
        way="srun",
        program="python train_video.py",
        submit_line="sbatch -n2 -K vid.sh",
    )
    ce = decay(3.2, 0.9, 700)
    last = f.go(
        range(30, 2431, 30),
        60,
        1.46,
        lambda i, t: f"[{f.clock(t, '%H:%M:%S')} r0] iter {i}  ce {ce(i):.4f}  phase-acc {min(0.84, 0.2 + i / 3800):.3f}",
    )
    f.leave(1, last + 17, signal=11)
    f.leave(0, last + 19, signal=15)
    f.seen[1] = {"core_dumped": True}
    f.kernel(
        "tsp1",
        last + 17,
        "segfault",
        "python[40001]: segfault at 7f02c4000010 ip 00007f0401b2e7d4 sp 00007f03d1ffa2a0 error 4 in libavcodec.so.59.37.100[7f0401600000+d8a000]",
        process="python",
        pid=40_001,
    )
    f.out(
        last + 18,
        "srun: error: tsp1: task 1: Segmentation fault (core dumped)",
        f"srun: Terminating StepId={f.job_id}.0",
        f"slurmstepd: error: *** STEP {f.job_id}.0 ON tsp1 CANCELLED AT {f.clock(last + 18, '%Y-%m-%dT%H:%M:%S')} ***",
        "srun: error: tsp1: task 0: Terminated",
    )
    f.feel((0, OFF), (54, busy(0.8)))
    f.close("FAILED", last + 21, code=139, step=("FAILED", 0, 11))
    return bad(f, "A2", "segfault", first=(1,))


@case
def grey_masks() -> Job:
    """A3: an assertion of the user's own about masks fails in the third epoch."""
    f = Lab(
        nodes=("tsp2",),
        name="road-seg",
        job_id=2_411_290,
        start_ns=on("2026-11-05 07:45:00"),
        gpus=1,
        board=A6000,
        program="python road_seg.py",
        submit_line="sbatch road.sh",
    )
    bce = decay(0.69, 0.11, 300)
    last = f.go(range(25, 1326, 25), 17, 0.41, lambda i, _t: f"ep {i // 600} b {i % 600:>3}: bce={bce(i):.4f} iou={0.95 - bce(i):.3f}")
    f.put(
        last + 4,
        tb(
            ("/home/mirek/road/road_seg.py", 122, "<module>", "train()"),
            ("/home/mirek/road/road_seg.py", 80, "train", "for img, mask in loader:"),
            (
                "/home/mirek/road/road_data.py",
                35,
                "collate",
                "assert set(mask.unique().tolist()) <= {0, 1}, f'{name}: mask is not binary: {mask.unique()[:5]}'",
            ),
            end="AssertionError: tile_20871.png: mask is not binary: tensor([0.0000, 0.0039, 0.0078, 0.4980, 0.5020])",
        ),
    )
    f.leave(0, last + 5, code=1)
    f.feel((0, OFF), (14, busy(0.33)))
    f.close("FAILED", last + 6, code=1)
    return bad(f, "A3", "assertion")


@case
def one_grey_picture() -> Job:
    """A3: a picture with one channel among those with three; the worker's collate cannot stack them."""
    f = Lab(
        nodes=("tsp2",),
        name="fungi-vit",
        job_id=2_411_377,
        start_ns=on("2026-11-05 18:20:00"),
        gpus=1,
        board=A6000,
        program="python fungi.py --model vit_small",
        submit_line="sbatch fungi.sh",
        zone_h=1,
    )
    ce = decay(7.1, 2.9, 800)
    last = f.go(
        range(100, 2801, 100),
        20,
        0.24,
        lambda i, t: (
            f"{f.clock(t, '%d/%m/%Y %H:%M:%S')} - train - step {i}/31250 - loss {ce(i):.4f} - top5 {min(0.8, i / 5000):.3f} - {133 + i % 7} img/s"
        ),
    )
    f.put(
        last + 12,
        tb(
            ("/home/iva/fungi/fungi.py", 99, "<module>", "for x, y in tqdm(train_loader, disable=True):"),
            ("/opt/conda/lib/python3.11/site-packages/torch/utils/data/dataloader.py", 701, "__next__", "data = self._next_data()"),
            ("/opt/conda/lib/python3.11/site-packages/torch/_utils.py", 733, "reraise", "raise exception"),
            end='RuntimeError: Caught RuntimeError in DataLoader worker process 2.\nOriginal Traceback (most recent call last):\n  File "/opt/conda/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 351, in _worker_loop\n    data = fetcher.fetch(index)  # type: ignore[possibly-undefined]\n  File "/opt/conda/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py", line 272, in collate_tensor_fn\n    return torch.stack(batch, 0, out=out)\nRuntimeError: stack expects each tensor to be equal size, but got [3, 224, 224] at entry 0 and [1, 224, 224] at entry 41\n',
        ),
    )
    f.leave(0, last + 13, code=1)
    f.feel((0, OFF), (16, busy(0.38)))
    f.close("FAILED", last + 15, code=1)
    return bad(f, "A3", "runtime_error")


@case
def unseen_token() -> Job:
    """A3: torchrun with four workers in the batch script; a KeyError of rank 3 in the second epoch, the agent ends the others and sums up."""
    f = Lab(
        nodes=("tsp7",),
        name="prot-t5-loc",
        job_id=2_412_010,
        start_ns=on("2026-11-07 13:00:00"),
        gpus=4,
        board=A100,
        program="/home/petr/env/bin/python -u finetune_loc.py",
        submit_line="sbatch t5.sh",
    )
    ce = decay(2.3, 0.6, 350)
    last = f.go(
        range(20, 1441, 20), 74, 0.93, lambda i, _t: f"[rank0] ep {i // 1100} step {i % 1100}: ce {ce(i):.4f} q10 {min(0.81, 0.3 + i / 2800):.3f}"
    )
    f.put(
        last + 6,
        tb(
            ("/home/petr/loc/finetune_loc.py", 144, "<module>", "main()"),
            ("/home/petr/loc/finetune_loc.py", 91, "main", "for batch in loader:"),
            ("/home/petr/loc/encode.py", 19, "encode", "return [VOCAB[a] for a in seq]"),
            end="KeyError: '*'",
        ),
        3,
        "[rank3]: ",
    )
    for r in (0, 1, 2):
        f.out(
            last + 8 + r / 9,
            f"W{f.clock(last + 8, '%m%d %H:%M:%S')}.{228_114 + r} 2207488 torch/distributed/elastic/multiprocessing/api.py:900] Sending process {f.pid(r)} closing signal SIGTERM",
        )
    f.out(
        last + 9,
        f"E{f.clock(last + 9, '%m%d %H:%M:%S')}.104881 2207488 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 3 (pid: {f.pid(3)}) of binary: /home/petr/env/bin/python",
        tb(
            ("/home/petr/env/bin/torchrun", 8, "<module>", "sys.exit(main())"),
            end="torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        ),
        "=" * 60,
        "finetune_loc.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {f.clock(last + 7, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : tsp7",
        "  rank      : 3 (local_rank: 3)",
        f"  exitcode  : 1 (pid: {f.pid(3)})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=" * 60,
    )
    f.leave(3, last + 7, code=1)
    f.leave((0, 1, 2), last + 8.4, signal=15)
    f.feel((0, OFF), (65, busy(0.72)))
    f.close("FAILED", last + 11, code=1)
    return bad(f, "A3", "traceback", first=(3,))


@case
def first_compiled_step() -> Job:
    """B1: JAX needs more for the first step of a fluid solver's network than the card has."""
    f = Lab(
        nodes=("tsp4",),
        name="neuralgcm-2.8deg",
        job_id=2_412_330,
        start_ns=on("2026-11-08 09:12:00"),
        gpus=1,
        board=A100P,
        program="python train_gcm.py --rollout 24",
        submit_line="sbatch gcm.sh",
    )
    f.put(
        14,
        "I1108 09:12:14.201933 2207500 train_gcm.py:61] devices [CudaDevice(id=0)]; 31.4 M parameters; rollout of 24 steps\nI1108 09:12:16.918224 2207500 train_gcm.py:77] tracing and compiling the training step",
    )
    f.put(
        171,
        "W1108 09:14:51.040118 2207733 bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 27.46GiB (rounded to 29486940160)requested by op \nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation.",
    )
    f.put(
        172,
        tb(
            ("/home/hana/gcm/train_gcm.py", 170, "<module>", "app.run(main)"),
            ("/home/hana/gcm/train_gcm.py", 133, "main", "state, metrics = step_fn(state, batch)"),
            end="jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 29486939904 bytes.",
        ),
    )
    f.leave(0, 174, code=1)
    f.feel((0, OFF), (13, Mood(2, 0, 0.18, 0.76, 10)), (165, Mood(60, 0, 0.5, 0.78, 30)))
    f.close("FAILED", 176, code=1)
    return bad(f, "B1", "cuda_oom")


@case
def fell_off() -> Job:
    """B2: the card of a single-card job falls off the bus in the middle of a diffusion training."""
    f = Lab(
        nodes=("tsp9",),
        name="ldm-chestxray",
        job_id=2_412_781,
        start_ns=on("2026-11-09 20:50:00"),
        gpus=1,
        board=RTX4090,
        program="python ldm.py",
        submit_line="sbatch ldm.sh",
    )
    mse = decay(0.98, 0.13, 900)
    last = f.go(range(100, 9101, 100), 22, 0.52, lambda i, t: f"{hms(t)}  {i:>6}/60000  mse {mse(i):.5f}  ema 0.9999")
    f.driver(0, last + 20, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")
    f.counters[0] = ({}, None)
    f.put(
        last + 21,
        tb(
            ("/home/lucie/ldm/ldm.py", 190, "<module>", "train()"),
            ("/home/lucie/ldm/ldm.py", 148, "train", "log(step, loss.item())"),
            end="RuntimeError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
    )
    f.leave(0, last + 23, code=1)
    f.feel((0, OFF), (18, busy(0.77)))
    f.close("FAILED", last + 25, code=1)
    return bad(f, "B2", "cuda_runtime", variant="fault", fault="node")


@case
def brake_on_one() -> Job:
    """B3: power brake of one of four cards from minute nine on; the whole job goes at its pace."""
    f = Lab(
        nodes=("tsp8",),
        name="clip-herbar",
        job_id=2_413_118,
        start_ns=on("2026-11-10 12:00:00"),
        gpus=4,
        board=H200,
        way="srun",
        program="python clip_herbar.py",
        submit_line="sbatch -n4 herb.sh",
    )
    turn, nce = 540.0, decay(7.2, 1.7, 600)
    last = f.go(
        range(25, 3001, 25),
        55,
        lambda i: 0.62 if i <= 775 else 1.71,
        lambda i, t: f"{f.clock(t)} clip {i:>5}/3000 nce {nce(i):.4f} i/s {4096 / (0.62 if i <= 775 else 1.71):,.0f}",
    )
    f.put(last + 30, f"{f.clock(last + 30)} clip finished, zero-shot genus acc 0.447")
    for r in f.world:
        held = int((last - turn) * 0.96e9) if r == 1 else 0
        f.counters[r] = (
            {"violation_hw_power_brake_ns": 0, "violation_power_ns": 12_000, "violation_thermal_ns": 0},
            {"violation_hw_power_brake_ns": held, "violation_power_ns": 12_000 + held},
        )
    f.feel(
        (0, OFF),
        (50, Mood(97, 58, 0.82, 0.6, 4, 0.97, 60)),
        (turn, Mood(99, 24, 0.4, 0.6, 3, 0.97, 49)),
        (last + 30, Mood(0, 0, 0.15, 0.6, 0, 0.2, 38)),
    )
    f.feel(
        (0, OFF),
        (50, Mood(97, 58, 0.82, 0.6, 4, 0.97, 61)),
        (turn, Mood(99, 60, 0.31, 0.6, 3, 0.35, 47, 0x88)),
        (last + 30, Mood(0, 0, 0.15, 0.6, 0, 0.2, 38)),
        ranks=[1],
    )
    f.close("COMPLETED", last + 36)
    return bad(f, "B3", fault="node")
