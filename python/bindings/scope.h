// A dump scope that Python holds, and where scopes find the events of what they watch.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <pybind11/pybind11.h>

#include "dumper/dump_scope.h"
#include "python/bindings/locked_executor.h"
#include "python/bindings/op_stream.h"

namespace npuscope::python {

/// The source lives as long as the scope.
struct Scope {
    std::shared_ptr<void> source;  // executor or stream, shared with Python
    std::recursive_mutex* mutex = nullptr;
    std::unique_ptr<dumper::DumpScope> scope;

    pybind11::dict close(bool complete, const std::string& note);
    void forget();
};

template <class Source>
EventSource& events_of(Source& source) {
    if constexpr (std::is_same_v<Source, LockedExecutor>)
        return source.executor;
    else
        return source;
}

}  // namespace npuscope::python
