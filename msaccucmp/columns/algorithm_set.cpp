#include "msaccucmp/columns/algorithm_set.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "custom_algorithms/folder.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/columns/options.h"
#include "msaccucmp/numpy/float_source.h"

namespace npuscope::msaccucmp {

namespace {

constexpr int kBuiltIn = static_cast<int>(kAlgorithmNames.size());

std::vector<std::string> names_in(const std::string& folder, Log& log) {
    if (folder.empty()) return {};
    require_path(folder, PathType::kDirectory, log);
    if (!std::filesystem::is_directory(std::filesystem::path(folder) / "algorithm")) {
        log.warning("There is no folder 'algorithm' in '" + folder + "'.");
        return {};
    }
    return custom_algorithms::algorithm_names(folder);
}

}  // namespace

bool is_scalar_shape(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{0}) ==
           static_cast<int64_t>(shape.size());
}

AlgorithmSet::AlgorithmSet(const Options& options, Log& log)
    : custom_names_(names_in(options.custom_folder, log)) {
    selected_ = select_algorithms(options.selection, log, custom_names_);
    const auto parameters = parse_algorithm_options(options.parameters);
    bool needs_runner = false;
    for (const int number : selected_) {
        const bool is_custom = number >= kBuiltIn;
        needs_runner = needs_runner || is_custom;
        names_.emplace_back(is_custom ? custom_names_[static_cast<size_t>(number - kBuiltIn)]
                                      : kAlgorithmNames[static_cast<size_t>(number)]);
    }
    if (needs_runner)
        runner_ = std::make_unique<custom_algorithms::Runner>(
            options.custom_folder, custom_algorithms::RunnerOptions{.parameters = parameters});
}

AlgorithmTexts AlgorithmSet::run(const TensorPair& pair, int threads) const {
    const auto x = stored_order(pair.my);
    const auto y = stored_order(pair.golden);
    const PreparedPair prepared{
        .x = *x,
        .y = *y,
        .is_scalar = is_scalar_shape(pair.my_shape),
        .are_bools = pair.my.dtype() == DType::kBool && pair.golden.dtype() == DType::kBool,
        .empty_rows = pair.empty_rows,
        .x_name = pair.my_name,
        .y_name = pair.golden_name};
    if (!runner_) return run_algorithms(prepared, selected_, threads);
    std::vector<int> built_in;
    std::copy_if(selected_.begin(), selected_.end(), std::back_inserter(built_in), [](int number) {
        return number < kBuiltIn;
    });
    AlgorithmTexts texts = run_algorithms(prepared, built_in, threads);
    const auto outcomes = runner_->compare(pair.my, pair.golden, pair.my_name, pair.golden_name);
    for (size_t i = 0; i < selected_.size(); ++i) {
        if (selected_[i] < kBuiltIn) continue;
        const auto& outcome = outcomes[static_cast<size_t>(selected_[i] - kBuiltIn)];
        texts.values.insert(texts.values.begin() + static_cast<std::ptrdiff_t>(i), outcome.value);
        if (!outcome.reason.empty()) texts.reasons.push_back(outcome.reason);
    }
    return texts;
}

}  // namespace npuscope::msaccucmp
