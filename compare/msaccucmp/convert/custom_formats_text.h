// custom_formats.py as a string, so that the program needs no installed file.
#pragma once

namespace npuscope::compare::msaccucmp {

[[nodiscard]] const char* custom_formats_text();

}  // namespace npuscope::compare::msaccucmp
