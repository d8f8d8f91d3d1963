#include "core/h5/index_builder.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/h5/mapped_file.h"

namespace npuscope::h5 {

namespace {
constexpr size_t kMostWarnings = 20;
constexpr uint64_t kLeastLinkBytes = 8;
constexpr uint64_t kAlwaysAllowed = uint64_t{1} << 16;
// A walk touches every page of a file of small tensors, and beside each header of a file of large
// ones the system maps what it has at hand.
constexpr size_t kNodesBetweenReleases = 256;
constexpr size_t kTextBlock = size_t{64} << 10;
}  // namespace

IndexBuilder::IndexBuilder(uint64_t file_bytes, std::shared_ptr<const MappedFile> mapping)
    : mapping_(std::move(mapping)),
      most_nodes_(std::min<uint64_t>(file_bytes / kLeastLinkBytes + kAlwaysAllowed,
                                     std::numeric_limits<int32_t>::max())) {
    index_.attribute_names_.emplace_back();
    name_numbers_.emplace(std::string_view(), 0);
}

int32_t IndexBuilder::add(int32_t parent, std::string_view name) {
    if (mapping_ && index_.nodes_.size() % kNodesBetweenReleases == kNodesBetweenReleases - 1)
        mapping_->release(0, mapping_->bytes().size());
    Node& node = index_.nodes_.emplace_back();
    node.name = keep(name);
    node.parent = parent;
    node.first_dim = static_cast<uint32_t>(index_.dims_.size());
    node.first_attribute = static_cast<uint32_t>(index_.attributes_.size());
    return static_cast<int32_t>(index_.nodes_.size() - 1);
}

void IndexBuilder::hang(int32_t node, int32_t previous) {
    if (previous >= 0)
        (*this)[previous].next_sibling = node;
    else if ((*this)[node].parent >= 0)
        (*this)[(*this)[node].parent].first_child = node;
}

void IndexBuilder::remove_from(int32_t node) {
    index_.dims_.resize((*this)[node].first_dim);
    index_.attributes_.resize((*this)[node].first_attribute);
    index_.nodes_.resize(static_cast<size_t>(node));
}

void IndexBuilder::set_shape(int32_t node, std::span<const int64_t> dims) {
    Node& of = (*this)[node];
    index_.dims_.resize(of.first_dim);
    index_.dims_.insert(index_.dims_.end(), dims.begin(), dims.end());
    of.rank = static_cast<uint8_t>(dims.size());
}

void IndexBuilder::set_stored(int32_t node, const StoredChunks& stored) {
    (*this)[node].stored = static_cast<int32_t>(index_.stored_.size());
    index_.stored_.push_back(stored);
}

void IndexBuilder::set_library_info(int32_t node, DatasetInfo info) {
    set_shape(node, info.shape);
    Node& of = (*this)[node];
    of.dtype = info.dtype;
    of.big_endian = info.big_endian;
    of.null_space = info.null_space;
    of.storage_bytes = info.storage_bytes;
    of.storage_offset = info.offset.value_or(Node::kNoOffset);
    if (info.dtype) of.element_bytes = static_cast<uint32_t>(size_of(*info.dtype));
    of.needs_library = true;
    of.library_info = static_cast<int32_t>(index_.library_infos_.size());
    index_.library_infos_.push_back(std::move(info));
}

void IndexBuilder::reset(int32_t node) {
    const Node old = (*this)[node];
    index_.dims_.resize(old.first_dim);
    Node fresh;
    fresh.name = old.name;
    fresh.parent = old.parent;
    fresh.first_dim = old.first_dim;
    fresh.first_attribute = old.first_attribute;
    fresh.attribute_count = old.attribute_count;
    fresh.damaged_attributes = old.damaged_attributes;
    (*this)[node] = fresh;
}

uint32_t IndexBuilder::number_of(std::string_view name, size_t position) {
    const size_t place = position % last_names_.size();
    if (index_.attribute_names_[last_names_[place]] == name) return last_names_[place];
    const auto next = static_cast<uint32_t>(index_.attribute_names_.size());
    const auto [known, is_new] = name_numbers_.try_emplace(name, next);
    if (is_new) index_.attribute_names_.push_back(name);
    return last_names_[place] = known->second;
}

Index::Attribute& IndexBuilder::add_attribute(std::string_view name, Index::Attribute::Kind kind) {
    Node& node = index_.nodes_.back();
    const uint32_t number = number_of(name, node.attribute_count);
    ++node.attribute_count;
    Index::Attribute& attribute = index_.attributes_.emplace_back();
    attribute.name = number & ((1U << 30) - 1);
    attribute.kind = kind;
    attribute.count = 0;
    attribute.first = 0;
    return attribute;
}

void IndexBuilder::add_integers(std::string_view name, std::span<const int64_t> values) {
    if (values.size() == 1) {
        add_attribute(name, Index::Attribute::kInteger).integer = values.front();
        return;
    }
    Index::Attribute& attribute = add_attribute(name, Index::Attribute::kIntegers);
    attribute.first = index_.integers_.size();
    attribute.count = static_cast<uint32_t>(values.size());
    index_.integers_.insert(index_.integers_.end(), values.begin(), values.end());
}

void IndexBuilder::add_text(std::string_view name, std::string_view text) {
    Index::Attribute& attribute = add_attribute(name, Index::Attribute::kText);
    attribute.text = text.data();
    attribute.count = static_cast<uint32_t>(text.size());
}

void IndexBuilder::add_other(std::string_view name) {
    add_attribute(name, Index::Attribute::kOther);
}

void IndexBuilder::clear_attributes() {
    Node& node = index_.nodes_.back();
    index_.attributes_.resize(node.first_attribute);
    node.attribute_count = 0;
}

std::string_view IndexBuilder::keep(std::string_view text) {
    auto& blocks = index_.kept_;
    if (blocks.empty() || blocks.back().capacity() - blocks.back().size() < text.size()) {
        blocks.emplace_back();
        blocks.back().reserve(std::max(kTextBlock, text.size()));
    }
    std::string& block = blocks.back();
    const size_t start = block.size();
    block += text;  // within its capacity: earlier views stay good
    return std::string_view(block).substr(start);
}

void IndexBuilder::warn(const std::string& path, const std::string& reason) {
    ++index_.skipped_count_;
    if (index_.warnings_.size() < kMostWarnings)
        index_.warnings_.push_back(in_quotes(path) + " left out: " + reason);
}

void IndexBuilder::add_warnings(std::span<const std::string> lines, int64_t skipped) {
    index_.skipped_count_ += skipped;
    for (const std::string& line : lines)
        if (index_.warnings_.size() < kMostWarnings) index_.warnings_.push_back(line);
}

std::string IndexBuilder::child_path(int32_t parent, std::string_view name) const {
    std::string path = parent > 0 ? index_.path(parent) : std::string();
    return path.append("/").append(name);
}

Index IndexBuilder::finish(const FileBytes& file,
                           std::span<const std::byte> bytes,
                           std::shared_ptr<const MappedFile> mapping,
                           bool from_mapping) {
    index_.file_ = file;
    index_.bytes_ = bytes;
    index_.mapping_ = std::move(mapping);
    index_.from_mapping_ = from_mapping;
    return std::move(index_);
}

}  // namespace npuscope::h5
