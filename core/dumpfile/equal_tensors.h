// Which tensors a dump holds already. Included by core/dumpfile/*.cpp and their tests.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/dumpfile/content_hash.h"
#include "core/h5/append_writer.h"
#include "core/tensor/tensor.h"

namespace npuscope::dumpfile {

/// Finds equal tensors by two independent 64-bit hashes of all bytes: among a million different
/// tensors two are taken for equal with probability 1e-27.
///
/// A large tensor is hashed only when another one agrees with it in a small part of the elements:
/// that one is then read back from the file, once. So a tensor that has no equal costs no pass over
/// its elements.
class EqualTensors {
  public:
    /// `reads_back` is false where the file cannot give elements back (compressed, or none).
    explicit EqualTensors(bool reads_back) : reads_back_(reads_back) {}

    /// The dataset that equals `elements` stored with these attributes. When there is none the
    /// caller writes them and calls add(). Errors: as AppendWriter::read_back().
    std::optional<h5::AppendWriter::Address> find(const TensorView& elements,
                                                  std::span<const h5::Attribute> attributes,
                                                  h5::AppendWriter& file);
    /// What the last find() was asked for is this dataset.
    void add(h5::AppendWriter::Address dataset, uint64_t elements_address);

  private:
    struct Large {
        h5::AppendWriter::Address dataset = 0;
        uint64_t elements_address = 0;
        uint64_t bytes = 0;
        std::optional<ContentHash> hash;
    };
    struct HashOfHash {
        size_t operator()(const ContentHash& hash) const { return hash.first; }
    };
    std::optional<h5::AppendWriter::Address> find_large(std::span<const std::byte> bytes,
                                                        h5::AppendWriter& file);

    const bool reads_back_;
    std::unordered_map<ContentHash, h5::AppendWriter::Address, HashOfHash> whole_;
    std::unordered_map<ContentHash, std::vector<Large>, HashOfHash> large_;  ///< by a part
    // Of the last find().
    ContentHash asked_;
    bool asked_large_ = false;
    Large asked_for_;
};

}  // namespace npuscope::dumpfile
