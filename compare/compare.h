// Compares a target with a golden source: pairs the ops, measures every tensor, gives verdicts.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/bounds.h"
#include "compare/culprits.h"
#include "compare/gate/gate.h"
#include "compare/measure/sums.h"
#include "compare/metric.h"
#include "compare/relate/tie.h"
#include "compare/split.h"
#include "compare/standards/standard_verdict.h"
#include "compare/verdict.h"
#include "core/dumpfile/layout.h"
#include "core/dumpfile/overflow_role.h"
#include "core/dumpfile/reader.h"
#include "core/ir/op_id.h"
#include "core/recording/plain_arguments.h"
#include "core/tensor/tensor.h"
#include "custom_algorithms/outcome.h"

namespace npuscope::custom_algorithms {
class Runner;
}

namespace npuscope {
class IgnoredRegions;
struct Source;
}  // namespace npuscope

namespace npuscope::compare {

/// One tensor of an op on both sides.
struct TensorResult {
    std::string
        argument;  ///< the target's path below input/ or output/ (the golden's when missing)
    dumpfile::Direction direction = dumpfile::Direction::kOutput;
    std::string target;  ///< "/addmm/17/output/out"; "" when only the golden side has it
    std::string golden;  ///< "" when only the target side has it
    std::string dtype;   ///< of the target tensor (the golden's when missing)
    Shape shape;
    Judgement judgement;
    std::vector<double> metrics;  ///< as all_metrics(); empty when nothing was measured
    Sums sums;                    ///< all zero when nothing was measured
    /// What each side introduced; empty where nobody was asked, or nothing was measured.
    std::optional<Split> split{};
    bool by_statistics = false;  ///< judged by recorded statistics, for want of elements
    double deviation = 0;        ///< then: the largest difference of a number, over its scale
    double scale = 0;            ///< then: the golden's largest magnitude
    int missing_statistics = 0;  ///< for want of elements: how many of the four a side lacks
    /// For want of elements: the first that is not the golden's to the bit, "mean 0.5, golden 0.6".
    std::string change{};
    bool hash_differs = false;  ///< for want of elements: the recorded hashes of their bytes
    /// As Result::custom_names; empty when nothing was measured.
    std::vector<custom_algorithms::Outcome> custom{};
    StandardVerdict standard{};  ///< of Options::standard
    int64_t ignored = 0;         ///< elements that Options::ignored left out
    /// Where relations paired it, what the target is of the golden: "permuted: its transpose"; ""
    /// of what is equal, and of others.
    std::string relation{};
};

/// One run of an op on both sides.
struct OpResult {
    std::string target;   ///< "/addmm/17"; "" when only the golden side has it
    std::string golden;   ///< "" when only the target side has it
    std::string match;    ///< how the two were matched: "name", "seqid", "alias conv2d=convolution"
    std::string node;     ///< of the facts JSON (target's, else golden's); "" when absent
    std::string module;   ///< likewise
    std::string line;     ///< likewise: where a program called it, "train.py:12"
    OpId id;              ///< the target's (the golden's when missing); of what has no numbers of
                          ///< its own: its name and place
    Judgement judgement;  ///< the worst output; the worst input where no output is recorded
    Judgement inputs;     ///< the worst input; pass with an empty rule where none is recorded
    std::vector<TensorResult> tensors;            ///< inputs, then outputs
    std::vector<ArgumentDifference> arguments{};  ///< those that are no tensors and differ
    /// Of calls: those that one side alone gives, which matter if they are no defaults.
    std::vector<ArgumentDifference> one_sided_arguments{};
    bool overflowed = false;    ///< by its recorded float status, and the golden's run did not
    bool has_statuses = false;  ///< both sides recorded a float status
    dumpfile::OverflowRole overflow = dumpfile::OverflowRole::kNone;
    std::string overflow_note{};  ///< how it came about; "" without overflow
    /// Where one side ran several ops for it, those before the one whose outputs were compared.
    std::vector<std::string> also_target{};
    std::vector<std::string> also_golden{};
    bool shapes_differ = false;  ///< of the first outputs: the two programs differ
    bool is_unreadable = false;  ///< its tensors cannot be listed: a file that is cut
    bool from_nothing = false;   ///< an input differs that nothing before it made
    std::string origin{};  ///< who made what differs, where nobody can judge that; "" elsewhere

