#include "core/npz/npy.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"
#include "core/dtype/bools.h"
#include "core/npz/byte_source.h"

namespace npuscope {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kHeaderAlignment = 64;
constexpr size_t kMostDimensions = 64;  // NumPy 2 allows 64, NumPy 1 allows 32

struct Header {
    DType dtype = DType::kFloat32;
    bool is_complex = false;  ///< pairs of `dtype`
    bool big_endian = false;
    bool fortran_order = false;
    Shape shape;
};

/// Reads the header's Python literal: a dict of a string (or list), a bool and a tuple of integers.
class HeaderScanner {
  public:
    HeaderScanner(std::string_view text, const std::string& what) : rest_(text), what_(what) {}

    Header scan() {
        Header header;
        bool has_descr = false;
        bool has_order = false;
        bool has_shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr") {
                if (peek() != '\'' && peek() != '"') unsupported("a structured dtype");
                parse_descr(quoted(), header);
                has_descr = true;
            } else if (key == "fortran_order") {
                header.fortran_order = boolean();
                has_order = true;
            } else if (key == "shape") {
                header.shape = tuple();
                has_shape = true;
            } else {
                damaged("an unknown header field " + in_quotes(key));
            }
            if (!accept(',') && peek() != '}') damaged("a header without a closing brace");
        }
        if (!has_descr || !has_order || !has_shape) damaged("an incomplete header");
        require_countable(header.shape);
        return header;
    }

  private:
    void require_countable(const Shape& shape) const {
        int64_t numel = 1;
        for (const int64_t dim : shape)
            if (__builtin_mul_overflow(numel, dim, &numel))
                damaged("more elements than can be counted");
    }
    [[noreturn]] void damaged(const std::string& found) const {
        throw Error(ErrorKind::kFormat, what_ + " is a damaged .npy array: it has " + found);
    }
    [[noreturn]] void unsupported(const std::string& found) const {
        throw Error(ErrorKind::kUnsupported,
                    what_ + " holds " + found +
                        ", which is no tensor dtype; store it as bool, an integer or a float");
    }
    char peek() {
        while (!rest_.empty() && std::strchr(" \t\r\n", rest_.front()) != nullptr)
            rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_.front();
    }
    bool accept(char wanted) {
        if (peek() != wanted || rest_.empty()) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted)) damaged(std::string("no '") + wanted + "' where its header needs one");
    }
    std::string quoted() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') damaged("no string where its header needs one");
        rest_.remove_prefix(1);
        const size_t end = rest_.find(quote);
        if (end == std::string_view::npos) damaged("an unclosed string in its header");
        std::string text(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return text;
    }
    bool word(std::string_view wanted) {
        if (peek() == '\0' || !rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(wanted.size());
        return true;
    }
    bool boolean() {
        if (word("True")) return true;
        if (word("False")) return false;
        damaged("no True or False for fortran_order");
    }
    Shape tuple() {
        Shape shape;
        expect('(');
        while (!accept(')')) {
            peek();
            int64_t dim = 0;
            const auto [end, failure] =
                std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
            if (failure != std::errc() || dim < 0) damaged("a bad dimension in its shape");
            rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
            accept('L');  // written by Python 2
            shape.push_back(dim);
            if (shape.size() > kMostDimensions) damaged("too many dimensions");
            if (!accept(',') && peek() != ')') damaged("an unclosed shape");
        }
        return shape;
    }
    void parse_descr(const std::string& descr, Header& header) const {
        constexpr std::string_view kOrders = "<>|=";
        if (descr.size() < 2 || kOrders.find(descr[0]) == std::string_view::npos)
            unsupported("dtype " + in_quotes(descr));
        const std::string_view kind = std::string_view(descr).substr(1);
        if (kind == "c8" || kind == "c16") {
            header.is_complex = true;
            header.dtype = kind == "c8" ? DType::kFloat32 : DType::kFloat64;
            header.big_endian = descr[0] == '>';
            return;
        }
        for (const DTypeInfo& row : all_dtypes()) {
            if (row.numpy_descr.empty() ||
                row.numpy_descr.substr(1) != std::string_view(descr).substr(1))
                continue;
            header.dtype = row.dtype;
            header.big_endian = descr[0] == '>' && row.size > 1;
            return;
        }
        unsupported("dtype " + in_quotes(descr));
    }

    std::string_view rest_;
    const std::string& what_;
};

