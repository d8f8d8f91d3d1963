#include "msaccucmp/convert/format_files.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/kernel_dumps/dump_array.h"

namespace npuscope::msaccucmp {

namespace {

using cann_dump::DumpTensor;
using layout::Conversion;
using layout::Dims;
using layout::Format;
using layout::FormatPlan;
using layout::FormatRequest;
using layout::StoredLayout;

constexpr uint64_t kMostHeldBytes = 32 << 20;  // of both sides of one conversion
constexpr int64_t kPieceBytes = 4 << 20;
constexpr int64_t kReleaseBytes = 32 << 20;

ArrayFacts facts_of(const DumpArray& array, Dims shape) {
    return {.descr = array.descr(),
            .dtype_name = array.dtype_name(),
            .item_size = array.item_size(),
            .shape = std::move(shape)};
}

/// Hands out bytes that lie in memory.
ByteProducer from_memory(const std::byte* bytes) {
    return [bytes](std::span<std::byte> target) mutable {
        std::memcpy(target.data(), bytes, target.size());
        bytes += target.size();
    };
}

/// The target of a plain result, cut to `shape`, whose dims are the result's and then ones.
StoredLayout cropped(const StoredLayout& target, const Dims& result, const Dims& shape) {
    StoredLayout layout = target;
    const size_t skipped = layout.digits.size() - result.size();
    for (size_t i = 0; i < result.size(); ++i) {
        layout::Digit& digit = layout.digits[skipped + i];
        digit.extent = shape[i];
        layout.logical[digit.axis] = shape[i];
    }
    layout.shape = shape;
    return layout;
}

/// Errors: CommandError with the reference tool's code for what layout's plans refuse.
template <class Work>
auto with_code(const Work& work) {
    try {
        return work();
    } catch (const Error& problem) {
        throw CommandError(
            problem.kind() == ErrorKind::kUnsupported ? kInvalidFormat : kInvalidConvertFunction,
            problem.what());
    }
}

void check_nz_target(const Dims& target, const Dims& shape) {
    const Dims room = with_code([&] { return layout::nz_room(shape); });
    if (layout::fits_nz(target, room)) return;
    const std::string near = "(" + layout::joined(room, ",") + ")";
    throw CommandError(kInvalidParameter,
                       target.empty()
                           ? "FRACTAL_NZ needs the original shape; give it with -s, near " + near
                           : "The target shape (" + layout::joined(target, ",") +
                                 ") is invalid. The recommended shape is " + near + ".");
}

bool is_plain(const StoredLayout& layout) {
    return layout.groups == 1 && layout.digits.size() == layout.logical.size();
}

class FormatWriter {
  public:
    FormatWriter(const InputFile& file, const FormatOptions& options, OutputNames& names, Log& log)
        : file_(file),
          options_(options),
          names_(names),
          log_(log),
          base_(file.path().filename().string()) {}

    int list(const std::vector<DumpTensor>& tensors, bool is_input) {
        int code = kOk;
        for (size_t i = 0; i < tensors.size(); ++i) {
            const TensorPlace place{is_input, i};
            try {
                one(tensors[i], place);
            } catch (const Error& problem) {
                const auto* stop = dynamic_cast<const CommandError*>(&problem);
                code = stop != nullptr ? stop->code() : kInvalidConvertFunction;
                log_.error("Failed to convert the format of " + place.text(':') + " of \"'" +
                           file_.path().string() + "'\": " + problem.what());
                if (options_.type == ArrayFileType::kMsNpy) as_it_is(tensors[i], place);
            }
        }
        return code;
    }

