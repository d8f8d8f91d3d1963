// How far the contents of HDF5 files are trusted.
#pragma once

namespace npuscope::h5 {

/// By default the HDF5 library reads files in a process of its own, with limits of memory, time and
/// file access (docs/trust.md), and external storage as well as links that leave the file's folder
/// are refused. Trusted files are read by the library in this process, without any of that. A
/// decision of the whole process: it holds for files that are opened afterwards.
void trust_files(bool trusted);
[[nodiscard]] bool files_are_trusted();

}  // namespace npuscope::h5
