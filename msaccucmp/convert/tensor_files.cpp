#include "msaccucmp/convert/tensor_files.h"

#include <algorithm>
#include <optional>
#include <unistd.h>

#include "core/base/printable.h"
#include "core/layout/stored_layout.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/result_file.h"
#include "msaccucmp/kernel_dumps/ffts_slices.h"
#include "msaccucmp/kernel_dumps/op_debug.h"

namespace npuscope::msaccucmp {

namespace {

using cann_dump::DumpBlob;
using cann_dump::DumpTensor;

constexpr uint64_t kMostOpDebugBytes = 1 << 20;

/// The place in front of each message, and the first code.
class Problems {
  public:
    Problems(const InputFile& file, Log& log) : file_(file), log_(log) {}
    void add(const std::string& place, const CommandError& problem) {
        log_.error("Failed to convert " + place + " of \"'" + file_.path().string() +
                   "'\": " + problem.what());
        if (code_ == kOk) code_ = problem.code();
    }
    [[nodiscard]] int code() const { return code_; }

  private:
    const InputFile& file_;
    Log& log_;
    int code_ = kOk;
};

class TensorWriter {
  public:
    TensorWriter(const InputFile& file,
                 const TensorFileOptions& options,
                 OutputNames& names,
                 Log& log)
        : file_(file),
          type_(options.type),
          names_(names),
          problems_(file, log),
          base_(options.base) {}

    int run() {
        const auto threads = thread_shapes(file_.dump(), file_.path());
        tensors(file_.dump().inputs, true, threads ? &threads->inputs : nullptr);
        tensors(file_.dump().outputs, false, threads ? &threads->outputs : nullptr);
        for (size_t i = 0; i < file_.dump().buffers.size(); ++i) {
            const DumpBlob& buffer = file_.dump().buffers[i];
            blob(buffer, (buffer.type == 0 ? "l1buffer." : "Nonebuffer.") + std::to_string(i));
        }
        for (size_t i = 0; i < file_.dump().spaces.size(); ++i)
            blob(file_.dump().spaces[i], "space." + std::to_string(i));
        return problems_.code();
    }

  private:
    void tensors(const std::vector<DumpTensor>& list,
                 bool is_input,
                 const std::vector<layout::Dims>* thread_shapes) {
        for (size_t i = 0; i < list.size(); ++i) {
            const TensorPlace place{is_input, i};
            try {
                const DumpArray array(
                    file_, list[i], thread_shapes == nullptr ? nullptr : &(*thread_shapes)[i]);
                write_array(array, array.file_shape(), path_of(array, place), type_);
            } catch (const CommandError& problem) {
                problems_.add(place.text(':'), problem);
                // The reference tool does not go on where a name needs a format's.
                if (problem.code() == kInvalidFormat) throw CommandError(kInvalidFormat, "");
            }
        }
    }

    std::filesystem::path path_of(const DumpArray& array, const TensorPlace& place) {
        const std::string part = "." + place.text('.');
        switch (type_) {
            case ArrayFileType::kNpy:
                return names_.path_of(base_ + part + ".npy", ".npy");
            case ArrayFileType::kPt:
                return names_.path_of(base_ + part + ".pt", ".pt");
            case ArrayFileType::kMsNpy:
                return names_.path_of(name_with_op(base_, file_.dump().op_name) + part + "." +
                                          format_name(array.tensor().format) + ".npy",
                                      ".npy");
            case ArrayFileType::kBin:
                break;
        }
        // The reference tool names it before it gives the array its shape.
        const std::string count =
            array.numel() == 0 ? layout::joined(array.shape(), "_") : std::to_string(array.numel());
        return names_.path_of(base_ + part + "." + count + "." +
                                  std::string(array.bin_dtype_name()) + "." +
                                  format_name(array.tensor().format) + ".bin",
                              ".bin");
    }

    void blob(const DumpBlob& blob, const std::string& part) {
        try {
            uint64_t position = blob.position;
            const ArrayFacts facts{.descr = {},
                                   .dtype_name = {},
                                   .item_size = 1,
                                   .shape = {static_cast<int64_t>(blob.size)}};
            write_array_file(names_.path_of(base_ + "." + part + ".bin", ".bin"),
                             ArrayFileType::kBin,
                             facts,
                             [&](std::span<std::byte> target) {
                                 file_.read(position, target);
                                 position += target.size();
                             });
        } catch (const CommandError& problem) {
            problems_.add(part, problem);
        }
    }

    const InputFile& file_;
    ArrayFileType type_;
    OutputNames& names_;
    Problems problems_;
    std::string base_;
};

}  // namespace

void check_types(const cann_dump::DumpFile& dump) {
    for (const auto* list : {&dump.outputs, &dump.inputs})
        for (const DumpTensor& tensor : *list)
            static_cast<void>(readable_type(tensor.data_type));
}

void write_array(const DumpArray& array,
                 const std::vector<int64_t>& shape,
                 const std::filesystem::path& path,
                 ArrayFileType type) {
    int64_t next = 0;
    const auto item = static_cast<int64_t>(array.item_size());
    write_array_file(path,
                     type,
                     {.descr = array.descr(),
                      .dtype_name = array.dtype_name(),
                      .item_size = array.item_size(),
                      .shape = shape},
                     [&](std::span<std::byte> target) {
                         const int64_t count = static_cast<int64_t>(target.size()) / item;
                         array.read(next, count, target.data());
                         next += count;
                     });
}

OpDebug write_op_debug(const InputFile& file,
                       const std::string& base,
                       OutputNames& names,
                       Log& log) {
    OpDebug first;
    const auto& outputs = file.dump().outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const DumpArray array(file, outputs[i]);
        const uint64_t nbytes = static_cast<uint64_t>(array.numel()) * array.item_size();
        if (nbytes > kMostOpDebugBytes)
            throw CommandError(kInvalidDumpData,
                               "op-debug data of " + std::to_string(nbytes) + " bytes is too long");
        std::vector<std::byte> payload(static_cast<size_t>(nbytes));
        array.read(0, array.numel(), payload.data());
        OpDebug parsed = parse_op_debug(payload, log);
        const auto path = names.path_of(base + ".output." + std::to_string(i) + ".json", ".json");
        ::unlink(path.c_str());
        ResultFile json(path);
        json.write(parsed.json);
        json.close();
        if (i == 0) first = std::move(parsed);
    }
    return first;
}

int write_tensor_files(const InputFile& file,
                       const TensorFileOptions& options,
                       OutputNames& names,
                       Log& log) {
    check_types(file.dump());
    if (is_op_debug_name(file.path().filename().string())) {
        static_cast<void>(write_op_debug(file, options.base, names, log));
        return kOk;
    }
    return TensorWriter(file, options, names, log).run();
}

}  // namespace npuscope::msaccucmp
