#include "loss/step_key.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace npuscope::loss {

int fit_of_step(std::string_view key) {
    constexpr std::array<std::string_view, 15> kKeys = {"global_step",
                                                        "trainer/global_step",
                                                        "train/global_step",
                                                        "iteration",
                                                        "current_steps",
                                                        "step",
                                                        "steps",
                                                        "_step",
                                                        "global_steps",
                                                        "iter",
                                                        "iterations",
                                                        "train_step",
                                                        "n_iter",
                                                        "it",
                                                        "batch"};
    std::string plain;
    for (const char c : key)
        plain += c == ' ' || c == '-'
                     ? '_'
                     : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto found = std::find(kKeys.begin(), kKeys.end(), plain);
    return found == kKeys.end() ? -1 : static_cast<int>(found - kKeys.begin());
}

}  // namespace npuscope::loss
