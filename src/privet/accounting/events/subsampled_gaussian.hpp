#pragma once

#include <array>

#include "privet/accounting/affected_examples.hpp"
#include "privet/accounting/events/row.hpp"

namespace privet::privacy {

/// One step of private SGD: the sum of clipped examples of one batch plus Gaussian noise of standard
/// deviation noise_multiplier x clip norm. Between neighbouring data sets `replaced` examples have another
/// gradient (each moves the sum by up to 2 clip norms) and `added` examples are there or not (1 clip norm).
/// Ordinary private SGD is {added 1} or {replaced 1}; one person who shapes many examples (DPDGC's embedding,
/// DP-GNN's subgraphs) has more. Only those that happen to be in the batch move the sum, all of them possibly
/// in one direction.
struct SubsampledGaussianEvent {
  Sampling sampling;
  double noise_multiplier = 0;
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;
  [[nodiscard]] AffectedExamples affected() const noexcept { return {.added = added, .replaced = replaced}; }
  bool operator==(const SubsampledGaussianEvent&) const = default;

  static constexpr std::string_view kName = "subsampled-gaussian";
  static constexpr std::string_view kLaw = "gaussian";
  static constexpr std::array<std::string_view, 1> kMechanisms = {"clipped-sum"};
  static constexpr auto fields() {
    return std::tuple(event_field("sampling", &SubsampledGaussianEvent::sampling),
                      event_field("noise_multiplier", &SubsampledGaussianEvent::noise_multiplier),
                      event_field("added", &SubsampledGaussianEvent::added),
                      event_field("replaced", &SubsampledGaussianEvent::replaced));
  }
  static const MechanismKind* written();

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const;
  [[nodiscard]] double largest_loss() const { return kUnbounded; }
  [[nodiscard]] double failure_probability() const { return 0; }
  /// Batches of everybody, and Poisson batches in which one example is affected.
  [[nodiscard]] bool is_attained() const;
  void add_losses(LossBag& bag, double times) const;
  [[nodiscard]] std::uint64_t examples_reached() const { return affected().count(); }
  [[nodiscard]] ReleaseForm release_form() const {
    return {.multiplier = noise_multiplier, .sampling = sampling};
  }
};

}  // namespace privet::privacy
