// A large group that grows: a symbol table of which each state shares with the one before whatever
// did not change. Included by core/h5/*.cpp and their tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/h5/append_file.h"

namespace npuscope::h5 {

/// Names and addresses of objects, sorted by name, in a B-tree whose changed branches are written
/// anew, from the leaf to the root. The names lie in a local heap that grows in space reserved for
/// it, behind what an earlier state uses; a full one is written anew, twice as large.
///
/// Cost    put() O(log n); write() a branch (about 1.4 KB) per leaf that changed, a leaf takes
/// eight. Source  HDF5 File Format Specification 3.0, III.A.1 (version 1 B-trees, groups), III.C
/// (symbol
///         table nodes), III.D (local heaps). Sizes of nodes are those of a superblock that names
///         none. Siblings of nodes are named in the last state only (see write()).
class SymbolTree {
  public:
    /// Adds the name, or gives it another object.
    void put(std::string_view name, uint64_t object);
    [[nodiscard]] bool contains(std::string_view name) const;
    [[nodiscard]] size_t size() const { return size_; }
    /// Upper bound of the bytes that the next write() appends.
    [[nodiscard]] uint64_t write_bound() const;

    /// Writes what changed and returns the address of the group's object header. `last`: the nodes
    /// of the tree are all written anew and name their siblings, which needs addresses on both
    /// sides; readers find everything without.
    uint64_t write(AppendFile& file, bool last);

  private:
    static constexpr size_t kLeafSymbols = 8;
    static constexpr size_t kNodeChildren = 32;

    struct Symbol {
        uint64_t name = 0;  ///< offset in the heap
        uint64_t object = 0;
    };
    struct Leaf {
        uint64_t address = 0;  ///< 0: changed since it was written
        uint32_t count = 0;
        std::array<Symbol, kLeafSymbols> symbols;
    };
    struct Node {
        uint64_t address = 0;
        uint32_t count = 0;
        std::array<uint32_t, kNodeChildren> children;  ///< in the level below; leaves below level 0
    };
    /// The way down to a leaf: the node of each level and the child taken there.
    struct Step {
        uint32_t node = 0;
        uint32_t child = 0;
    };

    [[nodiscard]] std::string_view name_at(uint64_t offset) const { return heap_.data() + offset; }
    /// Of a child of a node on that level.
    [[nodiscard]] uint64_t first_name_of(size_t level, uint32_t child) const;
    [[nodiscard]] uint64_t last_name_of(size_t level, uint32_t child) const;
    /// The leaf where the name is or belongs; fills path_, the root's step last.
    [[nodiscard]] uint32_t find_leaf(std::string_view name) const;
    [[nodiscard]] uint32_t position_in(const Leaf& leaf, std::string_view name) const;
    uint64_t keep_name(std::string_view name);
    void insert_symbol(uint32_t leaf, uint32_t at, const Symbol& symbol);
    void insert_child(size_t level, uint32_t child);
    void touch_path();

    void write_leaves(AppendFile& file);
    void write_level(AppendFile& file, size_t level, bool last);
    uint64_t write_heap(AppendFile& file);
    [[nodiscard]] std::vector<uint32_t> in_order(size_t level) const;

    std::string heap_;
    uint64_t heap_address_ = 0;
    uint64_t heap_capacity_ = 0;
    uint64_t heap_written_ = 0;
    std::vector<Leaf> leaves_;
    std::vector<std::vector<Node>> levels_;  ///< [0] stands on the leaves; one node on top
    mutable std::vector<Step> path_;
    std::vector<uint32_t> changed_leaves_;
    std::vector<std::vector<uint32_t>> changed_nodes_;
    size_t size_ = 0;
};

}  // namespace npuscope::h5
