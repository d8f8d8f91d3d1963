// An open zip archive. Included by core/npz/*.cpp only.
#pragma once

#include <memory>
#include <zip.h>

namespace npuscope::npz {

/// Closes without writing.
struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

}  // namespace npuscope::npz
