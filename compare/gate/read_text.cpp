#include "compare/gate/read_text.h"

#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::compare {

std::string small_text(const std::filesystem::path& path, uint64_t most) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure))
        throw Error(ErrorKind::kIo, "cannot read " + in_quotes(path) + ": there is no such file");
    const auto size = std::filesystem::file_size(path, failure);
    if (failure || size > most)
        throw Error(ErrorKind::kIo, in_quotes(path) + " is too large to be such a file");
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file || text.size() != size) throw Error(ErrorKind::kIo, "cannot read " + in_quotes(path));
    return text;
}

}  // namespace npuscope::compare
