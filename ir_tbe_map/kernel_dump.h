// While it lives, the kernels of an executor go to CANN dump files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/event/event_source.h"
#include "ir_tbe_map/acl_config.h"
#include "ir_tbe_map/device_log.h"

namespace npuscope::ir_tbe_map {

struct KernelDumpOptions {
    AclConfig config;
    int64_t device_id = 0;
    std::string model_name = {};  ///< empty: single operators
    int64_t model_id = 0;
    /// Asked at each kernel; false leaves it out. Empty: all.
    std::function<bool()> wanted = {};
    bool debug_records = false;  ///< overflow records as with dump_debug, but every kernel's dump
    DeviceLog log = {};          ///< a line a file (info), what failed (error), remarks (warning)
    /// Microseconds since 1970; empty: the system's clock.
    std::function<uint64_t()> now = {};
};

/// The files of one launch.
struct KernelFiles {
    std::string op;  ///< IR name
    int64_t seqid = 0;
    std::string type;
    std::string op_name;
    int64_t task_id = 0;
    int64_t stream_id = 0;
    uint64_t timestamp = 0;
    std::vector<std::string> names;  ///< below the summary's folder
};

struct KernelDumpSummary {
    std::filesystem::path folder;  ///< empty: no kernel was dumped, no folder was made
    std::vector<KernelFiles> kernels;
    std::vector<std::string> debug_files;
    int64_t failed = 0;  ///< kernels that could not be written
    std::string first_failure;
};

/// Attaches in the constructor, detaches in close() or the destructor. The folder is
/// {dump_path}/{time}/{device_id} and, of a model, {model_name}/{model_id}/{step} below it; it is
/// made at the first kernel. A file is {op_type}.{op_name}.{task_id}.{stream_id}.{timestamp}, with
/// `.`, `/`, `\` and blanks in type and name replaced by `_`; op_name is {IR name}_{seqid}_{number
/// of the kernel in its op}. Names longer than 255 bytes become digits that mapping.csv explains.
///
/// Errors: the constructor throws Error(kUsage) when the configuration leaves everything out;
/// close() throws Error(kIo) when files could not be written. Threads: the executor's.
class KernelDumpScope {
  public:
    KernelDumpScope(EventSource& source, KernelDumpOptions options);
    ~KernelDumpScope();
    KernelDumpScope(const KernelDumpScope&) = delete;
    KernelDumpScope& operator=(const KernelDumpScope&) = delete;

    KernelDumpSummary close();
    /// Another training step or run of the model.
    void set_step(int64_t step);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::ir_tbe_map
