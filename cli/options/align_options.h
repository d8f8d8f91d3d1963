// What `compare` is told about tensors that belong together.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "compare/compare.h"

namespace npuscope::cli {

struct AlignArguments {
    bool align = false;
    bool no_align = false;
    std::string mapping;
    std::string mapping_out;
};

/// `arguments` is kept.
void add_align_options(CLI::App& app, AlignArguments& arguments);

/// Errors: Error(kUsage) where nothing is found that could be written.
void take_alignment(const AlignArguments& arguments, compare::AlignOptions& options);

}  // namespace npuscope::cli
