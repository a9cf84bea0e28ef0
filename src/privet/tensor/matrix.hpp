#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace privet::tensor {

/// Memory that starts on a cache line and a full vector register.
inline constexpr std::size_t kAlignment = 64;

template <typename T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kAlignment}));
  }
  void deallocate(T* pointer, std::size_t) noexcept {
    ::operator delete (pointer, std::align_val_t{kAlignment});
  }
  bool operator==(const AlignedAllocator&) const = default;
};

template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// A dense matrix of float32, row after row without gaps, the first row 64-byte aligned. Starts as zeros.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

  [[nodiscard]] std::span<float> row(std::size_t i) { return {values_.data() + i * columns_, columns_}; }
  [[nodiscard]] std::span<const float> row(std::size_t i) const {
    return {values_.data() + i * columns_, columns_};
  }
  [[nodiscard]] float& operator()(std::size_t i, std::size_t j) { return values_[i * columns_ + j]; }
  [[nodiscard]] float operator()(std::size_t i, std::size_t j) const { return values_[i * columns_ + j]; }
  [[nodiscard]] std::span<float> values() noexcept { return values_; }
  [[nodiscard]] std::span<const float> values() const noexcept { return values_; }

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  AlignedVector<float> values_;
};

}  // namespace privet::tensor
