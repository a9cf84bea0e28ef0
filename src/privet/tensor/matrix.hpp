#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace privet::tensor {

/// Memory that starts on a cache line and a full vector register.
inline constexpr std::size_t kAlignment = 64;

/// Memory so aligned. Large pieces lie on huge pages where the system has them: rows are gathered from all
/// over a matrix, and with small pages most gathers wait for an address translation.
void* allocate_aligned(std::size_t bytes);
void deallocate_aligned(void* memory, std::size_t bytes) noexcept;

template <typename T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_aligned(count * sizeof(T)));
  }
  void deallocate(T* pointer, std::size_t count) noexcept { deallocate_aligned(pointer, count * sizeof(T)); }
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
