// A dump.json of msprobe as text: its head, and where each record stands.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/h5/mapped_file.h"
#include "core/recording/msprobe/json_cursor.h"

namespace npuscope::msprobe {

/// What our export adds, and msprobe's readers pass over: at the root, what computed the run; of a
/// tensor, the precision that it was computed in.
inline constexpr std::string_view kOwnFacts = "npuscope";
inline constexpr std::string_view kComputeType = "compute_type";

/// A file's text, mapped where it can be.
class TextFile {
  public:
    /// Errors: Error(kIo) no readable regular file.
    explicit TextFile(const std::filesystem::path& path);
    // The text may stand in the object itself.
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;
    ~TextFile() = default;
    [[nodiscard]] std::string_view text() const { return text_; }

  private:
    std::shared_ptr<const h5::MappedFile> mapping_;
    std::string content_;  ///< where there is no mapping
    std::string_view text_;
};

struct Record {
    std::string name;
    std::string_view text;  ///< its JSON value, unread
    size_t place = 0;       ///< of the text in the file
};

/// In the order of the file. Only the outermost levels are read.
class DumpFile {
  public:
    /// Errors: Error(kIo); Error(kFormat) no dump.json: no JSON, cut short, without "data".
    explicit DumpFile(const std::filesystem::path& path);

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }
    [[nodiscard]] const std::string& task() const { return task_; }    ///< "statistics"; may be ""
    [[nodiscard]] const std::string& level() const { return level_; }  ///< "mix"; may be ""
    /// Of a dump that our export wrote, as in Source; "" of others.
    [[nodiscard]] const std::string& device_name() const { return device_name_; }
    [[nodiscard]] const std::string& device_options() const { return device_options_; }

  private:
    void read(bool& has_data);
    void read_device(JsonCursor& cursor);

    TextFile file_;
    std::vector<Record> records_;
    std::string task_;
    std::string level_;
    std::string device_name_;
    std::string device_options_;
};

}  // namespace npuscope::msprobe
