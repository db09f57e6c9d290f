"""Jobs of a national computing centre's language and vision groups, on cards that are not here, written by hand: full and broken cards, kernels that go wrong, ranks that never meet, ranks that wait."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._atlas_lines import fell
from corpus.make._herbarium import Sheet, but
from corpus.make._herbarium_lines import LATE, SITE, agent, dog, oom
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

FULL = Label(mode="B1", cause="cuda_oom", fault="user")
SICK = Label(mode="B2", cause="cuda_runtime", fault="node")
APART = Label(mode="C1", fault="unknown")
STILL = Label(mode="C2", fault="unknown")


def who(base: Label, *first: int, failed: tuple[int, ...] = ()) -> Label:
    """These failed first."""
    return base.but(first_ranks=first, failed_ranks=failed or ((0,) if first == (0,) and not base.failed_ranks else ()))


def filled() -> Iterator[HandJob]:
    """B1."""
    s = Sheet(1, "moe-16b", "h100", 2, 8, form="mega").say("> initializing torch distributed ... done, 16 ranks", 22).say("building MoE model: 64 experts, top-6", 14).mem(71).does("full").go(140, 2.2, 10, 40_000)
    s.mem(78.9, 11, 3).say(fell(oom("2.62 GiB", 3, "79.10 GiB", "1.04 GiB", "78.05 GiB", "74.92 GiB"), "/home/alice/moe/pretrain.py:402 train_step losses = forward_backward(batch)", "/home/alice/moe/layers/dispatch.py:118 forward tokens = permute(hidden, routing)", mark="[rank11]: "), 2, 11)
    yield s.does("off", 11).end(who(FULL, 11), "FAILED", {11: 1}, others=-15, later=3, first_at={11: s.t + 0.6})
    s = Sheet(2, "lora-70b", "a100", 1, 4, form="hf", by="accelerate", script="sft.py").say("loading checkpoint shards: 100%|##########| 30/30 [03:11<00:00,  6.38s/it]", 195).mem(76.5, None, 150).does("read").wait(10)
    s.say(fell(oom("448.00 MiB", 0, "79.25 GiB", "214.94 MiB", "79.03 GiB", "78.11 GiB", "88.36 MiB"), "/home/alice/sft/sft.py:97 <module> trainer.train()", f"{SITE}/transformers/trainer.py:2330 train return inner_training_loop(", f"{SITE}/bitsandbytes/optim/optimizer.py:288 step self.init_state(group, p, gindex, pindex)", mark="[rank<r>]: "), 30, None, 0.4)
    yield s.say(agent("sft.py", [(r, r, "1 (pid: <p>)") for r in range(4)], first=0), 4).end(FULL, "FAILED", dict.fromkeys(range(4), 1))
    s = Sheet(3, "eval-ctx128k", "h200", 1, 1, form="acc", script="longctx.py").say("context 131072, kv cache in bf16", 30).mem(61).does("train").go(120, 1.4, 20, 500).say("sequence of 129,840 tokens next", 3).mem(139.6, over=1)
    yield s.say(fell(oom("31.75 GiB", 0, "139.81 GiB", "18.20 GiB", "121.60 GiB", "119.77 GiB"), "/home/alice/ctx/longctx.py:61 score logits = model(ids).logits.float()"), 1.5).end(who(FULL, 0), "FAILED", {0: 1})
    s = Sheet(4, "maxtext-8b", "h100n", 2, 4, form="max", script="train_compile.py").say("System Information: Jax Version: 0.6.2, Jaxlib Version: 0.6.2, Jax Backend: PJRT C API", 24, None).mem(84, None, 3).does("read").say("Memstats: After params initialized: 71.3/ 84.6 GiB used", 40)
    s.say(fell("jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 24696061952 bytes.", "/home/alice/maxtext/train.py:480 train_loop state, metrics = p_train_step(state, batch, rng)"), 61, None, 0.2)
    yield s.end(FULL.but(failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))
    s = Sheet(5, "protein-flow", "a40", 1, 2, form="light", by="torchrun", script="flow.py").say("GPU available: True (cuda), used: True\nYou are using a CUDA device ('NVIDIA A40') that has Tensor Cores.", 12).mem(30).does("train").go(260, 0.8, 20, 8000)
    s.mem(44, 1, 40).wait(45).say(fell(oom("1.11 GiB", 1, "44.42 GiB", "702.31 MiB", "43.73 GiB", "42.20 GiB"), f"{SITE}/lightning/pytorch/trainer/call.py:48 _call_and_handle_interrupt return trainer_fn(*args, **kwargs)", "/home/alice/flow/pairs.py:209 attend bias = self.bias(pair).permute(0, 3, 1, 2)", mark="[rank1]: "), 1, 1)
    yield s.say(agent("flow.py", [(1, 1, "1 (pid: <p>)")]), 5, 0).end(who(FULL, 1), "FAILED", {1: 1}, others=-15)
    s = Sheet(6, "rocm-vlm", "mi300", 1, 8, form="titan").say("[titan] - Building device mesh with parallelism: dp_shard=8", 21).mem(168).does("train").go(90, 3.1, 10, 3000).mem(191.5, 5, 4)
    s.say(fell("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 7.50 GiB. GPU 5 has a total capacity of 191.98 GiB of which 3.02 GiB is free. Of the allocated memory 181.24 GiB is allocated by PyTorch, and 5.11 GiB is reserved by PyTorch but unallocated.", "/home/alice/vlm/train.py:288 train_step loss.backward()", mark="[rank5]: "), 2, 5)
    yield s.end(who(FULL, 5), "FAILED", {5: 1}, others=-15, later=2, first_at={5: s.t + 0.3})
    s = Sheet(7, "cls-shared", "a6000", 1, 1, form="timm").say("Model resnetv2_101 created, param count:44541465", 9)
    s.say(fell("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "/home/alice/cls/train.py:511 train_one_epoch output = model(input)"), 7).mem(47.3, over=1)
    yield s.end(who(FULL, 0), "FAILED", {0: 1})
    s = Sheet(8, "ds-13b-offload", "v100", 2, 4, form="deep", by="deepspeed", script="finetune.py").say("[INFO] [config.py:997:print] DeepSpeedEngine configuration: zero_optimization stage 3", 28, None).mem(26).does("train").go(60, 4.0, 5, 900)
    s.say("step 61: validation, batch of 16", 2).mem(31.6, (4, 5, 6, 7), 4).say(fell(oom("3.00 GiB", 2, "31.74 GiB", "1.21 GiB", "30.51 GiB", "28.80 GiB"), "/home/alice/ds/finetune.py:214 evaluate out = engine(**batch)", f"{SITE}/deepspeed/runtime/zero/parameter_offload.py:262 _pre_forward_module_hook self.pre_sub_module_forward_function(module)", mark="gpu<n>: [rank<r>]: "), 5, 6)
    yield s.say("[<I>] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3', '-u', 'finetune.py', '--local_rank=2'] exits with return code = 1", 2, 4).end(who(FULL, 6), "FAILED", {6: 1}, others=-15)


def broken() -> Iterator[HandJob]:
    """B2."""
    s = Sheet(11, "lm-30b", "h100", 2, 8, form="own", by="torchrun").say("rendezvous complete, world 16", 20).mem(66).does("full").go(420, 1.6, 20, 90_000).xid(9, 94, "pid=41509, name=python3, Contained: DRAM uncorrectable ECC error")
    s.say(fell("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + LATE, "/home/alice/lm/train.py:188 step self.grad_norm = clip_(params, 1.0).item()", mark="[rank9]: "), 1.2, 9)
    yield s.say(agent("train.py", [(9, 1, "1 (pid: <p>)")]), 6, 8).end(who(SICK, 9), "FAILED", {9: 1}, others=-15, cards={9: ({}, {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "recovery_action": "gpu_reset"})})
    s = Sheet(12, "diffusion-xl", "a100", 1, 8, form="acc", by="accelerate").say("***** Running training, 8 processes *****", 30).mem(54).does("train").go(600, 0.9, 25, 30_000).does("off", 3).xid(3, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")
    s.say(fell("torch.AcceleratorError: CUDA error: unspecified launch failure" + LATE, "/home/alice/xl/train.py:933 main accelerator.backward(loss)", mark="[rank3]: "), 1, 3)
    yield s.say(agent("train.py", [(3, 3, "-6 (pid: <p>)")]), 8, 0).end(who(SICK, 3), "FAILED", {3: -6}, others=-15, cards={3: ({}, None)}, blind={3: s.t - 9})
    s = Sheet(13, "asr-rnnt", "h100p", 1, 1, form="nemo").say("NeMo-like loop, 1 device", 18).mem(40).does("train").go(380, 0.7, 20, 20_000).xid(0, 63, "pid=40000, name=python3, Row Remapper: New row (0x0000000000000a71) marked for remapping, reset gpu to activate.", 0.9).xid(0, 48, "pid=40000, name=python3, DBE (double bit error) ECC Error detected", 0.8)
    s.say(fell("RuntimeError: CUDA error: uncorrectable ECC error encountered" + LATE, "/home/alice/asr/fit.py:120 fit scaler.step(opt)"), 0.6)
    yield s.end(who(SICK, 0), "FAILED", {0: 1}, cards={0: ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True, "recovery_action": "gpu_reset"})})
    s = Sheet(14, "gemm-heavy", "b200", 1, 8, form="titan").say("[titan] - Training starts at step 1", 44).mem(150).does("full").go(300, 1.2, 10, 10_000).xid(2, 145, "RLW_RXPIPE Nonfatal XC0 i0 Link 04 (0x00000000 0x00000000)", 3.0).xid(2, 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 04 (0x004505c6 0x00000000)")
    s.say(fell("torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3690, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.5\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'uncorrectable NVLink error detected during the execution'", "/home/alice/gemm/train.py:77 step dist.reduce_scatter_tensor(out, flat)", mark="[rank<r>]: "), 1, 2)
    yield s.end(who(SICK, 2), "FAILED", {2: 1}, others=-15, later=5, first_at={2: s.t + 0.4}, cards={2: ({}, {"nvlink_receive_errors": 611, "nvlink_effective_errors": 208, "nvlink_recovery_failed": 1})})
    s = Sheet(15, "gnn-mol", "a100p", 1, 2, form="csv").say("time,step,loss,ppl,s", 9).mem(22).does("train").go(700, 0.5, 25, 20_000).xid(0, 119, "pid=40000, name=python3, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x4).", 8)
    s.does("off", 0).say(fell("torch.AcceleratorError: CUDA error: unknown error" + LATE, "/home/alice/gnn/run.py:66 <module> loss = step(batch)", mark="[rank0]: "), 2, 0)
    yield s.end(who(SICK, 0), "FAILED", {0: 1}, others=-15, cards={0: ({}, None)}, blind={0: s.t - 10})
    s = Sheet(16, "vit-huge", "h100", 4, 8, form="timm", by="torchrun").say("Training in distributed mode with 32 processes", 25).mem(62).does("full").go(260, 1.1, 20, 9000).xid(21, 95, "pid=41521, name=python3, Uncontained: LTC TAG (0x4,0x1). Physical Address: 0x0000001c52b4a000, RST: Yes, D-RST: No").xid(21, 45, "pid=41521, name=python3, Ch 00000008", 0.1)
    s.say(fell("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + LATE, "/home/alice/vit/train.py:799 train_one_epoch losses_m.update(loss.item() * accum_steps, input.size(0))", mark="[rank21]: "), 0.8, 21)
    yield s.say(agent("train.py", [(21, 5, "1 (pid: <p>)")]), 9, 16).end(who(SICK, 21), "FAILED", {21: 1}, others=-15, cards={21: ({}, {"ecc_volatile_uncorrected": 6, "ecc_aggregate_uncorrected": 6, "recovery_action": "node_reboot"})})
    s = Sheet(17, "speech-ssl", "l40s", 1, 4, form="clu").say("jax.process_count=4, local devices: [CudaDevice(id=0)]", 20, None).mem(38).does("train").go(340, 0.8, 20, 50_000).does("off", 1).xid(1, 79, "pid=40001, name=python3, GPU has fallen off the bus.")
    s.say(fell("jax.errors.JaxRuntimeError: INTERNAL: CUDA error: Failed call to cuStreamSynchronize: CUDA_ERROR_ILLEGAL_STATE: the operation cannot be performed in the present state", "/home/alice/ssl/main.py:181 train_and_evaluate metrics = jax.device_get(metrics)"), 1.1, 1)
    yield s.end(who(SICK, 1), "FAILED", {1: 1}, others=-9, later=20, first_at={1: s.t + 0.5}, cards={1: ({}, None)}, blind={1: s.t - 3})
    s = Sheet(18, "ring-8n", "h200", 1, 8, form="mega").say("using world size: 8, tensor-model-parallel size: 8", 20).mem(120).does("full").go(180, 2.4, 10, 20_000).xid(6, 74, "pid=40006, name=python3, NVLink: fatal error detected on link 11(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)")
    s.say(fell("RuntimeError: CUDA error: unspecified launch failure" + LATE, "/home/alice/ring/pretrain_gpt.py:311 forward_step output = model(tokens, position_ids, attention_mask, labels=labels)", mark="[rank6]: "), 0.9, 6)
    yield s.end(who(SICK, 6), "FAILED", {6: 1}, others=-15, later=3, first_at={6: s.t + 0.2}, cards={6: ({}, {"nvlink_crc_errors": 4096, "nvlink_replay_errors": 31}), 5: ({}, {"nvlink_replay_errors": 2})})
    # the program's own fault beside a card with an old wound, and an application's Xid
    s = Sheet(19, "emb-13", "h100p", 1, 1, form="kv").say("vocab grown to 128512", 12).mem(31).does("train").go(210, 0.8, 10, 4000).xid(0, 31, "pid=40000, name=python3, Ch 0000000c, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC4 GPCCLIENT_T1_2 faulted @ 0x7f31_9c200000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ")
    s.say(fell("torch.AcceleratorError: CUDA error: an illegal memory access was encountered" + LATE, "/home/alice/emb/train.py:140 main loss = fused_ce(hidden, weight, labels)", "/home/alice/emb/fused_ce.py:71 forward _ce_fwd[grid](hidden, weight, labels, losses)"), 0.6)
    yield s.end(Label(mode="A3", cause="cuda_runtime", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})
    s = Sheet(20, "tok-ids", "a100", 1, 2, form="hf5", by="torchrun").say("tokenizer has 50265 entries, embedding 50257", 15).mem(40).does("train").go(40, 1.1, 10, 5000)
    s.say("/opt/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553: indexSelectLargeIndex: block: [411,0,0], thread: [64,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n" + fell("torch.AcceleratorError: CUDA error: device-side assert triggered" + LATE, f"{SITE}/transformers/models/opt/modeling_opt.py:401 forward inputs_embeds = self.embed_tokens(input_ids)", mark="[rank1]: "), 0.7, 1)
    yield s.say(agent("train.py", [(1, 1, "1 (pid: <p>)")]), 4, 0).end(Label(mode="A3", cause="cuda_runtime", fault="user", first_ranks=(1,)), "FAILED", {1: 1}, others=-15, cards={0: ({"ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 1}, {"ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 1})})


def apart() -> Iterator[HandJob]:
    """C1."""
    s = Sheet(31, "pp-train", "h100", 4, 8, form="own", by="torchrun", limit_s=1800).say("I<D> <C> rendezvous: master gpu-login:29400, node <n>, waiting for 4 nodes", 12, (0, 8, 24)).cpu(3)
    yield s.end(APART, "TIMEOUT")
    s = Sheet(32, "ft-mixtral", "a100", 2, 8, form="hf", limit_s=43_200).say("init_process_group(backend=nccl, init_method=env://)", 15, None).cpu(100).does("off")
    s.say(fell("torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (gpu-a100-3.hpc.local, 23456).", "/home/alice/ft/train.py:33 <module> dist.init_process_group('nccl', timeout=timedelta(minutes=10))", mark="[rank<r>]: "), 602, tuple(range(8, 16)), 0.01)
    yield s.end(APART, "FAILED", dict.fromkeys(range(8, 16), 1), others=-15, later=31)
    s = Sheet(33, "ib-probe", "h200", 2, 4, form="titan").say("<n>:<p>:<p> [<l>] NCCL INFO Bootstrap: Using ib0:10.4.<l>.7<0>", 20, None).mem(0.6, None, 2)
    s.say("<n>:<p>:41 [<l>] misc/socket.cc:64 NCCL WARN Timeout waiting for connection to 10.4.3.7<52114> (Connection timed out) after 34 attempts", 130, (0, 1, 2, 3)).say(fell("torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:94, remote process exited or there was a network error, NCCL version 2.26.2\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketPollConnect: connect to 10.4.3.7<52114> returned Connection timed out, exceeded error retry count (34)", "/home/alice/ib/train.py:51 main dist.barrier()", mark="[rank<r>]: "), 1, (0, 1, 2, 3))
    yield s.end(APART.but(cause="nccl"), "FAILED", {0: 1, 1: 1, 2: 1, 3: 1}, others=-15, later=2)
    s = Sheet(34, "jax-pod", "gh200", 8, 1, form="max").say("I<D> <C>.<U> distributed.py:106] Connecting to JAX distributed service on gh001:9911", 14, (0, 1, 2, 3, 4, 5, 7)).cpu(2).wait(300)
    s.say("E<D> <C>.<U> coordination_service_agent.cc:367] DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect::0. This usually happens because a task triggered the barrier too early or too slowly. # of tasks that reached the barrier: 7/8. The first task at the barrier: /job:jax_worker/replica:0/task:3. Some timed out task names: /job:jax_worker/replica:0/task:6", 2, 0)
    s.say(fell("jax.errors.JaxRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect::0", "/home/alice/pod/main.py:20 <module> jax.distributed.initialize()"), 0.5, (0, 1, 2, 3, 4, 5, 7))
    yield s.end(APART, "FAILED", dict.fromkeys((0, 1, 2, 3, 4, 5, 7), 1), others=-15, later=1)
    s = Sheet(35, "rl-actors", "l40s", 1, 4, form="rnd", limit_s=3600).say("actor <r>: joining group 'learners'", 9, (0, 1, 3)).say(fell("ModuleNotFoundError: No module named 'flash_attn_2_cuda'", "/home/alice/rl/learner.py:4 <module> from flash_attn import flash_attn_func", f"{SITE}/flash_attn/flash_attn_interface.py:15 <module> import flash_attn_2_cuda as flash_attn_gpu"), 0.7, 2).cpu(100, (0, 1, 3))
    fell_at = s.t + 0.4
    yield s.end(Label(mode="C1", cause="missing_module", trigger="A1", fault="user", failed_ranks=(2,), first_ranks=(2,)), "TIMEOUT", {2: 1}, first_at={2: fell_at})
    s = Sheet(36, "port-mix", "a6000", 2, 2, form="fra", limit_s=7200, submit="sbatch -N2 --gpus-per-node=2 -t 2:00:00 lance.sh").say("rang <r> : attente des autres sur <n>:29500", 8, None).cpu(99).wait(1700)
    yield s.say("rang 0 : toujours 2/4 presents", 60, 0).end(APART, "CANCELLED", cancelled_by_uid=1042)


def waiting() -> Iterator[HandJob]:
    """C2."""
    s = Sheet(41, "lm-7b-hsdp", "h100", 2, 8, form="titan").say("[titan] - Applied FSDP to the model", 33).mem(68).does("full").go(330, 1.9, 10, 25_000).does("spin").does("held", 13).cpu(0.5, 13).look_at(13, "D", "nfs_wait_bit_killable", waits={"D nfs_wait_bit_killable": 120}, file_systems=("nfs4 /datasets",))
    s.say(dog("_REDUCE_SCATTER_BASE", 41_226, 8_392_704, 600_000), 603, but(13), 0.02)
    yield s.end(STILL.but(cause="nccl"), "FAILED", dict.fromkeys(s.rest(13), -6), others=-9, later=14, first_at={r: s.t + 0.5 + 0.01 * r for r in s.rest(13)})
    s = Sheet(42, "dlrm-ctr", "a100", 1, 8, form="csv", limit_s=5400).say("time,step,loss,ppl,s", 20).mem(59).does("train").go(900, 0.6, 50, 50_000).does("spin", but(4)).does("held", 4).cpu(100, but(4)).cpu(0, 4).look_at(4, "S", "futex_wait_queue", waits={"S futex_wait_queue": 700})
    yield s.end(STILL.but(fault="user"), "TIMEOUT")
    s = Sheet(43, "ckpt-gather", "h200", 2, 4, form="acc", by="accelerate").say("***** Running training *****", 18, 0).mem(101).does("full").go(500, 1.1, 25, 6000).say("<I> saving state (rank 0 only) to out/step_500", 0.5).does("spin", but(0)).does("held", 0)
    s.say(dog("ALLGATHER", 9_014, 262_144, 1_800_000), 1803, but(0), 0.05).say(agent("train.py", [(r, r, "-6 (pid: <p>)") for r in (1, 2, 3)], first=1), 6, 0).say(agent("train.py", [(r, r - 4, "-6 (pid: <p>)") for r in (4, 5, 6, 7)], first=2), 0.4, 4)
    yield s.end(STILL.but(cause="nccl"), "FAILED", dict.fromkeys(s.rest(0), -6), others=-15)
    s = Sheet(44, "mm-loader", "h100", 1, 4, form="kv", limit_s=6000).say("4 ranks up", 16).mem(47).does("train").go(410, 1.3, 10, 30_000).killed(2).does("spin", but(2)).does("off", 2)
    mem, died = CgroupMemory(limit_bytes=300 * GIB, peak_bytes=300 * GIB, oom_events=3, oom_kill_events=1), s.t
    yield s.end(Label(mode="C2", cause="oom_killer", trigger="A2", fault="user", failed_ranks=(2,), first_ranks=(2,)), "TIMEOUT", {2: -9}, first_at={2: died}, memory={2: mem}, tail=((died + 0.6, "slurmstepd: error: Detected 1 oom_kill event in StepId=<j>.0. Some of the step tasks have been OOM Killed."),))
    s = Sheet(45, "pipe-20b", "h100", 4, 4, form="mega").say("> setting up pipeline of 4 stages", 25).mem(72).does("full").go(220, 2.6, 10, 30_000)
    s.say(fell("KeyError: 'image_grid_thw'", "/home/alice/pipe/pretrain_vlm.py:254 get_batch grid = data['image_grid_thw']", mark="[rank6]: "), 1.1, 6).does("spin", but(6)).does("off", 6)
    died = s.t + 0.5
    s.say(dog("SEND", 77_412, 16_777_216, 1_200_000, group="12(pp)"), 1202, but(6), 0.03)
    yield s.end(Label(mode="C2", cause="traceback", trigger="A3", fault="user", first_ranks=(6,)), "FAILED", {6: 1, **dict.fromkeys(s.rest(6), -6)}, first_at={6: died})
    s = Sheet(46, "eval-uneven", "a40", 1, 4, form="light").say("`Trainer.fit` stopped at epoch end, validating", 11).mem(36).does("train").go(480, 0.8, 20, 4000).say("Validation DataLoader 0:  97%|#########7| 37/38 [00:12<00:00]", 12).does("spin", (0, 1, 2)).does("held", 3).cpu(100, (0, 1, 2))
    yield s.wait(2700).end(STILL.but(fault="user"), "CANCELLED", cancelled_by_uid=1042)
    s = Sheet(47, "hot-spare", "h200", 2, 8, form="own").say("world 16, heartbeat 1 s", 21).mem(116).does("full").go(640, 1.5, 20, 200_000).does("spin", tuple(range(8))).does("spin", tuple(range(8, 16)))
    s.say("[rank<r>]:[W<D> <C>.<U> ProcessGroupNCCL.cpp:1600] [Rank <r>] NCCL WARN NET/IB : Got completion from peer 10.4.7.12<41111> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::e42 remoteGids fe80::e61 hca mlx5_3", 23, 10)
    s.say(fell("torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2120, remote process exited or there was a network error, NCCL version 2.26.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nNET/IB: Got completion from peer 10.4.7.12<41111> with status=12", "/home/alice/spare/loop.py:207 step handle.wait()", mark="[rank10]: "), 2, 10)
    yield s.end(Label(mode="A3", cause="nccl", fault="unknown", first_ranks=(10,)), "FAILED", {10: 1}, others=-15, later=4, first_at={10: s.t + 0.3})
    s = Sheet(48, "seg-plant", "l40s", 1, 2, form="lig", limit_s=2700).say("zwei Karten, Stapel 12", 9).mem(27).does("train").go(360, 0.9, 20, 20_000).say("Zwischenstand wird geschrieben", 0.4).does("held", 0).does("spin", 1).look_at(0, "D", "rpc_wait_bit_killable", waits={"D rpc_wait_bit_killable": 380}, file_systems=("nfs4 /home",))
    yield s.end(STILL, "TIMEOUT")


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (filled, broken, apart, waiting):
        yield from part()


RECIPE = Recipe("herbarium_cards_by_pen", "development", jobs)
