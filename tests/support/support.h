// What tests of several rooms need: a folder of their own, and a subprocess.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace npuscope::test {

/// A fresh directory below the system's temporary one, removed with everything in it by the
/// destructor.
class TempDir {
  public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

struct RunResult {
    int exit_code = -1;  ///< 128 + signal when killed
    std::string out;
    std::string err;
};

/// Runs a program (found on PATH or by path) without a shell and without standard input; waits for
/// its end.
RunResult run(const std::vector<std::string>& command, const std::filesystem::path& folder = {});

/// /usr/bin/python3 -c code, with `arguments` as sys.argv[1:].
RunResult run_python(const std::string& code, const std::vector<std::string>& arguments = {});

/// The repository's root, and a built program's path.
std::filesystem::path source_dir();
std::string program(const std::string& name);
/// data/models, and data/recordings/gpu_step_fp32.h5.
std::string models();
std::string recording();

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace npuscope::test
