#include "privet/accounting/pld_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "privet/accounting/pld_hockey_stick.hpp"

// Batches of which several examples are affected.
//
// Setting. Between the data sets D (with) and D' (without), r examples have another gradient and a examples
// of D are null in D': they are drawn as before but contribute 0. So the law of the batch is the same in both
// worlds, for Poisson sampling and for a fixed size m out of a public population N alike. Let k = i + j be
// the number of affected examples in the batch, i of them replaced and j added; P[k = 0] = 1 - Q. Every
// gradient has norm at most C, noise has standard deviation sigma; distances below are in units of c = C /
// sigma.
//
// Coupling. Draw which affected examples join, and then the rest of the batch so that it does not depend on
// the world: for Poisson sampling an independent set U; for a fixed size a random order of the unaffected
// examples, of which the first m - k join. Given U (or the order), hockey-stick divergences are jointly
// convex in the pair, so a bound that holds for every U holds for the mixture. Given U, with gamma' =
// e^epsilon >= 1,
//
//     M(D) = (1-Q) m0 + Q m1,  M(D') = (1-Q) m0 + Q m1',
//
// where m0 = N(sum over U) is common: no affected example is in it. By advanced joint convexity (Balle,
// Barthe and Gaboardi 2018, Theorem 2), with gamma = 1 + (gamma'-1)/Q and beta = gamma'/gamma, exactly
//
//     H_gamma'(M(D) || M(D')) = Q H_gamma(m1 || (1-beta) m0 + beta m1').
//
// m1 and m1' are mixtures over the same law of the affected subset given k > 0. Joint convexity over that
// subset and over the two terms on the right leaves
//
//     H_gamma'(M(D) || M(D')) <= Q E[(1-beta) H_gamma(N(x) || N(0)) + beta H_gamma(N(y) || N(0)) | k > 0],
//     (*)
//
// where x bounds the distance of the batch of D from the batch without affected examples, y that between the
// two batches; the divergence of two Gaussians grows with the distance of their means, whatever its
// direction, so gradients may depend on one another and on U in any way. The distances:
//
//                    x in D          x in D'      y
//     Poisson        c (i + j)       c i          c (2i + j)
//     fixed size     c 2(i + j)      c (2i + j)   c (2i + j)
//
// With a fixed size k unaffected examples of the common batch make room for the affected ones, each another
// c. Only the order of the pair decides which x is used; the argument is the same for both.
//
// Where x = 0 (Poisson, first world D', i = 0) the convexity over the two terms is not needed: m1 = m0 and
//
//     H_gamma(m0 || (1-beta) m0 + beta m1') = (1 - gamma + gamma') H_gamma''(m0 || m1'),
//     gamma'' = gamma' / (1 - gamma + gamma'),
//
// and 0 if 1 - gamma + gamma' <= 0. For one added example and Poisson sampling both orders are then exact:
// they are the well-known pair (1-q) N(0) + q N(c) against N(0).
//
// One replaced example, Poisson sampling. Here (*) is not needed: given U, the pair is (1-q) N(0) + q N(v)
// against (1-q) N(0) + q N(w) with |v|, |w| <= c, and v = -w of norm c is the worst case.
//  - E f over three Gaussian densities p_k with means m_k, f(p) = (sum of c_k p_k)+: with the densities
//  relative to
//    N(0) as exponentials of Gaussian variables, differentiation along a path of the means gives
//        -1/4 sum over k != l of (d/dt |m_k - m_l|^2) E[p_k p_l f_kl],   f_kl = c_k c_l Dirac(sum of c_k
//        p_k),
//    because f is homogeneous of degree 1. So the divergence grows with the distance of two means whose
//    coefficients differ in sign. For gamma' >= 1 the coefficients of N(0), N(v), N(w) are (1-q)(1-gamma') <=
//    0, q > 0 and -gamma' q < 0: turning v away from w, with both norms fixed, increases it. So v and w are
//    opposite.
//  - On a line, with v >= 0 >= w, the likelihood ratio increases, the best set is a half-line x > x0, and its
//    probabilities under the first and the second law grow and fall as v and -w grow.
//
// DP-GNN. K + 1 of N subgraphs hold the node, m are drawn, noise is lambda 2 (K+1) C: fixed size with r = K +
// 1 and a distance of 2iC, which is i / (lambda (K+1)) in units of the noise.

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// More than the relative error of any profile below.
constexpr double kRoundingUp = 1e-10;

