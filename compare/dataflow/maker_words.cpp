#include "compare/dataflow/maker_words.h"

#include "core/base/error.h"

namespace npuscope::compare {

namespace {

std::string module_of(const SourceOp& op) try {
    return op.facts ? op.facts().recorded.source.module : "";
} catch (const Error&) {
    return "";
}

}  // namespace

std::string maker_words(const Side& side, size_t maker, size_t user) {
    const SourceOp& op = side.source.ops[maker];
    const std::string module = module_of(op);
    if (module.empty() || module == module_of(side.source.ops[user])) return op.path;
    return op.path + " (" + module + ")";
}

}  // namespace npuscope::compare