Header read_header(npz::ByteSource& source, const std::string& what) {
    std::array<char, 8> start{};
    const auto bytes_of = [](char* p) { return reinterpret_cast<std::byte*>(p); };
    if (source.remaining() < start.size())
        throw Error(ErrorKind::kFormat, what + " is not a .npy array: it is too short");
    source.read(bytes_of(start.data()), start.size());
    if (std::string_view(start.data(), kMagic.size()) != kMagic)
        throw Error(ErrorKind::kFormat, what + " is not a .npy array: it starts with other bytes");
    const int major = static_cast<unsigned char>(start[6]);
    if (major < 1 || major > 3)
        throw Error(ErrorKind::kUnsupported,
                    what + " has .npy version " + std::to_string(major) +
                        ".x; versions 1.0 to 3.0 are known");
    std::array<unsigned char, 4> size_bytes{};
    source.read(reinterpret_cast<std::byte*>(size_bytes.data()), major == 1 ? 2 : 4);
    uint64_t size = 0;
    for (size_t i = size_bytes.size(); i-- > 0;)
        size = size << 8 | size_bytes[i];
    if (size > source.remaining())
        throw Error(ErrorKind::kFormat, what + " is a damaged .npy array: its header is cut short");
    std::string text(size, '\0');
    source.read(bytes_of(text.data()), text.size());
    return HeaderScanner(text, what).scan();
}

template <class T>
void reverse_bytes(T* elements, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        auto* bytes = reinterpret_cast<unsigned char*>(elements + i);
        std::reverse(bytes, bytes + sizeof(T));
    }
}

/// Elements in Fortran order, the first index fastest, into C order.
Tensor from_fortran_order(const Tensor& stored, const Header& header) {
    const Shape& shape = header.shape;
    Tensor result(stored.dtype(), stored.shape());
    const size_t size = size_of(stored.dtype()) * (header.is_complex ? 2 : 1);
    const std::byte* in = stored.data();
    std::byte* out = result.mutable_data();
    const auto strides = contiguous_strides(shape);
    std::vector<int64_t> index(shape.size(), 0);
    int64_t position = 0;
    for (int64_t i = numel_of(shape); i > 0; --i) {
        std::memcpy(out + static_cast<size_t>(position) * size, in, size);
        in += size;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            position += strides[axis];
            if (++index[axis] < shape[axis]) break;
            position -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    return result;
}

/// Complex elements come as two in a further, innermost dim.
Tensor read_elements(npz::ByteSource& source, const Header& header, const std::string& what) {
    const size_t item = size_of(header.dtype) * (header.is_complex ? 2 : 1);
    const auto numel = static_cast<uint64_t>(numel_of(header.shape));
    if (numel > source.remaining() / item)
        throw Error(ErrorKind::kFormat,
                    what + " is cut short: its header promises " + std::to_string(numel) +
                        " elements of " + std::to_string(item) + " bytes, " +
                        std::to_string(source.remaining()) + " bytes are there");
    Shape shape = header.shape;
    if (header.is_complex) shape.push_back(2);
    Tensor tensor(header.dtype, shape);
    std::byte* data = tensor.mutable_data();
    source.read(data, tensor.nbytes());
    if (header.dtype == DType::kBool) make_bools({data, tensor.nbytes()});
    if (header.big_endian)
        visit_dtype(header.dtype, [&]<class T>() {
            reverse_bytes(reinterpret_cast<T*>(data), static_cast<size_t>(tensor.numel()));
        });
    if (header.fortran_order && header.shape.size() > 1) return from_fortran_order(tensor, header);
    return tensor;
}

class MemorySource : public npz::ByteSource {
  public:
    MemorySource(std::span<const std::byte> image, const std::string& what)
        : rest_(image), what_(what) {}
    void read(std::byte* target, size_t count) override {
        if (count > rest_.size()) throw Error(ErrorKind::kFormat, what_ + " is cut short");
        if (count > 0) std::memcpy(target, rest_.data(), count);
        rest_ = rest_.subspan(count);
    }
    [[nodiscard]] uint64_t remaining() const override { return rest_.size(); }

  private:
    std::span<const std::byte> rest_;
    const std::string& what_;
};

class FileSource : public npz::ByteSource {
  public:
    FileSource(const std::filesystem::path& path, const std::string& what)
        : file_(std::fopen(path.c_str(), "rbe"), std::fclose), what_(what) {
        if (!file_) throw system_error("cannot open " + what, errno);
        remaining_ = std::filesystem::file_size(path);
    }
    void read(std::byte* target, size_t count) override {
        if (count > remaining_ || std::fread(target, 1, count, file_.get()) != count)
            throw Error(std::ferror(file_.get()) != 0 ? ErrorKind::kIo : ErrorKind::kFormat,
                        what_ + " is cut short");
        remaining_ -= count;
    }
    [[nodiscard]] uint64_t remaining() const override { return remaining_; }

  private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    uint64_t remaining_ = 0;
    const std::string& what_;
};

}  // namespace

