"""Of many houses, first page: speech, proteins, detectors, recommenders that did not end as their owners wished."""

from __future__ import annotations

from corpus.make._ballast import A100_40, COLD, CONTEXT, IDLE, SPIN, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, srun_says, taken_down
from corpus.make._pigeon_kit import A30, A40, A100, A6000, ADA, H100, H200, T4, Bench, bar, keras_bar, left

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def shared_folder() -> Made:
    """A1: SpeechBrain cannot make its folder of results under a colleague's tree."""
    f = Bench(("uc2n501",), "sb-conformer-it", 5_530_118, when("2026-04-07 09:02"), per=2, agents=True, card=A100_40, script="train.py", submit_line="sbatch sb.sh hparams/conformer_it.yaml")
    text = frames(
        ("/pfs/work/lk/recipes/CommonVoice/ASR/train.py", 309, "<module>", "sb.create_experiment_directory("),
        ("/pfs/work/lk/env/lib/python3.10/site-packages/speechbrain/utils/distributed.py", 99, "main_proc_wrapped_func", "result = function(*args, **kwargs)"),
        ("/pfs/work/lk/env/lib/python3.10/site-packages/speechbrain/core.py", 165, "create_experiment_directory", "os.makedirs(experiment_directory)"),
        ("/opt/bwhpc/common/python/3.10/lib/python3.10/os.py", 225, "makedirs", "mkdir(name, mode)"),
        error="PermissionError: [Errno 13] Permission denied: '/pfs/work/shared_asr/results/conformer_it/1986'",
    )  # fmt: skip
    f.say(0, 21, text, "[rank0]: ")
    f.say(1, 23, frames(("/pfs/work/lk/recipes/CommonVoice/ASR/train.py", 302, "<module>", "sb.utils.distributed.ddp_barrier()"), error="torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Connection reset by peer"), "[rank1]: ")
    f.end(0, 22, code=1)
    f.end(1, 24, code=1)
    elastic(f, 0, 26, [(0, 1, 22), (1, 1, 24)], binary="/pfs/work/lk/env/bin/python", version="2.5")
    srun_says(f, 27, "error: uc2n501: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (17, CONTEXT)])
    f.close("FAILED", 29, code=1)
    return made(f, "A1", "permission", first=(0,))


@job
def no_backend() -> Made:
    """A1: JAX was told to use CUDA and its plug-in finds no device: the node's driver is older than its CUDA."""
    f = Bench(("leo-4",), "flax-unet-cells", 5_530_470, when("2026-04-08 11:30"), per=1, card={**A100, "driver_version": "470.82.01"}, script="cells/train.py", submit_line="sbatch --export=ALL,JAX_PLATFORMS=cuda cells.sh")
    f.say(0, 10, f"E{f.clock(10, '%m%d %H:%M:%S')}.730113   40000 cuda_executor.cc:1228] INTERNAL: CUDA Runtime error: Failed call to cudaGetRuntimeVersion: Error loading CUDA libraries. GPU will not be used.: Error loading CUDA libraries. GPU will not be used.")
    f.say(0, 11, frames(("/leonardo/home/vb/cells/train.py", 77, "<module>", "main()"), ("/leonardo/home/vb/cells/train.py", 31, "main", "print(jax.devices())"), ("/leonardo/home/vb/.venv/lib/python3.11/site-packages/jax/_src/xla_bridge.py", 1090, "devices", "return get_backend(backend).devices()"), ("/leonardo/home/vb/.venv/lib/python3.11/site-packages/jax/_src/xla_bridge.py", 896, "backends", "raise RuntimeError(err_msg)"), error="RuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported devices found for platform CUDA (you may need to uninstall the failing plugin package, or set JAX_PLATFORMS=cpu to skip this backend.)"))
    f.end(0, 13, code=1)
    srun_says(f, 13.2, "error: leo-4: task 0: Exited with exit code 1")
    f.load([(0, IDLE)])
    f.close("FAILED", 15, code=1)
    return made(f, "A1", "runtime_error", variant="env")


@job
def broken_heap() -> Made:
    """A2: an extension in C of a recommender's sampler breaks the heap; glibc aborts it in the second hour."""
    f = Bench(("ads-2",), "lightgcn-shop", 5_530_802, when("2026-04-09 20:10"), per=1, card=A30, script="lightgcn.py", submit_line="sbatch lgcn.sh")
    last = f.steps(0, range(1, 64), 40, 84, lambda i, x, _t: f"EPOCH[{i}/400] loss{x:.3f}-|Sample:11.4{i % 9}|" + (f"\n[TEST]\n{{'precision': array([{0.02 + i / 9000:.8f}]), 'recall': array([{0.11 + i / 2000:.8f}]), 'ndcg': array([{0.08 + i / 2600:.8f}])}}" if i % 10 == 0 else ""), fall(0.69, 0.05, 6))
    f.say(0, last + 41, "malloc(): unaligned tcache chunk detected")
    f.end(0, last + 43, signal=6)
    srun_says(f, last + 44, "error: ads-2: task 0: Aborted (core dumped)")
    f.load([(0, IDLE), (36, Load(72, 0, 0.5, 0.31, 20))])
    f.close("FAILED", last + 46, code=134, batch=(134, None), step=("FAILED", 0, 6))
    return made(f, "A2", None, first=(0,), fault="unknown")


@job
def all_at_once() -> Made:
    """A3: single-cell counts are made dense for the evaluation, and the host has no such memory."""
    f = Bench(("sc-1",), "scvi-atlas", 5_531_106, when("2026-04-10 08:08"), per=1, card=A40, script="atlas_scvi.py", submit_line="sbatch --mem=180G atlas.sh")
    f.say(0, 25, "AnnData object with n_obs × n_vars = 1462702 × 36601\nGPU available: True (cuda), used: True\nLOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]")
    for e in range(1, 21):
        x = fall(7210, 6480, 6, ripple=0.0004)(e)
        f.say(0, 40 + 71 * e, bar(e, 60, 71, head=f"Epoch {e}/60", more=f"v_num=1, train_loss_step={x + 9:.0f}, train_loss_epoch={x:.0f}"))
    at = 40 + 71 * 20 + 2.0
    f.say(0, at, "[callback] epoch 20: latent written, scoring marker genes ...")
    f.say(0, at + 50, frames(("/lab/sc/atlas_scvi.py", 88, "<module>", "model.train(max_epochs=60, callbacks=[Markers(adata, every=20)])"), ("/lab/sc/atlas_scvi.py", 61, "on_train_epoch_end", "dense = adata.X.toarray()"), ("/lab/sc/env/lib/python3.11/site-packages/scipy/sparse/_compressed.py", 1170, "toarray", "out = self._process_toarray_args(order, out)"), error="numpy._core._exceptions._ArrayMemoryError: Unable to allocate 199. GiB for an array with shape (1462702, 36601) and data type float32"))
    f.end(0, at + 53, code=1)
    srun_says(f, at + 53.4, "error: sc-1: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (36, Load(64, 0, 0.44, 0.1, 18)), (at + 3, Load(0, 0, 0.12, 0.1, 0))])
    f.close("FAILED", at + 55, code=1)
    return made(f, "A3", "ram_oom", first=(0,))


@job
def grey_picture() -> Made:
    """A3: a grey picture among colours cannot be stacked; a loader's worker raises in the first epoch."""
    f = Bench(("mm-3",), "clip-museum", 5_531_440, when("2026-04-11 15:45"), per=1, card=A6000, script="finetune_clip.py", submit_line="sbatch clipft.sh")
    last = f.steps(0, range(25, 676, 25), 30, 0.74, lambda i, x, _t: f"step={i} loss={x:.4f} acc_i2t={min(0.9, 0.02 + i / 1000):.3f} acc_t2i={min(0.9, 0.02 + i / 1050):.3f}", fall(4.8, 1.9, 120))
    f.say(0, last + 9, frames(("/data/museum/finetune_clip.py", 120, "<module>", "main()"), ("/data/museum/finetune_clip.py", 83, "main", "for images, texts in loader:"), ("/data/museum/.venv/lib/python3.12/site-packages/torch/utils/data/dataloader.py", 701, "__next__", "data = self._next_data()"), ("/data/museum/.venv/lib/python3.12/site-packages/torch/_utils.py", 733, "reraise", "raise exception"), error="RuntimeError: Caught RuntimeError in DataLoader worker process 5.\nOriginal Traceback (most recent call last):\n  File \"/data/museum/.venv/lib/python3.12/site-packages/torch/utils/data/_utils/worker.py\", line 351, in _worker_loop\n    data = fetcher.fetch(index)  # type: ignore[possibly-undefined]\n  File \"/data/museum/.venv/lib/python3.12/site-packages/torch/utils/data/_utils/fetch.py\", line 55, in fetch\n    return self.collate_fn(data)\n  File \"/data/museum/.venv/lib/python3.12/site-packages/torch/utils/data/_utils/collate.py\", line 272, in collate_tensor_fn\n    return torch.stack(batch, 0, out=out)\nRuntimeError: stack expects each tensor to be equal size, but got [3, 224, 224] at entry 0 and [1, 224, 224] at entry 41\n"))
    f.end(0, last + 12, code=1)
    srun_says(f, last + 12.2, "error: mm-3: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (26, Load(93, 0, 0.8, 0.5))])
    f.close("FAILED", last + 14, code=1)
    return made(f, "A3", "runtime_error", first=(0,))


@job
def swept_away() -> Made:
    """A3: the scratch's purge removes old shards while a run of days reads them."""
    f = Bench(("bw-12",), "audio-mae", 5_531_790, when("2026-04-12 06:00"), per=4, card=A100, script="pretrain_amae.py", submit_line="sbatch amae.sh")
    last = f.steps(0, range(100, 21_301, 100), 60, 0.92, lambda i, x, t: f"[{f.clock(t, '%H:%M:%S.118')}] Epoch: [{i // 5000}]  [{i % 5000:>4}/5000]  eta: {(5000 - i % 5000) * 0.92 // 3600:.0f}:{(5000 - i % 5000) * 0.92 % 3600 // 60:02.0f}:07  lr: 0.000150  loss: {x:.4f} ({x + 0.004:.4f})  time: 0.92{i // 100 % 9}1  data: 0.0011  max mem: 51211", fall(1.1, 0.39, 900))
    f.say(3, last + 11, frames(("/home/hpc/au/amae/pretrain_amae.py", 262, "<module>", "main(args)"), ("/home/hpc/au/amae/engine_pretrain.py", 38, "train_one_epoch", "for data_iter_step, (fbank, _) in enumerate(metric_logger.log_every(data_loader, print_freq, header)):"), ("/home/hpc/au/venv/lib/python3.9/site-packages/torch/_utils.py", 543, "reraise", "raise exception"), error="FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 7.\nOriginal Traceback (most recent call last):\n  File \"/home/hpc/au/venv/lib/python3.9/site-packages/torch/utils/data/_utils/worker.py\", line 302, in _worker_loop\n    data = fetcher.fetch(index)\n  File \"/home/hpc/au/amae/dataset.py\", line 132, in __getitem__\n    with open(self.shards[s], \"rb\") as fh:\nFileNotFoundError: [Errno 2] No such file or directory: '/scratch/au/audioset/unbal/shard_01877.bin'\n"))
    f.end(3, last + 14, code=1)
    f.end([0, 1, 2], last + 17, signal=9)
    srun_says(f, last + 15, "error: bw-12: task 3: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: bw-12: tasks 0-2: Killed")
    f.load([(0, IDLE), (55, Load(97, 0, 0.87, 0.64))])
    f.close("FAILED", last + 19, code=1)
    return made(f, "A3", "file_not_found", first=(3,))


@job
def keras_wants_more() -> Made:
    """B1: Keras fits two epochs of a transformer on spectrograms, then its validation with larger batches does not fit."""
    f = Bench(("tf-7",), "ast-keras-whales", 5_532_020, when("2026-04-13 14:14"), per=1, card=T4, script="whales.py", submit_line="sbatch whales.sh")
    f.say(0, 9, f"{f.clock(9)}.501190: I tensorflow/core/common_runtime/gpu/gpu_device.cc:2022] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 13775 MB memory:  -> device: 0, name: Tesla T4, pci bus id: 0000:1b:00.0, compute capability: 7.5")
    at = 20.0
    for i in range(50, 701, 50):
        at += 29
        f.say(0, at, ("Epoch 1/30\n" if i == 50 else "") + f"{i}/700 ━━━━━━━━━━━━━━━━━━━━ {(700 - i) * 0.58:.0f}s 580ms/step - auc: {0.5 + i / 2200:.4f} - loss: {fall(0.71, 0.3, 90)(i):.4f}")
    f.say(0, at + 21, f"{f.clock(at + 21)}.221007: W external/local_tsl/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 4.50GiB (rounded to 4831838208)requested by op functional_1/attention_3/Softmax\nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \nCurrent allocation summary follows.")
    f.say(0, at + 23, frames(("/home/oce/w/whales.py", 141, "<module>", "model.fit(train, validation_data=dev.batch(128), epochs=30)"), ("/home/oce/w/env/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", 122, "error_handler", "raise e.with_traceback(filtered_tb) from None"), error="tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node functional_1/attention_3/Softmax defined at (most recent call last):\n<stack traces unavailable>\nOOM when allocating tensor with shape[128,12,886,886] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node functional_1/attention_3/Softmax}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. This isn't available when running in Eager mode.\n [Op:__inference_multi_step_on_iterator_8811]"))
    f.end(0, at + 26, code=1)
    srun_says(f, at + 26.3, "error: tf-7: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (10, Load(0, 0, 0.2, 0.86, 0)), (40, Load(96, 0, 0.95, 0.86)), (at + 4, Load(80, 0, 0.8, 0.95, 30))])
    f.close("FAILED", at + 28, code=1)
    return made(f, "B1", "cuda_oom", first=(0,))


@job
def double_bit() -> Made:
    """B2: an uncorrectable error of memory on the card of rank 1, with its Xids and counters; the folding run ends."""
    f = Bench(("pf-2",), "openfold-ft", 5_532_360, when("2026-04-14 01:15"), per=4, card=A100, script="train_openfold.py", submit_line="sbatch of.sh")
    last = f.steps(0, range(10, 1511, 10), 130, 9.2, lambda i, x, _t: f"Epoch 0: {100 * i // 4000:>3}%| {i}/4000 [{int(i * 9.2) // 3600}:{int(i * 9.2) // 60 % 60:02d}:{int(i * 9.2) % 60:02d}<{left((4000 - i) * 9.2)}, 9.2{i // 10 % 9}s/it, v_num=33, train/loss={x:.2f}, train/fape={x / 90:.3f}, train/lddt_ca={0.84 - x / 300:.3f}]", fall(61, 38, 130))
    f.xid(1, last + 3, 48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 3, subpartition 0.")
    f.xid(1, last + 3.2, 63, "Row Remapper: New row (0x00000000004c1a21) marked for remapping, reset gpu to activate.", named=False)
    f.xid(1, last + 3.3, 94, "Contained: SM (0x1). RST: No, D-RST: No")
    f.marks[1] = ({"ecc_volatile_uncorrected": 0}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True})
    f.say(1, last + 5, frames(("/pub/of/train_openfold.py", 405, "<module>", "main(args)"), ("/pub/of/train_openfold.py", 360, "main", "trainer.fit("), ("/pub/of/openfold/model/evoformer.py", 902, "forward", "m, z = blocks(m, z)"), error="RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"))
    f.end(1, last + 8, code=1)
    f.end([0, 2, 3], last + 12, signal=9)
    srun_says(f, last + 9, "error: pf-2: task 1: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: pf-2: tasks 0,2-3: Killed")
    f.load([(0, IDLE), (120, Load(95, 0, 0.8, 0.83))])
    f.close("FAILED", last + 15, code=1)
    return made(f, "B2", "cuda_runtime", first=(1,), variant="fault", fault="node")


@job
def knocking() -> Made:
    """C1: the ranks of the second node try a port of the first that does not answer; after the store's ten minutes they say so, the first's ranks likewise."""
    f = Bench(("n101", "n102"), "dino-hist", 5_532_701, when("2026-04-15 19:19"), per=2, card=A40, script="main_dino.py", submit_line="sbatch -N2 dino.sh")
    for r in (2, 3):
        f.say(r, 70 + r * 0.2, f"[W{f.clock(70, '%m%d %H:%M:%S')}.402118{r:03d} socket.cpp:759] [c10d] The client socket has failed to connect to [n101]:29512 (errno: 113 - No route to host).")
        f.say(r, 614 + r * 0.2, frames(("/home/digi/dino/main_dino.py", 473, "<module>", "train_dino(args)"), ("/home/digi/dino/main_dino.py", 134, "train_dino", "utils.init_distributed_mode(args)"), ("/home/digi/dino/utils.py", 499, "init_distributed_mode", "dist.init_process_group("), ("/home/digi/env/lib/python3.11/site-packages/torch/distributed/rendezvous.py", 185, "_create_c10d_store", "return TCPStore("), error="torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (n101, 29512)."))
    f.say(0, 618.2, frames(("/home/digi/dino/main_dino.py", 473, "<module>", "train_dino(args)"), ("/home/digi/dino/utils.py", 499, "init_distributed_mode", "dist.init_process_group("), ("/home/digi/env/lib/python3.11/site-packages/torch/distributed/rendezvous.py", 185, "_create_c10d_store", "return TCPStore("), error="torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 2/4 clients joined."))
    f.say(1, 620.4, frames(("/home/digi/dino/main_dino.py", 473, "<module>", "train_dino(args)"), ("/home/digi/dino/utils.py", 508, "init_distributed_mode", "dist.barrier()"), error="torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Connection reset by peer"))
    f.end([2, 3], 616, code=1, gap=0.1)
    f.end([0, 1], 620, code=1, gap=1.8)
    srun_says(f, 617, "error: n102: tasks 2-3: Exited with exit code 1", "error: n101: tasks 0-1: Exited with exit code 1")
    f.load([(0, IDLE), (8, IDLE)])
    f.close("FAILED", 624, code=1)
    return made(f, "C1", "traceback", fault="unknown")


@job
def lost_sister() -> Made:
    """C2: the kernel kills rank 6 as its loader fills the node; srun was told to let the others live: they spin until the limit of a day."""
    f = Bench(("hx-1", "hx-2"), "mt-sami", 5_533_015, when("2026-04-16 10:10"), per=4, card=H100, limit_s=86_400, script="fairseq_cli/hydra_train.py", submit_line="sbatch --time=1-0 sami.sh")
    f.script_words.append((1, "+ srun --kill-on-bad-exit=0 python fairseq_cli/hydra_train.py --config-dir conf --config-name sami"))
    last = f.steps(0, range(100, 14_201, 100), 61, 0.83, lambda i, x, t: f"[{f.clock(t)},{i // 100 % 1000:03d}][train_inner][INFO] - {{\"epoch\": {1 + i // 4100}, \"update\": {i / 4100:.3f}, \"loss\": \"{x:.3f}\", \"nll_loss\": \"{x - 1.2:.3f}\", \"ppl\": \"{2 ** (x - 1.2):.2f}\", \"wps\": \"41203.1\", \"num_updates\": \"{i}\", \"lr\": \"0.0005\", \"gnorm\": \"0.9{i // 100 % 9}\", \"train_wall\": \"83\", \"wall\": \"{t - 30:.0f}\"}}", fall(13.2, 4.1, 500))
    f.oom(6, last + 25, 240, 240.0)
    f.end(6, last + 25.3, signal=9)
    f.script_words.append((last + 26, f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.\nsrun: error: hx-2: task 6: Out Of Memory"))
    taken_down(f, 86_410, "DUE TO TIME LIMIT")
    f.end([r for r in f.ranks if r != 6], 86_412, signal=15)
    f.load([(0, IDLE), (56, WORK), (last + 26, SPIN)])
    f.load([(0, IDLE), (56, WORK), (last + 25, IDLE)], [6])
    f.close("TIMEOUT", 86_415, signal=15, step=("OUT_OF_MEMORY", 0, 125))
    return made(f, "C2", "oom_killer", first=(6,), trigger="A2")


@job
def still_lake() -> Made:
    """C3: one card; a process waits for NFS in the kernel after its first epoch, and the driver of its file system says that the server is away."""
    f = Bench(("eo-3",), "sen2-unet", 5_533_340, when("2026-04-17 13:00"), per=1, card=A40, limit_s=43_200, script="s2_unet.py", submit_line="sbatch --time=12:00:00 s2.sh")
    last = f.steps(0, range(1, 12), 40, 205, lambda i, x, t: f"{f.clock(t, '%Y-%m-%d %H:%M')} epoch {i:03d} train_dice_loss={x:.4f} val_dice_loss={x * 1.07:.4f} lr=1.0e-03", fall(0.71, 0.22, 4))
    f.kernel("eo-3", last + 260, "kernel_hung_task", "INFO: task python:40000 blocked for more than 120 seconds.", process="python", pid=40_000, blocked_s=120)
    f.looks[0] = {"state": "D", "wchan": "rpc_wait_bit_killable", "cpu_s": 2011.0, "looks": 4200, "waits": {"D rpc_wait_bit_killable": 3960}, "file_systems": ("nfs4 /mnt/sentinel",)}
    taken_down(f, 43_209, "DUE TO TIME LIMIT")
    f.end(0, 43_240, signal=9)
    f.load([(0, IDLE), (35, Load(91, 0, 0.8, 0.52)), (last + 60, Load(0, 0, 0.12, 0.52, 0))])
    f.close("TIMEOUT", 43_243, signal=15)
    return made(f, "C3", fault="unknown")


@job
def thin_straw() -> Made:
    """D1: Keras reads pictures by a Python generator on one core; the profiler's callback says that most of a step is waiting for input."""
    f = Bench(("kg-2",), "satellite-keras", 5_533_700, when("2026-04-18 08:30"), per=1, card=A100, script="sat_keras.py", submit_line="sbatch -c 2 satk.sh")
    at, curve = 30.0, fall(1.61, 0.44, 4)
    for e in range(1, 13):
        at += 610
        x = curve(e)
        f.say(0, at, f"Epoch {e}/12\n" + keras_bar(400, 1520, f"accuracy: {1 - x / 2.2:.4f} - loss: {x:.4f} - val_accuracy: {0.98 - x / 2.2:.4f} - val_loss: {x * 1.06:.4f}") + f"\n[input] epoch {e}: 1.52 s/step, of which next(generator) 1.21 s, train_on_batch 0.2{e % 9} s")
    f.say(0, at + 3, "model saved to sat_b3.keras")
    f.load([(0, IDLE), (26, Load(18, 0, 0.3, 0.97, 100))])
    f.points = 60
    f.close("COMPLETED", at + 9)
    return made(f, "D1")


@job
def through_the_office_net() -> Made:
    """D2: two nodes without a fabric reduce the gradients of a video model over sockets; NCCL says so, all cards wait alike."""
    f = Bench(("lab-a", "lab-b"), "videomae-surg", 5_534_011, when("2026-04-19 17:50"), per=4, card=H100, script="run_mae_pretraining.py", submit_line="sbatch -N2 vmae.sh")
    f.each(14, "{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO NET/IB : No device found.\n{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO NET/Socket : Using [0]eno1:10.20.4.{n}<0>\n{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO Using network Socket")
    last = f.steps(0, range(1, 1201, 10), 80, 8.9, lambda i, x, _t: f"Epoch: [{(i - 1) // 300}]  [{(i - 1) % 300:>3}/300]  eta: 0:{(299 - (i - 1) % 300) * 8.9 // 60:02.0f}:11  lr: 0.000{i:04d}  loss: {x:.4f} ({x + 0.003:.4f})  grad_norm: 0.{300 - i // 10}  time: 8.9{i // 10 % 9}1 (8.93)  data: 0.0004  max mem: 33104", fall(0.96, 0.61, 90))
    f.say(0, last + 20, "Training time 2:58:31")
    f.load([(0, IDLE), (75, Load(100, 8, 0.3, 0.43, 2))])
    f.close("COMPLETED", last + 30)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def not_a_number() -> Made:
    """E1: Detectron2 stops itself as its loss became infinite, with a rate too high for it."""
    f = Bench(("det-3",), "mrcnn-tiles", 5_534_360, when("2026-04-20 12:30"), per=1, card=ADA, script="train_net.py", submit_line="sbatch d2.sh SOLVER.BASE_LR 0.08")
    last = f.steps(0, range(19, 860, 20), 28, 0.39, lambda i, x, t: f"[{f.clock(t, '%m/%d %H:%M:%S')} d2.utils.events]:  eta: 3:{40 - i // 40:02d}:11  iter: {i}  total_loss: {x:.4g}  loss_cls: {x * 0.4:.4g}  loss_box_reg: {x * 0.3:.4g}  loss_mask: {x * 0.2:.4g}    time: 0.39{i % 9}  last_time: 0.38{i % 7}  data_time: 0.01{i % 9}  last_data_time: 0.00{i % 8}   lr: {min(0.08, i * 8e-5):.4g}  max_mem: 9077M", lambda i: fall(3.1, 1.7, 100)(i) if i < 700 else 1.9 * 1.6 ** ((i - 700) / 12))
    f.say(0, last + 2, f"[{f.clock(last + 2, '%m/%d %H:%M:%S')} d2.engine.train_loop]: Exception during training:\n" + frames(("/ws/d2/detectron2/engine/train_loop.py", 155, "train", "self.run_step()"), ("/ws/d2/detectron2/engine/defaults.py", 530, "run_step", "self._trainer.run_step()"), ("/ws/d2/detectron2/engine/train_loop.py", 361, "_write_metrics", "SimpleTrainer.write_metrics(loss_dict, data_time, iter, prefix)"), ("/ws/d2/detectron2/engine/train_loop.py", 402, "write_metrics", "raise FloatingPointError("), error="FloatingPointError: Loss became infinite or NaN at iteration=866!\nloss_dict = {'loss_cls': nan, 'loss_box_reg': inf, 'loss_mask': nan, 'loss_rpn_cls': nan, 'loss_rpn_loc': inf}"))
    f.end(0, last + 5, code=1)
    srun_says(f, last + 5.3, "error: det-3: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (25, Load(94, 0, 0.84, 0.2))])
    f.close("FAILED", last + 7, code=1)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def torn_zip() -> Made:
    """E2: the checkpoint that a follow-on run is to go on from was cut off when its parent's limit came; it cannot be read."""
    f = Bench(("wx-2",), "fourcast-2", 5_534_700, when("2026-04-21 07:40"), per=1, card=H200, script="fourcast.py", submit_line="sbatch --dependency=afterany:5534402 fc.sh --resume ckpt/fc_latest.pt")
    f.say(0, 12, "[fourcast] resuming from ckpt/fc_latest.pt")
    f.say(0, 13, frames(("/proj/clim/fourcast.py", 190, "<module>", "main()"), ("/proj/clim/fourcast.py", 122, "main", "start = restore(net, opt, args.resume)"), ("/proj/clim/state.py", 41, "restore", "blob = torch.load(path, map_location=\"cpu\")"), ("/proj/clim/.venv/lib/python3.12/site-packages/torch/serialization.py", 1462, "load", "with _open_zipfile_reader(opened_file) as opened_zipfile:"), ("/proj/clim/.venv/lib/python3.12/site-packages/torch/serialization.py", 798, "__init__", "super().__init__(torch._C.PyTorchFileReader(name_or_buffer))"), error="RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"))
    f.end(0, 15, code=1)
    srun_says(f, 15.2, "error: wx-2: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (11, CONTEXT)])
    f.close("FAILED", 17, code=1, dependency="afterany:5534402")
    return made(f, "E2", "runtime_error", variant="corrupt")


@job
def trial_steps() -> Made:
    """E3: six updates of a VITS voice on four cards, as a flag for trying the code was left in the script."""
    f = Bench(("tts-1",), "vits-estonian", 5_535_022, when("2026-04-22 16:00"), per=4, card=A40, script="train_ms.py", submit_line="sbatch vits.sh --max_updates 6")
    f.say(0, 19, "INFO:et:{'train': {'log_interval': 1, 'epochs': 10000, 'learning_rate': 0.0002, 'batch_size': 32, 'fp16_run': True, 'max_updates': 6}}\nDEBUG:asyncio:Using selector: EpollSelector")
    f.steps(0, range(1, 7), 40, 1.6, lambda i, x, _t: f"INFO:et:Train Epoch: 1 [{i}/3110]\nINFO:et:[{5.9 - x / 90:.4f}, {2.1 + x / 99:.4f}, 6.1{i}, {x:.3f}, 2.7{i}, 118.{i}, {i}, 0.0002]", lambda i: 96 - 1.1 * i)
    f.say(0, 56, "INFO:et:reached max_updates, Saving model and optimizer state at iteration 1 to ./logs/et/G_6.pth")
    f.load([(0, IDLE), (34, Load(60, 0, 0.5, 0.5, 50)), (54, Load(0, 0, 0.2, 0.5, 0))])
    f.close("COMPLETED", 63)
    return made(f, "E3")


@job
def for_the_owners() -> Made:
    """F2: preempted by the partition's owners in mid-run, requeue not allowed."""
    f = Bench(("own-9",), "pointnet-forest", 5_535_350, when("2026-04-23 21:21"), per=2, card=A6000, script="trees3d.py", submit_line="sbatch -p preemptable trees3d.sh")
    last = f.steps(0, range(1, 48), 30, 142, lambda i, x, t: f"{f.clock(t, '%Y-%m-%d %H:%M:%S')} - Model - INFO - **** Epoch {i} (200) ****  Training mean loss: {x:.6f}  Training accuracy: {1 - x / 3:.6f}  eval point avg class IoU: {0.8 - x / 3:.6f}", fall(1.2, 0.21, 5))
    taken_down(f, last + 30, "DUE TO PREEMPTION")
    f.end(f.ranks, last + 32, signal=15)
    f.load([(0, IDLE), (26, Load(92, 0, 0.78, 0.44))])
    f.close("PREEMPTED", last + 36, signal=15, partition="preemptable")
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def one_of_them_cold() -> Made:
    """C2: rank 1 stands in D for its Lustre in a step, three others spin; the owner cancels after four hours."""
    f = Bench(("stro-1",), "galaxy-vae", 5_535_688, when("2026-04-24 11:00"), per=4, card=H100, script="gvae.py", submit_line="sbatch gvae.sh")
    last = f.steps(0, range(100, 9001, 100), 38, 0.37, lambda i, x, t: f"step {i:>6}  elbo {-x:9.2f}  kl {11 + i / 900:.2f}  {f.clock(t, '%H:%M:%S')}", fall(612, 231, 500))
    f.kernel("stro-1", last + 140, "kernel_hung_task", "INFO: task python:40001 blocked for more than 120 seconds.", process="python", pid=40_001, blocked_s=120)
    f.looks[1] = {"state": "D", "wchan": "cl_sync_io_wait", "looks": 2900, "waits": {"D cl_sync_io_wait": 1480}, "file_systems": ("lustre /lustre/sky",)}
    end = last + 4 * 3600 + 300.0
    taken_down(f, end, "")
    f.end([0, 2, 3], end + 2, signal=15)
    f.end(1, end + 33, signal=9)
    f.load([(0, IDLE), (34, WORK), (last + 2, SPIN)])
    f.load([(0, IDLE), (34, WORK), (last + 2, COLD)], [1])
    f.close("CANCELLED", end + 36, signal=15, cancelled_by_uid=1042)
    return made(f, "C2", fault="unknown")
