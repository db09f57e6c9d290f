"""LIBSVM, LIBLINEAR, fastText and C++, driven by make, GNU parallel, xargs and awk; pipelines whose parts end in their own ways."""

from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

ROWS = "awk 'BEGIN{srand(@S@);for(i=0;i<400;i++){a=rand();b=rand();print (a+0.2*rand()>b?\"+1\":\"-1\"),\"1:\"a,\"2:\"b,\"3:\"rand()}}' > train.svm\n"
TEXT = "awk 'BEGIN{srand(@S@);for(i=0;i<1500;i++){l=(rand()<.5);printf \"__label__%s\",(l?\"pos\":\"neg\");for(k=0;k<6;k++)printf \" %s\",(rand()<.8?(l?\"good\":\"bad\"):\"so\")int(rand()*9);print \"\"}}' > train.txt\n"
SOLVER = """#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>
#include <unistd.h>

struct Options {
    int rounds = @total@;
    double rate = @lr@;
};

static int run(const Options &opt)
{
    std::srand(@seed@);
    const int n = 200, d = 5;
    std::vector<double> X(n * d), y(n, 0.0), w(d, 0.0), g(d);
    for (int i = 0; i < n * d; ++i)
        X[i] = 2.0 * std::rand() / RAND_MAX - 1.0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k)
            y[i] += X[i * d + k] * (0.75 * k - 1.0);
    @early@
    std::clog << "[solver] " << n << " x " << d << ", rate " << opt.rate << std::endl;
    for (int round = 1; round <= opt.rounds; ++round) {
        double loss = 0.0;
        g.assign(d, 0.0);
        for (int i = 0; i < n; ++i) {
            double r = -y[i];
            for (int k = 0; k < d; ++k)
                r += X[i * d + k] * w[k];
            for (int k = 0; k < d; ++k)
                g[k] += r * X[i * d + k] / n;
            loss += r * r / n;
        }
        for (int k = 0; k < d; ++k)
            w[k] -= opt.rate * g[k];
        @mid@
        if (round % @every@ == 0) {
            std::printf("[solver] round %4d/%d  loss %.6f\\n", round, opt.rounds, loss);
            std::fflush(stdout);
        }
        usleep(6000);
    }
    @late@
    std::cout << "[solver] weights:";
    for (double one : w)
        std::cout << ' ' << one;
    std::cout << std::endl;
    return 0;
}

int main()
{
    try {
        return run(Options());
    } catch (const std::exception &e) {
        std::cerr << "[solver] fatal: " << e.what() << std::endl;
        return 4;
    }
}
"""
MAKEFILE = """CXX ?= g++
.PHONY: all train

all: train

solver: solver.cc
\t$(CXX) -O1 -g -o $@ $<

train: solver
\t./solver
"""


def solver(mode: str, cause: str | None = None, variant: str | None = None, *, early: str = "", mid: str = "", late: str = "", seed: int = 1, lr: str = "0.3", total: int = 160, every: int = 8, command: str = "make -s", **more: object) -> Either:
    """The solver, made and run by make."""
    text = SOLVER
    for name, value in {"early": early, "mid": mid, "late": late, "seed": seed, "lr": lr, "total": total, "every": every}.items():
        text = text.replace(f"@{name}@", str(value))
    return Either(command, mode, cause, variant, "run.sh", (("solver.cc", text), ("Makefile", MAKEFILE)), **more)  # type: ignore[arg-type]


def rows(seed: int) -> str:
    """A data set for LIBSVM's and LIBLINEAR's programs."""
    return ROWS.replace("@S@", str(seed))


def text(seed: int) -> str:
    """Labelled lines for fastText."""
    return TEXT.replace("@S@", str(seed))


