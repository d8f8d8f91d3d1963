#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/version.h"
#include "diagnose/check/chart.h"
#include "diagnose/check/check_report.h"
#include "diagnose/report/html_text.h"
#include "diagnose/report/number_text.h"
#include "diagnose/report/page_style.h"

namespace npuscope::diagnose {

namespace {

const char* class_of(const std::string& status) {
    return status == "pass"       ? "pass"
           : status == "fail"     ? "fail"
           : status == "overflow" ? "overflow"
                                  : "other";
}

std::string card(const std::string& value, const std::string& label) {
    return fmt::format(
        "<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(label));
}

std::string head(const CheckReport& report) {
    const bool pass = report.verdict == CheckVerdict::kPass;
    std::string html =
        fmt::format("<div class=\"verdict{}\" id=\"verdict\"><span class=\"word\">{}</span> {}",
                    pass ? "" : " failed",
                    in_capitals(name_of(report.verdict)),
                    escaped(report.headline));
    if (!report.why.evidence.empty())
        html +=
            fmt::format("<p><b>Why</b> {} <span class=\"mono\">({}, confidence {:.2f})</span></p>",
                        escaped(report.why.evidence),
                        escaped(report.why.fingerprint),
                        report.why.confidence);
    if (!report.next.empty())
        html += fmt::format("<p><b>Next</b> <code>{}</code></p>", escaped(report.next));
    html += "</div>\n<dl class=\"facts\">";
    const auto fact = [&](const char* key, const std::string& value) {
        html += fmt::format("<dt>{}</dt><dd>{}</dd>", key, escaped(value));
    };
    fact("model", report.model);
    fact("device", report.device);
    fact("golden", report.golden);
    fact("inputs", report.inputs);
    html += "</dl>\n<div class=\"cards\">";
    html += card(fmt::format("{} / {}", report.passed, report.compared),
                 "ops as good as their arithmetic, each on the golden's inputs");
    html += card(std::to_string(report.overflow_introduced), "ops that overflowed");
    html += card(std::to_string(report.overflow_received), "ops that only received an overflow");
    for (const OutputDifference& output : report.outputs)
        html +=
            card(output.incomparable.empty() ? percent_text(output.relative) : output.incomparable,
                 "end to end: " + output.name + ", of its largest value");
    if (report.changed)
        html +=
            card(fmt::format("{} of {}", *report.changed, report.samples), "predictions changed");
    return html + "</div>\n";
}

/// Of a culprit: each kernel with the error that it introduces.
std::string kernel_table(const OpFinding& op) {
    if (op.kernel_rows.empty()) return {};
    std::string html =
        "<div class=\"scroll\"><table "
        "class=\"kernels\"><tr><th>kernel</th><th>changes</th><th>introduced</th><th>so "
        "far</th>"
        "<th>verdict</th></tr>";
    for (size_t i = 0; i < op.kernel_rows.size(); ++i) {
        const MappedKernel& kernel = op.kernel_rows[i];
        html += fmt::format(
            "<tr><td class=\"mono\">{}{}</td><td>{}</td><td class=\"num\">{}</td><td "
            "class=\"num\">{}</td><td>{}{}</td></tr>",
            escaped(kernel.type),
            op.first_kernel == i ? " <b>&#8592; first</b>" : "",
            escaped(kernel.change),
            percent_text(kernel.introduced()),
            percent_text(kernel.total()),
            kernel.verdict_name(),
            kernel.verdict_name() == "pass" ? "" : " " + escaped(kernel.rule()));
    }
    html += "</table></div>";
    if (!op.kernel_folder.empty())
        html += "<p>dumps: <span class=\"mono\">" + escaped(op.kernel_folder) + "</span></p>";
    return html;
}

std::string tensor_details(const OpFinding& op) {
    if (op.tensors.empty() && op.kernels.empty()) return escaped(op.rule());
    // A culprit's are opened for printing.
    std::string html = std::string("<details") +
                       (op.kernel_rows.empty() ? "" : " class=\"culprit\"") + "><summary>" +
                       escaped(op.judgement ? op.judgement->rule : "no tensor was judged") +
                       "</summary>";
    if (!op.overflow_note.empty()) html += "<p>" + escaped(op.overflow_note) + "</p>";
    html += "<p>kernels: <span class=\"mono\">";
    for (size_t i = 0; i < op.kernels.size(); ++i)
        html += (i > 0 ? " &#8594; " : "") + escaped(op.kernels[i]);
    html += "</span></p>" + kernel_table(op);
    for (const compare::TensorResult& tensor : op.tensors) {
        html += fmt::format("<p><span class=\"mono\">{}</span> {} {} &#8212; <b>{}</b> {}<br>",
                            escaped(tensor.target.empty() ? tensor.golden : tensor.target),
                            escaped(tensor.dtype),
                            to_string(tensor.shape),
                            name_of(tensor.judgement.verdict),
                            escaped(tensor.judgement.rule));
        for (size_t i = 0; i < tensor.metrics.size(); ++i)
            html += fmt::format("<span class=\"mono\">{} {}</span> &#183; ",
                                compare::all_metrics()[i]->name,
                                short_text(tensor.metrics[i]));
        html += "</p>";
    }
    return html + "</details>";
}

/// The columns of a line about an op; its details fill a line of their own below.
constexpr std::array<const char*, 9> kColumns = {
    "#", "op", "node", "computed in", "introduced", "inherited", "free run", "of limit", "verdict"};

std::string cell(size_t column, std::optional<double> value, const std::string& text) {
    const double key = !value ? -1 : std::isfinite(*value) ? *value : 1e300;
    return fmt::format("<td class=\"num\" data-label=\"{}\" data-v=\"{:.9g}\">{}</td>",
                       kColumns[column],
                       key,
                       text);
}

std::string number_cell(size_t column, std::optional<double> value) {
    return cell(column, value, percent_text(value));
}

std::string ratio_cell(size_t column, std::optional<double> value) {
    return cell(column, value, limit_text(value));
}

std::string text_cell(size_t column, const std::string& style, const std::string& text) {
    return fmt::format(
        "<td class=\"{}\" data-label=\"{}\">{}</td>", style, kColumns[column], escaped(text));
}

std::string row(const OpFinding& op) {
    const std::string status(op.status());
    std::string html = fmt::format(
        "<tbody data-status=\"{}\"><tr class=\"op\"><td class=\"num\" data-label=\"#\" "
        "data-v=\"{}\">{}</td>",
        escaped(status),
        op.id.seqid,
        op.id.seqid);
    html += text_cell(1, "mono name", op.id.path()) + text_cell(2, "name", op.node) +
            text_cell(3, "", std::string(name_of(op.compute_type)));
    html += number_cell(4, op.introduced) + number_cell(5, op.inherited) +
            number_cell(6, op.free_error) + ratio_cell(7, op.ratio);
    html += text_cell(8, class_of(status), status);
    return html + fmt::format("</tr><tr class=\"detail\"><td colspan=\"{}\">{}</td></tr></tbody>\n",
                              kColumns.size(),
                              tensor_details(op));
}

std::string table(const CheckReport& report) {
    std::string html =
        "<div class=\"tools\"><label><input type=\"checkbox\" id=\"only\"> only what does not "
        "pass</label>"
        "<input type=\"search\" id=\"find\" placeholder=\"find op, node or kernel\" "
        "aria-label=\"find\"><span id=\"shown\"></span></div>\n"
        "<div class=\"scroll\"><table id=\"ops\"><thead><tr>";
    for (const char* column : kColumns)
        html += fmt::format("<th>{}</th>", column);
    html += "</tr></thead>\n";
    for (const OpFinding& op : report.ops)
        html += row(op);
    return html + "</table></div>\n";
}

std::string footer(const CheckReport& report) {
    std::string html =
        "<h2>How to read this</h2><p><b>Introduced</b> is the error an op adds when it is fed the "
        "golden run's inputs; it decides the verdict. "
        "<b>Inherited</b> is what had already reached its inputs in the free run. Errors are max|t "
        "&#8722; g| / max|g| of the worst tensor; "
        "<b>of limit</b> is the worst element's error, introduced, over what the arithmetic of the "
        "device may be off there.</p>";
    for (const std::string& line : report.arithmetic)
        html += "<p>computes " + escaped(line) + "</p>";
    for (const std::string& remark : report.remarks)
        html += "<p>" + escaped(remark) + "</p>";
    html += "<h2>Files and options</h2><dl class=\"facts\">";
    const auto fact = [&](const std::string& key, const std::string& value) {
        if (!value.empty())
            html +=
                fmt::format("<dt>{}</dt><dd class=\"mono\">{}</dd>", escaped(key), escaped(value));
    };
    fact("golden dump", report.golden_dump.string());
    fact("free run", report.free_dump.string());
    fact("isolated run", report.isolated_dump.string());
    for (const auto& [key, value] : report.options)
        fact(key, value);
    return html + fmt::format("</dl><footer>npuscope {}</footer>", kVersion);
}

}  // namespace

std::string to_html(const CheckReport& report) {
    std::string html =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">";
    html += fmt::format("<title>{} &#183; {}</title><style>{}</style></head><body><main>\n",
                        in_capitals(name_of(report.verdict)),
                        escaped(report.model),
                        kPageStyle);
    html += "<h1>npuscope check</h1>\n" + head(report);
    html += "<h2>Introduced error of each op over what its arithmetic may be off</h2>\n" +
            chart(report);
    html += "<h2>Ops</h2>\n" + table(report) + footer(report);
    html += fmt::format("</main><script>{}</script></body></html>\n", kPageScript);
    return html;
}

}  // namespace npuscope::diagnose
