#include "privet/tensor/safetensors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet::tensor {
namespace {

namespace fs = std::filesystem;

class Safetensors : public ::testing::Test {
 protected:
  Safetensors() {
    std::string name = (fs::temp_directory_path() / "privet-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~Safetensors() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] fs::path file() const { return folder_ / "model.safetensors"; }

  void write_bytes(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] std::string bytes() const { return read_text(file(), 1U << 20); }

  /// A file with this header and so many bytes of zeros behind it.
  void write_file(const std::string& header, std::size_t data_bytes) const {
    const std::uint64_t length = header.size();
    std::string all(sizeof length, '\0');
    std::memcpy(all.data(), &length, sizeof length);
    write_bytes(all + header + std::string(data_bytes, '\0'));
  }

  /// What reading says; "no fault" where it reads.
  [[nodiscard]] std::string fault() const {
    try {
      (void)read_safetensors(file());
    } catch (const DataError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find('\n'), std::string::npos);
      EXPECT_EQ(what.find(file().string()), 0U) << what;
      return what.substr(file().string().size());
    }
    return "no fault";
  }

  fs::path folder_;
};

Matrix counting(std::size_t rows, std::size_t columns) {
  Matrix matrix(rows, columns);
  float next = -1.5F;
  for (float& value : matrix.values()) value = next += 0.75F;
  return matrix;
}

std::string entry(const std::string& name, const std::string& shape, std::uint64_t begin, std::uint64_t end,
                  const std::string& type = "F32") {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, type, shape, begin,
                     end);
}

TEST_F(Safetensors, GoThereAndBack) {
  const std::vector<NamedMatrix> matrices = {{"0.weight", counting(3, 5)},
                                             {"0.bias", counting(1, 5)},
                                             {"a \"name\" in\nthe \xc3\xb6pen", counting(2, 1)},
                                             {"no rows", Matrix(0, 4)},
                                             {"no columns", Matrix(4, 0)}};
  write_safetensors(file(), matrices);
  EXPECT_EQ(read_safetensors(file()), matrices);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);

  write_safetensors(file(), {});
  EXPECT_TRUE(read_safetensors(file()).empty());
}

TEST_F(Safetensors, KeepTheFarEndsOfTheNumbers) {
  Matrix ends(1, 4);
  ends(0, 0) = std::numeric_limits<float>::max();
  ends(0, 1) = std::numeric_limits<float>::denorm_min();
  ends(0, 2) = -0.0F;
  ends(0, 3) = std::numeric_limits<float>::lowest();
  write_safetensors(file(), {{"ends", ends}});
  const std::vector<NamedMatrix> read = read_safetensors(file());
  EXPECT_EQ(std::memcmp(read[0].values.values().data(), ends.values().data(), 4 * sizeof(float)), 0);
}

// The layout of the format's own description: 8 bytes, little endian, the header, the numbers.
TEST_F(Safetensors, AreWrittenAsTheFormatSays) {
  Matrix one(1, 1);
  one(0, 0) = 1.0F;
  write_safetensors(file(), {{"x", one}});
  const std::string all = bytes();
  std::uint64_t length = 0;
  std::memcpy(&length, all.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(all.size(), 8 + length + 4);
  EXPECT_EQ(all.substr(8, 8), R"({"x":{"d)");
  EXPECT_EQ(all.substr(8 + length), std::string("\0\0\x80\x3f", 4));
}

TEST_F(Safetensors, AreReadAsOthersWriteThem) {
  write_file("{\"__metadata__\":{\"format\":\"pt\"}," + entry("row", "[3]", 4, 16) + "," +
                 entry("one", "[1,1]", 0, 4) + "}   ",
             16);
  const std::vector<NamedMatrix> read = read_safetensors(file());
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].name, "row");
  EXPECT_EQ(read[0].values, Matrix(1, 3));
  EXPECT_EQ(read[1].values, Matrix(1, 1));
}

TEST_F(Safetensors, NamesAreThereOnceAndNotEmpty) {
  EXPECT_THROW(write_safetensors(file(), {{"", Matrix(1, 1)}}), InvalidArgument);
  EXPECT_THROW(write_safetensors(file(), {{"__metadata__", Matrix(1, 1)}}), InvalidArgument);
  EXPECT_THROW(write_safetensors(file(), {{"x", Matrix(1, 1)}, {"x", Matrix(1, 1)}}), InvalidArgument);
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(Safetensors, AFileCutOffAnywhereIsRefused) {
  write_safetensors(file(), {{"a", counting(2, 3)}, {"b", counting(1, 2)}});
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(whole.substr(0, size));
    EXPECT_NE(fault(), "no fault") << size;
  }
  write_bytes(whole + "x");
  EXPECT_EQ(fault(), ": bytes behind the last array");
}

