// The files of -op: all elements, the largest errors, a summary.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/pending_file.h"
#include "core/base/words.h"
#include "core/cann_dump/name.h"
#include "core/npz/npy.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/result_file.h"
#include "msaccucmp/columns/algorithms.h"
#include "msaccucmp/folders/element_errors.h"
#include "msaccucmp/folders/op_details.h"

namespace npuscope::msaccucmp {

namespace {

constexpr size_t kMostNameBytes = 255;
constexpr size_t kLeastDims = 4;
constexpr const char* kLongNames = "simple_op_mapping.csv";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

std::string padded(const std::string& text, size_t width) {
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

/// The elements of both sides with their errors, ready to be listed.
class Elements {
  public:
    explicit Elements(const DetailedPair& pair)
        : my_(pair.my.values.reshaped({pair.my.values.numel()})),
          golden_(pair.golden.values.reshaped({pair.golden.values.numel()})),
          dims_(pair.my.shape()),
          are_bools_(my_.dtype() == DType::kBool && golden_.dtype() == DType::kBool) {
        if (dims_.size() < kLeastDims) dims_.resize(kLeastDims, 1);
        if (are_bools_) {
            const auto count = static_cast<size_t>(my_.numel());
            errors_.absolute.assign(count, std::numeric_limits<double>::quiet_NaN());
            errors_.relative = errors_.absolute;
        } else {
            errors_ = element_errors(my_, golden_);
        }
        // The original tool loses infinite errors here, and its files show them as nan.
        for (double& error : errors_.absolute)
            if (std::isinf(error)) error = std::numeric_limits<double>::quiet_NaN();
    }

    [[nodiscard]] size_t count() const { return errors_.absolute.size(); }
    [[nodiscard]] bool are_bools() const { return are_bools_; }
    [[nodiscard]] const ElementErrors& errors() const { return errors_; }

    /// A line of the list of all elements.
    [[nodiscard]] std::string line(size_t i) const {
        const double relative = errors_.relative[i];
        if (are_bools_) return start_of(i) + ",-\t,-\n";
        const bool has_relative = std::isfinite(relative);
        return start_of(i) + "," + six_decimals(errors_.absolute[i]) + "\t," +
               (has_relative ? six_decimals(relative) + "\t" : "-") + "\n";
    }

    /// A line of the largest errors.
    [[nodiscard]] std::string top_line(size_t i) const {
        const std::string line = start_of(i) + "," + six_decimals(errors_.absolute[i]) + "\t," +
                                 six_decimals(errors_.relative[i]) + "\t\n";
        return replaced(replaced(line, "nan", "-"), "inf", "-");
    }

  private:
    [[nodiscard]] std::string start_of(size_t i) const {
        std::string index;
        auto rest = static_cast<int64_t>(i);
        for (size_t axis = dims_.size(); axis-- > 0;) {
            index.insert(0, std::to_string(rest % dims_[axis]) + (index.empty() ? "" : " "));
            rest /= dims_[axis];
        }
        return std::to_string(i) + "," + index + "," + value(my_, i) + "\t," + value(golden_, i) +
               "\t";
    }
    [[nodiscard]] std::string value(const Tensor& tensor, size_t i) const {
        const double number = tensor.at(static_cast<int64_t>(i));
        if (are_bools_) return number != 0 ? "True" : "False";
        return six_decimals(number);
    }

    Tensor my_;
    Tensor golden_;
    Shape dims_;
    bool are_bools_;
    ElementErrors errors_;
};

/// Errors that can be ordered: what is not finite counts as 0.
std::vector<double> orderable(std::vector<double> errors) {
    for (double& error : errors)
        if (!std::isfinite(error)) error = 0;
    return errors;
}

/// The largest first, among equals the last element first.
std::vector<size_t> largest(const std::vector<double>& errors, int64_t top, bool are_bools) {
    std::vector<size_t> order(errors.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const size_t count = std::min(order.size(), static_cast<size_t>(top));
    if (!are_bools)
        std::partial_sort(order.begin(),
                          order.begin() + static_cast<std::ptrdiff_t>(count),
                          order.end(),
                          [&](size_t a, size_t b) {
                              return errors[a] != errors[b] ? errors[a] > errors[b] : a > b;
                          });
    order.resize(count);
    return order;
}

std::string extremes(const std::string& name, const std::vector<double>& errors, bool are_bools) {
    std::string lowest = are_bools ? "-" : "nan";
    std::string highest = lowest;
    if (!are_bools && !errors.empty()) {
        const auto [low, high] = std::minmax_element(errors.begin(), errors.end());
        lowest = six_decimals(*low);
        highest = six_decimals(*high);
    }
    return "Min" + name + ":" + lowest + "\nMax" + name + ":" + highest + "\n";
}

bool belongs_to(const std::string& name, const std::string& prefix) {
    return name == prefix + "_summary.txt" || name == prefix + ".npy" ||
           (name.starts_with(prefix + "_") && (name.ends_with(".csv") || name.ends_with(".npy")));
}

void remove_file(const std::filesystem::path& path) {
    std::error_code failure;
    std::filesystem::remove(path, failure);
    if (failure)
        throw CommandError(kDeleteFileError,
                           "Failed to delete '" + path.string() + "': " + failure.message());
}

}  // namespace

/// A table as text and, for the terminal, as cells.
struct DetailWriter::Lines {
    std::string header;
    std::vector<std::string> lines;

    [[nodiscard]] std::string text() const {
        std::string all = header;
        for (const std::string& line : lines)
            all += line;
        return all;
    }

    /// Columns filled with blanks, tabs between them.
    [[nodiscard]] std::string aligned() const {
        std::vector<std::vector<std::string>> rows;
        std::vector<size_t> widths;
        const auto add = [&](const std::string& line) {
            auto cells = fields_of(line, ',');
            for (std::string& cell : cells)
                cell.erase(
                    std::remove_if(
                        cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n'; }),
                    cell.end());
            widths.resize(std::max(widths.size(), cells.size()), 0);
            for (size_t i = 0; i < cells.size(); ++i)
                widths[i] = std::max(widths[i], cells[i].size());
            rows.push_back(std::move(cells));
        };
        add(header);
        for (const std::string& line : lines)
            add(line);
        std::string all;
        for (const auto& row : rows)
            for (size_t i = 0; i < row.size(); ++i)
                all += padded(row[i], widths[i]) + (i + 1 == row.size() ? "\n" : "\t");
        return all;
    }
};

void DetailWriter::remove_old_files() const {
    const std::string prefix = request_.file_prefix();
    std::vector<std::filesystem::path> old;
    for (const auto& each : std::filesystem::directory_iterator(folder_))
        if (belongs_to(each.path().filename().string(), prefix)) old.push_back(each.path());
    const auto names = folder_ / kLongNames;
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(names))) {
        std::string kept;
        for (const std::string& line : fields_of(read_text_file(names), '\n')) {
            const size_t comma = line.find(',');
            if (comma == std::string::npos) continue;
            // A name from the file must not lead out of the folder.
            const std::filesystem::path stored = line.substr(0, comma);
            if (!belongs_to(line.substr(comma + 1), prefix)) {
                kept += line + "\n";
            } else if (stored == stored.filename() && stored != "." && stored != "..") {
                old.push_back(folder_ / stored);
            }
        }
        remove_file(names);
        if (!kept.empty()) write_text(names, kept);
    }
    for (const auto& path : old)
        remove_file(path);
}

std::filesystem::path DetailWriter::path_of(const std::string& ending,
                                            const std::string& dump_name) const {
    const std::string name = request_.file_prefix() + ending;
    if (name.size() < kMostNameBytes) return folder_ / name;
    std::string shorter = replaced(dump_name, ".", "_") +
                          (request_.tensor.is_input ? "_input_" : "_output_") +
                          std::to_string(request_.tensor.index) + ending;
    if (shorter.size() >= kMostNameBytes) shorter = cann_dump::name_digits(name) + ending;
    const auto names = folder_ / kLongNames;
    std::string known;
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(names)))
        known = read_text_file(names);
    write_text(names, known + shorter + "," + name + "\n");
    return folder_ / shorter;
}

