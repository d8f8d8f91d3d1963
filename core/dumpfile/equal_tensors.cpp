#include "core/dumpfile/equal_tensors.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace npuscope::dumpfile {

namespace {

// Below it a pass over the elements costs less than the rest of a dataset.
constexpr size_t kLargeBytes = size_t{64} << 10;
constexpr size_t kBlockBytes = size_t{1} << 20;

/// Shape, dtype and attributes as one text; the strides follow from the shape.
ContentHash head_hash(const TensorView& elements, std::span<const h5::Attribute> attributes) {
    std::string text = to_string(elements.shape) + std::string(name_of(elements.dtype));
    for (const h5::Attribute& attribute : attributes) {
        text += '\n' + attribute.name + '=';
        if (const auto* number = std::get_if<int32_t>(&attribute.value))
            text += std::to_string(*number);
        else if (const auto* word = std::get_if<std::string>(&attribute.value))
            text += *word;
    }
    return content_hash(std::as_bytes(std::span(text)));
}

ContentHash joined(const ContentHash& head, std::span<const std::byte> bytes) {
    const ContentHash body = content_hash(bytes, head.first);
    return {body.first, body.second ^ head.second};
}

/// Of some lines of 64 bytes, evenly spread, the first and the last among them.
ContentHash part_hash(const ContentHash& head, std::span<const std::byte> bytes) {
    constexpr size_t kLines = 64;
    constexpr size_t kLineBytes = 64;
    std::array<std::byte, kLines * kLineBytes> lines;
    for (size_t i = 0; i < kLines; ++i)
        std::memcpy(lines.data() + i * kLineBytes,
                    bytes.data() + (bytes.size() - kLineBytes) / (kLines - 1) * i,
                    kLineBytes);
    return joined(head, lines);
}

/// Block after block, so that what is read back needs no more memory than one.
ContentHash next_hash(const ContentHash& so_far, std::span<const std::byte> block) {
    const ContentHash body = content_hash(block, so_far.first);
    return {body.first, body.second + 31 * so_far.second};
}

ContentHash hash_of(std::span<const std::byte> bytes) {
    ContentHash hash{};
    for (size_t at = 0; at < bytes.size(); at += kBlockBytes)
        hash = next_hash(hash, bytes.subspan(at, std::min(kBlockBytes, bytes.size() - at)));
    return hash;
}

ContentHash hash_in_file(h5::AppendWriter& file, uint64_t address, uint64_t bytes) {
    ContentHash hash{};
    std::vector<std::byte> block;
    for (uint64_t at = 0; at < bytes; at += kBlockBytes) {
        block.resize(std::min<uint64_t>(kBlockBytes, bytes - at));
        file.read_back(address + at, block);
        hash = next_hash(hash, block);
    }
    return hash;
}

}  // namespace

std::optional<h5::AppendWriter::Address> EqualTensors::find(
    const TensorView& elements, std::span<const h5::Attribute> attributes, h5::AppendWriter& file) {
    const ContentHash head = head_hash(elements, attributes);
    const std::span<const std::byte> bytes(elements.data, elements.nbytes());
    asked_large_ = reads_back_ && bytes.size() >= kLargeBytes;
    if (asked_large_) {
        asked_ = part_hash(head, bytes);
        return find_large(bytes, file);
    }
    asked_ = joined(head, bytes);
    const auto found = whole_.find(asked_);
    if (found == whole_.end()) return std::nullopt;
    return found->second;
}

std::optional<h5::AppendWriter::Address> EqualTensors::find_large(std::span<const std::byte> bytes,
                                                                  h5::AppendWriter& file) {
    asked_for_ = {0, 0, bytes.size(), std::nullopt};
    const auto alike = large_.find(asked_);
    if (alike == large_.end()) return std::nullopt;
    asked_for_.hash = hash_of(bytes);
    for (Large& other : alike->second) {
        if (!other.hash) other.hash = hash_in_file(file, other.elements_address, other.bytes);
        if (*other.hash == *asked_for_.hash) return other.dataset;
    }
    return std::nullopt;
}

void EqualTensors::add(h5::AppendWriter::Address dataset, uint64_t elements_address) {
    if (!asked_large_) {
        whole_.emplace(asked_, dataset);
        return;
    }
    asked_for_.dataset = dataset;
    asked_for_.elements_address = elements_address;
    large_[asked_].push_back(asked_for_);
}

}  // namespace npuscope::dumpfile
