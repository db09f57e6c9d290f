"""R as statisticians run it: loops that cat, optimisers that trace, errors, conditions and the interpreter's own death."""

from dataclasses import replace

from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

LOOP = """set.seed({seed})
n <- 400
x <- matrix(rnorm(n * 4), n)
y <- x %*% c(1, -2, 0.5, 0) + rnorm(n, sd = 0.2)
b <- rep(0, 4)
iters <- {total}
{early}
message(format(Sys.time(), "%H:%M:%S"), " fitting ", nrow(x), " rows with ", R.version.string)
for (i in seq_len(iters)) {{
  r <- x %*% b - y
  b <- b - {lr} * crossprod(x, r) / n
  loss <- mean(r^2)
  {mid}
  if (i %% {every} == 0) cat(sprintf("iteration %4d of %d   loss = %.6f   |b| = %.3f\\n", i, iters, loss, sqrt(sum(b^2))))
  Sys.sleep(0.005)
}}
{late}
cat("fit complete\\n")
"""
OPTIM = """set.seed(4)
z <- matrix(rnorm(900), 300)
w <- rbinom(300, 1, plogis(z %*% c(1, -1, 0.3)))
nll <- function(b) sum(log1p(exp(z %*% b))) - sum(w * (z %*% b))
"""
NATIVE = '#include <string.h>\nvoid fast(double *x, int *n) { memset((void *)(long)(*n * 8), 1, 64); x[0] = 0; }\n'


def loop(early: str = "", mid: str = "", late: str = "", *, seed: int = 1, lr: float = 0.05, total: int = 160, every: int = 8) -> str:
    """Gradient descent in R."""
    return LOOP.format(early=early, mid=mid, late=late, seed=seed, lr=lr, total=total, every=every)


R = Either("", launch=("Rscript", "--vanilla"), script="fit.R", software=(("r", "4.2.2"),))
SCRIPTS = (
    replace(R, code=loop(), mode="G1"),
    replace(R, code=loop(early='ok <- suppressWarnings(require("data.table", quietly = TRUE))\nif (!ok) message("Error in library(data.table) would follow; base R is used")', late='warning("3 of 400 rows have leverage above 0.5")', seed=2), mode="G1", hard=True),
    replace(R, code=loop(mid='if (i == 60) res <- tryCatch(solve(matrix(0, 2, 2)), error = function(e) { message("caught: ", conditionMessage(e)); NULL })', seed=3), mode="G1", hard=True, tasks=1),
    replace(R, code=OPTIM + 'fit <- optim(rep(0, 3), nll, method = "BFGS", control = list(trace = 1, REPORT = 1))\nprint(fit$par)\n', mode="G1", script="mle.R"),
    replace(R, code=OPTIM + 'print(summary(glm(w ~ z, family = binomial, control = list(trace = TRUE, epsilon = 1e-14))))\n', mode="G1", script="logit.R", hard=True, tasks=1),
    replace(R, code='d <- read.csv("input/cohort_2025.csv")\nprint(summary(d))\n', mode="A1", cause="file_not_found", variant="data", script="cohort.R"),
    replace(R, code=loop(late='saveRDS(b, "models/b.rds")', seed=5), mode="A3", cause="file_not_found", tasks=2),
    replace(R, code="library(glmnet)\n" + loop(seed=6), mode="A1", cause="missing_module", variant="env", tasks=1),
    replace(R, code=loop(mid='if (i == 120) mgcv.ps::smooth(b)', seed=7), mode="A3", cause="missing_module"),
    replace(R, code=loop(mid='if (i == 88) stopifnot(loss < 1e-9)', seed=8), mode="A3", cause="assertion", script="gate.R"),
    replace(R, code=loop(early='stopifnot(is.numeric(y), ncol(x) == 5)', seed=9), mode="A1", cause="assertion", variant="data", tasks=2),
    replace(R, code=loop(mid='if (i == 100) K <- matrix(0, 400000, 400000)', seed=10), mode="A3", cause="ram_oom", tasks=1),
    replace(R, code='message("kernel matrix")\nK <- matrix(1.5, 300000, 500000)\n', mode="A1", cause="ram_oom", variant="data", script="kernel.R"),
    replace(R, code=loop(late='sink("/usr/share/report.txt")', seed=11), mode="A3", cause="permission"),
    replace(R, code=loop(early='rows <- readLines("secret.csv")', seed=12), mode="A1", cause="permission", variant="data", files=(("secret.csv", "a,b\n1,2\n"),), locked=("secret.csv",)),
    replace(R, code=loop(mid='if (i == 70) x <- x %*% diag(3)', seed=13), mode="A3", tasks=2),
    replace(R, code=loop(mid='if (i == 90) { dyn.load("fast.so"); .C("fast", as.double(b), 3L) }', seed=14), mode="A2", cause="segfault", files=(("fast.c", NATIVE),), before=(("gcc", "-shared", "-fPIC", "-o", "fast.so", "fast.c"),), status=-11),
    replace(R, code=loop(mid='if (i == 64) { dyn.load("fast.so"); .C("fast", as.double(b), 9L) }', seed=15), mode="A2", cause="segfault", files=(("fast.c", NATIVE),), head="gcc -shared -fPIC -o fast.so fast.c\n", tasks=2),
    replace(R, code=loop(lr=4.5, seed=16, total=900, every=30).replace("Sys.sleep(0.005)", ""), mode="E1", cause="nan_loss", variant="non_finite", status=0, tasks=1),
    replace(R, code=loop(lr=0.0, seed=17), mode="E1", variant="flat", status=0),
    replace(R, code=loop(total=3, every=1, seed=18), mode="E3"),
    replace(R, code='cat("resuming from state.rds\\n")\nstate <- readRDS("state.rds")\n' + loop(seed=19), mode="E2", variant="corrupt", files=(("state.rds", "RDX3 not whole"),), args=("--resume", "state.rds")),
)  # fmt: skip
RECIPE = Recipe("statistics_in_r", "development", lambda: either_jobs(SCRIPTS, "r"))
