// Ops between a quantisation and its dequantisation compute on int8 data that no original op has.
#include <array>
#include <map>

#include "core/base/words.h"
#include "msaccucmp/rules/fusion_rule.h"

namespace npuscope::msaccucmp {

namespace {

enum class Role { kNormal, kBetween, kQuant, kDequant };

constexpr std::array<std::string_view, 5> kQuantMarks = {
    "_quant_layer", "/AscendQuant", "/AscendWeightQuant", ".quant", ".weight_quant"};
constexpr std::array<std::string_view, 6> kDequantMarks = {"_dequant_layer",
                                                           "_anti_quant_layer",
                                                           "/AscendDequant",
                                                           "/AntiQuant",
                                                           ".dequant",
                                                           ".anti_quant"};

template <size_t N>
bool has_mark(const FusionOp& op, const std::array<std::string_view, N>& marks) {
    std::string originals;
    for (const std::string& name : op.original_names)
        originals += name;
    for (const std::string_view mark : marks)
        if (op.name.find(mark) != std::string::npos || originals.find(mark) != std::string::npos)
            return true;
    return false;
}

class Marker {
  public:
    Marker(FusionRule& rule, Log& log) : rule_(rule), log_(log) {}

    void run() {
        for (const size_t index : rule_.by_sequence) {
            FusionOp& op = rule_.ops[index];
            const bool is_fed = is_fed_by_quant(op);
            std::vector<Role>& roles = roles_[op.name];
            roles.clear();
            bool all_dequant = true;
            for (const OutputDesc& output : op.outputs) {
                roles.push_back(role_of(op, output, is_fed));
                all_dequant = all_dequant && roles.back() == Role::kDequant;
            }
            op.is_between_quants = is_fed && !all_dequant;
        }
    }

  private:
    bool is_fed_by_quant(const FusionOp& op) const {
        for (const std::string& input : op.inputs) {
            const size_t colon = input.rfind(':');
            if (colon == std::string::npos) continue;
            const std::string index = input.substr(colon + 1);
            const auto producer = roles_.find(input.substr(0, colon));
            // A dump has no op with a million outputs.
            if (!is_digits(index) || index.size() > 6 || producer == roles_.end()) continue;
            const size_t at = std::stoul(index);
            if (at >= producer->second.size()) continue;
            const Role role = producer->second[at];
            if (role == Role::kQuant || role == Role::kBetween) return true;
        }
        return false;
    }

    Role role_of(const FusionOp& op, const OutputDesc& output, bool is_fed) const {
        const bool quant = has_mark(op, kQuantMarks);
        const bool dequant = has_mark(op, kDequantMarks);
        if (quant && output.dtype == "DT_INT8") return Role::kQuant;
        if (dequant && output.dtype == "DT_FLOAT16") return Role::kDequant;
        if (quant || dequant)
            log_.warning("[" + op.name +
                         "] looks like a quantisation by its name, but not by its output's type '" +
                         output.dtype + "'.");
        return is_fed ? Role::kBetween : Role::kNormal;
    }

    FusionRule& rule_;
    Log& log_;
    std::map<std::string, std::vector<Role>> roles_;
};

}  // namespace

void mark_ops_between_quants(FusionRule& rule, Log& log) {
    Marker(rule, log).run();
}

}  // namespace npuscope::msaccucmp
