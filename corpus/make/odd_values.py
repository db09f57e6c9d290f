"""All other exceptions: values, keys, types, encodings, formats, connections, full disks."""

from corpus.running.job import Recipe
from corpus.running.snippets import Snippet
from corpus.running.spread import both

SNIPPETS = (
    Snippet("rate = float('3e-4x')", "traceback", "config", ("config",)),
    Snippet("optimizers = {'sgd': 1, 'adam': 2}\nchosen = optimizers['adamw8bit']", "traceback", "config", ("config", "first")),
    Snippet("row = '1,2'.split(',')\nlabel = int(row[2])", "traceback", "data", ("data", "mid")),
    Snippet("import json\nrecord = json.loads('{\"text\": \"abc\", \"label\": 1')", "traceback", "data", ("data", "mid")),
    Snippet("text = b'caf\\xe9 au lait'.decode('utf-8')", "traceback", "data", ("data", "mid")),
    Snippet("options = None\nwidth = options.hidden_size", "traceback", "config", ("config", "first")),
    Snippet("build(learning_rate=0.1)", "traceback", "config", ("first",)),
    Snippet("raise NotImplementedError('gradient checkpointing of this layer')", "traceback", "config", ("first", "mid")),
    Snippet("class DataIntegrityError(Exception):\n    pass\nraise DataIntegrityError('checksum of shard 12 differs')", "traceback", "data", ("data", "mid")),
    Snippet("def depth(n):\n    return depth(n + 1)\ndepth(0)", "traceback", "config", ("first",)),
    Snippet("import socket\nsocket.create_connection(('127.0.0.1', 9), timeout=2)", "traceback", "env", ("config", "mid")),
    Snippet("label = ['cat', 'dog'].index('cow')", "traceback", "data", ("data", "mid")),
    Snippet("total_tokens = 'tokens: ' + 12", "traceback", "config", ("config", "mid")),
    Snippet("import struct\nheader = struct.unpack('<IIQ', b'\\0' * 12)", "traceback", "data", ("data", "mid")),
    Snippet("import zlib\nzlib.decompress(b'not compressed at all')", "traceback", "data", ("data", "mid")),
    Snippet("np.zeros((3, 4)) + np.zeros((2, 4))", "traceback", "data", ("data", "mid"), "numpy"),
    Snippet("np.concatenate([np.zeros((2, 3)), np.zeros((2, 4, 1))])", "traceback", "data", ("data",), "numpy"),
    Snippet("torch.tensor([1, 2])[5]", "traceback", "data", ("data", "mid"), "torch"),
    Snippet("nn.CrossEntropyLoss()(torch.randn(3, 4), torch.tensor([0, 1]))", "traceback", "data", ("first", "mid"), "torch"),
)
RECIPE = Recipe("odd_values", "development", lambda: both(SNIPPETS, 7))
