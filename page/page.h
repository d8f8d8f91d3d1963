// A result as one page that needs nothing else: no network, no other file.
#pragma once

#include <filesystem>
#include <string>

namespace npuscope::page {

struct Content {
    std::string kind{};      ///< the command that made it, as of kinds.def
    std::string document{};  ///< what the command prints with --json
    std::string details{};   ///< details_json(), or ""
    std::string command{};   ///< how to repeat it, or ""
};

/// The page. Its verdict and first culprit stand in it as plain HTML; the whole document is inside,
/// compressed, for the script that draws the rest. Errors: Error(kFormat) when the document is no
/// JSON, Error(kUsage) when nobody knows its kind.
[[nodiscard]] std::string page_html(const Content& content);

/// Which command's --json this text is. Errors: Error(kFormat) when it is no JSON, Error(kUsage)
/// when it is none that a page shows.
[[nodiscard]] std::string kind_of(const std::string& document);

/// Writes the page, with pictures of the tensors that matter most where the recordings named in the
/// document can still be read. Errors: those of page_html(), Error(kIo) when it cannot be written.
void write_page(const std::filesystem::path& file, Content content);

}  // namespace npuscope::page
