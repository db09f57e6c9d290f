/* libcuda.so.1 and libnccl.so.2 as far as their names go: what is exported is called and does nothing. For counting calls; no CUDA is at hand. */
#define EXPORT __attribute__((visibility("default"), noinline))

#ifdef NCCL
EXPORT int ncclAllReduce(void) { __asm__ volatile(""); return 0; }
EXPORT int ncclAllGather(void) { __asm__ volatile(""); return 0; }
#else
EXPORT int cuLaunchKernel(void) { __asm__ volatile(""); return 0; }
EXPORT int cuMemcpyHtoDAsync_v2(void) { __asm__ volatile(""); return 0; }
EXPORT int cuMemcpyDtoHAsync_v2(void) { __asm__ volatile(""); return 0; }
EXPORT int cuMemAlloc_v2(void) { __asm__ volatile(""); return 0; }
#endif
