#include "custom_algorithms/channel.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"

namespace npuscope::custom_algorithms {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kChildsEnd = 3;
constexpr int kNotFound = 127;
constexpr size_t kLongestLine = size_t{16} << 20;

std::string text_of(int problem) {
    return std::error_code(problem, std::generic_category()).message();
}

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* command, int end, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kNotFound);
    // A pipe that nobody writes to ends at once, even where /dev/null is a file that holds something.
    int nothing[2];
    if (::pipe(nothing) != 0) ::_exit(kNotFound);
    ::close(nothing[1]);
    ::dup2(nothing[0], STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    if (end == kChildsEnd) {
        ::fcntl(end, F_SETFD, 0);
    } else {
        ::dup2(end, kChildsEnd);
    }
    ::close_range(kChildsEnd + 1, ~0U, 0);
    ::execv(command[0], command);
    ::_exit(kNotFound);
}

}  // namespace

Channel::Channel(const std::vector<std::string>& command) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw Error(ErrorKind::kIo, "cannot make a socket: " + text_of(errno));
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command)
        words.push_back(const_cast<char*>(word.c_str()));  // execv does not write to it
    words.push_back(nullptr);
    const pid_t parent = ::getpid();
    child_ = ::fork();
    if (child_ == 0) become(words.data(), ends[1], parent);
    const int problem = errno;
    ::close(ends[1]);
    socket_ = ends[0];
    if (child_ > 0) return;
    ::close(socket_);
    throw Error(ErrorKind::kIo, "cannot start " + command.front() + ": " + text_of(problem));
}

Channel::~Channel() {
    if (child_ > 0) stop(false);
}

void Channel::write(std::string_view bytes, milliseconds patience) {
    const auto deadline = steady_clock::now() + patience;
    while (!bytes.empty()) {
        await(POLLOUT, deadline);
        const ssize_t sent =
            ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (sent < 0) report_end();
        bytes.remove_prefix(static_cast<size_t>(sent));
    }
}

std::string Channel::read_line(milliseconds patience) {
    const auto deadline = steady_clock::now() + patience;
    for (;;) {
        if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
            std::string line = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            return line;
        }
        if (buffer_.size() > kLongestLine) {
            stop(true);
            throw Error(ErrorKind::kIo, "the Python process answers without end");
        }
        receive(deadline);
    }
}

void Channel::read(std::span<std::byte> target, milliseconds patience) {
    const auto deadline = steady_clock::now() + patience;
    while (!target.empty()) {
        if (buffer_.empty()) receive(deadline);
        const size_t count = std::min(buffer_.size(), target.size());
        std::memcpy(target.data(), buffer_.data(), count);
        buffer_.erase(0, count);
        target = target.subspan(count);
    }
}

/// Adds to the buffer what has arrived, waiting for something to arrive.
void Channel::receive(steady_clock::time_point deadline) {
    for (;;) {
        await(POLLIN, deadline);
        char block[65536];
        const ssize_t got = ::recv(socket_, block, sizeof block, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) report_end();
        buffer_.append(block, static_cast<size_t>(got));
        return;
    }
}

void Channel::await(short events, steady_clock::time_point deadline) {
    for (;;) {
        if (child_ <= 0) throw Error(ErrorKind::kIo, "the Python process has ended");
        const auto left =
            std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now()).count();
        pollfd one{.fd = socket_, .events = events, .revents = 0};
        const int ready = left > 0 ? ::poll(&one, 1, static_cast<int>(left)) : 0;
        if (ready > 0) return;
        if (ready < 0 && errno == EINTR) continue;
        stop(true);
        throw Error(ErrorKind::kIo, "the Python process did not answer in time and was stopped");
    }
}

void Channel::report_end() {
    throw Error(ErrorKind::kIo, "the Python process ended " + stop(false));
}

std::string Channel::stop(bool kill) {
    ::close(std::exchange(socket_, -1));
    const pid_t child = std::exchange(child_, -1);
    // Whoever closed the channel without ending has this long to end.
    constexpr int kGraceRounds = 100;
    int status = 0;
    pid_t done = 0;
    for (int round = 0; !kill && done == 0 && round < kGraceRounds; ++round) {
        done = ::waitpid(child, &status, WNOHANG);
        if (done == 0) ::poll(nullptr, 0, 10);
    }
    if (done == 0) {
        ::kill(child, SIGKILL);
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
        return "at once: it cannot be run here";
    if (WIFEXITED(status)) return "with exit code " + std::to_string(WEXITSTATUS(status));
    return "by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace npuscope::custom_algorithms
