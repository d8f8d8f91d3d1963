#include "core/h5/library_child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <hdf5.h>

#include "core/base/system_error.h"
#include "core/h5/handle.h"
#include "core/h5/library_service.h"

namespace npuscope::h5 {

namespace {

using Clock = std::chrono::steady_clock;

// A thread of the parent may have held a lock of the C library when it was forked: then the child
// never gets ready, and the next one does.
constexpr int kAttempts = 5;
constexpr std::chrono::milliseconds kReadyWithin{1000};
constexpr uint64_t kMostAnswer = uint64_t{1} << 30;
constexpr int kSocketInChild = 3;
constexpr int kFileInChild = 4;

enum Status : uint8_t { kReady, kAnswer, kError, kNoMemory };
struct Head {
    uint64_t size = 0;
    uint8_t status = kReady;
    uint8_t kind = 0;  ///< of the Error
};

// ---- in the child ----

bool put_all(int socket, const void* from, size_t count) {
    const auto* at = static_cast<const std::byte*>(from);
    while (count > 0) {
        const ssize_t done = ::send(socket, at, count, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        count -= static_cast<size_t>(done);
    }
    return true;
}

bool get_all(int socket, void* target, size_t count) {
    auto* at = static_cast<std::byte*>(target);
    while (count > 0) {
        const ssize_t done = ::recv(socket, at, count, 0);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        count -= static_cast<size_t>(done);
    }
    return true;
}

void reply(int socket, Status status, uint8_t kind, std::span<const std::byte> bytes) {
    const Head head{bytes.size(), status, kind};
    if (!put_all(socket, &head, sizeof head) || !put_all(socket, bytes.data(), bytes.size()))
        ::_exit(0);
}

/// Bytes of address space in use.
uint64_t size_of_process() {
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    std::array<char, 64> text{};
    const ssize_t count = file < 0 ? 0 : ::read(file, text.data(), text.size() - 1);
    if (file >= 0) ::close(file);
    return count <= 0 ? 0
                      : std::strtoull(text.data(), nullptr, 10) *
                            static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t most) {
    rlimit limits{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0) return;
    limits.rlim_cur = limits.rlim_max == RLIM_INFINITY ? most : std::min(most, limits.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

/// Nothing of the parent's but memory is left, and it cannot be seen from outside.
void isolate(int socket, int descriptor, pid_t parent, uint64_t memory_bytes) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number)
        ::sigaction(number, &plain, nullptr);
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    // Out of the way of the numbers they get.
    const int kept_socket = ::fcntl(socket, F_DUPFD, kFileInChild + 1);
    const int kept_file = ::fcntl(descriptor, F_DUPFD, kFileInChild + 1);
    const int nowhere = ::open("/dev/null", O_RDWR);
    if (kept_socket < 0 || kept_file < 0 || nowhere < 0) ::_exit(0);
    for (const int number : {0, 1, 2})
        ::dup2(nowhere, number);
    ::dup2(kept_socket, kSocketInChild);
    ::dup2(kept_file, kFileInChild);
    if (::syscall(SYS_close_range, kFileInChild + 1, ~0U, 0) != 0) {
        const long most = ::sysconf(_SC_OPEN_MAX);
        for (int number = kFileInChild + 1; number < most; ++number)
            ::close(number);
    }
    ::prctl(PR_SET_DUMPABLE, 0);
    limit(RLIMIT_CORE, 0);
    // A sanitizer reserves more than any limit.
    constexpr uint64_t kMostReserved = uint64_t{1} << 43;
    const uint64_t used = size_of_process();
    if (used > 0 && used < kMostReserved) limit(RLIMIT_AS, used + memory_bytes);
}

/// The system ends the process when the next question takes longer.
void allow_computing(std::chrono::seconds most) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    limit(RLIMIT_CPU,
          static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + most.count()));
}

[[noreturn]] void serve(const std::filesystem::path& path,
                        std::span<std::byte> shared,
                        const ChildLimits& limits) {
    renew_library_lock();
    // Other places to look for files in.
    for (const char* name : {"HDF5_EXT_PREFIX", "HDF5_VDS_PREFIX", "HDF5_EXTFILE_PREFIX"})
        ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe): there is no other thread
    H5open();
    LibraryService service(path, kFileInChild, true);
    reply(kSocketInChild, kReady, 0, {});
    std::vector<std::byte> question;
    ByteBuilder out;
    for (;;) {
        uint64_t size = 0;
        if (!get_all(kSocketInChild, &size, sizeof size)) ::_exit(0);
        allow_computing(limits.computing);
        out.clear();
        try {
            question.resize(size);
            if (!get_all(kSocketInChild, question.data(), question.size())) ::_exit(0);
            service.answer(question, out, shared);
            reply(kSocketInChild, kAnswer, 0, out.bytes());
        } catch (const Error& error) {
            const std::string_view text = error.what();
            reply(kSocketInChild,
                  kError,
                  static_cast<uint8_t>(error.kind()),
                  std::as_bytes(std::span(text)));
        } catch (const std::bad_alloc&) {
            reply(kSocketInChild, kNoMemory, 0, {});
        } catch (const std::exception& failure) {
            const std::string_view text = failure.what();
            reply(kSocketInChild,
                  kError,
                  static_cast<uint8_t>(ErrorKind::kFormat),
                  std::as_bytes(std::span(text)));
        }
    }
}

