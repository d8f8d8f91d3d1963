#include "core/dumpfile/writer.h"

#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/version.h"
#include "core/dumpfile/equal_tensors.h"
#include "core/h5/append_writer.h"

namespace npuscope::dumpfile {

namespace {

constexpr int32_t kFormatNchw = 0;      // what CPU and GPU tensors carry, whatever their rank
constexpr int32_t kUnmappedDType = -1;  // DataType of what the original has no code for
constexpr size_t kLongestFact = 60000;  // an attribute holds at most 64 KB
constexpr const char* kNotClosed = "the dump was not closed; ";  // what a killed process leaves

std::string below(const std::string& group, const std::string& name) {
    return group + "/" + name;
}

std::string list_item(const std::string& argument, size_t index) {
    return argument + "_" + std::to_string(index);
}

std::string path_of(const OpId& id) {
    return OpId{safe_component(id.op), id.seqid}.path();
}

int32_t code_of(SaveType type) {
    return static_cast<int32_t>(type);
}

int32_t dump_code_of(DType dtype) {
    const int code = info(dtype).dump_code;
    return code == 0 ? kUnmappedDType : code;
}

/// A tensor as the file holds it.
struct Stored {
    Tensor converted;  ///< keeps what `elements` points to
    TensorView elements;
    std::vector<h5::Attribute> attributes;
};

Stored stored_form(const Tensor& tensor, const WriterOptions& options, ComputeType compute_type) {
    Stored stored{tensor, tensor.view(), {}};
    const bool is_bfloat16 = tensor.dtype() == DType::kBFloat16;
    if (is_bfloat16 || (tensor.dtype() == DType::kFloat16 && options.half_as_float32))
        stored.converted = tensor.cast(DType::kFloat32);
    const int32_t data_type = dump_code_of(is_bfloat16 ? DType::kFloat32 : tensor.dtype());
    const SaveType save_type =
        data_type == kUnmappedDType ? SaveType::kUnmappedTensor : SaveType::kTensor;
    stored.elements = stored.converted.view();
    // The original has one 8-bit file type, the signed one.
    if (tensor.dtype() == DType::kUInt8 || tensor.dtype() == DType::kBool)
        stored.elements.dtype = DType::kInt8;
    stored.attributes = {{"DeviceType", int32_t{options.device_code}},
                         {"DataType", data_type},
                         {"FormatType", kFormatNchw},
                         {"Type", code_of(save_type)},
                         {"Stride", contiguous_strides(tensor.shape())}};
    if (compute_type != ComputeType::kNone && is_float(tensor.dtype()))
        stored.attributes.push_back({"ComputeType", std::string(name_of(compute_type))});
    if (is_bfloat16)
        stored.attributes.push_back({"StoredFrom", std::string(name_of(DType::kBFloat16))});
    return stored;
}

std::string shortened(std::string text) {
    if (text.size() <= kLongestFact) return text;
    text.resize(kLongestFact);
    return text + " (cut)";
}

}  // namespace

struct Writer::State {
    using Clock = std::chrono::steady_clock;

    State(std::filesystem::path path, WriterOptions opts)
        : final_path(std::move(path)),
          options(std::move(opts)),
          written(!options.dry_run && options.compress == 0) {}

    void require_usable() const {
        if (closed) throw Error(ErrorKind::kUsage, "the dump " + name() + " is already closed");
        if (failed)
            throw Error(ErrorKind::kIo, "the dump " + name() + " could not be written: " + failure);
    }
    [[nodiscard]] std::string name() const { return in_quotes(final_path); }

    /// Begins the file. Returns "", or who writes it already.
    std::string open();
    void commit();
    [[nodiscard]] bool commit_is_due() const {
        return Clock::now() - last_commit >= options.commit_interval;
    }
    void write_op(const OpRecord& record);
    /// After an error in the middle of an op: commits those before it if the disk still takes that.
    void commit_without(const std::string& op) noexcept;
    void write_values(const std::string& group,
                      const NamedValues& values,
                      ComputeType compute_type);
    void write_value(const std::string& path, const Value& value, ComputeType compute_type);
    void write_tensor(const std::string& path, const Tensor& tensor, ComputeType compute_type);
    template <class T>
    void write_number(const std::string& path, T number, SaveType type) {
        write_elements(path, Tensor::scalar(number), type);
    }
    void write_elements(const std::string& path, const Tensor& elements, SaveType type) {
        const h5::Attribute attribute{"Type", code_of(type)};
        TensorView view = elements.view();
        if (view.dtype == DType::kBool) view.dtype = DType::kInt8;
        file->write_dataset(path, view, {&attribute, 1});
    }
    /// Runs `step`; an error marks the writer as failed. Then the part file stays if it holds ops.
    template <class Step>
    void guarded(Step&& step);