    /// Whether both sides have it.
    [[nodiscard]] bool is_pair() const { return !target.empty() && !golden.empty(); }
    /// Of load mode: why no golden run fits, and the number by which alone one did not.
    std::string unmatched{};
    std::string unmatched_argument{};
    bool in_span = false;        ///< one side alone has it, and it is part of a span
    StandardVerdict standard{};  ///< of Options::standard: the worst of its tensors
};

/// Ops that one program has more than the other, between two neighbours that both have.
struct PartingResult {
    std::string text;  ///< "the programs part here: target has addmm, relu more (net.py:23)"
    std::vector<std::string> only_target{};  ///< "/addmm/17"
    std::vector<std::string> only_golden{};
    std::string after{};  ///< the last op of the target before that both have; "" at the beginning
    std::string module;   ///< of the first op; "" when absent
    std::string line;     ///< likewise
    int op = -1;          ///< index in Result::ops of the first op
    bool ends = false;    ///< of one side alone, and one makes, in the forward pass, what nobody
                          ///< takes in
};

/// Ops of either side that compute the same in other steps, compared at their ends.
struct SpanResult {
    std::string text;  ///< "target has gelu where golden has mul_Tensor x2, erf"
    std::vector<std::string> only_target;
    std::vector<std::string> only_golden;
    double entry = 0;              ///< max|t-g| / max|g| of the worst tensor that goes in
    std::optional<double> exit{};  ///< of the worst that comes out; empty where nobody takes it in
};

/// ArithmeticContradiction as a finding.
struct ArithmeticFinding {
    ArithmeticContradiction found;  ///< without its pair
    std::string text;  ///< "all matrix products (float32) behave like bf16 inputs, fp32 sums; …"
    size_t op = 0;     ///< index in Result::ops of the first that was sampled
};

struct Counts {
    int64_t ops = 0;                              ///< matched
    int64_t only_target = 0;                      ///< ops
    int64_t only_golden = 0;                      ///< ops
    int64_t not_provable = 0;                     ///< matched ops that nobody can judge
    int64_t statuses = 0;                         ///< matched ops with float statuses on both sides
    int64_t tensors = 0;                          ///< measured
    std::array<int64_t, kVerdicts> by_verdict{};  ///< tensors, by Verdict
    /// Tensors without elements: no statistic was recorded on both sides, or only some.
    int64_t not_recorded = 0;
    int64_t partly_recorded = 0;
    /// Ops that overflowed in the target only, by OverflowRole.
    int64_t overflow_introduced = 0;
    int64_t overflow_received = 0;
    /// Copies and casts that one side has more; no ops of the result.
    int64_t casts_only_target = 0;
    int64_t casts_only_golden = 0;
    /// Tensors with elements that Options::ignored left out, and how many these are.
    int64_t ignored_tensors = 0;
    int64_t ignored_elements = 0;
    /// Results whose op was computed again: honest, and off by what came in alone.
    int64_t only_inherited = 0;
};

struct Result {
    std::vector<OpResult> ops;  ///< in the target's order; ops of the golden side only at the end
    Counts counts;
    bool load_mode = false;              ///< the target has no inputs: matched by seqid
    bool allow_golden_at_fault = false;  ///< as the options
    bool hardly_pair = false;            ///< two models: nothing follows from the rest
    bool by_content = false;             ///< tensors were paired by what they hold
    bool is_other_batch = false;  ///< one side's results are parts of the other's larger ones
    bool structure_only = false;  ///< a side has no tensors: only the ops themselves are compared
    bool by_calls = false;        ///< a side is no dump: its ops are calls, named by a recorder
    bool cut_short = false;       ///< a recording says that it ends early, and the other goes on
    std::vector<PartingResult> partings{};    ///< of free runs of two dumps, in order
    std::vector<SpanResult> spans{};          ///< partings that are none, in order
    std::vector<std::string> custom_names{};  ///< of custom algorithms, in their columns' order
    /// What was noticed about the files, such as a dump that is incomplete.
    std::vector<std::string> notes{};
    std::vector<std::string> arithmetic{};  ///< what was found out of the sides', a sentence each
    /// Kinds of op whose arithmetic is not the expected; culprits as well.
    std::vector<ArithmeticFinding> contradictions{};
    std::vector<Culprit> culprits{};  ///< the first one first
    double most_drifted = 0;          ///< Givens::most_drifted
    double loss_scale = 1;            ///< the target's gradients are as many times the golden's
    std::optional<StandardSummary> standard{};
    std::optional<Gate> gate{};  ///< which findings count, where somebody asked

    [[nodiscard]] const OpResult* first_culprit() const {
        return culprits.empty() ? nullptr : &ops[culprits.front().op];
    }

