#include "privet/base/version.hpp"

namespace privet {

std::string_view version() noexcept { return PRIVET_VERSION; }

}  // namespace privet
