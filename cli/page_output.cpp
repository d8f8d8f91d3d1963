#include "cli/page_output.h"

#include <CLI/CLI.hpp>

#include "page/page.h"

namespace npuscope::cli {

void add_page_option(CLI::App& app, std::string& target) {
    app.add_option("--html", target, "file for a page that shows the result, without a network");
}

void write_page_of(const std::string& file,
                   const std::string& kind,
                   const std::string& document,
                   const Globals& globals) {
    if (file.empty()) return;
    page::write_page(
        file, page::read_result(document, kind), {.details = {}, .command = globals.command_line});
}

}  // namespace npuscope::cli
