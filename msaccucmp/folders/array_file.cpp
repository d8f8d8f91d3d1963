#include "msaccucmp/folders/array_file.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "core/base/pending_file.h"
#include "core/npz/npy.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"

namespace npuscope::msaccucmp {

namespace {

constexpr std::string_view kBlank = " \t\r\f\v";

bool next_word(std::string_view& line, std::string_view& word) {
    const size_t start = line.find_first_not_of(kBlank);
    if (start == std::string_view::npos) return false;
    line.remove_prefix(start);
    const size_t end = std::min(line.find_first_of(kBlank), line.size());
    word = line.substr(0, end);
    line.remove_prefix(end);
    return true;
}

/// Rows of numbers between blanks; "#" begins a comment; a lone row or column is a vector.
Tensor parse_text(const std::string& text, const std::string& what) {
    std::vector<double> values;
    int64_t rows = 0;
    size_t columns = 0;
    std::string_view rest = text;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        line = line.substr(0, line.find('#'));
        size_t count = 0;
        std::string_view word;
        while (next_word(line, word)) {
            if (word.starts_with('+')) word.remove_prefix(1);
            double value = 0;
            const auto [stop, failure] =
                std::from_chars(word.data(), word.data() + word.size(), value);
            if (failure == std::errc::invalid_argument || stop != word.data() + word.size())
                throw Error(ErrorKind::kFormat,
                            what + " has '" + std::string(word) + "' where a number must be");
            // Python reads 1e999 as infinity and 1e-999 as 0.
            if (failure == std::errc::result_out_of_range)
                value = std::strtod(std::string(word).c_str(), nullptr);
            values.push_back(value);
            ++count;
        }
        if (count == 0) continue;
        if (rows > 0 && count != columns)
            throw Error(ErrorKind::kFormat, what + " has rows of different lengths");
        columns = count;
        ++rows;
    }
    Shape shape;
    if (rows == 0) {
        shape = {0};
    } else {
        if (rows > 1) shape.push_back(rows);
        if (columns > 1) shape.push_back(static_cast<int64_t>(columns));
    }
    return Tensor::from<double>(shape, std::span<const double>(values));
}

}  // namespace

RealArray read_array_file(const std::filesystem::path& path) {
    try {
        if (path.extension() == ".txt")
            return {parse_text(read_text_file(path), "'" + path.string() + "'"), "float64"};
        return read_npy_real(path);
    } catch (const Error& failure) {
        throw CompareFailure(kInvalidDumpData, failure.what());
    }
}

}  // namespace npuscope::msaccucmp