    /// 0 no finding, 1 findings, 2 nothing was compared or nothing could be judged; the two are of
    /// two models, or one ends early.
    [[nodiscard]] int exit_code() const;
};

/// How much is computed again.
enum class Judging : uint8_t {
    kExact,  ///< every op
    kQuick,  ///< ops beyond their bounds, those that made their inputs, and the program's outputs
    kOff,    ///< none: by how far the results are apart
};
/// "exact", "quick" or "off". Errors: Error(kUsage) that lists them.
[[nodiscard]] Judging judging_named(std::string_view name);

/// Pairs by what tensors hold, beside names and order.
struct AlignOptions {
    enum class When : uint8_t { kNever, kWhereUnpaired, kAlways };
    /// kWhereUnpaired: where more than kMostUnpaired of the ops, and more than kFewUnpaired of
    /// them, would be left alone (few are told one by one), or one that is several ops elsewhere.
    When when = When::kNever;
    static constexpr double kMostUnpaired = 0.1;
    static constexpr size_t kFewUnpaired = 8;
    std::filesystem::path mapping{};  ///< a file that says what belongs together; "": none
    /// Called with what was found, or read.
    std::function<void(const std::vector<TensorTie>& ties)> on_ties{};
};

struct Standard;

/// Another project's rule beside the verdicts.
struct StandardOptions {
    const Standard* standard = nullptr;    ///< nullptr: none
    std::filesystem::path third{};         ///< compare_files(): a third chip's recording; "": none
    const Source* third_source = nullptr;  ///< the same, open. Borrowed for the call.
    bool third_is_plain = false;  ///< float32 arithmetic here is the third chip; else the golden
};

struct Options {
    int threads = 0;         ///< 0: all cores. Results do not depend on it.
    bool inputs = true;      ///< compare recorded inputs too
    bool divergence = true;  ///< the second pass that kullback_leibler_divergence needs
    /// Runs on every measured pair of tensors, too. Borrowed for the call.
    custom_algorithms::Runner* custom = nullptr;
    /// Recomputes ops, so that each is judged by what it introduced itself. Without it, by how far
    /// its results are from the golden's. Borrowed for the call.
    Splitter* splitter = nullptr;
    /// With a splitter: look for tensors that nobody computed and are not the golden's, and for
    /// inputs that are not what the op before them made.
    bool dataflow = true;
    Judging judging = Judging::kExact;  ///< with a splitter
    AlignOptions align{};
    bool allow_golden_at_fault = false;  ///< golden_at_fault is no finding
    StandardOptions standard{};
    /// Elements of these are in no measure and no verdict; nullptr: there are none. Borrowed for
    /// the call.
    const IgnoredRegions* ignored = nullptr;
    /// Called for each side as soon as it is open, with what compare_files() opens.
    std::function<void(Source& side)> on_open{};
    /// Likewise with both sides, when each was.
    std::function<void(Source& target, Source& golden)> on_both{};
    /// Called after each op, for progress.
    std::function<void(int64_t done, int64_t total, const std::string& op)> on_op{};
};

/// max|t-g| / max(max|g|, scale) (max|t-g| where both are 0) of a measured tensor; infinity where
/// only one side is non-finite.
[[nodiscard]] double relative_error(const TensorResult& tensor);

/// Of a dtype that is a floating-point format.
[[nodiscard]] bool is_floating(const TensorResult& tensor);

/// The largest relative error of the measured tensors of one direction (of the floats among them
/// alone, if asked), of recorded statistics their deviation; empty without any.
[[nodiscard]] std::optional<double> worst_error(const OpResult& op,
                                                dumpfile::Direction direction,
                                                bool floats_alone = false);

/// The largest of what its results introduced over what is allowed; empty where none was computed
/// again.
[[nodiscard]] std::optional<double> worst_ratio(const OpResult& op);

/// Sets an op's judgement and inputs from its tensors.
void conclude(OpResult& op, bool allow_golden_at_fault = false);

/// Pairs ops and tensors (match.h), measures and judges each pair. Where a side has only statistics
/// (max, min, mean, norm), those that both have are compared. A tensor that cannot be read is
/// incomparable. Errors: Error(kIo) when the process of the custom algorithms breaks. Threads: may
/// be called by several threads with sources of their own.
[[nodiscard]] Result compare_sources(const Source& target,
                                     const Source& golden,
                                     const Bounds& bounds = PrecisionBounds{},
                                     const Options& options = {});

/// The same for dumps that are open. Borrows both.
[[nodiscard]] Result compare_dumps(const dumpfile::Reader& target,
                                   const dumpfile::Reader& golden,
                                   const Bounds& bounds = PrecisionBounds{},
                                   const Options& options = {});

/// Measures and judges one pair; fills dtype, shape, judgement, metrics, sums.
[[nodiscard]] TensorResult compare_tensors(const Tensor& target,
                                           const Tensor& golden,
                                           const Bound& bound,
                                           const Options& options = {});

}  // namespace npuscope::compare
