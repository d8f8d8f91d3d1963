#include "core/h5/index_walker.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/h5/global_heap.h"
#include "core/h5/library_access.h"
#include "core/h5/old_group.h"

namespace npuscope::h5 {

namespace {

constexpr const char* kTooMuch = "the file refers to more than it can hold";
constexpr uint16_t kFirstUnknownMessage = 0x19;
constexpr const char* kNoLibrary = "only the HDF5 library can read it";
constexpr const char* kNotOpened = "HDF5 cannot open it";

bool is_name(std::string_view name) {
    return !name.empty() && name != "." && name.find('/') == std::string_view::npos &&
           name.find('\0') == std::string_view::npos;
}

int64_t read_integer(Cursor& in, const Datatype& type) {
    uint64_t bits = in.sized(type.size);
    const unsigned unused = 64 - 8 * type.size;
    if (type.big_endian) bits = __builtin_bswap64(bits) >> unused;
    if (type.is_signed) return static_cast<int64_t>(bits << unused) >> unused;
    // The library clips what a signed number cannot hold.
    constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::min(bits, kLargest));
}

}  // namespace

IndexWalker::IndexWalker(const Superblock& superblock, IndexBuilder& out, LibraryAccess* library)
    : superblock_(superblock),
      limit_(superblock_.file.size()),
      header_(superblock_.file, limit_),
      out_(out),
      library_(library) {}

void IndexWalker::require_plain_extension() {
    if (superblock_.extension == kUndefinedAddress) return;
    constexpr uint16_t kCacheImage = 0x18;
    header_.for_each_message(superblock_.extension, [](const Message& message) {
        // Metadata lies in the image then, not in its places.
        if (static_cast<uint16_t>(message.type) >= kCacheImage)
            throw Unsupported{"a metadata cache image"};
    });
}

void IndexWalker::walk() {
    require_plain_extension();
    read_object(out_.add(-1, ""), superblock_.root);
}

void IndexWalker::warn_of_link(int32_t parent, std::string_view name, const char* reason) {
    out_.warn(out_.child_path(parent, name), reason);
}

/// The number of the new node, -1 when there is none.
int32_t IndexWalker::walk_link(int32_t parent, const Link& link) {
    if (!is_name(link.name)) {
        warn_of_link(parent, link.name, "its name is none");
        return -1;
    }
    const int32_t node = out_.add(parent, link.name);
    const auto give_up = [&, groups = above_.size(), links = links_.size()](const char* reason) {
        drop(node, reason);
        above_.resize(groups);
        links_.resize(links);
        return -1;
    };
    try {
        if (link.is_hard)
            read_object(node, link.address);
        else if (!follow(node))
            return -1;
        return node;
    } catch (const Damaged& damage) {
        return give_up(damage.reason);
    } catch (const Unsupported& odd) {
        return give_up(odd.reason);
    } catch (const Error& error) {
        return give_up(error.what());
    }
}

void IndexWalker::drop(int32_t node, const std::string& reason) {
    const std::string path = out_.path(node);
    out_.remove_from(node);
    out_.warn(path, reason);
}

/// A soft or external link: the library finds its object. False, and the node is gone, when there
/// is none.
bool IndexWalker::follow(int32_t node) {
    if (library_ == nullptr) throw Unsupported{kNoLibrary};
    const std::string path = out_.path(node);
    const auto target = library_->resolve(path);
    if (!target) {
        out_.remove_from(node);
        return false;
    }
    if (!target->refusal.empty()) throw Error(ErrorKind::kFormat, target->refusal);
    if (target->is_in_this_file)
        read_object(node, target->address);
    else if (!library_->read_tree(path, node, out_))
        throw Damaged{kNotOpened};
    return true;
}

