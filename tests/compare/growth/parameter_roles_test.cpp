#include "compare/growth/parameter_roles.h"

#include <initializer_list>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

Result named(std::initializer_list<const char*> names) {
    Result result;
    for (const char* name : names) {
        OpResult op;
        op.target = op.golden = name;
        op.id = {name, 0};
        result.ops.push_back(op);
    }
    return result;
}

using enum ParameterRole;

TEST(ParameterRoles, AreGivenBeforeModulesAndMadeBehindThem) {
    EXPECT_EQ(parameter_roles(named({"fc.weight", "fc", "fc.bias", "act", "fc.weight"})),
              (std::vector{kGiven, kNone, kGiven, kNone, kLast}));
}

TEST(ParameterRoles, AreMadeOfGradients) {
    EXPECT_EQ(
        parameter_roles(named({"fc.weight", "fc", "fc.weight.grad", "fc.weight", "step1.fc"})),
        (std::vector{kGiven, kNone, kNone, kUpdated, kNone}));
}

TEST(ParameterRoles, OfACheckpointTheyAreMadeByTheOptimizer) {
    EXPECT_EQ(parameter_roles(named({"fc.weight", "optimizer.0.exp_avg"})),
              (std::vector{kLast, kNone}));
}

TEST(ParameterRoles, AloneTheyTellNothing) {
    const Result result = named({"fc.weight", "fc.bias"});
    EXPECT_EQ(parameter_roles(result), (std::vector{kGiven, kGiven}));
    EXPECT_TRUE(holds_parameters_alone(result));
    EXPECT_FALSE(holds_parameters_alone(named({"fc.weight", "fc"})));
    EXPECT_FALSE(holds_parameters_alone({}));
}

}  // namespace
}  // namespace npuscope::compare
