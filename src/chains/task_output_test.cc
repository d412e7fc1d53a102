// What programs say when the memory of a GPU runs out, as they print it.
#include "chains/task_output.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "escalation/remedy.h"

namespace sluice {
namespace {

bool is_gpu_memory(const std::string& text) {
  return RE2::PartialMatch(text, RE2(std::string(gpu_memory_pattern())));
}

TEST(TaskOutput, TextsOfGpusOutOfMemoryAreKnown) {
  EXPECT_EQ(problem_of_pattern(std::string(gpu_memory_pattern())), "");
  for (const char* text : {
           "RuntimeError: CUDA out of memory. Tried to allocate 20.00 GiB (GPU 0; 79.15 GiB total)",
           "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB.",
           "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 512.00 MiB.",
           "RuntimeError: CUDA error: out of memory",
           "CUDA runtime error: out of memory",
           "ggml_backend_cuda_buffer_type_alloc_buffer: cudaMalloc failed: out of memory",
           "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorMemoryAllocation: out of "
           "memory",
           "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,000,000,000 bytes",
           "numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemAlloc results in "
           "CUDA_ERROR_OUT_OF_MEMORY",
           "hipErrorOutOfMemory: out of memory",
           "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying "
           "to "
           "allocate 137438953472 bytes.",
           "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating "
           "tensor with shape[64,2048]",
           "terminate called after throwing an instance of 'rmm::out_of_memory'\n  what():  "
           "std::bad_alloc: out_of_memory: CUDA error at: cuda_memory_resource.hpp",
           "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)",
           "RuntimeError: MPS backend out of memory (MPS allocated: 9.00 GB)",
       })
    EXPECT_TRUE(is_gpu_memory(text)) << text;
  for (const char* text : {
           "MemoryError: Unable to allocate 8.00 GiB for an array",
           "RuntimeError: CUDA error: device-side assert triggered",
           "fork: Cannot allocate memory",
           "slurmstepd: error: Detected 1 oom-kill event(s)",
           "the disk is out of memory cards",
       })
    EXPECT_FALSE(is_gpu_memory(text)) << text;
}

TEST(TaskOutput, ARunIsNamedAsItsOutputIsAskedFor) {
  Chain chain;
  Batch batch;
  EXPECT_EQ(job_name(chain, batch, 0), "");
  batch.job = RemoteJob{JobId(12), Instant{}};
  EXPECT_EQ(job_name(chain, batch, 0), "12");
  chain.array = true;
  batch.offset = 1000;
  EXPECT_EQ(job_name(chain, batch, 1003), "12_3");
}

}  // namespace
}  // namespace sluice
