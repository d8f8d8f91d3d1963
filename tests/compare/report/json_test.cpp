#include <gtest/gtest.h>

#include "tests/compare/report/small_result.h"

namespace npuscope::compare {
namespace {

TEST(JsonReport, is_the_approved_text) {
    EXPECT_EQ(report_text("json"), approved("small.json"));
}

TEST(JsonReport, is_read_by_pythons_json_module) {
    const test::TempDir folder;
    test::write_file(folder / "r.json", report_text("json"));
    const auto python = test::run_python(
        "import json,sys\n"
        "r=json.load(open(sys.argv[1]))\n"
        "assert r['verdict']=='fail' and r['version']==2\n"
        "assert r['first_culprit']['path']=='/addmm/2' and r['first_culprit']==r['culprits'][0]\n"
        "assert r['ops'][1]['tensors'][1]['metrics']['max_absolute_error']==0.5\n"
        "assert r['ops'][1]['tensors'][0]['metrics']['snr_db']=='inf'\n"
        "assert r['counts']['only_golden']==1\n"
        "assert r['first_culprit']['line']=='train.py:12'\n"
        "assert r['ops'][1]['module']=='encoder.fc'\n"
        "assert r['ops'][1]['arguments']==[{'name':'beta','target':'0.001','golden':'1e-05'}]\n"
        "assert [(o['path'],o['kind']) for o in r['overflow']]==[('/bmm/11','introduced'),"
        "('/mm/12','received')]\n"
        "assert [o['overflow'] for o in r['ops'] if o['path']=='/bmm/11']==['introduced']\n",
        {(folder / "r.json").string()});
    EXPECT_EQ(python.exit_code, 0) << python.err;
}

}  // namespace
}  // namespace npuscope::compare
