#pragma once

#include <variant>

#include "privet/core/release.hpp"

namespace privet::privacy {

/// What one run of a mechanism costs that the log may have counted several times.
inline Event one_run(const Release& release) {
  const auto* several = std::get_if<RepeatedEvent>(&release.event.kind());
  return release.times > 1 && several != nullptr && several->times == release.times ? *several->part
                                                                                    : release.event;
}

}  // namespace privet::privacy
