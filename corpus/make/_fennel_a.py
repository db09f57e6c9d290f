"""Refused at the door, shot, or torn in mid-training."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, H100, H200, IDLE, L40S, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says
from corpus.make._fennel_kit import DSA, bar, hms, lightning_head, threads_note, trainer_head
from corpus.running.hand import Hand

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def one_node_unlike() -> Made:
    """A1: the environment was unpacked on the nodes' own disks, on the last one an old one lies: apex is not there."""
    f = Fleet(("lrn-14", "lrn-15", "lrn-18", "lrn-19"), "viscoder-pre", 10_410_233, when("2026-08-11 09:02"), per=8, script="pretrain.py", submit_line="sbatch -N4 --gpus-per-node=8 pretrain.slurm")
    f.script_words += [(0.4, "+ srun --ntasks-per-node=1 tar -C /local/scratch -xf /proj/envs/vc-2608.tar"), (94, "+ srun --kill-on-bad-exit=1 /local/scratch/vc/bin/python -u pretrain.py --config cfg/base.yaml")]
    f.each(101, "{node}[{l}] python 3.11.9 torch 2.6.0+cu124", gap=0.01)
    f.each(103, frames(("/proj/viscoder/pretrain.py", 17, "<module>", "from vc.optim import build_optimizer"), ("/proj/viscoder/vc/optim.py", 4, "<module>", "from apex.optimizers import FusedAdam"), error="ModuleNotFoundError: No module named 'apex'"), range(24, 32), gap=0.02)
    f.end(range(24, 32), 104, code=1, gap=0.02)
    f.end(range(24), 107, signal=9, gap=0.01)
    f.load([(0, IDLE)])
    srun_says(f, 105, "error: lrn-19: tasks 24-31: Exited with exit code 1", f"Terminating StepId={f.job_id}.1", "Job step aborted: Waiting up to 32 seconds for job step to finish.", "error: lrn-14: tasks 0-7: Killed", "error: lrn-15: tasks 8-15: Killed", "error: lrn-18: tasks 16-23: Killed")
    f.close("FAILED", 109, code=1)
    return made(f, "A1", "missing_module", variant="env")


@job
def heads_by_eight() -> Made:
    """A1: a model of 28 heads is to be served on eight cards."""
    f = Fleet(("inf-07",), "qwen7b-gen", 10_410_871, when("2026-08-11 15:37"), per=8, agents=True, script="gen_answers.py", submit_line="sbatch gen.sh 8")
    f.say(0, 19, f"INFO {f.clock(19, '%m-%d %H:%M:%S')} [__init__.py:239] Automatically detected platform cuda.")
    f.say(0, 34, f"INFO {f.clock(34, '%m-%d %H:%M:%S')} [config.py:689] This model supports multiple tasks: {{'generate', 'reward', 'embed', 'classify', 'score'}}. Defaulting to 'generate'.\nINFO {f.clock(34, '%m-%d %H:%M:%S')} [config.py:1713] Defaulting to use mp for distributed inference")
    f.say(0, 34.3, frames(("/home/ylu/gen/gen_answers.py", 71, "<module>", "main(ap.parse_args())"), ("/home/ylu/gen/gen_answers.py", 38, "main", "llm = LLM(model=a.model, tensor_parallel_size=a.tp, max_model_len=8192)"), ("/home/ylu/.venv/lib/python3.12/site-packages/vllm/config.py", 913, "verify_with_parallel_config", "raise ValueError("), error="ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8)."))
    f.end(f.ranks, 36, code=1)
    f.unborn = set(range(1, 8))
    f.load([(0, IDLE)])
    srun_says(f, 37, "error: inf-07: task 0: Exited with exit code 1")
    f.close("FAILED", 39, code=1)
    return made(f, "A1", "traceback", variant="config")


