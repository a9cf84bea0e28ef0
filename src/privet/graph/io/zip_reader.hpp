#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// A zip archive whose members are stored or deflated, read one member at a time from front to back.
///
/// Nothing that the archive says of itself is believed: a member may not claim more compressed bytes than the
/// archive has, nor more bytes than deflate can make of them (1032 from one), so buffers sized by a member's
/// claim stay in proportion to the file. Faults are a DataError naming archive and member.
class ZipReader {
 public:
  struct Member {
    std::string name;
    std::uint64_t size = 0;
  };

  explicit ZipReader(const Source& source);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  /// In the order of the archive, each name once.
  [[nodiscard]] const std::vector<Member>& members() const noexcept;

  /// Begins reading a member; any other one that was open is left.
  void open(std::size_t index);
  /// Fills `buffer` whole; a member that has fewer bytes left is a DataError.
  void read(std::span<char> buffer);
  /// Ends a member that was read to its end, and checks its CRC.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace privet::graph
