// --standard and --third, --repeat, --noise and --noise-out, --tolerances and --ignore, alike for
// every command that judges recordings.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "diagnose/comparison/judging_files.h"

namespace npuscope::cli {

/// What the options mean to a command.
struct JudgingHelp {
    std::string third;          ///< what may be named
    std::string third_default;  ///< what is taken without it
    std::string repeated;       ///< whose run is repeated: "the golden's run"
};

/// Binds to the request.
void add_judging_options(CLI::App& app, diagnose::JudgingRequest& request, const JudgingHelp& help);

}  // namespace npuscope::cli