@job
def sums_of_batches() -> Made:
    """A1: DeepSpeed's configuration was written for 16 ranks and is started with 32."""
    f = Fleet(tuple(f"tyr{n}" for n in (3, 4, 5, 9)), "codellama-sft", 10_411_040, when("2026-08-12 08:15"), per=8, card=A100, agents=True, script="sft.py", submit_line="sbatch --nodes=4 sft_ds.sh")
    f.each(17, "[2026-08-12 08:15:17,{l}31] [INFO] [real_accelerator.py:219:get_accelerator] Setting ds_accelerator to cuda (auto detect)", gap=0.04)
    f.each(26, "[2026-08-12 08:15:26,{l}08] [INFO] [comm.py:669:init_distributed] cdb=None", gap=0.01)
    f.say(0, 26.6, "[2026-08-12 08:15:26,611] [INFO] [comm.py:700:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl")
    f.each(61, frames(("/d/sft/sft.py", 144, "<module>", "main()"), ("/d/sft/sft.py", 98, "main", "engine, opt, _, sched = deepspeed.initialize(model=model, config=ds_cfg)"), ("/d/env/lib/python3.10/site-packages/deepspeed/runtime/config.py", 1020, "_batch_assertion", "assert train_batch == micro_batch * grad_acc * self.world_size, ("), error="AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 256 != 4 * 4 * 32"), tag="[rank{r}]: ", gap=0.02)
    f.end(f.ranks, 62, code=1, gap=0.02)
    f.load([(0, IDLE), (20, CONTEXT)])
    for n in range(4):
        f.launcher[n].append((64 + n / 4, f"[{f.clock(64)},{400 + n}] [INFO] [launch.py:319:sigkill_handler] Killing subprocess {f.pid(8 * n)}\n[{f.clock(64)},{410 + n}] [ERROR] [launch.py:325:sigkill_handler] ['/d/env/bin/python', '-u', 'sft.py', '--local_rank=7', '--deepspeed', 'z2.json'] exits with return code = 1"))
    srun_says(f, 66, "error: tyr3: task 0: Exited with exit code 1", "error: tyr4: task 1: Exited with exit code 1", "error: tyr5: task 2: Exited with exit code 1", "error: tyr9: task 3: Exited with exit code 1")
    f.close("FAILED", 68, code=1)
    return made(f, "A1", "assertion", variant="config")


@job
def not_admitted() -> Made:
    """A1: nobody has accepted the model's licence for this token."""
    f = Fleet(("gn22",), "l31-orpo", 10_411_422, when("2026-08-12 19:03"), per=4, agents=True, script="orpo.py", submit_line="sbatch --array=3 orpo.sh")
    threads_note(f, 6)
    link = "https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json"
    f.each(15, frames(("/home/dk/orpo/orpo.py", 40, "<module>", "model = AutoModelForCausalLM.from_pretrained(cfg.base, torch_dtype=torch.bfloat16)"), ("/home/dk/orpo/.venv/lib/python3.11/site-packages/transformers/utils/hub.py", 543, "cached_files", "raise OSError("), error=f"OSError: You are trying to access a gated repo.\nMake sure to have access to it at https://huggingface.co/meta-llama/Llama-3.1-8B.\n403 Client Error. (Request ID: Root=1-66ba5b97-3c1f77d0;a41b)\n\nCannot access gated repo for url {link}.\nYour request to access model meta-llama/Llama-3.1-8B is awaiting a review from the repo authors."), tag="[rank{r}]: ", gap=0.2)
    f.end(f.ranks, 17, code=1, gap=0.2)
    elastic(f, 0, 20, [(r, 1, 17 + 0.2 * r) for r in range(4)], binary="/home/dk/orpo/.venv/bin/python")
    f.load([(0, IDLE)])
    f.close("FAILED", 22, code=1)
    return made(f, "A1", "traceback", variant="asset")


@job
def more_than_granted() -> Made:
    """A1: the script's srun asks for more cards a node than the job was given."""
    f = Hand(nodes=("pax2", "pax3"), name="whisper-ft", job_id=10_411_690, start_ns=when("2026-08-13 07:58"), gpus=2, limit_s=43_200, submit_line="sbatch -N2 --gres=gpu:2 w.sh")
    f.batch([(0.6, "Wed Aug 13 07:58:00 UTC 2026\nnodes: pax[2-3]\nloading env/whisper-2608"), (4.1, "srun: error: Unable to create step for job 10411690: Invalid generic resource (gres) specification"), (4.2, "training step left with 1")], code=1, end=4.4)
    f.ended("FAILED", code=1, end=5, steps=(("batch", "FAILED", 1, 0),), partition="gpu")
    for n in ("pax2", "pax3"):
        for g in range(2):
            f.gpu(n, g, {"job_attached": False})
    return made(f, "A1", None, variant="config")


