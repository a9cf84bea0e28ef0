#pragma once

#include "privet/base/error.hpp"

namespace privet::audit {

/// An audit has shown that a claim of privacy is not true. The program ends with a status of its own.
class Refuted : public Error {
 public:
  using Error::Error;
};

}  // namespace privet::audit
