// Scripts that complete command lines of npuscope in a shell.
#pragma once

#include <span>
#include <string>

#include "cli/manual/described.h"

namespace npuscope::cli {

struct Shell {
    const char* name;
    std::string (*script)(const DescribedProgram& program);
};

/// bash, fish, zsh.
[[nodiscard]] std::span<const Shell> all_shells();

// cli/manual/<shell>_completion.cpp
[[nodiscard]] std::string bash_completion(const DescribedProgram& program);
[[nodiscard]] std::string fish_completion(const DescribedProgram& program);
[[nodiscard]] std::string zsh_completion(const DescribedProgram& program);

}  // namespace npuscope::cli
