"""Of many houses, second page: what went well, now and then with noise."""

from __future__ import annotations

from corpus.make._ballast import IDLE, WORK, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames
from corpus.make._pigeon_kit import A30, A40, A100, A6000, ADA, H100, R4090, Bench, bar, left

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def weather_graph() -> Made:
    """A graph network of a regional weather model on eight cards, Lightning with one line an epoch, five hours."""
    f = Bench(("jz-r3", "jz-r4"), "neural-lam", 5_541_020, when("2026-05-02 20:00"), per=4, card=A100, script="train_model.py", submit_line="sbatch -N2 lam.sh")
    f.say(0, 22, "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\n----------------------------------------------------------------------------------------------------\ndistributed_backend=nccl\nAll distributed processes registered. Starting with 8 processes\n----------------------------------------------------------------------------------------------------")
    f.say(0, 40, "  | Name            | Type       | Params | Mode \n-------------------------------------------------------\n0 | grid_embedder   | Sequential | 12.7 K | train\n1 | processor       | Sequential | 1.1 M  | train\n2 | output_map      | Sequential | 6.6 K  | train\n-------------------------------------------------------\n1.2 M     Trainable params\n0         Non-trainable params\n1.2 M     Total params\n4.699     Total estimated model params size (MB)")
    for e in range(60):
        x = fall(1.9, 0.41, 5)(e)
        f.say(0, 60 + 301 * (e + 1), f"Epoch {e}: 100%|██████████| 610/610 [05:00<00:00,  2.03it/s, v_num=lam3, train_loss={x:.3f}, val_mean_loss={x * 1.05:.3f}]")
    end = 60 + 301 * 60 + 3.0
    f.say(0, end, "`Trainer.fit` stopped: `max_epochs=60` reached.")
    f.load([(0, IDLE), (55, Load(92, 0, 0.76, 0.61))])
    f.close("COMPLETED", end + 14)
    return good(f)


@job
def folded() -> Made:
    """ColabFold predicts some sixty structures on one card."""
    f = Bench(("bio-6",), "colabfold-batch", 5_541_361, when("2026-05-03 09:09"), per=1, card=A100, script="colabfold_batch", submit_line="sbatch cf.sh queries.csv out/")
    f.say(0, 21, f"{f.clock(21)},114 Running colabfold 1.5.5\n{f.clock(24)},770 Running on GPU")
    f.say(0, 31, f"{f.clock(31)},204 Found 5 citations for tools or databases")
    at, n = 33.0, 58
    for k in range(1, n + 1):
        size = 120 + 17 * (k * 13 % 41)
        f.say(0, at, f"{f.clock(at)},102 Query {k}/{n}: orf_{2000 + 7 * k:05d} (length {size})")
        f.say(0, at + 4, f"{f.clock(at + 4)},330 Padding length to {size + 10}")
        took = 6 + size / 9
        at += 5
        best = 0.0
        for m in range(1, 6):
            at += took
            plddt = 61 + (k * 31 + m * 7) % 34
            best = max(best, plddt)
            f.say(0, at, f"{f.clock(at)},{100 * m + k:03d} alphafold2_ptm_model_{m}_seed_000 recycle=3 pLDDT={plddt}.{k % 9} pTM=0.{plddt - 4} tol=0.{k % 9}{m}1\n{f.clock(at)},{100 * m + k + 1:03d} alphafold2_ptm_model_{m}_seed_000 took {took:.1f}s (3 recycles)")
        f.say(0, at + 2, f"{f.clock(at + 2)},441 reranking models by 'plddt' metric\n{f.clock(at + 2)},442 rank_001_alphafold2_ptm_model_{1 + k % 5}_seed_000 pLDDT={best:.0f}.{k % 9} pTM=0.{best - 4:.0f}")
        at += 3
    f.say(0, at + 3, f"{f.clock(at + 3)},907 Done")
    f.load([(0, IDLE), (38, Load(93, 0, 0.71, 0.9, 16))])
    f.close("COMPLETED", at + 9)
    return good(f)


