#include "diagnose/judge/stored_wider.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/naming/unspecified.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/habits.h"
#include "diagnose/judge/moved_elements.h"
#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

namespace {

/// Numbers that use the last bits of bfloat16 among what a run took in; integers and masks are
/// short in every format. Of what it gave out one is enough: another format has 16 bits more.
constexpr int64_t kTelling = 16;
constexpr uint32_t kBeyond = 0xffffU;
constexpr uint32_t kLastBits = 0x7U << 16U;

/// Runs that are looked at for what all do, and how many must show it.
constexpr size_t kLookedAtRuns = 96;
constexpr int kFewestRuns = 3;
constexpr int64_t kSmallRun = int64_t{1} << 18;

/// Subnormal numbers of float16 have so few bits that all are numbers of bfloat16.
bool is_tiny_in_float16(float element) {
    return std::abs(element) < 0x1p-16F && std::trunc(element * 0x1p24F) == element * 0x1p24F;
}

/// How many elements tell of bfloat16; empty where one is no number of it.
std::optional<int64_t> telling_elements(const Tensor& tensor) {
    int64_t telling = 0;
    for (const float element : tensor.as<float>()) {
        const auto bits = std::bit_cast<uint32_t>(element);
        if ((bits & kBeyond) != 0) return std::nullopt;
        telling += (bits & kLastBits) != 0 && !is_tiny_in_float16(element) ? 1 : 0;
    }
    return telling;
}

/// Norms take parameters and statistics in float32 beside a narrower input, whose dtype they give
/// back; elsewhere the result is as wide as the widest operand.
bool may_be_mixed(const backend::Op& op) {
    return op.name().find("norm") != std::string::npos;
}

/// Gradients of softmax are given out in the dtype that the forward pass took in, whatever they are
/// given.
bool is_told_its_dtype(const backend::Op& op) {
    return std::ranges::find(op.schema.arguments, "input_dtype", &backend::Argument::name) !=
           op.schema.arguments.end();
}

/// What the run took in, its lists too.
std::vector<Tensor*> wide_arguments(OpRun& run) {
    std::vector<Tensor*> found;
    const auto take = [&](Tensor& tensor) {
        if (tensor.dtype() == DType::kFloat32) found.push_back(&tensor);
    };
    for (NamedValue& argument : run.arguments)
        if (is_unspecified(run.op->name(), argument.name, false))
            continue;  // What the forward pass kept, in a dtype of its own.
        else if (auto* tensor = std::get_if<Tensor>(&argument.value))
            take(*tensor);
        else if (auto* list = std::get_if<TensorList>(&argument.value))
            for (Tensor& each : *list)
                take(each);
    return found;
}

std::vector<Tensor*> wide_results(OpRun& run) {
    std::vector<Tensor*> found;
    for (RecordedResult& result : run.results)
        if (result.elements.dtype() == DType::kFloat32) found.push_back(&result.elements);
    return found;
}

/// What the run writes its result into, whose dtype that keeps whatever the other operands'.
std::vector<Tensor*> written_in(OpRun& run) {
    std::vector<Tensor*> found;
    for (NamedValue& argument : run.arguments)
        if (auto* tensor = std::get_if<Tensor>(&argument.value);
            tensor != nullptr && argument.name == run.results.front().name &&
            tensor->dtype() == DType::kFloat32)
            found.push_back(tensor);
    return found;
}

/// Those that hold numbers of bfloat16 are left, with how many elements tell it; empty where the
/// first, or one that must, does not. Single numbers without axes need not.
int64_t keep_narrow(std::vector<Tensor*>& tensors, bool all) {
    int64_t telling = 0;
    std::vector<Tensor*> narrow;
    for (Tensor* tensor : tensors) {
        const std::optional<int64_t> found = telling_elements(*tensor);
        // A number beside a tensor does not widen the result.
        if (!found && tensor->ndim() == 0 && tensors.size() > 1) continue;
        if (!found && (all || narrow.empty())) {
            tensors.clear();
            return 0;
        }
        if (!found) continue;
        telling += *found;
        narrow.push_back(tensor);
    }
    tensors = std::move(narrow);
    return telling;
}

bool is_small_float32(const SourceOp& op) {
    bool has_float32 = false;
    for (const SourceTensor& tensor : op.load()) {
        if (numel_of(tensor.shape) > kSmallRun) return false;
        const auto dtype = dtype_from_name(tensor.dtype);
        if (dtype && is_float(*dtype) && *dtype != DType::kFloat32) return false;
        has_float32 = has_float32 || dtype == DType::kFloat32;
    }
    return has_float32;
}

/// Without inputs: many numbers of bfloat16 that an op computed. An op that only moves elements
/// gives out what another rounded.
bool gives_out_rounded(const SourceOp& op) {
    const backend::Op* row = row_of(op);
    if (row == nullptr || only_moves(*row)) return false;
    for (const SourceTensor& tensor : op.load()) {
        if (tensor.direction == dumpfile::Direction::kInput) return false;
        if (!tensor.open || tensor.dtype != name_of(DType::kFloat32)) continue;
        return telling_elements(tensor.open()->whole()).value_or(0) >= kTelling;
    }
    return false;
}

/// Its results are numbers of bfloat16, and not because what it computed is one anyway.
bool was_rounded(const SourceOp& op) {
    try {
        if (!is_small_float32(op)) return false;
        if (gives_out_rounded(op)) return true;
        std::string why_not;
        auto run = load_run(op, why_not, {}, false, false);
        if (!run || run->results.empty() || only_moves(*run->op) ||
            run->results.front().elements.dtype() != DType::kBFloat16)
            return false;
        run->wide = widened(run->arguments);
        const Tensor* exact = exact_result(*run, run->results.front());
        return exact != nullptr && std::ranges::any_of(exact->as<double>(), [](double value) {
                   return kFloat32.rounded(value) != kBFloat16.rounded(value);
               });
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

void mark_stored_wider(Source& source) {
    std::vector<const SourceOp*> all;
    for (const SourceOp& op : source.ops)
        all.push_back(&op);
    int shown = 0;
    for (const SourceOp* op : evenly(all, kLookedAtRuns))
        if (was_rounded(*op) && ++shown == kFewestRuns) break;
    for (SourceOp& op : source.ops)
        op.stores_wider = shown == kFewestRuns;
}

void narrow_stored_wider(OpRun& run, bool is_known) {
    const bool all = !may_be_mixed(*run.op);
    std::vector<Tensor*> results = wide_results(run);
    const int64_t given_out = keep_narrow(results, all);
    std::vector<Tensor*> arguments = wide_arguments(run);
    int64_t taken_in = keep_narrow(arguments, all);
    if (arguments.empty() && run.results.size() == 1) {
        arguments = written_in(run);
        taken_in = keep_narrow(arguments, true);
    }
    if (is_known && arguments.empty() && given_out >= kTelling && is_told_its_dtype(*run.op))
        for (Tensor* tensor : results)
            *tensor = tensor->cast(DType::kBFloat16);
    if (results.empty() || arguments.empty()) return;
    // Of a recorder that is known to, short numbers are enough: float32 would have kept more of
    // what they are not, and nothing of what they are.
    if (!is_known && (given_out == 0 || taken_in < kTelling)) return;
    for (const auto& tensors : {results, arguments})
        for (Tensor* tensor : tensors)
            *tensor = tensor->cast(DType::kBFloat16);
}

}  // namespace npuscope::diagnose
