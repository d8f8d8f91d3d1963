#include "core/h5/library_indexer.h"

#include <algorithm>

#include "core/h5/object_facts.h"

namespace npuscope::h5 {

namespace {

std::optional<LibraryObject> opened(hid_t id) {
    LibraryObject object;
    object.handle = Handle(id, H5Oclose);
    H5O_info_t facts;
    if (id < 0 || H5Oget_info2(id, &facts, H5O_INFO_BASIC) < 0) {
        H5Eclear2(H5E_DEFAULT);
        return std::nullopt;
    }
    object.file_number = facts.fileno;
    object.address = facts.addr;
    return object;
}

/// Called through C: nothing may be thrown.
herr_t collect_link(hid_t, const char* name, const H5L_info_t* facts, void* target) noexcept {
    auto& links = *static_cast<std::vector<LibraryLink>*>(target);
    LibraryLink link{name, std::nullopt};
    if (facts->type == H5L_TYPE_HARD) link.address = facts->u.address;
    links.push_back(std::move(link));
    return 0;
}

herr_t collect_attribute(hid_t object, const char* name, const H5A_info_t*, void* target) noexcept {
    IndexBuilder& out = *static_cast<IndexBuilder*>(target);
    const std::string_view kept = out.keep(name);
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Handle type(attribute.valid() ? H5Aget_type(attribute.get()) : -1, H5Tclose);
    if (type.valid() && H5Tget_class(type.get()) == H5T_INTEGER) {
        if (const auto values = integers_of(attribute.get())) {
            out.add_integers(kept, *values);
            return 0;
        }
    } else if (type.valid() && H5Tget_class(type.get()) == H5T_STRING) {
        out.add_text(kept, out.keep(text_of(attribute.get(), type.get())));
        return 0;
    }
    out.add_other(kept);
    return 0;
}

}  // namespace

unsigned long LibraryIndexer::file_number() {
    if (!file_number_) {
        const auto root = opened(H5Oopen(file_.library().file.get(), "/", H5P_DEFAULT));
        if (!root) throw Error(ErrorKind::kFormat, "cannot open the root of " + file_.name("/"));
        file_number_ = root->file_number;
    }
    return *file_number_;
}

void LibraryIndexer::index_all() {
    const int32_t root = out_.add(-1, "");
    const auto object = open(root);
    if (!object) throw Error(ErrorKind::kFormat, "cannot open the root of " + file_.name("/"));
    read_object(root, *object);
    index_below(root, *object);
}

std::optional<LibraryObject> LibraryIndexer::open(int32_t node) {
    return opened(H5Oopen(file_.library().file.get(), out_.path(node).c_str(), H5P_DEFAULT));
}

void LibraryIndexer::read_object(int32_t node, const LibraryObject& object) {
    const hid_t id = object.handle.get();
    out_[node].kind = kind_of(id);
    if (out_[node].kind == ObjectKind::kDataset)
        out_.set_library_info(node, info_of(id, file_.name(out_.path(node))));
    read_attributes(node, object);
}

void LibraryIndexer::read_attributes(int32_t node, const LibraryObject& object) {
    out_.clear_attributes();
    const hid_t id = object.handle.get();
    H5O_info_t facts;
    bool intact = H5Oget_info2(id, &facts, H5O_INFO_NUM_ATTRS) >= 0;
    const auto count = intact ? static_cast<uint32_t>(facts.num_attrs) : 0;
    if (count > 0)
        intact =
            H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect_attribute, &out_) >= 0;
    if (!intact) {
        H5Eclear2(H5E_DEFAULT);
        out_[node].damaged_attributes = true;
    }
    while (out_[node].attribute_count < count)
        out_.add_other("");
}

std::vector<LibraryLink> LibraryIndexer::links(int32_t group, const LibraryObject& object) {
    std::vector<LibraryLink> links;
    hsize_t position = 0;
    if (H5Literate(object.handle.get(),
                   h5py_index(object.handle.get(), group == 0),
                   H5_ITER_INC,
                   &position,
                   collect_link,
                   &links) < 0)
        out_.warn(out_.path(group),
                  "the rest of the group cannot be listed (HDF5: " + library_error() + ")");
    return links;
}

void LibraryIndexer::index_below(int32_t group, const LibraryObject& object) {
    if (out_[group].kind != ObjectKind::kGroup) return;
    const std::pair place(object.file_number, object.address);
    if (std::find(above_.begin(), above_.end(), place) != above_.end()) {
        out_[group].leads_back = true;
        return;
    }
    if (above_.size() == kDeepestGroup) {
        out_.warn(out_.path(group), "its groups are nested too deeply");
        return;
    }
    above_.push_back(place);
    int32_t previous = -1;
    for (const LibraryLink& link : links(group, object)) {
        if (out_.is_full()) {
            out_.warn(out_.child_path(group, link.name),
                      "the file refers to more than it can hold");
            break;
        }
        const auto child = opened(H5Oopen(object.handle.get(), link.name.c_str(), H5P_DEFAULT));
        if (!child) {
            if (link.address) out_.warn(out_.child_path(group, link.name), "HDF5 cannot open it");
            continue;
        }
        const int32_t node = out_.add(group, link.name);
        try {
            read_object(node, *child);
        } catch (const Error& error) {
            const std::string path = out_.path(node);
            out_.remove_from(node);
            out_.warn(path, error.what());
            continue;
        }
        out_.hang(node, previous);
        previous = node;
        index_below(node, *child);
    }
    above_.pop_back();
}

}  // namespace npuscope::h5
