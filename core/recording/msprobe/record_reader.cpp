#include "core/recording/msprobe/record_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/recording/msprobe/data_file.h"

namespace npuscope::msprobe {

namespace {

using dumpfile::Direction;

constexpr size_t kMostDimensions = 64;
constexpr size_t kUsualTensors = 4;  ///< of a record
/// A shape of more elements is none.
constexpr int64_t kMostElements = int64_t{1} << 60;

/// "torch.float32" and "Float32" are float32.
std::string plain_dtype(std::string_view text) {
    std::string name(text.substr(text.rfind('.') + 1));
    std::ranges::transform(
        name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

/// A number, a bool, or a text that stands for one; nothing of null.
std::optional<double> number_of(JsonCursor& cursor) {
    const char kind = cursor.peek();
    if (kind == '"') {
        const std::string_view text = cursor.string();
        if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
        if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
        if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
        return std::nullopt;
    }
    if (kind == 't' || kind == 'f' || kind == 'n' || kind == '{' || kind == '[') {
        const std::string_view word = cursor.skip();
        if (word == "true") return 1;
        if (word == "false") return 0;
        return std::nullopt;
    }
    return cursor.number();
}

std::optional<Shape> shape_of(std::string_view text) {
    JsonCursor cursor(text);
    Shape shape;
    int64_t numel = 1;
    cursor.enter_array();
    while (cursor.next_item()) {
        const std::optional<double> dim = number_of(cursor);
        if (!dim || !(*dim >= 0) || *dim != std::floor(*dim) || shape.size() == kMostDimensions)
            return std::nullopt;
        if (*dim > static_cast<double>(kMostElements)) return std::nullopt;
        shape.push_back(static_cast<int64_t>(*dim));
        if (__builtin_mul_overflow(numel, std::max<int64_t>(shape.back(), 1), &numel) ||
            numel > kMostElements)
            return std::nullopt;
    }
    return shape;
}

/// What an object of a record tells, whichever kind it is.
struct Fields {
    std::string_view type;
    std::string_view dtype;
    std::string_view shape;  ///< its JSON
    std::string_view value;
    std::string_view hash;
    std::string_view file;
    std::string_view compute_type;
    std::optional<bool> requires_grad{};
    RecordedStatistics statistics;
    std::vector<std::pair<std::string_view, std::string_view>> others;  ///< that hold values

    [[nodiscard]] bool is_tensor() const { return !dtype.empty() && !shape.empty(); }
    [[nodiscard]] bool is_argument() const { return !type.empty() && !value.empty(); }
};

class RecordReader {
  public:
    RecordReader(const Record& record, const std::filesystem::path& folder, Wanted wanted)
        : record_(record), folder_(folder), wanted_(wanted) {}

    RecordContent read() {
        if (wanted_ != Wanted::kArguments) content_.tensors.reserve(kUsualTensors);
        if (record_.name.find(".parameters_grad") != std::string::npos ||
            record_.name.ends_with(".debug")) {
            // Gradients of parameters by name; values that a script saved.
            JsonCursor cursor = cursor_at(record_.text);
            walk(cursor, Direction::kOutput, "");
        } else {
            read_parts();
        }
        // Inputs first, whatever the record's order.
        const auto is_input = [](const SourceTensor& tensor) {
            return tensor.direction == Direction::kInput;
        };
        if (!std::ranges::is_partitioned(content_.tensors, is_input))
            std::stable_partition(content_.tensors.begin(), content_.tensors.end(), is_input);
        return std::move(content_);
    }

  private:
    [[nodiscard]] JsonCursor cursor_at(std::string_view text) const {
        return JsonCursor(text,
                          record_.place + static_cast<size_t>(text.data() - record_.text.data()));
    }

    void read_parts() {
        JsonCursor cursor = cursor_at(record_.text);
        if (cursor.peek() != '{') return;
        cursor.enter_object();
        std::string_view key;
        while (cursor.next_key(key)) {
            if (key == "input_args" || key == "input" || key == "input_kwargs") {
                walk(cursor, Direction::kInput, "");
            } else if (key == "is_nan") {
                if (const auto flag = number_of(cursor)) content_.is_nan = *flag != 0;
            } else if (key == "parameters" && wanted_ != Wanted::kArguments) {
                walk(cursor, Direction::kInput, key);
            } else if ((key == "output" || key == "parameters_grad") &&
                       wanted_ != Wanted::kArguments) {
                walk(cursor, Direction::kOutput, "");
            } else {
                cursor.skip();
            }
        }
    }

    static std::string joined(std::string_view name, std::string_view part) {
        return name.empty() ? std::string(part) : std::string(name) + "." + std::string(part);
    }

    void walk(JsonCursor& cursor, Direction direction, std::string_view name) {
        const char kind = cursor.peek();
        if (kind == '[') {
            cursor.enter_array();
            for (size_t i = 0; cursor.next_item(); ++i)
                walk(cursor, direction, joined(name, std::to_string(i)));
        } else if (kind == '{') {
            walk_object(cursor, direction, name);
        } else {
            cursor.skip();
        }
    }

    void walk_object(JsonCursor& cursor, Direction direction, std::string_view name) {
        const Fields fields = fields_at(cursor);
        if (fields.is_tensor()) {
            add_tensor(fields, direction, name.empty() ? "0" : name);
            return;
        }
        if (fields.is_argument()) {
            if (direction == Direction::kInput) add_argument(fields, name);
            return;
        }
        for (const auto& [key, text] : fields.others)
            walk_text(text, direction, joined(name, unescaped(key)));
    }

    void walk_text(std::string_view text, Direction direction, const std::string& name) {
        JsonCursor cursor = cursor_at(text);
        walk(cursor, direction, name);
    }

    static Fields fields_at(JsonCursor& cursor) {
        Fields fields;
        cursor.enter_object();
        std::string_view key;
        while (cursor.next_key(key)) {
            const char kind = cursor.peek();
            const bool holds_values = kind == '{' || kind == '[';
            if (kind == '[' && key == "shape" && !fields.dtype.empty()) {
                fields.shape = cursor.skip();
            } else if (holds_values) {
                fields.others.emplace_back(key, cursor.skip());
                if (kind == '[' && key == "shape") fields.shape = fields.others.back().second;
                if (kind == '[' && key == "value") fields.value = fields.others.back().second;
            } else if (key == "value" || key == "format") {
                fields.value = cursor.skip();
            } else if (kind == '"') {
                take_text(key, cursor, fields);
            } else if (auto* statistic = statistic_named(key, fields.statistics)) {
                *statistic = number_of(cursor);
            } else if (key == "requires_grad") {
                const std::string_view flag = cursor.skip();
                if (flag == "true" || flag == "false") fields.requires_grad = flag == "true";
            } else {
                cursor.skip();
            }
        }
        return fields;
    }

    static void take_text(std::string_view key, JsonCursor& cursor, Fields& fields) {
        if (auto* statistic = statistic_named(key, fields.statistics)) {
            *statistic = number_of(cursor);
            return;
        }
        const std::string_view text = cursor.string();
        if (key == "type") fields.type = text;
        if (key == "dtype") fields.dtype = text;
        if (key == "md5") fields.hash = text;
        if (key == "data_name") fields.file = text;
        if (key == kComputeType) fields.compute_type = text;
    }

    static std::optional<double>* statistic_named(std::string_view key, RecordedStatistics& in) {
        if (key == "Max") return &in.max;
        if (key == "Min") return &in.min;
        if (key == "Mean") return &in.mean;
        if (key == "Norm") return &in.norm;
        return nullptr;
    }

    void add_tensor(const Fields& fields, Direction direction, std::string_view argument) {
        if (wanted_ == Wanted::kArguments) return;
        SourceTensor tensor;
        tensor.direction = direction;
        tensor.argument = argument;
        tensor.path = record_.name + (direction == Direction::kInput ? ".input." : ".output.") +
                      tensor.argument;
        tensor.dtype = plain_dtype(fields.dtype);
        if (auto shape = shape_of(fields.shape)) {
            tensor.shape = std::move(*shape);
        } else {
            tensor.problem = "its shape is none";
        }
        const RecordedStatistics& found = fields.statistics;
        if (found.max || found.min || found.mean || found.norm) tensor.statistics = found;
        tensor.hash = fields.hash;
        tensor.compute_type =
            compute_type_from_name(fields.compute_type).value_or(ComputeType::kNone);
        tensor.requires_grad = fields.requires_grad;
        if (!tensor.problem.empty()) {
            tensor.statistics.reset();
        } else if (!fields.file.empty() && fields.file != "-1") {
            attach_data(folder_, unescaped(fields.file), tensor);
        }
        content_.tensors.push_back(std::move(tensor));
    }

    /// Of {"type": "int", "value": 2}. Where a program ran is no difference.
    void add_argument(const Fields& fields, std::string_view name) {
        if (wanted_ == Wanted::kTensors || fields.type == "torch.device") return;
        PlainArgument argument{.name = std::string(name)};
        JsonCursor cursor = cursor_at(fields.value);
        const char kind = cursor.peek();
        if (kind == '"') {
            argument.text = plain_text(unescaped(cursor.string()));
            if (is_address(argument.text)) return;
        } else if (kind == 't' || kind == 'f') {
            argument.is_bool = true;
            argument.numbers.push_back(kind == 't' ? 1 : 0);
        } else if (kind == '[') {
            take_list(cursor, fields.value, argument);
        } else if (kind != 'n') {
            argument.numbers.push_back(cursor.number());
            argument.is_whole = fields.type == "int";
        } else {
            return;
        }
        content_.arguments.push_back(std::move(argument));
    }

    /// A torch.Size, or a slice with its gaps.
    static void take_list(JsonCursor& cursor, std::string_view text, PlainArgument& argument) {
        argument.is_list = true;
        cursor.enter_array();
        bool whole = true;
        while (cursor.next_item()) {
            const std::optional<double> number = number_of(cursor);
            whole = whole && number;
            argument.numbers.push_back(number.value_or(0));
        }
        argument.is_whole = whole;
        if (whole) return;
        argument.numbers.clear();
        std::ranges::copy_if(text, std::back_inserter(argument.text), [](unsigned char c) {
            return std::isspace(c) == 0;
        });
    }

    const Record& record_;
    const std::filesystem::path& folder_;
    Wanted wanted_;
    RecordContent content_;
};

}  // namespace

RecordContent read_record(const Record& record,
                          const std::filesystem::path& folder,
                          Wanted wanted) {
    try {
        return RecordReader(record, folder, wanted).read();
    } catch (const Error& failure) {
        throw failure.with_context("record " + in_quotes(record.name));
    }
}

}  // namespace npuscope::msprobe
