// A child process and the socket to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace npuscope::custom_algorithms {

/// The child has its end of the socket as descriptor 3, our standard error stream as standard
/// output and error stream, and no input. The child ends with this object (killed if need be), and
/// also when the thread ends that made this object.
class Channel {
  public:
    /// Errors: Error(kIo) when the process cannot be started.
    explicit Channel(const std::vector<std::string>& command);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    Channel(Channel&&) = delete;
    Channel& operator=(Channel&&) = delete;

    /// Errors of all three: Error(kIo) when the child has ended (with how it ended), or when it
    /// does not go on within `patience`; the child is gone afterwards.
    void write(std::string_view bytes, std::chrono::milliseconds patience);
    /// Without the line end.
    [[nodiscard]] std::string read_line(std::chrono::milliseconds patience);
    /// As many bytes as `target` has.
    void read(std::span<std::byte> target, std::chrono::milliseconds patience);

  private:
    void receive(std::chrono::steady_clock::time_point deadline);
    void await(short events, std::chrono::steady_clock::time_point deadline);
    [[noreturn]] void report_end();
    /// Reaps the child and says how it ended.
    std::string stop(bool kill);

    pid_t child_ = -1;
    int socket_ = -1;
    std::string buffer_;
};

}  // namespace npuscope::custom_algorithms
