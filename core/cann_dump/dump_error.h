// What can be wrong with a dump.
#pragma once

#include <string>

#include "core/base/error.h"

namespace npuscope::cann_dump {

enum class DumpProblem {
    kDamaged,      ///< the file is no valid dump, or the parts of an op do not fit
    kSizesDiffer,  ///< a nano dump whose payloads do not fill the file
    kDataType,     ///< elements that cannot be read
    kShape,        ///< the elements are not as many as the shape says
    kTaskType,     ///< a name with a task type that there is not
    kFolder,       ///< a folder without dumps, or with those of several kinds
};

class DumpError : public Error {
  public:
    explicit DumpError(const std::string& message, DumpProblem problem = DumpProblem::kDamaged)
        : Error(ErrorKind::kFormat, message), problem_(problem) {}
    [[nodiscard]] DumpProblem problem() const { return problem_; }

  private:
    DumpProblem problem_;
};

}  // namespace npuscope::cann_dump
