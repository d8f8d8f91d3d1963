// How far apart runs are that should be alike: a floor for each tensor of the golden side, below
// which a difference says nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "compare/bounds.h"

namespace npuscope::compare {

struct Result;

/// A difference is noise up to so many times the largest between the golden and its repetitions: of
/// few of these the largest is not yet the largest there is.
inline constexpr double kNoiseTimes = 2;

/// Largest differences by the golden tensor's path, in units of the tensor.
class Noise {
  public:
    /// Without any floor.
    Noise() = default;
    /// What to_json() wrote. Errors: Error(kIo); Error(kFormat) it is no such file.
    explicit Noise(const std::filesystem::path& path);
    Noise(const std::string& text, const std::string& name);

    /// Takes the repetition that `repeat` compares with the golden, as its target.
    void add(const Result& repeat);
    /// What both know; of a tensor the larger floor.
    void merge(const Noise& other);

    /// 0 of a tensor that no repetition has.
    [[nodiscard]] double floor(const std::string& golden) const;
    [[nodiscard]] size_t size() const { return largest_.size(); }
    [[nodiscard]] int64_t runs() const { return runs_; }
    [[nodiscard]] std::string to_json() const;

  private:
    void take(const std::string& text, const std::string& name);

    int64_t runs_ = 0;  ///< repetitions
    std::map<std::string, double> largest_;
};

/// What `plain` says, with the floors. Borrows both. Threads: any.
class NoisyBounds final : public Bounds {
  public:
    NoisyBounds(const Bounds& plain, const Noise& noise) : plain_(plain), noise_(noise) {}
    [[nodiscard]] Bound bound(const BoundQuery& query) const override;
    [[nodiscard]] double sum_of_magnitudes(const BoundQuery& query) const override {
        return plain_.sum_of_magnitudes(query);
    }
    /// Whether any tensor that was asked for has a floor.
    [[nodiscard]] bool was_of_use() const { return used_; }

  private:
    const Bounds& plain_;
    const Noise& noise_;
    mutable std::atomic<bool> used_ = false;
};

}  // namespace npuscope::compare