void IndexWalker::read_object(int32_t node, uint64_t address) {
    Object object;
    const size_t first_link = links_.size();
    try {
        header_.for_each_message(address,
                                 [&](const Message& message) { note(node, message, object); });
    } catch (const Unsupported& odd) {
        object = Object();
        object.unsupported = odd.reason;
    }
    if (object.library_attributes) read_attributes_by_library(node);
    if (object.is_old_group || object.is_new_group) {
        out_[node].kind = ObjectKind::kGroup;
        walk_group(node, address, object, first_link);
    } else if (object.unsupported != nullptr) {
        links_.resize(first_link);
        read_by_library(node, address);
    } else if (object.type && object.space) {
        out_[node].kind = ObjectKind::kDataset;
        try {
            read_dataset(node, object);
        } catch (const Unsupported&) {
            read_by_library(node, address);
        }
    } else if (!object.type) {
        throw Damaged{"its header names no kind of object"};
    }
}

void IndexWalker::note(int32_t node, const Message& message, Object& object) {
    const auto keep = [&](std::optional<Cursor>& place) {
        if (message.is_shared())
            object.unsupported = "a shared message";
        else if (!place)
            place = message.content;
    };
    Cursor in = message.content;
    switch (message.type) {
        case MessageType::kDataspace:
            return keep(object.space);
        case MessageType::kDatatype:
            return keep(object.type);
        case MessageType::kLayout:
            return keep(object.layout);
        case MessageType::kAttribute:
            return note_attribute(node, message, object);
        case MessageType::kAttributeInfo:
            object.library_attributes = object.library_attributes || has_dense_attributes(in);
            return;
        case MessageType::kFilters:
            return keep(object.filters);
        case MessageType::kFillValue:
            return keep(object.fill);
        case MessageType::kOldFillValue:
            return keep(object.old_fill);
        case MessageType::kExternalFiles:
            object.unsupported = "external files";
            return;
        case MessageType::kSymbolTable:
            object.is_old_group = true;
            object.tree = in.u64();
            object.heap = in.u64();
            return;
        case MessageType::kLinkInfo:
            object.is_new_group = true;
            object.links = read_link_info(in);
            return;
        case MessageType::kLink:
            return note_link(node, message);
        default:
            if (static_cast<uint16_t>(message.type) >= kFirstUnknownMessage &&
                (message.flags & Message::kMustBeKnown) != 0)
                object.unsupported = "an unknown message";
    }
}

void IndexWalker::note_link(int32_t node, const Message& message) {
    try {
        if (message.is_shared()) throw Unsupported{"a shared link"};
        const LinkMessage link = read_link(message.content);
        limit_.require(1 + link.name.size() / 16);
        links_.push_back({link.name,
                          link.address.value_or(kUndefinedAddress),
                          link.order,
                          link.address.has_value()});
    } catch (const Damaged& damage) {
        if (limit_.is_spent()) throw;
        warn_of_link(node, "?", damage.reason);
    }
}

void IndexWalker::note_attribute(int32_t node, const Message& message, Object& object) {
    if (message.is_shared()) object.library_attributes = true;
    if (object.library_attributes) return;
    try {
        AttributeMessage attribute = read_attribute(message.content);
        const Datatype type = read_datatype(attribute.type);
        const bool is_integer = type.type_class == Datatype::Class::kInteger;
        if (!is_integer && type.type_class != Datatype::Class::kFixedString) {
            // Other kinds are of no interest.
            if (!type.is_variable_string) return out_.add_other(attribute.name);
            const bool is_single = read_dataspace(attribute.space).numel == 1;
            return out_.add_text(
                attribute.name,
                is_single ? heap_text(superblock_.file, limit_, attribute.data) : "");
        }
        const Dataspace space = read_dataspace(attribute.space);
        const auto count = static_cast<uint64_t>(space.numel);
        limit_.require(1 + message.content.left() / 8);
        if (!is_integer) {
            const bool is_single = space.numel == 1;
            const auto* text =
                reinterpret_cast<const char*>(attribute.data.take(is_single ? type.size : 0));
            out_.add_text(attribute.name, {text, is_single ? strnlen(text, type.size) : 0});
            return;
        }
        if (!type.is_plain) {
            object.library_attributes = true;
            return;
        }
        if (count > attribute.data.left() / type.size) throw Damaged{"an attribute is cut short"};
        values_.resize(count);
        for (int64_t& value : values_)
            value = read_integer(attribute.data, type);
        out_.add_integers(attribute.name, values_);
    } catch (const Unsupported&) {
        object.library_attributes = true;
    } catch (const Damaged&) {
        if (limit_.is_spent()) throw;
        out_[node].damaged_attributes = true;
        out_.add_other("");
    }
}

