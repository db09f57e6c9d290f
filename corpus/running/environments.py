"""The interpreters that jobs run with, and where modules beside them lie."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Environment:
    """``place`` is where it lies, ``shown`` the name of the same length that stands in the cases."""

    python: str
    place: str
    shown: str
    path: tuple[tuple[str, str], ...] = ()
    packages: tuple[str, ...] = ()
    more: dict[str, str] = field(default_factory=dict)
    passed: tuple[str, ...] = ()
    """Variables that its jobs have from whoever makes the cases."""

    @property
    def there(self) -> bool:
        """Whether it can be used here."""
        return Path(self.python).exists() and all(Path(p).exists() for p, _ in self.path)

    def variables(self) -> dict[str, str]:
        """What a job of this environment needs to find its modules, and whatever else it is given."""
        path = {"PYTHONPATH": ":".join(p for p, _ in self.path)} if self.path else {}
        return {**self.more, **{name: os.environ[name] for name in self.passed if name in os.environ}, **path}

    def places(self) -> dict[str, str]:
        """Names for its places."""
        return {p: n for p, n in [(self.place, self.shown), *self.path] if p != n}

    @cache  # noqa: B019  # a handful of environments
    def versions(self) -> dict[str, str]:
        """Python's and the packages' versions, asked of the environment itself."""
        code = (
            "import sys, importlib.metadata as m\nprint('python', sys.version.split()[0])\n"
            "for n in sys.argv[1:]:\n try: print(n, m.version(n))\n except m.PackageNotFoundError: pass"
        )
        done = subprocess.run(
            [self.python, "-c", code, *self.packages], capture_output=True, text=True, check=True, env={**os.environ, **self.variables()}
        )
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    def __hash__(self) -> int:
        return hash(self.python + str(self.path))


PREFIX = os.environ.get("CORPUS_ENVIRONMENTS", "/var/tmp/c-")
"""Environments that are made for the corpus have names that begin so; nine to eleven characters: names in cases are as long as these."""
TORCH = "/opt/gpualert-torch"
CARD = "card"
"""The environment of a machine with a real GPU (H100, driver 580, CUDA 13): its jobs are of provenance `hardware`."""
ENVIRONMENTS = {
    "system": Environment("/usr/bin/python3", "/usr", "/usr"),
    "torch": Environment(f"{TORCH}/bin/python", TORCH, "/opt/conda/envs/ml3", packages=("torch", "numpy")),
    "torch-old": Environment(f"{PREFIX}t26/bin/python", f"{PREFIX}t26", "/opt/envs/t24x", packages=("torch", "numpy")),
    "numpy": Environment(
        f"{PREFIX}np/bin/python", f"{PREFIX}np", "/opt/envs/np1", packages=("numpy", "pandas", "scikit-learn", "pyarrow", "loguru")
    ),
    "frameworks": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}hf", "/opt/envs/hf5"),),
        ("torch", "numpy", "transformers", "accelerate", "lightning", "datasets", "peft", "tqdm", "loguru"),
    ),
    "tabular": Environment(
        f"{PREFIX}tab/bin/python", f"{PREFIX}tab", "/data/envs/tab",
        packages=("numpy", "xgboost", "lightgbm", "polars", "dask", "h5py", "pandas", "pyarrow", "scikit-learn", "structlog", "rich", "click", "hydra-core", "pydantic", "fire"),
    ),
    "jax": Environment(f"{PREFIX}j13/bin/python", f"{PREFIX}j13", "/proj/jax/v313", packages=("jax", "jaxlib", "flax", "optax", "numpy", "absl-py")),
    "keras": Environment(f"{PREFIX}tf2/bin/python", f"{PREFIX}tf2", "/opt/tf-env-12", packages=("tensorflow-cpu", "keras", "numpy", "h5py")),
    "torch-26": Environment(f"{PREFIX}t62/bin/python", f"{PREFIX}t62", "/apps/torch312", packages=("torch", "numpy", "lightning", "transformers", "accelerate", "safetensors")),
    "ranks": Environment(f"{PREFIX}mpi/bin/python", f"{PREFIX}mpi", "/opt/envs/mpi5", packages=("mpi4py", "mpich", "openmpi", "distributed", "loky", "joblib")),
    "torch-22": Environment(f"{PREFIX}t22/bin/python", f"{PREFIX}t22", "/scratch/pt310", packages=("torch", "numpy", "pytorch-lightning", "absl-py")),
    "torch-28": Environment(f"{PREFIX}t28/bin/python", f"{PREFIX}t28", "/sw/pytorch280", packages=("torch", "numpy")),
    "catboost": Environment(f"{PREFIX}cat/bin/python", f"{PREFIX}cat", "/apps/ml/ds-24", packages=("catboost", "scikit-learn", "numpy", "gensim", "sentencepiece", "statsmodels", "papermill", "nbconvert")),
    "torch-112": Environment(f"{PREFIX}p12/bin/python", f"{PREFIX}p12", "/envs/pt1-p310", packages=("torch", "numpy", "pytorch-lightning", "pytorch-ignite", "skorch", "stable-baselines3")),
    "paddle": Environment(f"{PREFIX}pdl/bin/python", f"{PREFIX}pdl", "/envs/pp26-cpu", packages=("paddlepaddle", "numpy")),
    "haiku": Environment(f"{PREFIX}jx4/bin/python", f"{PREFIX}jx4", "/home/sw/jax04", packages=("jax", "jaxlib", "dm-haiku", "equinox", "optax", "numpyro", "numpy")),
    "keras-2": Environment(f"{PREFIX}k15/bin/python", f"{PREFIX}k15", "/home/sw/tf215", packages=("tensorflow-cpu", "keras", "numpy")),
    "torch-29": Environment(
        f"{PREFIX}u29/bin/python", f"{PREFIX}u29", "/shared/pt-313",
        packages=("torch", "numpy", "transformers", "accelerate", "lightning", "trl", "peft", "timm", "datasets", "jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "keras", "scikit-learn"),
    ),
    "torch-211": Environment(
        f"{PREFIX}v11/bin/python", f"{PREFIX}v11", "/opt/pt211-312",
        packages=("torch", "numpy", "torchvision", "transformers", "accelerate", "lightning", "torchmetrics", "pytorch-ignite", "stable-baselines3", "gymnasium", "optuna", "diffusers"),
    ),
    "fastai": Environment(
        f"{PREFIX}d27/bin/python", f"{PREFIX}d27", "/envs/fast-311",
        packages=("torch", "numpy", "fastai", "fastprogress", "pytorch-tabnet", "stable-baselines3", "gymnasium", "xgboost-cpu", "lightgbm", "scikit-learn", "pandas", "tensorflow-cpu", "keras"),
    ),
    "forest": Environment(f"{PREFIX}f31/bin/python", f"{PREFIX}f31", "/envs/sk19-311", packages=("scikit-learn", "xgboost-cpu", "lightgbm", "numpy", "pandas")),
    "shelf": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}a14/lib/python3.11/site-packages", "/proj/envs/a14/lib/python3.11/site-packages"),),
        ("torch", "numpy", "scikit-learn", "xgboost-cpu", "lightgbm", "pandas", "lightning", "transformers", "structlog", "loguru", "rich", "tqdm", "coloredlogs", "tabulate"),
    ),
    "flax-5": Environment(f"{PREFIX}jx5/bin/python", f"{PREFIX}jx5", "/sw/jax-053-11", packages=("jax", "jaxlib", "flax", "optax", "scikit-learn", "numpy", "tqdm", "colorlog")),
    "boosters": Environment(f"{PREFIX}g22/bin/python", f"{PREFIX}g22", "/sw/ml/gbm-311", packages=("scikit-learn", "lightgbm", "xgboost-cpu", "optuna", "pandas", "numpy", "tqdm", "rich", "omegaconf")),
    "offline-hub": Environment(
        f"{PREFIX}n19/bin/python", f"{PREFIX}n19", "/apps/ml311-ub",
        packages=("torch", "numpy", "transformers", "lightning", "accelerate", "datasets", "scikit-learn", "xgboost-cpu", "lightgbm", "pandas", "omegaconf", "loguru", "rich", "tqdm", "structlog", "tabulate"),
    ),
    "hub-21": Environment(
        f"{PREFIX}h21/bin/python", f"{PREFIX}h21", "/software/ml21",
        packages=("torch", "numpy", "transformers", "lightning", "accelerate", "datasets", "scikit-learn", "xgboost-cpu", "lightgbm", "pandas", "omegaconf", "loguru", "rich", "tqdm", "structlog", "tabulate"),
    ),
    "annex": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}x20/lib/python3.11/site-packages", "/tools/pyx/x20/lib/python3.11/site-packages"),),
        ("torch", "numpy", "lightning", "transformers", "accelerate", "scikit-learn", "pandas", "structlog", "loguru", "rich", "tqdm", "colorlog"),
    ),
    "satchel": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}q17", "/proj/envs/q17"),),
        ("torch", "numpy", "scikit-learn", "scipy", "pandas", "tqdm", "loguru", "rich", "colorlog", "tabulate", "PyYAML"),
    ),
    "hf-52": Environment(f"{TORCH}/bin/python", TORCH, "/opt/conda/envs/ml3", ((f"{PREFIX}h52", "/opt/envs/tf52"),), ("torch", "numpy", "transformers", "accelerate", "lightning", "loguru", "rich", "tqdm")),
    "trees-53": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}h53", "/opt/envs/gb53"), (f"{PREFIX}h52", "/opt/envs/tf52")),
        ("torch", "numpy", "scikit-learn", "xgboost-cpu", "lightgbm", "catboost", "stable-baselines3", "gymnasium", "optuna", "pandas", "structlog", "rich", "loguru", "tqdm"),
    ),
    "hf-56": Environment(f"{TORCH}/bin/python", TORCH, "/opt/conda/envs/ml3", ((f"{PREFIX}x72", "/data/py311-56"),), ("torch", "numpy", "transformers", "accelerate", "lightning", "loguru", "rich", "tqdm", "colorlog")),
    "flax-7": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}x73", "/data/py311-jx"), (f"{PREFIX}x72", "/data/py311-56")),
        ("torch", "numpy", "jax", "jaxlib", "flax", "optax", "keras", "scikit-learn", "xgboost-cpu", "stable-baselines3", "gymnasium", "pandas", "rich", "colorlog"),
    ),
    CARD: Environment(
        "/opt/torch/.venv/bin/python3", "/opt/torch/.venv", "/shared/envs/t11",
        packages=("torch", "numpy", "transformers", "accelerate", "lightning", "timm", "jax", "jaxlib", "flax", "optax", "cupy-cuda13x", "triton", "numba", "torchvision", "nvidia-nccl-cu13"),
        more={"NCCL_SOCKET_IFNAME": "lo"}, passed=("CUDA_HOME", "CUDA_PATH", "XLA_FLAGS", "TRITON_PTXAS_PATH"),
    ),
    "rail-41": Environment(f"{TORCH}/bin/python", TORCH, "/opt/conda/envs/ml3", ((f"{PREFIX}b41", "/shared/py/b41"),), ("torch", "numpy", "transformers", "accelerate", "lightning", "torchmetrics", "scikit-learn", "loguru", "tqdm")),
    "hub-51": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}p61", "/opt/envs/tf51"),),
        ("torch", "numpy", "transformers", "accelerate", "lightning", "torchmetrics", "hydra-core", "omegaconf", "rich", "tqdm", "loguru"),
    ),
    "trees-51": Environment(
        f"{TORCH}/bin/python",
        TORCH,
        "/opt/conda/envs/ml3",
        ((f"{PREFIX}p62", "/opt/envs/jx70"),),
        ("torch", "numpy", "jax", "jaxlib", "flax", "optax", "scikit-learn", "xgboost-cpu", "lightgbm", "pandas", "tqdm"),
    ),
    "r": Environment("/usr/bin/python3", "/usr", "/usr", (("/usr/lib/R", "/usr/lib/R"),)),
    "small-tongues": Environment("/usr/bin/python3", "/usr", "/usr", tuple((p, p) for p in ("/usr/bin/ruby", "/usr/bin/php", "/usr/bin/lua5.4", "/usr/bin/ocaml", "/usr/bin/guile", "/usr/bin/gfortran"))),
    "trainers": Environment("/usr/bin/python3", "/usr", "/usr", tuple((p, p) for p in ("/usr/bin/svm-train", "/usr/bin/liblinear-train", "/usr/bin/fasttext", "/usr/bin/parallel"))),
}  # fmt: skip
"""By the name that recipes use. Requirements: ``doc/corpus.md``."""
