// Writes one dump file: /<IR name>/<seqid>/{input,output}/<argument>.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/pending_file.h"
#include "core/dtype/compute_type.h"
#include "core/dumpfile/facts.h"
#include "core/dumpfile/layout.h"
#include "core/dumpfile/leftover.h"
#include "core/h5/h5.h"
#include "core/h5/output_file.h"
#include "core/ir/value.h"

namespace npuscope::dumpfile {

struct WriterOptions {
    int device_code = kDeviceCpu;  ///< DeviceType of every tensor
    bool half_as_float32 = true;   ///< false: float16 stored as IEEE binary16
    std::vector<std::pair<std::string, std::string>> run_facts = {};  ///< root attributes (strings)
    /// write() makes the ops so far safe when so much time has passed since it last did; 0: always.
    std::chrono::milliseconds commit_interval{500};
    int compress = 0;  ///< 1 to 9: larger tensors are deflated; slow, but any HDF5 reads them
    /// Nothing is written; size() tells what the file would take.
    bool dry_run = false;
    bool temporary = false;  ///< nobody wants it after an error: then nothing of it is kept
    bool sync = false;       ///< safe means on the disk: a power cut loses nothing either
    /// Tests put a failing disk in between.
    std::function<std::unique_ptr<h5::OutputFile>(std::unique_ptr<h5::OutputFile>)> wrap_output =
        {};
};

/// What one op leaves in the file.
struct OpRecord {
    OpId id;
    NamedValues inputs;  ///< with write_inputs
    NamedValues outputs;
    bool write_inputs = true;
    ComputeType compute_type = ComputeType::kNone;  ///< of the outputs' float tensors
    OpFacts facts;                                  ///< /op/seqid/npuscope
    bool commit = false;                            ///< make it safe at once
};

/// The file appears under its final name at close(), complete; until then it is `<name>.part.h5`, a
/// readable dump of all committed ops, which says where it ends. A killed process leaves it, and so
/// does an error once there are ops: at the first one in the middle of an op those before it are
/// committed where that is possible, and nothing that was committed is lost. Nothing written:
/// no file. Threads: one thread at a time. Errors: Error(kIo) names the file, and the one that is
/// kept; after one, the writer takes no more ops and close() throws.
///
/// What a killed or failed process left under the part name is kept, too (leftover.h).
///
/// A tensor whose elements, shape and attributes equal an earlier one's becomes a hard link to it
/// (core/dumpfile/equal_tensors.h).
class Writer {
  public:
    /// Begins the file. Errors: Error(kIo) also when another process writes a dump of that name.
    Writer(std::filesystem::path path, WriterOptions options);
    /// The same; when another process writes it, nothing, and `holder` is "is being written by …".
    [[nodiscard]] static std::optional<Writer> begin(std::filesystem::path path,
                                                     WriterOptions options,
                                                     std::string& holder);
    ~Writer();  ///< without close(): the part file is removed
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void write(const OpRecord& record);
    /// A root attribute beside run_facts, from the next commit on. At most 60000 bytes are kept.
    void set_run_fact(const std::string& name, const std::string& text);
    [[nodiscard]] int64_t op_count() const;
    /// Makes all ops written so far safe against the end of the process.
    void commit();
    /// How many ops are safe.
    [[nodiscard]] int64_t committed_count() const;
    /// The most bytes that the file would have if it were closed now.
    [[nodiscard]] uint64_t size() const;
    [[nodiscard]] std::filesystem::path path() const;  ///< the final name
    /// Of an earlier dump of that name.
    [[nodiscard]] const Leftover& leftover() const;
    /// An error has ended it.
    [[nodiscard]] bool failed() const;
    /// `complete` is false when ops are missing (a limit was reached, say); it goes into the root
    /// attribute `Complete` with `note`.
    void close(bool complete = true, const std::string& note = {});

  private:
    Writer();
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::dumpfile
