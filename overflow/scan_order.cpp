#include "overflow/scan_order.h"

#include <string_view>

namespace npuscope::overflow {

namespace {

/// "layer1.0" of "Module.layer1.0.Bottleneck.forward.0"; "" of the whole model.
std::string_view module_path(std::string_view name) {
    const size_t first = name.find('.');
    size_t end = name.size();
    for (int parts = 0; parts < 3 && end != std::string_view::npos; ++parts)
        end = name.rfind('.', end - 1);
    return end == std::string_view::npos || end <= first ? std::string_view()
                                                         : name.substr(first + 1, end - first - 1);
}

bool holds(std::string_view module, std::string_view other) {
    return module.empty() || (other.size() > module.size() && other.starts_with(module) &&
                              other[module.size()] == '.');
}

}  // namespace

bool is_module(const SourceOp& op) {
    return op.id.op.starts_with("Module.") || op.id.op.starts_with("Cell.");
}

std::vector<const SourceOp*> scan_order(const Source& source) {
    std::vector<const SourceOp*> order;
    order.reserve(source.ops.size());
    std::vector<const SourceOp*> open;
    for (const SourceOp& op : source.ops) {
        if (source.numbered || !is_module(op)) {
            order.push_back(&op);
            continue;
        }
        const std::string_view path = module_path(op.id.op);
        while (!open.empty() && !holds(module_path(open.back()->id.op), path)) {
            order.push_back(open.back());
            open.pop_back();
        }
        open.push_back(&op);
    }
    for (; !open.empty(); open.pop_back())
        order.push_back(open.back());
    return order;
}

}  // namespace npuscope::overflow
