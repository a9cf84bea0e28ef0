#pragma once

namespace privet::privacy {

/// Numbers on which a guarantee rests each have a type of their own, so that a noise scale can't be passed
/// for a sensitivity. Construction checks the range (InvalidArgument); the value is read with value().

/// An upper bound on privacy loss: finite and at least 0. "No privacy" has no Epsilon.
class Epsilon {
 public:
  explicit Epsilon(double value);
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double value_;
};

/// The probability with which the bound may fail: in [0, 1).
class Delta {
 public:
  explicit Delta(double value);
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double value_;
};

/// Standard deviation of Gaussian noise, in the units of the released value: positive and finite.
class NoiseStddev {
 public:
  explicit NoiseStddev(double value);
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double value_;
};

/// How far, in the Euclidean (for matrices Frobenius) norm, a value can move between neighbouring data sets:
/// positive and finite.
class L2Sensitivity {
 public:
  explicit L2Sensitivity(double value);
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double value_;
};

/// The same in the sum of absolute values.
class L1Sensitivity {
 public:
  explicit L1Sensitivity(double value);
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double value_;
};

/// The norm to which one example's gradient is scaled down: positive and finite.
class ClipNorm {
 public:
  explicit ClipNorm(double value);
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double value_;
};

}  // namespace privet::privacy
