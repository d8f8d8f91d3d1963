#include "cli/manual/completion.h"

namespace npuscope::cli {

namespace {
constexpr Shell kShells[] = {
    {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};
}  // namespace

std::span<const Shell> all_shells() {
    return kShells;
}

}  // namespace npuscope::cli
