"""Files and folders that the job's user may not read or write."""

from corpus.running.job import Recipe
from corpus.running.snippets import Snippet
from corpus.running.spread import both

SNIPPETS = (
    Snippet("with open('data/train.jsonl') as lines:\n    first = lines.readline()", "permission", "data", ("data", "first"), files=(("data/train.jsonl", "{}\n"),), locked=("data/train.jsonl",)),
    Snippet("os.makedirs('/opt/results/run1')", "permission", "config", ("config", "mid")),
    Snippet("names = os.listdir('private')", "permission", "data", ("data", "mid"), folders=("private",), locked=("private",)),
    Snippet("with open('/etc/training.log', 'a') as log_file:\n    log_file.write('begin')", "permission", "config", ("config", "first")),
    Snippet("with open('out/metrics.csv', 'a') as table:\n    table.write(f'{step},{loss}\\n')", "permission", "config", ("mid",), folders=("out",), locked=("out",)),
    Snippet("import shutil\nshutil.copytree('data', '/usr/share/dataset-cache')", "permission", "data", ("data",)),
    Snippet("import socket\nserver = socket.socket()\nserver.bind(('127.0.0.1', 81))", "permission", "config", ("config",)),
    Snippet("from pathlib import Path\nPath('/var/lib/metrics').mkdir()", "permission", "config", ("config", "mid")),
    Snippet("import subprocess\nsubprocess.run(['./preprocess'], check=True)", "permission", "env", ("data",), files=(("preprocess", "#!/bin/sh\necho ready\n"),)),
    Snippet("os.replace('best.tmp', '/srv/best.bin')", "permission", "config", ("mid",), files=(("best.tmp", "x"),), folders=()),
    Snippet("torch.save({'step': step}, 'vault/last.pt')", "permission", "config", ("mid",), "torch", folders=("vault",), locked=("vault",)),
    Snippet("numpy_rows = np.load('data/x.npy')", "permission", "data", ("data",), "numpy", files=(("data/x.npy", ""),), locked=("data/x.npy",)),
    Snippet("os.nice(-5)\n", "permission", "config", ("config",)),
    Snippet("os.unlink('/etc/passwd.lock.d') if os.path.exists('/etc/passwd.lock.d') else os.symlink('ckpt', '/etc/latest-model')", "permission", "config", ("mid",)),
)
RECIPE = Recipe("closed_doors", "development", lambda: both(SNIPPETS, 3))
