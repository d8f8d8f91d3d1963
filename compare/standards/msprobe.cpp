// The column Result of msprobe's compare: pass, warning, error.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "compare/compare.h"
#include "compare/standards/msprobe_rows.h"
#include "compare/standards/standard.h"

namespace npuscope::compare {

namespace {

// Source: core/compare/indicator_analysis/algorithm.py; its manual says 0.6 where the code has 0.1.
constexpr double kInputShare = 0.9;
constexpr double kOutputShare = 0.1;
constexpr double kInputCosine = 0.9;
constexpr double kCosineDrop = 0.1;
constexpr double kInputNorm = 0.1;
constexpr double kOutputNorm = 0.5;
constexpr double kNormTimes = 10;
constexpr double kNormFromNothing = 0.1;

/// Functions whose results are not judged at all, and those whose inputs are not.
const std::set<std::string, std::less<>> not_judged = {"empty",
                                                       "empty_like",
                                                       "numpy",
                                                       "to",
                                                       "__setitem__",
                                                       "empty_with_format",
                                                       "new_empty_strided",
                                                       "new_empty",
                                                       "empty_strided"};
const std::set<std::string, std::less<>> inputs_not_judged = {
    "_reduce_scatter_base", "_all_gather_base", "all_to_all_single", "batch_isend_irecv"};

/// "conv2d" of "Functional.conv2d.0.forward"; the IR name of a dump's op.
std::string function_name(const std::string& path) {
    if (path.starts_with("/")) return path.substr(1, path.find('/', 1) - 1);
    const size_t dot = path.find('.');
    if (dot == std::string::npos) return path;
    return path.substr(dot + 1, path.find('.', dot + 1) - dot - 1);
}

MsprobeMode mode_of(const std::vector<TensorPair>& pairs) {
    bool hashes = false;
    for (const TensorPair& pair : pairs) {
        if (pair.target == nullptr) continue;
        if (pair.target->open) return MsprobeMode::kElements;
        hashes = hashes || !pair.target->hash.empty();
    }
    return hashes ? MsprobeMode::kHashes : MsprobeMode::kStatistics;
}

/// The rows of an op, in msprobe's order.
class MsprobeOp {
  public:
    explicit MsprobeOp(const StandardQuery& query)
        : query_(query), mode_(mode_of(query.tensors)), verdicts_(query.tensors.size()) {
        for (size_t i = 0; i < query.tensors.size(); ++i) {
            // Rows are the target's.
            if (query.tensors[i].target == nullptr) continue;
            rows_.emplace_back(i, msprobe_row(query.tensors[i], mode_));
            verdicts_[i] = {StandardLevel::kPass, "pass"};
        }
    }

    std::vector<StandardVerdict> judged() {
        const std::string name = function_name(query_.op.target);
        if (!not_judged.contains(name)) {
            const bool inputs = !inputs_not_judged.contains(name);
            for (const auto& [place, row] : rows_)
                if (inputs || is_output(place)) judge_row(place, row);
            if (inputs && mode_ == MsprobeMode::kElements) judge_by_elements();
            if (inputs && mode_ == MsprobeMode::kStatistics) judge_by_statistics();
            if (inputs && !query_.op.arguments.empty())
                verdicts_.push_back({StandardLevel::kFail,
                                     "error",
                                     "numbers differ: " + to_text(query_.op.arguments)});
        }
        tell_figures();
        return std::move(verdicts_);
    }

  private:
    [[nodiscard]] bool is_output(size_t place) const {
        const SourceTensor& tensor = *query_.tensors[place].target;
        // It takes gradients of parameters for inputs.
        return tensor.direction == dumpfile::Direction::kOutput &&
               tensor.path.find(".parameters_grad") == std::string::npos;
    }

    void mark(size_t place, StandardLevel level, const std::string& why) {
        StandardVerdict& verdict = verdicts_[place];
        if (level > verdict.level) {
            verdict.level = level;
            verdict.word = level == StandardLevel::kFail ? "error" : "warning";
        }
        verdict.why += (verdict.why.empty() ? "" : "; ") + why;
    }

    void judge_row(size_t place, const MsprobeRow& row) {
        if (row.hashes_differ) mark(place, StandardLevel::kFail, "the CRC-32 differ");
        if (row.hash_missing)
            mark(place, StandardLevel::kWarning, "one side has no such parameter");
        if (row.nonfinite)
            mark(place, StandardLevel::kFail, "inf or nan in the target's extremes alone");
        if (row.grads_differ) mark(place, StandardLevel::kFail, "requires_grad differs");
        if (row.dtypes_differ) mark(place, StandardLevel::kFail, "the dtypes differ");
        if (row.shapes_differ) mark(place, StandardLevel::kFail, "the shapes differ");
    }

