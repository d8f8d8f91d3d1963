// Models that are damaged on purpose: whatever the importer is given, it refuses with one clear
// line or makes a model, within bounded memory.
#include <array>
#include <cstring>
#include <onnx/onnx_pb.h>
#include <sys/resource.h>

#include "tests/fuzz/onnx_import.h"
#include "tests/npu_backend/onnx/onnx_case.h"
#include "tests/support/mutator.h"

namespace npuscope::test {
namespace {

constexpr uint32_t kSeed = 20250307;
constexpr rlim_t kMemory = rlim_t{3} << 30;  ///< address space, in bytes
constexpr size_t kLargestSeedModel = 20000;  ///< bytes

/// While it lives, allocations beyond kMemory fail.
class MemoryLimit {
  public:
    MemoryLimit() {
        getrlimit(RLIMIT_AS, &before_);
        rlimit now = before_;
        now.rlim_cur = std::min(before_.rlim_max, kMemory);
        setrlimit(RLIMIT_AS, &now);
    }
    ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

  private:
    rlimit before_{};
};

/// All small models of the two folders, in the order of their names.
const std::vector<std::string>& seed_models() {
    static const std::vector<std::string> kModels = [] {
        std::vector<std::filesystem::path> paths;
        for (const char* folder : {"onnx_cases", "onnx_opsets"})
            for (const auto& entry :
                 std::filesystem::directory_iterator(source_dir() / "data" / folder))
                if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
        std::ranges::sort(paths);
        std::vector<std::string> models;
        for (const auto& path : paths)
            if (std::filesystem::file_size(path) <= kLargestSeedModel)
                models.push_back(read_file(path));
        return models;
    }();
    return kModels;
}

const std::string& any_model(Mutator& mutate) {
    return seed_models()[mutate.below(seed_models().size())];
}

class ModelMutator : public Mutator {
  public:
    using Mutator::Mutator;

    /// Numbers, names and operators of a model that is still one.
    std::string with_other_parts(const std::string& content) {
        onnx::ModelProto model;
        if (!model.ParseFromString(content)) return content;
        for (size_t n = 1 + below(4); n > 0; --n) {
            onnx::GraphProto& graph = *model.mutable_graph();
            if (model.functions_size() != 0 && below(3) == 0) {
                auto& function = *model.mutable_functions(any(model.functions_size()));
                if (function.node_size() != 0)
                    change(*function.mutable_node(any(function.node_size())));
            }
            if (graph.node_size() != 0) change(*graph.mutable_node(any(graph.node_size())));
            if (graph.initializer_size() != 0 && below(2) == 0)
                change(*graph.mutable_initializer(any(graph.initializer_size())));
            if (graph.input_size() != 0 && below(6) == 0)
                change(*graph.mutable_input(any(graph.input_size()))->mutable_type());
            if (below(8) == 0 && model.opset_import_size() != 0)
                model.mutable_opset_import(0)->set_version(static_cast<int64_t>(below(26)));
        }
        return model.SerializeAsString();
    }

  private:
    int any(int count) { return static_cast<int>(below(static_cast<size_t>(count))); }

    int64_t number() {
        constexpr std::array<int64_t, 14> kNumbers = {0,
                                                      1,
                                                      -1,
                                                      2,
                                                      3,
                                                      -2,
                                                      7,
                                                      1 << 16,
                                                      int64_t{1} << 31,
                                                      -(int64_t{1} << 31),
                                                      int64_t{1} << 40,
                                                      int64_t{1} << 62,
                                                      INT64_MAX,
                                                      INT64_MIN};
        return kNumbers[below(kNumbers.size())];
    }

    void change(onnx::NodeProto& node) {
        switch (below(6)) {
            case 0:
                node.set_op_type(std::string(any_operator()));
                break;
            case 1:
                if (node.input_size() != 0) node.add_input(node.input(any(node.input_size())));
                break;
            case 2:
                if (node.input_size() != 0) node.mutable_input()->RemoveLast();
                break;
            case 3:
                if (node.input_size() != 0)
                    node.mutable_input()->SwapElements(0, any(node.input_size()));
                break;
            default:
                if (node.attribute_size() != 0)
                    change(*node.mutable_attribute(any(node.attribute_size())));
                else
                    add_attribute(node);
        }
    }

