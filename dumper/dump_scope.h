// The with-block: while it lives, an executor's ops go to a dump file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/event/event_source.h"
#include "dumper/golden.h"

namespace npuscope::dumper {

/// At most one of use_dump, use_load, check_overflow; use_dump with load_file_path means use_load.
struct DumpOptions {
    bool enabled = true;
    bool use_dump = false;  ///< every op's inputs and outputs
    bool use_load =
        false;  ///< inputs from load_file_path; outputs are dumped under the golden's seqid
    bool check_overflow = false;  ///< only ops whose float status was set, inputs and outputs
    std::filesystem::path dump_path =
        {};  ///< file *.h5, or an existing directory, or empty: <timestamp>.h5 here
    std::filesystem::path load_file_path = {};  ///< *.h5
    bool inputs = true;  ///< with use_dump and check_overflow: the ops' inputs too
    bool statistics =
        false;  ///< with use_dump: counts, extremes and mean of each tensor, not its elements
    bool hashes = false;  ///< with use_dump: a hash of each tensor, not its elements
    int compress = 0;     ///< 1 to 9: larger tensors are deflated (slow; any HDF5 reads them)
    /// With use_dump: of each op's runs the first, and every so many-th after it; 1 keeps all.
    int64_t sample = 1;
    /// Asked for each recorded op; false leaves it out (it is numbered all the same). Empty: all.
    std::function<bool(const OpEnd&)> keep = {};
    bool dump_inputs = false;  ///< with use_load: the replaced inputs too, to <name>_inputs.h5
    uint64_t max_bytes = 0;    ///< of the file; 0: no limit. Then dumping stops, the file says so
    uint64_t queue_bytes = uint64_t{256} << 20;  ///< bound of what waits for the writer
    /// Ops are committed at least so often; one that overflowed is at once.
    std::chrono::milliseconds commit_interval{500};
    bool half_as_float32 = true;
    bool sync = false;       ///< committed ops are on the disk: a power cut loses none either
    bool temporary = false;  ///< of a temporary folder: after an error nothing of it is kept
    bool estimate = false;   ///< nothing is written: the summary says what the file would take
    bool progress = false;   ///< one line on stderr while it is a terminal
    /// Told once, on the writer's thread, when an error ends the dump before close(); empty: a line
    /// on stderr.
    std::function<void(const std::string&)> on_stopped = {};
};

/// What a closed scope has to tell.
struct DumpSummary {
    std::filesystem::path path;  ///< empty: nothing recorded, or an estimate; no file
    uint64_t bytes = 0;          ///< of the file; of an estimate what it would take
    int64_t ops_written = 0;
    int64_t ops_seen = 0;
    bool complete = true;
    std::string note;       ///< why it is not complete
    int64_t unmatched = 0;  ///< load: ops that ran on their own data
    std::vector<std::string>
        first_unmatched;  ///< at most ten, "/addmm/7: no run with these shapes is left"
    int64_t replaced_tensors = 0;
    int64_t given_differ = 0;  ///< load: tensors and numbers that are not the golden's
    std::vector<GivenDifference> first_given = {};  ///< of these at most ten
    std::filesystem::path inputs_path = {};         ///< of dump_inputs; empty: no file
};

/// Of use_load. Errors: Error(kUsage) when ops ran and none has a counterpart in the golden: a dump
/// of another model would otherwise look like a run without a finding.
void require_a_match(const DumpSummary& summary, const std::filesystem::path& golden);

/// Attaches in the constructor, detaches and closes in the destructor. One thread writes, ops wait
/// for it in a queue of at most queue_bytes; a full queue holds the program up.
///
/// A second scope on the same path, of this process or, while it is open, of another one, writes
/// name_2.h5 (name_3.h5, …) and says so on stderr. No mode chosen: nothing is attached, as with the
/// original. Errors: the constructor throws Error(kUsage|kIo) for modes and paths that do not do;
/// errors while dumping end the dump, which keeps what was committed (on_stopped tells at once),
/// and are thrown by close() (the destructor only drops them). Threads: the executor's.
class DumpScope {
  public:
    DumpScope(EventSource& source, DumpOptions options);
    ~DumpScope();
    DumpScope(const DumpScope&) = delete;
    DumpScope& operator=(const DumpScope&) = delete;

    /// How many ops are committed: they are in the file and stay readable there whatever happens to
    /// the process. Threads: any.
    [[nodiscard]] int64_t committed_ops() const;

    /// The file will say that ops are missing, and why; the first reason stays.
    void set_incomplete(const std::string& why);

    /// Load mode, between the beginning of an op and its end: the golden has a run for it.
    [[nodiscard]] bool matched() const;

    /// For the child after a fork, where the writer's thread does not exist: stops listening and
    /// lets everything be, the files too, which belong to the parent.
    void forget() noexcept;

    /// Waits for the writer, gives the file its final name and says what happened. Errors:
    /// Error(kIo).
    DumpSummary close();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::dumper
