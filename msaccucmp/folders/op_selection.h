// -r start,end,step and -s i,j,...: which ops of a rule file are compared, by their ids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/options.h"
#include "msaccucmp/rules/fusion_rule.h"

namespace npuscope::msaccucmp {

class OpSelection {
  public:
    /// Errors: CommandError(kInvalidParameter) when -r or -s cannot be read.
    explicit OpSelection(const CompareOptions& options);

    /// Checks the ids against the rule. Errors: CommandError(kIndexOutOfBounds) for -r,
    /// (kInvalidParameter) when -s names no op of the rule.
    void check(const FusionRule& rule, Log& log);

    /// The groups that are compared, all without -r and -s.
    [[nodiscard]] std::vector<const FusionGroup*> groups_of(const FusionRule& rule) const;

  private:
    struct Range {
        int64_t start = 1;
        int64_t end = -1;
        int64_t step = 1;
    };
    void parse_range(const std::string& text);
    void parse_selection(const std::string& text);
    [[nodiscard]] bool has(int64_t sequence) const;

    std::optional<Range> range_;
    std::optional<std::vector<int64_t>> selected_;
};

}  // namespace npuscope::msaccucmp
