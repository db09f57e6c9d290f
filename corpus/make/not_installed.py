"""Packages and names that the environment lacks."""

from corpus.running.job import Recipe
from corpus.running.snippets import Snippet
from corpus.running.spread import both

LATE = ("config", "first", "mid")
SNIPPETS = (
    Snippet("import flash_attn", "missing_module", "env", ("top",)),
    Snippet("from apex import amp", "missing_module", "env", ("top", "config")),
    Snippet("import deepspeed.comm as comm", "missing_module", "env", ("top",)),
    Snippet("from megatron.core import parallel_state", "missing_module", "env", ("top",)),
    Snippet("from my_project.models.vit import VisionTransformer", "missing_module", "env", ("top",)),
    Snippet("import wandb\nwandb.init(project='run')", "missing_module", "env", LATE),
    Snippet("from collections import Mapping", "missing_module", "env", ("top", "first")),
    Snippet("from torch.utils.data import ShardedLoader", "missing_module", "env", ("top",), "torch"),
    Snippet("from utils.metrics import bleu_score", "missing_module", "env", ("top", "mid")),
    Snippet("import importlib\nplugin = importlib.import_module('extensions.fused_adam')", "missing_module", "env", LATE),
    Snippet("import cv2", "missing_module", "env", ("top", "data")),
    Snippet("from numpy import float_scalar_t", "missing_module", "env", ("top",), "numpy"),
    Snippet("import tensorboardX", "missing_module", "env", ("config",)),
    Snippet("import sentencepiece as spm", "missing_module", "env", ("data", "mid")),
    Snippet("from .dataset import ShardDataset", "missing_module", "env", ("top",)),
)
RECIPE = Recipe("not_installed", "development", lambda: both(SNIPPETS, 1))