TEST_F(Safetensors, AHeaderMayNotPromiseMoreThanTheFileHolds) {
  write_bytes("\xff\xff\xff\xff\xff\xff\xff\xff{}");
  EXPECT_EQ(fault(), ": a header of 18446744073709551615 bytes (expected one that the file holds)");
  write_bytes(std::string("\x03\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(fault(), ": a header of 3 bytes (expected one that the file holds)");
  write_file("{" + entry("x", "[1,2]", 0, 8) + "}", 4);
  EXPECT_EQ(fault(), ", array x: it lies outside the file (expected offsets up to 4)");
}

// A header alone must never decide how much memory is taken: each of these would be terabytes, or a product
// that is small only after it has overflowed.
TEST_F(Safetensors, SizesAreCheckedBeforeRoomIsMade) {
  for (const char* shape : {"[1099511627776,1]", "[4294967296,4294967296]", "[4611686018427387905,4]",
                            "[9223372036854775808,2]", "[18446744073709551615]"}) {
    write_file("{" + entry("x", shape, 0, 4) + "}", 4);
    EXPECT_EQ(fault(), ", array x: its shape and its place do not fit each other") << shape;
  }
  write_file("{" + entry("x", "[4611686018427387904,1]", 0, 0) + "}", 0);
  EXPECT_EQ(fault(), ", array x: its shape and its place do not fit each other");
  write_file("{" + entry("x", "[18446744073709551616]", 0, 4) + "}", 4);
  EXPECT_EQ(fault(), ", array x: not a whole number (expected one of at least 0)");
}

TEST_F(Safetensors, PlacesNeitherOverlapNorLeaveGaps) {
  const std::string wrong = "it overlaps another array or leaves a gap";
  write_file("{" + entry("x", "[2]", 0, 8) + "," + entry("y", "[2]", 4, 12) + "}", 12);
  EXPECT_EQ(fault(), ", array y: " + wrong);
  write_file("{" + entry("x", "[1]", 0, 4) + "," + entry("y", "[1]", 0, 4) + "}", 4);
  EXPECT_NE(fault().find(wrong), std::string::npos);
  write_file("{" + entry("x", "[1]", 0, 4) + "," + entry("y", "[1]", 8, 12) + "}", 12);
  EXPECT_EQ(fault(), ", array y: " + wrong);
  write_file("{" + entry("x", "[1]", 4, 8) + "}", 8);
  EXPECT_EQ(fault(), ", array x: " + wrong);
  write_file("{" + entry("x", "[1]", 4, 0) + "}", 8);
  EXPECT_EQ(fault(), ", array x: it lies outside the file (expected offsets up to 8)");
}

TEST_F(Safetensors, OtherShapesAndTypesAreRefused) {
  write_file("{" + entry("x", "[1,1]", 0, 8, "F64") + "}", 8);
  EXPECT_EQ(fault(), ", array x: another type of number (expected F32)");
  for (const char* shape : {"[]", "[1,1,1]", "1", "null", "{\"a\":1}"}) {
    write_file("{" + entry("x", shape, 0, 4) + "}", 4);
    EXPECT_EQ(fault(), ", array x: another number of dimensions (expected 1 or 2)") << shape;
  }
  for (const char* shape : {"[-1]", "[1.0]", "[\"1\"]", "[null]"}) {
    write_file("{" + entry("x", shape, 0, 4) + "}", 4);
    EXPECT_EQ(fault(), ", array x: not a whole number (expected one of at least 0)") << shape;
  }
  write_file("{" + entry("x", "[1]", 0, 3) + "}", 3);
  EXPECT_EQ(fault(), ", array x: its shape and its place do not fit each other");
}

TEST_F(Safetensors, AHeaderThatIsNoneIsRefused) {
  write_file("{\"x\":", 0);
  EXPECT_NE(fault().find("not valid JSON"), std::string::npos);
  write_file("[1]", 0);
  EXPECT_EQ(fault(), ": the header is no object");
  for (const char* header : {"{\"x\":1}", "{\"x\":{}}", R"({"x":{"dtype":"F32","shape":[1]}})"}) {
    write_file(header, 4);
    EXPECT_EQ(fault(),
              ", array x: the header says too little of it (expected dtype, shape and data_offsets)");
  }
  write_file(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4);
  EXPECT_EQ(fault(), ", array x: no place in the file (expected two offsets)");
  write_file(std::string(200000, '['), 0);
  EXPECT_NE(fault(), "no fault");
}

TEST_F(Safetensors, NumbersAreFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Matrix matrix = counting(2, 2);
    matrix(1, 0) = bad;
    write_safetensors(file(), {{"fine", counting(1, 1)}, {"x", matrix}});
    EXPECT_EQ(fault(), ", array x: a number that is not finite");
  }
}

TEST_F(Safetensors, AMissingFileIsNamed) { EXPECT_THROW((void)read_safetensors(file()), IoError); }

}  // namespace
}  // namespace privet::tensor
