// Copies objects from one file to another byte by byte, without the library.
#pragma once

#include <memory>
#include <string>

#include "core/h5/append_writer.h"
#include "core/h5/h5.h"

namespace npuscope::h5 {

/// Headers keep their messages, elements are written straight from a mapping of the source. A
/// dataset with several names is copied once and linked. Only what a dump holds can be copied:
/// groups without attributes, contiguous and compact datasets, types and attributes that refer to
/// nothing outside their header.
/// Errors: Error(kUnsupported) for everything else, also for what is damaged: the library has to
/// copy then, and knows what to say. The target is of no use after an error.
class RawCopy {
  public:
    /// Both are borrowed.
    RawCopy(const Reader& source, AppendWriter& target);
    ~RawCopy();
    RawCopy(const RawCopy&) = delete;
    RawCopy& operator=(const RawCopy&) = delete;

    /// An object with all below it. Plain absolute paths.
    void copy(const std::string& from, const std::string& to);
    /// Error(kIo) when the source lost bytes meanwhile.
    void require_intact() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::h5
