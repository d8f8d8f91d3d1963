#include "tests/support/support.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace npuscope::test {

namespace fs = std::filesystem;

TempDir::TempDir() {
    std::string name = (fs::temp_directory_path() / "npuscope-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("mkdtemp: " + std::string(std::strerror(errno)));
    path_ = name;
}

TempDir::~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return std::move(content).str();
}

void write_file(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

RunResult run(const std::vector<std::string>& command, const fs::path& folder) {
    // Outputs go through files: no pipe can fill up.
    const TempDir scratch;
    const std::string out = (scratch / "out").string();
    const std::string err = (scratch / "err").string();
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(126);
        ::dup2(::open("/dev/null", O_RDONLY), 0);
        ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
        ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    RunResult result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = read_file(out);
    result.err = read_file(err);
    // HDF5 prints its error stack by itself unless told not to; no program may let that through.
    EXPECT_EQ(result.err.find("HDF5-DIAG"), std::string::npos) << result.err;
    return result;
}

RunResult run_python(const std::string& code, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"/usr/bin/python3", "-c", code};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run(command);
}

fs::path source_dir() {
    return NPUSCOPE_SOURCE_DIR;
}

std::string program(const std::string& name) {
    return std::string(NPUSCOPE_BIN_DIR) + "/" + name;
}

std::string models() {
    return (source_dir() / "data/models").string();
}

std::string recording() {
    return (source_dir() / "data/recordings/gpu_step_fp32.h5").string();
}

}  // namespace npuscope::test
