#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compare/ci/ci_report.h"
#include "compare/report/accused.h"
#include "compare/report/judged.h"
#include "compare/report/terminal/beside.h"
#include "compare/report/terminal/findings.h"
#include "compare/report/terminal/layout.h"
#include "compare/report/terminal/sparkline.h"
#include "compare/report/terminal/table.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

/// Reasons for not judging that are told; the others are counted.
constexpr size_t kMostReasons = 4;

/// "target, convolutions (float32): fp32 (9 of 9 sampled)" in its parts; others have no side.
struct ArithmeticSentence {
    explicit ArithmeticSentence(const std::string& sentence) : text(sentence) {
        for (const std::string_view name : {"target, ", "golden, "})
            if (sentence.starts_with(name)) {
                side = name.substr(0, name.size() - 2);
                text = sentence.substr(name.size());
            }
        const size_t colon = text.find(": ");
        group = text.substr(0, colon);
        if (colon != std::string::npos)
            found = text.substr(colon + 2, text.rfind(" (") - colon - 2);
    }

    std::string text;
    std::string side{};
    std::string group{};  ///< "convolutions (float32)"
    std::string found{};  ///< "fp32"
};

/// A line a group of the target's; the golden's where it is another.
std::string arithmetic_text(const Result& result) {
    std::vector<ArithmeticSentence> sentences;
    for (const std::string& sentence : result.arithmetic)
        sentences.emplace_back(sentence);
    std::string text;
    for (const ArithmeticSentence& each : sentences) {
        if (each.side == "golden") continue;
        text += wrapped(each.text, 2, 4);
        for (const ArithmeticSentence& other : sentences)
            if (other.side == "golden" && other.group == each.group && other.found != each.found)
                text += wrapped("golden: " + other.text.substr(other.group.size() + 2), 4, 6);
    }
    return text.empty() ? "" : "arithmetic that the target's results show:\n" + text;
}

std::string share_text(const Judged& judged) {
    std::string text = fmt::format("{} of {} ops judged", judged.ops, judged.of);
    if (judged.undefined > 0) text += fmt::format("; {} undefined", judged.undefined);
    if (judged.incomparable > 0) text += fmt::format("; {} incomparable", judged.incomparable);
    return text + "\n";
}

std::string not_provable_text(const Judged& judged) {
    if (judged.not_provable.empty()) return {};
    std::vector<std::pair<std::string, int64_t>> reasons(judged.not_provable.begin(),
                                                         judged.not_provable.end());
    std::ranges::stable_sort(
        reasons, std::ranges::greater{}, &std::pair<std::string, int64_t>::second);
    std::string text = "not provable: ";
    for (size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i)
        text += fmt::format(
            "{}{} ({})", i == 0 ? "" : ", ", reasons[i].second, printable(reasons[i].first));
    if (reasons.size() > kMostReasons)
        text += fmt::format(", and {} other reasons", reasons.size() - kMostReasons);
    return wrapped(text, 0, 2);
}

/// Ops whose error comes from one that nobody can judge.
std::string origins_text(const Result& result) {
    int64_t count = 0;
    const OpResult* first = nullptr;
    for (const OpResult& op : result.ops) {
        if (op.origin.empty()) continue;
        if (count++ == 0) first = &op;
    }
    if (first == nullptr) return {};
    return wrapped(fmt::format("the errors of {} came from ops that nobody can judge, first {}: {}",
                               counted_ops(count),
                               label_text(*first),
                               printable(first->origin)),
                   0,
                   2);
}

std::string counts_text(const Result& result, const ReportOptions& options) {
    const Counts& counts = result.counts;
    const Judged judged = judged_ops(result);
    std::string text =
        counted_ops(judged.of) + fmt::format(" compared, {} tensors measured", counts.tensors);
    const char* separator = ": ";
    for (size_t i = 0; i < kVerdicts; ++i) {
        const auto verdict = static_cast<Verdict>(i);
        if (counts.by_verdict[i] == 0) continue;
        text += separator;
        separator = ", ";
        text += fmt::format("{} {}",
                            counts.by_verdict[i],
                            in_color(options, color_of(verdict), std::string(name_of(verdict))));
    }
    if (counts.only_target > 0)
        text += "; " + counted_ops(counts.only_target) + " only in the target";
    if (counts.only_golden > 0)
        text += "; " + counted_ops(counts.only_golden) + " only in the golden";
    text = wrapped(text, 0, 2);
    if (judged.of > 0) text += share_text(judged);
    text += not_provable_text(judged) + origins_text(result);
    if (counts.ignored_tensors > 0)
        text += fmt::format("ignored: {} elements of {} tensors\n",
                            counts.ignored_elements,
                            counts.ignored_tensors);
    if (counts.not_recorded + counts.partly_recorded > 0)
        text += wrapped(fmt::format("not recorded on both sides: any statistic of {} tensors, some "
                                    "statistics of {}",
                                    counts.not_recorded,
                                    counts.partly_recorded),
                        0,
                        2);
    if (counts.overflow_introduced + counts.overflow_received > 0)
        text += fmt::format("overflow in the target only: {} introduced it, {} received it\n",
                            counted_ops(counts.overflow_introduced),
                            counts.overflow_received);
    return text;
}

