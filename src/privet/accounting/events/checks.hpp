#pragma once

#include <cstdint>

namespace privet::privacy {

/// What the numbers of an event must keep to. A fault is an InvalidArgument that names the number.
void require(bool holds, double value, const char* name, const char* expected);
void require_positive(double value, const char* name);
/// Counts stay where sums of them can't overflow and doubles hold them exactly.
void require_count(std::uint64_t count, const char* name);
/// An epsilon of a mechanism.
void require_loss(double epsilon);

}  // namespace privet::privacy
