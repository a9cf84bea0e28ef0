#pragma once

#include <cstdint>

namespace privet::audit {

/// What one training run says about epsilon. Each of `canaries` was put in by a fair coin of its own; of
/// `guesses` coins that the auditor dared to guess from the result, `right` were right.
struct Guesses {
  std::uint64_t canaries = 0;
  std::uint64_t guesses = 0;
  std::uint64_t right = 0;
};

/// An upper bound on the probability that an (epsilon, delta)-DP algorithm lets so many guesses, or more, be
/// right (Steinke, Nasr and Jagielski 2023, Theorem 5.2):
///
///     P[B >= v] + 2 m delta max_i P[v - i <= B < v] / i,   B binomial(guesses, e^epsilon / (1 + e^epsilon))
double one_run_p_value(const Guesses& seen, double epsilon, double delta);

/// The largest epsilon that this refutes at the confidence; 0 where it refutes none.
double one_run_epsilon(const Guesses& seen, double delta, double confidence);

/// Whether a mu-GDP algorithm makes so many right guesses, or more, with probability below `doubt`: the
/// recursion of Mahloujifar, Melis and Chaudhuri (2024), for the trade-off function of Gaussian noise. With
/// r_i and h_i the probabilities that one canary is guessed rightly and wrongly while i guesses or more are
/// right, r_i - r_(i+1) = i / (guesses - i) (h_i - h_(i+1)) and h_i >= Phi(Phi^-1(r_(i+1)) - mu); if the
/// smallest solution from P[right or more] = doubt needs more than all probability there is, it is less.
bool one_run_refutes_mu(const Guesses& seen, double mu, double doubt);

/// The largest mu that this refutes at the confidence; 0 where it refutes none. Valid only if the algorithm
/// is mu-GDP for some mu, such as one made of Gaussian noise: then it says more than one_run_epsilon.
double one_run_mu(const Guesses& seen, double confidence);

/// The epsilon of that mu.
double one_run_gaussian_epsilon(const Guesses& seen, double delta, double confidence);

}  // namespace privet::audit