    std::string_view any_operator() {
        return onnx_model::all_operators()[below(onnx_model::all_operators().size())].type;
    }

    /// One that the operator knows.
    void add_attribute(onnx::NodeProto& node) {
        const onnx_model::Operator* op = onnx_model::find_operator(node.op_type());
        if (op == nullptr || op->attributes.empty()) return;
        std::vector<std::string> names(1);
        for (const char letter : op->attributes)
            if (letter == ' ')
                names.emplace_back();
            else
                names.back().push_back(letter);
        onnx::AttributeProto& attribute = *node.add_attribute();
        attribute.set_name(names[below(names.size())]);
        if (below(2) == 0) {
            attribute.set_type(onnx::AttributeProto_AttributeType_INT);
            attribute.set_i(number());
        } else {
            attribute.set_type(onnx::AttributeProto_AttributeType_INTS);
            for (size_t n = below(5); n > 0; --n)
                attribute.add_ints(number());
        }
    }

    void change(onnx::AttributeProto& attribute) {
        if (attribute.has_g() && attribute.g().node_size() != 0) {
            change(*attribute.mutable_g()->mutable_node(any(attribute.g().node_size())));
        } else if (attribute.ints_size() != 0 && below(4) != 0) {
            attribute.set_ints(any(attribute.ints_size()), number());
        } else if (attribute.has_t()) {
            change(*attribute.mutable_t());
        } else if (below(2) == 0) {
            attribute.set_i(number());
        } else {
            attribute.set_f(static_cast<float>(number()));
        }
    }

    void change(onnx::TensorProto& tensor) {
        if (tensor.dims_size() != 0 && below(3) == 0) {
            tensor.set_dims(any(tensor.dims_size()), number());
        } else if (tensor.data_type() == onnx::TensorProto_DataType_INT64 &&
                   tensor.raw_data().size() >= 8) {
            const int64_t value = number();
            const size_t at = below(tensor.raw_data().size() / 8) * 8;
            std::memcpy(tensor.mutable_raw_data()->data() + at, &value, 8);
        } else {
            tensor.set_data_type(any(26));
        }
    }

    void change(onnx::TypeProto& type) {
        if (!type.has_tensor_type()) return;
        auto& tensor = *type.mutable_tensor_type();
        if (tensor.shape().dim_size() == 0 || below(3) == 0)
            tensor.set_elem_type(any(26));
        else
            tensor.mutable_shape()
                ->mutable_dim(any(tensor.shape().dim_size()))
                ->set_dim_value(number());
    }
};

struct Counts {
    std::array<int, 4> of{};
    void add(ImportOutcome outcome) { ++of[static_cast<size_t>(outcome)]; }
};

TEST(MutatedModels, are_refused_or_imported_when_bytes_change) {
    const MemoryLimit limit;
    Mutator mutate(kSeed);
    Counts counts;
    for (int i = 0; i < 8000; ++i) {
        const std::string model = mutate.changed(any_model(mutate), 2, any_model(mutate));
        ASSERT_NO_THROW(counts.add(import_and_run(std::as_bytes(std::span(model)))))
            << "seed " << kSeed << ", round " << i;
    }
    // The damage is neither too great nor too small to tell anything.
    EXPECT_GT(counts.of[0], 1000);
    EXPECT_GT(counts.of[3], 200);
}

TEST(MutatedModels, are_refused_or_run_when_their_parts_change) {
    const MemoryLimit limit;
    ModelMutator mutate(kSeed + 1);
    Counts counts;
    for (int i = 0; i < 2500; ++i) {
        const std::string model = mutate.with_other_parts(any_model(mutate));
        ASSERT_NO_THROW(counts.add(import_and_run(std::as_bytes(std::span(model)))))
            << "seed " << kSeed + 1 << ", round " << i;
    }
    EXPECT_GT(counts.of[0], 200);
    EXPECT_GT(counts.of[2], 200);
    EXPECT_GT(counts.of[3], 200);
}

}  // namespace
}  // namespace npuscope::test
