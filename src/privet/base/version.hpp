#pragma once

#include <string_view>

namespace privet {

/// The version of this build, as in "0.2.0".
std::string_view version() noexcept;

}  // namespace privet