FT = (("fasttext", "0.9.2"),)
SVM = (("libsvm", "3.24"),)
LIN = (("liblinear", "2.3.0"),)
SCRIPTS = (
    solver("G1"),
    solver("G1", early='std::ifstream warm("warm.bin");\n    if (!warm) std::cerr << "[solver] error: cannot open warm.bin (No such file or directory), starting cold" << std::endl;', seed=2, hard=True, tasks=1),
    solver("G1", command="make -k lint train 2>&1 | tee make.log\nexit ${PIPESTATUS[0]}".replace("lint ", ""), late='std::cerr << "[solver] Segmentation violations in contour data: 0; assertion failures: 0" << std::endl;', seed=3, hard=True),
    solver("A3", "file_not_found", mid='if (round == 90) { std::ifstream in("folds/3.bin"); if (!in) throw std::runtime_error("folds/3.bin: No such file or directory"); }', seed=4, status=2),
    solver("A3", "permission", late='std::ofstream out("/usr/share/w.txt"); if (!out) { std::perror("/usr/share/w.txt"); return 13; }', seed=5, status=2, tasks=1),
    solver("A2", "segfault", mid="if (round == 100) { volatile double *p = reinterpret_cast<double *>(16); *p = loss; }", seed=6, status=2),
    solver("A2", "segfault", early="std::vector<double> *rows = nullptr;", mid="if (round == 60) rows->push_back(loss);", seed=7, command="g++ -O1 -o solver solver.cc && exec ./solver", status=-11),
    solver("A2", "segfault", mid="if (round == 75) { volatile char *p = reinterpret_cast<char *>(1); *p = 1; }", seed=8, command="make -s solver && ./solver", tasks=3),
    solver("A3", mid='if (round == 111) throw std::runtime_error("line search did not find a step");', seed=9, status=2),
    solver("A3", "ram_oom", mid="if (round == 80) { auto cache = std::make_unique<std::vector<double>>(90000000000000ull); cache->at(7) = 1; }", seed=10, status=4, command="make -s solver\n./solver"),
    solver("E1", "nan_loss", "non_finite", lr="90.0", seed=11, total=400, every=16, status=0),
    solver("E1", None, "flat", lr="0.0", seed=12, status=0, tasks=2),
    solver("E3", total=3, every=1, seed=13),
    Either(rows(1) + "svm-train -t 2 -c 10 -g 2 train.svm model && svm-predict train.svm model out", "G1", script="svm.sh", software=SVM, tasks=1),
    Either(rows(2) + "for c in 1 10 100; do echo \"C=$c\"; svm-train -q -v 5 -c $c train.svm; done\nsvm-train -h 3 train.svm m || true\nsvm-train train.svm final", "G1", script="svm.sh", software=SVM, hard=True),
    Either("set -e\nsvm-scale data/a9a.txt > a9a.scaled\nsvm-train a9a.scaled m", "A1", "file_not_found", "data", "svm.sh", software=SVM),
    Either(rows(3) + "sed -i '200s/1:/1;/' train.svm\nset -e\nsvm-train train.svm m\necho fitted", "A1", None, "data", "svm.sh", software=SVM, tasks=1),
    Either(rows(4) + "set -e\nliblinear-train -s 2 -e 0.00001 train.svm m.lin\nliblinear-predict train.svm m.lin out.txt", "G1", script="lin.sh", software=LIN),
    Either(rows(5) + "set -e\nliblinear-train -s 2 -e 0.00001 train.svm m.lin\nliblinear-predict held_out.svm m.lin out.txt", "A3", "file_not_found", script="lin.sh", software=LIN),
    Either(text(1) + "set -e\nfasttext supervised -input train.txt -output m -epoch 300 -dim 40 -thread 1\nfasttext test m.bin train.txt", "G1", script="ft.sh", software=FT, tasks=1),
    Either(text(2) + "fasttext supervised -input train.txt -output m -lr 1e9 -epoch 40 -thread 1", "E1", "nan_loss", "non_finite", "ft.sh", software=FT, status=134),
    Either("printf '%s\\n' 0.1 0.2 0.4 | parallel --line-buffer -j1 'awk -v lr={} \"BEGIN { w = 4; for (i = 1; i <= 60; i++) { w -= lr * (w - 1); if (i % 6 == 0) print \\\"lr=\\\" lr \\\" iter \\\" i \\\"/60 loss \\\" (w-1)^2 } }\"'\necho \"parallel: $?\"", "G1", script="sweep.sh", hard=False),
    Either("seq 3 | parallel --halt now,fail=1 -j1 'echo \"fold {}\"; for i in 1 2 3 4 5 6 7 8; do echo \"fold {} epoch $i/8 loss 0.$((90 - 10 * i))\"; done; test {} != 3 || cat folds/{}.csv'", "A3", "file_not_found", script="folds.sh"),
    Either("exec sh -c 'for i in 10 20 30 40 50 60; do echo \"iter $i/100 loss $((1000 / i))e-2\"; sleep 0.1; done; echo \"ratio: $((100 / (i - 60)))\"; echo never'", "A3", "div_zero", script="loop.sh", status=2),
    Either("cat > fit.awk <<'END'\nBEGIN { w = 3; for (i = 1; i <= 90; i++) { w -= 0.1 * w; if (i % 5 == 0) print \"pass \" i \"/90 cost \" w * w; if (i == 70) print \"rate \" 1 / (i - 70) } }\nEND\ngawk -f fit.awk", "A3", "div_zero", script="fit.sh", status=2, tasks=2),
    Either("set -eu\nmodule() { echo \"module $*\"; }\nmodule load cuda\ncp prepare.txt prepare; chmod a-x prepare\n./prepare\necho ready", "A1", "permission", "env", "job.sh", (("prepare.txt", "echo\n"),), status=126),
    Either("set -eu\necho stage-in\nexec trainer-v5 --config base.yaml", "A1", "file_not_found", "env", "job.sh", status=127, tasks=1),
)  # fmt: skip
RECIPE = Recipe("made_by_make", "development", lambda: either_jobs(SCRIPTS, "trainers"))
