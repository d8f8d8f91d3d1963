// What runs of one op usually add to what came in.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace npuscope::compare {

class LikeRuns {
  public:
    void add(const std::string& name, double added) { added_[name].push_back(added); }

    /// After the last add(). Of the other runs of that name the one in the middle; empty of an op
    /// with few runs. `added` is one of its.
    [[nodiscard]] std::optional<double> usual(const std::string& name, double added);

  private:
    std::unordered_map<std::string, std::vector<double>> added_{};
    bool sorted_ = false;
};

}  // namespace npuscope::compare
