#include "diagnose/judge/disturbed_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string_view>

#include "diagnose/judge/exact_run.h"

namespace npuscope::diagnose {

namespace {

/// Of so many elements fewer draws tell as much.
constexpr int64_t kMany = int64_t{1} << 16;
constexpr unsigned kDrawsOfMany = 2;

/// Every bit that a generator gives is one.
class RandomSigns {
  public:
    explicit RandomSigns(uint64_t seed) : generator_(seed) {}
    bool next() {
        if (left_ == 0) bits_ = generator_();
        left_ = (left_ == 0 ? kBits : left_) - 1;
        return ((bits_ >> left_) & 1U) != 0;
    }

  private:
    static constexpr unsigned kBits = 64;
    std::mt19937_64 generator_;
    uint64_t bits_ = 0;
    unsigned left_ = 0;
};

double rms_of(const std::vector<double>& errors) {
    double squares = 0;
    for (const double error : errors)
        squares += error * error;
    return errors.empty() ? 0 : std::sqrt(squares / static_cast<double>(errors.size()));
}

/// Differences of two results, non-finite ones left out, the larger of them and `errors`.
void take_differences(const Tensor& one, const Tensor& other, std::vector<double>& errors) {
    const auto a = one.as<double>();
    const auto b = other.as<double>();
    errors.resize(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        if (std::isfinite(difference)) errors[i] = std::max(errors[i], difference);
    }
}

/// Whether its value jumps somewhere, where either side's is right: slopes of functions in pieces,
/// whole numbers.
bool jumps(const backend::Op& op) {
    static constexpr std::array<std::string_view, 11> kParts = {"hard",
                                                                "shrink",
                                                                "relu_backward",
                                                                "elu_backward",
                                                                "round",
                                                                "floor",
                                                                "ceil",
                                                                "trunc",
                                                                "sign",
                                                                "sgn",
                                                                "frac"};
    return std::ranges::any_of(
        kParts, [&](std::string_view part) { return op.name().find(part) != std::string::npos; });
}

Tensor as_dtype(const Tensor& tensor, DType dtype) {
    return is_float(tensor.dtype()) ? tensor.cast(dtype) : tensor;
}

}  // namespace

NamedValues with_floats_as(NamedValues arguments, DType dtype) {
    for (NamedValue& argument : arguments) {
        if (auto* tensor = std::get_if<Tensor>(&argument.value)) {
            *tensor = as_dtype(*tensor, dtype);
        } else if (auto* list = std::get_if<TensorList>(&argument.value)) {
            for (Tensor& each : *list)
                each = as_dtype(each, dtype);
        } else if (auto* asked = std::get_if<DType>(&argument.value)) {
            if (is_float(*asked)) *asked = dtype;
        }
    }
    return arguments;
}

bool DisturbedRuns::is_elementwise() {
    if (elementwise_) return *elementwise_;
    elementwise_ = false;
    if (multiplies_inside(*run_.op)) return false;
    const Results* before = exact_results(run_);
    const int64_t count = run_.results.front().elements.numel();
    if (before == nullptr) return false;
    const auto is_chosen = [](size_t index) { return (index * 0x9e3779b97f4a7c15U) >> 63U != 0; };
    bool changes = false;
    bool has_more = false;
    const NamedValues other =
        changed(run_.wide, [&](const std::string&, std::span<double> elements) {
            has_more = has_more || static_cast<int64_t>(elements.size()) > count;
            if (static_cast<int64_t>(elements.size()) != count || count == 1) return;
            changes = true;
            for (size_t i = 0; i < elements.size(); ++i)
                if (is_chosen(i)) elements[i] *= 1.5;
        });
    // Of an operand with more elements several go into one.
    if (!changes || has_more) return false;
    const auto after = run(*run_.op, other, Device::reference64());
    if (!after) return false;
    for (const RecordedResult& result : run_.results) {
        const Tensor* a = expected_of(*before, result);
        const Tensor* b = expected_of(*after, result);
        if (a == nullptr || b == nullptr || a->numel() != count || a->dtype() != DType::kFloat64)
            return false;
        for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
            const double x = a->as<double>()[i];
            const double y = b->as<double>()[i];
            if (!is_chosen(i) && x != y && !(std::isnan(x) && std::isnan(y))) return false;
        }
    }
    elementwise_ = true;
    return true;
}

