#include <algorithm>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "diagnose/check/check_report.h"
#include "diagnose/report/number_text.h"

namespace npuscope::diagnose {

namespace {

struct Paint {
    bool on;
    [[nodiscard]] std::string operator()(const char* code, const std::string& text) const {
        return on ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
    }
};
constexpr const char* kGreen = "32";
constexpr const char* kRed = "1;31";
constexpr const char* kYellow = "33";
constexpr const char* kDim = "2";
constexpr const char* kBold = "1";

std::string shortened(const std::string& text, size_t width) {
    const std::string safe = printable(text);
    return safe.size() <= width ? safe : "…" + safe.substr(safe.size() - width + 1);
}

std::string table(const CheckReport& report, const Paint& paint, bool all_ops) {
    std::string text = paint(kDim,
                             fmt::format("  {:<28} {:<26} {:<9} {:>10} {:>10} {:>9}  {}\n",
                                         "op",
                                         "node",
                                         "computed",
                                         "introduced",
                                         "inherited",
                                         "of limit",
                                         "verdict"));
    size_t hidden = 0;
    for (size_t i = 0; i < report.ops.size(); ++i) {
        const OpFinding& op = report.ops[i];
        const std::string status(op.status());
        const bool notable = status != "pass" || report.worst == i;
        if (!all_ops && !notable) {
            ++hidden;
            continue;
        }
        const char* color = status == "pass"                           ? kGreen
                            : status == "fail" || status == "overflow" ? kRed
                                                                       : kYellow;
        text +=
            fmt::format("  {:<28} {:<26} {:<9} {:>10} {:>10} {:>9}  {}{}\n",
                        shortened(op.id.path(), 28),
                        shortened(op.node, 26),
                        name_of(op.compute_type),
                        percent_text(op.introduced),
                        percent_text(op.inherited),
                        limit_text(op.ratio),
                        paint(color, status),
                        report.worst == i && status == "pass" ? paint(kDim, "  (the worst)") : "");
    }
    if (hidden > 0)
        text += paint(kDim, fmt::format("  … and {} more ops that pass (-v shows them)\n", hidden));
    return text;
}

std::string kernel_line(const OpFinding& op) {
    if (op.kernel_rows.empty()) return {};
    if (!op.first_kernel)
        return fmt::format("  kernel      none of the {} is over its own tolerance\n",
                           op.kernel_rows.size());
    const MappedKernel& kernel = op.kernel_rows[*op.first_kernel];
    return fmt::format("  kernel      {} ({} of {}){}: {}\n",
                       printable(kernel.type),
                       *op.first_kernel + 1,
                       op.kernel_rows.size(),
                       kernel.change.empty() ? "" : ", " + kernel.change,
                       printable(kernel.rule()));
}

}  // namespace

std::string to_text(const CheckReport& report, bool color, bool all_ops) {
    const Paint paint{color};
    const bool pass = report.verdict == CheckVerdict::kPass;
    const bool open = report.verdict == CheckVerdict::kUndecided;
    std::string text = paint(pass   ? kGreen
                             : open ? kYellow
                                    : kRed,
                             in_capitals(name_of(report.verdict))) +
                       "  " + paint(kBold, printable(report.headline)) + "\n\n";
    text += fmt::format("  model   {}\n  device  {}\n  golden  {}\n  inputs  {}\n\n",
                        printable(report.model),
                        report.device,
                        printable(report.golden),
                        printable(report.inputs));
    for (const std::string& line : report.arithmetic)
        text += "  computes  " + line + "\n";
    text += report.arithmetic.empty() ? "" : "\n";
    text += table(report, paint, all_ops) + "\n";
    for (const OutputDifference& output : report.outputs)
        text += output.incomparable.empty()
                    ? fmt::format("  end to end  {}: off by {} of its largest value\n",
                                  printable(output.name),
                                  percent_text(output.relative))
                    : fmt::format("  end to end  {}: {}\n",
                                  printable(output.name),
                                  printable(output.incomparable));
    if (report.changed)
        text += fmt::format(
            "  end to end  {} of {} predictions change\n", *report.changed, report.samples);
    if (!report.why.evidence.empty())
        text += fmt::format("  why         {} ({}, confidence {:.2f})\n",
                            printable(report.why.evidence),
                            report.why.fingerprint,
                            report.why.confidence);
    if (report.first_culprit) text += kernel_line(report.ops[*report.first_culprit]);
    if (report.ignored_tensors > 0)
        text += fmt::format("  ignored     {} elements of {} tensors\n",
                            report.ignored_elements,
                            report.ignored_tensors);
    for (const std::string& remark : report.remarks)
        text += fmt::format("  note        {}\n", printable(remark));
    if (!report.next.empty()) text += fmt::format("  next        {}\n", printable(report.next));
    return text;
}

}  // namespace npuscope::diagnose
