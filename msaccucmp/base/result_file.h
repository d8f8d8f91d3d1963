// A file that the command makes: new, readable by its owner only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/interrupted.h"

namespace npuscope::msaccucmp {

/// Errors: CommandError(kOpenFileError) when it exists or cannot be made, (kWriteFileError) when
/// writing fails (a full disk, say): then the file goes.
class ResultFile {
  public:
    explicit ResultFile(std::filesystem::path path);
    ~ResultFile();
    ResultFile(const ResultFile&) = delete;
    ResultFile& operator=(const ResultFile&) = delete;

    void write(std::string_view text);
    void close();
    /// Fills the file by `work`; one that nobody waits for any more goes.
    template <class Work>
    auto fill(Work&& work) {
        try {
            return work();
        } catch (const Interrupted&) {
            remove();
            throw;
        }
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    void remove() noexcept;
    [[noreturn]] void fail(const char* what);

    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// <prefix><stamp><suffix> in the folder; a second run within one second gets the next second's
/// name.
[[nodiscard]] std::unique_ptr<ResultFile> new_result_file(const std::filesystem::path& folder,
                                                          const std::string& prefix = "result_",
                                                          const std::string& suffix = ".csv");

}  // namespace npuscope::msaccucmp