    void one(const DumpTensor& tensor, const TensorPlace& place) {
        const DumpArray array(file_, tensor);
        static_cast<void>(format_name(tensor.format));  // refuses formats without one
        const Format from =
            layout::real_format(*layout::format_from_code(tensor.format), array.shape());
        const Dims target =
            !options_.shape.empty() ? options_.shape : tensor.original_shape.value_or(Dims{});
        if (from == Format::kFRACTAL_NZ) check_nz_target(target, array.shape());
        if (from == options_.format) {
            if (layout::checked_numel(array.shape()) != array.numel())
                throw CommandError(kInvalidDumpData, "the dump names no shape");
            write_array(array, array.shape(), path_of(array, place, array.shape(), from), type());
            return;
        }
        const FormatRequest request{.from = from,
                                    .to = options_.format,
                                    .shape = array.shape(),
                                    .target = target,
                                    .groups = tensor.sub_format};
        if (options_.custom != nullptr && options_.custom->converts(from, options_.format)) {
            custom(array, place, request);
            return;
        }
        const FormatPlan plan = with_code([&] { return layout::plan_format(request); });
        const Cut cut = slice(plan.shape, target, place, tensor.format);
        const auto path = path_of(array, place, cut.shape, cut.format);
        const StoredLayout& result = plan.conversion.target();
        if (!cut.is_cut) {
            write(array, plan.conversion, facts_of(array, plan.shape), path);
        } else if (is_plain(result)) {
            write(array,
                  Conversion(plan.conversion.source(), cropped(result, plan.shape, cut.shape)),
                  facts_of(array, cut.shape),
                  path);
        } else {
            write_in_two_steps(array, plan, cut.shape, path);
        }
    }

  private:
    struct Cut {
        bool is_cut = false;
        Dims shape;
        int64_t format = 0;  ///< that the file's name says
    };

    [[nodiscard]] ArrayFileType type() const { return options_.type; }

    Cut slice(const Dims& result, const Dims& target, const TensorPlace& place, int64_t format) {
        const auto wanted = static_cast<int64_t>(options_.format);
        if (target.empty()) return {.is_cut = false, .shape = result, .format = wanted};
        const layout::Slice plan = layout::plan_slice(result, target);
        if (plan.fails) {
            log_.error("Failed to slice " + place.text(':') + " of \"'" + file_.path().string() +
                       "'\" from (" + layout::joined(result, ",") + ") to (" +
                       layout::joined(target, ",") + "); it is written whole.");
            return {.is_cut = false, .shape = result, .format = format};
        }
        if (!plan.shape) return {.is_cut = false, .shape = result, .format = wanted};
        return {.is_cut = true, .shape = *plan.shape, .format = wanted};
    }

    std::filesystem::path path_of(const DumpArray& array,
                                  const TensorPlace& place,
                                  const Dims& shape,
                                  int64_t format) {
        const std::string part = "." + place.text('.') + ".";
        switch (type()) {
            case ArrayFileType::kNpy:
                return names_.path_of(base_ + part + layout::joined(shape) + ".npy", ".npy");
            case ArrayFileType::kPt:
                return names_.path_of(base_ + part + layout::joined(shape) + ".pt", ".pt");
            case ArrayFileType::kMsNpy:
                return names_.path_of(
                    name_with_op(base_, file_.dump().op_name) + part + format_name(format) + ".npy",
                    ".npy");
            case ArrayFileType::kBin:
                break;
        }
        return names_.path_of(base_ + part + layout::joined(shape, "_") + "." +
                                  std::string(array.bin_dtype_name()) + "." + format_name(format) +
                                  ".bin",
                              ".bin");
    }
    std::filesystem::path path_of(const DumpArray& array,
                                  const TensorPlace& place,
                                  const Dims& shape,
                                  Format format) {
        return path_of(array, place, shape, static_cast<int64_t>(format));
    }

    static std::vector<std::byte> all_elements(const DumpArray& array) {
        std::vector<std::byte> elements(static_cast<size_t>(array.numel()) * array.item_size());
        array.read(0, array.numel(), elements.data());
        return elements;
    }

    void write(const DumpArray& array,
               const Conversion& conversion,
               const ArrayFacts& facts,
               const std::filesystem::path& path) {
        const uint64_t held =
            (static_cast<uint64_t>(array.numel()) * array.item_size()) + facts.nbytes();
        if (held <= kMostHeldBytes || array.is_packed()) {
            const auto source = all_elements(array);
            std::vector<std::byte> target(static_cast<size_t>(facts.nbytes()));
            conversion.run(array.item_size(), source.data(), target.data());
            write_array_file(path, type(), facts, from_memory(target.data()));
            return;
        }
        if (type() != ArrayFileType::kPt) {
            MappedArrayFile file(path, type(), facts);
            fill(array, conversion, file);
            file.finish();
            return;
        }
        const auto scratch =
            path.parent_path() / ("." + uuid3_of(path.filename().string()) + ".part");
        MappedArrayFile file(scratch, ArrayFileType::kBin, facts);
        fill(array, conversion, file);
        const auto produce = from_memory(file.elements());
        uint64_t since_release = 0;
        write_array_file(path, type(), facts, [&](std::span<std::byte> target) {
            produce(target);
            since_release += target.size();
            if (since_release < kReleaseBytes) return;
            file.release();
            since_release = 0;
        });
    }

