// The page of a command's result, where --html or -o asks for one.
#pragma once

#include <string>

#include "cli/command.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace npuscope::cli {

/// --html FILE. `target` outlives the parsing.
void add_page_option(CLI::App& app, std::string& target);

/// Writes the page of `document`, what `kind` prints with --json, to `file`; "" writes none.
/// Errors: Error(kIo).
void write_page_of(const std::string& file,
                   const std::string& kind,
                   const std::string& document,
                   const Globals& globals);

}  // namespace npuscope::cli
