"""Kernels of one's own on the card: CuPy, Triton, Numba, nvcc."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

PATH = "export PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda-13.0/bin\n"

# A kernel whose address runs away once the sequence is long; CuPy tells of it at the next synchronisation, after logged epochs.
SCATTER = r"""
import cupy as cp

histogram = cp.RawKernel(r'''
extern "C" __global__ void hist(const int* code, float* table, const long long span, const int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) atomicAdd(table + (long long)code[i] * span, 1.0f);
}
''', "hist")

cp.random.seed(0)
dev = cp.cuda.runtime.getDeviceProperties(0)
print("cupy", cp.__version__, dev["name"].decode(), "sm", dev["major"], dev["minor"])
weights = cp.zeros(256, dtype=cp.float32)
goal = cp.random.standard_normal(256, dtype=cp.float32)
for epoch in range(24):
    span = 1 if epoch < 15 else 1 << 34
    counts = cp.zeros(256, dtype=cp.float32)
    codes = cp.random.randint(0, 256, 65536, dtype=cp.int32)
    histogram((256,), (256,), (codes, counts, cp.int64(span), cp.int32(codes.size)))
    share = counts / codes.size * 256
    for _ in range(50):
        weights -= 0.02 * share * (weights - goal)
    print(f"epoch {epoch:2d}  residual {float(cp.linalg.norm(weights - goal)):.6f}")
"""

# Four floats at once from an odd address: misaligned, at the first step of the second phase.
VECTOR = r"""
import logging
import cupy as cp

logging.basicConfig(level="INFO", format="%(relativeCreated)6d ms  %(message)s")
scale4 = cp.RawModule(code=r'''
extern "C" __global__ void decay(float4* w, const float4* g, float lr, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 a = w[i], b = g[i];
        a.x -= lr * b.x; a.y -= lr * b.y; a.z -= lr * b.z; a.w -= lr * b.w;
        w[i] = a;
    }
}
''').get_function("decay")
N = 1 << 16
flat = cp.random.standard_normal(N + 1, dtype=cp.float32)
target = cp.random.standard_normal(N + 1, dtype=cp.float32)