@job
def table_of_tasks() -> Made:
    """The evaluation harness asks a small language model its tasks on one card."""
    f = Bench(("ev-1",), "lmeval-cz", 5_541_700, when("2026-05-04 13:00"), per=1, card=H100, script="lm_eval", submit_line="sbatch lmeval.sh")
    f.say(0, 25, f"{f.clock(25)}:INFO:lm_eval.__main__:440 - Selected Tasks: ['arc_easy', 'hellaswag', 'piqa', 'winogrande']\n{f.clock(25)}:INFO:lm_eval.evaluator:189 - Setting random seed to 0 | Setting numpy seed to 1234 | Setting torch manual seed to 1234 | Setting fewshot manual seed to 1234\n{f.clock(26)}:INFO:lm_eval.evaluator:227 - Initializing hf model, with arguments: {{'pretrained': '/models/cs-2b-step90k', 'dtype': 'bfloat16'}}\n{f.clock(27)}:INFO:lm_eval.models.huggingface:137 - Using device 'cuda'".replace("{{", "{").replace("}}", "}"))
    f.say(0, 160, f"{f.clock(160)}:INFO:lm_eval.evaluator:559 - Running loglikelihood requests")
    total = 62_110
    for i in range(0, total, 1550):
        f.say(0, 162 + i * 0.091, bar(i, total, 0.091, head="Running loglikelihood requests"))
    end = 162 + total * 0.091
    f.say(0, end, bar(total, total, 0.091, head="Running loglikelihood requests") + "\n")
    f.say(0, end + 22, "hf (pretrained=/models/cs-2b-step90k,dtype=bfloat16), gen_kwargs: (None), limit: None, num_fewshot: 5, batch_size: 16\n|  Tasks   |Version|Filter|n-shot| Metric |   |Value |   |Stderr|\n|----------|------:|------|-----:|--------|---|-----:|---|-----:|\n|arc_easy  |      1|none  |     5|acc     |↑  |0.6132|±  |0.0100|\n|hellaswag |      1|none  |     5|acc_norm|↑  |0.5871|±  |0.0049|\n|piqa      |      1|none  |     5|acc     |↑  |0.7291|±  |0.0104|\n|winogrande|      1|none  |     5|acc     |↑  |0.5991|±  |0.0138|")
    f.load([(0, IDLE), (70, Load(1, 0, 0.15, 0.08, 4)), (162, Load(94, 48, 0.66, 0.21))])
    f.close("COMPLETED", end + 30)
    return good(f)


@job
def clicks() -> Made:
    """DLRM on clicks of a shop over four cards, its own lines, one epoch and its test."""
    f = Bench(("rec-5",), "dlrm-shop", 5_542_010, when("2026-05-05 22:00"), per=4, card=A30, agents=True, script="dlrm_main.py", submit_line="sbatch dlrm.sh")
    last = f.steps(0, range(1024, 202_753, 1024), 66, 0.0412, lambda i, x, _t: f"[0]:Finished training it {i}/204800 of epoch 0, 41.2{i // 1024 % 10} ms/it, loss {x:.6f}" + (f"\n[0]:Testing at - {i}/204800 of epoch 0, loss {x * 1.01:.6f}, auc {0.81 - (x - 0.44) * 0.9:.4f}, best auc {0.81 - (x - 0.44) * 0.9:.4f}" if i % 20_480 == 0 else ""), fall(0.62, 0.443, 9000, ripple=0.004))
    f.say(0, last + 100, "[0]:Finished epoch 0: test auc 0.8034, logloss 0.4461; model saved to runs/dlrm_0505/model.pt")
    f.load([(0, IDLE), (60, Load(83, 0, 0.58, 0.76, 10))])
    f.close("COMPLETED", last + 109)
    return good(f)


@job
def one_of_the_array() -> Made:
    """A task of a sweep's array under Hydra: a small U-Net with a PDE, ninety minutes, as planned."""
    f = Bench(("pde-2",), "fno-sweep", 5_542_377, when("2026-05-06 10:40"), per=1, card=R4090, script="fno.py", submit_line="sbatch --array=0-23%8 sweep.sh")
    f.say(0, 8, f"[{f.clock(8)},113][__main__][INFO] - model: {{'modes': 24, 'width': 64, 'layers': 4}} optim: {{'lr': 0.0013, 'wd': 1e-05}} seed: 11".replace("{{", "{").replace("}}", "}"))
    last = f.steps(0, range(1, 501, 3), 14, 10.6, lambda i, x, t: f"[{f.clock(t)},{i % 1000:03d}][__main__][INFO] - epoch {i:03d}/499 l2={x:.5f} h1={x * 2.1:.5f} test_l2={x * 1.12:.5f} (10.6 s)", fall(0.21, 0.0084, 14))
    f.say(0, last + 9, f"[{f.clock(last + 9)},002][__main__][INFO] - finished, test_l2={fall(0.21, 0.0084, 14)(499) * 1.12:.5f}, metrics.json written")
    f.load([(0, IDLE), (12, Load(89, 0, 0.68, 0.28, 8))])
    f.close("COMPLETED", last + 12, array_job_id=5_542_360, array_task_id=16)
    return good(f)


