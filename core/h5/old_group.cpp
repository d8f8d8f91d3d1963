#include "core/h5/old_group.h"

namespace npuscope::h5 {

namespace {
constexpr int kDeepestTree = 16;
constexpr uint32_t kSoftLink = 2;
}  // namespace

void SymbolTable::open_heap(uint64_t address) {
    Cursor in = file_.at(address);
    in.expect("HEAP");
    if (in.u8() != 0) throw Damaged{"its names are of an unknown kind"};
    in.skip(3);
    const uint64_t size = in.u64();
    in.skip(8);  // free space
    names_ = file_.at(in.u64(), size);
}

SymbolTable::TreeNode SymbolTable::open_node(uint64_t address, int level) {
    limit_.require(1);
    Cursor in = file_.at(address);
    in.expect("TREE");
    if (in.u8() != 0) throw Damaged{"its list of links is of another kind"};
    TreeNode node;
    node.level = in.u8();
    if (level >= 0 ? node.level != level : node.level > kDeepestTree)
        throw Damaged{"its list of links is no tree"};
    node.children = in.u16();
    in.skip(8 + 8);  // the siblings
    node.entries = in.part(uint64_t{16} * node.children);
    return node;
}

Cursor SymbolTable::open_leaf(uint64_t address, unsigned& count) {
    constexpr uint64_t kEntrySize = 40;
    limit_.require(1);
    Cursor in = file_.at(address);
    in.expect("SNOD");
    if (in.u8() != 1) throw Damaged{"its links are of an unknown kind"};
    in.skip(1);
    count = in.u16();
    return in.part(kEntrySize * count);
}

Symbol SymbolTable::read_symbol(Cursor& in) {
    const uint64_t name_at = in.u64();
    Symbol symbol;
    symbol.address = in.u64();
    symbol.is_soft = in.u32() == kSoftLink;
    in.skip(4 + 16);
    Cursor name = names_;
    name.skip(name_at);
    const auto* begin = reinterpret_cast<const char*>(name.position());
    const size_t length = strnlen(begin, name.left());
    if (length == name.left()) throw Damaged{"a link's name has no end"};
    symbol.name = {begin, length};
    limit_.require(1 + length / 16);
    return symbol;
}

}  // namespace npuscope::h5
