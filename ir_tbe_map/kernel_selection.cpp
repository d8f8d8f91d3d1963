#include "ir_tbe_map/kernel_selection.h"

#include <algorithm>

#include "core/base/error.h"

namespace npuscope::ir_tbe_map {

namespace {

bool is_named(const KernelNames& kernel, std::string_view name) {
    return name == kernel.op_name || name == kernel.op ||
           (!kernel.node.empty() && name == kernel.node);
}

}  // namespace

KernelSelection::KernelSelection(const AclConfig& config,
                                 const std::string& model,
                                 const std::string& source)
    : config_(config) {
    if (model.empty()) {
        if (!config.op_switch && !config.debug)
            throw Error(ErrorKind::kUsage,
                        source +
                            ": dump_op_switch is off, so that no single operator is dumped; set "
                            "\"dump_op_switch\": \"on\"");
        rows_ = config.selections("").value_or(std::vector<const ModelSelection*>());
        return;
    }
    const auto rows = config.selections(model);
    if (!rows)
        throw Error(ErrorKind::kUsage,
                    source + ": dump_list names other models than '" + model +
                        "'; \"dump_list\": [] dumps every model");
    rows_ = *rows;
}

bool KernelSelection::keeps(const KernelNames& kernel) {
    // Ranges are followed first: their begin and end may be left out otherwise.
    bool in_range = false;
    bool ranged = false;
    for (const ModelSelection* row : rows_)
        for (const auto& range : row->ranges) {
            ranged = true;
            const auto open = std::ranges::find(open_, &range);
            bool inside = open != open_.end();
            if (!inside && is_named(kernel, range.first)) {
                open_.push_back(&range);
                inside = true;
            }
            in_range = in_range || inside;
            if (inside && is_named(kernel, range.second)) std::erase(open_, &range);
        }
    if (ranged && !in_range) return false;
    if (config_.level == DumpLevel::kOperator && kernel.conversion) return false;
    bool listed = true;
    for (const ModelSelection* row : rows_) {
        const auto whole = [](const Exclusion& exclusion) { return exclusion.positions.empty(); };
        for (const Exclusion& exclusion : row->types)
            if (whole(exclusion) && exclusion.name == kernel.type) return false;
        for (const Exclusion& exclusion : row->names)
            if (whole(exclusion) && is_named(kernel, exclusion.name)) return false;
        if (row->layers.empty()) continue;
        listed = std::ranges::any_of(
            row->layers, [&](const std::string& layer) { return is_named(kernel, layer); });
        if (listed) return true;
    }
    return listed;
}

bool KernelSelection::keeps_tensor(const KernelNames& kernel, bool input, size_t index) const {
    if (input ? config_.mode == DumpMode::kOutput : config_.mode == DumpMode::kInput)
        if (!config_.debug) return false;
    const std::string position = (input ? "input" : "output") + std::to_string(index);
    const auto excluded = [&](const Exclusion& exclusion) {
        return std::ranges::find(exclusion.positions, position) != exclusion.positions.end();
    };
    return std::ranges::none_of(rows_, [&](const ModelSelection* row) {
        return std::ranges::any_of(row->types,
                                   [&](const Exclusion& exclusion) {
                                       return exclusion.name == kernel.type && excluded(exclusion);
                                   }) ||
               std::ranges::any_of(row->names, [&](const Exclusion& exclusion) {
                   return is_named(kernel, exclusion.name) && excluded(exclusion);
               });
    });
}

}  // namespace npuscope::ir_tbe_map
