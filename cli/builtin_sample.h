// The sample model that `npuscope check` uses when no model is given, carried inside the program.
#pragma once

#include <filesystem>

namespace npuscope::cli {

/// Lays the digits ResNet and its inputs into a temporary folder; the destructor removes it.
/// Errors: Error(kIo) when the folder cannot be written.
class BuiltinSample {
  public:
    BuiltinSample();
    ~BuiltinSample();
    BuiltinSample(const BuiltinSample&) = delete;
    BuiltinSample& operator=(const BuiltinSample&) = delete;
    [[nodiscard]] std::filesystem::path model() const { return folder_ / "digits_resnet.onnx"; }
    [[nodiscard]] std::filesystem::path inputs() const { return folder_ / "digits_resnet.io.npz"; }

  private:
    std::filesystem::path folder_;
};

}  // namespace npuscope::cli
