#include "page/page.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/version.h"
#include "page/details.h"
#include "page/html_text.h"
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

json parsed(const std::string& document) {
    json value = parse_json<json>(document);
    if (value.is_discarded())
        throw Error(ErrorKind::kFormat,
                    "a result that is no JSON: " + json_problem(document).reason);
    return value;
}

/// The colour of a verdict, as of the style.
std::string_view state_of(const std::string& verdict) {
    return verdict == "pass" ? "good" : verdict == "undecided" ? "soft" : "bad";
}

std::string facts_html(const Still& still) {
    std::string html;
    for (const auto& [name, value] : still.facts)
        if (!value.empty())
            html += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
    return html.empty() ? "" : "<dl class=\"facts\">" + html + "</dl>";
}

/// What is read before the script ran, or without it.
std::string still_html(const std::string& kind, const Still& still) {
    std::string html = fmt::format(
        "<header class=\"verdict {}\"><p class=\"eyebrow\">npuscope {}</p><h1><span "
        "class=\"word\">{}</span> <span class=\"headline\">{}</span></h1>{}</header>\n",
        state_of(still.verdict),
        escaped(kind),
        escaped(still.verdict),
        escaped(still.headline),
        facts_html(still));
    if (still.culprit.empty()) return html;
    html += "<section><h2>first culprit</h2><h3>" + escaped(still.culprit) + "</h3>";
    for (const std::string& line : still.why)
        if (!line.empty()) html += "<p class=\"why\">" + escaped(line) + "</p>";
    if (!still.next.empty())
        html += "<p class=\"next\">next <code>" + escaped(still.next) + "</code></p>";
    return html + "</section>\n";
}

/// {"kind": …, "document": …, "details": …}: both are JSON already.
std::string data_json(const Content& content) {
    const json head = {
        {"kind", content.kind}, {"command", content.command}, {"npuscope", kVersion}};
    std::string text = json_text(head, -1);
    text.pop_back();
    return text + ",\"details\":" + (content.details.empty() ? "null" : content.details) +
           ",\"document\":" + content.document + "}";
}

}  // namespace

std::string kind_of(const std::string& document) {
    const Kind* kind = kind_fitting(parsed(document));
    if (kind == nullptr)
        throw Error(ErrorKind::kUsage,
                    "a page shows the JSON of check, compare, recompute, overflow, map and loss; "
                    "this is none of it");
    return kind->name;
}

std::string page_html(const Content& content) {
    const json document = parsed(content.document);
    const Kind& kind = kind_named(content.kind);
    if (!document.is_object() || !kind.fits(document))
        throw Error(ErrorKind::kUsage, "this is no result of " + content.kind);
    const Still still = kind.still(document);
    std::string html =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">";
    html += fmt::format(
        "<title>{} - npuscope {}</title>\n<style>", escaped(still.verdict), escaped(content.kind));
    html += style();
    html += "</style></head>\n<body><div id=\"page\"></div>\n<main id=\"still\">\n";
    html += still_html(content.kind, still);
    html +=
        "<noscript><p>The rest of this page needs JavaScript.</p></noscript></main>\n"
        "<script id=\"data\" type=\"application/octet-stream\">\n";
    html += packed(data_json(content));
    html += "\n</script>\n<script>";
    html += script();
    return html + "</script></body></html>\n";
}

void write_page(const std::filesystem::path& file, Content content) {
    if (content.details.empty()) content.details = details_json(content.kind, content.document);
    write_text_file(file, page_html(content));
}

}  // namespace npuscope::page
