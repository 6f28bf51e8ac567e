#pragma once
// Fork and join, without a pool: threads live for one call, so there is no global state and
// nothing to configure. A fork costs some 20 µs; give each call a millisecond of work or more.

#include <mercer/matrix.hpp>

#include <functional>

namespace mercer {

/// The thread count to use: `asked`, or one per core when it is 0.
int thread_count(int asked);

/// Runs task(0) … task(count−1), each once, on up to `threads` threads (the caller is one of
/// them, and takes the first task). Tasks are handed out in order. The first exception is rethrown
/// after all have ended.
void parallel_for(Index count, int threads, const std::function<void(Index)>& task);

/// Splits [0, n) into one contiguous range per thread, none shorter than `grain`, and runs
/// body(begin, end, part). The split depends only on n, threads and grain.
/// Returns the number of parts that `body` was called for.
int parallel_ranges(Index n, int threads, Index grain,
                    const std::function<void(Index begin, Index end, int part)>& body);

}  // namespace mercer