    /// The smallest of the inputs, or of the outputs; 1 without any.
    [[nodiscard]] double smallest(std::optional<double> MsprobeRow::*number, bool outputs) const {
        double least = 1;
        for (const auto& [place, row] : rows_)
            if (is_output(place) == outputs && row.*number) least = std::min(least, *(row.*number));
        return least;
    }
    [[nodiscard]] double largest_norm_error(bool outputs) const {
        double most = 0;
        for (const auto& [place, row] : rows_)
            if (is_output(place) == outputs && row.norm_error)
                most = std::max(most, *row.norm_error);
        return most;
    }
    [[nodiscard]] std::optional<size_t> first_output() const {
        for (const auto& [place, row] : rows_)
            if (is_output(place)) return place;
        return std::nullopt;
    }

    void judge_by_elements() {
        const auto output = first_output();
        if (!output) return;
        const double share_in = smallest(&MsprobeRow::within_thousandth, false);
        const double share_out = smallest(&MsprobeRow::within_thousandth, true);
        if (share_in > kInputShare && share_out < kOutputShare)
            mark(*output,
                 StandardLevel::kFail,
                 fmt::format("one thousandth error ratio {:.3g} of the inputs, {:.3g} of the "
                             "outputs (limits 0.9 and 0.1)",
                             share_in,
                             share_out));
        const double cosine_in = smallest(&MsprobeRow::cosine, false);
        const double cosine_out = smallest(&MsprobeRow::cosine, true);
        if (cosine_in > kInputCosine && cosine_in - cosine_out > kCosineDrop)
            mark(*output,
                 StandardLevel::kWarning,
                 fmt::format("cosine {:.3g} of the inputs, {:.3g} of the outputs (may drop by 0.1)",
                             cosine_in,
                             cosine_out));
    }

    void judge_by_statistics() {
        const double in = largest_norm_error(false);
        if (in < kInputNorm)
            for (const auto& [place, row] : rows_)
                if (is_output(place) && (row.norm_from_zero || row.norm_error > kOutputNorm))
                    mark(place,
                         StandardLevel::kFail,
                         "the norm's relative error is beyond 0.5, of the inputs below 0.1");
        const auto output = first_output();
        const double out = largest_norm_error(true);
        if (output && (in == 0 ? out > kNormFromNothing : out / in > kNormTimes))
            mark(*output,
                 StandardLevel::kWarning,
                 fmt::format("the norm's relative error is {:.3g} of the outputs, {:.3g} of the "
                             "inputs (limit 10 times)",
                             out,
                             in));
    }

    void tell_figures() {
        for (const auto& [place, row] : rows_) {
            StandardVerdict& verdict = verdicts_[place];
            if (row.cosine) verdict.figures.emplace_back("cosine", *row.cosine);
            if (row.within_thousandth)
                verdict.figures.emplace_back("one_thousandth", *row.within_thousandth);
            if (row.norm_error)
                verdict.figures.emplace_back("norm_relative_error", *row.norm_error);
            if (!verdict.why.empty()) continue;
            if (row.cosine && row.within_thousandth) {
                verdict.why = fmt::format("cosine {:.6g}, {:.3g} of the elements within 0.1 %",
                                          *row.cosine,
                                          *row.within_thousandth);
            } else if (row.norm_error) {
                verdict.why = fmt::format("the norm's relative error is {:.3g}", *row.norm_error);
            } else if (!row.matched) {
                verdict.why = "no bench data matched";
            }
        }
    }

    const StandardQuery& query_;
    MsprobeMode mode_;
    std::vector<std::pair<size_t, MsprobeRow>> rows_;
    std::vector<StandardVerdict> verdicts_;
};

std::vector<StandardVerdict> judge_msprobe(const StandardQuery& query) {
    return MsprobeOp(query).judged();
}

}  // namespace

std::span<const Standard> msprobe_standards() {
    static constexpr std::array<Standard, 1> kRows = {
        {{.name = "msprobe",
          .rule =
              "the column Result of its compare: error where 0.9 of the inputs' elements are "
              "within 0.1 % and less than 0.1 of the outputs' are, where inf or nan, a dtype, a "
              "shape, a number or requires_grad is not the golden's; warning where the cosine "
              "drops by more than 0.1; of statistics by the norm, of hashes by these",
          .verdicts = "pass, warning, error",
          .source = "Ascend/msprobe, core/compare/indicator_analysis/algorithm.py, commit 8ff00da3",
          .judge = judge_msprobe}}};
    return kRows;
}

}  // namespace npuscope::compare
