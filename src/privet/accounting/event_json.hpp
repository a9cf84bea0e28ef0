#pragma once

#include "privet/accounting/event.hpp"
#include "privet/base/json.hpp"
#include "privet/base/json_field.hpp"

namespace privet::privacy {

/// Events as JSON objects: `kind` names the event as Event::describe() does, the other members are the fields
/// of its struct. Numbers come back bit for bit.
///
///     {"kind": "repeated", "times": 100, "part":
///       {"kind": "subsampled-gaussian", "sampling": {"kind": "poisson", "rate": 0.01},
///        "noise_multiplier": 1.1, "added": 1, "replaced": 0}}
///
/// docs/privacy/certificate.md lists every kind.

/// Events nested deeper than this are neither written (InvalidArgument) nor read (DataError).
inline constexpr int kMaxEventDepth = 32;

Json event_to_json(const Event& event);

/// A missing or unknown key, a wrong type, an unknown kind or a number out of range is a DataError with the
/// path to it.
Event event_from_json(const JsonField& field);

}  // namespace privet::privacy
