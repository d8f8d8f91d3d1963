#include "tests/damaged_commands/commands.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/program.h"
#include "msaccucmp/msaccucmp.h"

namespace npuscope::damage {

namespace {

namespace fs = std::filesystem;
using Commands = std::vector<std::vector<std::string>>;

/// In a command's place: the other program, whose codes and lines are its own.
constexpr const char* kMsaccucmp = "msaccucmp";

void put(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

/// A pickle alone is what old versions of torch.save wrote.
fs::path name_of(const Seed& seed) {
    const fs::path name = seed.name;
    return name.extension() == ".pkl" ? name.stem().string() + ".pt" : name.string();
}

/// Without what stands in quotes, which the file may have chosen.
std::string unquoted(const std::string& text) {
    std::string out;
    bool is_quoted = false;
    for (const char c : text) {
        if (c == '\'') is_quoted = !is_quoted;
        if (c == '\n') is_quoted = false;
        if (!is_quoted) out += c;
    }
    return out;
}

fs::path put_all(const Seed& seed, const std::string& bytes, const fs::path& folder) {
    for (const auto& [name, content] : seed.beside)
        put(folder / name, content);
    put(folder / name_of(seed), bytes);
    return seed.is_folder ? folder : folder / name_of(seed);
}

Commands on_model(const std::string& bad) {
    return {{"run", bad, "--device", "cpu", "--max-trips", "100"},
            {"run", bad, "--json", "--max-trips", "100"},
            {"check", bad, "--max-trips", "100"}};
}

Commands on_log(const std::string& bad, const std::string& good, const Place& place) {
    return {
        {"loss", good, bad},
        {"loss", bad, good, "--json"},
        {"loss", good, bad, "--like", bad, "--any-start", "--plot"},
        {"loss", good, bad, "--svg", place.folder / "a.svg", "--html", place.folder / "a.html"}};
}

Commands on_settings(const Seed& seed, const std::string& bad, const fs::path& dump) {
    const std::string option = "--" + fs::path(seed.name).stem().string();
    return {{"compare", "-m", dump, "-g", dump, option, bad, "--threads", "1"},
            {"compare", "-m", dump, "-g", dump, option, bad, "--threads", "1", "--json"}};
}

Commands on_recording(const Seed& seed, const Place& place) {
    const std::string bad = place.file;
    const std::string good = place.original;
    const std::string written = place.folder / "written";
    Commands all = {{"inspect", bad},
                    {"inspect", bad, "--json"},
                    {"overflow", bad},
                    {"overflow", bad, "--json", "--threads", "1"},
                    {"compare", "-m", bad, "-g", good, "--threads", "1"},
                    {"compare", "-m", good, "-g", bad, "--json", "--threads", "1"},
                    {"compare", "-m", bad, "-g", good, "--standard", "msprobe", "--threads", "1"},
                    {"compare", "--bitwise", good, bad, "--threads", "1"},
                    {"extract", "-i", bad, "-o", written + ".h5", "-s", "/*"},
                    {"export", bad, "-o", written},
                    {"recompute", bad, "--device", "cpu"}};
    if (seed.kind == "h5py") {
        all.push_back({"inspect", bad, "/relu/1", "--json"});
        all.push_back({"recompute", bad});
        all.push_back({"map", bad, "--chip", "910A", "-o", written});
        all.push_back({kMsaccucmp, "compare", "-m", bad, "-g", good, "-out", written});
    }
    if (seed.kind == "binary") {
        all.push_back({kMsaccucmp, "compare", "-m", bad, "-g", good, "-out", written});
        all.push_back({kMsaccucmp, "convert", "-d", bad, "-out", written});
        all.push_back({kMsaccucmp, "convert", "-d", bad, "-f", "NHWC", "-o", "0", "-out", written});
        all.push_back({kMsaccucmp, "overflow", "-d", bad, "-out", written});
    }
    return all;
}

}  // namespace

Place place_of(const Seed& seed,
               const std::string& bytes,
               const fs::path& folder,
               const fs::path& good) {
    Place place = {folder, put_all(seed, bytes, folder / "bad"), {}};
    place.original = seed.is_folder ? good : good / name_of(seed);
    if (!fs::exists(place.original)) put_all(seed, seed.bytes, good);
    return place;
}

std::vector<std::string> command_on(const Seed& seed, const Place& place, std::mt19937_64& random) {
    const std::string bad = place.file;
    const std::string good = place.original;
    const Commands all = seed.kind == "onnx"   ? on_model(bad)
                         : seed.kind == "logs" ? on_log(bad, good, place)
                         : seed.kind == "settings"
                             ? on_settings(seed, bad, place.original.parent_path() / "dump.h5")
                             : on_recording(seed, place);
    std::vector<std::string> chosen = all[random() % all.size()];
    if (chosen[0] != kMsaccucmp) chosen.emplace_back("-q");
    return chosen;
}

int run_command(std::vector<std::string> words) {
    if (words[0] == kMsaccucmp) {
        std::ostringstream out;
        std::ostringstream err;
        return msaccucmp::run(std::span(words).subspan(1), out, err) >= 0 ? 0 : -1;
    }
    words.insert(words.begin(), "npuscope");
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return cli::run_program(static_cast<int>(words.size()), arguments.data());
}

std::string broken_rule(int code, const std::string& out, const std::string& err) {
    if (code < 0 || code > 2) return "its exit code is " + std::to_string(code);
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    };
    if (std::ranges::any_of(out, is_control) || std::ranges::any_of(err, is_control))
        return "it prints control characters";
    size_t errors = 0;
    // A damaged name may say so as well, inside a line.
    for (size_t at = 0; (at = err.find("npuscope: error: ", at)) != std::string::npos; ++at)
        errors += at == 0 || err[at - 1] == '\n' ? 1 : 0;
    if (errors > 1) return "it tells more than one error";
    if (code == 2 && errors == 0 && out.empty()) return "it says nothing";
    for (const char* word : {"std::", "json.exception", "bad_alloc", "_M_"})
        if (unquoted(err).find(word) != std::string::npos)
            return "its error speaks of the program itself";
    return {};
}

}  // namespace npuscope::damage
