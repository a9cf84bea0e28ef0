#pragma once

namespace privet::privacy {

/// The key to a Secret: whoever holds one may read. Only the sources of core/mechanisms/ include this file;
/// elsewhere `Opening` is a name without a definition, of which no object can be made. tests/rooms.py refuses
/// any other file that names it.
///
/// A mechanism adds its noise and writes a Release before anything that it read goes further.
class Opening {
 public:
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening() = default;

 private:
  Opening() = default;
  template <typename Mechanism>
  friend class OpeningBy;
};

/// The key of one mechanism, for its own members:
///
///     const double* opened = value.read(OpeningBy<LaplaceMechanism>::key());
template <typename Mechanism>
class OpeningBy {
  friend Mechanism;
  static Opening key() { return {}; }
};

}  // namespace privet::privacy
