#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/base/wrapped.h"
#include "loss/capture.h"
#include "loss/report/plot.h"
#include "loss/report/report.h"

namespace npuscope::loss {

namespace {

std::string log_line(std::string_view role, const Log& log) {
    const Curve& loss = log.of(Quantity::kLoss);
    std::string text = fmt::format("{}: {}, {}, {} records, steps {} to {}",
                                   role,
                                   printable(log.path),
                                   log.format,
                                   loss.size(),
                                   loss.steps.front(),
                                   loss.steps.back());
    if (!log.loss_name.empty()) text += fmt::format(", {}", in_quotes(log.loss_name));
    std::string lines = wrapped(text, 0, 2);
    if (!log.pattern.empty()) lines += wrapped("guessed pattern: " + printable(log.pattern), 2, 4);
    for (const std::string& remark : log.remarks)
        lines += wrapped(printable(remark), 2, 4);
    return lines;
}

std::string painted(const std::string& text, bool finding, bool color) {
    if (!color) return text;
    return (finding ? "\x1b[1;31m" : "\x1b[1;32m") + text + "\x1b[0m";
}

void append_verdict(std::string& text, const Judged& one, const TextStyle& style) {
    const Verdict& verdict = one.verdict;
    text += "\n" + wrapped(painted(verdict.headline, verdict.is_finding, style.color), 0, 0);
    text += wrapped(fmt::format("{}, confidence {:.2f}: {}",
                                row_of(verdict.kind).name,
                                verdict.confidence,
                                row_of(verdict.kind).meaning),
                    2,
                    4);
    for (const std::string& line : verdict.evidence)
        text += wrapped(printable(line), 2, 4);
    for (const std::string& remark : verdict.remarks)
        text += wrapped(printable(remark), 2, 4);
    text += wrapped(
        fmt::format("{} common steps; step noise of the golden {:.2g}, largest difference {:.3g}, "
                    "mean relative error {:.2g} %",
                    verdict.common,
                    verdict.step_noise,
                    verdict.largest,
                    100 * verdict.mean_relative_error),
        2,
        4);
    if (!verdict.capture) return;
    const Capture& capture = *verdict.capture;
    text += wrapped(fmt::format("Next, record step {}{}: {}",
                                capture.step,
                                capture.phase.empty() ? "" : ", " + capture.phase,
                                capture.text),
                    0,
                    2);
    std::string lines = npuscope_lines(capture);
    for (size_t begin = 0; begin < lines.size();) {
        const size_t end = lines.find('\n', begin);
        text += "  " + lines.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    text += wrapped("or with msprobe, which counts steps from 0: " + msprobe_config(capture), 2, 4);
}

}  // namespace

std::string to_text(const Comparison& comparison, const TextStyle& style) {
    std::string text = log_line("golden", comparison.golden);
    for (const Log& log : comparison.like)
        text += log_line("like", log);
    for (const Judged& one : comparison.targets) {
        text += log_line("target", one.log);
        append_verdict(text, one, style);
        if (style.plot) text += "\n" + terminal_plot(comparison.golden, one, style.color);
    }
    return text;
}

}  // namespace npuscope::loss
