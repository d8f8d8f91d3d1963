// Judges one case of ONNX's suite on an emulated chip.
#pragma once

#include <string>

#include "npu_backend/chips/device.h"
#include "npu_backend/onnx/model.h"
#include "tests/conformance/onnx_data.h"

namespace npuscope::test {

/// "" when each output keeps the suite's tolerance, or is off by no more than that of the coarsest
/// precision that an op computed in, times the largest expected value; integers and truth values
/// are equal. Otherwise what differs. Errors: as Model::run().
[[nodiscard]] std::string judge_on_chip(const onnx_model::Model& model,
                                        const OnnxDataSet& set,
                                        const Device& device);

}  // namespace npuscope::test
