#include "page/page.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/markup.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/version.h"
#include "page/details.h"
#include "page/packed.h"
#include "page/still.h"

// bundle.S
extern "C" {
extern const char npuscope_page_script[];
extern const char npuscope_page_script_end[];
extern const char npuscope_page_style[];
extern const char npuscope_page_style_end[];
}

namespace npuscope::page {

namespace {

using nlohmann::json;

std::string_view script() {
    return {npuscope_page_script, npuscope_page_script_end};
}

std::string_view style() {
    return {npuscope_page_style, npuscope_page_style_end};
}

/// The colour of a verdict, as of the style.
std::string_view state_of(const std::string& verdict) {
    return verdict == "pass" ? "good" : verdict == "undecided" ? "soft" : "bad";
}

std::string facts_html(const Still& still) {
    std::string html;
    for (const auto& [name, value] : still.facts)
        if (!value.empty())
            html += fmt::format("<dt>{}</dt><dd>{}</dd>", html_text(name), html_text(value));
    return html.empty() ? "" : "<dl class=\"facts\">" + html + "</dl>";
}

/// What is read before the script ran, or without it.
std::string still_html(const std::string& kind, const Still& still) {
    std::string html = fmt::format(
        "<header class=\"verdict {}\"><p class=\"eyebrow\">npuscope {}</p><h1><span "
        "class=\"word\">{}</span> <span class=\"headline\">{}</span></h1>{}</header>\n",
        state_of(still.verdict),
        html_text(kind),
        html_text(still.verdict),
        html_text(still.headline),
        facts_html(still));
    if (still.culprit.empty()) return html;
    html += "<section><h2>first culprit</h2><h3>" + html_text(still.culprit) + "</h3>";
    for (const std::string& line : still.why)
        if (!line.empty()) html += "<p class=\"why\">" + html_text(line) + "</p>";
    if (!still.next.empty())
        html += "<p class=\"next\">next <code>" + html_text(still.next) + "</code></p>";
    return html + "</section>\n";
}

/// {"kind": …, "document": …, "details": …}: both are JSON already.
std::string data_json(const Result& result, const PageOptions& options) {
    const json head = {{"kind", result.kind}, {"command", options.command}, {"npuscope", kVersion}};
    std::string text = json_text(head, -1);
    text.pop_back();
    return text + ",\"details\":" + (options.details.empty() ? "null" : options.details) +
           ",\"document\":" + result.text + "}";
}

const Kind& kind_of(const json& document, const std::string& name) {
    if (!name.empty()) {
        const Kind& kind = kind_named(name);
        if (document.is_object() && kind.fits(document)) return kind;
        throw Error(ErrorKind::kUsage, "this is no result of " + name);
    }
    const Kind* kind = kind_fitting(document);
    if (kind == nullptr)
        throw Error(ErrorKind::kUsage,
                    "a page shows the JSON of check, compare, recompute, overflow, map and loss; "
                    "this is none of it");
    return *kind;
}

}  // namespace

Result read_result(std::string text, const std::string& kind) {
    json document = parse_json<json>(text);
    if (document.is_discarded())
        throw Error(ErrorKind::kFormat, "a result that is no JSON: " + json_problem(text).reason);
    const std::string name = kind_of(document, kind).name;
    return {.kind = name,
            .text = std::move(text),
            .document = std::make_shared<const json>(std::move(document))};
}

std::string page_html(const Result& result, const PageOptions& options) {
    const Still still = kind_named(result.kind).still(*result.document);
    std::string html =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">";
    html += fmt::format("<title>{} - npuscope {}</title>\n<style>",
                        html_text(still.verdict),
                        html_text(result.kind));
    html += style();
    html += "</style></head>\n<body><div id=\"page\"></div>\n<main id=\"still\">\n";
    html += still_html(result.kind, still);
    html +=
        "<noscript><p>The rest of this page needs JavaScript.</p></noscript></main>\n"
        "<script id=\"data\" type=\"application/octet-stream\">\n";
    html += packed(data_json(result, options));
    html += "\n</script>\n<script>";
    html += script();
    return html + "</script></body></html>\n";
}

void write_page(const std::filesystem::path& file, const Result& result, PageOptions options) {
    if (options.details.empty()) options.details = details_json(result.kind, *result.document);
    write_text_file(file, page_html(result, options));
}

}  // namespace npuscope::page
