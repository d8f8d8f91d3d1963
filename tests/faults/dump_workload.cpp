// dump_workload DUMP ACKNOWLEDGED OPS ELEMENTS WRITER [sync] [compress] [meet]
//
// Dumps ops whose elements tell the op's number and the writer's, and appends to the file
// ACKNOWLEDGED how many ops the dump calls safe, whenever that has grown. With `meet` it makes the
// file ACKNOWLEDGED.begun when its dump has begun, and goes on when there is a file `go` beside
// that. Exit code 2 and the error's text when the dump fails.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>

#include "core/base/error.h"
#include "dumper/dump_scope.h"
#include "tests/dumper/fake_source.h"

namespace {

using namespace npuscope;

class Acknowledged {
  public:
    explicit Acknowledged(const char* path)
        : file_(::open(path, O_CREAT | O_APPEND | O_WRONLY, 0600)) {}
    void tell(int64_t count) {
        if (count == told_) return;
        told_ = count;
        const std::string line = std::to_string(count) + "\n";
        if (::write(file_, line.data(), line.size()) < 0) std::abort();
    }

  private:
    int file_;
    int64_t told_ = 0;
};

void meet_others(const std::filesystem::path& acknowledged) {
    const std::filesystem::path begun = acknowledged.string() + ".begun";
    const int file = ::open(begun.c_str(), O_CREAT | O_WRONLY, 0600);
    if (file < 0) std::abort();
    ::close(file);
    const std::filesystem::path folder = std::filesystem::absolute(acknowledged).parent_path();
    while (!std::filesystem::exists(folder / "go"))
        std::this_thread::yield();
}

Tensor tensor_of(int64_t elements, int64_t op, int64_t writer) {
    return Tensor::from<int32_t>({elements},
                                 std::vector<int32_t>(static_cast<size_t>(elements),
                                                      static_cast<int32_t>(writer * 10000 + op)));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) return 3;
    const auto has = [&](const std::string& word) {
        for (int i = 6; i < argc; ++i)
            if (argv[i] == word) return true;
        return false;
    };
    const int64_t ops = std::atoll(argv[3]);
    const int64_t elements = std::atoll(argv[4]);
    const int64_t writer = std::atoll(argv[5]);
    Acknowledged acknowledged(argv[2]);
    try {
        std::atomic<bool> stopped = false;
        test::FakeSource source;
        dumper::DumpScope scope(source,
                                {.use_dump = true,
                                 .dump_path = argv[1],
                                 .compress = has("compress") ? 1 : 0,
                                 .commit_interval = std::chrono::milliseconds(0),
                                 .sync = has("sync"),
                                 .on_stopped = [&](const std::string&) { stopped = true; }});
        if (has("meet")) meet_others(argv[2]);
        for (int64_t op = 1; op <= ops; ++op) {
            const Tensor tensor = tensor_of(op % 7 == 0 ? elements * 10 : elements, op, writer);
            source.run(op % 5 == 0 ? "relu" : "addmm", {}, {{"result", tensor}});
            // So that each op is a commit of its own: the writer would take several at once.
            while (!stopped && scope.committed_ops() < op)
                std::this_thread::yield();
            acknowledged.tell(scope.committed_ops());
        }
        static_cast<void>(scope.close());
        acknowledged.tell(ops);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
