// The commands that damaged_commands runs in its own process, and the rules that they keep.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/damaged_commands/seeds.h"

namespace npuscope::damage {

/// Where one run works.
struct Place {
    std::filesystem::path folder;    ///< for what the command writes
    std::filesystem::path file;      ///< the damaged one, as commands are given it
    std::filesystem::path original;  ///< undamaged
};

/// Writes the seed with `bytes` in place of its own to bad/ in the folder. good/ is written unless
/// it is there.
[[nodiscard]] Place place_of(const Seed& seed,
                             const std::string& bytes,
                             const std::filesystem::path& folder,
                             const std::filesystem::path& good);

/// One of those that take such a file.
[[nodiscard]] std::vector<std::string> command_on(const Seed& seed,
                                                  const Place& place,
                                                  std::mt19937_64& random);

/// 0 to 2; of msaccucmp, whose codes are its own, 0 or -1.
[[nodiscard]] int run_command(std::vector<std::string> words);

/// What was told breaks a rule; "" where it does not.
[[nodiscard]] std::string broken_rule(int code, const std::string& out, const std::string& err);

}  // namespace npuscope::damage
