// The parts of an FFTS+ op put together: one file for each thread or slice.
#include <algorithm>
#include <cstring>

#include "core/base/words.h"
#include "core/cann_dump/dump_error.h"
#include "core/cann_dump/op.h"

namespace npuscope::cann_dump {

namespace {

/// The first dim along which each output was cut.
std::vector<std::optional<size_t>> cut_axes(const FftsAttributes& ffts) {
    std::vector<std::optional<size_t>> axes;
    for (const auto& cuts : ffts.cuts) {
        const auto at =
            std::find_if(cuts.begin(), cuts.end(), [](int64_t cut) { return cut != 1; });
        axes.push_back(at == cuts.end()
                           ? std::nullopt
                           : std::optional<size_t>(static_cast<size_t>(at - cuts.begin())));
    }
    return axes;
}

[[noreturn]] void refuse(const DumpedOp& op, const std::string& problem) {
    throw DumpError("The parts of the FFTS+ op of '" + op.path + "' do not fit: " + problem);
}

/// Parts of which one has no elements are float64, as that one is.
void promote(std::vector<RealArray>& parts) {
    const auto is_float64 = [](const RealArray& part) {
        return part.values.dtype() == DType::kFloat64 && part.dtype == "float64";
    };
    if (std::none_of(parts.begin(), parts.end(), is_float64)) return;
    for (RealArray& part : parts)
        if (!is_float64(part) && !part.dtype.starts_with("complex"))
            part = {part.values.cast(DType::kFloat64), "float64"};
}

/// numpy.concatenate.
RealArray concatenated(const std::vector<RealArray>& parts, size_t axis, const DumpedOp& op) {
    Shape shape = parts.front().shape();
    if (axis >= shape.size()) refuse(op, "they are cut along a dim that they lack.");
    shape[axis] = 0;
    for (const RealArray& part : parts) {
        Shape others = part.shape();
        if (others.size() != shape.size() || part.dtype != parts.front().dtype)
            refuse(op, "ranks or data types differ.");
        shape[axis] += others[axis];
        others[axis] = parts.front().shape()[axis];
        if (others != parts.front().shape()) refuse(op, "shapes differ in more than the cut dim.");
    }
    Tensor whole(parts.front().values.dtype(), shape);
    const size_t size = size_of(whole.dtype());
    const auto product = [&](size_t first, size_t last) {
        int64_t count = 1;
        for (size_t i = first; i < last; ++i)
            count *= shape[i];
        return static_cast<size_t>(count);
    };
    const size_t rows = product(0, axis);
    const size_t inner = product(axis + 1, shape.size()) * size;
    const size_t row_bytes = inner * static_cast<size_t>(shape[axis]);
    std::byte* start = whole.mutable_data();
    size_t offset = 0;
    for (const RealArray& part : parts) {
        const size_t bytes = inner * static_cast<size_t>(part.shape()[axis]);
        for (size_t row = 0; row < rows && bytes > 0; ++row)
            std::memcpy(start + row * row_bytes + offset, part.values.data() + row * bytes, bytes);
        offset += bytes;
    }
    return {std::move(whole), parts.front().dtype};
}

class Assembler {
  public:
    Assembler(std::vector<DumpedOp> parts, const FolderEntry& entry, const Remark& remark)
        : parts_(std::move(parts)), entry_(entry), remark_(remark) {}

