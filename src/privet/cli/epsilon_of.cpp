#include "privet/cli/epsilon_of.hpp"

#include "privet/accounting/accountant.hpp"

namespace privet::cli {

double epsilon_of(const privacy::Event& event, privacy::Delta delta, const std::string& accountant) {
  return privacy::epsilon(event, delta, privacy::parse_accountant(accountant)).upper;
}

}  // namespace privet::cli
