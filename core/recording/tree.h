// Folders that hold several recorded runs: one a step and a rank, as msprobe writes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope {

/// One step of one rank.
struct RecordedRun {
    std::optional<int64_t> step{};  ///< of "step3"
    std::string rank{};             ///< "rank0", "proc2016", of kernel dumps "device0"; may be ""
    std::filesystem::path path{};   ///< what open_source() takes

    /// "step 3, rank0"; "" where neither is known.
    [[nodiscard]] std::string text() const;
    /// "step3_rank0"; "only" where neither is known.
    [[nodiscard]] std::string file_name() const;

  private:
    [[nodiscard]] std::string joined(std::string_view before_number,
                                     std::string_view between) const;
};

/// The runs below a folder, by step and rank: step<N>/rank<N> or proc<N> with a dump.json, and what
/// level L2 writes, step<N>/<time>/<device>; or the files in it that are called by their ranks,
/// rank0.h5, rank1.h5. Anything else is one run, the path itself. Links are not followed. Errors:
/// Error(kIo) a folder that cannot be read.
[[nodiscard]] std::vector<RecordedRun> recorded_runs(const std::filesystem::path& path);

}  // namespace npuscope