    DumpedOp assemble() {
        DumpedOp& first = parts_.front();
        if (parts_.size() == 1) return std::move(first);
        if (!first.ffts) refuse(first, "the first has no attributes of an FFTS+ op.");
        if (static_cast<int64_t>(parts_.size()) != first.ffts->parts) {
            first.has_all_parts = false;
            remark_("There are " + std::to_string(parts_.size()) + " files of the FFTS+ op '" +
                    first.name + "', which has " + std::to_string(first.ffts->parts) + " parts.");
        }
        const auto axes = cut_axes(*first.ffts);
        if (std::none_of(axes.begin(), axes.end(), [](const auto& axis) { return !!axis; }))
            return newest();
        std::vector<std::vector<RealArray>> outputs;
        for (size_t i = 0; i < parts_.size(); ++i)
            outputs.push_back(outputs_of(i));
        DumpedOp whole;
        whole.name = without_slices(first.name);
        whole.path = first.path;
        whole.type = first.type;
        whole.has_all_parts = first.has_all_parts;
        whole.inputs = first.inputs;
        for (size_t i = 0; i < std::min(axes.size(), first.outputs.size()); ++i)
            whole.outputs.push_back(merged(i, axes[i], outputs));
        return whole;
    }

  private:
    DumpedOp newest() {
        size_t latest = 0;
        const auto time = [&](size_t i) {
            const auto fields = fields_of(entry_.files[i].name, '.');
            return fields.size() > 4 ? fields[4] : std::string();
        };
        for (size_t i = 1; i < parts_.size(); ++i)
            if (time(i) >= time(latest)) latest = i;
        remark_("The FFTS+ op of '" + parts_[latest].path +
                "' is cut along no dim; only this newest file of it is compared.");
        return std::move(parts_[latest]);
    }

    std::vector<RealArray> outputs_of(size_t part) const {
        const DumpedOp& op = parts_[part];
        const bool is_automatic = parts_.front().ffts->is_automatic;
        std::vector<RealArray> arrays;
        for (size_t i = 0; i < op.outputs.size(); ++i) {
            Shape shape = op.outputs[i].shape;
            if (is_automatic) {
                if (!op.ffts || part >= op.ffts->output_shapes.size() ||
                    i >= op.ffts->output_shapes[part].size())
                    refuse(op, "the shape of a part is not given.");
                shape = op.ffts->output_shapes[part][i];
            }
            const RealArray& data = op.outputs[i].data;
            // Data without elements keeps its shape, of which the original tool takes the last dim.
            const bool is_empty = data.values.numel() == 0 && !data.shape().empty();
            const int64_t count = is_empty ? data.shape().back() : data.values.numel();
            if (count != numel_of(shape))
                throw DumpError("The dump '" + op.path + "' has " +
                                    std::to_string(data.values.numel()) +
                                    " elements where the part's shape is " + to_string(shape) + ".",
                                DumpProblem::kShape);
            arrays.push_back(data.reshaped(shape));
        }
        if (arrays.size() != parts_.front().outputs.size())
            refuse(op, "numbers of outputs differ.");
        return arrays;
    }

    DumpedTensor merged(size_t output,
                        std::optional<size_t> axis,
                        const std::vector<std::vector<RealArray>>& outputs) const {
        const DumpedTensor& first = parts_.front().outputs[output];
        std::vector<RealArray> pieces;
        pieces.reserve(outputs.size());
        for (const auto& part : outputs)
            pieces.push_back(part[output]);
        if (axis) promote(pieces);
        const RealArray whole = axis ? concatenated(pieces, *axis, parts_.front()) : pieces.front();
        DumpedTensor tensor;
        tensor.data_type = first.data_type;
        tensor.format = first.format;
        tensor.address = first.address;
        tensor.original_shape = first.original_shape;
        tensor.shape = whole.shape();
        tensor.is_ffts = true;
        tensor.data = whole.reshaped({whole.values.numel()});
        return tensor;
    }

    std::vector<DumpedOp> parts_;
    const FolderEntry& entry_;
    const Remark& remark_;
};

}  // namespace

DumpedOp read_op(const FolderEntry& entry, const Remark& remark) {
    if (entry.mode == TaskMode::kNormal) return read_op(entry.newest());
    std::vector<DumpedOp> parts;
    for (const NamedFile& file : entry.files)
        parts.push_back(read_op(file));
    return Assembler(std::move(parts), entry, remark).assemble();
}

}  // namespace npuscope::cann_dump
