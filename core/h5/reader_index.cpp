#include "core/h5/index.h"
#include "core/h5/index_walker.h"
#include "core/h5/library_indexer.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

Index Reader::index(IndexSource source) const {
    const auto mapping =
        source == IndexSource::kMappedFile ? state_->mapped() : std::shared_ptr<const MappedFile>();
    if (mapping) {
        IndexBuilder out(mapping->bytes().size(), mapping);
        try {
            const Superblock superblock = state_->superblock();
            LibraryIndexer library(*state_, out);
            IndexWalker(superblock, out, &library).walk();
            Index index = out.finish(mapping->bytes(), mapping, true);
            index.release_pages();
            return index;
        } catch (const Unsupported&) {
            // The library reads it all.
        } catch (const Damaged& damage) {
            throw Error(ErrorKind::kFormat,
                        "cannot read the root of " + in_quotes(path()) + ": " + damage.reason +
                            "; the file is damaged");
        }
    }
    const LibraryLock lock;
    hsize_t bytes = 0;
    check(H5Fget_filesize(state_->library().file.get(), &bytes),
          "cannot tell the size of " + state_->name("/"));
    IndexBuilder out(bytes);
    LibraryIndexer(*state_, out).index_all();
    return out.finish({}, nullptr, false);
}

}  // namespace npuscope::h5