def phase(offset, steps, lr):
    w, t = flat[offset:offset + N], target[offset:offset + N]
    for k in range(1, steps + 1):
        grad = cp.zeros(N + 4, dtype=cp.float32)[offset:offset + N]
        grad += w - t
        scale4((N // 1024,), (256,), (w, grad, cp.float32(lr), cp.int32(N // 4)))
        if k % 20 == 0:
            logging.info("offset %d step %3d rms %.5f", offset, k, float(cp.sqrt(((w - t) ** 2).mean())))


phase(0, 160, 0.05)
logging.info("shifting the window by one for the bias term")
phase(1, 160, 0.02)
logging.info("done")
"""

# A Triton kernel without a mask and with a stride in the wrong unit: illegal address, after steps of the plain path.
TRITON = r"""
import torch
import triton
import triton.language as tl


@triton.jit
def gather_rows(src, index, dst, stride, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.load(index + row).to(tl.int64)
    cols = tl.arange(0, WIDTH)
    tl.store(dst + row * WIDTH + cols, tl.load(src + at * stride + cols))


def lookup(table, index, stride):
    out = torch.empty(index.numel(), table.shape[1], device=table.device)
    gather_rows[(index.numel(),)](table, index, out, stride, WIDTH=table.shape[1])
    return out


torch.manual_seed(0)
dev = "cuda"
table = torch.randn(5000, 64, device=dev)
net = torch.nn.Linear(64, 64).to(dev)
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(400):
    index = torch.randint(5000, (512,), device=dev, dtype=torch.int32)
    if step < 250:
        x = lookup(table, index, 64)
    else:
        x = lookup(table, index, 64 * 16384)
    loss = torch.nn.functional.mse_loss(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        print(f"step {step} | reconstruction {loss.item():.6f}")
"""

# Numba's own modules want what this NumPy has no more: the first launch says so.
NUMBA = r"""
import math
import numpy as np
from numba import cuda


@cuda.jit
def forces(pos, acc, reach):
    i = cuda.grid(1)
    s = 0.0
    for j in range(64):
        d = pos[(i + j * reach) % pos.size] - pos[i]
        s += d / (0.1 + d * d)
    acc[i * reach] = s


n = 1 << 15
print("numba on", cuda.get_current_device().name)
pos = cuda.to_device(np.random.default_rng(3).normal(size=n))
acc = cuda.device_array(n)
host = np.empty(n)
dt = 1e-3
for sweep in range(30):
    reach = 1 if sweep < 18 else 1 << 26
    forces[n // 256, 256](pos, acc, reach)
    acc.copy_to_host(host)
    x = pos.copy_to_host() + dt * host
    pos = cuda.to_device(x)
    print(f"sweep {sweep:3d}  spread {math.sqrt(float(np.var(x))):.6f}  max force {np.abs(host).max():.3f}")
"""

# A CUDA program with more threads to a block than there can be: refused at the first launch.
LOGISTIC = r"""
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s:%d: CUDA error %d: %s\n", __FILE__, __LINE__, (int)e, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void grad(const float *x, const float *y, const float *w, float *g, int n, int d) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= d) return;
    float s = 0;
    for (int i = 0; i < n; i++) {
        float z = 0;
        for (int k = 0; k < d; k++) z += x[i * d + k] * w[k];
        s += (1.f / (1.f + expf(-z)) - y[i]) * x[i * d + j];
    }
    g[j] = s / n;
}

int main(int argc, char **argv) {
    int n = 512, d = 64, threads = argc > 1 ? atoi(argv[1]) : 64, epochs = 200;
    std::vector<float> x(n * d), y(n), w(d), g(d);
    srand(1);
    for (auto &v : x) v = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < n; i++) y[i] = x[i * d] + x[i * d + 1] > 0;
    float *dx, *dy, *dw, *dg;
    CHECK(cudaMalloc(&dx, x.size() * 4)); CHECK(cudaMalloc(&dy, n * 4)); CHECK(cudaMalloc(&dw, d * 4)); CHECK(cudaMalloc(&dg, d * 4));
    CHECK(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice));
    printf("logreg: %d samples, %d features, block of %d\n", n, d, threads);
    for (int e = 0; e < epochs; e++) {
        CHECK(cudaMemcpy(dw, w.data(), d * 4, cudaMemcpyHostToDevice));
        grad<<<(d + threads - 1) / threads, threads>>>(dx, dy, dw, dg, n, d);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(g.data(), dg, d * 4, cudaMemcpyDeviceToHost));
        double norm = 0;
        for (int k = 0; k < d; k++) { w[k] -= 2.f * g[k]; norm += g[k] * g[k]; }
        if (e % 20 == 0) printf("epoch %d grad_sq %.6f\n", e, norm);
    }
    printf("trained %d epochs\n", epochs);
}
"""

# A CUDA program that trains, then walks beyond its arrays in the evaluation kernel.
KMEANS = r"""
#include <cstdio>
#include <cstdlib>
#include <vector>
static void must(cudaError_t code, const char *what) {
    if (code == cudaSuccess) return;
    fprintf(stderr, "kmeans: %s failed: %s (%s)\n", what, cudaGetErrorString(code), cudaGetErrorName(code));
    exit(3);
}
__global__ void assign(const float2 *p, const float2 *c, int *a, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    for (int j = 0; j < k; j++) {
        float dx = p[i].x - c[j].x, dy = p[i].y - c[j].y, d = dx * dx + dy * dy;
        if (d < best) { best = d; a[i] = j; }
    }
}
__global__ void inertia(const float2 *p, const float2 *c, const int *a, float *out, int n, long stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 q = c[a[i] * stride];
    atomicAdd(out, (p[i].x - q.x) * (p[i].x - q.x) + (p[i].y - q.y) * (p[i].y - q.y));
}
int main() {
    const int n = 40000, k = 12;
    std::vector<float2> p(n), c(k);
    std::vector<int> a(n);
    srand(4);
    for (auto &v : p) v = {(rand() % 12) + rand() / (float)RAND_MAX, (rand() % 9) + rand() / (float)RAND_MAX};
    for (int j = 0; j < k; j++) c[j] = p[j * 17];
    float2 *dp, *dc; int *da; float *ds;
    must(cudaMalloc(&dp, n * sizeof(float2)), "malloc"); must(cudaMalloc(&dc, k * sizeof(float2)), "malloc");
    must(cudaMalloc(&da, n * 4), "malloc"); must(cudaMalloc(&ds, 4), "malloc");
    must(cudaMemcpy(dp, p.data(), n * sizeof(float2), cudaMemcpyHostToDevice), "copy of points");
    for (int it = 1; it <= 60; it++) {
        must(cudaMemcpy(dc, c.data(), k * sizeof(float2), cudaMemcpyHostToDevice), "copy of centres");
        assign<<<(n + 255) / 256, 256>>>(dp, dc, da, n, k);
        must(cudaMemcpy(a.data(), da, n * 4, cudaMemcpyDeviceToHost), "assign");
        std::vector<double> sx(k), sy(k), m(k);
        for (int i = 0; i < n; i++) { sx[a[i]] += p[i].x; sy[a[i]] += p[i].y; m[a[i]] += 1; }
        double moved = 0;
        for (int j = 0; j < k; j++) if (m[j] > 0) { float2 q = {(float)(sx[j] / m[j]), (float)(sy[j] / m[j])}; moved += abs(q.x - c[j].x) + abs(q.y - c[j].y); c[j] = q; }
        float s = 0;
        if (it % 5 == 0) {
            must(cudaMemset(ds, 0, 4), "memset");
            inertia<<<(n + 255) / 256, 256>>>(dp, dc, da, ds, n, it < 45 ? 1 : 1L << 33);
            must(cudaMemcpy(&s, ds, 4, cudaMemcpyDeviceToHost), "inertia");
            printf("iter %2d  moved %.5f  inertia %.2f\n", it, moved, s);
            fflush(stdout);
        }
    }
    puts("converged");
}
"""

# The curriculum makes the block longer than the card allows.
CURRICULUM = r"""
import cupy as cp

attend = cp.RawKernel(r'''
extern "C" __global__ void softmax_rows(const float* s, float* p) {
    extern __shared__ float line[];
    int t = threadIdx.x, n = blockDim.x;
    line[t] = expf(s[blockIdx.x * n + t]);
    __syncthreads();
    float z = 0;
    for (int k = 0; k < n; k++) z += line[k];
    p[blockIdx.x * n + t] = line[t] / z;
}
''', "softmax_rows")
for length in (128, 256, 512, 1024, 2048):
    print(f"== curriculum: sequences of {length}")
    w = cp.full((length,), 0.1, dtype=cp.float32)
    for step in range(40):
        s = cp.random.standard_normal((64, length), dtype=cp.float32) * w
        p = cp.empty_like(s)
        attend((64,), (length,), (s, p), shared_mem=4 * length)
        entropy = float(-(p * cp.log(p)).sum(1).mean())
        w *= 1 + 0.01 * (entropy / float(cp.log(cp.float32(length))))
        if step % 10 == 0:
            print(f"len {length} step {step} entropy {entropy:.4f}")
"""

BUILD = {"build.sh": PATH + 'exec nvcc -O2 -o "$1" "$2"\n'}
JOBS = {
    "scatter": ran("A3", SCATTER, cause="cuda_runtime", script="fit_hist.py"),
    "vector": ran("A3", VECTOR, cause="cuda_runtime", script="decay.py"),
    "triton": ran("A3", TRITON, cause="cuda_runtime", script="rows.py"),
    "numba": ran("A1", NUMBA, cause="traceback", variant="env", script="nbody.py"),
    "logistic": ran("A1", LOGISTIC, cause="cuda_runtime", script="logreg.cu", files=BUILD, before=(("bash", "build.sh", "logreg", "logreg.cu"),), command=("./logreg", "2048")),
    "kmeans": ran("A3", KMEANS, 3, cause="cuda_runtime", script="kmeans.cu", files=BUILD, before=(("bash", "build.sh", "kmeans", "kmeans.cu"),), command=("./kmeans",)),
    "curriculum": ran("A3", CURRICULUM, cause="cuda_runtime", script="curriculum.py"),
}
