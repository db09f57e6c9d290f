"""Job scripts whose own lines fail, before or instead of the program; and such as go on."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

GOOD = "python3 - <<'EOF'\nimport time\nx = 5.0\nfor i in range(1, 161):\n    x -= 0.04 * x\n    if i % 4 == 0:\n        print(f'[{i}/160] train loss: {x * x + 0.1:.4f}', flush=True)\n    time.sleep(0.01)\nprint('training finished')\nEOF\n"
ARGS = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float, required=True)\nparser.add_argument('--model', choices=['s', 'm'])\nargs = parser.parse_args()\n"
S = "job.sh"
SCRIPTS = (
    Flat("python3 trian.py --lr 1e-3", cause="file_not_found", variant="config", script=S, status=2),
    Flat("set -e\ncd /projects/vision/run7\npython3 train.py", cause="file_not_found", variant="config", script=S),
    Flat("set -e\nsource ~/envs/train/bin/activate\npython3 train.py", cause="file_not_found", variant="env", script=S),
    Flat("pyhton train.py", cause="file_not_found", variant="env", script=S, status=127),
    Flat("torchrun_mpi --nproc 4 train.py", cause="file_not_found", variant="env", script=S, status=127),
    Flat("./launch --config a.yaml", cause="permission", variant="env", script=S, status=126, files=(("launch", "#!/bin/sh\n"),)),
    Flat("set -e\ncp data.tar /var/lib/", cause="permission", variant="config", script=S, files=(("data.tar", "x"),)),
    Flat("set -e\nmkdir -p /opt/ckpt\npython3 train.py", cause="permission", variant="config", script=S),
    Flat("python3 -m torchtitan.train", cause="missing_module", variant="env", script=S),
    Flat("python3 -m accelerate.commands.launch train.py", cause="missing_module", variant="env", script=S),
    Flat("set -u\npython3 train.py --data $DATA_ROOT", variant="config", script=S, status=1),
    Flat("python3 opts.py --lr fast", variant="config", script=S, status=2, files=(("opts.py", ARGS),)),
    Flat("python3 opts.py --learning-rate 0.1", variant="config", script=S, status=2, files=(("opts.py", ARGS),)),
    Flat("python3 opts.py --lr 0.1 --model xl", variant="config", script=S, status=2, files=(("opts.py", ARGS),)),
    Flat("python3 broken.py", cause="traceback", variant="config", script=S, files=(("broken.py", "def f(:\n    pass\n"),)),
    Flat("python3 broken.py", cause="traceback", variant="config", script=S, files=(("broken.py", "def f():\n  x = 1\n    y = 2\n"),)),
    Flat(GOOD, "G1", script=S),
    Flat("which nvcc || true\nls /nfs/cache 2>/dev/null || echo 'no cache'\n" + GOOD, "G1", script=S, hard=True),
    Flat("rm old.ckpt\nconda activate train\n" + GOOD, "G1", script=S, hard=True),
    Flat("python3 -c 'import torch' || pip --version\n" + GOOD, "G1", script=S, hard=True),
    Flat("python3 -c 'raise MemoryError(\"probe of 1 TiB\")'\n" + GOOD, "G1", script=S, hard=True),
    Flat("bash -c 'kill -ABRT $$'\n" + GOOD, "G1", script=S, hard=True),
    Flat("cat <<'EOF'\nKnown failures and what to do:\n  CUDA out of memory -> lower the batch size\n  NCCL error -> call the operators\n  Killed -> ask for more memory\nEOF\n" + GOOD, "G1", script=S, hard=True),
    Flat("for i in 1 2 3; do python3 -c \"import sys; sys.exit('host did not answer' if $i < 3 else 0)\" && break; done\n" + GOOD, "G1", script=S, hard=True),
    Flat("set -x\nls /tmp/none\nfalse\n" + GOOD, "G1", script=S, hard=True),
    Flat("python3 -W error -c 'import warnings; warnings.warn(\"deprecated\")'\n" + GOOD, "G1", script=S, hard=True),
    Flat(GOOD + "python3 -c 'raise OSError(28, \"No space left on device\")' || true", "G1", script=S, hard=True),
    Flat(GOOD + "rm /scratch/tmp/none; exit 0", "G1", script=S, hard=True),
)
RECIPE = Recipe("shell_lines", "development", lambda: flat_jobs(SCRIPTS, "system"))
