// Lists a group of the classic layout. Included by core/h5/*.cpp only.
#pragma once

#include <string_view>

#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

/// One entry of a symbol table.
struct Symbol {
    std::string_view name;  ///< points into the file
    uint64_t address = 0;   ///< of the object's header
    bool is_soft = false;   ///< a soft link: there is no address
};

/// The symbols below a B-tree (version 1) whose names lie in a local heap, in the tree's order,
/// which is by name.
class SymbolTable {
  public:
    SymbolTable(const FileBytes& file, WorkLimit& limit) : file_(file), limit_(limit) {}

    /// Calls symbol(Symbol) for each, and damage(reason) for each branch that cannot be read; the
    /// others are listed all the same. Throws Damaged when the tree or the heap is not there.
    template <class OnSymbol, class OnDamage>
    void list(uint64_t tree, uint64_t heap, OnSymbol&& symbol, OnDamage&& damage) {
        open_heap(heap);
        list_node(tree, -1, symbol, damage);
    }

  private:
    struct TreeNode {
        int level = 0;
        unsigned children = 0;
        Cursor entries;
    };

    template <class OnSymbol, class OnDamage>
    void list_node(uint64_t address, int level, OnSymbol& symbol, OnDamage& damage) {
        TreeNode node = open_node(address, level);
        for (unsigned i = 0; i < node.children; ++i) {
            node.entries.skip(8);  // the child's first name
            const uint64_t child = node.entries.u64();
            try {
                if (node.level == 0)
                    list_leaf(child, symbol);
                else
                    list_node(child, node.level - 1, symbol, damage);
            } catch (const Damaged& reason) {
                if (limit_.is_spent()) throw;
                damage(reason.reason);
            }
        }
    }
    template <class OnSymbol>
    void list_leaf(uint64_t address, OnSymbol& symbol) {
        unsigned count = 0;
        Cursor in = open_leaf(address, count);
        for (unsigned i = 0; i < count; ++i)
            symbol(read_symbol(in));
    }

    void open_heap(uint64_t address);
    TreeNode open_node(uint64_t address, int level);  ///< level -1: the root, whatever its level
    Cursor open_leaf(uint64_t address, unsigned& count);
    Symbol read_symbol(Cursor& in);

    const FileBytes& file_;
    WorkLimit& limit_;
    Cursor names_;
};

}  // namespace npuscope::h5
