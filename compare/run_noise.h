// Noise of the runs of a tree, by step and rank, or of one run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compare/noise.h"
#include "core/recording/tree.h"

namespace npuscope::compare {

class RunNoise {
  public:
    /// Of no run.
    RunNoise() = default;
    /// What to_json() wrote. Errors: Error(kIo); Error(kFormat) it is no such file.
    explicit RunNoise(const std::filesystem::path& path);
    RunNoise(const std::string& text, const std::string& name);

    /// Of the golden's run; of a run alone, in no tree, that has neither step nor rank.
    [[nodiscard]] Noise& at(const RecordedRun& run) { return runs_[key_of(run)]; }
    /// Noise of a run alone is of all runs; without any floor where there is none.
    [[nodiscard]] const Noise& of(const RecordedRun& run) const;
    void merge(const RunNoise& other);
    /// How many tensors have some.
    [[nodiscard]] size_t size() const;
    [[nodiscard]] std::string to_json() const;

  private:
    using Key = std::pair<std::optional<int64_t>, std::string>;
    [[nodiscard]] static Key key_of(const RecordedRun& run) { return {run.step, run.rank}; }
    void take(const std::string& text, const std::string& name);

    std::map<Key, Noise> runs_;
};

}  // namespace npuscope::compare