void IndexWalker::read_attributes_by_library(int32_t node) {
    out_.clear_attributes();
    try {
        if (library_ != nullptr && library_->read_attributes(out_.path(node), node, out_)) return;
    } catch (const Error&) {
        // It cannot even open the file, or did not survive it.
        out_.clear_attributes();
    }
    out_[node].damaged_attributes = true;
}

void IndexWalker::read_by_library(int32_t node, uint64_t address) {
    if (library_ == nullptr) throw Unsupported{kNoLibrary};
    out_.reset(node);
    if (!library_->read_object(out_.path(node), node, out_)) throw Damaged{kNotOpened};
    if (out_[node].kind != ObjectKind::kGroup) return;
    Object group;
    group.links.is_dense = true;
    walk_group(node, address, group, links_.size());
}

void IndexWalker::walk_group(int32_t node,
                             uint64_t address,
                             const Object& object,
                             size_t first_link) {
    if (std::find(above_.begin(), above_.end(), address) != above_.end()) {
        out_[node].leads_back = true;
        links_.resize(first_link);
        return;
    }
    if (above_.size() == kDeepestGroup) {
        out_.warn(out_.path(node), "its groups are nested too deeply");
        links_.resize(first_link);
        return;
    }
    if (object.is_old_group)
        list_old_group(node, object);
    else if (object.links.is_dense)
        list_by_library(node);
    else
        sort_links(first_link, object.links.tracks_order);
    above_.push_back(address);
    int32_t previous = -1;
    const size_t end = links_.size();
    for (size_t i = first_link; i < end; ++i) {
        if (out_.is_full()) limit_.spend(~uint64_t{0});
        if (limit_.is_spent()) {
            warn_of_link(node, links_[i].name, kTooMuch);
            break;
        }
        const int32_t child = walk_link(node, Link(links_[i]));
        if (child < 0) continue;
        out_.hang(child, previous);
        previous = child;
    }
    above_.pop_back();
    links_.resize(first_link);
}

void IndexWalker::sort_links(size_t first, bool by_creation) {
    const auto before = [by_creation](const Link& a, const Link& b) {
        return by_creation ? a.order < b.order : a.name < b.name;
    };
    const auto begin = links_.begin() + static_cast<std::ptrdiff_t>(first);
    if (!std::is_sorted(begin, links_.end(), before)) std::stable_sort(begin, links_.end(), before);
}

void IndexWalker::list_old_group(int32_t node, const Object& object) {
    const std::string incomplete = "part of the group cannot be listed: ";
    SymbolTable table(superblock_.file, limit_);
    try {
        table.list(
            object.tree,
            object.heap,
            [&](const Symbol& symbol) {
                links_.push_back({symbol.name, symbol.address, 0, !symbol.is_soft});
            },
            [&](const char* reason) { out_.warn(out_.path(node), incomplete + reason); });
    } catch (const Damaged& damage) {
        out_.warn(out_.path(node), incomplete + damage.reason);
    }
}

void IndexWalker::list_by_library(int32_t node) {
    if (library_ == nullptr) {
        out_.warn(out_.path(node), kNoLibrary);
        return;
    }
    const std::string path = out_.path(node);
    const auto found = library_->links(path);
    if (!found) return out_.warn(path, "HDF5 cannot list it");
    if (!found->problem.empty()) out_.warn(path, found->problem);
    for (const LibraryAccess::Link& link : found->links)
        links_.push_back({out_.keep(link.name),
                          link.address.value_or(kUndefinedAddress),
                          0,
                          link.address.has_value()});
}

}  // namespace npuscope::h5
