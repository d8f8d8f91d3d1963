#include "core/h5/index.h"

#include <algorithm>
#include <cstring>

#include "core/h5/mapped_file.h"

namespace npuscope::h5 {

std::string Index::path(int32_t node) const {
    if (node == 0) return "/";
    std::vector<std::string_view> names;
    size_t length = 0;
    for (int32_t at = node; at > 0; at = (*this)[at].parent) {
        names.push_back((*this)[at].name);
        length += names.back().size() + 1;
    }
    std::string path;
    path.reserve(length);
    for (auto name = names.rbegin(); name != names.rend(); ++name)
        path.append("/").append(*name);
    return path;
}

int32_t Index::find(std::string_view path) const {
    int32_t node = 0;
    while (node >= 0) {
        while (path.starts_with('/'))
            path.remove_prefix(1);
        if (path.empty()) return node;
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(name.size());
        int32_t child = (*this)[node].first_child;
        while (child >= 0 && (*this)[child].name != name)
            child = (*this)[child].next_sibling;
        node = child;
    }
    return -1;
}

DatasetInfo Index::dataset(int32_t node) const {
    const Node& of = (*this)[node];
    if (of.library_info >= 0) return library_infos_[static_cast<size_t>(of.library_info)];
    DatasetInfo found;
    found.dtype = of.dtype;
    found.big_endian = of.big_endian;
    if (of.is_text) {
        found.numpy_name = "|S" + std::to_string(of.element_bytes);
    } else if (of.dtype && of.big_endian) {
        found.numpy_name = info(*of.dtype).numpy_descr;
        if (!found.numpy_name.empty()) found.numpy_name[0] = '>';
    } else if (of.dtype) {
        found.numpy_name = name_of(*of.dtype);
    }
    const auto dims = shape(node);
    found.shape.assign(dims.begin(), dims.end());
    found.null_space = of.null_space;
    found.storage_bytes = of.storage_bytes;
    if (of.storage_offset != Node::kNoOffset && !of.is_compact) found.offset = of.storage_offset;
    return found;
}

void Index::release_pages() const {
    if (mapping_) mapping_->release(0, bytes_.size());
}

std::optional<std::string_view> Index::stored_text(int32_t node) const {
    const Node& of = (*this)[node];
    const auto dims = shape(node);
    const bool is_single =
        std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim == 1; });
    if (!of.is_text || of.null_space || !is_single || of.storage_offset > bytes_.size() ||
        of.storage_bytes < of.element_bytes || bytes_.size() - of.storage_offset < of.element_bytes)
        return std::nullopt;
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + of.storage_offset);
    return std::string_view(text, strnlen(text, of.element_bytes));
}

std::vector<std::string_view> Index::attribute_names(int32_t node) const {
    std::vector<std::string_view> names;
    const Node& of = (*this)[node];
    for (uint32_t i = 0; i < of.attribute_count; ++i) {
        const std::string_view name =
            attribute_names_[attributes_[size_t{of.first_attribute} + i].name];
        if (!name.empty()) names.push_back(name);
    }
    return names;
}

const Index::Attribute* Index::attribute(int32_t node, std::string_view name) const {
    const Node& of = (*this)[node];
    for (uint32_t i = 0; i < of.attribute_count; ++i) {
        const Attribute& candidate = attributes_[size_t{of.first_attribute} + i];
        if (attribute_names_[candidate.name] == name) return &candidate;
    }
    return nullptr;
}

std::optional<int64_t> Index::integer(int32_t node, std::string_view attribute) const {
    const auto list = integers(node, attribute);
    if (!list || list->size() != 1) return std::nullopt;
    return list->front();
}

std::optional<std::span<const int64_t>> Index::integers(int32_t node,
                                                        std::string_view attribute) const {
    const Attribute* found = this->attribute(node, attribute);
    if (found == nullptr) return std::nullopt;
    if (found->kind == Attribute::kInteger) return std::span(&found->integer, 1);
    if (found->kind == Attribute::kIntegers)
        return std::span(integers_).subspan(found->first, found->count);
    return std::nullopt;
}

std::optional<std::string_view> Index::text(int32_t node, std::string_view attribute) const {
    const Attribute* found = this->attribute(node, attribute);
    if (found == nullptr || found->kind != Attribute::kText) return std::nullopt;
    return std::string_view(found->text, found->count);
}

}  // namespace npuscope::h5