// With more shifts than this they are rounded up to fewer.
constexpr std::size_t kMostShifts = 192;
// With a wider spread of affected counts than this no gain from sampling is claimed.
constexpr double kMostVariance = 1e10;

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

double log_sum(double largest, double sum) { return largest + std::log(sum); }

double log_delta_of_batch(const BatchProfile& profile, PairOrder order, double epsilon) {
  const double excess = std::expm1(epsilon);  // gamma' - 1
  const double share = profile.affected;
  // log gamma, without overflow of e^epsilon.
  const double inner = epsilon > 30
                           ? epsilon - std::log(share) + std::log1p(-profile.unaffected * std::exp(-epsilon))
                           : std::log1p(excess / share);
  const double beta = std::exp(epsilon - inner);
  const double not_beta =
      epsilon > 30 ? profile.unaffected * -std::expm1(-epsilon) / (share * std::exp(inner - epsilon))
                   : excess * profile.unaffected / (share + excess);
  const double bare =
      profile.unaffected > 0 ? 1 - excess * profile.unaffected / share : 1;  // 1 - gamma + gamma'

  const auto& shifts = order == PairOrder::kWithFirst ? profile.with_first : profile.without_first;
  double largest = -kInfinity;
  double sum = 0;
  const auto add = [&](double weight, double log_divergence) {
    if (weight <= 0 || log_divergence == -kInfinity) return;
    const double term = std::log(weight) + log_divergence;
    if (term > largest) {
      sum = sum * std::exp(largest - term) + 1;
      largest = term;
    } else {
      sum += std::exp(term - largest);
    }
  };
  for (const auto& shift : shifts) {
    const double weight = not_beta * shift.own + beta * shift.pair;
    if (weight > 0) add(weight, gaussian_log_hockey_stick(shift.mu, inner));
    if (shift.bare > 0 && bare > 0)
      add(shift.bare * bare, gaussian_log_hockey_stick(shift.mu, std::max(0.0, epsilon - std::log(bare))));
  }
  return largest == -kInfinity ? largest : std::log(share) + log_sum(largest, sum);
}

// How many affected examples join, as probabilities of `first`, `first` + 1, ...; ratio(k) = P[k+1] / P[k].
struct Counts {
  std::uint64_t first = 0;
  std::vector<double> probability;
  double left_out = 0;
};

// Outward from the mode, where every step loses an ulp at most, so that even the far tails are known to many
// digits (factorials of large populations are not).
template <typename Ratio>
Counts counts_from_mode(std::uint64_t least, std::uint64_t mode, std::uint64_t most, double negligible,
                        Ratio ratio) {
  std::vector<double> below;
  std::vector<double> above = {1};
  const double stop = std::clamp(negligible * 1e-6, 1e-320, 1e-6);
  double value = 1;
  for (std::uint64_t k = mode; k > least; --k) {
    value /= ratio(k - 1);
    if (!(value > stop)) break;
    below.push_back(value);
  }
  value = 1;
  for (std::uint64_t k = mode; k < most; ++k) {
    value *= ratio(k);
    if (!(value > stop)) break;
    above.push_back(value);
  }
  Counts counts;
  counts.first = mode - below.size();
  counts.probability.assign(below.rbegin(), below.rend());
  counts.probability.insert(counts.probability.end(), above.begin(), above.end());
  double total = 0;
  for (double p : counts.probability) total += p;
  for (double& p : counts.probability) p /= total;
  // These laws are log-concave: a tail that has fallen below `stop` in d steps from the mode falls on at
  // least as fast, so the rest of it sums to less than stop d / log(1/stop).
  if (counts.first > least) counts.left_out += stop * static_cast<double>(below.size() + 1);
  if (most - mode >= above.size()) counts.left_out += stop * static_cast<double>(above.size() + 1);
  return counts;
}