    static void fill(const DumpArray& array, const Conversion& conversion, MappedArrayFile& file) {
        const auto item = static_cast<int64_t>(array.item_size());
        std::vector<std::byte> elements;
        int64_t since_release = 0;
        for (const layout::SourcePiece& piece : conversion.pieces(kPieceBytes / item)) {
            elements.resize(static_cast<size_t>(piece.count * item));
            array.read(piece.first, piece.count, elements.data());
            conversion.run_piece(piece, array.item_size(), elements.data(), file.elements());
            since_release += piece.count * item;
            if (since_release < kReleaseBytes) continue;
            file.release();
            since_release = 0;
        }
    }

    /// A private format cut by a shape that means something else: what the reference tool does.
    void write_in_two_steps(const DumpArray& array,
                            const FormatPlan& plan,
                            const Dims& shape,
                            const std::filesystem::path& path) {
        const auto source = all_elements(array);
        const auto whole = layout::convert(
            plan.conversion.source(), plan.conversion.target(), array.item_size(), source.data());
        write_cut(whole.data(), plan.shape, shape, facts_of(array, shape), path);
    }

    /// `elements` of shape `whole`, cut to `shape` when it has more dims or smaller ones.
    void write_cut(const std::byte* elements,
                   Dims whole,
                   const Dims& shape,
                   const ArrayFacts& facts,
                   const std::filesystem::path& path) {
        whole.resize(std::max(whole.size(), shape.size()), 1);
        const auto cut = layout::convert(layout::stored_layout(Format::kND, whole),
                                         layout::stored_layout(Format::kND, shape),
                                         facts.item_size,
                                         elements);
        write_array_file(path, type(), facts, from_memory(cut.data()));
    }

    void custom(const DumpArray& array, const TensorPlace& place, const FormatRequest& request) {
        const auto elements = all_elements(array);
        const CustomArray result = options_.custom->convert(
            {.request = request, .descr = array.descr(), .elements = elements});
        const Cut cut = slice(result.shape, request.target, place, array.tensor().format);
        const ArrayFacts facts{.descr = result.descr,
                               .dtype_name = result.dtype_name,
                               .item_size = result.item_size,
                               .shape = cut.shape};
        const auto path = path_of(array, place, cut.shape, cut.format);
        if (cut.is_cut) {
            write_cut(result.elements.data(), result.shape, cut.shape, facts, path);
        } else {
            write_array_file(path, type(), facts, from_memory(result.elements.data()));
        }
    }

    void as_it_is(const DumpTensor& tensor, const TensorPlace& place) {
        try {
            const DumpArray array(file_, tensor);
            const auto shape = array.file_shape();
            write_array(array, shape, path_of(array, place, shape, tensor.format), type());
        } catch (const Error& problem) {
            log_.error("Failed to write " + place.text(':') + " as it is: " + problem.what());
        }
    }

    const InputFile& file_;
    const FormatOptions& options_;
    OutputNames& names_;
    Log& log_;
    std::string base_;
};

}  // namespace

int write_format_files(const InputFile& file,
                       const FormatOptions& options,
                       OutputNames& names,
                       Log& log) {
    check_types(file.dump());
    FormatWriter writer(file, options, names, log);
    if (options.only) {
        const auto& tensors = options.only->is_input ? file.dump().inputs : file.dump().outputs;
        if (options.only->index >= tensors.size())
            throw CommandError(kIndexOutOfBounds,
                               "there is no " + options.only->text(':') + "; the dump has " +
                                   std::to_string(tensors.size()));
        writer.one(tensors[options.only->index], *options.only);
        return kOk;
    }
    const int inputs = writer.list(file.dump().inputs, true);
    const int outputs = writer.list(file.dump().outputs, false);
    return outputs != kOk ? outputs : inputs;
}

}  // namespace npuscope::msaccucmp
