#include "msaccucmp/h5/filter.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <system_error>

#include "core/base/csv_line.h"
#include "core/base/error.h"
#include "core/npz/npy.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/result_file.h"

namespace npuscope::msaccucmp {

namespace {

constexpr double kMostCosine = 0.95;

void make_private_folders(const std::filesystem::path& path) {
    if (path.empty() || std::filesystem::is_directory(path)) return;
    make_private_folders(path.parent_path());
    ::mkdir(path.c_str(), 0700);
}

void save(const OpenDump& dump, int32_t node, const std::filesystem::path& folder, Log& log) {
    if (node < 0) return;
    const std::string dataset = dump.index.path(node);
    try {
        const std::filesystem::path path = folder / (dataset.substr(1) + ".npy");
        // A name of the file must not lead out of the folder.
        for (const auto& part : path)
            if (part == "..") throw Error(ErrorKind::kFormat, "the name contains '..'");
        const Tensor tensor = dump.reader.read(dataset);
        make_private_folders(path.parent_path());
        ResultFile out(path);
        out.write(format_npy(tensor.view()));
        out.close();
    } catch (const Error& failure) {
        log.warning("The tensor " + dataset + " is not saved: " + failure.what());
    }
}

}  // namespace

bool is_kept(const std::string& cosine) {
    if (cosine == kNotANumber) return true;
    return std::strtod(cosine.c_str(), nullptr) <= kMostCosine;
}

void write_filtered(const std::filesystem::path& result,
                    const std::vector<std::string>& columns,
                    const std::vector<Row>& rows,
                    const OpenDump& my,
                    const OpenDump& golden,
                    Log& log) {
    const auto folder = result.parent_path() / (result.stem().string() + "_filtered");
    // Only a new folder is private: one that is there, or a link in its place, is left alone.
    if (::mkdir(folder.c_str(), 0700) != 0) {
        log.error("Failed to create \"'" + folder.string() +
                  "'\": " + std::error_code(errno, std::generic_category()).message() +
                  "; no filtered result is written.");
        return;
    }
    // Without the column the reference takes column 0 in its place.
    const auto column = std::find(columns.begin(), columns.end(), "CosineSimilarity");
    const size_t at = column == columns.end() ? 0 : static_cast<size_t>(column - columns.begin());
    ResultFile file(folder / "filtered_result.csv");
    file.write(csv_line(columns));
    for (const Row& row : rows) {
        if (!is_kept(row.cells[at])) continue;
        file.write(csv_line(row.cells));
        save(my, row.my_node, folder / "my_dump", log);
        save(golden, row.golden_node, folder / "gold_dump", log);
    }
    file.close();
}

}  // namespace npuscope::msaccucmp