// ---- in the parent ----

/// All signals wait while a child still has this process's handlers.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

/// Calls `act` while no other thread of this process is in the library, whoever else uses it
/// (h5py): what a child inherits of it is whole, and its lock is that of the thread that goes on
/// there.
void inside_library(const std::function<void()>& act) {
    const Handle any(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    int first = 0;
    const auto call = [](hid_t, const char*, void* context) -> herr_t {
        (*static_cast<const std::function<void()>*>(context))();
        return 1;
    };
    H5Piterate(any.get(), &first, call, const_cast<std::function<void()>*>(&act));
}

}  // namespace

ChildLimits limits_for(uint64_t file_bytes) {
    constexpr uint64_t kBytesPerSecond = uint64_t{20} << 20;
    const auto more = std::chrono::seconds(file_bytes / kBytesPerSecond);
    ChildLimits limits;
    limits.computing += more;
    limits.waiting += 2 * more;
    return limits;
}

LibraryChild::LibraryChild(const std::filesystem::path& path,
                           int descriptor,
                           const ChildLimits& limits)
    : limits_(limits) {
    void* shared =
        ::mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        throw Error(ErrorKind::kIo, "no memory to share with the HDF5 library's process");
    shared_ = static_cast<std::byte*>(shared);
    for (int attempt = 0; attempt < kAttempts; ++attempt)
        if (start(path, descriptor)) return;
    const int code = errno;
    stop();
    throw system_error("cannot start a process for the HDF5 library", code);
}

LibraryChild::~LibraryChild() {
    stop();
}

bool LibraryChild::start(const std::filesystem::path& path, int descriptor) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    const pid_t parent = ::getpid();
    pid_t process = -1;
    int code = 0;
    inside_library([&] {
        const SignalsBlocked blocked;
        process = ::fork();
        code = errno;
        if (process != 0) return;
        isolate(ends[1], descriptor, parent, limits_.memory_bytes);
        serve(path, {shared_, kSharedBytes}, limits_);
    });
    ::close(ends[1]);
    process_ = process;
    socket_ = ends[0];
    Head head;
    if (process > 0 &&
        receive(reinterpret_cast<std::byte*>(&head), sizeof head, Clock::now() + kReadyWithin))
        return true;
    std::byte* const shared = std::exchange(shared_, nullptr);
    stop();
    shared_ = shared;
    errno = process > 0 ? ETIMEDOUT : code;
    return false;
}

void LibraryChild::stop() noexcept {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
    }
    if (shared_ != nullptr) ::munmap(std::exchange(shared_, nullptr), kSharedBytes);
}

bool LibraryChild::send(std::span<const std::byte> bytes) {
    const uint64_t size = bytes.size();
    return put_all(socket_, &size, sizeof size) && put_all(socket_, bytes.data(), bytes.size());
}

bool LibraryChild::receive(std::byte* target, size_t count, Clock::time_point deadline) {
    while (count > 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd wanted{socket_, POLLIN, 0};
        const int ready = ::poll(&wanted, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t done = ::recv(socket_, target, count, 0);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        target += done;
        count -= static_cast<size_t>(done);
    }
    return true;
}

void LibraryChild::bury() {
    int status = 0;
    pid_t ended = 0;
    // A closed connection is seen a moment before the end of the process is.
    for (int attempt = 0; attempt < 100 && ended == 0; ++attempt) {
        ended = ::waitpid(process_, &status, WNOHANG);
        if (ended == 0) ::poll(nullptr, 0, 1);
    }
    std::string how = "did not answer within " + std::to_string(limits_.waiting.count()) + " s";
    const bool was_waiting = ended != process_;
    if (!was_waiting) {
        process_ = -1;
        how = "ended";
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
            how = "computed for longer than " + std::to_string(limits_.computing.count()) + " s";
        else if (WIFSIGNALED(status))
            how = "crashed (signal " + std::to_string(WTERMSIG(status)) + ")";
    }
    stop();
    throw Death(std::move(how), was_waiting);
}

Cursor LibraryChild::ask(std::span<const std::byte> question) {
    const Clock::time_point deadline = Clock::now() + limits_.waiting;
    Head head;
    if (socket_ < 0 || !send(question) ||
        !receive(reinterpret_cast<std::byte*>(&head), sizeof head, deadline))
        bury();
    if (head.size > kMostAnswer) {
        stop();
        throw Death("gave no answer");
    }
    answer_.resize(head.size);
    if (!receive(answer_.data(), answer_.size(), deadline)) bury();
    if (head.status == kNoMemory) {
        stop();
        throw Death("needed more than " + std::to_string(limits_.memory_bytes >> 20) +
                    " MB of memory");
    }
    if (head.status != kAnswer) {
        const auto kind =
            static_cast<ErrorKind>(std::min(head.kind, static_cast<uint8_t>(ErrorKind::kInternal)));
        throw Error(kind, {reinterpret_cast<const char*>(answer_.data()), answer_.size()});
    }
    return {answer_.data(), answer_.data() + answer_.size()};
}

}  // namespace npuscope::h5
