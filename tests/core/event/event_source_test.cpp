#include "core/event/event_source.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope {
namespace {

class Source : public EventSource {
  public:
    [[nodiscard]] int device_code() const override { return 0; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts() const override {
        return {};
    }
    NamedValues op(const std::string& name, NamedValues inputs = {}) {
        provide_inputs(name, inputs);
        const OpSource source;
        const OpBegin begin{name, 1, true, inputs, source};
        publish([&](Observer& observer) { observer.op_begin(begin); });
        return inputs;
    }
    using EventSource::has_observers;
};

struct Recorder : Observer {
    explicit Recorder(std::vector<std::string>& log, std::string label)
        : log_(log), label_(std::move(label)) {}
    void op_begin(const OpBegin& op) override { log_.push_back(label_ + std::string(op.name)); }

  private:
    std::vector<std::string>& log_;
    std::string label_;
};

struct Thrower : Observer {
    void op_begin(const OpBegin&) override { throw std::runtime_error("disk full"); }
};

struct Odd : Observer {
    void op_begin(const OpBegin&) override { throw 3; }
};

struct Provider : InputProvider {
    void provide(std::string_view, NamedValues& inputs, const ComputedHere&) override {
        inputs[0].value = int64_t{42};
    }
};

TEST(EventSource, calls_observers_in_the_order_of_attaching_until_they_detach) {
    Source source;
    std::vector<std::string> log;
    Recorder a(log, "a:");
    Recorder b(log, "b:");
    source.attach(a);
    source.attach(b);
    source.op("relu");
    source.detach(a);
    source.op("tanh");
    source.detach(b);
    source.detach(b);
    source.op("gelu");
    EXPECT_EQ(log, (std::vector<std::string>{"a:relu", "b:relu", "b:tanh"}));
    EXPECT_FALSE(source.has_observers());
}

TEST(EventSource, what_an_observer_throws_is_counted_and_reaches_nobody) {
    Source source;
    std::vector<std::string> log;
    Thrower thrower;
    Odd odd;
    Recorder after(log, "");
    source.attach(thrower);
    source.attach(odd);
    source.attach(after);
    EXPECT_NO_THROW(source.op("relu"));
    EXPECT_EQ(source.observer_error_count(), 2);
    EXPECT_EQ(source.first_observer_error(), "disk full");
    EXPECT_EQ(log, std::vector<std::string>{"relu"});
}

TEST(EventSource, a_provider_replaces_inputs_while_it_is_set) {
    Source source;
    Provider provider;
    const NamedValues own = {{"dim", int64_t{1}}};
    source.set_input_provider(provider);
    EXPECT_EQ(std::get<int64_t>(source.op("x", own)[0].value), 42);
    source.clear_input_provider(provider);
    EXPECT_EQ(std::get<int64_t>(source.op("x", own)[0].value), 1);
}

TEST(EventSource, rejects_a_second_provider) {
    Source source;
    Provider first;
    Provider second;
    source.set_input_provider(first);
    EXPECT_NO_THROW(source.set_input_provider(first));
    EXPECT_THROW(source.set_input_provider(second), Error);
    source.clear_input_provider(second);
    EXPECT_EQ(std::get<int64_t>(source.op("x", {{"dim", int64_t{1}}})[0].value), 42);
}

TEST(FloatStatus, an_overflow_is_told_from_an_infinity_that_came_in) {
    FloatStatus status;
    EXPECT_FALSE(status.overflow());
    status.raise(FloatStatus::kCubeInputNonFinite);
    status.raise(FloatStatus::kUnderflow);
    EXPECT_FALSE(status.overflow());
    EXPECT_TRUE(status.input_non_finite());
    for (const uint64_t bit :
         {FloatStatus::kOverflow, FloatStatus::kCopyOverflow, FloatStatus::kCubeOverflow}) {
        FloatStatus other;
        other.raise(bit);
        FloatStatus merged = status;
        merged.merge(other);
        EXPECT_TRUE(merged.overflow());
    }
}

TEST(ComputeType, has_a_name_and_is_found_by_it) {
    for (const auto type : {ComputeType::kFloat64,
                            ComputeType::kFloat32,
                            ComputeType::kHFloat32,
                            ComputeType::kFloat16,
                            ComputeType::kBFloat16})
        EXPECT_EQ(compute_type_from_name(name_of(type)), type);
    EXPECT_EQ(name_of(ComputeType::kHFloat32), "hf32");
    EXPECT_EQ(name_of(ComputeType::kNone), "");
    EXPECT_FALSE(compute_type_from_name(""));
    EXPECT_FALSE(compute_type_from_name("int8"));
}

TEST(NamedValues, are_found_by_name_and_walked_as_tensors) {
    const NamedValues values = {{"a", Tensor::scalar(1.0F)},
                                {"n", int64_t{3}},
                                {"l", TensorList{Tensor::scalar(2.0F), Tensor::scalar(3.0F)}},
                                {"none", std::monostate{}}};
    EXPECT_TRUE(is_none(*find(values, "none")));
    EXPECT_EQ(find(values, "b"), nullptr);
    std::string walked;
    for_each_tensor(values, [&](const std::string& path, const Tensor& tensor) {
        walked += path + "=" + std::to_string(static_cast<int>(tensor.at(0))) + " ";
    });
    EXPECT_EQ(walked, "a=1 l/l_0=2 l/l_1=3 ");
}

TEST(Scalar, keeps_its_kind) {
    EXPECT_EQ(Scalar{true}.to_double(), 1);
    EXPECT_EQ(Scalar{2.5}.to_double(), 2.5);
    EXPECT_FALSE(Scalar{int64_t{1}} == Scalar{1.0});
}

}  // namespace
}  // namespace npuscope
