"""Jobs of a weather office, a hospital, a game studio and others, by pen: what stopped before it began, what fell in the middle, what a card had no room for."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._heronry import Run
from corpus.make._heronry_words import brimful, cuda, down, trace, verdicts
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

NOT_BEGUN = Label(mode="A1", fault="user")
STRUCK = Label(mode="A2", fault="user")
FELL = Label(mode="A3", fault="user")
NO_ROOM = Label(mode="B1", cause="cuda_oom", fault="user")
ONE = {"failed_ranks": (0,), "first_ranks": (0,)}


def not_begun() -> Iterator[HandJob]:
    """A1."""
    s = Run(1, "precip-nowcast", "h100", 1, 8, script="nowcast/fit.py", via="torchrun", rack="wx")
    s.say("[%I][hydra][INFO] - Launching with experiment=radar_5min", 14, None).say("[%I][nowcast.data][INFO] - 41 880 radar frames indexed (2016-2024)", 6)
    s.say(trace("omegaconf.errors.ConfigAttributeError: Key 'warmup_step' is not in struct\n    full_key: optim.warmup_step\n    object_type=dict", "nowcast/fit.py|118|<module>|main()", "*/hydra/main.py|94|decorated_main|_run_hydra(", "nowcast/fit.py|97|main|sched = cosine(optimizer, warmup=cfg.optim.warmup_step, total=cfg.optim.steps)", "*/omegaconf/dictconfig.py|355|__getattr__|self._format_and_raise(", mark="[rank%r]: "), 5, None)
    yield s.say(verdicts("nowcast/fit.py", [(r, r, 1, s.pid(r)) for r in range(8)]), 3).end(NOT_BEGUN.but(variant="config", cause="traceback", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))

    s = Run(2, "stain-norm", "v100", 1, 4, script="stain.py", rack="med", east=1)
    s.sh("module load python/3.10 cuda/11.4").say(trace("ModuleNotFoundError: No module named 'torchstain'", "stain.py|9|<module>|from norm.macenko import Macenko", "norm/macenko.py|4|<module>|import torchstain.torch.normalizers as nz"), 11, None, 0.2)
    yield s.end(NOT_BEGUN.but(variant="env", cause="missing_module", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Run(3, "quest-dialogue", "l40s", 1, 2, script="sft_npc.py", via="accelerate", rack="play", east=-8)
    s.say("loading base model /gpfs/models/Nemo-Instruct-2407 in bf16", 9).say("Loading checkpoint shards: 100%|██████████| 5/5 [00:31<00:00,  6.27s/it]", 33, None)
    s.say(trace("FileNotFoundError: [Errno 2] No such file or directory: '/gpfs/work/alice/npc/chat_template.jinja'", "npc/sft_npc.py|71|<module>|tok.chat_template = Path(args.template).read_text()", "/usr/lib/python3.11/pathlib.py|1058|read_text|with self.open(mode='r', encoding=encoding, errors=errors) as f:", "/usr/lib/python3.11/pathlib.py|1044|open|return io.open(self, mode, buffering, encoding, errors, newline)", mark="[rank%r]: "), 2, None)
    yield s.mem(0.5, over=2).end(NOT_BEGUN.but(variant="asset", cause="file_not_found", failed_ranks=(0, 1)), "FAILED", dict.fromkeys(range(2), 1))

    s = Run(4, "knee-mri-recon", "a100", script="recon.py", rack="med", east=1)
    s.say("fastMRI-Auswertung, Akzeleration 4x, Spulen 15\nlese Volumenliste multicoil_train.csv: 973 Einträge", 8)
    s.say(trace("PermissionError: [Errno 13] Unable to synchronously open file (unable to open file: name = '/gpfs/patienten/knie/file1000412.h5', errno = 13, error message = 'Permission denied', flags = 0, o_flags = 0)", "recon/recon.py|133|<module>|main()", "recon/recon.py|64|main|train = SliceData(cfg.liste, cfg.wurzel)", "recon/slices.py|41|__init__|with h5py.File(path, 'r') as f:", "*/h5py/_hl/files.py|564|__init__|fid = make_fid(name, mode, userblock_size, fapl, fcpl, swmr=swmr)"), 3)
    yield s.end(NOT_BEGUN.but(variant="data", cause="permission", **ONE), "FAILED", {0: 1})

    s = Run(5, "reef-sound", "a40", 1, 4, script="reef.py", rack="mar", asked="sbatch --gpus=4 --ntasks=4 reef.sbatch")
    s.say("%T rank %r local device 0", 10, None)
    s.say("%h:%p:%p [0] init.cc:943 NCCL WARN Duplicate GPU detected : rank %r and rank 0 both on CUDA device 7000", 4, (1, 2, 3))
    twin = "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2006, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.20.5\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank %r and rank {} both on CUDA device 7000"
    for other, who in ((1, (0,)), (0, (1, 2, 3))):
        s.say(trace(twin.format(other), "reef/reef.py|88|<module>|dist.barrier()", "*/torch/distributed/c10d_logger.py|75|wrapper|return func(*args, **kwargs)", "*/torch/distributed/distributed_c10d.py|3683|barrier|work = default_pg.barrier(opts=opts)", mark="[rank%r]: "), 0.3, who)
    yield s.end(NOT_BEGUN.but(variant="config", cause="nccl", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Run(6, "enzyme-dock", "v100p", script="dock.py", rack="old")
    s.say("torch 2.8.0+cu128 | device Tesla V100-PCIE-16GB (sm_70)", 7).say(f"{'*'.replace('*', '/gpfs/work/alice/venv/lib/python3.11/site-packages')}/torch/cuda/__init__.py:283: UserWarning: \n    Found GPU0 Tesla V100-PCIE-16GB which is of cuda capability 7.0.\n    Minimum and Maximum cuda capability supported by this version of PyTorch is\n    (7.5) - (12.0)\n    \n  warnings.warn(", 2)
    s.mem(0.4, over=1).say(trace(cuda("no kernel image is available for execution on the device", "cudaErrorNoKernelImageForDevice", new=True), "dock/dock.py|57|<module>|net = EGNN(cfg).to('cuda')", "dock/egnn.py|30|__init__|nn.init.xavier_uniform_(self.edge.weight, gain=0.001)"), 3)
    yield s.end(NOT_BEGUN.but(variant="env", cause="cuda_runtime", **ONE), "FAILED", {0: 1})

    s = Run(7, "harbour-depth", "r6000", 1, 2, script="depth.py", rack="ws")
    s.say("stereo pairs: 18 204 | max disparity 192", 8).mem(2.1, over=2)
    s.say(trace("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_mm)", "depth/depth.py|142|<module>|run(parser.parse_args())", "depth/depth.py|101|run|disp = model(left, right)", "*/torch/nn/modules/module.py|1747|_call_impl|return forward_call(*args, **kwargs)", "depth/volume.py|66|forward|cost = feat.flatten(1) @ self.bins"), 5, (0, 1), 0.1)
    yield s.end(NOT_BEGUN.but(variant="config", cause="device_mismatch", failed_ranks=(0, 1)), "FAILED", dict.fromkeys(range(2), 1))


def struck() -> Iterator[HandJob]:
    """A2."""
    s = Run(11, "satellite-mae", "a100", 1, 4, "%T | {i:>6} | mae {x:.4f} | {sps:.0f} img/s", script="mae.py", via="torchrun", rack="eo", batch=1024)
    s.say("caching decoded tiles in memory (cache=ram)", 20).mem(61).gpu("run").busy(310).go(5200, 1.05, 40, down(1.02, 0.31), 40_000)
    s.oomed(2).say("E%m %T.%u 40000 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: -9) local_rank: 2 (pid: 51304) of binary: /gpfs/work/alice/venv/bin/python", 1.3)
    s.say(verdicts("mae.py", [(2, 2, -9, s.pid(2))]).split("\n", 1)[1], 0.4)
    yield s.end(STRUCK.but(cause="oom_killer", first_ranks=(2,)), "OUT_OF_MEMORY", {2: -9}, rest=-15, at={2: s.t - 1.7}, lag=2, memory={0: CgroupMemory(limit_bytes=240 * GIB, peak_bytes=240 * GIB, oom_events=3, oom_kill_events=1)}, words=(f"slurmstepd: error: Detected 1 oom_kill event in StepId={s.job}.0. Some of the step tasks have been OOM Killed.",))

    s = Run(12, "seismic-fwi", "h100p", 1, 8, "iter {i:5d}   misfit {x:.5e}   {dt:6.2f} s", script="fwi.py", rack="geo", east=3)
    s.say("rank %r: 14 of 112 shots", 12, None).mem(58).gpu("full").go(860, 8.4, 5, down(7.1e3, 420, 60), 3000)
    s.say('Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f21c9f3d740 (most recent call first):\n  File "/gpfs/work/alice/fwi/devito_op.py", line 212 in apply\n  File "/gpfs/work/alice/fwi/fwi.py", line 88 in gradient\n  File "/gpfs/work/alice/fwi/fwi.py", line 140 in <module>\n\nExtension modules: numpy.core._multiarray_umath, mpi4py.MPI, torch._C (total: 41)', 3.1, 6)
    yield s.end(STRUCK.but(cause="segfault", first_ranks=(6,)), "FAILED", {6: -11}, rest=-9, lag=12)

    s = Run(13, "fraud-gnn", "h200", 2, 4, "[{t:%d/%b %H:%M:%S}] (p{rank}) [{i}/{n}] bce={x:.4f} auc={acc:.4f}", script="gnn.py", rack="fin")
    s.say("rank %r: partition %r.metis, 6.1e7 edges", 15, None).mem(92).gpu("mid").go(2900, 2.1, 20, down(0.61, 0.08), 9000, who=range(8))
    yield s.wait(1.5).end(Label(mode="A2", fault="unknown", first_ranks=(4, 5)), "FAILED", {4: -9, 5: -9}, rest=-15, lag=9, at={4: s.t + 0.31, 5: s.t + 0.33})

    s = Run(14, "genome-bpe", "mi300", 1, 1, "", script="pretok.py", rack="bio")
    s.say("reading 3 202 assemblies", 9).busy(1540).say("pre-tokenised 400/3202", 410).say("pre-tokenised 800/3202", 422).say("pre-tokenised 1200/3202", 437)
    yield s.wait(133).oomed(0, whole=True).end(STRUCK.but(cause="oom_killer", **ONE), "FAILED", {0: -9})

    s = Run(15, "codec-tts", "l40s", 1, 1, "step={i} mel={x:.3f} kl={g:.3f}", script="vits.py", rack="snd", plain=True)
    s.say("phonemiser: espeak-ng 1.51", 6).mem(17).gpu("mid").go(9100, 0.46, 100, down(48, 17.4), 400_000).wait(2)
    yield s.end(STRUCK.but(cause="segfault", **ONE), "FAILED", {0: -11})


def fell() -> Iterator[HandJob]:
    """A3."""
    s = Run(21, "lesion-seg", "a100s", 1, 2, "{t:%Y-%m-%d %H:%M:%S} ep {ep:02d} it {i:05d} dice_loss {x:.4f} ({dt:.2f}s)", script="seg.py", rack="med", via="torchrun", east=1, epochs=60)
    s.say("Fold 2 von 5, 211 Fälle", 16).mem(33).gpu("run").go(3000, 1.3, 50, down(0.94, 0.21), 15_000).say("%I Validierung mit EMA-Gewichten", 4)
    s.say(trace("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1! (when checking argument for argument weight in method wrapper_CUDA___slow_conv3d_forward)", "seg/seg.py|233|<module>|main(cfg)", "seg/seg.py|190|main|dice = validate(ema.module, val_loader)", "*/torch/utils/_contextlib.py|116|decorate_context|return func(*args, **kwargs)", "seg/val.py|38|validate|logits = sliding_window(net, vol)", mark="[rank1]: "), 7, 1)
    yield s.say(verdicts("seg.py", [(1, 1, 1, s.pid(1))]), 2.5).end(FELL.but(cause="device_mismatch", first_ranks=(1,)), "FAILED", {1: 1}, rest=-15, at={1: s.t - 2.2}, lag=2)

    s = Run(22, "robot-bc", "l40s", 1, 1, "{{'train/loss': {x:.5f}, 'train/step': {i}, 'train/fps': {sps:.1f}}}", script="bc.py", rack="rob", batch=64)
    s.say("dataset: 212 demonstrations, 3 cameras", 9).mem(29).gpu("run").go(12_400, 0.51, 100, down(0.8, 0.04), 50_000)
    s.say(trace("AssertionError: action chunk crosses an episode boundary: 16 != 11", "bc/bc.py|160|<module>|train(cfg)", "bc/bc.py|121|train|for batch in loader:", "bc/chunks.py|54|__next__|assert len(acts) == self.horizon, f'action chunk crosses an episode boundary: {self.horizon} != {len(acts)}'"), 0.7)
    yield s.end(FELL.but(cause="assertion", **ONE), "FAILED", {0: 1})

    s = Run(23, "keyword-ctc", "v100", 1, 4, "|{ep:>4}|{i:>8}|{x:>9.3f}|{acc:>8.3f}|", script="kws.py", rack="snd", via="torchrun")
    s.say("|  ep|    step|      ctc|     acc|", 10).mem(14).gpu("mid").go(6000, 0.7, 60, down(9.2, 0.7), 30_000)
    s.say(trace("ZeroDivisionError: division by zero", "kws/kws.py|204|<module>|loop()", "kws/kws.py|177|loop|print(score(dev[rank::world]))", "kws/score.py|29|score|return errors / words", mark="[rank3]: "), 14, 3)
    yield s.say(verdicts("kws.py", [(3, 3, 1, s.pid(3))]), 2).end(FELL.but(cause="div_zero", first_ranks=(3,)), "FAILED", {3: 1}, rest=-15, at={3: s.t - 1.8}, lag=2)

    s = Run(24, "legal-mlm", "h100", 2, 8, "{t:%m-%d %H:%M:%S} INFO trainer: update {i} of {n} | mlm {x:.4f} | {sps:,.0f} tok/s | gn {g:.2f}", script="mlm.py", rack="hx", batch=2_097_152)
    s.say("%I INFO trainer: rank %r up on %h", 30, None).mem(64).gpu("full").go(4900, 2.6, 25, down(10.4, 2.2), 60_000)
    s.say(trace("FileNotFoundError: [Errno 2] No such file or directory: '/gpfs/work/alice/legal-mlm/shards/cases-00318.tar'", "legal-mlm/mlm.py|151|<module>|fit(cfg)", "legal-mlm/mlm.py|112|fit|batch = next(stream)", "legal-mlm/tars.py|47|__iter__|with open(path, 'rb') as raw:", mark="[rank11]: "), 1.1, 11)
    yield s.end(FELL.but(cause="file_not_found", first_ranks=(11,)), "FAILED", {11: 1}, rest=-9, lag=14)

    s = Run(25, "neural-sdf", "r4090", 1, 1, "{i:>7d}  psnr {db:.3f}  loss {x:.2e}  {ips:.1f} it/s", script="sdf.py", rack="ws")
    s.say("tiny-cuda-nn 1.7, hash grid 2^21", 5).mem(9.4).gpu("run").go(60_000, 0.034, 1000, down(0.21, 0.004, 4000), 200_000)
    s.xid(0, 31, "pid=PID, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC4 GPCCLIENT_T1_3 faulted @ 0x7f60_1a200000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ", 0.2)
    s.say(trace(cuda("an illegal memory access was encountered"), "sdf/sdf.py|93|<module>|loss = step(pts)", "sdf/sdf.py|60|step|d = net(pts + 1e-4 * torch.randn_like(pts)).float()"), 0.3)
    yield s.end(FELL.but(cause="cuda_runtime", **ONE), "FAILED", {0: 1})

    s = Run(26, "census-tab", "a40", 1, 1, "epoca {ep} lote {i} perdida {x:.5f}", script="tabular.py", rack="est", east=-5)
    s.say("censo 2020: 126 014 024 filas, 91 columnas", 12).mem(21).gpu("small").busy(240).go(4400, 0.9, 40, down(0.66, 0.29), 20_000)
    s.say(trace("RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 206158430208 bytes. Error code 12 (Cannot allocate memory)", "censo/tabular.py|88|<module>|entrena()", "censo/tabular.py|71|entrena|todo = torch.cat([x.unsqueeze(1).expand(-1, 512, -1) for x in trozos]).contiguous()"), 21)
    yield s.end(FELL.but(cause="ram_oom", **ONE), "FAILED", {0: 1})

    s = Run(27, "ocean-fno", "a100", 2, 4, "step {i:06d} rel_l2 {x:.5f} lr {lr:.2e} [{ms:.0f} ms]", script="fno.py", rack="cl")
    s.say("rank %r of %w, grid 1440x720", 14, None).mem(71).gpu("run").go(7700, 1.2, 50, down(0.9, 0.06), 40_000)
    for k, peer in ((1, s.hosts[0]), (0, s.hosts[1])):
        s.say(f"%h:%p:52110 [%l] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer {peer}.cluster.local<41890>\n%h:%p:52110 [%l] proxy.cc:1521 NCCL WARN [Service thread] Error encountered progressing operation=Connect, res=6, closing connection", 0.2, s.on(k))
        s.say(trace(f"torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, remote process exited or there was a network error, NCCL version 2.21.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketProgress: Connection closed by remote peer {peer}.cluster.local<41890>", "ocean/fno.py|131|<module>|loss.backward()", "*/torch/_tensor.py|581|backward|torch.autograd.backward(", mark="[rank%r]: "), 0.2, s.on(k))
    yield s.end(FELL.but(cause="nccl", fault="unknown", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))


def no_room() -> Iterator[HandJob]:
    """B1."""
    s = Run(31, "medqa-13b", "a100s", 1, 4, script="full_ft.py", via="torchrun", rack="med")
    s.say("Loading checkpoint shards: 100%|██████████| 3/3 [00:40<00:00, 13.4s/it]", 52, None).mem(39.2, over=4).say("model on %h cuda:%l, creating AdamW (fused)", 5, None)
    s.say(trace(brimful("196.00 MiB", 0, "39.39 GiB", "118.81 MiB", "39.27 GiB", "38.61 GiB", "170.51 MiB").replace("GPU 0", "GPU %l"), "medqa/full_ft.py|90|<module>|trainer.train()", "*/transformers/trainer.py|2245|train|return inner_training_loop(", "*/torch/optim/adamw.py|169|_init_group|state['exp_avg'] = torch.zeros_like(p, memory_format=torch.preserve_format)", mark="[rank%r]: "), 4, None)
    yield s.say(verdicts("full_ft.py", [(r, r, 1, s.pid(r)) for r in range(4)]), 3).end(NO_ROOM.but(failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Run(32, "ct-unet3d", "v100p", 1, 1, "Epoch {ep}: step {i}, training loss {x:.4f}", script="unet3d.py", rack="med", east=1)
    s.say("patch 128x128x96, batch 2, torch 1.10.2", 9).mem(13.1).gpu("run").go(1500, 1.9, 25, down(0.88, 0.4), 20_000).say("validating on whole volumes", 2).mem(15.6, over=4)
    s.say(trace(brimful("3.42 GiB", 0, "15.78 GiB", "1.96 GiB", "13.02 GiB", "11.71 GiB", "", age=1.10), "ct/unet3d.py|148|<module>|main()", "ct/unet3d.py|121|main|pred = net(volume.cuda())"), 6)
    yield s.end(NO_ROOM.but(**ONE), "FAILED", {0: 1})

    s = Run(33, "mixtral-cpt", "mi300", 1, 8, "iteration {i}/{n} lm-loss {x:.4f} {ms:.0f}ms", script="cpt.py", rack="amd", via="torchrun")
    s.say("RCCL version 2.22.3+hip6.3 | 8 x MI300X", 20).say("building optimizer (fp32 master weights)", 60).mem(191, over=30).wait(40)
    s.say(trace(brimful("22.31 GiB", 0, "191.98 GiB", "9.87 GiB", "181.60 GiB", "179.02 GiB", "1.64 GiB", hip=True).replace("GPU 0", "GPU %l"), "cpt/cpt.py|177|<module>|optimizer = build(model, cfg)", "cpt/optim.py|44|build|master = [p.detach().float().clone() for p in params]", mark="[rank%r]: "), 1, None)
    yield s.say(verdicts("cpt.py", [(r, r, 1, s.pid(r)) for r in range(8)]), 4).end(NO_ROOM.but(failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))

    s = Run(34, "protein-diff", "gh200", 1, 1, script="diffuse.py", rack="gh")
    s.say("I%m %T.%u 140511 xla_bridge.py:895] Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'", 6).say("I%m %T.%u 140511 diffuse.py:61] crop 768, msa 512, 93M parameters", 11).mem(72, over=1)
    s.say("W%m %T.%u 141020 bfc_allocator.cc:482] Allocator (GPU_0_bfc) ran out of memory trying to allocate 61.88GiB (rounded to 66443149312)requested by op ", 95)
    s.say(trace("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 66443149088 bytes.", "prot/diffuse.py|140|<module>|app.run(main)", "prot/diffuse.py|118|main|state, m = train_step(state, next(batches), rng)", "*/jax/_src/traceback_util.py|180|reraise_with_filtered_traceback|return fun(*args, **kwargs)"), 1)
    yield s.end(NO_ROOM.but(**ONE), "FAILED", {0: 1})

    s = Run(35, "traffic-resnet", "r4090", 1, 1, "{i}/{n} [{bar}] - ETA: {eta} - loss: {x:.4f} - accuracy: {acc:.4f}", script="ampel.py", rack="ws", east=1)
    s.say("Epoch 1/30", 20).mem(21, over=2).gpu("run").go(340, 0.6, 10, down(3.6, 1.1), 900)
    s.say("%I.%u: W tensorflow/core/framework/op_kernel.cc:1839] OP_REQUIRES failed at conv_ops_impl.h:1204 : RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[96,256,160,160] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc", 10.4)
    s.say(trace("tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node 'resnet50/conv2_block1_3_conv/Conv2D' defined at (most recent call last):\nNode: 'resnet50/conv2_block1_3_conv/Conv2D'\nOOM when allocating tensor with shape[96,256,160,160] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node resnet50/conv2_block1_3_conv/Conv2D}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. This isn't available when running in Eager mode.\n [Op:__inference_train_function_9112]", "ampel/ampel.py|66|<module>|model.fit(ds, epochs=30, validation_data=va)", "*/keras/src/utils/traceback_utils.py|70|error_handler|raise e.with_traceback(filtered_tb) from None"), 0.4)
    yield s.end(NO_ROOM.but(**ONE), "FAILED", {0: 1})

    s = Run(36, "contract-lora", "h100", 1, 8, "{{'loss': {x:.4f}, 'grad_norm': {g:.4f}, 'learning_rate': {lr:.3e}, 'epoch': {epf:.2f}}}", script="lora.py", via="torchrun", rack="hx", epochs=3)
    s.say("max_length=65536, packing off, longest sample 61 877 tokens", 24).mem(66).gpu("run").go(2310, 3.7, 10, down(1.9, 0.7), 6000).mem(79.3, 5, 1)
    s.say(trace(brimful("14.51 GiB", 5, "79.19 GiB", "9.02 GiB", "70.16 GiB", "66.40 GiB", "2.88 GiB"), "contract/lora.py|88|<module>|trainer.train()", "*/transformers/trainer.py|3782|training_step|self.accelerator.backward(loss, **kwargs)", "*/torch/autograd/graph.py|823|_engine_run_backward|return Variable._execution_engine.run_backward(", mark="[rank5]: "), 2, 5)
    yield s.say(verdicts("lora.py", [(5, 5, 1, s.pid(5))]), 3).end(NO_ROOM.but(first_ranks=(5,)), "FAILED", {5: 1}, rest=-15, at={5: s.t - 2.6}, lag=3)

    s = Run(37, "sparse-voxel", "a40", 1, 1, "{i} loss={x:.4f} iou={acc:.3f}", script="vox.py", rack="rob")
    s.say("MinkowskiEngine 0.5.4, voxel 2 cm", 7).mem(46.9, over=3).say("backbone on cuda:0: 44.41 GiB reserved after warm-up", 14)
    s.say(trace("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "vox/vox.py|70|<module>|out = net(batch)", "vox/head.py|22|forward|return self.fc(x)", "*/torch/nn/modules/linear.py|125|forward|return F.linear(input, self.weight, self.bias)"), 2)
    yield s.end(NO_ROOM.but(**ONE), "FAILED", {0: 1})

    s = Run(38, "grpo-math", "h200", 1, 4, "step:{i} reward/mean:{acc:.4f} kl:{g:.4f} pg_loss:{x:.5f} gen_s:{dt:.1f}", script="grpo.py", rack="h2", via="torchrun")
    s.say("colocated vLLM engine, gpu_memory_utilization=0.55", 60).mem(128).gpu("mid").go(96, 71, 1, lambda i: 0.02 * (i % 7 - 3), 600).mem(139.5, 1, 2)
    s.say(trace(brimful("18.55 GiB", 1, "139.81 GiB", "4.77 GiB", "135.02 GiB", "49.90 GiB is allocated by PyTorch, with 11.02 GiB allocated in private pools (e.g., CUDA Graphs)", "2.31 GiB", age=2.7).replace(" is allocated by PyTorch, and", ", and"), "grpo/grpo.py|211|<module>|main()", "grpo/grpo.py|163|main|logp = policy_logprobs(actor, seqs)", "grpo/logp.py|18|policy_logprobs|return logits.float().log_softmax(-1).gather(-1, ids[..., None])", mark="[rank1]: "), 33, 1)
    yield s.say(verdicts("grpo.py", [(1, 1, 1, s.pid(1))]), 3).end(NO_ROOM.but(first_ranks=(1,)), "FAILED", {1: 1}, rest=-15, at={1: s.t - 2.7}, lag=3)

    s = Run(39, "plasma-pic", "a100p", 1, 1, "t={i:5d} E_tot={x:.6e} wall={s}s", script="pic.py", rack="phy")
    s.say("cells 512^3, 96 particles a cell", 5).mem(31, over=9).gpu("full").go(400, 2.2, 20, down(4.1e5, 3.9e5), 4000).mem(38.8, over=1)
    s.say(trace("cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 12,884,901,888 bytes (allocated so far: 33,822,867,456 bytes).", "pic/pic.py|201|<module>|advance(species)", "pic/pic.py|166|advance|order = cp.argsort(key)", "cupy/cuda/memory.pyx|1142|cupy.cuda.memory.SingleDeviceMemoryPool._try_malloc|"), 3)
    yield s.end(NO_ROOM.but(**ONE), "FAILED", {0: 1})

    s = Run(40, "sleep-eeg", "a40", 1, 1, "{t:%H:%M} night {i}/{n}  loss {x:.4f}  kappa {acc:.3f}", script="eeg.py", rack="med", hours=12, east=2)
    s.say("1 204 nights, 6 channels", 10).mem(4, over=2).mem(47.5, over=15_300).gpu("mid").go(850, 18, 5, down(1.6, 0.5), 1204)
    s.say(trace(brimful("512.00 MiB", 0, "47.54 GiB", "301.12 MiB", "47.22 GiB", "46.51 GiB", "211.90 MiB", age=2.3), "eeg/eeg.py|119|<module>|history.append(loss)", "eeg/eeg.py|97|night|h, _ = self.rnn(x, h)"), 6)
    yield s.end(NO_ROOM.but(**ONE), "FAILED", {0: 1})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (not_begun, struck, fell, no_room):
        yield from part()


RECIPE = Recipe("heron_postcards_by_pen", "development", jobs)
