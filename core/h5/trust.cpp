#include "core/h5/trust.h"

#include <atomic>

namespace npuscope::h5 {

namespace {
// The user trusts files or does not, whoever opens them: as a parameter it would go through every
// function that takes a path.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
constinit std::atomic<bool> trusted_files{false};
}  // namespace

void trust_files(bool trusted) {
    trusted_files.store(trusted);
}

bool files_are_trusted() {
    return trusted_files.load();
}

}  // namespace npuscope::h5
