// What a user brings along to judge by: a standard, tolerances, regions to ignore, noise.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/run_noise.h"
#include "compare/tolerances.h"

namespace npuscope::diagnose {

/// "" is nothing.
struct JudgingRequest {
    std::string standard{};
    std::string third{};  ///< "golden", "emulated" or a recording; "": what the command takes
    std::filesystem::path tolerances{};
    std::vector<std::string> ignore{};  ///< "REGEX[SLICE]"
    std::vector<std::filesystem::path> repeats{};
    std::filesystem::path noise{};
    std::filesystem::path noise_out{};

    [[nodiscard]] bool third_is_recording() const {
        return !third.empty() && third != "golden" && third != "emulated";
    }
};

/// What the request's files say. Threads: const calls may run at once.
class JudgingFiles {
  public:
    /// Errors: of the files; Error(kUsage) there is no such standard, a third chip with one that
    /// takes none, noise to be written without repetitions.
    explicit JudgingFiles(const JudgingRequest& request);

    /// But for a third recording.
    [[nodiscard]] const compare::StandardOptions& standard() const { return standard_; }
    /// nullptr: there is nothing to ignore.
    [[nodiscard]] const IgnoredRegions* ignored() const {
        return ignored_.empty() ? nullptr : &ignored_;
    }
    [[nodiscard]] const std::vector<compare::Tolerance>& tolerances() const { return tolerances_; }
    [[nodiscard]] const compare::RunNoise& noise() const { return noise_; }

    /// Compares repetitions with the golden's runs, takes their noise along, and writes it where
    /// the request says so; `threads` 0: all cores. Errors: those of runs_like() and
    /// compare_files(); Error(kUsage) they have no tensor of the golden's; Error(kIo).
    void measure_repeats(const std::vector<std::filesystem::path>& repeats,
                         const std::vector<RecordedRun>& golden,
                         int threads = 0);

  private:
    compare::StandardOptions standard_;
    IgnoredRegions ignored_;
    std::vector<compare::Tolerance> tolerances_;
    compare::RunNoise noise_;
    std::filesystem::path noise_out_;
};

/// The bounds of one golden run: `plain`, the tolerances over it, and its noise. Borrows all.
class JudgingBounds {
  public:
    JudgingBounds(const compare::Bounds& plain,
                  const JudgingFiles& files,
                  const RecordedRun& golden)
        : written_(plain, files.tolerances()), noisy_(written_, files.noise().of(golden)) {}
    ~JudgingBounds() = default;
    JudgingBounds(const JudgingBounds&) = delete;
    JudgingBounds& operator=(const JudgingBounds&) = delete;

    [[nodiscard]] const compare::NoisyBounds& bounds() const { return noisy_; }

  private:
    compare::WrittenBounds written_;
    compare::NoisyBounds noisy_;
};

/// Told where the files have noise, and a comparison had no use for it.
inline constexpr const char* kNoiseOfNoUse =
    "the noise is of no tensor here: nothing is told apart by it";

}  // namespace npuscope::diagnose
