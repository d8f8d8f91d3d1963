#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Matmul,
                    "matmul",
                    "matmul_stack_by_matrix",
                    "matmul_matrix_by_stack",
                    "matmul_stacks",
                    "matmul_broadcast_stacks",
                    "matmul_vector_by_matrix",
                    "matmul_stack_by_vector",
                    "matmul_vectors",
                    "gemm",
                    "gemm_column",
                    "gemm_scalar",
                    "gemm_matrix",
                    "gemm_scaled",
                    "gemm_without_addend")
