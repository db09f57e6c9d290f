"""Jobs of a university's language, vision and chemistry groups on its GPU nodes, by pen: cards that are full, programs that do not get going."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune
from corpus.make._bandstand_words import SITE, cuda, elastic, oom, trace
from corpus.running.job import HandJob, Recipe

FULL = Label(mode="B1", cause="cuda_oom", fault="user")
BAD = "FAILED"
ONE = FULL.but(first_ranks=(0,), failed_ranks=(0,))


def full() -> Iterator[HandJob]:
    """Too much for a card."""
    s = Tune(1, "seg-mammo", "a100", form="mm", script="tools/train.py").say("«d» - mmengine - INFO - Config: crop_size = (1024, 1024), train_batch_size_per_gpu = 6", 14).hold(33).mood("work").run(640, 0.9, 20, 20_000)
    s.say("image 20231107_L_CC.png is 3328 x 4096, no crop", 0.6).hold(39.2, over=1).say(trace(oom("4.88 GiB", "39.39 GiB", "3.12 GiB", "36.26 GiB", "34.90 GiB", style="2.1"), "/gpfs/work/alice/mammo/tools/train.py:121 <module> main()", f"{SITE}/mmengine/runner/loops.py:311 run_iter outputs = self.runner.model.train_step(", "/gpfs/work/alice/mammo/seg/decode_head.py:78 forward attn = q @ k.transpose(-2, -1)"), 1.2)
    yield s.end(ONE, BAD, {0: 1})
    s = Tune(2, "qwen-sft-nocp", "h100", 1, 4, form="trl", by="accelerate", script="sft.py").say("Loading checkpoint shards: 100%|##########| 14/14 [01:02<00:00,  4.4s/it]", 70, None).hold(61).mood("load").pause(20)
    s.hold(79.2, over=2).say(trace(oom("18.55 GiB", "79.11 GiB", "15.02 GiB", "64.08 GiB", "62.91 GiB"), "/gpfs/work/alice/sft/sft.py:88 <module> trainer.train()", f"{SITE}/trl/trainer/sft_trainer.py:1101 compute_loss entropy = entropy_from_logits(outputs.logits)", mark="[rank«r»]: "), 9, None, 0.3)
    yield s.say(elastic("sft.py", [(r, r, 1, 52_300 + r) for r in range(4)]), 4).end(FULL, BAD, dict.fromkeys(range(4), 1))
    s = Tune(3, "maxtext-moe", "h200", 2, 4, form="absl", script="MaxText/train.py").say("I«m» «t».«u» 140211 max_utils.py:812] Initialized devices: 8 processes", 25, None).hold(128, over=12).mood("load").pause(50)
    s.say("E«m» «t».«u» 140877 pjrt_stream_executor_client.cc:3026] Execution of replica 0 failed: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 41875931136 bytes.", 40, None)
    s.say(trace("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 41875931136 bytes.: while running replica 0 and partition 0 of a replicated computation (other replicas may have failed as well).", "/gpfs/work/alice/maxtext/MaxText/train.py:790 train_loop state, metrics = p_train_step(state, example_batch, nextrng)"), 0.2, None)
    yield s.end(FULL.but(failed_ranks=tuple(range(8))), BAD, dict.fromkeys(range(8), 1))
    s = Tune(4, "keras-3dunet", "v100", form="keras", script="unet3d.py").say("I0000 00:00:1795851200.120 41 gpu_device.cc:2022] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 14791 MB memory:  -> device: 0, name: Tesla V100-SXM2-16GB", 11).hold(15.2, over=2).mood("load").say("Epoch 1/60", 8)
    s.say("«d».«u»: W tensorflow/core/framework/op_kernel.cc:1828] OP_REQUIRES failed at conv_ops_3d.cc:220 : RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[4,64,160,160,160] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc", 14)
    s.say(trace("tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node model/conv3d_3/Conv3D defined at (most recent call last):\nOOM when allocating tensor with shape[4,64,160,160,160] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node model/conv3d_3/Conv3D}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info.", "/gpfs/work/alice/unet/unet3d.py:61 <module> model.fit(train, validation_data=val, epochs=60)"), 0.5)
    yield s.end(ONE, BAD, {0: 1})
    s = Tune(5, "vllm-gen-34b", "a100l", form="json", script="generate.py").say("INFO «m» «t» config.py:1421] Chunked prefill is enabled with max_num_batched_tokens=8192.", 21).hold(66, over=40).mood("load")
    s.say("INFO «m» «t» model_runner.py:1099] Loading model weights took 64.1421 GB", 50).hold(78.7, over=3).say(trace("RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.", "/gpfs/work/alice/gen/generate.py:31 <module> llm = LLM(model=args.model, dtype='bfloat16')", f"{SITE}/vllm/v1/worker/gpu_model_runner.py:1988 _dummy_sampler_run raise RuntimeError("), 15)
    yield s.end(ONE, BAD, {0: 1})
    s = Tune(6, "frag-dyn-seq", "l40s", form="guru", script="asr/train.py").say("bucketing off, utterances from 0.4 s to 38 s", 9).hold(30).mood("work").run(300, 0.8, 20, 40_000).hold(41, over=200).run(420, 0.8, 20, 40_000).hold(44.2, over=150).run(400, 0.8, 20, 40_000)
    s.say(trace(oom("1.92 GiB", "44.39 GiB", "211.00 MiB", "44.17 GiB", "26.44 GiB", spare="16.81 GiB", style="2.6"), "/gpfs/work/alice/asr/train.py:204 train_epoch loss.backward()", f"{SITE}/torch/_tensor.py:626 backward torch.autograd.backward("), 0.9)
    yield s.end(ONE, BAD, {0: 1})
    s = Tune(7, "mol-graph-rank2", "a100", 1, 4, form="kv", by="torchrun", script="gnn.py").say("atoms per batch are not capped", 10).hold(24).mood("work").run(900, 0.6, 30, 60_000).hold(39.3, 2, 1)
    s.say(trace(oom("6.10 GiB", "39.39 GiB", "2.70 GiB", "36.68 GiB", "35.77 GiB", gpu=2, style="2.6"), "/gpfs/work/alice/gnn/gnn.py:148 main out = model(batch)", "/gpfs/work/alice/gnn/layers.py:55 message edge = torch.cat([x_i, x_j, self.rbf(d)], dim=-1)", mark="[rank2]: "), 0.7, 2)
    yield s.say("W«m» «t».«u» 39901 torch/distributed/elastic/multiprocessing/api.py:898] Sending process 52300 closing signal SIGTERM\n" + elastic("gnn.py", [(2, 2, 1, 52_302)]), 3).end(FULL.but(first_ranks=(2,)), BAD, {2: 1}, rest=-15)
    s = Tune(8, "dit-xl-512", "h100", 2, 8, form="nano", script="dit.py").say("rank «r»: ready", 22, None).hold(70).mood("heavy").run(1000, 1.2, 20, 400_000).say("EMA copy is made now (step 1000)", 0.4).hold(79.0, over=2)
    s.say(trace(oom("2.51 GiB", "79.11 GiB", "1.38 GiB", "77.72 GiB", "76.20 GiB", gpu=5), "/gpfs/work/alice/dit/dit.py:310 main ema = copy.deepcopy(model)", f"{SITE}/torch/nn/parameter.py:68 __deepcopy__ self.data.clone(memory_format=torch.preserve_format), self.requires_grad", mark="[rank«r»]: "), 1.5, None, 0.2)
    yield s.end(FULL.but(failed_ranks=tuple(range(16))), BAD, dict.fromkeys(range(16), 1), after=4)
    s = Tune(9, "tab-transformer", "a30", form="plain", script="tt.py").say("Device: NVIDIA A30, 24 GB", 7).hold(19).mood("work").run(2000, 0.5, 50, 4000).say("validation with batch 65536", 1).hold(23.5, over=1)
    s.say(trace(oom("9.77 GiB", "23.49 GiB", "4.31 GiB", "19.16 GiB", "17.88 GiB", style="2.1"), "/gpfs/work/alice/tt/tt.py:97 <module> val = evaluate(model, val_x, val_y)", "/gpfs/work/alice/tt/tt.py:60 evaluate p = model(x.cuda())"), 0.8)
    yield s.end(ONE, BAD, {0: 1})
    s = Tune(10, "lora-shared-dev", "ada", form="hf", script="lora.py").say("using device cuda:0", 8).hold(46.9, over=5).mood("light")
    s.say(trace(oom("1.08 GiB", "47.38 GiB", "602.31 MiB", "21.02 GiB", "20.11 GiB", style="2.6", foreign="Process 2210417 has 25.70 GiB memory in use. "), "/gpfs/work/alice/lora/lora.py:54 <module> trainer.train()", f"{SITE}/transformers/models/mistral/modeling_mistral.py:160 forward attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32)"), 14)
    yield s.count(0, "foreign_processes", 1, 1).end(ONE.but(fault="unknown"), BAD, {0: 1})
    s = Tune(11, "ds-z2-13b", "a100", 1, 8, form="ds", by="deepspeed", script="run_clm.py").say("[«d»,114] [INFO] [config.py:1000:print]   zero_optimization stage ............. 2", 30).hold(38).mood("load")
    s.hold(39.1, over=1).say(trace(oom("12.41 GiB", "39.39 GiB", "5.85 GiB", "33.53 GiB", "32.02 GiB", gpu=0, style="2.6"), "/gpfs/work/alice/clm/run_clm.py:402 main engine, opt, _, _ = deepspeed.initialize(args=args, model=model)", f"{SITE}/deepspeed/runtime/zero/stage_1_and_2.py:538 __init__ self.initialize_optimizer_states()", mark="[rank«r»]: "), 12, None, 0.1)
    yield s.say("[«d»,771] [ERROR] [launch.py:341:sigkill_handler] ['python', '-u', 'run_clm.py', '--local_rank=7'] exits with return code = 1", 3).end(FULL, BAD, dict.fromkeys(range(8), 1))
    s = Tune(12, "cublas-late", "l40s", form="ita", script="addestra.py").say("modello caricato, 1.3 miliardi di parametri", 12).hold(47.4, over=8).mood("work")
    s.say(trace("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "/gpfs/work/alice/ita/addestra.py:77 <module> uscita = modello(lotto)", f"{SITE}/torch/nn/modules/linear.py:125 forward return F.linear(input, self.weight, self.bias)"), 10)
    yield s.end(ONE, BAD, {0: 1})
    s = Tune(13, "bert-old", "v100", 1, 2, form="csv", script="mlm.py").say("zeit;schritt;loss;sek", 6).hold(13).mood("work").run(800, 0.7, 20, 90_000).hold(15.4, 1, 1)
    s.say(trace(oom("1.37 GiB", "15.78 GiB", "894.75 MiB", "14.6 GiB", "12.93 GiB", gpu=1, style="1.12", spare="13.60 GiB"), "/gpfs/work/alice/mlm/mlm.py:140 step loss = model(ids, labels=labels)[0]", f"{SITE}/transformers/models/bert/modeling_bert.py:1360 forward prediction_scores = self.cls(sequence_output)"), 0.6, 1)
    yield s.end(FULL.but(first_ranks=(1,)), BAD, {1: 1}, rest=-15, after=3, at={1: s.t + 0.4})
    s = Tune(14, "nccl-buffers", "h100", 2, 8, form="nano", script="pretrain.py").say("memory fraction of the allocator set to 0.985", 20).hold(78.4, over=6).mood("load")
    s.say("«h»:«p»:«p» [«l»] include/alloc.h:319 NCCL WARN Cuda failure 2 'out of memory'\n«h»:«p»:«p» [«l»] NCCL INFO transport/p2p.cc:275 -> 1", 9, None)
    s.say(trace("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3690, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'", "/gpfs/work/alice/pt/pretrain.py:66 main dist.all_reduce(torch.zeros(1, device='cuda'))", mark="[rank«r»]: "), 0.4, None)
    yield s.end(FULL.but(failed_ranks=tuple(range(16))), BAD, dict.fromkeys(range(16), 1))
    s = Tune(15, "xgb-rank-gpu", "l4", form="kv", script="ltr.py").say("DMatrix from 910 parquet parts, device=cuda", 30).hold(22.4, over=20).mood("light")
    s.say(trace("xgboost.core.XGBoostError: [«t»] /workspace/src/common/device_helpers.cu:35: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 311427072\n- Requested memory: 5833621504", "/gpfs/work/alice/ltr/ltr.py:42 <module> booster = xgb.train(params, dtrain, 800, evals=[(dval, 'val')])"), 25)
    yield s.end(ONE, BAD, {0: 1})
    s = Tune(16, "opt-step-adam", "gh200", form="tune", script="full_finetune.py").say("INFO:torchtune.utils._logging:Memory stats after model init: GPU peak memory allocation: 45.91 GiB", 30).hold(46).mood("work").run(1, 4.0, 1, 900)
    s.hold(94.4, over=1).say(trace(oom("896.00 MiB", "94.50 GiB", "130.94 MiB", "94.36 GiB", "93.58 GiB"), "/gpfs/work/alice/tune/full_finetune.py:611 train self._optimizer.step()", f"{SITE}/torch/optim/adamw.py:163 _init_group state['exp_avg_sq'] = torch.zeros_like("), 2)
    yield s.end(ONE, BAD, {0: 1})


def early() -> Iterator[HandJob]:
    """Not begun."""
    def a1(variant: str, cause: str, *first: int, failed: tuple[int, ...] = ()) -> Label:
        return Label(mode="A1", variant=variant, cause=cause, fault="user", first_ranks=first, failed_ranks=failed)

    s = Tune(21, "new-b200-old-wheel", "b200", form="nano", script="gpt.py").say(f"{SITE}/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.", 14).hold(0.5).mood("rest")
    yield s.say(trace(cuda("no kernel image is available for execution on the device", new=False), "/gpfs/work/alice/gpt/gpt.py:19 <module> model = GPT(cfg).cuda()"), 3).end(a1("env", "cuda_runtime", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(22, "flash-on-volta", "v100", form="hf", script="ft.py").say("attn_implementation=flash_attention_2", 18).hold(0.3).mood("rest")
    yield s.say(trace("RuntimeError: FlashAttention only supports Ampere GPUs or newer.", "/gpfs/work/alice/ft/ft.py:70 <module> trainer.train()", f"{SITE}/flash_attn/flash_attn_interface.py:91 _flash_attn_forward out, softmax_lse, S_dmask, rng_state = flash_attn_gpu.fwd("), 9).end(a1("env", "runtime_error", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(23, "ddp-same-card", "a100", 1, 4, form="kv", script="main.py").say("rank «r» takes cuda:0", 9, None).hold(0.4).mood("rest")
    s.say("«h»:«p»:«p» [0] init.cc:943 NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1b000", 3, None).say(trace("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 0 and rank 1 both on CUDA device 1b000", "/gpfs/work/alice/ddp/main.py:41 <module> model = DDP(net.cuda())", mark="[rank«r»]: "), 0.5, None)
    yield s.end(a1("config", "nccl", failed=(0, 1, 2, 3)), BAD, dict.fromkeys(range(4), 1))
    s = Tune(24, "tp6-of-8heads", "h100", 1, 6, form="json", by="torchrun", script="serve_eval.py").say("tensor_parallel_size=6", 12).hold(0.5).mood("rest")
    s.say(trace("AssertionError: 32 is not divisible by 6", "/gpfs/work/alice/tp/serve_eval.py:28 <module> llm = build(args)", "/gpfs/work/alice/tp/parallel.py:12 divide assert numerator % denominator == 0, f'{numerator} is not divisible by {denominator}'", mark="[rank«r»]: "), 4, None)
    yield s.say(elastic("serve_eval.py", [(r, r, 1, 52_300 + r) for r in range(6)]), 3).end(a1("config", "assertion"), BAD, dict.fromkeys(range(6), 1))
    s = Tune(25, "cuda-ordinal", "l40s", 1, 2, form="plain", script="clf.py").say("gpus: [0, 1, 2, 3]", 6).hold(0.3).mood("rest")
    yield s.say(trace(cuda("invalid device ordinal", new=False), "/gpfs/work/alice/clf/clf.py:22 <module> torch.cuda.set_device(int(os.environ['SLURM_PROCID']) + 2)"), 2, None).end(a1("config", "cuda_runtime", failed=(0, 1)), BAD, {0: 1, 1: 1})
    s = Tune(26, "shard-0417", "a100l", 1, 2, form="guru", script="pre.py").say("«d».003 | INFO     | data.index:open:40 - 512 shards in /gpfs/data/web24", 20).hold(0.4).mood("rest")
    yield s.say(trace("pyarrow.lib.ArrowInvalid: Could not open Parquet input source '/gpfs/data/web24/shard-0417.parquet': Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file.", "/gpfs/work/alice/pre/pre.py:51 <module> ds = Shards(args.data)", "/gpfs/work/alice/pre/data/index.py:44 open meta = pq.read_metadata(path)"), 8, None).end(a1("data", "traceback", failed=(0, 1)), BAD, {0: 1, 1: 1})
    s = Tune(27, "tok-missing", "h100", 1, 8, form="mega", by="torchrun", script="pretrain_gpt.py").say("using world size: 8, data-parallel size: 8, tensor-model-parallel size: 1", 25).hold(0.6).mood("rest")
    s.say(trace("FileNotFoundError: [Errno 2] No such file or directory: '/gpfs/work/alice/tok/spm_64k.model'", "/gpfs/work/alice/mega/pretrain_gpt.py:288 <module> pretrain(", "/gpfs/work/alice/mega/megatron/training/tokenizer.py:61 build_tokenizer tokenizer = _SentencePieceTokenizer(args.tokenizer_model)", mark="[rank«r»]: "), 3, None)
    yield s.say(elastic("pretrain_gpt.py", [(r, r, 1, 52_300 + r) for r in range(8)]), 4).end(a1("asset", "file_not_found"), BAD, dict.fromkeys(range(8), 1))
    s = Tune(28, "apex-import", "a100", form="fairseq", script="train.py").mood("empty")
    yield s.say(trace("ModuleNotFoundError: No module named 'amp_C'", "/gpfs/work/alice/fs/train.py:8 <module> from fairseq_cli.train import cli_main", f"{SITE}/apex/multi_tensor_apply/multi_tensor_apply.py:3 <module> import amp_C"), 11).end(a1("env", "missing_module", 0, failed=(0,)), BAD, {0: 1})


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from full()
    yield from early()


RECIPE = Recipe("accordion_sheets", "development", jobs)
