// Custom comparison algorithms: scripts of the user, run in one Python process of their own.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "custom_algorithms/outcome.h"

namespace npuscope::custom_algorithms {

class Channel;

struct RunnerOptions {
    std::string python = "/usr/bin/python3";
    /// For loading all scripts, and for all algorithms on one tensor.
    std::chrono::milliseconds patience = std::chrono::minutes(10);
    /// Attributes of `params` by algorithm; those that every call sets win over equal names.
    std::map<std::string, std::map<std::string, std::string>> parameters{};
};

/// One flattened float32 tensor of both sides.
struct Request {
    std::span<const float> target;
    std::span<const float> golden;  ///< as many
    std::span<const int64_t> shape;
    std::string target_name;
    std::string golden_name;
};

/// DIR/algorithm/alg_<Name>.py, each with compare(my, golden, params) -> (str, str).
/// Threads: any may call compare(); calls wait for one another. The thread that makes the runner
/// must outlive it.
class Runner {
  public:
    /// Errors: Error(kUsage) as algorithm_names(), or where a script cannot be loaded or its
    /// function does not fit; Error(kIo) where Python cannot be run.
    explicit Runner(const std::filesystem::path& folder, RunnerOptions options = {});
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    Runner(Runner&&) = delete;
    Runner& operator=(Runner&&) = delete;

    /// The algorithms, in the order of the outcomes.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    /// A script that fails gives a reason and does not end the run. Errors: Error(kIo) when the
    /// process died, hung or answered nonsense; every later call says the same.
    [[nodiscard]] std::vector<Outcome> compare(const Request& request);
    /// The same for tensors of any dtype that has a float32 value, of equal numel.
    [[nodiscard]] std::vector<Outcome> compare(const Tensor& target,
                                               const Tensor& golden,
                                               const std::string& target_name,
                                               const std::string& golden_name);

  private:
    [[noreturn]] void give_up(const std::string& problem);

    std::vector<std::string> names_;
    RunnerOptions options_;
    std::mutex mutex_;
    std::unique_ptr<Channel> channel_;
    std::string failure_;
};

}  // namespace npuscope::custom_algorithms
