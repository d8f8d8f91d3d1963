#include "core/h5/index.h"
#include "core/h5/index_walker.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

Index Reader::index(IndexSource source) const {
    const auto mapping =
        source == IndexSource::kMappedFile ? state_->mapped() : std::shared_ptr<const MappedFile>();
    if (mapping) {
        IndexBuilder out(mapping->bytes().size(), mapping);
        try {
            const Superblock superblock = state_->superblock();
            IndexWalker(superblock, out, &state_->library()).walk();
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
    LibraryAccess& library = state_->library();
    IndexBuilder out(library.file_bytes());
    if (!library.read_tree("/", out.add(-1, ""), out))
        throw Error(ErrorKind::kFormat, "cannot open the root of " + in_quotes(path()));
    return out.finish({}, nullptr, false);
}

}  // namespace npuscope::h5