NamedValues DisturbedRuns::inputs(const NumberFormat& steps, unsigned draw) {
    RandomSigns signs(draw + 1);
    const double unit = steps.unit();
    const double least = steps.half_unit(0);
    const bool by_operand = is_elementwise();
    unsigned operand = 0;
    NamedValues inputs = changed(run_.wide, [&](const std::string&, std::span<double> elements) {
        // Where elements do not meet, all of an operand may go one way: four draws are all ways of
        // three operands.
        const unsigned way = operand == 2 ? draw ^ (draw >> 1U) : draw >> (operand & 1U);
        ++operand;
        for (double& element : elements) {
            if (element == 0 || !std::isfinite(element)) continue;
            const double by = std::max(std::abs(element) * unit, least);
            element += (by_operand ? (way & 1U) != 0 : signs.next()) ? by : -by;
        }
    });
    // As float32, so that every run is given the same numbers.
    return steps.bits < kFloat64.bits ? with_floats_as(std::move(inputs), DType::kFloat32) : inputs;
}

Spread DisturbedRuns::conditioning(const NumberFormat& steps, const RecordedResult& result) {
    Spread found;
    found.errors.resize(static_cast<size_t>(result.elements.numel()));
    const Tensor* y = exact_result(run_, result);
    unsigned operands = 0;
    (void)changed(run_.wide, [&](const std::string&, std::span<double>) { ++operands; });
    // The other draws go the opposite ways, which matters where the function jumps.
    const unsigned draws = jumps(*run_.op) ? kDraws : operands < 2 ? 1 : operands == 2 ? 2 : kDraws;
    for (unsigned draw = 0; y != nullptr && draw < draws; ++draw) {
        const auto exact = run(*run_.op, widened(inputs(steps, draw)), Device::reference64());
        const Tensor* moved = exact ? expected_of(*exact, result) : nullptr;
        if (moved != nullptr && moved->dtype() == DType::kFloat64)
            take_differences(*moved, *y, found.errors);
    }
    found.rms = rms_of(found.errors);
    return found;
}

bool DisturbedRuns::may_be_scaled(const NumberFormat& steps) const {
    return multiplies_inside(*run_.op) && drawn_.bits > steps.bits && drawn_.bits < kFloat64.bits;
}

void DisturbedRuns::scale_to(const NumberFormat& steps) {
    const double times = steps.unit() / drawn_.unit();
    for (auto& [name, own] : errors_) {
        for (double& error : own.conditioning.errors)
            error *= times;
        own.conditioning.rms *= times;
    }
    drawn_ = steps;
}

const DisturbedRuns::Errors& DisturbedRuns::errors(const NumberFormat& steps,
                                                   const RecordedResult& asked) {
    if (may_be_scaled(steps)) scale_to(steps);
    if (drawn_.bits == steps.bits) return errors_[asked.name];
    drawn_ = steps;
    errors_.clear();
    const Results* before = exact_results(run_);
    const Device device =
        steps.bits < kFloat64.bits ? Device::reference32() : Device::reference64();
    int64_t elements = 0;
    for (const RecordedResult& result : run_.results)
        elements = std::max(elements, result.elements.numel());
    const unsigned draws = elements < kMany ? kDraws : kDrawsOfMany;
    // One draw after the other: their results are large.
    for (unsigned draw = 0; before != nullptr && draw < draws; ++draw) {
        const NamedValues disturbed = inputs(steps, draw);
        const auto exact = run(*run_.op, widened(disturbed), Device::reference64());
        const auto stepped = run(*run_.op, disturbed, device);
        if (!exact || !stepped) continue;
        for (const RecordedResult& result : run_.results) {
            const Tensor* y = expected_of(*before, result);
            const Tensor* moved = expected_of(*exact, result);
            const Tensor* here = expected_of(*stepped, result);
            if (y == nullptr || moved == nullptr || moved->dtype() != DType::kFloat64) continue;
            Errors& own = errors_[result.name];
            take_differences(*moved, *y, own.conditioning.errors);
            if (here != nullptr)
                take_differences(here->cast(DType::kFloat64), *moved, own.steps.errors);
        }
    }
    for (const RecordedResult& result : run_.results) {
        Errors& own = errors_[result.name];
        for (Spread* spread : {&own.conditioning, &own.steps}) {
            spread->errors.resize(static_cast<size_t>(result.elements.numel()));
            spread->rms = rms_of(spread->errors);
        }
    }
    return errors_[asked.name];
}

}  // namespace npuscope::diagnose