namespace npz {

Tensor parse_npy(ByteSource& source, const std::string& what) {
    const Header header = read_header(source, what);
    if (header.is_complex)
        throw Error(ErrorKind::kUnsupported,
                    what +
                        " holds complex elements, which is no tensor dtype; store it as bool, an "
                        "integer or a float");
    return read_elements(source, header, what);
}

std::string npy_header(DType dtype, std::span<const int64_t> shape) {
    return npuscope::npy_header(info(dtype).numpy_descr, shape);
}

}  // namespace npz

std::string npy_header(std::string_view descr, std::span<const int64_t> shape) {
    std::string dims;
    for (const int64_t dim : shape)
        dims += std::to_string(dim) + (shape.size() == 1 ? "," : ", ");
    if (shape.size() > 1) dims.resize(dims.size() - 2);
    std::string text = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': (" + dims + "), }";
    const size_t prefix = kMagic.size() + 4;
    const size_t used = prefix + text.size() + 1;
    text.append((kHeaderAlignment - used % kHeaderAlignment) % kHeaderAlignment, ' ');
    text += '\n';
    if (text.size() > 0xffff)
        throw Error(ErrorKind::kUnsupported, "a shape is too long for a .npy header");
    std::string header(kMagic);
    header += '\x01';
    header += '\0';
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

Tensor parse_npy(std::span<const std::byte> image, const std::string& what) {
    MemorySource source(image, what);
    return npz::parse_npy(source, what);
}

std::string format_npy(const TensorView& tensor) {
    if (tensor.dtype == DType::kBFloat16) {
        const Tensor wide = Tensor::copy_of(tensor).cast(DType::kFloat32);
        return format_npy(wide.view());
    }
    std::string image = npz::npy_header(tensor.dtype, tensor.shape);
    image.append(reinterpret_cast<const char*>(tensor.data), tensor.nbytes());
    return image;
}

RealArray read_npy_real(const std::filesystem::path& path) {
    require_regular_file(path, "array");
    const std::string what = in_quotes(path);
    FileSource source(path, what);
    const Header header = read_header(source, what);
    const Tensor read = read_elements(source, header, what);
    if (!header.is_complex) return {read, std::string(name_of(header.dtype))};
    Tensor real(header.dtype, header.shape);
    const size_t size = size_of(header.dtype);
    std::byte* out = real.mutable_data();
    for (size_t i = 0; i < static_cast<size_t>(real.numel()); ++i)
        std::memcpy(out + i * size, read.data() + 2 * i * size, size);
    return {real, header.dtype == DType::kFloat32 ? "complex64" : "complex128"};
}

Tensor read_npy(const std::filesystem::path& path) {
    require_regular_file(path, "array");
    const std::string what = in_quotes(path);
    FileSource source(path, what);
    return npz::parse_npy(source, what);
}

void write_npy(const std::filesystem::path& path, const TensorView& tensor) {
    write_text_file(path, format_npy(tensor));
}

}  // namespace npuscope
