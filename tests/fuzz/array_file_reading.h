// Any bytes as an array file: .npy, .safetensors, or the pickle inside a .pt file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/npz/npy.h"
#include "core/npz/pickle.h"
#include "core/npz/tensor_files.h"
#include "tests/fuzz/clear_error.h"

namespace npuscope::test {

/// How many of the three readers took the bytes, which are also the content of the file `path`.
inline int read_array_file(std::span<const std::byte> bytes, const std::string& path) {
    int taken = 0;
    const auto attempt = [&](auto&& read) {
        try {
            read();
            ++taken;
        } catch (const Error& error) {
            require_clear(error);
        }
    };
    attempt([&] { static_cast<void>(parse_npy(bytes, "bytes").nbytes()); });
    attempt([&] { static_cast<void>(npz::parse_pickle(bytes, "bytes").values.size()); });
    attempt([&] { static_cast<void>(read_safetensors(path).size()); });
    return taken;
}

}  // namespace npuscope::test
