#include "privet/base/error.hpp"

#include <utility>

namespace privet {
namespace {

std::string one_line(const Fault& fault) {
  std::string text;
  if (!fault.where.empty()) text += fault.where + ": ";
  text += fault.what;
  if (!fault.expected.empty()) text += " (expected " + fault.expected + ")";
  if (!fault.remedy.empty()) text += "; " + fault.remedy;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace

Error::Error(Fault fault) : std::runtime_error(one_line(fault)), fault_(std::move(fault)) {}

}  // namespace privet
