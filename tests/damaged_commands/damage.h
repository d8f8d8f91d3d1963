// Seeded damage to bytes.
#pragma once

#include <random>
#include <string>

namespace npuscope::damage {

/// One to seven changes, mostly one, of bytes, lengths or order.
[[nodiscard]] std::string damaged(std::string bytes, std::mt19937_64& random);

}  // namespace npuscope::damage
