// A log's bytes as UTF-8 text, whatever they are in the file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/h5/mapped_file.h"

namespace npuscope::loss {

/// The text of a file: mapped; unpacked where it is gzip; UTF-16 and byte order marks become UTF-8.
/// Errors  Error(kIo) where it cannot be read, Error(kFormat) where it is empty, a folder, binary,
///         damaged gzip, or larger than kLargestUnpacked when it is no plain file.
class LogBytes {
  public:
    static constexpr size_t kLargestUnpacked = size_t{4} << 30;

    explicit LogBytes(const std::filesystem::path& path);

    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

  private:
    void unpack();
    void decode();

    std::string path_;
    std::shared_ptr<const h5::MappedFile> mapped_;
    std::string own_;
    std::string_view text_;
    std::vector<std::string> remarks_;
};

}  // namespace npuscope::loss
