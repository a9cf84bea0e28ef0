#include "privet/accounting/events/approximate.hpp"

#include <fmt/format.h>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/events/randomized_response.hpp"
#include "privet/accounting/loss_bag.hpp"

namespace privet::privacy {

void ApproximateEvent::check() const {
  require_loss(epsilon);
  require(delta >= 0 && delta < 1, delta, "delta", "at least 0 and below 1");
}

std::string ApproximateEvent::describe() const {
  return fmt::format("approximate(epsilon {:.6g}, delta {:.6g})", epsilon, delta);
}

// A mechanism that may fail altogether has neither a divergence nor a largest loss.
double ApproximateEvent::log_moment(double alpha) const {
  if (delta > 0) return kUnbounded;
  return randomized_response_log_moment(epsilon, alpha);
}

double ApproximateEvent::largest_loss() const {
  if (delta > 0) return kUnbounded;
  return epsilon;
}

void ApproximateEvent::add_losses(LossBag& bag, double times) const {
  bag.add_pure(epsilon, times);
  bag.add_failure(delta, times);
}

}  // namespace privet::privacy
