#include <limits>
#include <system_error>

#include "core/base/printable.h"
#include "core/h5/h5.h"
#include "core/h5/state.h"
#include "core/h5/types.h"

namespace npuscope::h5 {

namespace {

Handle space_of(std::span<const int64_t> shape) {
    if (shape.empty()) return checked(H5Screate(H5S_SCALAR), H5Sclose, "cannot make a dataspace");
    const std::vector<hsize_t> dims(shape.begin(), shape.end());
    return checked(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                   H5Sclose,
                   "cannot make a dataspace of shape " + to_string(shape));
}

Handle string_type(size_t length) {
    Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, "cannot make a string type");
    check(H5Tset_size(type.get(), std::max<size_t>(length, 1)), "cannot make a string type");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "cannot make a string type");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "cannot make a string type");
    return type;
}

void write_attribute(hid_t object, const Attribute& attribute, const std::string& where) {
    const std::string what = "cannot write attribute " + attribute.name + " of " + where;
    const auto create = [&](hid_t type, hid_t space) {
        return checked(
            H5Acreate2(object, attribute.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
            H5Aclose,
            what);
    };
    if (const auto* number = std::get_if<int32_t>(&attribute.value)) {
        const Handle space = space_of({});
        const Handle id = create(H5T_STD_I32LE, space.get());
        check(H5Awrite(id.get(), H5T_NATIVE_INT32, number), what);
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute.value)) {
        const int64_t length = static_cast<int64_t>(list->size());
        const Handle space = space_of({&length, 1});
        const Handle id = create(H5T_STD_I64LE, space.get());
        if (length > 0) check(H5Awrite(id.get(), H5T_NATIVE_INT64, list->data()), what);
    } else {
        const auto& text = std::get<std::string>(attribute.value);
        const Handle type = string_type(text.size());
        const Handle space = space_of({});
        const Handle id = create(type.get(), space.get());
        const std::string bytes = text.empty() ? std::string(1, '\0') : text;
        check(H5Awrite(id.get(), type.get(), bytes.data()), what);
    }
}

}  // namespace

Writer::Writer(const std::filesystem::path& path) : Writer(path, false) {}

Writer Writer::open_existing(const std::filesystem::path& path) {
    return {path, true};
}

Writer::Writer(const std::filesystem::path& path, bool existing)
    : state_(std::make_unique<State>()) {
    const LibraryLock lock;
    state_->path = path;
    const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "cannot set up HDF5");
    check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "cannot set up HDF5");
    state_->driver = set_output_driver(access.get(), state_->status);
    const hid_t file = existing ? H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get())
                                : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
    if (file < 0) {
        const std::string reason = library_error();
        const int code = state_->status.error;
        throw Error(existing && code == 0 ? ErrorKind::kFormat : ErrorKind::kIo,
                    std::string(existing ? "cannot open" : "cannot create") + " the file " +
                        in_quotes(path) + ": " +
                        (code != 0 ? std::generic_category().message(code) : "HDF5: " + reason));
    }
    state_->file = Handle(file, H5Fclose);
    state_->make_parents = checked(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "cannot set up HDF5");
    check(H5Pset_create_intermediate_group(state_->make_parents.get(), 1), "cannot set up HDF5");
}

void Writer::State::check_written() const {
    if (status.error != 0)
        throw Error(ErrorKind::kIo,
                    "cannot write " + in_quotes(path) + ": " +
                        std::generic_category().message(status.error));
}

Writer::~Writer() {
    if (!state_) return;
    const LibraryLock lock;
    state_.reset();
}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

void Writer::create_group(const std::string& path) {
    const LibraryLock lock;
    if (exists(path)) return;
    const std::string what = state_->name(path);
    checked(
        H5Gcreate2(
            state_->file.get(), path.c_str(), state_->make_parents.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Gclose,
        "cannot make the group " + what);
    state_->check_written();
}

void Writer::write_dataset(const std::string& path,
                           const TensorView& elements,
                           std::span<const Attribute> attributes) {
    const LibraryLock lock;
    const std::string what = state_->name(path);
    const Handle space = space_of(elements.shape);
    const Handle type = file_type(elements.dtype);
    const Handle dataset = checked(H5Dcreate2(state_->file.get(),
                                              path.c_str(),
                                              type.get(),
                                              space.get(),
                                              state_->make_parents.get(),
                                              H5P_DEFAULT,
                                              H5P_DEFAULT),
                                   H5Dclose,
                                   "cannot create the dataset " + what);
    if (elements.numel() > 0)
        check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data),
              "cannot write the dataset " + what);
    for (const Attribute& attribute : attributes)
        write_attribute(dataset.get(), attribute, what);
    state_->check_written();
}

void Writer::write_string(const std::string& path,
                          const std::string& text,
                          std::span<const Attribute> attributes) {
    const LibraryLock lock;
    const std::string what = state_->name(path);
    const Handle space = space_of({});
    const Handle type = string_type(text.size());
    const Handle dataset = checked(H5Dcreate2(state_->file.get(),
                                              path.c_str(),
                                              type.get(),
                                              space.get(),
                                              state_->make_parents.get(),
                                              H5P_DEFAULT,
                                              H5P_DEFAULT),
                                   H5Dclose,
                                   "cannot create the dataset " + what);
    const std::string bytes = text.empty() ? std::string(1, '\0') : text;
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
          "cannot write the dataset " + what);
    for (const Attribute& attribute : attributes)
        write_attribute(dataset.get(), attribute, what);
    state_->check_written();
}

void Writer::link(const std::string& existing, const std::string& path) {
    const LibraryLock lock;
    check(H5Lcreate_hard(state_->file.get(),
                         existing.c_str(),
                         state_->file.get(),
                         path.c_str(),
                         state_->make_parents.get(),
                         H5P_DEFAULT),
          "cannot link " + state_->name(path));
    state_->check_written();
}

void Writer::write_root_attribute(const Attribute& attribute) {
    const LibraryLock lock;
    const Handle root =
        checked(H5Gopen2(state_->file.get(), "/", H5P_DEFAULT), H5Gclose, "cannot open /");
    if (H5Aexists(root.get(), attribute.name.c_str()) > 0)
        check(H5Adelete(root.get(), attribute.name.c_str()), "cannot replace a root attribute");
    write_attribute(root.get(), attribute, state_->name("/"));
    state_->check_written();
}

bool Writer::exists(const std::string& path) const {
    const LibraryLock lock;
    return path_exists(state_->file.get(), path);
}

uint64_t Writer::size() const {
    const LibraryLock lock;
    hsize_t bytes = 0;
    check(H5Fget_filesize(state_->file.get(), &bytes),
          "cannot tell the size of " + state_->name("/"));
    return bytes;
}

void Writer::flush() {
    const LibraryLock lock;
    check(H5Fflush(state_->file.get(), H5F_SCOPE_LOCAL), "cannot flush " + state_->name("/"));
    state_->check_written();
}

void Writer::close() {
    const LibraryLock lock;
    flush();
    state_->make_parents.reset();
    if (!state_->file.close())
        throw Error(ErrorKind::kIo,
                    "cannot close " + in_quotes(state_->path) + ": " + library_error());
    state_->check_written();
}

}  // namespace npuscope::h5
