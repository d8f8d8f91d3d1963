#include "core/recording/msprobe/program.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::msprobe {
namespace {

constexpr const char* kFrames =
    R"(["File /usr/lib/msprobe/core/api.py, line 95, in api, \n return api", )"
    R"("File /usr/lib/torch/nn/modules/module.py, line 1, in forward, \n return f", )"
    R"("File /home/me/net.py, line 12, in forward, \n x = y", )"
    R"("File /home/me/train.py, line 3, in <module>, \n net"])";

/// What the files beside a dump.json tell of an op.
OpSource told(const std::string& construct,
              const std::string& stack,
              const std::string& op = "Functional.layer_norm.0.forward") {
    const test::TempDir folder;
    if (!construct.empty()) test::write_file(folder / "construct.json", construct);
    if (!stack.empty()) test::write_file(folder / "stack.json", stack);
    return Program(folder.path()).place_of(op);
}

TEST(MsprobeProgram, tells_the_module_and_the_innermost_line_of_the_program) {
    for (const std::string& stack :
         {R"({"0": [["Other.0", "Functional.layer_norm.0.forward"], )" + std::string(kFrames) +
              "]}",
          R"({"Functional.layer_norm.0.forward": )" + std::string(kFrames) + "}"}) {
        const OpSource place = told(
            R"({"Functional.layer_norm.0.forward": "Module.norm.LayerNorm.forward.0"})", stack);
        EXPECT_EQ(place.module, "Module.norm.LayerNorm.forward.0");
        EXPECT_EQ(place.line, "/home/me/net.py:12");
    }
}

TEST(MsprobeProgram, gives_what_has_no_stack_of_its_own_that_of_the_forward_pass) {
    const std::string construct =
        R"({"Functional.layer_norm.0.forward": "Module.norm.LayerNorm.forward.0",)"
        R"( "Module.norm.LayerNorm.forward.0": null, "Functional.loss.0.forward": null})";
    const std::string stack =
        R"({"0": [["Functional.layer_norm.0.forward", "Module.norm.LayerNorm.forward.0"], )" +
        std::string(kFrames) + "]}";
    const OpSource backward = told(construct, stack, "Functional.layer_norm.0.backward");
    EXPECT_EQ(backward.line, "/home/me/net.py:12");
    EXPECT_EQ(backward.module, "Module.norm.LayerNorm.forward.0");
    // Their number counts steps, the forward record's does not.
    const OpSource gradient = told(construct, stack, "Module.norm.LayerNorm.parameters_grad.7");
    EXPECT_EQ(gradient.line, "/home/me/net.py:12");
    EXPECT_EQ(gradient.module, "Module.norm.LayerNorm");
    EXPECT_EQ(told(construct, stack, "Module.norm.LayerNorm.forward.0").module,
              "Module.norm.LayerNorm");
    EXPECT_EQ(told(construct, stack, "Functional.loss.0.backward").module, "no module");
}

TEST(MsprobeProgram, reads_modules_with_the_micro_steps_of_megatron) {
    EXPECT_EQ(
        told(R"({"Functional.layer_norm.0.forward": ["Module.a.A.forward.0", 1]})", "").module,
        "Module.a.A.forward.0");
}

TEST(MsprobeProgram, tells_nothing_from_files_of_another_shape) {
    const std::vector<std::string> texts = {
        "",
        "no json",
        "[]",
        R"({"0": 3, "Functional.layer_norm.0.forward": [1, "no frame"]})",
        R"({"0": [[1], 2], "Functional.layer_norm.0.forward": 3})",
        R"({"0": [["Functional.layer_norm.0.forward"], ["File /torch/a.py, line 1, in f"]]})",
        R"({"Functional.layer_norm.0.forward": "cut short)",
        R"({"Functional.layer_norm.0.forward": "A", "b": )" + std::string(500, '[')};
    for (const std::string& text : texts) {
        const OpSource place = told(text, text);
        EXPECT_EQ(place.module + place.line, "") << text;
    }
}

}  // namespace
}  // namespace npuscope::msprobe
