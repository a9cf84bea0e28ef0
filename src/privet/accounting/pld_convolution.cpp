#include "privet/accounting/pld_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace privet::privacy {
namespace {

// Each of the log2(size) stages of a fast Fourier transform adds at most about 4 roundings, relative to the
// sum of absolute values that go into an output; the passage between real and half-size complex data adds two
// more stages.
double transform_error(std::size_t size) {
  return 8 * std::numeric_limits<double>::epsilon() * (std::log2(static_cast<double>(size)) + 2);
}

std::size_t wrap(std::int64_t index, std::size_t size) {
  return static_cast<std::size_t>(index) & (size - 1);  // two's complement: also right for negative indices
}

// Frequencies whose share is below e^this are left out and charged as errors.
constexpr double kNegligible = -80;
constexpr double kLeftOut = -std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-300;  // in place of 0 under a logarithm

// The logarithm of the characteristic function of the sum, frequency by frequency, and of a bound on its
// modulus.
struct LogSpectrum {
  std::vector<double> modulus;
  std::vector<double> bound;
  std::vector<double> angle;
};

}  // namespace

// The spectrum of a sum is the product of powers of the spectra of its parts. If each factor f is known to an
// error e, |f^T - g^T| <= (|f| + e)^T - |f|^T, and an error in the spectrum moves every mass by at most its
// mean.
WrappedSum sum_distribution(const std::vector<Summand>& summands, std::int64_t first, std::size_t size) {
  Eigen::FFT<double> transform;
  transform.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  const std::size_t half = size / 2 + 1;
  const double error = transform_error(size);
  constexpr double kUlp = std::numeric_limits<double>::epsilon();

  LogSpectrum log_spectrum{std::vector<double>(half, 0), std::vector<double>(half, 0),
                           std::vector<double>(half, 0)};
  std::vector<double> cells(size);
  std::vector<std::complex<double>> spectrum(half);
  double draws = 0;
  for (const Summand& summand : summands) {
    std::fill(cells.begin(), cells.end(), 0.0);
    for (std::size_t i = 0; i < summand.index.size(); ++i)
      cells[wrap(summand.index[i], size)] += summand.mass[i];
    transform.fwd(spectrum.data(), cells.data(), static_cast<Eigen::Index>(size));
    for (std::size_t k = 0; k < half; ++k) {
      const double modulus = std::sqrt(std::norm(spectrum[k]));
      log_spectrum.bound[k] += summand.times * std::log(modulus + error);
      if (log_spectrum.bound[k] < kNegligible) log_spectrum.modulus[k] = kLeftOut;
      if (log_spectrum.modulus[k] == kLeftOut) continue;
      log_spectrum.modulus[k] += summand.times * std::log(std::max(modulus, kTiny));
      log_spectrum.angle[k] += std::remainder(summand.times * std::arg(spectrum[k]), 2 * std::numbers::pi);
    }
    draws += summand.times;
  }

  double modulus_sum = 0;
  double error_sum = 0;
  for (std::size_t k = 0; k < half; ++k) {
    const double both = k == 0 || k + 1 == half ? 1 : 2;  // a frequency stands for its conjugate as well
    const double bound = std::exp(log_spectrum.bound[k]);
    if (log_spectrum.modulus[k] == kLeftOut) {
      spectrum[k] = 0;
      error_sum += both * bound;
      continue;
    }
    const double modulus = std::exp(log_spectrum.modulus[k]);
    spectrum[k] = std::polar(modulus, log_spectrum.angle[k]);
    modulus_sum += both * modulus;
    // Logarithm and angle are each right to a few ulps of at most about 4 (or of a modulus that does not
    // matter), then multiplied by the number of draws.
    error_sum += both * (std::max(0.0, bound - modulus) +
                         modulus * (1 + 4 * draws - log_spectrum.modulus[k]) * 4 * kUlp);
  }
  spectrum.front() = spectrum.front().real();
  spectrum.back() = spectrum.back().real();
  transform.inv(cells.data(), spectrum.data(), static_cast<Eigen::Index>(size));

  WrappedSum sum;
  sum.first = first;
  sum.mass.resize(size);
  const auto cell_count = static_cast<double>(size);
  sum.error = (error_sum + error * modulus_sum) / cell_count;
  for (std::size_t i = 0; i < size; ++i)
    sum.mass[i] = std::max(0.0, cells[wrap(first + static_cast<std::int64_t>(i), size)]);
  return sum;
}

}  // namespace privet::privacy
