// Manual pages in the roff of man(7), for `man npuscope` and `man npuscope-compare`.
#pragma once

#include <string>

#include "cli/manual/described.h"

namespace npuscope::cli {

/// The page of the program: its commands, and what they have in common.
[[nodiscard]] std::string man_page(const DescribedProgram& program);
/// The page of one of its commands.
[[nodiscard]] std::string man_page(const DescribedProgram& program,
                                   const DescribedCommand& command);
/// The page of msaccucmp, from its own help.
[[nodiscard]] std::string msaccucmp_man_page();

}  // namespace npuscope::cli
