// One recorded op as a call of the executor: its arguments by the schema's names, whatever
// framework recorded it.
#pragma once

#include <string>
#include <vector>

#include "core/dumpfile/reader.h"
#include "core/naming/aliases.h"
#include "npu_backend/executor.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

/// Borrows all that it is made of.
class RecordedOp {
  public:
    RecordedOp(const dumpfile::Reader& reader,
               const dumpfile::OpEntry& recorded,
               const backend::Op& op);

    /// A mask that was not recorded asks for the recorded results; what else was not recorded is
    /// left out. Errors: as Reader::read.
    [[nodiscard]] NamedValues arguments() const;
    /// Tensors with elements.
    [[nodiscard]] std::vector<const dumpfile::Entry*> outputs() const;
    /// The entry's argument as the schema calls it.
    [[nodiscard]] std::string name_of_argument(const dumpfile::Entry& entry) const;

  private:
    [[nodiscard]] const dumpfile::Entry* input(const std::string& name) const;
    [[nodiscard]] Value list_of(const std::string& name) const;
    [[nodiscard]] Value value_of(const backend::Argument& argument) const;

    const dumpfile::Reader& reader_;
    const dumpfile::OpEntry& recorded_;
    const backend::Op& op_;
    const Alias* alias_;
};

/// The executor's op of that name or, through the aliases, of another framework's; nullptr when
/// there is none.
[[nodiscard]] const backend::Op* row_of(const dumpfile::OpEntry& recorded);

/// nullptr when there is no such tensor; `path` is "name" or, in a list, "name/name_0".
[[nodiscard]] const Tensor* result_named(const Results& results, const std::string& path);

}  // namespace npuscope::diagnose
