"""How srun refuses to launch for want of an MPI plugin or of the nodes' answers (22.05's words for --mpi seen by running it), and a step that slurmstepd gave up."""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="srun's launch",
    patterns=(
        Pattern(
            name="mpi_type",
            says="launch_refused",
            role=Role.ROOT,
            regex=(
                r"^srun: (?:error|fatal): (?P<message>(?:Couldn't find the specified plugin name for|[Cc]annot find mpi plugin for|MPI: Cannot create context for) mpi/\S{1,40}.{0,80}"
                r"|Invalid MPI type '.{1,40}', --mpi=list for acceptable types| ?mpi/pmix\S{0,8}: .{0,120}can not load PMIx library.{0,60})"
            ),
            literals=("plugin name for mpi/", "find mpi plugin for mpi/", "create context for mpi/", "Invalid MPI type '", "can not load PMIx"),
            samples=(
                "srun: error: Couldn't find the specified plugin name for mpi/pmix_v5 looking at all files",
                "srun: error: MPI: Cannot create context for mpi/pmix",
                "srun: error: Invalid MPI type 'pmix', --mpi=list for acceptable types",
                "srun: error:  mpi/pmix_v4: init: (null) [0]: mpi_pmix.c:195: pmi/pmix: can not load PMIx library",
            ),
            near_misses=("srun: MPI plugin types are...", "srun: MPI types are pmix, pmi2 and none", "Invalid MPI type"),
            detail="launcher_refused",
        ),
        Pattern(
            name="not_launched",
            says="launch_refused",
            role=Role.ROOT,
            regex=(
                r"^srun: error: (?P<message>(?:Task launch for (?:StepId=)?[\d.+_]{1,40} failed on node \S{1,120}: |Application launch failed: "
                r"|Unable to confirm allocation for job \d{1,12}: ).{1,160})"
            ),
            literals=("srun: error: Task launch for ", "srun: error: Application launch failed: ", "srun: error: Unable to confirm allocation for "),
            samples=(
                "srun: error: Task launch for StepId=42.0 failed on node n2: Communication connection failure",
                "srun: error: Task launch for 104.0 failed on node n3: Invalid job credential",
                "srun: error: Application launch failed: Invalid job credential",
                "srun: error: Unable to confirm allocation for job 42: Zero Bytes were transmitted or received",
            ),
            near_misses=("srun: error: n2: task 1: Exited with exit code 1", "Task launch for evaluation failed on node two"),
            detail="launcher_refused",
        ),
        Pattern(
            name="given_up",
            says="teardown",
            role=Role.CASCADE,
            regex=(
                r"error: \*\*\* (?:JOB|STEP) [\w.+]{1,40} (?:STEPD TERMINATED ON \S{1,120} AT [\dT:.+-]{10,40} DUE TO JOB NOT ENDING WITH SIGNALS"
                r"|ON \S{1,120} FAILED \(non-zero exit code or other failure mode\)) \*\*\*"
            ),
            literals=(" STEPD TERMINATED ON ", "FAILED (non-zero exit code or other"),
            samples=(
                "slurmstepd: error: *** JOB 42 STEPD TERMINATED ON n1 AT 2026-11-20T16:00:00 DUE TO JOB NOT ENDING WITH SIGNALS ***",
                "slurmstepd: error: *** STEP 42.0 STEPD TERMINATED ON n1 AT 2026-11-20T16:00:00 DUE TO JOB NOT ENDING WITH SIGNALS ***",
            ),
            near_misses=("slurmstepd: error: *** STEP 42.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 ***",),
        ),
    ),
)
