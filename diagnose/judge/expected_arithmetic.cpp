#include "diagnose/judge/expected_arithmetic.h"

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "npu_backend/chips/options.h"

namespace npuscope::diagnose {

namespace {

/// Fewer runs of a kind do not tell a class.
constexpr size_t kFewestRuns = 10;
template <class Row>
const Row* row_named(std::span<const Row> rows, std::string_view name) {
    const auto found = std::ranges::find(rows, name, &Row::name);
    return found == rows.end() ? nullptr : &*found;
}

/// Every option that `text` tells has the value that the chip has by itself.
bool are_defaults(const std::string& text, const Chip& chip) {
    const ChipOptions own = default_options(chip);
    std::istringstream settings(text);
    for (std::string setting; settings >> setting;) {
        const size_t sign = setting.find('=');
        for (const OptionRow& row : all_options())
            if (setting.substr(0, sign) == row.key &&
                (sign == std::string::npos || setting.substr(sign + 1) != row.access.get(own, row)))
                return false;
    }
    return true;
}

/// The table's place of a class is its column in a sample.
template <class Row>
std::optional<compare::ArithmeticContradiction> contradiction(std::span<const Row> rows,
                                                              const Row* found,
                                                              const Row* expected,
                                                              const ArithmeticSample& sample) {
    if (found == nullptr || expected == nullptr || is_as_precise(*found, *expected)) return {};
    const auto found_column = static_cast<size_t>(found - rows.data());
    const auto expected_column = static_cast<size_t>(expected - rows.data());
    if (sample.runs.size() < kFewestRuns || !explains(sample.runs, found_column) ||
        explains(sample.runs, expected_column))
        return {};
    return compare::ArithmeticContradiction{
        .found = std::string(found->name),
        .expected = std::string(expected->name),
        .sampled = static_cast<int64_t>(sample.runs.size()),
        .found_explains = count_within(sample.runs, found_column),
        .expected_explains = count_within(sample.runs, expected_column)};
}

}  // namespace

std::vector<std::string_view> class_names() {
    std::vector<std::string_view> names;
    for (const ProductClass& row : product_classes())
        names.push_back(row.name);
    for (const VectorClass& row : vector_classes())
        if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
    return names;
}

ExpectedArithmetic::ExpectedArithmetic(const Chip* chip, std::string_view named) : chip_(chip) {
    if (named.empty()) return;
    product_ = row_named(product_classes(), named);
    vector_ = row_named(vector_classes(), named);
    if (product_ != nullptr || vector_ != nullptr) return;
    std::string known;
    for (const std::string_view name : class_names())
        known += (known.empty() ? "'" : ", '") + std::string(name) + "'";
    throw Error(
        ErrorKind::kUsage,
        "there is no class of arithmetic '" + std::string(named) + "'; the classes are " + known);
}

ExpectedArithmetic ExpectedArithmetic::recorded_in(const Source& source) {
    ExpectedArithmetic expected;
    for (const Chip& row : all_chips())
        if (source.device_name == Device::npu(row).description() &&
            are_defaults(source.device_options, row)) {
            expected.chip_ = &row;
            expected.recorded_ = true;
        }
    return expected;
}

const ProductClass* ExpectedArithmetic::product_for(const ArithmeticGroup& group) const {
    if (product_ != nullptr) return product_;
    if (chip_ == nullptr || group.dtype == DType::kFloat64) return nullptr;
    // Operands of 16 bits are multiplied as they are.
    const std::string_view name = group.dtype != DType::kFloat32       ? "fp32"
                                  : group.kind == OpKind::kConvolution ? chip_->convolutions
                                                                       : chip_->matrix_products;
    return row_named(product_classes(), name);
}

const VectorClass* ExpectedArithmetic::vector_for(const ArithmeticGroup& group) const {
    if (vector_ != nullptr) return vector_;
    if (chip_ == nullptr || group.dtype == DType::kFloat64) return nullptr;
    return row_named(vector_classes(),
                     group.dtype == DType::kFloat16    ? "fp16 throughout"
                     : group.dtype == DType::kBFloat16 ? "bf16 throughout"
                                                       : "fp32");
}

std::vector<std::pair<ArithmeticGroup, compare::ArithmeticContradiction>>
ExpectedArithmetic::contradicted_by(const SideJudge& judge) const {
    std::vector<std::pair<ArithmeticGroup, compare::ArithmeticContradiction>> found;
    for (const auto& [group, inferred] : judge.classes()) {
        const ArithmeticSample& sample = judge.sample_of(group);
        auto each =
            inferred.product != nullptr
                ? contradiction(product_classes(), inferred.product, product_for(group), sample)
                : contradiction(vector_classes(), inferred.vector, vector_for(group), sample);
        if (!each) continue;
        each->ops = name_of(group);
        const bool by_chip = inferred.product != nullptr ? product_ == nullptr : vector_ == nullptr;
        if (by_chip)
            each->because = std::string(chip_->name) + (recorded_ ? ", which the file names" : "");
        found.emplace_back(group, std::move(*each));
    }
    return found;
}

}  // namespace npuscope::diagnose
