#include "npu_backend/kernels/kernel.h"

#include <unordered_map>

#include "core/base/error.h"

namespace npuscope::backend {

namespace {

std::vector<const Kernel*> collect_kernels() {
    std::vector<const Kernel*> rows;
    for (const std::span<const Kernel> family : {
#define KERNELS(family) family##_kernels(),
#include "npu_backend/kernels/kernels.def"
#undef KERNELS
         })
        for (const Kernel& row : family)
            rows.push_back(&row);
    return rows;
}

[[noreturn]] void fail(const KernelCall& call, const std::string& what) {
    throw Error(ErrorKind::kInternal, "kernel " + std::string(call.type) + ": " + what);
}

template <class T>
const T& attribute(const KernelCall& call, std::string_view name) {
    const Value* value = find(call.attributes, name);
    const T* typed = value == nullptr ? nullptr : std::get_if<T>(value);
    if (typed == nullptr) fail(call, "attribute '" + std::string(name) + "' is missing");
    return *typed;
}

}  // namespace

std::string Kernel::evidence() const {
    const bool of_operator = source.empty() || source[0] == ',' || source[0] == ';';
    return (of_operator ? "CANN operator " + std::string(type) : "") + std::string(source);
}

std::span<const Kernel* const> all_kernels() {
    static const std::vector<const Kernel*> rows = collect_kernels();
    return rows;
}

const Kernel* find_kernel(std::string_view type) {
    static const auto index = [] {
        std::unordered_map<std::string_view, const Kernel*> by_type;
        for (const Kernel* row : all_kernels())
            by_type.emplace(row->type, row);
        return by_type;
    }();
    const auto found = index.find(type);
    return found == index.end() ? nullptr : found->second;
}

const Tensor& KernelCall::input(size_t index) const {
    if (index >= inputs.size()) fail(*this, "input " + std::to_string(index) + " is missing");
    return inputs[index];
}

bool KernelCall::has_attribute(std::string_view name) const {
    const Value* value = find(attributes, name);
    return value != nullptr && !is_none(*value);
}

int64_t KernelCall::integer(std::string_view name) const {
    return attribute<int64_t>(*this, name);
}

double KernelCall::number(std::string_view name) const {
    return attribute<double>(*this, name);
}

bool KernelCall::flag(std::string_view name) const {
    return find(attributes, name) != nullptr && attribute<bool>(*this, name);
}

const IntList& KernelCall::ints(std::string_view name) const {
    return attribute<IntList>(*this, name);
}

const std::string& KernelCall::text(std::string_view name) const {
    return attribute<std::string>(*this, name);
}

std::optional<DType> KernelCall::dtype(std::string_view name) const {
    if (!has_attribute(name)) return std::nullopt;
    return attribute<DType>(*this, name);
}

void KernelCall::reject(const std::string& what) const {
    throw Error(ErrorKind::kUsage, "kernel " + std::string(type) + ": " + what);
}

void KernelCall::refuse(DType dtype) const {
    throw Error(ErrorKind::kUnsupported,
                "kernel " + std::string(type) + " does not take " + std::string(name_of(dtype)));
}

}  // namespace npuscope::backend
