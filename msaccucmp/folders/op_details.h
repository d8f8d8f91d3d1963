// -op: one tensor of one op, element by element.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/options.h"
#include "msaccucmp/folders/alignment.h"
#include "msaccucmp/folders/golden_tensor.h"

namespace npuscope::msaccucmp {

/// What -op and its companions ask for.
struct DetailRequest {
    /// Errors: CommandError(kInvalidParameter) for -ml, -o and -i.
    explicit DetailRequest(const CompareOptions& options);
    /// Errors: CommandError(kInvalidParameter) for -op, (kIndexOutOfBounds) for -n.
    void check() const;

    std::string op;
    TensorIndex tensor;
    int64_t top = 20;
    int64_t lines = 1000000;  ///< of one file
    bool only_top = false;

    /// "add_relu_output_0": how the files begin.
    [[nodiscard]] std::string file_prefix() const;
};

struct DetailedPair {
    RealArray my;      ///< of the shape that is listed
    RealArray golden;  ///< as many elements
    std::string my_names;
    std::string golden_names;
    std::string index_names;  ///< "N C H W"
    std::string dump_name;    ///< of my dump file
};

class DetailWriter {
  public:
    DetailWriter(std::filesystem::path folder,
                 const DetailRequest& request,
                 std::ostream& out,
                 Log& log)
        : folder_(std::move(folder)), request_(request), out_(out), log_(log) {}

    [[nodiscard]] const DetailRequest& request() const { return request_; }
    /// Removes what an earlier call with the same request wrote. Errors: CommandError.
    void remove_old_files() const;
    /// PREFIX.npy, _summary.txt, two tables of the largest errors (also on `out`), and all elements
    /// in files of at most request.lines. Errors: CommandError.
    void write(const DetailedPair& pair);

  private:
    struct Lines;
    [[nodiscard]] std::filesystem::path path_of(const std::string& ending,
                                                const std::string& dump_name) const;
    void write_text(const std::filesystem::path& path, const std::string& text) const;
    void write_table(const std::string& kind, const Lines& lines, const std::string& dump_name);

    std::filesystem::path folder_;
    const DetailRequest& request_;
    std::ostream& out_;
    Log& log_;
};

/// With a rule file. Returns the exit code. Errors: CommandError.
[[nodiscard]] int write_details(const FolderPair& folders, DetailWriter& writer, Log& log);
/// Without one: NPU dumps of the same op on both sides.
[[nodiscard]] int write_npu_details(const DumpFolder& my,
                                    const DumpFolder& golden,
                                    DetailWriter& writer,
                                    Log& log);

}  // namespace npuscope::msaccucmp
