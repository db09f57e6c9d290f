"""Jobs of a speech company, a hospital's group and an institute of materials, by pen: programs that fell over at once or later, were killed, or found a card full."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make import _inkwell_voices as v
from corpus.make._inkwell import Slip, sinking
from corpus.make._inkwell_words import closing, cuda, elastic, no_room, no_room_then, stack
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

START = Label(mode="A1", fault="user")
KILLED = Label(mode="A2", fault="user")
FELL = Label(mode="A3", fault="user")
FULL = Label(mode="B1", cause="cuda_oom", fault="user")
ONE = {"failed_ranks": (0,), "first_ranks": (0,)}


def at_once() -> Iterator[HandJob]:
    """A1."""
    s = Slip(1, "dialect-100m", "h100", 2, 4, voice=v.megatron, script="pretrain_speech.py", rack="hgx")
    s.say("[<iso>] world size 8, rank <rank>, host <host>", 7, None).say(stack("ModuleNotFoundError: No module named 'transformer_engine'", "pretrain_speech.py@14@<module>@from speech_lm.model import SpeechLM", "speech_lm/model.py@9@<module>@import transformer_engine.pytorch as te"), 5, None)
    yield s.done(START.but(cause="missing_module", variant="env", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))

    s = Slip(2, "radiology-reports", "a100", 2, 4, voice=v.logfmt, script="report_lm.py", rack="n")
    s.shell("Currently Loaded Modules:\n  1) gcc/12.3   2) cuda/12.4   3) python/3.11").say('t=<iso> lvl=info msg="process up" rank=<rank> host=<host>', 11, None).mem(0.6).cards("held")
    s.say(stack("FileNotFoundError: [Errno 2] No such file or directory: '/local/nvme0/tokenizers/radbpe-48k/tokenizer.json'", "report_lm.py@88@<module>@tok = RadTokenizer(args.tokenizer)", "radtext/tokenizer.py@31@__init__@with open(os.path.join(path, 'tokenizer.json'), encoding='utf-8') as f:"), 6, s.on(1), 0.01)
    yield s.done(START.but(cause="file_not_found", variant="asset", failed_ranks=s.on(1)), "FAILED", dict.fromkeys(s.on(1), 1), rest=-15)

    s = Slip(3, "perovskite-gap", "v100", voice=v.mace, script="run_train.py", asked="sbatch --gres=gpu:1 perovskite-gap.sbatch").say("<iso>.210 INFO: ===========VERIFYING SETTINGS===========\n<iso>.214 INFO: MACE version: 0.3.12\n<iso>.981 INFO: CUDA version: 12.1, CUDA device: 0", 9).mem(0.5).cards("held")
    s.say(stack("PermissionError: [Errno 13] Permission denied: '/projects/perovskites/models/gap-r5_run-71.log'", "~/mace/cli/run_train.py@112@run@tools.setup_logger(level=args.log_level, tag=tag, directory=args.log_dir)", "/usr/lib/python3.11/logging/__init__.py@1242@_open@return open_func(self.baseFilename, self.mode,"), 2)
    yield s.done(START.but(cause="permission", **ONE), "FAILED", {0: 1})

    s = Slip(4, "slide-mil", "l40s", voice=v.bar, script="mil.py").say("1,204 slides, 512-d features, attention pooling with 3 heads", 8).say("model on cuda:0, 4.1 M parameters", 3).mem(1.2).cards("loads")
    s.say(stack("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_mm)", "mil.py@141@<module>@main()", "mil.py@97@main@logits, attn = net(bag.to(dev))", "~/torch/nn/modules/module.py@1739@_wrapped_call_impl@return self._call_impl(*args, **kwargs)", "milnet/pool.py@44@forward@scores = torch.mm(h, self.prior)"), 4)
    yield s.done(START.but(cause="device_mismatch", variant="config", **ONE), "FAILED", {0: 1})

    s = Slip(5, "foundation-ct", "b200", 1, 4, voice=v.jsonl, via="torchrun", script="pretrain_ct.py")
    s.say("<host>: rank <rank>: torch 2.5.1+cu124\n/data/alice/envs/main/lib/python3.11/site-packages/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.", 12, None).mem(0.5).cards("held")
    s.say(stack(cuda("no kernel image is available for execution on the device"), "pretrain_ct.py@77@<module>@model = build(cfg).to(local_rank)", "ctnet/init.py@21@build@nn.init.trunc_normal_(m.pos_embed, std=0.02)", mark="[rank<rank>]: "), 5, None)
    s.say(closing(s.pid(1), s.pid(2)), 1.2).say(elastic("pretrain_ct.py", [(0, 0, 1, s.pid(0)), (1, 1, 1, s.pid(1)), (2, 2, 1, s.pid(2)), (3, 3, 1, s.pid(3))]), 1)
    yield s.done(START.but(cause="cuda_runtime", variant="env", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Slip(6, "asr-30b", "h200", 4, 8, voice=v.megatron, script="pretrain_asr.py", rack="hgx").say("using world size: 32, data-parallel size: 2, tensor-model-parallel size: 16, pipeline-model-parallel size: 1", 21)
    s.say(stack("AssertionError: num_attention_heads (40) must be a multiple of tensor_model_parallel_size (16).", "pretrain_asr.py@210@<module>@pretrain(train_valid_test_provider, model_provider, ModelType.encoder_or_decoder, forward_step)", "megatron/training/training.py@611@pretrain@initialize_megatron(extra_args_provider=extra_args_provider)",
                "megatron/core/transformer/transformer_config.py@702@__post_init__@assert self.num_attention_heads % self.tensor_model_parallel_size == 0, ("), 6, None, 0.01)  # fmt: skip
    yield s.done(START.but(cause="assertion", variant="config", failed_ranks=tuple(range(32))), "FAILED", dict.fromkeys(range(32), 1))


def killed() -> Iterator[HandJob]:
    """A2."""
    s = Slip(7, "conversations-ctc", "a100", 1, 4, voice=v.k2(2600), script="train.py", rack="dgx", asked="sbatch -n4 --gpus-per-node=4 --mem=220G ctc.sbatch").say("<iso>,007 INFO [train.py:1180] (<local>/8) Training started, loading the cuts into memory", 14, None).mem(61).cards("well")
    s.meter("cpu_percent", 240).run(5400, 0.62, 50, 78_000, sinking(1.9, 0.21))
    s.reaped(2)
    yield s.done(KILLED.but(cause="oom_killer", first_ranks=(2,)), "FAILED", {2: -9}, rest=-9, when=dict.fromkeys((0, 1, 3), s.t + 2.1), after=0.1, memory={r: CgroupMemory(limit_bytes=220 * GIB, peak_bytes=220 * GIB - 4096, oom_events=3, oom_kill_events=int(r == 2)) for r in range(4)})

    s = Slip(8, "grain-phase-field", "h200", voice=v.flat, script="phase.py").say("grid 768^3, order parameters 24\nloading ./libgrad_ops.so", 6).mem(2.4).cards("loads")
    s.say('Fatal Python error: Segmentation fault\n\nThread 0x00007f41c2ffd640 (most recent call first):\n  File "/usr/lib/python3.11/threading.py", line 327 in wait\n\nCurrent thread 0x00007f44d0a51740 (most recent call first):\n  File "/data/alice/code/phase/ops.py", line 58 in laplacian\n  File "/data/alice/code/phase.py", line 112 in step\n  File "/data/alice/code/phase.py", line 190 in <module>\n\nExtension modules: numpy.core._multiarray_umath, torch._C, phase._grad (total: 41)', 5)
    yield s.done(KILLED.but(cause="segfault", **ONE), "FAILED", {0: -11}, after=0.3)

    s = Slip(9, "voice-clone-flow", "a100s", 2, 4, voice=v.tabular, via="torchrun", script="flow_tts.py", eyes="plain").say("|     time |     step |      loss |          ppl |  s/step |", 19).mem(33).cards("well").run(6200, 0.71, 50, 90_000, sinking(3.1, 0.9))
    s.say(closing(*(s.pid(r) for r in (4, 5, 7))) + "\nE<md> <hms>.<ms>000 40001 torch/distributed/elastic/multiprocessing/api.py:880] failed (exitcode: -11) local_rank: 2 (pid: " + str(s.pid(6)) + ") of binary: /data/alice/envs/main/bin/python3", 1.6, 4).say(elastic("flow_tts.py", [(6, 2, -11, s.pid(6))]), 1.5, 4)
    yield s.done(KILLED.but(cause="segfault", first_ranks=(6,)), "FAILED", {6: -11}, rest=-15, when={6: s.t - 3.0, **dict.fromkeys((4, 5, 7), s.t - 1.2), **dict.fromkeys(s.on(0), s.t + 0.8)})

    s = Slip(10, "ecg-ssl", "a40", 1, 2, voice=v.hangul, script="ecg.py", rack="ai").say("<host> 랭크 <rank> 준비", 8, None).mem(24).cards("well").run(3300, 0.9, 30, 40_000, sinking(5.2, 2.2))
    yield s.done(KILLED.but(fault="unknown", failed_ranks=(0, 1)), "FAILED", {0: -9, 1: -9}, when={0: s.t + 0.4, 1: s.t + 0.43})

    s = Slip(11, "pathology-tiles", "l40s", voice=v.deutsch, script="kacheln.py", eyes="lean", asked="sbatch --gres=gpu:l40s:1 --mem=0 kacheln.sh").say("Kachelindex wird im Hauptspeicher gehalten (41,2 Mio. Einträge)", 30).mem(21).cards("well").run(4100, 0.8, 50, 30_000, sinking(2.4, 0.7))
    s.reaped(0, node=True)
    yield s.done(KILLED.but(cause="oom_killer", fault="unknown", **ONE), "FAILED", {0: -9}, after=0.1)


def later() -> Iterator[HandJob]:
    """A3."""
    s = Slip(12, "mel-codec", "h100", 1, 8, voice=v.tabular, script="codec.py").say("codec: 8 codebooks of 1024, hop 320", 17, None).mem(46).cards("hard").run(9000, 0.52, 100, 400_000, sinking(6.0, 1.9))
    s.xid(5, 31, f"pid={s.pid(5)}, name=python3, Ch 00000009, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_7 faulted @ 0x7f62_d4000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ", -0.8)
    s.say(stack(cuda("an illegal memory access was encountered", "cudaErrorIllegalAddress"), "codec.py@233@<module>@fit(cfg)", "codec.py@171@fit@idx, q = rvq_fused(z, books)", "codec/kernels/rvq.py@66@rvq_fused@torch.cuda.synchronize()", mark="[rank<rank>]: "), 1.1, 5)
    yield s.done(FELL.but(cause="cuda_runtime", first_ranks=(5,)), "FAILED", {5: 1}, rest=-15)

    s = Slip(13, "icd-coder", "a6000", voice=v.whisper, script="icd.py", eyes="plain").say("8921 codes, 1.1 M letters", 12).mem(31).cards("well").run(2600, 1.1, 20, 18_000, sinking(8.9, 0.6))
    s.say("/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1369: indexSelectLargeIndex: block: [114,0,0], thread: [64,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1369: indexSelectLargeIndex: block: [114,0,0], thread: [65,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
          + stack(cuda("device-side assert triggered"), "icd.py@188@<module>@trainer.train()", "~/transformers/trainer.py@2240@train@return inner_training_loop(", "~/transformers/trainer.py@3733@compute_loss@outputs = model(**inputs)"), 1.4)  # fmt: skip
    yield s.done(FELL.but(cause="cuda_runtime", **ONE), "FAILED", {0: 1})

    s = Slip(14, "alloy-gnn", "v100", voice=v.pyg, script="alloy.py").say("Alloys(182331), 12 features, radius 6 A", 15).mem(14).cards("fair").run(40, 61, 1, 200, sinking(1.4, 0.3))
    s.say("Epoch 40: switching to the test split of the melt-quench set", 2)
    s.say(stack("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0! (when checking argument for argument index in method wrapper_CUDA_gather)", "alloy.py@166@<module>@acc = test(melt_loader)", "~/torch/utils/_contextlib.py@116@decorate_context@return func(*args, **kwargs)", "alloy.py@120@test@err += (out.gather(0, d.sel) - d.y.to(dev)).abs().sum()"), 3)
    yield s.done(FELL.but(cause="device_mismatch", **ONE), "FAILED", {0: 1})

    s = Slip(15, "speech-llm-ift", "h100", 2, 8, voice=v.ds, script="ift.py", rack="hgx").say("<host>:<pid>:<pid> [<local>] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_4:1/IB [3]mlx5_5:1/IB [RO]; OOB bond0:10.41.2.17<0>", 26, None).mem(69).cards("hard").run(1800, 2.3, 10, 6000, sinking(2.9, 1.1))
    s.say("<host>:<pid>:48112 [<local>] transport/net_ib.cc:1730 NCCL WARN NET/IB: Got completion from peer 10.41.2.18<40117> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.41.2.17 remoteGids::ffff:10.41.2.18 hca mlx5_4", 0.8, s.on(0), 0.01)
    s.say(stack("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2131, remote process exited or there was a network error, NCCL version 2.26.2\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nNET/IB: Got completion from peer 10.41.2.18<40117> with status=12 opcode=0 len=0 vendor err 129 (Recv)",
                "ift.py@144@<module>@engine.step()", "~/deepspeed/runtime/engine.py@2401@step@self._take_model_step(lr_kwargs)", mark="[rank<rank>]: "), 0.5, None, 0.01)  # fmt: skip
    yield s.done(FELL.but(cause="nccl", fault="unknown", failed_ranks=tuple(range(16))), "FAILED", dict.fromkeys(range(16), 1))

    s = Slip(16, "mri-recon", "a100p", 1, 4, voice=v.francais, script="recon.py").say("rang <rank> : lot de 8 volumes", 10, None).mem(52).cards("well").run(4400, 0.84, 40, 24_000, sinking(0.4, 0.05))
    s.say(stack("FileNotFoundError: [Errno 2] Unable to synchronously open file (unable to open file: name = '/scratch/alice/fastmri/knee_multicoil/file1000714.h5', errno = 2, error message = 'No such file or directory', flags = 0, o_flags = 0)", "recon.py@150@<module>@for i, lot in enumerate(chargeur, debut):", "mri/data.py@63@__getitem__@with h5py.File(self.paths[k], 'r') as f:", "~/h5py/_hl/files.py@561@__init__@fid = make_fid(name, mode, userblock_size, fapl, fcpl, swmr=swmr)"), 0.7, 1)
    yield s.done(FELL.but(cause="file_not_found", first_ranks=(1,)), "FAILED", {1: 1}, rest=-15)

    s = Slip(17, "keyword-spotter", "r4090", voice=v.keras, script="kws.py", eyes="lean").say("35 keywords, 105829 clips", 9).mem(11).cards("fair").run(24, 42, 1, 60, sinking(2.6, 0.3))
    s.say("per-speaker false alarms of the night:", 3).say(stack("ZeroDivisionError: division by zero", "kws.py@133@<module>@model.fit(train, validation_data=dev, epochs=60, callbacks=[FalseAlarms(dev_night)])", "~/keras/src/callbacks/callback_list.py@186@on_epoch_end@callback.on_epoch_end(epoch, logs)", "kws/alarms.py@52@on_epoch_end@rate = hits / hours"), 1)
    yield s.done(FELL.but(cause="div_zero", **ONE), "FAILED", {0: 1})

    s = Slip(18, "polymer-diff", "mi250", 1, 2, voice=v.turkce, script="polimer.py").say("aygıt <local>: gfx90a, ROCm 6.3", 14, None).mem(38).cards("well").run(2937, 0.95, 30, 20_000, sinking(1.8, 0.5))
    s.say(stack("RuntimeError: The size of tensor a (17) must match the size of tensor b (32) at non-singleton dimension 0", "polimer.py@109@<module>@kayip = hesapla(model, x0, t)", "polimer/kayip.py@38@hesapla@x_t = x0 * a[t] + gurultu * b[t]"), 0.9, None, 0.06)
    yield s.done(FELL.but(cause="runtime_error", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})


def full() -> Iterator[HandJob]:
    """B1."""
    s = Slip(19, "longform-asr", "h100", 1, 8, voice=v.nanotron, script="longform.py").say("bucketing by duration, longest 1800 s", 20, None).mem(58).cards("hard").run(3200, 1.3, 20, 50_000, sinking(6.1, 1.7)).mem(78.9, 6, 1)
    s.say(stack(no_room("11.72 GiB", "79.11 GiB", "3.05 GiB", "76.04 GiB", "70.33 GiB", "4.61 GiB", gpu="6"), "longform.py@205@<module>@loss.backward()", "~/torch/_tensor.py@626@backward@torch.autograd.backward(", mark="[rank<rank>]: "), 1.2, 6)
    yield s.done(FULL.but(first_ranks=(6,)), "FAILED", {6: 1}, rest=-15)

    s = Slip(20, "discharge-13b", "a100", voice=v.litgpt, script="full.py").say("Loading model 'checkpoints/vicuna-13b/lit_model.pth' with {'n_layer': 40, 'n_embd': 5120}\nNumber of trainable parameters: 13,015,864,320", 65).mem(25, over=30).cards("loads").wait(40).mem(79, over=14).cards("well")
    s.say(stack(no_room("270.00 MiB", "79.25 GiB", "171.06 MiB", "79.07 GiB", "78.41 GiB", "163.20 MiB"), "litgpt/finetune/full.py@244@fit@optimizer.step()", "~/torch/optim/adamw.py@210@step@has_complex = self._init_group(", "~/torch/optim/adamw.py@148@_init_group@state['exp_avg_sq'] = torch.zeros_like("), 17)
    yield s.done(FULL.but(**ONE), "FAILED", {0: 1})

    s = Slip(21, "genome-mamba", "mi300", 1, 8, voice=v.olmo, script="mamba.py", rack="mi").say("rank <rank> on <host>: AMD Instinct MI300X, 191.98 GiB", 22, None).mem(41).cards("loads").wait(20).mem(190, over=5).cards("well")
    s.say(stack(no_room("24.00 GiB", "191.98 GiB", "10.87 GiB", "", "177.90 GiB", "1.02 GiB", gpu="<local>", kind="HIP"), "mamba.py@131@<module>@y = model(tokens).logits", "mamba/scan.py@90@forward@h = torch.einsum('bldn,bld->bldn', dA, x)", mark="[rank<rank>]: "), 8, None)
    yield s.done(FULL.but(failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))

    s = Slip(22, "liver-vit3d", "h200", voice=v.glog, script="vit3d.py").say("I<md> <hms>.<us> <pid> xla_bridge.py:889] Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'\nI<md> <hms>.<us> <pid> train_loop.py:91] compiling train_step for patches of 192^3", 24).mem(105).cards("loads")
    s.say("W<md> <hms>.<us> <pid> hlo_rematerialization.cc:3005] Can't reduce memory use below 98.45GiB (105711468544 bytes) by rematerialization; only reduced to 211.37GiB (226956214272 bytes)\n" + stack("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 226956214272 bytes.", "vit3d.py@160@<module>@app.run(main)", "vit3d.py@121@main@state, metrics = train_step(state, batch)"), 71)
    yield s.done(FULL.but(**ONE), "FAILED", {0: 1})

    s = Slip(23, "dermoscopy", "v100s", voice=v.keras, script="derm.py", eyes="plain").say("Found 25331 validated image filenames belonging to 8 classes.", 11).mem(15.3).cards("loads")
    s.say("Epoch 1/40", 6).say("<iso>.441209: W external/local_tsl/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.30GiB (rounded to 2466250752)requested by op gradient_tape/efficientnetb7/block2b_expand_conv/Conv2D/Conv2DBackpropInput\nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation.\n"
          + stack("tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nOOM when allocating tensor with shape[64,192,150,150] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node gradient_tape/efficientnetb7/block2b_expand_conv/Conv2D/Conv2DBackpropInput}}]]", "derm.py@74@<module>@hist = net.fit(ds_train, epochs=40, validation_data=ds_val)", "~/keras/src/utils/traceback_utils.py@70@error_handler@raise e.with_traceback(filtered_tb) from None"), 38)  # fmt: skip
    yield s.done(FULL.but(**ONE), "FAILED", {0: 1})

    s = Slip(24, "claims-trees", "l4", voice=v.xgb, script="claims.py").say("DMatrix 61,204,118 x 214, hist, device=cuda:0", 80).mem(15, over=40).cards("fair").run(212, 3.4, 4, 800, sinking(1.9, 0.7)).mem(22.4, over=2)
    s.say(stack("xgboost.core.XGBoostError: [<hms>] /workspace/src/tree/../common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 612368384\n- Requested memory: 3221225472", "claims.py@91@<module>@bst = xgb.train(p, dtrain, num_boost_round=800, evals=ev)", "~/xgboost/training.py@183@train@bst.update(dtrain, iteration=i, fobj=obj)"), 3)
    yield s.done(FULL.but(**ONE), "FAILED", {0: 1})

    s = Slip(25, "segment-any-organ", "a40", voice=v.portugues, script="orgaos.py", eyes="plain").say("volumes: 2210, tamanho do lote: 2", 9).mem(11).cards("well")
    s.say(stack(no_room("4.50 GiB", "44.45 GiB", "2.19 GiB", "11.03 GiB", "10.40 GiB", "231.50 MiB", foreign="Process 2281904 has 31.21 GiB memory in use. "), "orgaos.py@120@<module>@perda.backward()", "~/torch/_tensor.py@581@backward@torch.autograd.backward("), 14)
    yield s.done(FULL.but(fault="unknown", **ONE), "FAILED", {0: 1}, counters={0: ({"foreign_processes": 1, "foreign_memory_bytes": 33_514_586_112}, {"foreign_processes": 1, "foreign_memory_bytes": 33_514_586_112})})

    s = Slip(26, "pancreas-nnunet", "r3090", voice=v.nn_unet, script="nnUNetv2_train").say("Using device: cuda:0\n\n#######################################################################\nThis is the configuration used by this training:\nConfiguration name: 3d_fullres", 16).mem(10.5).cards("well").run(150, 74, 1, 150, sinking(0.9, 0.22))
    s.say("<iso>: Training done.\n<iso>: predicting pancreas_052\n<iso>: pancreas_052, shape torch.Size([1, 611, 512, 512]), rank 0", 9).cards("evals").mem(23.2, over=8)
    s.say(stack(no_room("9.36 GiB", "23.69 GiB", "5.17 GiB", "18.50 GiB", "17.92 GiB", "211.08 MiB"), "~/nnunetv2/run/run_training.py@211@run_training@nnunet_trainer.perform_actual_validation(export_validation_probabilities)", "~/nnunetv2/inference/predict_from_raw_data.py@588@_internal_predict_sliding_window_return_logits@predicted_logits = torch.zeros((self.label_manager.num_segmentation_heads, *data.shape[1:]),"), 21)
    yield s.done(FULL.but(**ONE), "FAILED", {0: 1})

    s = Slip(27, "quadruped-stairs", "gh200", voice=v.legged, script="train_rsl.py").say("4096 environments on cuda:0", 40).mem(18).cards("fair").mem(95, over=3 * 3600).run(4800, 2.25, 40, 20_000, sinking(4.0, 0.7))
    s.say(stack(no_room("1.88 GiB", "94.99 GiB", "1.12 GiB", "93.80 GiB", "92.35 GiB", "512.44 MiB"), "train_rsl.py@66@<module>@runner.learn(num_learning_iterations=20000)", "rsl_rl/runners/on_policy_runner.py@131@learn@ep_infos.append(infos['height_scan'].clone())"), 2)
    yield s.done(FULL.but(**ONE), "FAILED", {0: 1})

    s = Slip(28, "museum-splats", "r6000", voice=v.splat, script="simple_trainer.py", eyes="lean").say("[Parser] 1482 images, taken by 2 cameras.\nModel initialized. Number of GS: 412204", 13).mem(9).cards("well").mem(46.5, over=1700).run(7900, 0.21, 100, 30_000, sinking(0.3, 0.05))
    s.say(stack(no_room_then("3.18 GiB", "47.50 GiB", "42.77 GiB", "2.61 GiB", "43.90 GiB"), "simple_trainer.py@702@<module>@runner.train()", "gsplat/strategy/ops.py@88@duplicate@return torch.nn.Parameter(torch.cat([p, p[sel]]), requires_grad=p.requires_grad)"), 1)
    yield s.done(FULL.but(**ONE), "FAILED", {0: 1})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (at_once, killed, later, full):
        yield from part()


RECIPE = Recipe("larder_tags_by_pen", "development", jobs)