    std::filesystem::path final_path;
    WriterOptions options;
    Leftover leftover;
    std::optional<PendingFile> pending;  ///< none in a dry run
    std::optional<h5::AppendWriter> file;
    EqualTensors written;
    std::string last_op;
    int64_t op_count = 0;
    int64_t committed_count = 0;
    uint64_t closed_size = 0;
    Clock::time_point last_commit;
    bool closed = false;
    bool failed = false;
    std::string failure;
};

template <class Step>
void Writer::State::guarded(Step&& step) {
    try {
        step();
    } catch (const std::exception& error) {
        failed = true;
        failure = error.what();
        file.reset();
        if (pending && (committed_count == 0 || options.temporary)) pending->discard();
        if (pending && pending->keep())
            failure += "; its " + std::to_string(committed_count) + " committed ops are kept in " +
                       in_quotes(pending->part_path());
        throw Error(ErrorKind::kIo, "cannot write the dump " + name() + ": " + failure);
    }
}

std::string Writer::State::open() {
    h5::AppendOptions file_options{.root_attributes = {}, .sync = options.sync};
    auto& attributes = file_options.root_attributes;
    attributes.push_back(
        {"FormatVersion",
         std::to_string(kDumpFormatMajor) + "." + std::to_string(kDumpFormatMinor)});
    attributes.push_back({"Version", std::string(kVersion)});
    for (const auto& [fact, text] : options.run_facts)
        attributes.push_back({fact, shortened(text)});
    attributes.push_back({"Complete", std::string("no")});
    attributes.push_back({"Note", std::string(kNotClosed) + "no op was finished"});
    last_commit = Clock::now();
    if (options.dry_run) {
        file.emplace(h5::no_output_file(), std::move(file_options));
        return {};
    }
    const auto clear = [this](const std::filesystem::path& part) {
        leftover = keep_leftover(part, final_path);
    };
    pending.emplace(
        PendingFile::unpublished(final_path, {.durable = options.sync, .clear_leftover = clear}));
    // The first state is in the file when it gets its part name.
    std::string holder;
    guarded([&] {
        auto output = h5::output_to(*pending);
        if (options.wrap_output) output = options.wrap_output(std::move(output));
        file.emplace(std::move(output), std::move(file_options));
        holder = pending->publish();
    });
    return holder;
}

void Writer::State::commit() {
    if (committed_count == op_count) return;
    file->set_root_attribute({"Note", kNotClosed + ("its last op is " + last_op)});
    file->commit();
    committed_count = op_count;
    last_commit = Clock::now();
}

void Writer::State::write_op(const OpRecord& record) {
    const std::string path = path_of(record.id);
    file->create_group(path);
    if (record.write_inputs) write_values(path + "/input", record.inputs, ComputeType::kNone);
    write_values(path + "/output", record.outputs, record.compute_type);
    if (const std::string facts = to_json(record.facts); !facts.empty()) {
        const h5::Attribute type{"Type", code_of(SaveType::kFacts)};
        file->write_string(path + "/npuscope", facts, {&type, 1});
    }
    file->finish_group(path);
    last_op = path;
    ++op_count;
}

void Writer::State::commit_without(const std::string& op) noexcept {
    file->drop_group(op);
    try {
        commit();
    } catch (const std::exception&) {
        // The file shows what it showed before.
    }
}

void Writer::State::write_values(const std::string& group,
                                 const NamedValues& values,
                                 ComputeType compute_type) {
    for (const NamedValue& item : values) {
        const std::string argument = safe_component(item.name);
        const std::string path = below(group, argument);
        if (const auto* list = std::get_if<TensorList>(&item.value)) {
            for (size_t i = 0; i < list->size(); ++i)
                write_tensor(below(path, list_item(argument, i)), (*list)[i], compute_type);
        } else {
            write_value(path, item.value, compute_type);
        }
    }
}

void Writer::State::write_value(const std::string& path,
                                const Value& value,
                                ComputeType compute_type) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
        write_tensor(path, *tensor, compute_type);
    } else if (const auto* integer = std::get_if<int64_t>(&value)) {
        write_number(path, *integer, SaveType::kInt);
    } else if (const auto* real = std::get_if<double>(&value)) {
        write_number(path, *real, SaveType::kFloat);
    } else if (const auto* flag = std::get_if<bool>(&value)) {
        write_number(path, *flag, SaveType::kBool);
    } else if (const auto* scalar = std::get_if<Scalar>(&value)) {
        std::visit([&](auto number) { write_number(path, number, SaveType::kScalar); },
                   scalar->number);
    } else if (const auto* list = std::get_if<IntList>(&value)) {
        const Tensor elements = Tensor::from<int64_t>({static_cast<int64_t>(list->size())},
                                                      std::span<const int64_t>(*list));
        write_elements(path, elements, SaveType::kIntList);
    } else if (const auto* dtype = std::get_if<DType>(&value)) {
        write_number(path, dump_code_of(*dtype), SaveType::kDType);
    } else if (const auto* mask = std::get_if<BoolMask>(&value)) {
        Tensor bits(DType::kInt8, {static_cast<int64_t>(mask->bits.size())});
        std::copy(mask->bits.begin(), mask->bits.end(), bits.mutable_as<int8_t>().begin());
        write_elements(path, bits, SaveType::kBoolMask);
    }
    // None, strings and lists of floats leave nothing, as with the original.
}

