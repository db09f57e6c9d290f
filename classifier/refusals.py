"""What launchers and shells refuse with, by their own words, and what to do: limits, mounts, PMI, bindings, accounts."""

from __future__ import annotations

import re

_OF_LAUNCHERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"container-mounts|mount.{0,40}(?:No such file|does not exist|not a directory)",
        (
            "Each mount is SOURCE:TARGET[:flags], and SOURCE must exist on the compute node: srun --container-mounts=/data:/data:ro,$HOME:$HOME …",
            "Check it there: srun -N1 ls -ld /data",
        ),
    ),
    (
        r"import docker image|invalid image reference|couldn't start container|failed to (?:pull|import)",
        (
            "Import it once on a login node: enroot import -o image.sqsh 'docker://REGISTRY#NAME:TAG'; then srun --container-image=./image.sqsh …",
            "For a private registry: credentials in ~/.config/enroot/.credentials on the node that imports.",
        ),
    ),
    (
        r"\bPMIx?\b|mpi type|direct launched using",
        (
            "Start it with the MPI plugin it was built for: srun --mpi=pmix …   # srun --mpi=list names those there are",
            "Or from the allocation with its own launcher: mpirun …",
        ),
    ),
    (
        r"CPU binding outside of job step allocation|cpu[-_ ]bind",
        ("unset SLURM_CPU_BIND SLURM_CPU_BIND_TYPE SLURM_CPU_BIND_LIST   # left over from the shell that submitted", "Or: srun --cpu-bind=none …"),
    ),
    (
        r"Memory required by task is not available",
        ("The batch step holds the job's memory: srun --mem=0 …   # shares it", "#SBATCH --mem=…   # more than the steps ask for together"),
    ),
    (
        r"Requested node configuration is not available|Requested nodes are busy|More processors requested than permitted|Unable to create step",
        (
            "The step asks for more than the job has: compare srun's -N, -n, --gres and --cpus-per-task with the #SBATCH lines.",
            "Since Slurm 22.05 srun does not take --cpus-per-task from sbatch: export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK",
        ),
    ),
    (
        r"Invalid (?:account|qos|partition)|account/partition combination",
        ("Check what you may use: sacctmgr show assoc user=$USER format=account,partition,qos",),
    ),
    (r"\bgres\b|generic resource", ("Check the name of the GPUs there: sinfo -o '%P %G'; for example #SBATCH --gres=gpu:1",)),
    (r"bad interpreter|\^M|\\r: command not found", ("The script has DOS line ends: sed -i 's/\\r$//' SCRIPT",)),
    (r"Exec format error", ("It is no program for this machine: check its first line (#!) and its architecture (file PROGRAM; uname -m).",)),
    (r"Argument list too long", ("Too many arguments or too large an environment: pass a file with the list; srun --export=NONE …",)),
    (
        r"Could not open stdout|IO setup failed|Unable to open file",
        ("Make the folder before submitting (mkdir -p), and check that the compute node can write there: sbatch --output=PATH",),
    ),
)
_LIMITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"ibv_(?:reg_mr|create_(?:qp|cq))|memlock|locked memory",
        ("The limit on locked memory is too low: ulimit -l unlimited in the job; for the operators: PropagateResourceLimitsExcept=MEMLOCK.",),
    ),
    (
        r"Resource temporarily unavailable|can't start new thread|Cannot fork|pthread_create failed",
        ("Too many processes or threads: ulimit -u; export OMP_NUM_THREADS=4 and fewer loader workers.",),
    ),
    (r"Read-only file system", ("That place cannot be written on the compute node: write to $TMPDIR, $SCRATCH or the project's folder.",)),
)
_COMPILED = {
    launcher: tuple((re.compile(words, re.IGNORECASE), advice) for words, advice in table)
    for launcher, table in ((True, _OF_LAUNCHERS + _LIMITS), (False, _LIMITS))
}


def advice_on(text: str, *, launcher: bool) -> tuple[str, ...]:
    """What to do about a refusal in these words; empty for words that are not known. ``launcher``: a launcher or a shell said it, no program."""
    return next((advice for words, advice in _COMPILED[launcher] if words.search(text)), ())
