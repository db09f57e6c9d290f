"""Files and folders that are not there: shards, vocabularies, configurations, programs, checkpoints to start from."""

from corpus.running.job import Recipe
from corpus.running.snippets import EARLY, Snippet
from corpus.running.spread import both

SNIPPETS = (
    Snippet("with open(f'data/part-{rank:05d}.txt') as part:\n    rows = part.read().splitlines()", "file_not_found", "data", ("data", "first")),
    Snippet("shard = 1 + step // 30\nwith open(os.path.join('/data/corpora/web', f'shard_{shard:04d}.jsonl'), encoding='utf-8') as lines:\n    lines.readline()",
            "file_not_found", "data", ("mid",)),
    Snippet("names = sorted(os.listdir('/data/imagenet/train'))", "file_not_found", "data", ("data",)),
    Snippet("import json\nwith open('configs/base.json') as file:\n    options = json.load(file)", "file_not_found", "config", ("config",)),
    Snippet("from pathlib import Path\nvocabulary = Path('tokenizer/vocab.txt').read_text().split()", "file_not_found", "asset", EARLY),
    Snippet("import numpy\nfeatures = numpy.load('data/features_f32.npy', mmap_mode='r')", "file_not_found", "data", ("data", "mid"), "numpy"),
    Snippet("weights = torch.load('pretrained/backbone.pth', map_location='cpu')", "file_not_found", "asset", ("first", "config"), "torch"),
    Snippet("import subprocess\nsubprocess.run(['ffmpeg-static', '-i', 'clip.mp4', 'clip.wav'], check=True)", "file_not_found", "env", ("data",)),
    Snippet("import shutil\nshutil.copy('/scratch/stage/labels.csv', 'data/labels.csv')", "file_not_found", "data", ("data",)),
    Snippet("os.rename(f'ckpt/tmp_{step}', f'ckpt/last')", "file_not_found", "data", ("mid",)),
    Snippet("import pickle\nwith open(f'cache/features_{step // 10}.pkl', 'rb') as cached:\n    features = pickle.load(cached)", "file_not_found", "data", ("mid",)),
    Snippet("import sqlite3, gzip\nwith gzip.open('data/annotations.json.gz', 'rt') as packed:\n    packed.readline()", "file_not_found", "data", ("data", "mid")),
    Snippet("open('logs/2026/metrics.csv', 'a').write(f'{step},{loss}\\n')", "file_not_found", "data", ("mid",)),
    Snippet("sizes = [os.path.getsize(f'data/{split}.bin') for split in ('train', 'val')]", "file_not_found", "data", ("data",)),
    Snippet("os.chdir('/workspace/experiments/run42')", "file_not_found", "config", ("config",)),
    Snippet("table = read_table('data/train.tsv')", "file_not_found", "data", ("data",),
            helpers="def read_table(path):\n    with open(path, newline='') as file:\n        return [line.split('\\t') for line in file]\n"),
)
RECIPE = Recipe("absent_paths", "development", lambda: both(SNIPPETS, 0))
