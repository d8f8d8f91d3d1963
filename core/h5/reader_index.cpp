#include "core/h5/index.h"
#include "core/h5/index_walker.h"
#include "core/h5/library_indexer.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

std::shared_ptr<const MappedFile> Reader::State::mapped() const {
    const LibraryLock lock;
    if (was_mapped_) return mapping_;
    was_mapped_ = true;
    // The library's own descriptor: whatever has the file's name by now, this is what was opened.
    void* descriptor = nullptr;
    if (H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &descriptor) >= 0 && descriptor != nullptr)
        mapping_ = MappedFile::map(*static_cast<const int*>(descriptor));
    H5Eclear2(H5E_DEFAULT);
    return mapping_;
}

Index Reader::index(IndexSource source) const {
    const auto mapping =
        source == IndexSource::kMappedFile ? state_->mapped() : std::shared_ptr<const MappedFile>();
    if (mapping) {
        IndexBuilder out(mapping->bytes().size(), mapping);
        try {
            const Superblock superblock = read_superblock(mapping->bytes());
            std::optional<LibraryIndexer> library;
            {
                const LibraryLock lock;
                library.emplace(*state_, out);
            }
            IndexWalker(superblock, out, &*library).walk();
            Index index = out.finish(mapping->bytes(), mapping, true);
            index.release_pages();
            return index;
        } catch (const Unsupported&) {
            // The library reads it all.
        } catch (const Damaged& damage) {
            throw Error(ErrorKind::kFormat,
                        "cannot read the root of '" + printable(path().string()) +
                            "': " + damage.reason + "; the file is damaged");
        }
    }
    const LibraryLock lock;
    hsize_t bytes = 0;
    check(H5Fget_filesize(state_->file.get(), &bytes),
          "cannot tell the size of " + state_->name("/"));
    IndexBuilder out(bytes);
    LibraryIndexer(*state_, out).index_all();
    return out.finish({}, nullptr, false);
}

}  // namespace npuscope::h5
