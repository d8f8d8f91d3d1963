#include "overflow/traces.h"

#include "overflow/census.h"

namespace npuscope::overflow {

Trace& Traces::at(uint64_t storage_id) {
    const auto [slot, made] = traces_.try_emplace(storage_id);
    if (made) {
        order_.push_back(storage_id);
        if (order_.size() > capacity_) {
            traces_.erase(order_.front());
            order_.pop_front();
        }
    }
    return traces_[storage_id];
}

Trace& Traces::scanned(const Tensor& tensor, int threads) {
    Trace& trace = at(tensor.storage_id());
    if (!trace.scanned) {
        trace.scanned = true;
        if (is_float(tensor.dtype())) {
            const Census census = take_census(tensor.view(), threads);
            const bool saturates =
                tensor.dtype() == DType::kFloat16 || tensor.dtype() == DType::kBFloat16;
            trace.non_finite = census.non_finite();
            trace.at_limit = saturates ? census.at_limit > 0 : census.at_half_limit > 0;
        }
    }
    return trace;
}

void Traces::set(uint64_t storage_id, const Trace& trace) {
    at(storage_id) = trace;
}

OpRef Traces::op(std::string_view name, int64_t seqid) {
    auto known = names_.find(name);
    if (known == names_.end()) known = names_.emplace(name).first;
    return {&*known, seqid};
}

}  // namespace npuscope::overflow
