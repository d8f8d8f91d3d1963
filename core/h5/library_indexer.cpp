#include "core/h5/library_indexer.h"

#include <algorithm>

#include "core/h5/library_version.h"
#include "core/h5/object_facts.h"

namespace npuscope::h5 {

namespace {

std::optional<LibraryObject> opened(hid_t id) {
    LibraryObject object;
    object.handle = Handle(id, H5Oclose);
    const auto place = id < 0 ? std::nullopt : place_of(id);
    if (!place) {
        H5Eclear2(H5E_DEFAULT);
        return std::nullopt;
    }
    object.place = *place;
    return object;
}

/// Called through C: nothing may be thrown.
herr_t collect_link(hid_t group, const char* name, const LinkFacts* facts, void* target) noexcept {
    auto& links = *static_cast<std::vector<LibraryLink>*>(target);
    links.push_back({name, hard_link_address(group, *facts)});
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

std::optional<LibraryObject> LibraryIndexer::open(const std::string& path) const {
    return opened(H5Oopen(file_.file.get(), path.c_str(), H5P_DEFAULT));
}

void LibraryIndexer::read_object(const std::string& path,
                                 const LibraryObject& object,
                                 int32_t node,
                                 IndexBuilder& out) const {
    const hid_t id = object.handle.get();
    out[node].kind = kind_of(id);
    if (out[node].kind == ObjectKind::kDataset)
        out.set_library_info(node, info_of(id, file_.name(path)));
    read_attributes(object, node, out);
}

void LibraryIndexer::read_attributes(const LibraryObject& object, int32_t node, IndexBuilder& out) {
    out.clear_attributes();
    const hid_t id = object.handle.get();
    const auto told = attribute_count_of(id);
    bool intact = told.has_value();
    const auto count = static_cast<uint32_t>(told.value_or(0));
    if (count > 0)
        intact =
            H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect_attribute, &out) >= 0;
    if (!intact) {
        H5Eclear2(H5E_DEFAULT);
        out[node].damaged_attributes = true;
    }
    while (out[node].attribute_count < count)
        out.add_other("");
}

std::vector<LibraryLink> LibraryIndexer::links(const LibraryObject& group,
                                               std::string& problem) const {
    std::vector<LibraryLink> links;
    hsize_t position = 0;
    const hid_t id = group.handle.get();
    if (each_link(id, h5py_index(id), position, collect_link, &links) < 0)
        problem = "the rest of the group cannot be listed (HDF5: " + library_error() + ")";
    return links;
}

void LibraryIndexer::read_below(const std::string& path,
                                const LibraryObject& group,
                                int32_t node,
                                IndexBuilder& out) {
    if (out[node].kind != ObjectKind::kGroup) return;
    if (std::find(above_.begin(), above_.end(), group.place) != above_.end()) {
        out[node].leads_back = true;
        return;
    }
    if (above_.size() == kDeepestGroup) return out.warn(path, "its groups are nested too deeply");
    above_.push_back(group.place);
    std::string problem;
    const std::vector<LibraryLink> found = links(group, problem);
    if (!problem.empty()) out.warn(path, problem);
    int32_t previous = -1;
    for (const LibraryLink& link : found) {
        const std::string child_path = (path == "/" ? "" : path) + "/" + link.name;
        if (out.is_full()) {
            out.warn(child_path, "the file refers to more than it can hold");
            break;
        }
        file_.clear_refusal();
        const auto child = opened(H5Oopen(group.handle.get(), link.name.c_str(), H5P_DEFAULT));
        if (!child) {
            if (link.address)
                out.warn(child_path, "HDF5 cannot open it");
            else if (!file_.refusal().empty())
                out.warn(child_path, file_.refusal());
            continue;
        }
        const int32_t below = out.add(node, link.name);
        try {
            read_object(child_path, *child, below, out);
        } catch (const Error& error) {
            out.remove_from(below);
            out.warn(child_path, error.what());
            continue;
        }
        out.hang(below, previous);
        previous = below;
        read_below(child_path, *child, below, out);
    }
    above_.pop_back();
}

}  // namespace npuscope::h5
