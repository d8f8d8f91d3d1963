// Recorded runs of one op, from tensors in memory.
#pragma once

#include <string>
#include <utility>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/op_run.h"
#include "tests/support/values.h"

namespace npuscope::test {

inline diagnose::OpRun recorded_run(const std::string& op,
                                    NamedValues arguments,
                                    Tensor result,
                                    const std::string& name = "result") {
    diagnose::OpRun run{.op = backend::find_op(op),
                        .arguments = std::move(arguments),
                        .wide = {},
                        .results = {{name, name, std::move(result)}}};
    run.wide = diagnose::widened(run.arguments);
    return run;
}

/// With the first result that float32 gives here.
inline diagnose::OpRun run_here(const std::string& op, const NamedValues& arguments) {
    const auto results = diagnose::run(*backend::find_op(op), arguments, Device::reference32());
    return recorded_run(op, arguments, results.value().tensor(0));
}

}  // namespace npuscope::test
