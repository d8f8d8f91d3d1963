// A result as one page that needs nothing else: no network, no other file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace npuscope::page {

/// What a command printed with --json, read once.
struct Result {
    std::string kind{};  ///< the command
    std::string text{};
    std::shared_ptr<const nlohmann::json> document{};
};

/// `kind` "": as of the document. Errors: Error(kFormat) when the text is no JSON, Error(kUsage)
/// when nobody knows the kind, the document is none of that kind, or none that a page shows.
[[nodiscard]] Result read_result(std::string text, const std::string& kind = "");

struct PageOptions {
    std::string details{};  ///< what details_json() gives, or JSON of its own; or ""
    std::string command{};  ///< how to repeat it, or ""
};

/// The page. Its verdict and first culprit stand in it as plain HTML; the whole document is inside,
/// compressed, for the script that draws the rest.
[[nodiscard]] std::string page_html(const Result& result, const PageOptions& options);

/// Writes the page; without details of its own it has pictures of the tensors that matter most,
/// where the recordings named in the document can still be read. Errors: Error(kIo) when it cannot
/// be written.
void write_page(const std::filesystem::path& file, const Result& result, PageOptions options = {});

}  // namespace npuscope::page
