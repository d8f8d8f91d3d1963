// What an op is recognised by when two recordings are aligned, in numbers that both sides share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::compare {

/// Equal numbers mean equal things, on either side. Hashes of shapes know no dimensions of 1, no
/// order of tensors, and no tensors without elements; a `linear` has the shapes of an `addmm`.
struct OpTraits {
    int32_t name = 0;      ///< what it computes, whatever it is called
    int32_t place = -1;    ///< module, else node; -1: not told
    int32_t line = -1;     ///< source line; -1: not told
    uint64_t inputs = 0;   ///< of all; 0 where a side records none
    uint64_t output = 0;   ///< of the first
    int32_t rank = 0;      ///< of the first output
    bool is_cast = false;  ///< it only copies, to another dtype perhaps, or makes room for that

    /// Name and shapes: equal of ops that are alike.
    using Key = std::tuple<int32_t, uint64_t, uint64_t>;
    [[nodiscard]] Key key() const { return {name, inputs, output}; }
    [[nodiscard]] bool is_alike(const OpTraits& other) const { return key() == other.key(); }
    [[nodiscard]] bool is_elsewhere(const OpTraits& other) const {
        return place >= 0 && other.place >= 0 && place != other.place;
    }
};

/// Hash of one shape.
[[nodiscard]] uint64_t shape_hash(const Shape& shape);

/// The ops of one side.
struct SideTraits {
    std::vector<OpTraits> ops;
    std::vector<std::vector<Shape>> inputs;  ///< shapes of an op's inputs
    std::vector<Shape> outputs;              ///< shape of its first output
};

struct BothTraits {
    SideTraits target;
    SideTraits golden;
    std::unordered_map<std::string, int32_t> names;

    /// -1 where no op of either side has it.
    [[nodiscard]] int32_t name_id(const std::string& name) const;
};

/// Of every op of two dumps: reads shapes and places, no elements. Places are forgotten where the
/// sides call hardly any by one name. An op that cannot be read has no shapes.
[[nodiscard]] BothTraits read_traits(const Source& target, const Source& golden);

}  // namespace npuscope::compare