Counts count_affected(const Sampling& sampling, std::uint64_t affected, double negligible) {
  return std::visit(
      Overloaded{
          [&](const PoissonSampling& s) {
            const auto n = static_cast<double>(affected);
            const auto mode = std::min(affected, static_cast<std::uint64_t>((n + 1) * s.rate));
            const double odds = s.rate / (1 - s.rate);
            return counts_from_mode(0, mode, affected, negligible, [=](std::uint64_t k) {
              return odds * static_cast<double>(affected - k) / static_cast<double>(k + 1);
            });
          },
          [&](const FixedSizeSampling& s) {
            const auto least = affected > s.population - s.batch ? affected - (s.population - s.batch) : 0;
            const auto most = std::min(affected, s.batch);
            const double centre = (static_cast<double>(affected) + 1) * (static_cast<double>(s.batch) + 1) /
                                  (static_cast<double>(s.population) + 2);
            const auto mode = std::clamp(static_cast<std::uint64_t>(centre), least, most);
            const std::uint64_t others = s.population - affected;
            return counts_from_mode(least, mode, most, negligible, [=](std::uint64_t k) {
              return static_cast<double>(affected - k) / static_cast<double>(k + 1) *
                     (static_cast<double>(s.batch - k) / static_cast<double>(others + k + 1 - s.batch));
            });
          },
      },
      sampling);
}

using ShiftMap = std::map<std::uint64_t, BatchProfile::Shift>;

// Fewer shifts, each rounded up to a multiple of `step` above `least`: the same for both orders, whose
// profiles have to agree at epsilon 0.
std::vector<BatchProfile::Shift> shift_list(const ShiftMap& shifts, double unit, std::uint64_t least,
                                            std::uint64_t step) {
  ShiftMap rounded;
  for (const auto& [distance, shift] : shifts) {
    auto& target = rounded[least + (distance - least + step - 1) / step * step];
    target.own += shift.own;
    target.pair += shift.pair;
    target.bare += shift.bare;
  }
  std::vector<BatchProfile::Shift> list;
  for (auto& [distance, shift] : rounded) {
    shift.mu = unit * static_cast<double>(distance);
    list.push_back(shift);
  }
  return list;
}

