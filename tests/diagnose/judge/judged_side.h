// What a side's judge says of recorded ops: their arithmetic and how far off each run is.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/dumpfile/reader.h"
#include "diagnose/judge/side_judge.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"
#include "tests/support/values.h"

namespace npuscope::test {

inline Tensor noise(const Shape& shape, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<size_t>(numel_of(shape)));
    for (float& value : values)
        value = normal(random);
    return floats(shape, values);
}

struct Judged {
    std::vector<std::string> sentences;
    std::vector<double> ratios;
};

/// `device`: tells its classes; nullptr: they are found out.
inline Judged judged(const std::vector<compare::DumpedOp>& ops, const Device* device = nullptr) {
    const TempDir folder;
    compare::write_dump(folder / "d.h5", ops);
    const Source source = source_of_dump(std::make_shared<const dumpfile::Reader>(folder / "d.h5"));
    std::vector<diagnose::SideOp> side;
    for (const SourceOp& op : source.ops)
        side.push_back({&op});
    const diagnose::SideJudge judge =
        device != nullptr ? diagnose::SideJudge(side, *device) : diagnose::SideJudge(side);
    Judged found{.sentences = judge.sentences(), .ratios = {}};
    for (const SourceOp& op : source.ops) {
        std::string why_not;
        const auto run = diagnose::load_run(op, why_not);
        double worst = 0;
        for (const auto& error : judge.judge(*run))
            worst = std::max(worst, error.value().ratio);
        found.ratios.push_back(worst);
    }
    return found;
}

/// Fourteen runs of an op as the float32 reference makes them; the elements of the first `changed`
/// are off by `units` of their last place.
inline std::vector<compare::DumpedOp> runs_off(const std::string& op, int64_t changed, int units) {
    std::mt19937 random(3);
    Executor executor(Device::reference32());
    std::vector<compare::DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 14; ++seqid) {
        const Tensor x = noise({6, 8}, random);
        const bool two = op == "add_Tensor";
        const Tensor other = noise({6, 8}, random);
        Tensor y = (two ? executor.call(op, {x, other}) : executor.call(op, {x})).tensor(0);
        for (float& value : y.mutable_as<float>())
            for (int step = 0; seqid <= changed && step < units; ++step)
                value = std::nextafter(value, 100.0F);
        compare::DumpedOp dumped{.name = op,
                                 .seqid = seqid,
                                 .inputs = {{"self", x}},
                                 .outputs = {{"result", y}},
                                 .node = {}};
        if (two) dumped.inputs.push_back({"other", other});
        ops.push_back(std::move(dumped));
    }
    return ops;
}

}  // namespace npuscope::test
