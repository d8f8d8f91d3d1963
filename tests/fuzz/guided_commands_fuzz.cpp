// Any bytes as the file that a whole command is given: it must end with a code of its own and tell
// an error in one clear line. The last byte chooses the command, the first ones what the file is
// called.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sanitizer/common_interface_defs.h>
#include <sched.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "tests/damaged_commands/commands.h"

namespace {

namespace fs = std::filesystem;

/// A folder in memory, with what the fuzzed file is compared with.
class Scene {
  public:
    Scene() : folder_(fs::path("/dev/shm") / ("guided_commands_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        const fs::path data = fs::path(NPUSCOPE_SOURCE_DIR) / "data/fuzz";
        fs::copy_file(data / "h5/ours_two_ops.h5", folder_ / "golden.h5");
        fs::copy_file(data / "arrays/c.npy", folder_ / "golden.npy");
        stay_on_one_core();
        // A sanitizer's report is for the fuzzer's reader, not the command's.
        __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<intptr_t>(shown_)));
    }
    ~Scene() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    /// Runs a command; aborts, and says why, when it breaks a rule.
    void run(const std::vector<std::string>& words) {
        dup2(out_, 1);
        dup2(err_, 2);
        const int code = npuscope::damage::run_command(words);
        std::fflush(stdout);
        std::fflush(stderr);
        dup2(shown_, 2);
        const std::string told = taken(err_);
        const std::string rule = npuscope::damage::broken_rule(code, taken(out_), told);
        if (rule.empty()) return;
        std::fprintf(stderr, "%s:", rule.c_str());
        for (const std::string& word : words)
            std::fprintf(stderr, " %s", word.c_str());
        std::fprintf(stderr, "\n%s\n", told.c_str());
        std::abort();
    }

  private:
    /// Loops over tiles take one thread then, and the fuzzer repeats what it saw. Fuzzers that run
    /// beside each other are on different cores.
    static void stay_on_one_core() {
        cpu_set_t all;
        if (sched_getaffinity(0, sizeof all, &all) != 0) return;
        int left = getpid() % CPU_COUNT(&all);
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (!CPU_ISSET(core, &all) || left-- > 0) continue;
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }

    static std::string taken(int descriptor) {
        const off_t size = lseek(descriptor, 0, SEEK_END);
        std::string text(static_cast<size_t>(size), '\0');
        if (pread(descriptor, text.data(), text.size(), 0) != size) std::abort();
        if (ftruncate(descriptor, 0) != 0) std::abort();
        lseek(descriptor, 0, SEEK_SET);
        return text;
    }

    fs::path folder_;
    int out_ = memfd_create("out", MFD_CLOEXEC);
    int err_ = memfd_create("err", MFD_CLOEXEC);
    int shown_ = dup(2);
};

/// Readers are chosen by a file's name.
std::string name_for(std::string_view bytes) {
    if (bytes.find("\x89HDF") != std::string_view::npos) return "bad.h5";
    if (bytes.starts_with("\x93NUMPY")) return "bad.npy";
    if (bytes.starts_with("PK")) return "bad.npz";
    if (bytes.starts_with("\x80")) return "bad.pt";
    if (bytes.starts_with("{")) return "bad.json";
    if (bytes.size() > 8 && bytes[8] == '{') return "bad.safetensors";
    return "Relu.relu.1.3.1640000000000001";
}

std::vector<std::string> command(uint8_t choice, const Scene& scene, const std::string& bad) {
    const bool is_dump = bad.ends_with(".h5") || bad.ends_with("1");
    const std::string good = scene.path(is_dump ? "golden.h5" : "golden.npy");
    const std::array<std::vector<std::string>, 12> commands = {{
        {"inspect", bad},
        {"inspect", bad, "--json"},
        {"inspect", bad, "/mul_Tensor/1"},
        {"overflow", bad, "--threads", "1"},
        {"overflow", bad, "--json", "--threads", "1"},
        {"compare", "-m", bad, "-g", good, "--threads", "1"},
        {"compare", "-m", good, "-g", bad, "--json", "--threads", "1"},
        {"compare", "--bitwise", good, bad, "--threads", "1"},
        {"compare", "-m", bad, "-g", bad, "--judge", "off", "--threads", "1"},
        {"extract", "-i", bad, "-o", scene.path("out.h5"), "-s", "/*"},
        {"recompute", bad, "--device", "cpu"},
        {"recompute", bad, "--json"},
    }};
    std::vector<std::string> words = commands[choice % commands.size()];
    words.emplace_back("-q");
    return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Scene scene;
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size - 1);
    const std::string bad = scene.path(name_for(bytes));
    std::ofstream(bad, std::ios::binary) << bytes;
    scene.run(command(data[size - 1], scene, bad));
    unlink(bad.c_str());
    unlink(scene.path("out.h5").c_str());
    return 0;
}