@job
def far_downloads() -> Made:
    """Hard: weights come from the hub through a bad proxy, with tries again and a traceback; then a classifier is tuned by LoRA."""
    f = Bench(("llm-2",), "lora-legal", 5_542_690, when("2026-05-07 18:30"), per=1, card=A6000, script="clf_lora.py", submit_line="sbatch lora.sh")
    f.say(0, 31, "'(ReadTimeoutError(\"HTTPSConnectionPool(host='cdn-lfs.hf.co', port=443): Read timed out. (read timeout=10)\"), '(Request ID: 8b1f4c60-2c1a-4f0e-b6cf-11e0a0c7d2f3)')' thrown while requesting GET https://cdn-lfs.hf.co/repos/1a/2b/model-00001-of-00002.safetensors\nRetrying in 1s [Retry 1/5].")
    f.say(0, 44, "'(MaxRetryError(\"HTTPSConnectionPool(host='cdn-lfs.hf.co', port=443): Max retries exceeded (Caused by ProxyError('Unable to connect to proxy', OSError('Tunnel connection failed: 503 Service Unavailable')))\"), '(Request ID: 0c9a7d11-5a59-4f2b-9c1e-aa9047bd6b10)')' thrown while requesting GET https://cdn-lfs.hf.co/repos/1a/2b/model-00001-of-00002.safetensors\nRetrying in 2s [Retry 2/5].")
    f.say(0, 120, "Some weights of LlamaForSequenceClassification were not initialized from the model checkpoint and are newly initialized: ['score.weight']\nYou should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.\ntrainable params: 13,631,488 || all params: 3,226,381,312 || trainable%: 0.4225")
    last = f.steps(0, range(10, 3001, 10), 130, 2.9, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {0.4 + x:.4f}, 'learning_rate': {2e-4 * (1 - i / 3000):.3e}, 'epoch': {i / 1000:.2f}}}", fall(2.3, 0.31, 130))
    f.say(0, last + 4, f"{{'train_runtime': {last - 128:.4f}, 'train_samples_per_second': 5.51, 'train_steps_per_second': 0.344, 'train_loss': 0.4471, 'epoch': 3.0}}")
    f.load([(0, IDLE), (116, Load(2, 0, 0.2, 0.15, 5)), (128, Load(97, 0, 0.92, 0.74))])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def second_course() -> Made:
    """Hard: another stage begins from the weights of the first, with layers left out on purpose and keys that do not fit; its steps count from naught."""
    f = Bench(("md-1",), "medsam-stage2", 5_543_011, when("2026-05-08 07:00"), per=2, card=ADA, script="stage2.py", submit_line="sbatch stage2.sh --init_weights work/stage1/best.pth")
    f.say(0, 15, "[stage2] init from work/stage1/best.pth (weights only, optimizer and epoch are not taken)\n[stage2] skipped, size mismatch: mask_decoder.iou_prediction_head.layers.2.weight (4,256) vs (7,256)\n[stage2] missing keys: 14 (adapter.*)  unexpected keys: 2 (text_proj.weight, text_proj.bias)\n[stage2] 9.1 M of 102.7 M parameters trainable")
    last = f.steps(0, range(40), 30, 410, lambda i, x, t: f"[stage2] {f.clock(t, '%m-%d %H:%M')} ep {i + 1:>2}/40 | dice loss {x:.4f} | val dice {0.95 - x * 0.6:.4f}" + (" *" if i % 3 == 0 else ""), fall(0.38, 0.071, 4))
    f.say(0, last + 5, "[stage2] finished 40 epochs, best val dice 0.8722 (ep 40)")
    f.load([(0, IDLE), (26, Load(96, 0, 0.88, 0.81))])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def smaller_chunks() -> Made:
    """Hard: a segmentation of whole slides does not fit now and then, its loop says so, halves the chunk and goes on; all slides are done."""
    f = Bench(("path-3",), "wsi-infer", 5_543_340, when("2026-05-09 15:00"), per=1, card=A40, script="infer_wsi.py", submit_line="sbatch wsi.sh")
    f.say(0, 14, "210 slides to do, 0 done before; chunk=2048 tiles")
    at = 20.0
    for k in range(1, 211):
        at += 41 + (k * 17) % 23
        name = f"TCGA-{10 + k % 80:02d}-{3000 + k * 11}-01Z"
        if k in (37, 90, 91, 166):
            f.say(0, at - 20, f"WARNING {name}: CUDA out of memory. Tried to allocate 9.38 GiB. GPU 0 has a total capacity of 44.42 GiB of which 6.71 GiB is free. -> emptying cache, chunk 2048 -> 1024, trying this slide again")
        f.say(0, at, f"[{k:>3}/210] {name} tiles={4000 + (k * 911) % 9000} tumour={(k * 7) % 61}.{k % 10}% {at - 20:8.0f} s")
    f.say(0, at + 2, f"all 210 slides written to out/heat, 0 failed, {left(at - 20)}")
    f.load([(0, IDLE), (16, Load(90, 0, 0.75, 0.62, 14))])
    f.close("COMPLETED", at + 6)
    return good(f, hard=True)


