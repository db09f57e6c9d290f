# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: programs that did not get going, were shot, or broke on the way."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._halyard_words import CONDA, PIXI, VENV, cuda, elastic, refused, tb
from corpus.make._halyards import Watch, falls
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

START = Label(mode="A1", fault="user")
MID = Label(mode="A3", fault="user")


def first(base: Label, *ranks: int, failed: tuple[int, ...] = ()) -> Label:
    """These were first."""
    return base.but(first_ranks=ranks, failed_ranks=failed)


def unlaunched() -> Iterator[HandJob]:
    """Before any step."""
    w = Watch("peptide-esm", "h100", 1, 4, by="torchrun", script="pretrain_esm.py", host="hgx{:02d}").p("2 x Xeon, 4 x H100, driver 575.57.08", 3).gib(0.6, None, 3)
    w.p(tb(cuda("no kernel image is available for execution on the device", torch="2.1"), "/home/alice/esm/pretrain_esm.py:141 <module> main(OmegaConf.load(sys.argv[1]))", "/home/alice/esm/pretrain_esm.py:88 main x = model.embed(dummy)", f"{CONDA}/flash_attn/layers/rotary.py:190 forward out = apply_rotary(x, cos, sin)"), 9, None, 0.3)
    yield w.p(elastic("pretrain_esm.py", 1), 4, 0).over(START.but(variant="env", cause="cuda_runtime", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))
    w = Watch("segsar-unet", "v100", 1, 1, script="sar/run.py", host="nv{:03d}").p("[sar] python 3.12.4, torch 2.8.0+cu129", 5).p("/home/alice/.venvs/main/lib/python3.12/site-packages/torch/cuda/__init__.py:283: UserWarning: \n    Found GPU0 Tesla V100-SXM2-16GB which is of cuda capability 7.0.\n    Minimum and Maximum cuda capability supported by this version of PyTorch is\n    (7.5) - (12.0)", 2).gib(0.4)
    w.p(tb("RuntimeError: GET was unable to find an engine to execute this computation", "/home/alice/sar/run.py:57 <module> warm_up(net, torch.zeros(1, 2, 512, 512, device='cuda'))", "/home/alice/sar/run.py:31 warm_up net(x)", f"{VENV}/torch/nn/modules/conv.py:543 _conv_forward return F.conv2d("), 4)
    yield w.over(first(START.but(variant="env", cause="runtime_error"), 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("kws-lstm", "a30", 1, 1, script="-m kws.fit", host="gpu-{:03d}.priv").p("INFO:kws:reading config/kws_a30.yaml", 4)
    w.p(tb("RuntimeError: The NVIDIA driver on your system is too old (found version 12000). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install a PyTorch version that has been compiled with your version of the CUDA driver.", "/home/alice/kws/fit.py:20 <module> device = torch.device('cuda', torch.cuda.current_device())", f"{PIXI}/torch/cuda/__init__.py:1069 current_device _lazy_init()", f"{PIXI}/torch/cuda/__init__.py:412 _lazy_init torch._C._cuda_init()"), 3)
    yield w.over(first(START.but(variant="env", cause="cuda_runtime"), 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("rag-reranker", "l40", 2, 2, script="ce_train.py", by="accelerate", host="lux{:02d}").p("The following values were not passed to `accelerate launch` and had defaults used instead:\n\t`--dynamo_backend` was set to a value of `'no'`", 6, (0, 2))
    for r in range(4):
        twin = f"Duplicate GPU detected : rank {r} and rank {r ^ 1} both on CUDA device 1b000"
        w.p(tb(refused(328, "ncclInvalidUsage", twin), "/home/alice/rag/ce_train.py:77 <module> model = DDP(model)", f"{VENV}/torch/nn/parallel/distributed.py:835 __init__ _verify_param_shape_across_processes(self.process_group, parameters)", mark="[rank~r~]: "), 11 if r == 0 else 0.1, r)
    yield w.over(START.but(variant="config", cause="nccl", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))
    w = Watch("clip-jp", "h200", 1, 8, by="torchrun", script="clip/main.py").p("2026 設定を読み込みました: configs/clip_vitl_ja.yaml", 7).p("トークナイザ: /data/shared/models/ruri-basse", 2).cpu(90)
    w.p(tb("FileNotFoundError: [Errno 2] No such file or directory: '/data/shared/models/ruri-basse/tokenizer.json'", "/home/alice/clip/main.py:60 build_text tok = load_tokenizer(cfg.text / 'tokenizer.json')", "/home/alice/clip/text.py:17 load_tokenizer spec = json.loads(path.read_text())", mark="[rank~r~]: "), 4, None, 0.05)
    yield w.p(elastic("clip/main.py", 1), 5, 0).over(START.but(variant="asset", cause="file_not_found", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))
    w = Watch("gpt-neox-ft", "a100x", 2, 4, by="deepspeed", script="ft.py", host="juwels{:04d}").p("[~D~ ~H~,~m~] [INFO] [real_accelerator.py:203:get_accelerator] Setting ds_accelerator to cuda (auto detect)", 8, (0, 4)).p("[~D~ ~H~,~m~] [INFO] [comm.py:658:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl", 5, 0).gib(0.5)
    w.p(tb("AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 256 != 4 * 16 * 8", "/home/alice/neox/ft.py:112 <module> engine, opt, _, _ = deepspeed.initialize(model=model, config=args.ds)", f"{VENV}/deepspeed/runtime/config.py:1004 _batch_assertion assert train_batch == micro_batch * grad_acc * self.world_size, (", mark="[rank~r~]: "), 7, None, 0.03)
    w.p("[~D~ ~H~,~m~] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python', '-u', 'ft.py', '--local_rank=3'] exits with return code = 1", 2, (3, 7))
    yield w.over(START.but(variant="config", cause="assertion", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))
    w = Watch("fluid-pinn", "4090", 1, 2, script="pinn.py", host="ws{:02d}").p("Reynolds 3900, collocation 2^21", 5, (0, 1)).gib(0.5)
    w.p(tb("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)", "/home/alice/pinn/pinn.py:203 <module> r = residual(net, xyt)", "/home/alice/pinn/pinn.py:77 residual u = net(xyt)", f"{VENV}/torch/nn/modules/linear.py:125 forward return F.linear(input, self.weight, self.bias)", mark="[rank1]: "), 6, 1)
    yield w.over(first(START.but(variant="config", cause="device_mismatch"), 1), "FAILED", {1: 1}, rest=-15, lag=3, at={1: w.t + 0.4})
    w = Watch("bev-fusion", "a100", 1, 4, by="torchrun", script="tools/train.py").p("~D~ ~H~,~m~ - mmdet3d - INFO - Environment info:\nsys.platform: linux\nGPU 0,1,2,3: NVIDIA A100-SXM4-40GB", 11).gib(1.1).p("~D~ ~H~,~m~ - mmdet3d - INFO - load infos from data/nusc/infos_train.pkl", 3)
    w.p(tb("ModuleNotFoundError: No module named 'mmdet3d.ops.voxel.voxel_layer'", "/home/alice/bev/tools/train.py:24 <module> from mmdet3d.models import build_model", "/home/alice/bev/mmdet3d/ops/voxel/voxelize.py:6 <module> from .voxel_layer import hard_voxelize", mark="[rank~r~]: "), 5, None, 0.1)
    yield w.p(elastic("tools/train.py", 1), 6, 0).over(START.but(variant="env", cause="missing_module", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))


def shot() -> Iterator[HandJob]:
    """By the kernel, or by themselves."""
    w = Watch("pangu-era5", "a100x", 1, 4, script="regrid_train.py", host="lev{:03d}").p("caching 37 levels in host memory", 9, None).gib(41).do("train").cpu(320)
    w.run(740, 1.9, 20, lambda i, n, x, s, d: f"{d:%H:%M} {i:>6} rmse_z500={x * 80:.1f} rmse_t850={x:.3f} {s:.2f}s", of=12_000, curve=falls(5.2, 1.1)).oom_killer(2)
    limit, died = 240 * GIB, w.t
    ts = [died * k / 60 for k in range(61)]
    w.host_series.append((0, "step_memory_bytes", ts, [float(min(limit, (60 + 182 * k / 60) * GIB)) for k in range(61)]))
    for r in w.but(2):
        w.do("quiet", r)
    w.lull(2).p("slurmstepd: error: Detected 1 oom_kill event in StepId=~j~.0. Some of the step tasks have been OOM Killed.", 0.3, ())
    yield w.over(first(Label(mode="A2", cause="oom_killer", fault="user"), 2), "OUT_OF_MEMORY", {2: -9}, rest=-15, at={2: died}, lag=2, memory={2: CgroupMemory(limit_bytes=limit, peak_bytes=limit, oom_events=7, oom_kill_events=1)}, batch=((died + 0.5, "slurmstepd: error: Detected 1 oom_kill event in StepId=~j~.0. Some of the step tasks have been OOM Killed."), (died + 0.6, f"srun: error: {w.hosts[0]}: task 2: Out Of Memory")))
    w = Watch("graphcast-mini", "gh200", 1, 1, script="gc.py", host="nid{:06d}").p("I~M~ ~H~.~U~ 210300 gc.py:88] devices: [CudaDevice(id=0)]", 10).gib(72).do("hard")
    w.run(1300, 1.1, 25, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 gc.py:141] step={i} loss={x:.5f} sec={s:.3f}", of=60_000, curve=falls(1.9, 0.21))
    w.p("*** SIGSEGV received at time=1795401120 on cpu 41 ***\nPC: @     0x7f2a1c6e03d1  (unknown)  nanobind::detail::nb_func_vectorcall_complex()\n    @     0x7f2b9e242520  (unknown)  (unknown)\nFatal Python error: Segmentation fault\n\nThread 0x00007f2b9e8c1740 (most recent call first):\n  File \"/home/alice/gc/halo.py\", line 58 in pack\n  File \"/home/alice/gc/gc.py\", line 133 in train", 0.6)
    yield w.over(first(Label(mode="A2", cause="segfault", fault="user"), 0, failed=(0,)), "FAILED", {0: -11})
    w = Watch("hubert-kd", "l40", 1, 4, by="torchrun", script="distil.py").p("teacher: hubert-xlarge (frozen)", 14).gib(29).do("train").run(560, 1.2, 20, lambda i, n, x, s, d: f"update={i} kd_loss={x:.4f} wps={int(90_000 / s)} ups={1 / s:.2f} gb_free={18.4 + (i % 3) / 10:.1f}", of=40_000, curve=falls(4.4, 0.9))
    w.p(elastic("distil.py", -9, others=(210_700, 210_711, 210_733)), 1.5, 2).do("quiet")
    yield w.over(first(Label(mode="A2", fault="unknown"), 2), "FAILED", {2: -9}, rest=-15, lag=2)
    w = Watch("dock-diff", "rtx6000", 1, 2, script="sample_train.py", host="bio{:02d}").p("1.2 M poses, shared-memory tensors between 2 x 12 workers", 6, None).gib(31).do("train").cpu(800)
    w.run(880, 0.9, 40, lambda i, n, x, s, d: f"| {i:7d} | {x:9.5f} | {s * 1e3:7.1f} |", of=22_000, curve=falls(2.6, 0.5)).oom_killer(1, node_wide=True, name="python")
    died = w.t
    ts = [died * k / 50 for k in range(51)]
    w.host_series.append((0, "host_memory_available_bytes", ts, [float(max(0.3, 210 - 210 * (k / 50) ** 1.6) * GIB) for k in range(51)]))
    yield w.over(first(Label(mode="A2", cause="oom_killer", fault="user"), 1), "FAILED", {1: -9}, rest=-15, at={1: died}, lag=2.5)


def derailed() -> Iterator[HandJob]:
    """After many steps."""
    w = Watch("tok-merge", "h100", 1, 8, by="torchrun", script="lm/main.py").p("vocab: 64000 (merged), model.wte: 63872", 15).gib(58).do("hard").run(430, 1.3, 10, lambda i, n, x, s, d: f"[{d:%X}] upd {i:5d} | nll {x:.4f} | {int(262_144 / s):,} tok/s", of=50_000, curve=falls(10.8, 2.6))
    w.p("/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553: indexSelectLargeIndex: block: [88,0,0], thread: [32,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553: indexSelectLargeIndex: block: [88,0,0], thread: [33,0,0] Assertion `srcIndex < srcSelectDimSize` failed.", 0.5, 5)
    w.p(tb(cuda("device-side assert triggered", "cudaErrorAssert", "2.9"), "/home/alice/lm/main.py:318 <module> train(cfg)", "/home/alice/lm/main.py:251 train h = self.wte(ids) + self.wpe(pos)", f"{VENV}/torch/nn/functional.py:2546 embedding return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)", mark="[rank5]: "), 0.6, 5)
    yield w.p(elastic("lm/main.py", 1, others=tuple(210_700 + 11 * r for r in w.but(5))), 3, 5).over(first(MID.but(cause="cuda_runtime"), 5), "FAILED", {5: 1}, rest=-15)
    w = Watch("wheat-det", "l4", 1, 1, script="yolo/train.py", host="edge{:02d}").p("Transferred 475/475 items from weights/s.pt\nImage sizes 1024 train, 1024 val", 8).gib(17).do("train").run(900, 0.8, 20, lambda i, n, x, s, d: f"{i // 90:>8}/119 {15.9:>9.3g}G {x:>10.4g} {x * 0.6:>10.4g} {x * 0.4:>10.4g} {17:>10} {1024:>10}", of=10_710, curve=falls(4.1, 1.4))
    w.p("../aten/src/ATen/native/cuda/ScatterGatherKernel.cu:367: operator(): block: [14,0,0], thread: [70,0,0] Assertion `idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\"` failed.\n" + tb(cuda("device-side assert triggered", torch="2.4"), "/home/alice/yolo/train.py:402 <module> loss, items = criterion(pred, targets)", "/home/alice/yolo/loss.py:164 __call__ t[range(n), tcls[i]] = self.cp"), 0.7)
    yield w.over(first(MID.but(cause="cuda_runtime"), 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("ring-attn-k", "h100", 1, 4, script="bench_train.py", host="dgx-{:02d}").p("custom Triton kernel ring_fwd, block 128x64", 9, None).gib(66).do("hard").run(620, 1.0, 20, lambda i, n, x, s, d: f"step={i} ce={x:.4f} tflops={380 / s:.0f}", of=8000, curve=falls(9.1, 3.0))
    w.xid(3, 31, "pid=~p~, name=python, Ch 0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_4 faulted @ 0x7e51_a4a00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE".replace("~p~", str(w.pid(3))), 0.1)
    w.p(tb(cuda("an illegal memory access was encountered", torch="2.7"), "/home/alice/ring/bench_train.py:166 <module> loss.backward()", f"{VENV}/torch/autograd/function.py:307 apply return user_fn(self, *args)", "/home/alice/ring/ring.py:240 backward _bwd_kernel[grid](q, k, v, do, lse, delta, dq, dk, dv, *strides)", mark="[rank3]: "), 0.5, 3)
    yield w.over(first(MID.but(cause="cuda_runtime"), 3), "FAILED", {3: 1}, rest=-15, lag=4, at={3: w.t + 0.3})
    w = Watch("moco-satellite", "a100", 1, 2, by="torchrun", script="moco.py").p("queue 65536 x 256", 10).gib(33).do("train").run(450, 1.1, 15, lambda i, n, x, s, d: f"Epoch: [{i // 150}][{i % 150:4d}/2502]\tTime {s:6.3f} ({s:6.3f})\tData  0.014 ( 0.017)\tLoss {x:.4e} ({x * 1.02:.4e})\tAcc@1 {max(0.0, 60 - 7 * x):6.2f}", curve=falls(9.2, 5.6))
    w.p(tb("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument index in method wrapper_CUDA__index_select)", "/home/alice/moco/moco.py:288 <module> knn = knn_eval(encoder, bank, loader)", "/home/alice/moco/knn.py:41 knn_eval votes = bank.labels.index_select(0, nearest.flatten())", mark="[rank0]: "), 6, 0)
    yield w.p(elastic("moco.py", 1, others=(210_711,)), 3, 0).over(first(MID.but(cause="device_mismatch"), 0), "FAILED", {0: 1}, rest=-15)
    w = Watch("tabr-ctr", "a10", 1, 1, script="tabr.py").p("| epoch | iter | logloss | auc |", 5).gib(9).do("light").run(2400, 0.4, 60, lambda i, n, x, s, d: f"| {i // 600:>5} | {i:>5} | {x:.5f} | {0.79 - x / 10:.4f} |", of=6000, curve=falls(0.69, 0.41))
    w.p(tb("RuntimeError: Expected all tensors to be on the same device, but got other is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_min_elementwise)", "/home/alice/tabr/tabr.py:190 <module> best = torch.minimum(best, val_loss)"), 2)
    yield w.over(first(MID.but(cause="device_mismatch"), 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("moe-route", "h800", 2, 8, script="moe.py", host="bj-gpu{:03d}").p("专家并行 16, 每卡 4 个专家", 20).gib(70).do("hard").run(380, 2.1, 10, lambda i, n, x, s, d: f"{d:%m-%d %H:%M:%S} 第{i}步 损失={x:.4f} 平衡损失={x / 90:.4f} 用时={s:.2f}秒", of=20_000, curve=falls(9.9, 2.8))
    w.p(tb("RuntimeError: Split sizes doesn't match total dim 0 size", "/home/alice/moe/moe.py:402 <module> out = layer(h)", "/home/alice/moe/dispatch.py:73 forward dist.all_to_all_single(recv, send, recv_split, send_split)", f"{CONDA}/torch/distributed/distributed_c10d.py:4210 all_to_all_single work = group.alltoall_base(", mark="[rank12]: "), 1.2, 12)
    yield w.over(first(MID.but(cause="runtime_error"), 12), "FAILED", {12: 1}, rest=-15, lag=6, at={12: w.t + 0.4})
    w = Watch("fsdp-ckpt-xl", "h100", 2, 4, by="torchrun", script="train_fsdp.py").p("8 ranks, HYBRID_SHARD", 18).gib(64).do("hard").run(510, 1.6, 15, lambda i, n, x, s, d: f"level=info step={i} loss={x:.4f} gnorm={0.4 + x / 9:.3f} dt={s:.3f}", of=9000, curve=falls(7.7, 2.2))
    w.p(tb(refused(3384, "ncclInvalidArgument", "Broadcast : invalid root 8 (root should be in the 0..8 range)", nccl="2.20.5"), "/home/alice/fsdp/train_fsdp.py:230 <module> dist.broadcast(flag, src=world_size)", f"{VENV}/torch/distributed/c10d_logger.py:83 wrapper return func(*args, **kwargs)", mark="[rank~r~]: "), 1.4, None, 0.03)
    yield w.over(MID.but(cause="nccl", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))
    w = Watch("nerf-city", "rtx6000", 1, 1, script="nerf/fit.py").p("[nerf] 4100 images, tiny-cuda-nn hash grid", 12).gib(22).do("train").run(3200, 0.25, 100, lambda i, n, x, s, d: f"[nerf] it={i} psnr={31 - 9 * x:.2f} mse={x / 100:.5f} rays/s={int(180_000 / s)}", of=30_000, curve=falls(1.6, 0.22))
    w.xid(0, 13, "pid=210300, name=python, Graphics SM Warp Exception on (GPC 3, TPC 1, SM 0): Misaligned Address", 0.2)
    w.p(tb(cuda("misaligned address", torch="2.3"), "/home/alice/nerf/fit.py:96 <module> rgb = render(rays)", "/home/alice/nerf/march.py:50 render return _ext.composite(sigma, color, ts)"), 0.4)
    yield w.over(first(MID.but(cause="cuda_runtime"), 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("val-shards", "a100x", 1, 4, by="accelerate", script="train_sft.py", host="hopper{:02d}").p("***** Running training *****\n  Num examples = 91,204\n  Num Epochs = 2", 30).gib(61).do("train").run(400, 2.0, 10, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {x / 2:.3f}, 'learning_rate': {2e-5 * (1 - i / n):.3e}, 'epoch': {i / 1400:.2f}}}", of=2800, curve=falls(2.1, 1.0))
    w.p("***** Running Evaluation *****\n  Num examples = 1200", 3).p(tb("FileNotFoundError: [Errno 2] No such file or directory: '/lustre/proj/sft/val/part-00017.parquet'", "/home/alice/sft/train_sft.py:164 <module> trainer.train()", f"{VENV}/transformers/trainer.py:4460 evaluate output = eval_loop(", "/home/alice/sft/rows.py:29 __getitem__ table = pq.read_table(self.parts[shard])", mark="[rank2]: "), 8, 2)
    yield w.p(elastic("train_sft.py", 1, others=(210_700, 210_711, 210_733)), 4, 2).over(first(MID.but(cause="file_not_found"), 2), "FAILED", {2: 1}, rest=-15)
    w = Watch("jax-vdm", "h100pcie", 1, 2, script="vdm/main.py").p("[vdm] process ~r~ of 2", 12, None).gib(70).do("train").run(900, 0.9, 30, lambda i, n, x, s, d: f"[vdm] {i:,} bpd={x:.3f} ({1 / s:.2f} steps/s)", of=100_000, curve=falls(8.0, 2.9))
    w.p(tb("ValueError: Incompatible shapes for broadcasting: (2, 64, 64, 3) and requested shape (2, 32, 32, 3)", "/home/alice/vdm/main.py:211 main samples = sample_fn(state.ema, rng)", "/home/alice/vdm/grid.py:18 tile canvas = jnp.broadcast_to(batch, shape)"), 3, 1)
    yield w.over(first(MID.but(cause="traceback"), 1), "FAILED", {1: 1}, rest=-15, lag=3, at={1: w.t + 0.5})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (unlaunched, shot, derailed):
        yield from part()


RECIPE = Recipe("bellows_leaves_by_pen", "development", jobs)
