// Stands in for the HDF5 library and the process that it runs in: whatever is asked of it is
// refused. What is left is the reading of the mapping.
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/h5/byte_builder.h"
#include "core/h5/library_access.h"
#include "core/h5/library_child.h"
#include "core/h5/library_service.h"

namespace npuscope::h5 {

namespace {
[[noreturn]] void refuse(const std::filesystem::path& path) {
    throw Error(ErrorKind::kUnsupported, in_quotes(path) + " needs the HDF5 library");
}
}  // namespace

LibraryAccess::LibraryAccess(std::filesystem::path path,
                             int descriptor,
                             std::optional<ChildLimits> limits)
    : path_(std::move(path)), descriptor_(descriptor), limits_(limits) {}
LibraryAccess::~LibraryAccess() = default;

void LibraryAccess::open() {
    refuse(path_);
}
uint64_t LibraryAccess::file_bytes() {
    refuse(path_);
}
std::optional<LibraryAccess::Target> LibraryAccess::resolve(const std::string&) {
    refuse(path_);
}
bool LibraryAccess::read_attributes(const std::string&, int32_t, IndexBuilder&) {
    refuse(path_);
}
bool LibraryAccess::read_object(const std::string&, int32_t, IndexBuilder&) {
    refuse(path_);
}
bool LibraryAccess::read_tree(const std::string&, int32_t, IndexBuilder&) {
    refuse(path_);
}
std::optional<LibraryAccess::Links> LibraryAccess::links(const std::string&) {
    refuse(path_);
}
LibraryAccess::Dataset LibraryAccess::open_dataset(const std::string&, bool) {
    refuse(path_);
}
void LibraryAccess::read(Dataset&, int64_t, int64_t, std::byte*) {
    refuse(path_);
}
void LibraryAccess::close(const Dataset&) noexcept {}
std::string LibraryAccess::read_text(const std::string&) {
    refuse(path_);
}
std::string LibraryAccess::copy(const std::filesystem::path&,
                                bool,
                                std::span<const Attribute>,
                                std::span<const std::pair<std::string, std::string>>) {
    refuse(path_);
}

}  // namespace npuscope::h5