void Writer::State::write_tensor(const std::string& path,
                                 const Tensor& tensor,
                                 ComputeType compute_type) {
    const Stored stored = stored_form(tensor, options, compute_type);
    if (const auto earlier = written.find(stored.elements, stored.attributes, *file)) {
        file->link(*earlier, path);
        return;
    }
    const auto dataset =
        file->write_dataset(path, stored.elements, stored.attributes, options.compress);
    written.add(dataset, file->elements_address());
}

Writer::Writer(std::filesystem::path path, WriterOptions options)
    : state_(std::make_unique<State>(std::move(path), std::move(options))) {
    const std::string holder = state_->open();
    if (!holder.empty())
        throw Error(ErrorKind::kIo,
                    "the dump " + state_->name() + " " + holder + "; give this one another name");
}

std::optional<Writer> Writer::begin(std::filesystem::path path,
                                    WriterOptions options,
                                    std::string& holder) {
    Writer writer;
    writer.state_ = std::make_unique<State>(std::move(path), std::move(options));
    holder = writer.state_->open();
    if (!holder.empty()) return std::nullopt;
    return writer;
}

Writer::Writer() = default;
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

void Writer::write(const OpRecord& record) {
    state_->require_usable();
    state_->guarded([&] {
        try {
            state_->write_op(record);
        } catch (...) {
            state_->commit_without(path_of(record.id));
            throw;
        }
        if (record.commit || state_->commit_is_due()) state_->commit();
    });
}

void Writer::commit() {
    state_->require_usable();
    state_->guarded([&] { state_->commit(); });
}

int64_t Writer::committed_count() const {
    return state_->committed_count;
}

int64_t Writer::op_count() const {
    return state_->op_count;
}

uint64_t Writer::size() const {
    if (state_->op_count == 0) return 0;
    return state_->file ? state_->file->size() : state_->closed_size;
}

std::filesystem::path Writer::path() const {
    return state_->final_path;
}

const Leftover& Writer::leftover() const {
    return state_->leftover;
}

bool Writer::failed() const {
    return state_->failed;
}

void Writer::set_run_fact(const std::string& name, const std::string& text) {
    state_->require_usable();
    state_->guarded([&] { state_->file->set_root_attribute({name, shortened(text)}); });
}

void Writer::close(bool complete, const std::string& note) {
    state_->require_usable();
    state_->closed = true;
    if (state_->op_count == 0) {
        state_->file.reset();
        if (state_->pending) state_->pending->discard();
        return;
    }
    state_->guarded([&] {
        state_->file->set_root_attribute({"Complete", std::string(complete ? "yes" : "no")});
        if (note.empty())
            state_->file->remove_root_attribute("Note");
        else
            state_->file->set_root_attribute({"Note", shortened(note)});
        state_->file->close();
        state_->committed_count = state_->op_count;
        state_->closed_size = state_->file->size();
        state_->file.reset();
        if (state_->pending) state_->pending->commit();
    });
}

}  // namespace npuscope::dumpfile