void DetailWriter::write_text(const std::filesystem::path& path, const std::string& text) const {
    remove_file(path);
    ResultFile file(path);
    file.write(text);
    file.close();
}

void DetailWriter::write_table(const std::string& kind,
                               const Lines& lines,
                               const std::string& dump_name) {
    write_text(path_of("_" + kind + "_error_topn.csv", dump_name), lines.text());
    out_ << "\n\n" << lines.aligned();
}

void DetailWriter::write(const DetailedPair& pair) {
    write_text(path_of(".npy", pair.dump_name), format_npy(pair.my.values.view()));
    const Elements elements(pair);
    const std::string header =
        "Index," + pair.index_names + ",NPUDump,GroundTruth,AbsoluteError,RelativeError\n";
    const auto absolute = orderable(elements.errors().absolute);
    const auto relative = orderable(elements.errors().relative);
    if (elements.are_bools()) log_.warning("Bool elements have no errors.");
    write_text(path_of("_summary.txt", pair.dump_name),
               "TotalCount:" + std::to_string(elements.count()) + "\nNPUDump:" + pair.my_names +
                   "\nGroundTruth:" + pair.golden_names + "\nFormat:" + pair.index_names + "\n" +
                   extremes("AbsoluteError", absolute, elements.are_bools()) +
                   extremes("RelativeError", relative, elements.are_bools()));
    for (size_t first = 0; !request_.only_top && first < std::max<size_t>(1, elements.count());
         first += static_cast<size_t>(request_.lines)) {
        const size_t end = std::min(elements.count(), first + static_cast<size_t>(request_.lines));
        const auto path = path_of("_" + std::to_string(first) + ".csv", pair.dump_name);
        remove_file(path);
        ResultFile file(path);
        std::string text = header;
        for (size_t i = first; i < end; ++i) {
            text += elements.line(i);
            if (text.size() > (size_t{1} << 20)) {
                file.write(text);
                text.clear();
            }
        }
        file.write(text);
        file.close();
    }
    for (const auto& [kind, errors] : {std::pair("absolute", &absolute), {"relative", &relative}}) {
        Lines lines{.header = header, .lines = {}};
        for (const size_t i : largest(*errors, request_.top, elements.are_bools()))
            lines.lines.push_back(elements.top_line(i));
        write_table(kind, lines, pair.dump_name);
    }
    log_.info("The details have been written to \"'" + folder_.string() + "'\".");
}

}  // namespace npuscope::msaccucmp
