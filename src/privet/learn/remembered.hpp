#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "privet/base/random.hpp"
#include "privet/base/sha256.hpp"
#include "privet/core/protected_dataset.hpp"
#include "privet/graph/dataset.hpp"

namespace privet::methods {

/// Names everything that something public is made from: two that have the same digest are the same. Only
/// for what is public: where features or labels are protected, nothing that was made from them is remembered.
class PublicInputs {
 public:
  PublicInputs& add(std::string_view text);
  PublicInputs& add(const graph::Features& features);
  /// Features, labels, classes and roles, where all of them are public.
  PublicInputs& add(const privacy::ProtectedDataset& data);
  /// The randomness that it draws, which is to be replayable.
  PublicInputs& add(const RandomStream& stream);

  template <typename T>
  requires std::is_trivially_copyable_v<T> PublicInputs& add(std::span<const T> values) {
    hash_.update(static_cast<std::uint64_t>(values.size())).update(std::as_bytes(values));
    return *this;
  }

  /// Takes no more after that.
  std::string digest() { return to_hex(hash_.finish()); }

 private:
  Sha256 hash_;
};

/// The last few things of a kind, by the digest of what they were made from: comparisons over many budgets
/// ask for the same again and again.
template <typename T>
class Remembered {
 public:
  /// What was made before from the same inputs and stream, or what `make` makes now. What a stream that can't
  /// be replayed has made is not kept: nobody can ask for it again.
  template <typename Make>
  std::shared_ptr<const T> get(PublicInputs& inputs, const RandomStream& stream, const Make& make) {
    if (!stream.replayable()) return std::make_shared<const T>(make());
    const std::string digest = inputs.add(stream).digest();
    if (std::shared_ptr<const T> known = find(digest)) return known;
    auto made = std::make_shared<const T>(make());
    constexpr std::size_t kMost = 32;
    const std::lock_guard lock(mutex_);
    known_.emplace_back(digest, made);
    if (known_.size() > kMost) known_.pop_front();
    return made;
  }

 private:
  using Known = std::pair<std::string, std::shared_ptr<const T>>;

  std::shared_ptr<const T> find(const std::string& digest) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(known_, digest, &Known::first);
    return found == known_.end() ? nullptr : found->second;
  }

  std::mutex mutex_;
  std::deque<Known> known_;
};

}  // namespace privet::methods
