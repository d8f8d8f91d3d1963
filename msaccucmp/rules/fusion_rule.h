// The rule file (-f, -q, -cf): which ops of a compiled model stand for which of the original one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "msaccucmp/base/log.h"

namespace npuscope::msaccucmp {

/// What one output of an op was in the original model.
struct OutputDesc {
    std::string origin_name;
    std::optional<int64_t> origin_index;  ///< none: that of the output itself
    std::string origin_format;
    Shape origin_shape;
    std::string dtype;  ///< "DT_INT8"
};

/// An op of the original model, seen from an op of the compiled one.
struct OriginTensor {
    std::string op;
    int64_t index = 0;
    std::string format;
    Shape shape;
};

struct OpOutput {
    std::string op;
    int64_t index = 0;
};

struct FusionOp {
    int64_t id = 0;  ///< of its group: the column Index
    std::string name;
    std::string type;
    std::vector<std::string> inputs;  ///< "op:index"
    std::vector<OutputDesc> outputs;
    std::vector<std::string> original_names;
    std::string l1_number;
    bool is_multi_op = false;
    int64_t sequence = 0;
    bool is_between_quants = false;  ///< inside a pair of quantisation ops: not compared

    /// Part of a multi-op group that has no partner of its own.
    [[nodiscard]] bool is_inner_node() const;
    /// Errors: CompareFailure(kNoDumpFile) when the rule does not say.
    [[nodiscard]] OriginTensor origin_of(int64_t output) const;
    /// Errors: CompareFailure(kIndexOutOfBounds), (kInvalidJsonFile).
    [[nodiscard]] OpOutput producer_of(int64_t input) const;
};

/// Ops that stand for the same original op or ops.
struct FusionGroup {
    std::string key;
    std::vector<size_t> ops;  ///< in FusionRule::ops
};

enum class Relation { kOneToOne, kMultiToOne, kOneToMulti, kMultiToMulti, kL1 };

class FusionRule {
  public:
    /// Errors: CommandError(kParseJsonError) names the file and what is wrong in it.
    static FusionRule read(const std::string& path, Log& log);
    /// The rule of the compiled model with its original ops replaced by what they were before
    /// quantisation.
    static FusionRule merge_quant(FusionRule compiled, FusionRule quant, Log& log);
    /// The rule of a model with fusion on, its original ops replaced by the ops of the model with
    /// fusion off.
    static FusionRule merge_closed(FusionRule open, FusionRule closed, Log& log);

    std::vector<FusionOp> ops;
    std::vector<FusionGroup> groups;
    std::vector<size_t> by_sequence;
    std::vector<std::string> input_nodes;

    /// Null when there is none.
    [[nodiscard]] const FusionGroup* group_of(const std::string& op) const;
    /// Errors: CompareFailure(kInvalidParameter).
    [[nodiscard]] const FusionOp& op_named(const std::string& op) const;
    [[nodiscard]] Relation relation_of(const FusionGroup& group) const;

    void set_group(const std::string& op, const std::string& key);
    /// Puts the op into its group, a new one where there is none, and gives it the group's id.
    void add_to_group(size_t op);
    /// The same with the group of a key, whether or not the op can be found by its name.
    void add_to_group_with(const std::string& key, size_t op);
    /// The key of the group of an op: see docs/compatibility.md.
    static std::string group_key(const std::string& name,
                                 const std::string& l1_number,
                                 const std::vector<std::string>& original_names);
    /// Ops and their groups' keys, in the order in which they were met first.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& keys() const {
        return keys_;
    }
    [[nodiscard]] FusionGroup* group_with(const std::string& key);
    [[nodiscard]] const FusionGroup* group_with(const std::string& key) const;

  private:
    std::vector<std::pair<std::string, std::string>> keys_;
    std::map<std::string, size_t> key_of_op_;     ///< in keys_
    std::map<std::string, size_t> group_of_key_;  ///< in groups
};

/// The names of the graphs in a rule file. Errors: CommandError(kInvalidPath), (kParseJsonError).
[[nodiscard]] std::vector<std::string> graph_names(const std::string& path, Log& log);

/// Marks the ops that lie between a quantisation and its dequantisation.
void mark_ops_between_quants(FusionRule& rule, Log& log);

/// Names of both sides of a group, joined with ",": "a_1,a_2" and "a".
struct GroupNames {
    std::string my;
    std::string golden;
};
[[nodiscard]] GroupNames names_of(const FusionRule& rule, const FusionGroup& group);
[[nodiscard]] std::string joined_names(const std::vector<std::string>& names);

}  // namespace npuscope::msaccucmp
