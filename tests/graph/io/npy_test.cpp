#include "privet/graph/io/npy.hpp"

#include <gtest/gtest.h>

#include "graph/io/archives.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/io/npz.hpp"

namespace privet::graph {
namespace {

NpyHeader parse(std::string_view text) { return parse_npy_header(text, "a"); }

TEST(Npy, ParsesWhatNumPyWrites) {
  // Headers as numpy.save writes them (versions 1.x and 2.x).
  const NpyHeader matrix =
      parse("{'descr': '<f4', 'fortran_order': False, 'shape': (2708, 1433), }       \n");
  EXPECT_EQ(matrix.kind, 'f');
  EXPECT_EQ(matrix.item_size, 4u);
  EXPECT_EQ(matrix.shape, (std::vector<std::uint64_t>{2708, 1433}));
  EXPECT_EQ(matrix.count(), 2708u * 1433);
  EXPECT_EQ(matrix.describe(), "float32 (2708, 1433)");
  EXPECT_EQ(parse("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }\n").describe(), "bool (3)");
  EXPECT_TRUE(parse("{'descr': '<i8', 'fortran_order': True, 'shape': (3, 4), }\n").fortran_order);
  EXPECT_EQ(parse("{'descr': '<U5', 'fortran_order': False, 'shape': (), }\n").item_size, 20u);
  EXPECT_EQ(parse("{'descr': '<i4', 'fortran_order': False, 'shape': (3L,), }\n").count(), 3u);
  EXPECT_EQ(parse("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n").kind, 'O');
  EXPECT_EQ(
      parse("{'descr': [('a', '<i4'), ('b', '<f8', (2,))], 'fortran_order': False, 'shape': (2,), }\n").kind,
      'V');
  EXPECT_EQ(parse("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2,), }\n").kind, 'V');
}

TEST(Npy, RefusesOtherText) {
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': __import__('os'), }",
        "{'descr': '', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [[[[, 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"}) {
    EXPECT_FAILS_WITH(DataError, "a: npy header: ", parse(text));
  }
}

TEST(Npy, WritesHeadersThatNumPyAligns) {
  const std::vector<std::uint64_t> shape = {7, 2};
  const std::string header = npy_header("<i4", shape);
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.back(), '\n');
  const NpyPreamble preamble = parse_npy_preamble(header, "a");
  const NpyHeader parsed = parse(header.substr(preamble.text_begin, preamble.text_size));
  EXPECT_EQ(parsed.shape, shape);
  EXPECT_EQ(parsed.descr, "<i4");
  EXPECT_NE(npy_header("<i8", std::vector<std::uint64_t>{5}).find("'shape': (5,), }"), std::string::npos);
}

TEST(Npz, WidensEveryIntegerType) {
  const std::string bytes = testing::zip(
      {testing::array<std::int8_t>("a", {-1, 5}), testing::array<std::uint16_t>("b", {65535}),
       testing::array<std::uint64_t>("c", {7}), testing::array<std::uint64_t>("d", {1, ~std::uint64_t{0}}),
       testing::array<float>("e", {1})});
  NpzReader npz(Source::memory("x.npz", bytes));
  EXPECT_EQ(npz.read_integers("a"), (std::vector<std::int64_t>{-1, 5}));
  EXPECT_EQ(npz.read_integer("b"), 65535);
  EXPECT_EQ(npz.read_integer("c"), 7);
  EXPECT_FAILS_WITH(DataError, "x.npz: d: element 1 is beyond 64 signed bits", npz.read_integers("d"));
  EXPECT_FAILS_WITH(DataError, "x.npz: e: is float32 (1) (expected whole numbers)", npz.read_integers("e"));
  EXPECT_FAILS_WITH(DataError, "x.npz: a: has shape (2) (expected one number)", npz.read_integer("a"));
  EXPECT_EQ(npz.names(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
}

TEST(Npz, ReadsVersionTwo) {
  std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n";
  std::string array("\x93NUMPY\x02\x00", 8);
  testing::put(array, dictionary.size(), 4);
  array += dictionary;
  testing::put(array, 42, 4);
  const std::string bytes = testing::zip({{.name = "a.npy", .bytes = array}});
  NpzReader npz(Source::memory("x.npz", bytes));
  EXPECT_EQ(npz.read_integer("a"), 42);
  array[6] = 9;
  const std::string other = testing::zip({{.name = "a.npy", .bytes = array}});
  NpzReader unknown(Source::memory("x.npz", other));
  EXPECT_FAILS_WITH(DataError, "x.npz: a: npy version 9 (expected 1 to 3)", unknown.read_integer("a"));
}

}  // namespace
}  // namespace privet::graph
