#include "core/h5/symbol_tree.h"

#include <algorithm>

#include "core/h5/byte_builder.h"
#include "core/h5/format_cursor.h"
#include "core/h5/object_header.h"

namespace npuscope::h5 {

namespace {

constexpr uint64_t kAlignment = 8;
constexpr uint64_t kSymbolBytes = 40;
constexpr uint64_t kLeafHead = 8;
constexpr uint64_t kNodeHead = 24;
constexpr uint64_t kHeapHead = 32;
constexpr uint64_t kGroupBytes = 40;
constexpr uint64_t kFirstHeap = 512;

/// Puts `value` at `at`, and what was there behind it, into an array that holds `count`.
template <class Array, class Value>
void insert_at(Array& array, uint32_t& count, uint32_t at, const Value& value) {
    std::copy_backward(array.begin() + at, array.begin() + count, array.begin() + count + 1);
    array[at] = value;
    ++count;
}

}  // namespace

uint64_t SymbolTree::first_name_of(size_t level, uint32_t child) const {
    for (; level > 0; --level)
        child = levels_[level - 1][child].children[0];
    return leaves_[child].symbols[0].name;
}

uint64_t SymbolTree::last_name_of(size_t level, uint32_t child) const {
    for (; level > 0; --level) {
        const Node& node = levels_[level - 1][child];
        child = node.children[node.count - 1];
    }
    return leaves_[child].symbols[leaves_[child].count - 1].name;
}

/// A name between two leaves belongs to the left one: names that come in order fill it then.
uint32_t SymbolTree::find_leaf(std::string_view name) const {
    path_.assign(levels_.size(), {});
    uint32_t index = 0;
    for (size_t level = levels_.size(); level-- > 0;) {
        const Node& node = levels_[level][index];
        const auto begin = node.children.begin();
        const auto behind = std::upper_bound(
            begin + 1, begin + node.count, name, [&](std::string_view wanted, uint32_t child) {
                return wanted < name_at(first_name_of(level, child));
            });
        path_[level] = {index, static_cast<uint32_t>(behind - begin) - 1};
        index = *(behind - 1);
    }
    return index;
}

uint32_t SymbolTree::position_in(const Leaf& leaf, std::string_view name) const {
    const auto begin = leaf.symbols.begin();
    const auto found = std::lower_bound(
        begin, begin + leaf.count, name, [&](const Symbol& symbol, std::string_view wanted) {
            return name_at(symbol.name) < wanted;
        });
    return static_cast<uint32_t>(found - begin);
}

bool SymbolTree::contains(std::string_view name) const {
    if (size_ == 0) return false;
    const Leaf& leaf = leaves_[find_leaf(name)];
    const uint32_t at = position_in(leaf, name);
    return at < leaf.count && name_at(leaf.symbols[at].name) == name;
}

uint64_t SymbolTree::keep_name(std::string_view name) {
    if (heap_.empty()) heap_.assign(kAlignment, '\0');  // the name at 0 is the empty one
    const uint64_t offset = heap_.size();
    heap_.append(name);
    heap_.resize(padded(heap_.size() + 1), '\0');
    return offset;
}

void SymbolTree::put(std::string_view name, uint64_t object) {
    if (size_ == 0) {
        const uint64_t kept = keep_name(name);
        leaves_ = {Leaf{0, 1, {Symbol{kept, object}}}};
        levels_ = {{Node{0, 1, {0}}}};
        changed_leaves_ = {0};
        changed_nodes_ = {{0}};
        size_ = 1;
        return;
    }
    const uint32_t index = find_leaf(name);
    Leaf& leaf = leaves_[index];
    const uint32_t at = position_in(leaf, name);
    touch_path();
    if (leaf.address != 0) changed_leaves_.push_back(index);
    leaf.address = 0;
    if (at < leaf.count && name_at(leaf.symbols[at].name) == name) {
        leaf.symbols[at].object = object;
        return;
    }
    insert_symbol(index, at, {keep_name(name), object});
    ++size_;
}

void SymbolTree::touch_path() {
    for (size_t level = 0; level < levels_.size(); ++level) {
        Node& node = levels_[level][path_[level].node];
        if (node.address != 0) changed_nodes_[level].push_back(path_[level].node);
        node.address = 0;
    }
}

/// A full leaf is cut where the new symbol goes, so that names that come in order fill the leaves.
void SymbolTree::insert_symbol(uint32_t index, uint32_t at, const Symbol& symbol) {
    Leaf& leaf = leaves_[index];
    if (leaf.count < kLeafSymbols) {
        insert_at(leaf.symbols, leaf.count, at, symbol);
    } else {
        Leaf right;
        std::copy(leaf.symbols.begin() + at, leaf.symbols.end(), right.symbols.begin());
        right.count = leaf.count - at;
        leaf.count = at;
        if (at < kLeafSymbols)
            insert_at(leaf.symbols, leaf.count, at, symbol);
        else
            insert_at(right.symbols, right.count, 0, symbol);
        const auto added = static_cast<uint32_t>(leaves_.size());
        leaves_.push_back(right);
        changed_leaves_.push_back(added);
        insert_child(0, added);
    }
}

/// Behind the child that the path takes; a full node is cut as a leaf is.
void SymbolTree::insert_child(size_t level, uint32_t child) {
    std::vector<Node>& nodes = levels_[level];
    const uint32_t index = path_[level].node;
    const uint32_t at = path_[level].child + 1;
    if (nodes[index].count < kNodeChildren) {
        insert_at(nodes[index].children, nodes[index].count, at, child);
        return;
    }
    Node right;
    Node& left = nodes[index];
    std::copy(left.children.begin() + at, left.children.end(), right.children.begin());
    right.count = left.count - at;
    left.count = at;
    insert_at(right.children, right.count, 0, child);
    const auto added = static_cast<uint32_t>(nodes.size());
    nodes.push_back(right);
    changed_nodes_[level].push_back(added);
    if (level + 1 < levels_.size()) {
        insert_child(level + 1, added);
        return;
    }
    levels_.push_back({Node{0, 2, {index, added}}});
    changed_nodes_.push_back({0});
}

std::vector<uint32_t> SymbolTree::in_order(size_t level) const {
    std::vector<uint32_t> order = {0};
    for (size_t above = levels_.size() - 1; above > level; --above) {
        std::vector<uint32_t> next;
        for (const uint32_t index : order) {
            const Node& node = levels_[above][index];
            next.insert(next.end(), node.children.begin(), node.children.begin() + node.count);
        }
        order = std::move(next);
    }
    return order;
}

uint64_t SymbolTree::write_bound() const {
    constexpr uint64_t kNodeBytes = kNodeHead + 8 * (2 * kNodeChildren + 1);
    uint64_t nodes = 0;
    for (const auto& level : levels_)
        nodes += level.size();
    return changed_leaves_.size() * (kLeafHead + kLeafSymbols * kSymbolBytes) + nodes * kNodeBytes +
           kHeapHead + kGroupBytes + std::max(kFirstHeap, 2 * heap_.size());
}

void SymbolTree::write_leaves(AppendFile& file) {
    ByteBuilder out;
    for (const uint32_t index : changed_leaves_) {
        Leaf& leaf = leaves_[index];
        out.clear();
        out.text("SNOD");
        out.u8(1);
        out.u8(0);
        out.u16(static_cast<uint16_t>(leaf.count));
        for (uint32_t i = 0; i < leaf.count; ++i) {
            out.u64(leaf.symbols[i].name);
            out.u64(leaf.symbols[i].object);
            out.zeros(kSymbolBytes - 16);  // nothing is cached here
        }
        out.zeros((kLeafSymbols - leaf.count) * kSymbolBytes);
        leaf.address = file.append(out.bytes(), kAlignment);
    }
    changed_leaves_.clear();
}

void SymbolTree::write_level(AppendFile& file, size_t level, bool last) {
    constexpr uint64_t kNodeBytes = kNodeHead + 8 * (2 * kNodeChildren + 1);
    std::vector<uint32_t>& changed = changed_nodes_[level];
    if (last) changed = in_order(level);
    ByteBuilder out;
    for (size_t i = 0; i < changed.size(); ++i) {
        Node& node = levels_[level][changed[i]];
        const uint64_t here = padded(file.end());
        const bool has_left = last && i > 0;
        const bool has_right = last && i + 1 < changed.size();
        out.clear();
        out.text("TREE");
        out.u8(0);
        out.u8(static_cast<uint8_t>(level));
        out.u16(static_cast<uint16_t>(node.count));
        out.u64(has_left ? here - kNodeBytes : kUndefinedAddress);
        out.u64(has_right ? here + kNodeBytes : kUndefinedAddress);
        // Keys are names: all below a child come behind its left key and not behind its right one.
        // The empty name is a left key that stays right whatever the left sibling takes later.
        out.u64(has_left ? last_name_of(level + 1, changed[i - 1]) : 0);
        for (uint32_t k = 0; k < node.count; ++k) {
            const uint32_t child = node.children[k];
            out.u64(level == 0 ? leaves_[child].address : levels_[level - 1][child].address);
            out.u64(last_name_of(level, child));
        }
        out.zeros(kNodeBytes - out.size());
        node.address = file.append(out.bytes(), kAlignment);
    }
    changed.clear();
}

/// The address of the heap's head.
uint64_t SymbolTree::write_heap(AppendFile& file) {
    if (heap_.size() > heap_capacity_) {
        heap_capacity_ = std::max(kFirstHeap, 2 * heap_.size());
        heap_address_ = file.reserve(heap_capacity_, kAlignment);
        heap_written_ = 0;
    }
    const auto added = std::as_bytes(std::span(heap_)).subspan(heap_written_);
    if (!added.empty()) file.write_reserved(heap_address_ + heap_written_, added);
    heap_written_ = heap_.size();
    constexpr uint64_t kNothingFree = 1;
    ByteBuilder out;
    out.text("HEAP");
    out.u32(0);  // version and three reserved bytes
    out.u64(heap_.size());
    out.u64(kNothingFree);
    out.u64(heap_address_);
    return file.append(out.bytes(), kAlignment);
}

uint64_t SymbolTree::write(AppendFile& file, bool last) {
    write_leaves(file);
    for (size_t level = 0; level < levels_.size(); ++level)
        write_level(file, level, last);
    const uint64_t heap = write_heap(file);
    constexpr uint16_t kMessageBytes = 16;
    ByteBuilder out;
    out.u16(1);  // version
    out.u16(1);  // one message
    out.u32(1);  // one link leads here
    out.u32(8 + kMessageBytes);
    out.u32(0);
    out.u16(static_cast<uint16_t>(MessageType::kSymbolTable));
    out.u16(kMessageBytes);
    out.u32(0);  // flags and three reserved bytes
    out.u64(levels_.back()[0].address);
    out.u64(heap);
    return file.append(out.bytes(), kAlignment);
}

}  // namespace npuscope::h5