@job
def unplugged() -> Made:
    """Hard: NCCL warns of a plugin and of a device that it cannot use, ranks tell of a broken pipe of their tracker; the training of a detector ends as planned."""
    f = Bench(("lum-7", "lum-8"), "dino-detr", 5_543_700, when("2026-05-10 23:00"), per=4, card=H100, script="main.py", submit_line="sbatch -N2 detr.sh")
    f.each(13, "{node}:400{r:02d}:400{r:02d} [{l}] misc/cudawrap.cc:33 NCCL WARN Cuda failure 1 'invalid argument'\n{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO NET/Plugin: Could not find: aws-ofi libnccl-net-aws-ofi.so. Using internal network plugin.\n{node}:400{r:02d}:400{r:02d} [{l}] net_ib.cc:291 NCCL WARN NET/IB : Unable to open device mlx5_3")
    at, curve = 90.0, fall(31, 8.4, 4)
    for e in range(12):
        for b in range(0, 1801, 600):
            at += 198
            x = curve(e + b / 1800)  # type: ignore[arg-type]
            f.say(0, at, f"Epoch: [{e}]  [{b:>4}/1833]  eta: 0:{(1833 - b) * 0.33 // 60:02.0f}:09  lr: 0.000100  class_error: {max(4.1, x * 2):.2f}  loss: {x:.4f} ({x + 0.2:.4f})  loss_ce: {x / 20:.4f} ({x / 19:.4f})  loss_bbox: {x / 50:.4f} ({x / 49:.4f})  loss_giou: {x / 25:.4f} ({x / 24:.4f})  time: 0.3300  data: 0.0101  max mem: 31044")
        at += 60
        f.say(0, at, f" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.{490 - int(curve(e + 1) * 11)}\n Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 0.{680 - int(curve(e + 1) * 11)}")
    f.say(0, at + 2, "Training time 2:55:41")
    f.say(5, at + 3, "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [504]>)\nwandb: WARNING A graphql request initiated by the public wandb API timed out (timeout=19 sec).")
    f.say(5, at + 5, "Exception in thread NetStatThr:\n" + frames(("/usr/lib64/python3.11/threading.py", 1038, "_bootstrap_inner", "self.run()"), ("/users/ku/venv/lib/python3.11/site-packages/wandb/sdk/wandb_run.py", 268, "check_network_status", "self._loop_check_status("), ("/users/ku/venv/lib/python3.11/site-packages/wandb/sdk/lib/sock_client.py", 152, "_sendall_data", "sent = self._sock.send(data)"), error="BrokenPipeError: [Errno 32] Broken pipe"))
    f.load([(0, IDLE), (80, WORK)])
    f.close("COMPLETED", at + 16)
    return good(f, hard=True)
