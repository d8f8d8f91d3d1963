#include "npu_backend/cube_range.h"

#include <algorithm>
#include <cmath>

namespace npuscope {

CubeRange cube_range(const backend::Kernel& kernel,
                     const backend::KernelCall& call,
                     std::string op_name,
                     int64_t seqid) {
    CubeRange range{
        .kernel = std::string(kernel.type), .op_name = std::move(op_name), .seqid = seqid};
    if (call.outputs.empty() || call.numerics.reference() || !is_float(call.outputs[0].dtype()))
        return range;
    const Tensor& own = call.outputs[0];
    range.numel = own.numel();
    std::vector<Tensor> results = {own};
    for (const CubeAccumulation model : {CubeAccumulation::kSequential,
                                         CubeAccumulation::kBlockExact,
                                         CubeAccumulation::kAlignTrunc3}) {
        if (model == call.numerics.device.options.cube_acc || results.size() == 3) continue;
        backend::Numerics other = call.numerics;
        other.device.options.cube_acc = model;
        backend::KernelCall again{call.type, call.inputs, call.attributes, other};
        kernel.run(again);
        results.push_back(again.outputs.at(0));
    }
    for (int64_t i = 0; i < range.numel; ++i) {
        double low = own.at(i);
        double high = low;
        for (const Tensor& result : results) {
            low = std::min(low, result.at(i));
            high = std::max(high, result.at(i));
        }
        range.sensitive += low != high ? 1 : 0;
        range.largest_spread = std::max(range.largest_spread, high - low);
        range.largest_value = std::max({range.largest_value, std::abs(low), std::abs(high)});
    }
    return range;
}

}  // namespace npuscope
