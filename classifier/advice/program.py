"""The training program: its options, its configuration, its loop, its precision."""

from __future__ import annotations

ADVICE: dict[str, tuple[str, ...]] = {
    "script_error": ("The script itself is wrong at the line named above: bash -n SCRIPT checks it; a variable that may be unset is ${NAME:-default}.",),
    "bad_option": ("Correct the option named above; the program's --help lists them.",),
    "unused_argument": ("Remove the argument that the model does not know, or check its spelling.",),
    "batch_config": ("train_batch_size must be micro batch per GPU x gradient accumulation x number of GPUs: set two of them, and the third to auto.",),
    "config_file": ("The configuration file is not where it is looked for: give its whole path, and check it on the compute node: srun -N1 ls -l PATH",),
    "instantiation": ("The _target_ of the configuration cannot be made: export HYDRA_FULL_ERROR=1 and run again for the reason; check its import path.",),
    "parallel_config": ("World size must be a multiple of tensor x pipeline x context parallel size: correct them, or the number of GPUs (#SBATCH -N, --ntasks-per-node).",),
    "parallel_size": ("The tensor parallel size must divide the model's attention heads: --tensor-parallel-size 2 or 4.",),
    "misconfigured": ("The Trainer and the module do not fit together: the message names the hook or option that is missing.",),
    "metric_missing": ("Log what is monitored, under that very name: self.log('val_acc', …) in validation_step; or correct monitor=….",),
    "slurm_tasks": ("One task a GPU: #SBATCH --ntasks-per-node equal to Trainer(devices=…), and srun python …; or devices=1.",),
    "precision_unsupported": ("This GPU or build has no bf16: fp16=True, or no mixed precision; on a CPU: use_cpu=True. Check with: srun nvidia-smi -L",),
    "backward": (
        "No gradient, or one graph twice: requires_grad of the parameters, no .detach() or no_grad() on the way to the loss, and a new forward for each backward.",
        "With gradient checkpointing and adapters: model.enable_input_require_grads(). In-place changes: x = x + y instead of x += y.",
    ),
    "compiler": ("Train without compiling first: export TORCHDYNAMO_DISABLE=1; no C compiler on the node: module load gcc, export CC=gcc.",),
    "extension_build": ("Build it where a compiler and nvcc are: module load cuda gcc; DS_BUILD_OPS=1 pip install deepspeed; or rm -rf ~/.cache/torch_extensions and try again.",),
    "no_batch_size": ("Not even one row fits: a smaller model or sequence, more memory (#SBATCH --mem=… or a larger GPU); the first error above says which.",),
    "loss_scale_minimum": ("The loss overflows in half precision: use bf16, a lower learning rate, or gradient clipping.",),
    "non_finite": ("Lower the learning rate or clip gradients; torch.autograd.set_detect_anomaly(True) (JAX: JAX_DEBUG_NANS=True) names the first operation.",),
    "filtered_to_zero": ("Lower the learning rate or clip gradients; --logging_nan_inf_filter False prints the loss as it is.",),
    "loss_watchdog": ("The loss stayed above the bound that was set: lower the learning rate, or start from the checkpoint before.",),
    "terminated_on_nan": ("Lower the learning rate or clip gradients (optimizer clipnorm=1.0); look for NaN in the inputs: numpy.isnan(x).any().",),
    "early_stopping": ("Training stopped because the monitored value was not finite: lower the learning rate, clip gradients, look for NaN in the inputs.",),
    "engine_dead": ("The engine's own process died: its error stands above, in its own log lines; run with VLLM_LOGGING_LEVEL=DEBUG.",),
    "tracking_login": ("export WANDB_API_KEY=… in the job, or WANDB_MODE=offline and wandb sync afterwards.",),
    "tracking_unreachable": ("The node does not reach the tracking server: export WANDB_MODE=offline and wandb sync from a login node afterwards.",),
}