// `unit` is the distance, in units of the noise, of one clip norm.
Profile profile_of(const Sampling& sampling, const AffectedExamples& at_stake, double unit,
                   double negligible) {
  const auto* fixed = std::get_if<FixedSizeSampling>(&sampling);
  const AffectedExamples examples = fixed != nullptr ? at_stake.among(fixed->population) : at_stake;
  const auto [added, replaced] = examples;
  const double rate = fixed != nullptr
                          ? static_cast<double>(fixed->batch) / static_cast<double>(fixed->population)
                          : std::get<PoissonSampling>(sampling).rate;
  const std::uint64_t affected = examples.count();
  const double everything = unit * examples.clip_norms();
  if (fixed == nullptr && added == 0 && replaced == 1 && rate < 1) return MirroredProfile{unit, rate};
  if (rate >= 1 || static_cast<double>(affected) * rate * (1 - rate) > kMostVariance)
    return GaussianProfile{everything};

  const Counts counts = count_affected(sampling, affected, negligible);
  BatchProfile profile;
  profile.dropped = counts.left_out;
  for (std::size_t n = counts.probability.size(); n-- > 0;)
    (counts.first + n == 0 ? profile.unaffected : profile.affected) += counts.probability[n];

  ShiftMap with_first;
  ShiftMap without_first;
  const auto record = [&](std::uint64_t i, std::uint64_t j, double weight) {
    const std::uint64_t pair = 2 * i + j;
    const std::uint64_t own_with = fixed != nullptr ? 2 * (i + j) : i + j;
    const std::uint64_t own_without = fixed != nullptr ? 2 * i + j : i;
    with_first[own_with].own += weight;
    with_first[pair].pair += weight;
    if (own_without == 0) {
      without_first[pair].bare += weight;
    } else {
      without_first[own_without].own += weight;
      without_first[pair].pair += weight;
    }
  };
  for (std::size_t n = 0; n < counts.probability.size(); ++n) {
    const std::uint64_t k = counts.first + n;
    if (k == 0) continue;
    const double weight = counts.probability[n] / profile.affected;
    const std::uint64_t least = k > added ? k - added : 0;
    const std::uint64_t most = std::min(k, replaced);
    // Which of the affected joined is uniform given their number. Where both kinds are many, all count as
    // replaced, which only adds distance.
    if (least == most) {
      record(most, k - most, weight);
    } else if (most - least > 2000) {
      record(k, 0, weight);
    } else {
      const auto a = static_cast<double>(added);
      const auto r = static_cast<double>(replaced);
      const auto centre = static_cast<std::uint64_t>((static_cast<double>(k) + 1) * (r + 1) / (a + r + 2));
      const Counts split =
          counts_from_mode(least, std::clamp(centre, least, most), most, negligible, [&](std::uint64_t i) {
            return (r - static_cast<double>(i)) / static_cast<double>(i + 1) * (static_cast<double>(k - i)) /
                   (a + static_cast<double>(i + 1) - static_cast<double>(k));
          });
      for (std::size_t p = 0; p < split.probability.size(); ++p)
        record(split.first + p, k - split.first - p, weight * split.probability[p]);
      profile.dropped += weight * split.left_out;
    }
  }
  const std::uint64_t least = std::min(with_first.begin()->first, without_first.begin()->first);
  const std::uint64_t most = std::max(with_first.rbegin()->first, without_first.rbegin()->first);
  const std::size_t count = std::max(with_first.size(), without_first.size());
  const std::uint64_t step = count <= kMostShifts ? 1 : (most - least) / kMostShifts + 1;
  profile.with_first = shift_list(with_first, unit, least, step);
  profile.without_first = shift_list(without_first, unit, least, step);
  return profile;
}

}  // namespace

PairOrder opposite(PairOrder order) {
  return order == PairOrder::kWithFirst ? PairOrder::kWithoutFirst : PairOrder::kWithFirst;
}

double log_delta(const Profile& profile, PairOrder order, double epsilon) {
  const double log_value = std::visit(
      Overloaded{
          [&](const GaussianProfile& p) { return gaussian_log_hockey_stick(p.mu, epsilon); },
          // Between -epsilon and epsilon the loss is 2x - epsilon with density e^-x.
          [&](const LaplaceProfile& p) {
            return epsilon < p.epsilon ? std::log(-std::expm1((epsilon - p.epsilon) / 2)) : -kInfinity;
          },
          // (e^p - e^epsilon) / (1 + e^p).
          [&](const PureProfile& p) {
            return epsilon < p.epsilon
                       ? std::log(-std::expm1(epsilon - p.epsilon)) - std::log1p(std::exp(-p.epsilon))
                       : -kInfinity;
          },
          [&](const MirroredProfile& p) { return mirrored_log_hockey_stick(p.mu, p.rate, epsilon); },
          [&](const BatchProfile& p) { return log_delta_of_batch(p, order, epsilon); },
      },
      profile);
  return std::min(0.0, log_value + kRoundingUp);
}

double largest_loss(const Profile& profile) {
  if (const auto* laplace = std::get_if<LaplaceProfile>(&profile)) return laplace->epsilon;
  if (const auto* pure = std::get_if<PureProfile>(&profile)) return pure->epsilon;
  return kInfinity;
}

bool is_symmetric(const Profile& profile) {
  const auto* batch = std::get_if<BatchProfile>(&profile);
  return batch == nullptr || batch->with_first == batch->without_first;
}

Profile batch_profile(const SubsampledGaussianEvent& event, double negligible) {
  return profile_of(event.sampling, event.affected(), 1 / event.noise_multiplier, negligible);
}

}  // namespace privet::privacy
