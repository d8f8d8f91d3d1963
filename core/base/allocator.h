// How the program's allocator keeps memory that was given back.
#pragma once

namespace npuscope {

/// For programs, at their start; a library leaves its host's allocator alone. Blocks of less than
/// 4 MB come of the heap, and up to 64 MB of them stay with it: each op that is computed again
/// takes and gives back the same ones, and every fresh page costs more than the work on its
/// elements. Larger blocks are the system's, as MemoryBlock's are. Does nothing where the C library
/// has no such settings.
void keep_freed_blocks();

}  // namespace npuscope
