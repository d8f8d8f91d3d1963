// Names of the files that `convert` writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope::msaccucmp {

/// Version 3 UUID of a name in the DNS name space, as 32 hexadecimal digits.
/// Source: RFC 4122, sections 4.3 and appendix C; RFC 1321 for MD5.
[[nodiscard]] std::string uuid3_of(std::string_view name);

/// Threads: any.
class OutputNames {
  public:
    explicit OutputNames(std::filesystem::path folder) : folder_(std::move(folder)) {}

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    /// The path for a file called `name`. A name of 255 bytes and more is replaced by its UUID and
    /// `suffix`, and mapping.csv gets a line "new,old". Errors: CommandError(kWriteFileError).
    [[nodiscard]] std::filesystem::path path_of(const std::string& name, std::string_view suffix);

  private:
    std::filesystem::path folder_;
    std::mutex mutex_;
};

/// Adds a line to a file of the output folder, made with mode 0600.
void append_line(const std::filesystem::path& path, const std::string& line);

/// `base` with its second field replaced by the last part of the op's name, when it has exactly
/// five: "Add.x.1.2.3" and "scope/add" give "Add.add.1.2.3". Control characters become "_".
[[nodiscard]] std::string name_with_op(const std::string& base, const std::string& op_name);

/// The format's name, as a part of file names. Errors: CommandError(kInvalidFormat) when the
/// reference tool has no name for it.
[[nodiscard]] std::string format_name(int64_t format);

}  // namespace npuscope::msaccucmp
