// Runs the programs' commands in a process of its own, a batch of many in one, on files with seeded
// damage. Every run must end with a code of its own, within its time, and tell an error in one
// clear line.
//
//   damaged_commands FOUND [--runs N] [--seconds S] [--seed N] [--kind KIND]
//
// Inputs that end a process otherwise are left in the folder FOUND. Prints the runs of each kind of
// file (seeds.h) and how they ended. With NPUSCOPE_LONG_TESTS=1 it makes a hundred times the runs.
// Built with the address sanitizer, that has no limit of address space, and what it says ends a
// run. Exit: 0 clean, 1 something found, 2 usage.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/damaged_commands/commands.h"
#include "tests/damaged_commands/damage.h"
#include "tests/damaged_commands/seeds.h"

namespace {

namespace fs = std::filesystem;
using namespace npuscope::damage;  // NOLINT(google-build-using-namespace): its own parts
using Clock = std::chrono::steady_clock;

constexpr size_t kBatch = 500;      ///< runs of one process
constexpr unsigned kPatience = 30;  ///< seconds that one run may take
#ifndef __SANITIZE_ADDRESS__
constexpr rlim_t kMemory = rlim_t{3} << 30;
#endif

/// What all processes see.
struct Shared {
    size_t done;
    std::array<size_t, 3> by_code;
    char rule[160];
};

/// What a process says goes to files in memory.
struct Told {
    int out = memfd_create("out", 0);
    int err = memfd_create("err", 0);
};

std::string taken(int descriptor) {
    const auto size = static_cast<size_t>(std::max<off_t>(0, lseek(descriptor, 0, SEEK_END)));
    std::string text(size, '\0');
    if (pread(descriptor, text.data(), size, 0) != static_cast<ssize_t>(size)) text.clear();
    if (ftruncate(descriptor, 0) != 0) std::abort();
    lseek(descriptor, 0, SEEK_SET);
    return text;
}

/// The input and command of one run, which its number alone decides.
struct Run {
    Run(const std::vector<Seed>& seeds, uint64_t seed, size_t number)
        : random(seed * 1000003 + number), from(&seeds[random() % seeds.size()]) {
        bytes = damaged(from->bytes, random);
    }
    std::mt19937_64 random;
    const Seed* from;
    std::string bytes;
};

[[noreturn]] void run_batch(const std::vector<Seed>& seeds,
                            uint64_t seed,
                            size_t first,
                            size_t last,
                            const fs::path& folder,
                            const Told& told,
                            Shared& shared) {
#ifndef __SANITIZE_ADDRESS__
    const rlimit memory = {kMemory, kMemory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    const rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    dup2(told.out, 1);
    dup2(told.err, 2);
    for (size_t number = first; number < last; ++number) {
        Run run(seeds, seed, number);
        std::error_code ignored;
        fs::remove_all(folder / "run", ignored);
        const fs::path good = folder / ("good_" + std::to_string(run.from - seeds.data()));
        const Place place = place_of(*run.from, run.bytes, folder / "run", good);
        const std::vector<std::string> words = command_on(*run.from, place, run.random);
        shared.done = number;
        alarm(kPatience);
        const int code = run_command(words);
        alarm(0);
        std::fflush(stdout);
        std::fflush(stderr);
        const std::string rule = broken_rule(code, taken(1), taken(2));
        if (!rule.empty()) {
            std::snprintf(shared.rule, sizeof shared.rule, "%s", rule.c_str());
            _exit(3);
        }
        ++shared.by_code.at(static_cast<size_t>(code));
        shared.done = number + 1;
    }
    _exit(0);
}

void keep(Run run, const std::string& why, const std::string& told, const fs::path& folder) {
    const Place place = place_of(*run.from, run.bytes, folder, folder / "good");
    std::printf("found %s: %s:", folder.filename().c_str(), why.c_str());
    for (const std::string& word : command_on(*run.from, place, run.random))
        std::printf(" %s", word.c_str());
    std::printf("\n%s", told.c_str());
    std::fflush(stdout);
}

struct Options {
    fs::path found;
    size_t runs = SIZE_MAX;
    double seconds = 60;
    uint64_t seed = 1;
    std::string kind;
};

size_t runs_of(const std::vector<Seed>& seeds, const Options& options, Shared& shared) {
    const fs::path folder = fs::path("/dev/shm") / ("damaged_commands_" + std::to_string(getpid()));
    const Clock::time_point begin = Clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    const Told told;
    size_t findings = 0;
    size_t next = 0;
    while (next < options.runs && spent() < options.seconds) {
        const size_t last = std::min(options.runs, next + kBatch);
        shared.done = next;
        shared.rule[0] = '\0';
        const pid_t child = fork();
        if (child == 0) run_batch(seeds, options.seed, next, last, folder, told, shared);
        int status = 0;
        waitpid(child, &status, 0);
        next = shared.done;
        if (next == last) continue;
        const std::string why = shared.rule[0] != '\0' ? std::string(shared.rule)
                                : WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                                      : "its process ended";
        static_cast<void>(taken(told.out));
        keep(Run(seeds, options.seed, next),
             why,
             taken(told.err),
             options.found / (options.kind + "_" + std::to_string(next)));
        ++findings;
        ++next;
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    std::printf(
        "%s: %zu runs from seed %zu in %.0f s, exit codes 0: %zu, 1: %zu, 2: %zu; found: %zu\n",
        options.kind.c_str(),
        next,
        static_cast<size_t>(options.seed),
        spent(),
        shared.by_code[0],
        shared.by_code[1],
        shared.by_code[2],
        findings);
    std::fflush(stdout);
    return findings;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--")) {
            options.found = word;
        } else if (++i == argc) {
            return 2;
        } else if (word == "--runs") {
            options.runs = std::stoull(argv[i]);
            options.seconds = 1e9;
        } else if (word == "--seconds") {
            options.seconds = std::stod(argv[i]);
        } else if (word == "--seed") {
            options.seed = std::stoull(argv[i]);
        } else if (word == "--kind") {
            options.kind = argv[i];
        } else {
            return 2;
        }
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
    if (std::getenv("NPUSCOPE_LONG_TESTS") != nullptr && options.runs != SIZE_MAX)
        options.runs *= 100;
    if (options.found.empty()) {
        std::fprintf(stderr, "damaged_commands: name a folder for what is found\n");
        return 2;
    }
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 2;
    size_t findings = 0;
    const std::vector<std::string> kinds =
        options.kind.empty() ? seed_kinds() : std::vector<std::string>{options.kind};
    for (const std::string& kind : kinds) {
        Options own = options;
        own.kind = kind;
        own.seconds = options.seconds / static_cast<double>(kinds.size());
        const std::vector<Seed> seeds = seeds_of(kind);
        if (seeds.empty()) return 2;
        auto* shared = new (memory) Shared{};
        findings += runs_of(seeds, own, *shared);
    }
    return findings == 0 ? 0 : 1;
}
