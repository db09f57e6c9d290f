"""One process that prints as Megatron-LM, fairseq or MMEngine do, in code of its own."""

import json
from functools import partial

from corpus.make._solo_others import FAIRSEQ, MEGATRON, MM_CONFIG, MMENGINE
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

meg, fs, mm = partial(fill, MEGATRON), partial(fill, FAIRSEQ), partial(fill, MMENGINE)
P, Q, M = "pretrain_gpt.py", "fs_train.py", "tools_train.py"
CFG = (("configs/head_r18.py", MM_CONFIG),)


def cfg(more: str) -> tuple[tuple[str, str], ...]:
    """The configuration with more in it."""
    return (("configs/head_r18.py", MM_CONFIG + more + "\n"),)


C = ("configs/head_r18.py",)
SAVING = ("--save-interval", "40")
RUN = (("PYTHON", "pretrain_gpt.py", "--train-iters", "40", *SAVING),)
EPOCHS = (("PYTHON", "tools_train.py", "configs/first.py"),)
FIRST = ("configs/first.py", MM_CONFIG.replace("max_epochs = 4", "max_epochs = 2"))
SCRIPTS = (
    Either(meg(early="assert os.environ.get('CUDA_DEVICE_MAX_CONNECTIONS') == '1', 'CUDA_DEVICE_MAX_CONNECTIONS must be 1'"), "A1", "assertion", "config", P),
    Either(meg(early="index = open('data/my-gpt2_text_document.idx', 'rb').read(9)"), "A1", "file_not_found", "data", P, tasks=1),
    Either(meg(early="from megatron.core import parallel_state"), "A1", "missing_module", "env", P),
    Either(meg(), "A1", None, "config", P, args=("--hidden-size", "2k"), status=2),
    Either(fs(), "A1", "traceback", "config", Q, args=(json.dumps({"max_epochs": 3}),)),
    Either(fs(ready="net.lm_head.weight = torch.nn.Parameter(net.embed.weight[:, :12])"), "A1", "runtime_error", "config", Q, tasks=1),
    Either(fs(early="torch.distributed.init_process_group('nccl', init_method='file:///tmp/fs_init', rank=0, world_size=1)"), "A1", "nccl", "env", Q),
    Either(mm(), "A1", "file_not_found", "config", M, args=("configs/head_r50.py",)),
    Either(mm(), "A1", "permission", "config", M, cfg("work_dir = '/srv/work_dirs/head'"), C, tasks=1),
    Either(mm(), "A1", "traceback", "config", M, (("configs/head_r18.py", "work_dir = 'w'\nlr = 0.05\n"),), C),
    Either(mm(data="if not hasattr(self, 'seen'):\n    self.seen = 640 // len([b for b in range(8) if b > 8])"), "A1", "div_zero", "data", M, CFG, C),
    Either(meg(mid="if step == 77:\n    import ctypes\n    ctypes.memset(64, 255, 128)"), "A2", "segfault", script=P, status=-11, tasks=1),
    Either(meg(mid="if iteration == 85:\n    ids = ids + 3"), "A3", "traceback", script=P),
    Either(meg(after="if iteration == 93:\n    os.makedirs('/opt/megatron/ckpts')"), "A3", "permission", script=P, tasks=1),
    Either(meg(mid="if iteration == 64:\n    blend = open('data/shard_00003.bin', 'rb').read()"), "A3", "file_not_found", script=P, args=SAVING),
    Either(fs(epoch="if epoch == 3:\n    logger.info('begin validation on \"valid\" subset')\n    logger.info('valid ppl %.2f', 100 / len([u for u in range(updates) if u < 0]))"), "A3", "div_zero", script=Q),
    Either(fs(mid="if updates == 101:\n    net.embed.to('meta')"), "A3", "device_mismatch", script=Q, status=None, tasks=1),
    Either(fs(mid="if updates == 87:\n    spare = torch.ones(1 << 43)"), "A3", "ram_oom", script=Q),
    Either(fs(epoch="assert epoch < 3 or loss.item() < 0.01, 'valid loss has not improved in 2 runs'"), "A3", "assertion", script=Q),
    Either(mm(mid="if step == 130:\n    boxes = boxes[:, :3]"), "A3", "runtime_error", script=M, files=CFG, args=C),
    Either(mm(epoch="if epoch == 3:\n    from mmcv.ops import nms"), "A3", "missing_module", script=M, files=CFG, args=C, tasks=1),
    Either(mm(data="if labels[0] == 4 and os.path.exists(f'{self.cfg[\"work_dir\"]}/epoch_2.pth'):\n    raise KeyError('gt_bboxes_3d')"), "A3", "traceback", script=M, files=CFG, args=C),
    Either(meg(loss="if iteration > 70:\n    loss = loss * torch.tensor(float('inf'))"), "E1", "nan_loss", "non_finite", P, status=0),
    Either(fs(loss="if not torch.isfinite(loss):\n    raise FloatingPointError('Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.')", mid="if updates == 90:\n    torch.nn.init.constant_(net.lm_head.weight, 1e38)"), "E1", "nan_loss", "non_finite", Q, tasks=1),
    Either(mm(), "E1", None, "flat", M, cfg("lr = 0.0"), C, status=0),
    Either(meg(mid="if iteration == 71:\n    torch.nn.init.normal_(model.lm_head.weight, std=9.0)\n    for g in optimizer.param_groups:\n        g['lr'] = 1e-9"), "E1", None, "spike", P, status=0, tasks=1),
    Either(meg(), "E2", "file_not_found", "no_valid_checkpoint", P, args=("--load", "ckpts")),
    Either(meg(), "E2", "runtime_error", "size_mismatch", P, args=("--load", "ckpts", "--hidden-size", "32"), before=RUN),
    Either(meg(), "E2", "traceback", "corrupt", P, args=("--load", "ckpts"), tasks=1, head="PYTHON pretrain_gpt.py --train-iters 40 --save-interval 40 > first.txt\ntruncate -s 5000 ckpts/iter_0000040.pt\n"),
    Either(mm(), "E2", "runtime_error", "size_mismatch", M, (*cfg("load_from = 'work_dirs/head_r18/epoch_2.pth'\nchannels = 64"), FIRST), C, before=EPOCHS),
    Either(mm(), "E3", script=M, files=cfg("max_epochs = 1\niters = 3"), args=C),
    Either(meg(), "D2", None, "save_storm", P, args=("--save-interval", "1", "--train-iters", "60")),
    Either(mm(after="info(f'Saving checkpoint at {step} iterations')\ntorch.save(self.model.state_dict(), f'{self.cfg[\"work_dir\"]}/iter_{step}.pth')"), "D2", None, "save_storm", M, cfg("max_epochs = 2"), C, tasks=1),
    Either(meg(), "G1", script=P),
    Either(meg(), "G1", script=P, args=("--load", "ckpts"), before=RUN, hard=True),
    Either(fs(), "G1", script=Q, tasks=1),
    Either(fs(mid="if updates in (12, 13, 30):\n    logger.info('NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: %.1f', 64 / updates)"), "G1", script=Q, hard=True),
    Either(mm(), "G1", script=M, files=CFG, args=C),
    Either(mm(early="info('Error when loading the MySQL metric backend: connection refused; using LocalVisBackend', 'ERROR')\ninfo('The prefix is not set in metric class CocoMetric.', 'WARNING')"), "G1", script=M, files=CFG, args=C, hard=True, tasks=1),
    Either(mm(), "G1", script=M, files=(*cfg("load_from = 'work_dirs/head_r18/epoch_2.pth'"), FIRST), args=C, before=EPOCHS, hard=True),
    Either(meg(after="if iteration == 50:\n    print_rank_0('WARNING: 2 stragglers, 1 node excluded (Killed by signal 9 in a previous job), training goes on')"), "G1", script=P, hard=True, tasks=1),
)  # fmt: skip
RECIPE = Recipe("solo_houses", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
