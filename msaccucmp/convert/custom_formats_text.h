// custom_formats.py as a string, so that the program needs no installed file.
#pragma once

namespace npuscope::msaccucmp {

[[nodiscard]] const char* custom_formats_text();

}  // namespace npuscope::msaccucmp
