#pragma once

#include <string>

#include "privet/proof/certificate.hpp"

namespace privet::privacy {

/// The certificate for a reader who answers for people's data: plain sentences, lines of at most about 100
/// characters. No epsilon stands there without its unit, its delta and the words "upper bound"; a certificate
/// that is not sound says so first, gives no epsilon as a guarantee and lists the claims that fail. One with
/// form_faults() is an InvalidArgument: it is never printed.
std::string certificate_text(const Certificate& certificate);

/// Text from a file as it may go to a terminal: control characters become spaces.
std::string printable(std::string text);

}  // namespace privet::privacy