/// "paired by what they hold: 12 tensors permuted, 3 part, 1 by place".
std::string relations_text(const Result& result) {
    std::map<std::string, int64_t> kinds;
    for (const OpResult& op : result.ops)
        for (const TensorResult& tensor : op.tensors)
            if (!tensor.relation.empty())
                ++kinds[tensor.relation.substr(0, tensor.relation.find_first_of(":,"))];
    std::string text;
    for (const auto& [kind, count] : kinds)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
    return text.empty() ? "" : "tensors paired by what they hold: " + text + "\n";
}

/// "3 spans of other ops: max|t-g| at most 2e-07 max|g| at the ends of 2; nothing takes in what 1
/// gives".
std::string spans_text(const std::vector<SpanResult>& spans) {
    if (spans.empty()) return {};
    double worst = 0;
    int64_t compared = 0;
    for (const SpanResult& span : spans) {
        worst = std::max(worst, span.exit.value_or(0));
        compared += span.exit ? 1 : 0;
    }
    const auto all = static_cast<int64_t>(spans.size());
    std::string text = fmt::format("{} span{} of other ops", all, all == 1 ? "" : "s");
    if (compared > 0)
        text += fmt::format(", {}compared at the ends: max|t-g| at most {:.2g} max|g| there",
                            compared == all ? "" : fmt::format("{} ", compared),
                            worst);
    if (compared < all)
        text += fmt::format(
            "; nothing that pairs takes in what {} give{}",
            compared == 0 ? (all == 1 ? "it" : "they") : fmt::format("{}", all - compared),
            all - compared == 1 ? "s" : "");
    return wrapped(text, 0, 2);
}

/// Where the programs part, but for what is a finding above.
std::string programs_text(const Result& result) {
    const Counts& counts = result.counts;
    std::string text;
    if (!result.partings.empty())
        text += fmt::format("the programs part in {} place{}\n",
                            result.partings.size(),
                            result.partings.size() == 1 ? "" : "s");
    text += spans_text(result.spans);
    text += relations_text(result);
    if (counts.casts_only_target + counts.casts_only_golden > 0)
        text += fmt::format("copies and casts seen through: {} of the target, {} of the golden\n",
                            counts.casts_only_target,
                            counts.casts_only_golden);
    return text;
}

/// Ops that are no finding may have been called with other arguments as well.
std::string untold_arguments(const Result& result) {
    std::set<const OpResult*> told;
    for (const Culprit& culprit : result.culprits)
        told.insert(&result.ops[culprit.op]);
    int64_t count = 0;
    const OpResult* first = nullptr;
    for (const OpResult& op : result.ops) {
        if (op.arguments.empty() || told.contains(&op)) continue;
        if (count++ == 0) first = &op;
    }
    if (first == nullptr) return {};
    return wrapped(fmt::format("arguments differ in {} without a finding, first {}: {}",
                               counted_ops(count),
                               label_text(*first),
                               printable(to_text(first->arguments))),
                   0,
                   2);
}

std::string verdict_text(const Result& result, const ReportOptions& options) {
    const std::string_view verdict = gated_verdict(result);
    const char* color = verdict == "pass" ? kGreen : kRed;
    return "verdict: " + in_color(options, color, std::string(verdict)) + "\n";
}

/// What each op introduced over what is allowed, along the network.
std::string network_text(const Result& result, const ReportOptions& options) {
    if (!options.graphic) return {};
    std::vector<std::optional<double>> ratios;
    bool is_known = false;
    for (const OpResult& op : result.ops) {
        ratios.push_back(worst_ratio(op));
        is_known = is_known || ratios.back().has_value();
    }
    constexpr size_t kColumns = 76;
    if (!is_known) return {};
    return "error along the network, introduced over allowed (▆ at most 1, ▇ and █ beyond):\n  " +
           sparkline(ratios, kColumns, options.color) + "\n";
}

std::string terminal_text(const Result& result, const ReportOptions& options) {
    std::string text = wrapped(printable(options.target) + " against " + printable(options.golden) +
                                   (result.load_mode ? ", matched by seqid (load mode)" : ""),
                               0,
                               2);
    std::vector<std::string> blocks = {first_culprit_text(result, options),
                                       other_findings_text(result, options)};
    // Own measures are shown where they were asked for.
    if (options.all_ops || !result.custom_names.empty())
        blocks.push_back(ops_table(result, options));
    blocks.push_back(network_text(result, options));
    blocks.push_back(arithmetic_text(result));
    blocks.push_back(standard_text(result, options.all_ops));
    blocks.push_back(gate_text(result));
    blocks.push_back(counts_text(result, options) + programs_text(result) +
                     untold_arguments(result) + verdict_text(result, options));
    for (const std::string& block : blocks)
        if (!block.empty()) text += "\n" + block;
    return text;
}

}  // namespace

const Report k_terminal_report = {.name = "terminal",
                                  .file_name = "",
                                  .summary = "the findings, the first of them at length",
                                  .write = terminal_text};

}  // namespace npuscope::compare
