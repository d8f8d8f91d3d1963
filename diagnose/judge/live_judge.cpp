#include "diagnose/judge/live_judge.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/two_numbers.h"
#include "core/ir/op_id.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

namespace {

constexpr size_t kMostFaults = 100;

bool all_finite(const NamedValues& values) {
    bool finite = true;
    for_each_tensor(values, [&](const std::string&, const Tensor& tensor) {
        if (!is_float(tensor.dtype())) return;
        const Tensor wide = tensor.cast(DType::kFloat64);
        const auto elements = wide.as<double>();
        finite = finite && std::ranges::all_of(elements, [](double x) { return std::isfinite(x); });
    });
    return finite;
}

std::string text_of(const RecordedResult& result, const compare::Introduced& error) {
    std::string text = fmt::format("{}: {} of {} elements beyond what {} makes of these inputs",
                                   result.argument,
                                   error.over,
                                   error.numel,
                                   error.arithmetic);
    if (error.worst.empty()) return text;
    const auto& worst = error.worst.front();
    const TwoNumbers values(worst.recorded, worst.expected);
    return text +
           fmt::format("; [{}] is {} instead of {}", worst.index, values.first, values.second);
}

}  // namespace

LiveJudge::LiveJudge(EventSource& source, const Device& device)
    : source_(&source), device_(device), judge_({}, device_) {
    source.attach(*this);
}

LiveJudge::~LiveJudge() {
    close();
}

void LiveJudge::close() noexcept {
    if (source_ != nullptr) source_->detach(*this);
    source_ = nullptr;
}

void LiveJudge::add_fault(const OpEnd& event, const std::string& text) {
    if (faults_.size() == kMostFaults) return;
    const std::string& where =
        event.source.module.empty() ? event.source.autograd : event.source.module;
    faults_.push_back(OpId{std::string(event.name), event.seqid}.path() +
                      (where.empty() ? "" : " (" + where + ")") + ": " + text);
}

void LiveJudge::op_end(const OpEnd& event) {
    if (!event.recorded) return;
    const backend::Op* op = row_of(event.name);
    // Without kernels it was another's to compute.
    if (op == nullptr || event.kernels.empty() || kind_of(*op) == OpKind::kRandom) {
        ++not_judged_;
        return;
    }
    if (event.status.overflow() && all_finite(event.inputs)) {
        ++judged_;
        add_fault(event, "overflows");
        return;
    }
    OpRun run{.op = op, .arguments = event.inputs, .wide = widened(event.inputs), .results = {}};
    for_each_tensor(event.outputs, [&](const std::string& name, const Tensor& tensor) {
        if (tensor.numel() > 0) run.results.push_back({name, name, tensor, event.compute_type});
    });
    SideJudge::Errors errors;
    try {
        errors = judge_.judge(run);
    } catch (const Error&) {
        // The program goes on; what cannot be judged is counted.
    }
    if (!std::ranges::any_of(errors, [](const auto& error) { return error.has_value(); })) {
        ++not_judged_;
        return;
    }
    ++judged_;
    for (size_t i = 0; i < errors.size(); ++i)
        if (errors[i] && errors[i]->ratio > 1) {
            add_fault(event, text_of(run.results[i], *errors[i]));
            break;
        }
}

}  // namespace npuscope::diagnose
