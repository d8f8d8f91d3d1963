#include "cli/builtin_sample.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "core/base/pending_file.h"

// cli/builtin_sample_data.S
extern "C" {
extern const char npuscope_sample_model[];
extern const char npuscope_sample_model_end[];
extern const char npuscope_sample_inputs[];
extern const char npuscope_sample_inputs_end[];
}

namespace npuscope::cli {

BuiltinSample::BuiltinSample() {
    std::string name = (std::filesystem::temp_directory_path() / "npuscope-sample-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw Error(ErrorKind::kIo,
                    "cannot make a temporary folder for the built-in sample; set TMPDIR");
    folder_ = name;
    write_text_file(model(), std::string(npuscope_sample_model, npuscope_sample_model_end));
    write_text_file(inputs(), std::string(npuscope_sample_inputs, npuscope_sample_inputs_end));
}

BuiltinSample::~BuiltinSample() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

}  // namespace npuscope::cli
