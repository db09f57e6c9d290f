"""By hand: a tannery's, a hospital's, an archive's and other people's programs that were stopped by their cards, by signals or by their own doing."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._saddlery import Stint
from corpus.make._saddlery_words import NOBODY, cuda, srun_saw, torch_oom, torchrun_banner, torchrun_tail, trace
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

FULL = Label(mode="B1", cause="cuda_oom", fault="user")
BROKE = Label(mode="B2", cause="cuda_runtime", variant="fault", fault="node")
ONE: dict[str, Any] = {"failed_ranks": (0,), "first_ranks": (0,)}


def full() -> Iterator[HandJob]:
    """No room on the card."""
    s = Stint(1, "llama70b-lora-32k", "h100", 1, 8, "torchrun", script="sft_fsdp.py", hosts="dgx-{:02d}")
    torchrun_banner(s).say("{'model': '/models/Llama-3.1-70B', 'seq_len': 32768, 'lora_r': 64, 'act_ckpt': False, 'param_dtype': 'bf16'}", 6)
    s.gpu("load").mem(3, over_s=20).say("[rank <r>] shards read in 212 s", 214, None, 3.0).mem(23).say("FSDP wrapped 80 LlamaDecoderLayer, trainable 0.83 B of 71.4 B", 9).say("packing: 41 207 sequences of 32768 tokens, 5151 per rank", 4)
    s.gpu("busy").mem(78.6, over_s=2).wait(3)
    for r in (3, 0, 6, 1, 7, 2, 5, 4):
        s.say(trace(torch_oom("896.00 MiB", "79.10 GiB", f"{311 + 9 * r}.44 MiB", "78.78 GiB", "75.92 GiB", "1.30 GiB", r), "/home/alice/long/sft_fsdp.py|288|<module>|main(parse())", "/home/alice/long/sft_fsdp.py|241|main|out = model(input_ids=b['ids'], labels=b['ids'])", "*/torch/nn/modules/module.py|1751|_wrapped_call_impl|return self._call_impl(*args, **kwargs)", "*/transformers/models/llama/modeling_llama.py|172|forward|down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))", site=1, mark=f"[rank{r}]: "), 0.11, r)
    torchrun_tail(s, 3, 1, "sft_fsdp.py", more=(0, 6))
    srun_saw(s, 3, pulled=False)
    yield s.end(FULL, "FAILED", {3: 1, 0: 1, 6: 1}, -15)

    s = Stint(2, "qa-deberta", "a100s", via="batch", script="run_qa.py", batch=48)
    s.say("<t:%m/%d/%Y %H:%M:%S> - WARNING - __main__ - device: cuda:0, n_gpu: 1, distributed training: False, 16-bits training: True", 9).gpu("load").mem(2.1).say("  0%|          | 0/8610 [00:00<?, ?it/s]", 31).gpu("busy").mem(22.7)
    s.go(1000, 0.62, 100, "{{'loss': {x:.4f}, 'grad_norm': {g:.6f}, 'learning_rate': {lr:.6e}, 'epoch': {epf:.2f}}}", s.curve(4.1, 0.9, 120), 8610, rate=2e-5)
    s.say("***** Running Evaluation *****\n  Num examples = 71210\n  Batch size = 192", 1).gpu("mid").mem(39.1, over_s=55).say("  0%|          | 0/371 [00:00<?, ?it/s]\r 20%|██        | 75/371 [00:19<01:17,  3.81it/s]\r 57%|█████▋    | 212/371 [00:55<00:41,  3.80it/s]", 56)
    s.say(trace(torch_oom("3.48 GiB", "39.39 GiB", "1.02 GiB", "38.35 GiB", "36.60 GiB", "1.11 GiB"), "/home/alice/squadde/run_qa.py|702|<module>|main()", "/home/alice/squadde/run_qa.py|641|main|train_result = trainer.train(resume_from_checkpoint=checkpoint)", "*/transformers/trainer.py|2240|train|return inner_training_loop(", "*/transformers/trainer.py|3241|_maybe_log_save_evaluate|metrics = self._evaluate(trial, ignore_keys_for_eval)", "*/transformers/trainer.py|4387|evaluation_loop|all_preds.add(logits)", "*/transformers/trainer_pt_utils.py|140|torch_pad_and_concatenate|result = tensor1.new_full(new_shape, padding_index)"), 0.8)
    yield s.end(FULL.but(**ONE), "FAILED", {0: 1})

    s = Stint(3, "e3-ocean", "gh200", 4, 1, hosts="nid{:06d}", script="emulate.py", first=2211)
    s.say("I<t:%m%d %H:%M:%S.%f> <p> distributed.py:106] Starting JAX distributed service on [::]:12355" , 4, 0).say("process <r>/<w>: [CudaDevice(id=<r>)]", 6, None, 0.4).gpu("load").mem(71.8).say("grid 1/12 deg, 4320x2160, 50 levels; patch 8; 1.9 B parameters", 8).say("compiling train_step ...", 2)
    for r in (0, 1, 2, 3):
        s.say("W<t:%m%d %H:%M:%S.%f> <p> hlo_rematerialization.cc:3005] Can't reduce memory use below 63.90GiB (68613210112 bytes) by rematerialization; only reduced to 104.32GiB (112013672448 bytes), down from 131.77GiB (141490814976 bytes) originally", 20 if r == 0 else 0.2, r)
        s.say("W<t:%m%d %H:%M:%S.%f> <p> bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 104.32GiB (rounded to 112013672448)requested by op \n" + trace("jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 112013672448 bytes.", "/users/alice/emulate/emulate.py|377|<module>|app.run(main)", "/users/alice/emulate/emulate.py|329|main|state, aux = train_step(state, batch, rng)", site=3, env="emulate"), 9 if r == 0 else 0.3, r)
    yield srun_saw(s, 0, pulled=False).end(FULL.but(failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Stint(4, "histo-seg", "v100", via="batch", script="seg.py", east=1)
    s.say("<t:%Y-%m-%d %H:%M:%S.%f>: I tensorflow/core/common_runtime/gpu/gpu_device.cc:2021] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 30950 MB memory:  -> device: 0, name: Tesla V100-SXM2-32GB, pci bus id: 0000:1b:00.0, compute capability: 7.0", 8).mem(30.2).gpu("load").say("Patches train 48211 / val 6022, Größe 1024", 11).gpu("busy")
    s.go(188, 1.9, 47, "{i}/376 [{t:%H:%M:%S}] - loss: {x:.4f} - dice: {d:.4f}", s.curve(0.92, 0.21, 40), 376, d=lambda _i, x: 1 - x)
    s.say("Stufe 2: Kacheln jetzt 2048", 4)
    s.say(trace("tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node __wrapped__Conv2DBackpropInput_device_/job:localhost/replica:0/task:0/device:GPU:0}} OOM when allocating tensor with shape[12,64,2048,2048] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Conv2DBackpropInput] name: ", "/home/alice/pathologie/seg.py|155|<module>|lauf(stufe)", "/home/alice/pathologie/seg.py|118|lauf|g = tape.gradient(v, netz.trainable_variables)", "*/tensorflow/python/eager/backprop.py|1066|gradient|flat_grad = imperative_grad.imperative_grad("), 7)
    yield s.end(FULL.but(**ONE), "FAILED", {0: 1})

    s = Stint(5, "mamba-code", "mi300", 1, 2, script="pretrain.py", hosts="mi300-{:d}", batch=262_144)
    s.say("rank <r>: gfx942, ROCm 6.2.41134", 9, None, 0.2).gpu("load").mem(31).say("vocab 49152 | ctx 16384 | micro-batch by tokens (max 131072)", 6).gpu("full").mem(171)
    s.go(840, 1.12, 20, "step {i:>6} | xent {x:.4f} | {sps:,.0f} tok/s | mem {m:.1f} GiB", s.curve(9.8, 1.9, 70), 40_000, m=lambda _i, _x: s.dice.uniform(166, 178))
    s.mem(189.9, 1).say(trace(torch_oom("10.00 GiB", "191.98 GiB", "2.01 GiB", "189.95 GiB", "181.32 GiB", "6.44 GiB", 1, hip=True), "/home/alice/ssm/pretrain.py|264|<module>|run()", "/home/alice/ssm/pretrain.py|212|run|logits = head(h).float()", site=3, env="ssm", mark="[rank1]: "), 1.3, 1)
    yield srun_saw(s, 1).end(FULL.but(first_ranks=(1,)), "FAILED", {1: 1}, -15, lag=3)

    s = Stint(6, "speech-ctc", "a30", via="batch", script="finetune_w2v.py")
    s.say("fairseq | INFO | fairseq_cli.train | num. shared model params: 315,438,720 (num. trained: 315,438,720)", 14).gpu("load").mem(22.6, over_s=16).say("fairseq | INFO | fairseq_cli.train | max tokens per device = 3200000 and max sentences per device = None", 17)
    s.say(trace("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "/home/alice/.local/bin/fairseq-hydra-train|8|<module>|sys.exit(cli_main())", "*/fairseq/trainer.py|815|train_step|loss, sample_size_i, logging_output = self.task.train_step(", "*/fairseq/models/wav2vec/wav2vec2.py|611|forward|features = self.post_extract_proj(features)", "*/torch/nn/modules/linear.py|114|forward|return F.linear(input, self.weight, self.bias)"), 6)
    yield s.end(FULL.but(**ONE), "FAILED", {0: 1})

    s = Stint(7, "grpo-math", "h200", 1, 4, "torchrun", script="grpo.py", hosts="hgx{:03d}")
    torchrun_banner(s).say("INFO <t:%m-%d %H:%M:%S> [config.py:841] This model supports multiple tasks: {'generate'}. Defaulting to 'generate'.", 9, None, 1).gpu("load").mem(38).say("GRPO: 8 generations, 6144 new tokens, vllm colocate gpu_memory_utilization=0.55", 60).gpu("busy").mem(128)
    s.go(36, 41, 1, "{{'loss': {x:.4f}, 'reward': {w:.4f}, 'kl': {k2:.5f}, 'completion_length': {c:.1f}, 'epoch': {epf:.2f}}}", lambda i: 0.0004 * i, 400, w=lambda i, _x: 0.21 + 0.006 * i + s.dice.gauss(0, 0.03), k2=lambda i, _x: 0.0003 * i, c=lambda i, _x: 900 + 120 * i + s.dice.gauss(0, 80))
    s.mem(140.4).say(trace(torch_oom("27.34 GiB", "139.81 GiB", "9.12 GiB", "130.66 GiB", "119.03 GiB", "8.87 GiB", 2), "/home/alice/rl/grpo.py|96|<module>|trainer.train()", "*/trl/trainer/grpo_trainer.py|1160|_compute_loss|per_token_logps = self._get_per_token_logps(model, input_ids, attention_mask, logits_to_keep)", "*/trl/trainer/utils.py|1451|selective_log_softmax|logps = F.log_softmax(row_logits, dim=-1)", site=1, mark="[rank2]: "), 22, 2)
    torchrun_tail(s, 2, 1, "grpo.py")
    yield srun_saw(s, 2, pulled=False).end(FULL.but(first_ranks=(2,)), "FAILED", {2: 1}, -15)

    s = Stint(8, "worldmodel", "l40s", script="dreamer_own.py", east=9)
    s.say("env: 32 並列, 64x64 RGB", 8).gpu("load").mem(6).gpu("busy").mem(9.5)
    s.go(5140, 0.55, 40, "upd {i} rec={x:.4f} gpu_mem={m:.2f}G", s.curve(1.8, 0.3, 400), 60_000, m=lambda i, _x: 9.4 + i * 0.00652)
    began = 30.0
    s.held[0] += [(began + k * (s.t - began) / 40, 9.5 + k * 0.86) for k in range(1, 41)]
    s.say(trace(torch_oom("24.00 MiB", "44.40 GiB", "13.19 MiB", "44.38 GiB", "43.71 GiB", "170.22 MiB"), "/proj/alice/dream/dreamer_own.py|233|<module>|main()", "/proj/alice/dream/dreamer_own.py|197|main|hist.append(rec)", "/proj/alice/dream/dreamer_own.py|88|observe|z = torch.cat([h, embed], -1)", site=3, env="dream"), 0.6)
    yield s.end(FULL.but(**ONE), "FAILED", {0: 1})

    s = Stint(9, "txn-graph", "a100p", via="batch", script="fraud_gnn.py", asked="sbatch --gres=gpu:1 --mem=240G fraud.sh")
    s.say("cudf 24.10.01 cugraph 24.10.00", 7).gpu("load").mem(31).say("edges: 2 117 408 991 read from 412 parquet parts in 88.1 s", 90).gpu("mid").mem(62).say("dropping self loops -> 2 109 114 206", 12).mem(77.4)
    s.say(trace("MemoryError: std::bad_alloc: out_of_memory: CUDA error (failed to allocate 33745827296 bytes) at: /opt/conda/include/rmm/mr/device/cuda_memory_resource.hpp:62: cudaErrorMemoryAllocation out of memory", "/home/alice/aml/fraud_gnn.py|61|<module>|G.from_cudf_edgelist(df, 'src', 'dst', renumber=True)", "*/cugraph/structure/graph_classes.py|212|from_cudf_edgelist|self._Impl._simpleGraphImpl__from_edgelist(", "rmm.pyx|88|rmm.pylibrmm.device_buffer.DeviceBuffer.__cinit__|", env="rapids"), 5)
    yield s.end(FULL.but(variant=None, **ONE), "FAILED", {0: 1})

    s = Stint(10, "cardiac-4d", "v100", 1, 2, script="train_lightning.py", hosts="med-v{:d}")
    s.say("Global seed set to 13", 6, None).say("initializing distributed: GLOBAL_RANK: <r>, MEMBER: <m>/2", 3, None, 0.2).gpu("load").mem(3).say("  | Name  | Type   | Params\n---------------------------------\n0 | net   | UNet4d | 41.2 M\n1 | loss  | Tversky| 0\n---------------------------------\n41.2 M    Trainable params", 6).gpu("full").mem(29.9)
    s.go(260, 2.2, 10, "\rEpoch {e}:  {pct:3.0f}%|{bar}| {i}/1560 [{run}<{eta}, {dt:.2f}s/it, loss={x:.3f}, v_num=7]", s.curve(0.88, 0.4, 90), 1560, e=lambda i, _x: i // 65, bar=lambda i, _x: "█" * (i * 10 // 1560) + " " * (10 - i * 10 // 1560))
    s.say(trace("RuntimeError: CUDA out of memory. Tried to allocate 1.95 GiB (GPU 1; 31.75 GiB total capacity; 27.90 GiB already allocated; 1.13 GiB free; 29.44 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF", "train_lightning.py|80|<module>|trainer.fit(model, dm)", "*/pytorch_lightning/trainer/trainer.py|696|fit|self._call_and_handle_interrupt(", "*/pytorch_lightning/strategies/ddp.py|344|training_step|return self.model(*args, **kwargs)", "train_lightning.py|51|forward|d = self.up3(torch.cat([u, skip3], 1))"), 2.4, 1)
    yield srun_saw(s, 1).end(FULL.but(first_ranks=(1,)), "FAILED", {1: 1}, -15, lag=2)

    s = Stint(11, "falcon40b-ds", "a100", 1, 8, "torchrun", script="ft_ds.py", hosts="ai{:02d}")
    s.say("[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [launch.py:253:main] process <p> spawned with command: ['/opt/conda/bin/python', '-u', 'ft_ds.py', '--local_rank=<l>', '--deepspeed', 'z2.json']", 5, None, 0.6).gpu("load").mem(77.2, over_s=60).say("[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [stage_1_and_2.py:149:__init__] Reduce bucket size 500000000", 88).say("[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [utils.py:781:see_memory_usage] Before initializing optimizer states | MA 77.1 GB         Max_MA 77.1 GB         CA 77.14 GB         Max_CA 77 GB", 3)
    for r in range(8):
        s.say(trace(torch_oom("19.48 GiB", "79.15 GiB", "1.64 GiB", "77.49 GiB", "77.13 GiB", "22.07 MiB", r, old=True), "/workspace/ft_ds.py|139|<module>|engine, opt, _, _ = deepspeed.initialize(args=args, model=model, model_parameters=params)", "*/deepspeed/runtime/engine.py|1590|_configure_zero_optimizer|optimizer = DeepSpeedZeroOptimizer(", "*/deepspeed/runtime/zero/stage_1_and_2.py|702|initialize_optimizer_states|single_grad_partition = torch.zeros(", site=2), 0.09, r)
    s.say("[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 41100", 1.3).say("[<t:%Y-%m-%d %H:%M:%S,%f>] [ERROR] [launch.py:325:sigkill_handler] ['/opt/conda/bin/python', '-u', 'ft_ds.py', '--local_rank=7', '--deepspeed', 'z2.json'] exits with return code = 1", 0.7)
    yield s.end(FULL, "FAILED", dict.fromkeys(range(8), 1))


def broken() -> Iterator[HandJob]:
    """A card that broke."""
    s = Stint(12, "leather-defects", "h200", script="ae.py", hosts="h200-{:02d}")
    s.say("hides: 214 811 frames, 3 lines", 8).gpu("load").mem(11).gpu("busy").mem(47).go(7300, 0.74, 50, "[{t:%d.%m. %H:%M:%S}] {i}/{n}  rec {x:.5f}  lr {lr:.1e}", s.curve(0.2, 0.012, 500), 40_000)
    s.xid(0, 79, f"{NOBODY}, GPU has fallen off the bus.", 0.5)
    s.say(trace(cuda("unspecified launch failure"), "/proj/tan/ae.py|121|<module>|fit()", "/proj/tan/ae.py|97|fit|tot += loss.item()", site=3, env="tan"), 3.3)
    yield srun_saw(s, 0, pulled=False).end(BROKE.but(**ONE), "FAILED", {0: 1}, counters={0: ({}, None)}, blind={0: s.t - 4.6})

    s = Stint(13, "t5-minutes", "a100", 1, 4, script="summarise.py", east=1, batch=65_536)
    s.say("rank <r> up on <h>", 9, None, 0.3).gpu("load").mem(9).gpu("busy").mem(61).go(3900, 1.31, 30, "INFO:summarise:upd={i} ce={x:.4f} gn={g:.3f} tok/s={sps:.0f}", s.curve(7.1, 1.8, 250), 22_000, save=(1000, 38, "INFO:summarise:wrote /scratch/minutes/upd{i}.pt"))
    s.xid(2, 48, f"{NOBODY}, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0x71c4fa2c0 partition 6, subpartition 1.", 0.4).xid(2, 63, f"{NOBODY}, Row Remapper: New row (0x000000071c4f0000) marked for remapping, reset gpu to activate.", 0.06)
    s.count(2, "ecc_volatile_uncorrected", (2, 0), (s.t - 9, 0), (s.t, 1)).count(2, "ecc_aggregate_uncorrected", (2, 0), (s.t - 9, 0), (s.t, 1))
    s.say(trace("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3690, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 214 'uncorrectable ECC error encountered'", "/home/alice/minutes/summarise.py|190|<module>|main()", "/home/alice/minutes/summarise.py|151|main|dist.all_reduce(n_tok)", site=3, env="minutes", mark="[rank2]: "), 0.7, 2)
    yield srun_saw(s, 2).end(BROKE.but(first_ranks=(2,)), "FAILED", {2: 1}, -15, lag=4, counters={2: ({}, {"remap_pending": True, "remapped_rows_uncorrectable": 1})})

    s = Stint(14, "vit-22", "h100", 2, 8, "torchrun", script="pretrain_vit.py", hosts="dgx-{:02d}", batch=4096)
    torchrun_banner(s).say("mesh 16 = 2 x 8, hybrid shard", 18).gpu("load").mem(12).gpu("full").mem(69).go(2300, 1.42, 10, "<{t:%H:%M:%S}> it {i} loss {x:.4f} | {sps:,.0f} img/s | gn {g:.2f}", s.curve(6.9, 2.4, 200), 125_000)
    s.xid(11, 94, "pid=PID, name=python3.12, Contained: SM (0x1). RST: No, D-RST: No", 0.3).count(11, "ecc_volatile_uncorrected", (2, 0), (s.t - 15, 0), (s.t, 2)).count(11, "ecc_aggregate_uncorrected", (2, 1), (s.t - 15, 1), (s.t, 3))
    s.say(trace(cuda("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable"), "/p/vit/pretrain_vit.py|311|<module>|main()", "/p/vit/pretrain_vit.py|266|main|gn = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)", site=1, mark="[rank11]: "), 0.5, 11)
    torchrun_tail(s, 11, 1, "pretrain_vit.py")
    yield srun_saw(s, 11).end(BROKE.but(first_ranks=(11,)), "FAILED", {11: 1}, -15, lag=6)

    s = Stint(15, "bolt-torque", "a100s", script="ts_mixer.py", hosts="n{:03d}")
    s.say("series 8841, horizon 96", 6).gpu("load").mem(4).gpu("mid").mem(18).go(9100, 0.31, 100, "{i:>7d} {x:.6f} {ms:.0f}", s.curve(0.9, 0.11, 600), 60_000)
    s.xid(0, 140, f"{NOBODY}, Unrecovered ECC error: DRAM 1, SRAM 0, channel 17", 0.2).xid(0, 95, f"{NOBODY}, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No", 0.1)
    s.count(0, "ecc_volatile_uncorrected", (2, 0), (s.t - 8, 0), (s.t, 5)).count(0, "ecc_aggregate_uncorrected", (2, 0), (s.t - 8, 0), (s.t, 5))
    s.say("terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.", 0.4)
    yield srun_saw(s, 0, "Aborted (core dumped)", pulled=False).end(BROKE.but(**ONE), "FAILED", {0: -6}, counters={0: ({}, {"recovery_action": "reset", "remap_pending": True, "remapped_rows_uncorrectable": 2})}, job=(134, 0))

    s = Stint(16, "moe-8x3b", "a100", 2, 8, script="pretrain_gpt.py", hosts="jwb{:04d}", batch=1024)
    s.say("using world size: 16, data-parallel size: 2, context-parallel size: 1, tensor-model-parallel size: 8, pipeline-model-parallel size: 1", 30, 0).gpu("load").mem(20).gpu("full").mem(74)
    s.go(1180, 7.7, 10, " [{t:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {k:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.6E} | global batch size:  1024 | lm loss: {x:.6E} | load_balancing_loss: 1.041E+00 | loss scale: 1.0 | grad norm: {g:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", s.curve(10.6, 2.5, 60), 95_000, who=15)
    s.xid(9, 74, "pid=PID, name=python, NVLink: fatal error detected on link 6(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)", 0.3)
    for name, b in (("nvlink_replay_errors", 611), ("nvlink_recovery_errors", 4), ("nvlink_crc_errors", 20_311)):
        s.count(9, name, (2, 0), (s.t - 20, 0), (s.t, b))
    s.say(trace(cuda("uncorrectable NVLink error detected during the execution"), "/p/scratch/moe/Megatron-LM/pretrain_gpt.py|254|<module>|pretrain(", "/p/scratch/moe/Megatron-LM/megatron/core/transformer/moe/token_dispatcher.py|402|token_permutation|torch.distributed.all_to_all_single(", mark="[rank9]: "), 0.9, 9)
    yield srun_saw(s, 9).end(BROKE.but(first_ranks=(9,)), "FAILED", {9: 1}, -15, lag=9)

    s = Stint(17, "patent-clip", "h100n", 1, 2, script="clip_own.py", hosts="nvl{:d}")
    s.say("rank <r>: 1.2M drawings", 8, None).gpu("load").mem(8).gpu("busy").mem(70).go(4100, 0.98, 40, "{t:%Y-%m-%d %H:%M:%S}.{q} | INFO     | clip_own:step:144 - {i} contrastive {x:.4f} t2i@1 {d:.3f}", s.curve(7.6, 2.2, 300), 50_000, d=lambda _i, x: 1 / (1 + x), q=lambda _i, _x: s.dice.randint(100, 999))
    s.gpu("spin", 1).gpu("still", 0).wait(47).xid(0, 119, "pid=PID, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802096 0x4).", 1).xid(0, 154, f"{NOBODY}, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", 0.8)
    s.say(trace(cuda("unknown error", "cudaErrorUnknown"), "/srv/pat/clip_own.py|170|<module>|main()", "/srv/pat/clip_own.py|139|main|img = img.to('cuda', non_blocking=True)", site=3, env="pat", mark="[rank0]: "), 2, 0)
    yield srun_saw(s, 0).end(BROKE.but(first_ranks=(0,)), "FAILED", {0: 1}, -15, lag=3, counters={0: ({}, None)}, blind={0: s.t - 49})

    s = Stint(18, "asr-kaldi-like", "a100p", 1, 4, script="zipformer/train.py", hosts="asr{:02d}")
    s.say("<t:%Y-%m-%d %H:%M:%S,%f> INFO [train.py:1194] (<r>/4) Device: cuda:<r>", 10, None).gpu("load").mem(5).gpu("busy").mem(66)
    s.go(5600, 0.66, 50, "{t:%Y-%m-%d %H:%M:%S} INFO [train.py:1001] (0/4) Epoch 2, batch {i}, loss[loss={x:.4f}, simple_loss={y:.4f}, pruned_loss={x:.4f}, over 25213.00 frames. ], lr: {lr:.2e}, grad_scale: 16.0", s.curve(0.9, 0.19, 300), 30_000, y=lambda _i, x: x * 1.7)
    s.xid(1, 48, f"{NOBODY}, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0x10a2300c00 partition 9, subpartition 0.", 0.2).xid(1, 63, f"{NOBODY}, Row Remapper: New row (0x00000010a2300000) marked for remapping, reset gpu to activate.", 0.1).xid(1, 64, f"{NOBODY}, Row Remapper: Error on remapping row 0x00000010a2300000, remapping failed", 0.1)
    s.count(1, "ecc_volatile_uncorrected", (2, 0), (s.t - 12, 0), (s.t, 1)).count(1, "ecc_aggregate_uncorrected", (2, 7), (s.t - 12, 7), (s.t, 8))
    s.say(trace(cuda("uncorrectable ECC error encountered"), "./zipformer/train.py|1411|<module>|main()", "./zipformer/train.py|1288|train_one_epoch|scaler.step(optimizer)", mark="[rank1]: "), 0.6, 1)
    yield srun_saw(s, 1).end(BROKE.but(first_ranks=(1,)), "FAILED", {1: 1}, -15, lag=5, counters={1: ({"remapped_rows_uncorrectable": 8}, {"remapped_rows_uncorrectable": 8, "remap_failure": True})})

    s = Stint(19, "lidar-occ", "l40s", 1, 2, script="occ.py", hosts="drive{:02d}")
    s.say("occ3d: 28130 key frames", 8, None).gpu("load").mem(4).gpu("busy").mem(37).go(2600, 1.5, 20, "it {i:05d} ce {x:.4f} lovasz {y:.4f} ({dt:.2f} s)", s.curve(2.7, 0.8, 200), 28_000, y=lambda _i, x: x * 0.6)
    s.gpu("spin", 0).wait(6)
    s.say(trace(cuda("unspecified launch failure"), "/ws/occ/occ.py|205|<module>|train()", "/ws/occ/occ.py|166|train|vox = scatter_max(feat, idx, dim=0)[0]", site=3, env="occ", mark="[rank1]: "), 1, 1)
    s.sh("+ nvidia-smi --query-gpu=index,serial,ecc.mode.current --format=csv\nUnable to determine the device handle for GPU1: 0000:3B:00.0: Unknown Error", 0.8)
    yield srun_saw(s, 1).end(BROKE.but(first_ranks=(1,)), "FAILED", {1: 1}, -15, lag=3, counters={1: ({}, None)}, blind={1: s.t - 8.5})

    s = Stint(20, "dense-30b", "b200", 2, 4, script="train_titan.py", hosts="gb{:02d}", batch=8192)
    s.say("[titan] <t:%Y-%m-%d %H:%M:%S,%f> - root - INFO - Starting job: 30b bf16/fp8", 18).gpu("load").mem(22).gpu("full").mem(158)
    s.go(1450, 3.1, 10, "[titan] {t:%Y-%m-%d %H:%M:%S} - root - INFO - step: {i:>5}  loss: {x:7.4f}  memory: 157.81GiB(88.14%)  tps: {sps:,.0f}  mfu: 44.{m}%", s.curve(11.9, 2.6, 90), 30_000, m=lambda _i, _x: s.dice.randint(10, 99))
    s.xid(6, 145, f"{NOBODY}, RLW_REMAP Nonfatal XC1 i0 Link 08 (0x00000004 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", 0.3).xid(6, 149, f"{NOBODY}, NETIR_LINK_DOWN Fatal XC0 i0 Link 08 (0x004506c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", 0.2)
    s.count(6, "nvlink_recovery_failed", (2, 0), (s.t - 20, 0), (s.t, 1)).count(6, "nvlink_effective_errors", (2, 0), (s.t - 20, 0), (s.t, 914))
    s.say(trace(cuda("uncorrectable NVLink error detected during the execution", "cudaErrorNvlinkUncorrectable"), "/w/titan/train_titan.py|420|<module>|trainer.train()", "/w/titan/train_titan.py|377|train_step|loss.backward()", site=3, env="titan", mark="[rank6]: "), 0.6, 6)
    yield srun_saw(s, 6).end(BROKE.but(first_ranks=(6,)), "FAILED", {6: 1}, -15, lag=7, counters={6: ({}, {"recovery_action": "reset"})})

    s = Stint(21, "river-stage", "h100", 1, 1, script="stage_jax.py", hosts="gpu{:03d}")
    s.say("I<t:%m%d %H:%M:%S.%f> 40000 xla_bridge.py:889] Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'", 5).gpu("load").mem(60).say("gauges 4117; model 88M", 14).gpu("busy").go(6200, 0.5, 50, "I{t:%m%d %H:%M:%S.%f} 40000 stage_jax.py:144] step={i} nse={d:.4f} loss={x:.5f}", s.curve(1.1, 0.16, 300), 50_000, d=lambda _i, x: 1 - x)
    s.xid(0, 48, f"{NOBODY}, An uncorrectable double bit error (DBE) has been detected on GPU in the SRAM at partition 2, subpartition 1.", 0.2).xid(0, 172, f"{NOBODY}, Uncorrectable SRAM error: L2 slice 31", 0.05)
    s.count(0, "ecc_volatile_uncorrected", (2, 0), (s.t - 10, 0), (s.t, 1)).count(0, "ecc_aggregate_uncorrected", (2, 0), (s.t - 10, 0), (s.t, 1))
    s.say(trace("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: CUDA error: Could not synchronize CUDA stream: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered", "/lab/hydro/stage_jax.py|190|<module>|app.run(main)", "/lab/hydro/stage_jax.py|151|main|log(jax.device_get(m), step)", site=3, env="hydro"), 0.4)
    yield srun_saw(s, 0, pulled=False).end(BROKE.but(**ONE), "FAILED", {0: 1}, counters={0: ({}, {"recovery_action": "drain_and_reset"})})


def early() -> Iterator[HandJob]:
    """Stopped before the first step."""
    s = Stint(22, "te-fp8", "h100", 1, 4, script="fp8_block.py")
    s.say("[<h>] python 3.12.7 torch 2.6.0+cu124 rank <r>", 4, None, 0.2).gpu("load", util=0)
    for r in (2, 0, 3, 1):
        s.say(trace("ModuleNotFoundError: No module named 'transformer_engine'", "/home/alice/fp8/fp8_block.py|9|<module>|from layers import TEBlock", "/home/alice/fp8/layers.py|3|<module>|import transformer_engine.pytorch as te"), 0.2, r)
        s.sh(f"srun: error: {s.host(r)}: task {r}: Exited with exit code 1", 0.1)
    yield s.end(Label(mode="A1", variant="env", cause="missing_module", fault="user", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Stint(23, "tile-unet", "a100s", via="batch", script="tiles.py", asked="sbatch -p gpu tiles.slurm")
    s.say("config: configs/se2.yml\nregions: 12\nopening zarr store /projects/eo/s2_l2a_v7", 6).gpu("load", util=0).mem(0.5)
    s.say(trace("PermissionError: [Errno 13] Permission denied: '/projects/eo/s2_l2a_v7/.zmetadata'", "/home/alice/eo/tiles.py|77|<module>|ds = TileSet(cfg.store)", "/home/alice/eo/tiles.py|31|__init__|self.z = zarr.open_consolidated(store, mode='r')", "*/zarr/convenience.py|1361|open_consolidated|meta_store = ConsolidatedStoreClass(store, metadata_key=metadata_key)", "*/zarr/storage.py|1085|_fromfile|with open(fn, 'rb') as f:", env="eo"), 1.4)
    yield s.end(Label(mode="A1", cause="permission", fault="user", **ONE), "FAILED", {0: 1})

    s = Stint(24, "gpt-13b-tp8", "a100", 3, 8, script="pretrain_gpt.py", hosts="cn{:04d}")
    s.say("using torch.bfloat16 for parameters ...", 12, 0).gpu("load", util=0)
    err = trace("AssertionError: world size (24) is not divisible by total_model_size (encoder_model_size=0 + decoder_model_size=16)", "/data/alice/Megatron-LM/pretrain_gpt.py|301|<module>|pretrain(", "/data/alice/Megatron-LM/megatron/training/training.py|640|pretrain|initialize_megatron(", "/data/alice/Megatron-LM/megatron/training/initialize.py|79|initialize_megatron|validate_args(args, args_defaults)", "/data/alice/Megatron-LM/megatron/training/arguments.py|338|validate_args|assert args.world_size % total_model_size == 0, (")
    s.say(err, 2.2, None, 0.8).sh("srun: error: " + s.hand.nodes[1] + ": tasks 8-15: Exited with exit code 1\nsrun: error: " + s.hand.nodes[0] + ": tasks 0-7: Exited with exit code 1\nsrun: error: " + s.hand.nodes[2] + ": tasks 16-23: Exited with exit code 1", 0.9)
    yield s.end(Label(mode="A1", variant="config", cause="assertion", fault="user", failed_ranks=tuple(range(24))), "FAILED", dict.fromkeys(range(24), 1))

    s = Stint(25, "dialog-sft", "a6000", via="batch", script="sft_chat.py", east=2)
    s.say("Loading tokenizer from /nas/models/mistral-7b-v0.3 ... ok", 7).gpu("load", util=0).say("reading /nas/dialog/train_fi.json (4.1 GB)", 1).wait(38)
    s.say(trace("json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1048577 column 212 (char 2147483911)", "/home/alice/dialog/sft_chat.py|58|<module>|rows = json.load(open(a.train))", "/usr/lib/python3.11/json/__init__.py|293|load|return loads(fp.read(),", "/usr/lib/python3.11/json/decoder.py|353|raw_decode|obj, end = self.scan_once(s, idx)"), 0.4)
    yield s.end(Label(mode="A1", variant="data", cause="traceback", fault="user", **ONE), "FAILED", {0: 1})

    s = Stint(26, "bw-port", "b200", 1, 2, script="main.py", hosts="gb{:02d}")
    s.say("/scratch/alice/port/.venv/lib/python3.10/site-packages/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.\nIf you want to use the NVIDIA B200 GPU with PyTorch, please check the instructions at https://pytorch.org/get-started/locally/\n\n  warnings.warn(", 8, None, 0.3).gpu("load", util=0).mem(0.6)
    s.say(trace(cuda("no kernel image is available for execution on the device"), "/scratch/alice/port/main.py|64|<module>|net = Net(cfg).to(dev)", "/scratch/alice/port/main.py|22|__init__|self.pos = torch.arange(n, device=dev).float().cos()", site=3, env="port"), 1.5, None, 0.2)
    yield srun_saw(s, 0, pulled=False).end(Label(mode="A1", variant="env", cause="cuda_runtime", fault="user", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})


def struck() -> Iterator[HandJob]:
    """Ended by a signal."""
    s = Stint(27, "video-mae", "a100", 1, 8, script="vmae.py", hosts="vis{:02d}", batch=768)
    s.say("rank <r>: caching decoded clips in RAM (max_cache=0)", 10, None, 0.5).gpu("load").mem(6).gpu("busy").mem(58).go(1900, 1.05, 20, "{t:%H:%M:%S} ep {ep} it {i} recon {x:.4f} {sps:.0f} clips/s cached {c}", s.curve(0.9, 0.42, 200), 50_000, c=lambda i, _x: i * 96)
    s.oom_kill(5, s.pid(5), "python", 61.8, 480, kills=1)
    s.say("slurmstepd: error: Detected 1 oom_kill event in StepId=" + f"{s.hand.job_id}.0. Some of the step tasks have been OOM Killed.", 0.5, 0)
    yield srun_saw(s, 5, "Out Of Memory").end(Label(mode="A2", cause="oom_killer", fault="user", first_ranks=(5,)), "OUT_OF_MEMORY", {5: -9}, -15, lag=3, memory={5: CgroupMemory(limit_bytes=480 * GIB, peak_bytes=480 * GIB, oom_events=2, oom_kill_events=1)})

    s = Stint(28, "ct-cache", "l40s", via="batch", script="train_ct.py", asked="sbatch --mem=96G ct.sh")
    s.say("CacheDataset: cache_rate=1.0, 1204 volumes", 7).gpu("load", util=0).mem(0.9).say("Loading dataset:   9%|▉         | 108/1204 [00:44<07:21,  2.48it/s]", 44).say("Loading dataset:  37%|███▋      | 445/1204 [03:01<05:09,  2.45it/s]", 137).say("Loading dataset:  60%|██████    | 725/1204 [04:57<03:18,  2.41it/s]", 116)
    s.wait(31).oom_kill(0, s.pid(0), "python", 95.9, 96, kills=1)
    s.say(f"/var/spool/slurmd/job{s.hand.job_id}/slurm_script: line 19: {s.pid(0)} Killed                  python -u train_ct.py --cfg ct.yaml", 0.3).say(f"slurmstepd: error: Detected 1 oom_kill event in StepId={s.hand.job_id}.batch. Some of the step tasks have been OOM Killed.", 0.3)
    yield s.look(0, exit_signal=9, exit_code=None).end(Label(mode="A2", cause="oom_killer", fault="user", **ONE), "OUT_OF_MEMORY", {0: 137}, job=(0, 125), memory={0: CgroupMemory(limit_bytes=96 * GIB, peak_bytes=96 * GIB, oom_events=1, oom_kill_events=1)})

    s = Stint(29, "nerf-city", "a6000", 1, 4, "torchrun", script="city.py")
    torchrun_banner(s).say("tcnn hashgrid 2^22 x 16", 9).gpu("load").mem(5).gpu("busy").mem(31).go(3300, 0.41, 50, "[{i:6d}] psnr={d:.2f} mse={x:.5f} {ms:.0f}ms", s.curve(0.04, 0.002, 200), 100_000, d=lambda _i, x: 27 - 9 * x ** 0.3)
    s.wait(0.8)
    torchrun_tail(s, 3, -11, "city.py")
    yield srun_saw(s, 3, pulled=False).end(Label(mode="A2", cause="segfault", fault="user", first_ranks=(3,)), "FAILED", {3: -11}, -15)

    s = Stint(30, "pointpillars", "v100", script="pp.py", east=8)
    s.say("spconv-cu113 2.3.6 | 训练样本 158 240", 8).gpu("load").mem(4).gpu("busy").mem(19).go(1500, 0.7, 50, "iter {i}  loss_cls {x:.4f}  loss_bbox {y:.4f}  {ips:.2f} it/s", s.curve(1.2, 0.3, 150), 12_000, y=lambda _i, x: x * 1.4)
    s.say("Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f3a1c7fe640 (most recent call first):\n  File \"/home/alice/pp/spconv_ops.py\", line 118 in get_indice_pairs\n  File \"/home/alice/pp/pp.py\", line 203 in voxelize\n  File \"/home/alice/pp/pp.py\", line 266 in <module>", 0.7)
    yield srun_saw(s, 0, "Segmentation fault (core dumped)", pulled=False).end(Label(mode="A2", cause="segfault", fault="user", **ONE), "FAILED", {0: -11}, job=(139, 0))

    s = Stint(31, "mt-nordic", "a100p", 1, 8, script="fairseq_mt.py", hosts="nord{:02d}")
    s.say("<t:%Y-%m-%d %H:%M:%S> | INFO | fairseq.distributed.utils | distributed init (rank <r>): tcp://<h>:29417", 9, None, 0.4).gpu("load", util=0).mem(0.5).wait(25)
    yield s.sh(f"srun: error: {s.host(0)}: tasks 1,4: Killed\nsrun: Terminating StepId={s.hand.job_id}.0\nsrun: error: {s.host(0)}: tasks 0,2-3,5-7: Terminated", 0.4).end(Label(mode="A2", fault="unknown", failed_ranks=(1, 4), first_ranks=(1, 4)), "FAILED", {1: -9, 4: -9}, -15, lag=1.5, job=(137, 0))

    s = Stint(32, "quant-qat", "a30", script="qat.cc", hosts="edge{:02d}")
    s.say("libtorch 2.4.1, 118 conv layers observed", 5).gpu("load").mem(3).gpu("mid").mem(11).go(2200, 0.35, 40, "epoch {ep} batch {i} top1 {d:.2f} loss {x:.4f}", s.curve(2.2, 0.9, 200), 14_000, d=lambda _i, x: 78 - 9 * x)
    s.say("double free or corruption (!prev)", 0.5)
    yield srun_saw(s, 0, "Aborted (core dumped)", pulled=False).end(Label(mode="A2", fault="user", **ONE), "FAILED", {0: -6}, job=(134, 0))


def stumbled() -> Iterator[HandJob]:
    """Raised in the midst of training."""
    s = Stint(33, "stain-gan", "a100s", 1, 2, script="cyc.py", hosts="path{:d}")
    s.say("rank <r>", 7, None).gpu("load").mem(4).gpu("busy").mem(33).go(1000, 0.88, 50, "{t:%m/%d %H:%M} iters: {i}, cyc_A: {x:.3f} idt_A: {y:.3f}", s.curve(4.5, 1.3, 150), 30_000, y=lambda _i, x: x / 2).say("FID every 1000 iters ... extracting", 2, None).gpu("mid")
    s.say(trace("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!", "cyc.py|311|<module>|loop()", "cyc.py|274|loop|fid = frechet(acts_f, acts_r)", "/home/alice/stain/frechet.py|19|frechet|d = mu1 - mu2"), 21, None, 0.3)
    yield srun_saw(s, 0, pulled=False).end(Label(mode="A3", cause="device_mismatch", fault="user", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})

    s = Stint(34, "fraud-tab", "t4", via="batch", script="ft_transformer.py")
    s.say("columns 211 (num 180, cat 31)", 6).gpu("small").mem(6).go(2700, 0.21, 90, lambda d: f"| {d['i']:>6} | {d['x']:.5f} | {d['lr']:.1e} |", s.curve(0.69, 0.31, 200), 9000)
    s.say("slice report: region=ALAND", 5).say(trace("ZeroDivisionError: float division by zero", "ft_transformer.py|142|<module>|report(val, by='region')", "ft_transformer.py|97|report|rec = tp / (tp + fn)"), 0.2)
    yield s.end(Label(mode="A3", cause="div_zero", fault="user", **ONE), "FAILED", {0: 1})

    s = Stint(35, "laion-sub", "h100", 1, 8, "torchrun", script="openclip_main.py", hosts="dgx-{:02d}", batch=2048)
    torchrun_banner(s).say("<t:%Y-%m-%d,%H:%M:%S> | INFO | Running in distributed mode with multiple processes. Device: cuda:<l>.Process (global: <r>, local <l>), total 8.", 12, None, 0.3).gpu("load").mem(8).gpu("full").mem(71)
    s.go(2900, 0.94, 100, "{t:%Y-%m-%d,%H:%M:%S} | INFO | Train Epoch: 0 [{k:>9}/41000000 ({pct:.0f}%)] Data (t): 0.011 Batch (t): {dt:.3f}, {sps:.1f}/s LR: {lr:.6f} Contrastive_loss: {x:.4g} ({x:.4g})", s.curve(7.6, 2.9, 300), 20_000)
    s.say(trace("FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 5.\nOriginal Traceback (most recent call last):\n  File \"/opt/venvs/train/lib/python3.12/site-packages/torch/utils/data/_utils/worker.py\", line 349, in _worker_loop\n    data = fetcher.fetch(index)  # type: ignore[possibly-undefined]\n  File \"/opt/venvs/train/lib/python3.12/site-packages/webdataset/gopen.py\", line 87, in gopen_file\n    return open(fname, mode)\nFileNotFoundError: [Errno 2] No such file or directory: '/lustre/laion_sub/{00000..04099}/shard-003117.tar'", "/opt/venvs/train/lib/python3.12/site-packages/open_clip_train/main.py|522|<module>|main(sys.argv[1:])", "*/torch/utils/data/dataloader.py|1491|_process_data|data.reraise()", "*/torch/_utils.py|715|reraise|raise exception", site=1, mark="[rank6]: ").replace("/{00000..04099}", ""), 1.1, 6)
    torchrun_tail(s, 6, 1, "openclip_main.py")
    yield srun_saw(s, 6, pulled=False).end(Label(mode="A3", cause="file_not_found", fault="user", first_ranks=(6,)), "FAILED", {6: 1}, -15)

    s = Stint(36, "retrieval-ann", "gh200", script="dense.py", hosts="gh{:02d}")
    s.say("passages 88 M, dim 1024", 8).gpu("load").mem(9).gpu("busy").mem(64).go(4000, 0.52, 100, "step {i}: nce {x:.4f} (hard 7)", s.curve(4.9, 0.8, 300), 12_000).say("refresh 1: encoding corpus", 3).gpu("mid").say("encoded 88 000 000, gathering on host", 2210)
    s.say(trace("RuntimeError: [enforce fail at alloc_cpu.cpp:115] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 360448000000 bytes. Error code 12 (Cannot allocate memory)", "/lab/ret/dense.py|219|<module>|main()", "/lab/ret/dense.py|183|main|bank = torch.empty(n, dim)", site=3, env="ret"), 4)
    yield srun_saw(s, 0, pulled=False).end(Label(mode="A3", cause="ram_oom", fault="user", **ONE), "FAILED", {0: 1})

    s = Stint(37, "mpt-7b-de", "a100", 4, 4, script="composer_train.py", hosts="lrdn{:04d}", batch=1024)
    s.say("<h>:<p>:<p> [<l>] NCCL INFO Bootstrap : Using ib0:10.128.14.<r><0>", 11, None, 0.5).gpu("load").mem(14).gpu("full").mem(72).go(2100, 3.3, 10, "[batch={i}/{n}]:\n\t Train loss/train/total: {x:.4f}\n\t Train throughput/batches_per_sec: {ips:.4f}", s.curve(10.2, 2.3, 100), 60_000)
    s.say("<h>:<p>:40391 [<l>] NCCL WARN NET/IB: Got completion from peer 10.128.14.9<54620> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::ba59:9f03:d4:1c8a remoteGidsfe80::ba59:9f03:d4:20de", 19, 5)
    s.say(trace("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:83, remote process exited or there was a network error, NCCL version 2.25.1\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nNET/IB: Got completion from peer 10.128.14.9<54620> with status=12 opcode=0 len=0 vendor err 129 (Send)", "composer_train.py|88|<module>|trainer.fit()", "*/composer/trainer/trainer.py|2941|_train_microbatch|microbatch_loss.backward()", mark="[rank5]: "), 0.3, 5)
    yield srun_saw(s, 5).end(Label(mode="A3", cause="nccl", fault="unknown", first_ranks=(5,)), "FAILED", {5: 1}, -15, lag=8)

    s = Stint(38, "codebook-tts", "h100n", 1, 4, script="vq.py", hosts="nvl{:d}")
    s.say("[<r>] 24 kHz, 8 codebooks", 8, None).gpu("load").mem(5).gpu("busy").mem(48).go(3120, 0.6, 60, "{{\"it\": {i}, \"mel\": {x:.4f}, \"commit\": {y:.4f}}}", s.curve(3.9, 0.9, 200), 25_000, y=lambda _i, x: x / 9)
    s.say(trace("RuntimeError: The size of tensor a (513) must match the size of tensor b (512) at non-singleton dimension 2", "/data/tts/vq.py|240|<module>|main()", "/data/tts/vq.py|201|main|l = F.l1_loss(mel(y_hat), mel(y)) + (spec(y_hat) - s).abs().mean()", site=3, env="tts", mark="[rank2]: "), 0.5, 2)
    yield srun_saw(s, 2).end(Label(mode="A3", cause="runtime_error", fault="user", first_ranks=(2,)), "FAILED", {2: 1}, -15, lag=2)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, early, struck, stumbled):
        yield from part()


RECIPE = Recipe("barley_cards_by_pen", "development", jobs)
