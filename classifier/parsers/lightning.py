"""PyTorch Lightning 1.9 to 2.6, beside its tqdm bar."""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="PyTorch Lightning",
    patterns=(
        Pattern(
            name="stopped",
            says="planned_end",
            role=Role.MARKER,
            regex=r"`Trainer\.fit` stopped: `max_(?:epochs|steps|time)=(?P<limit>[^`]{1,40})` reached",
            literals=("`Trainer.fit` stopped: ",),
            samples=("`Trainer.fit` stopped: `max_epochs=3` reached.", "`Trainer.fit` stopped: `max_steps=100` reached."),
            near_misses=("`Trainer.fit` stopped: Early stopping", "Trainer.fit stopped: `max_epochs=3` reached."),
        ),
        Pattern(
            name="restored",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"Restor(?:ing states from the checkpoint path at|ed all states from the checkpoint)",
            literals=("Restoring states from the checkpoint", "Restored all states from the checkpoint"),
            samples=("Restoring states from the checkpoint path at /scratch/last.ckpt", "Restored all states from the checkpoint at last.ckpt"),
            near_misses=("Restoring the original weights",),
        ),
        Pattern(
            name="requeue",
            says="preempted_text",
            role=Role.MARKER,
            regex=r"Handling auto-requeue signal|requeing job \d{1,12}",
            literals=("Handling auto-requeue signal", "requeing job"),
            samples=("Handling auto-requeue signal: 10", "requeing job 4711..."),
            near_misses=("SLURM auto-requeueing enabled. Setting signal handlers.",),
        ),
    ),
)