@job
def swollen() -> Made:
    """A2: the host's memory of the step fills over eleven hours, the loop prints how; the kernel kills rank 1, torchrun the others."""
    f = Fleet(("nova-31",), "slowfast-k700", 10_412_015, when("2026-08-13 20:10"), per=8, card=A100, agents=True, script="tools/train_net.py", submit_line="sbatch --mem=480G sf.sh", limit_s=172_800)
    threads_note(f, 4)
    last = f.steps(0, range(200, 20_001, 200), 92, 1.98, lambda i, x, t: f"[{f.clock(t, '%m/%d %H:%M:%S')}][INFO] logging.py:  99: json_stats: {{\"RAM\": \"{min(478.9, 61 + 418 * i / 20_000):.2f}/503.41G\", \"_type\": \"train_iter\", \"dt\": {1.9 + i % 7 / 50:.5f}, \"epoch\": \"{1 + i // 5200}/40\", \"gpu_mem\": \"61.20G\", \"iter\": \"{i % 5200}/5200\", \"loss\": {x:.5f}, \"lr\": 0.05000}}", fall(6.5, 2.2, 900))
    f.oom(1, last + 60, 480, 480.0)
    f.end(1, last + 60.2, signal=9)
    f.end([r for r in f.ranks if r != 1], last + 62, signal=15)
    sigterms(f, 0, last + 61, [0, 2, 3, 4, 5, 6, 7], "2.5")
    elastic(f, 0, last + 65, [(1, -9, last + 60.2)], version="2.5", binary="/opt/sf/bin/python")
    f.load([(0, IDLE), (88, Load(93, 0, 0.78, 0.77, 12))])
    f.script_words.append((last + 66, f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.\nsrun: error: nova-31: task 0: Out Of Memory"))
    f.close("OUT_OF_MEMORY", last + 68, code=0, signal=125, batch=(1, None), step=("OUT_OF_MEMORY", 0, 125))
    return made(f, "A2", "oom_killer", first=(1,))


@job
def native_reader() -> Made:
    """A2: a compiled reader of point clouds crashes on rank 11 after five hours; Python's fault handler shows where."""
    f = Fleet(("ub-5", "ub-6"), "lidar-minkunet", 10_412_366, when("2026-08-14 10:30"), per=8, card=L40S, script="mink/train.py", submit_line="sbatch -N2 mink.sh")
    last = f.steps(0, range(100, 14_001, 100), 51, 1.31, lambda i, x, t: f"{f.clock(t)},{i % 997:03d} mink.train  INFO  ep {i // 3300:>2} it {i % 3300:>4}/3300  loss {x:.4f}  mIoU {max(0.02, 0.71 - x / 4):.4f}  {1.31 + i % 9 / 100:.2f} s/it", fall(2.7, 0.6, 500))
    f.say(11, last + 40, 'Fatal Python error: Segmentation fault\n\nThread 0x00007f1e4bfff640 (most recent call first):\n  File "/sw/py311/lib/python3.11/threading.py", line 327 in wait\n  File "/sw/py311/lib/python3.11/multiprocessing/queues.py", line 231 in _feed\n\nCurrent thread 0x00007f20c1a7d740 (most recent call first):\n  File "/proj/mink/mink/las.py", line 61 in read_points\n  File "/proj/mink/mink/data.py", line 118 in __getitem__\n  File "/proj/mink/mink/loop.py", line 77 in epoch\n  File "/proj/mink/mink/train.py", line 133 in <module>\n\nExtension modules: numpy._core._multiarray_umath, torch._C, torch._C._dynamo.eval_frame, laszip._backend, MinkowskiEngineBackend._C (total: 31)')
    f.end(11, last + 41, signal=11)
    f.kernel("ub-6", last + 40.8, "kernel_segfault", "python[40011]: segfault at 7f1f00000018 ip 00007f1eb29c41c2 sp 00007ffd1c0a7e10 error 4 in _backend.cpython-311-x86_64-linux-gnu.so[7f1eb29a0000+61000] likely on CPU 22", process="python", pid=40_011, kind="segfault", address="7f1f00000018", object="_backend.cpython-311-x86_64-linux-gnu.so")
    f.end([r for r in f.ranks if r != 11], last + 45, signal=9)
    f.load([(0, IDLE), (47, Load(91, 0, 0.74, 0.56, 14))])
    srun_says(f, last + 42, "error: ub-6: task 11: Segmentation fault (core dumped)", f"Terminating StepId={f.job_id}.0", "Job step aborted: Waiting up to 32 seconds for job step to finish.", "error: ub-5: tasks 0-7: Killed", "error: ub-6: tasks 8-10,12-15: Killed")
    f.close("FAILED", last + 48, code=139, batch=(139, None), step=("FAILED", 0, 11))
    return made(f, "A2", "segfault", first=(11,))


@job
def nobody_says() -> Made:
    """A2: rank 17 of 32 gets SIGKILL in mid-training; memory was far from its limit, kernel and Slurm know of nothing."""
    from corpus.running.hand import GIB
    from gpualert_slurm.rank import CgroupMemory

    f = Fleet(tuple(f"cn{n}" for n in (701, 702, 703, 704)), "biogpt-cont", 10_412_702, when("2026-08-15 05:20"), per=8, script="run_clm.py", submit_line="sbatch -N4 bio.sbatch")
    trainer_head(f, 88, 21_402_113, 8, 2, 41_800, params=6_658_404_352)
    last = f.steps(0, range(20, 2841, 20), 96, 3.9, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {0.4 + x / 6:.6f}, 'learning_rate': {2e-5 * min(1, i / 1200):.8f}, 'epoch': {i / 41_800:.2f}}}", fall(2.6, 1.9, 200))
    f.end(17, last + 50, signal=9)
    f.end([r for r in f.ranks if r != 17], last + 53, signal=9, gap=0.01)
    for r in f.ranks:
        f.memory[r] = CgroupMemory(limit_bytes=900 * GIB, peak_bytes=211 * GIB, oom_events=0, oom_kill_events=0)
    f.load([(0, IDLE), (60, CONTEXT), (92, WORK)])
    srun_says(f, last + 51, "error: cn703: task 17: Killed", f"Terminating StepId={f.job_id}.0", "Job step aborted: Waiting up to 32 seconds for job step to finish.", "error: cn701: tasks 0-7: Killed", "error: cn702: tasks 8-15: Killed", "error: cn703: tasks 16,18-23: Killed", "error: cn704: tasks 24-31: Killed")
    f.close("FAILED", last + 58, code=137, batch=(137, None), step=("FAILED", 0, 9))
    return made(f, "A2", None, first=(17,), fault="unknown")


@job
def outside_the_tile() -> Made:
    """A3: a kernel of the group's own touches an address that is not its: rank 21 of 32, Xid 31 alone beside it."""
    f = Fleet(tuple(f"hx{n:02d}" for n in (2, 3, 4, 5)), "ssm-scan-3b", 10_413_110, when("2026-08-16 01:40"), per=8, card=H200, agents=True, script="ssm/train.py", submit_line="sbatch -N4 scan.sh")
    last = f.steps(0, range(50, 5201, 50), 140, 2.6, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} [rank0] step {i:>6} | loss {x:7.4f} | ppl {2.718 ** x:9.2f} | lr {3e-4 * min(1, i / 2000):.2e} | {32 * 4 * 4096 / 2.6 / 1000:.1f}k tok/s", fall(10.9, 2.7, 140))
    f.xid(21, last + 33, 31, "channel 0x00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC4 GPCCLIENT_T1_3 faulted @ 0x7f8a_61c00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ")
    f.say(21, last + 33.4, frames(("/w/ssm/train.py", 402, "<module>", "main()"), ("/w/ssm/train.py", 351, "main", "loss.backward()"), ("/w/ssm/ops/chunk_scan.py", 288, "backward", "dx, ddt, dB, dC = _ssm_ext.chunk_scan_bwd(dout, x, dt, A, B, C, ctx.chunk)"), error="torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n" + DSA), "[rank21]: ")
    f.end(21, last + 36, code=1)
    f.end([r for r in f.ranks if r != 21], last + 39, signal=15)
    sigterms(f, 2, last + 37, [16, 17, 18, 19, 20, 22, 23])
    elastic(f, 2, last + 41, [(21, 1, last + 36)])
    for n in (0, 1, 3):
        sigterms(f, n, last + 38, range(8 * n, 8 * n + 8))
    f.load([(0, IDLE), (95, CONTEXT), (136, WORK)])
    srun_says(f, last + 43, "error: hx04: task 2: Exited with exit code 1")
    f.close("FAILED", last + 46, code=1)
    return made(f, "A3", "cuda_runtime", first=(21,))


@job
def class_too_many() -> Made:
    """A3: a label beyond the head's classes in the second shard: the loss kernel asserts on rank 2."""
    f = Fleet(("cv-11",), "inat-convnext", 10_413_402, when("2026-08-16 13:05"), per=4, card=A100, script="fit.py", submit_line="sbatch inat.sh")
    lightning_head(f, 14, "\n  | Name      | Type             | Params | Mode \n-------------------------------------------------------\n0 | net       | ConvNeXt         | 94.3 M | train\n1 | criterion | CrossEntropyLoss | 0      | train\n-------------------------------------------------------\n94.3 M    Trainable params\n0         Non-trainable params\n94.3 M    Total params\n377.104   Total estimated model params size (MB)")
    last = f.steps(0, range(250, 18_001, 250), 38, 0.81, lambda i, x, t: "\r" + bar(i, 42_150, t - 38, name="Epoch 0", tail=f"v_num=3, train_loss={x:.3f}"), fall(9.1, 3.2, 700))
    for k in range(9):
        f.say(2, last + 12, f"../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [{3 + 2 * k},0,0] Assertion `t >= 0 && t < n_classes` failed.")
    f.say(2, last + 12.4, frames(("/home/ott/inat/fit.py", 88, "<module>", "trainer.fit(Net(cfg), Data(cfg))"), ("/home/ott/env/lib/python3.11/site-packages/lightning/pytorch/loops/optimization/automatic.py", 323, "_training_step", "training_step_output = call._call_strategy_hook(trainer, \"training_step\", *kwargs.values())"), ("/home/ott/inat/net.py", 54, "training_step", "self.log(\"train_loss\", loss, prog_bar=True)"), error="RuntimeError: CUDA error: device-side assert triggered\n" + DSA), "[rank2]: ")
    f.end(2, last + 15, code=1)
    f.end([0, 1, 3], last + 18, signal=9)
    f.load([(0, IDLE), (34, Load(96, 0, 0.83, 0.71))])
    srun_says(f, last + 16, "error: cv-11: task 2: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: cv-11: tasks 0-1,3: Killed")
    f.close("FAILED", last + 20, code=1)
    return made(f, "A3", "cuda_runtime", first=(2,))


@job
def left_on_the_host() -> Made:
    """A3: after the first epoch a running mean is loaded back to the CPU; the next batch meets it, on every rank."""
    f = Fleet(("mu1", "mu2"), "track-gnn", 10_413_777, when("2026-08-17 09:00"), per=4, script="gnn/fit.py", submit_line="sbatch tg.sh")
    last = f.steps(0, range(50, 4201, 50), 33, 1.7, lambda i, x, t: f"INFO | {f.clock(t)} | epoch 1 | {i:>5}/4200 | bce={x:.5f} | eff={1 - x / 2:.3f} | pur={0.98 - x / 1.6:.3f}", fall(0.69, 0.08, 300))
    f.say(0, last + 75, f"INFO | {f.clock(last + 75)} | epoch 1 | val auc 0.9711 | best so far, state written to run7/best.pt\nINFO | {f.clock(last + 77)} | stats refreshed from run7/best.pt")
    f.each(last + 79, frames(("/mu/gnn/fit.py", 190, "<module>", "run(load_cfg())"), ("/mu/gnn/fit.py", 143, "run", "out = net((hits - mean) / std, edges)"), error="RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:{l} and cpu!"), tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, last + 81, code=1, gap=0.05)
    f.load([(0, IDLE), (30, WORK)])
    srun_says(f, last + 83, "error: mu1: tasks 0-3: Exited with exit code 1", "error: mu2: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", last + 85, code=1)
    return made(f, "A3", "device_mismatch")


@job
def other_sizes() -> Made:
    """A3: one rank gathers more than its peers expect: NCCL finds messages of unlike length over sockets and gives up."""
    f = Fleet(("ow-1", "ow-2", "ow-3"), "retriever-neg", 10_414_055, when("2026-08-18 14:50"), per=2, card=L40S, script="dpr.py", submit_line="sbatch -N3 dpr.sh")
    last = f.steps(0, range(25, 1901, 25), 60, 2.2, lambda i, x, t: f"{f.clock(t, '%d %b %Y %H:%M:%S')} dpr  step={i}  nll={x:.4f}  mrr@10={max(0.02, 0.41 - x / 12):.4f}  negs=64", fall(4.1, 0.9, 180))
    f.say(0, last + 3, f"{f.clock(last + 3, '%d %b %Y %H:%M:%S')} dpr  mined passages of round 2 from here on")
    for r, peer in ((2, 1), (4, 3)):
        warn = f"NET/Socket : peer 10.7.0.{peer // 2 + 1}<{51022 + r}> message truncated : receiving 4194304 bytes instead of 2097152. If you believe your socket network is in healthy state, there may be a mismatch in collective sizes or environment settings (e.g. NCCL_PROTO, NCCL_ALGO) between ranks"
        f.say(r, last + 9, f"{f.home(r)}:400{r:02d}:406{r:02d} [{r % 2}] transport/net_socket.cc:544 NCCL WARN {warn}")
        f.say(r, last + 9.4, frames(("/srv/dpr/dpr.py", 233, "<module>", "fit()"), ("/srv/dpr/dpr.py", 171, "fit", "loss = contrast(gather_all(q), gather_all(p))"), ("/srv/dpr/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", 3345, "all_gather", "work = group.allgather([tensor_list], [tensor])"), error=f"torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2395, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\n{warn}"), f"[rank{r}]: ")
        f.end(r, last + 12, code=1)
    f.end([0, 1, 3, 5], last + 16, signal=9)
    f.load([(0, IDLE), (56, Load(95, 0, 0.8, 0.6))])
    srun_says(f, last + 13, "error: ow-2: task 2: Exited with exit code 1", "error: ow-3: task 4: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 19, code=1)
    return made(f, "A3", "nccl", first=(2, 4))


@job
def optimizer_on_host() -> Made:
    """A3: rank 0 gathers the full state for a save and the host will not give it the memory."""
    f = Fleet(("bq-3", "bq-4"), "yolo-world-x", 10_414_390, when("2026-08-19 03:15"), per=8, agents=True, script="yw/main.py", submit_line="sbatch --mem=240G yw.sh")
    last = f.steps(0, range(100, 10_001, 100), 77, 1.1, lambda i, x, t: f"{f.clock(t, '%m/%d %H:%M:%S')} - yw - INFO - Iter(train) [{i:>5}/80000]  base_lr: 2.0000e-04  eta: {hms((80_000 - i) * 1.1)}  time: 1.10{i % 9}4  data_time: 0.0{20 + i % 40}1  memory: 61022  grad_norm: {120 + x:.4f}  loss: {x:.4f}  loss_cls: {x * 0.3:.4f}  loss_bbox: {x * 0.4:.4f}  loss_dfl: {x * 0.3:.4f}", fall(230, 118, 600))
    f.say(0, last + 2, f"{f.clock(last + 2, '%m/%d %H:%M:%S')} - yw - INFO - Saving checkpoint at 10000 iterations")
    f.say(0, last + 41, frames(("/yw/main.py", 118, "<module>", "runner.train()"), ("/yw/hooks/save.py", 52, "after_train_iter", "state = {k: v.cpu() for k, v in full.items()}"), error="RuntimeError: [enforce fail at alloc_cpu.cpp:119] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 51539607552 bytes. Error code 12 (Cannot allocate memory)"), "[rank0]: ")
    f.end(0, last + 44, code=1)
    f.end(range(1, 16), last + 47, signal=15)
    sigterms(f, 0, last + 45, range(1, 8))
    elastic(f, 0, last + 49, [(0, 1, last + 44)])
    sigterms(f, 1, last + 46, range(8, 16))
    f.load([(0, IDLE), (72, WORK), (last + 2, Load(40, 12, 0.3, 0.79, 60))])
    f.close("FAILED", last + 52, code=1)
    return made(f, "A3", "ram_oom", first=(0,))


@job
def grey_picture() -> Made:
    """A3: one picture of a million has a single channel; a loader's worker of rank 5 cannot stack it."""
    f = Fleet(("wv1",), "sd-vae-ft", 10_414_718, when("2026-08-20 22:22"), per=8, card=B200, agents=True, script="vae_ft.py", submit_line="sbatch vae.sh")
    last = f.steps(0, range(40, 8321, 40), 64, 0.77, lambda i, x, t: f"[{f.clock(t)}] {i:>6}/150000 rec {x:.4f} kl {0.31 + x / 9:.4f} lpips {x * 0.6:.4f} gan {0.7:.3f}", fall(0.41, 0.07, 400))
    inner = frames(("/env/lib/python3.12/site-packages/torch/utils/data/_utils/worker.py", 349, "_worker_loop", "data = fetcher.fetch(index)"), ("/env/lib/python3.12/site-packages/torch/utils/data/_utils/collate.py", 272, "collate_tensor_fn", "return torch.stack(batch, 0, out=out)"), error="RuntimeError: stack expects each tensor to be equal size, but got [3, 512, 512] at entry 0 and [1, 512, 512] at entry 19\n")
    f.say(5, last + 18, frames(("/x/vae_ft.py", 260, "<module>", "main()"), ("/x/vae_ft.py", 188, "main", "for step, batch in enumerate(loader, start):"), ("/env/lib/python3.12/site-packages/torch/_utils.py", 733, "reraise", "raise exception"), error="RuntimeError: Caught RuntimeError in DataLoader worker process 6.\nOriginal " + inner), "[rank5]: ")
    f.end(5, last + 20, code=1)
    f.end([r for r in f.ranks if r != 5], last + 23, signal=15)
    sigterms(f, 0, last + 21, [0, 1, 2, 3, 4, 6, 7])
    elastic(f, 0, last + 25, [(5, 1, last + 20)], binary="/env/bin/python")
    f.load([(0, IDLE), (60, WORK)])
    f.close("FAILED", last + 28, code=1)
    return made(f, "A3", "runtime_error", first=(5,))


@job
def tracker_gone() -> Made:
    """A3: the experiment server no longer answers and the client's error is not caught, after six hours; H100s of one node."""
    f = Fleet(("kr-08",), "tft-grid", 10_415_004, when("2026-08-21 18:00"), per=2, card=H100, script="train_tft.py", submit_line="sbatch tftg.sh")
    last = f.steps(0, range(1, 139), 30, 160, lambda i, x, t: f"{f.clock(t, '%Y/%m/%d %H:%M:%S')} INFO train_tft: epoch {i} train_q={x:.5f} val_q={x * 1.07:.5f} lr={1e-3 * 0.99 ** i:.2e}", fall(0.88, 0.21, 9))
    f.say(0, last + 410, frames(("/g/train_tft.py", 166, "<module>", "main()"), ("/g/train_tft.py", 140, "main", "mlflow.log_metrics(row, step=epoch)"), ("/g/env/lib/python3.12/site-packages/mlflow/utils/rest_utils.py", 243, "http_request", "raise MlflowException(f\"API request to {url} failed with exception {e}\")"), error="mlflow.exceptions.MlflowException: API request to http://mlflow.grid:5000/api/2.0/mlflow/runs/log-batch failed with exception HTTPConnectionPool(host='mlflow.grid', port=5000): Max retries exceeded with url: /api/2.0/mlflow/runs/log-batch (Caused by ResponseError('too many 503 error responses'))"))
    f.end(0, last + 412, code=1)
    f.end(1, last + 416, signal=9)
    f.load([(0, IDLE), (26, Load(88, 39, 0.6, 0.4, 18))])
    srun_says(f, last + 413, "error: kr-08: task 0: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: kr-08: task 1: Killed")
    f.close("FAILED", last + 419, code=1)
    return made(f, "A3", "traceback", first=(0,))
