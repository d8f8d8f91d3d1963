#include "diagnose/judge/other_form.h"

#include <cmath>

#include <gtest/gtest.h>

#include "npu_backend/chips/device.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

/// gelu of 256 numbers up to that size in that form, rounded to float16.
OpRun gelu(const std::string& form, float largest) {
    std::vector<float> x;
    for (int i = 0; i < 256; ++i)
        x.push_back(largest * std::sin(static_cast<float>(i)));
    OpRun run = test::run_here("gelu", {{"self", floats(x)}, {"approximate", form}});
    run.results.front().elements =
        run.results.front().elements.cast(DType::kFloat16).cast(DType::kFloat32);
    run.arguments.pop_back();
    run.wide = widened(run.arguments);
    return run;
}

std::string told(const std::string& form,
                 size_t expected,
                 const std::string& golden = "",
                 float largest = 2.5F) {
    const std::vector<OpRun> forms = forms_of(gelu(form, largest));
    SideJudge::Errors errors = {compare::Introduced{.ratio = 0.1}};
    const auto theirs = [&] {
        return golden.empty() ? std::vector<OpRun>() : forms_of(gelu(golden, largest));
    };
    tell_other_form(forms, expected, theirs, errors);
    EXPECT_EQ(errors.front()->ratio > 1, !errors.front()->told.empty());
    return errors.front()->told.substr(0, errors.front()->told.find(','));
}

// The forms of gelu differ by 5e-4 at most, which is a unit of float16 at 1.
TEST(OtherForm, is_told_where_results_are_nearer_to_it) {
    EXPECT_EQ(told("tanh", 0), "computed with approximate=tanh");
    EXPECT_EQ(told("none", 1), "computed with approximate=none");
    EXPECT_EQ(told("none", 0), "");
    EXPECT_EQ(told("tanh", 1), "");
    EXPECT_EQ(told("tanh", 0, "none"), "computed with approximate=tanh");
    EXPECT_EQ(told("tanh", 0, "tanh"), "");
}

TEST(OtherForm, is_told_beside_larger_elements_that_are_rounded_by_more_than_the_forms_differ) {
    EXPECT_EQ(told("tanh", 0, "none", 5), "computed with approximate=tanh");
    EXPECT_EQ(told("none", 0, "none", 5), "");
}

// The NPU's kernel of gelu is the one by tanh.
TEST(OtherForm, is_none_where_the_device_has_that_alone) {
    const std::vector<OpRun> forms = forms_of(gelu("tanh", 2.5F));
    EXPECT_EQ(form_of_device(forms, Device::npu(chip("910A"))), 1U);
    EXPECT_EQ(form_of_device(forms, Device::reference32()), std::nullopt);
}

}  // namespace
}  // namespace npuscope::diagnose
