// Writes a few tiny files of every format into the folder given, one folder per fuzz target.
#include <cstdio>
#include <filesystem>

#include "graph/io/archives.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/tensor/safetensors.hpp"

namespace {

using privet::graph::testing::array;
using privet::graph::testing::gzipped;
using privet::graph::testing::raw_npy;
using privet::graph::testing::zip;
using privet::graph::testing::ZipMember;
namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// As archives, and as the members alone (see as_archive in fuzz.hpp): a fuzzer changes bytes, and deflate and
// CRC hide them.
void write_both(const fs::path& folder, const std::string& name, const std::vector<ZipMember>& members) {
  write(folder / (name + "_deflated.npz"), zip(members));
  std::string plain;
  for (const ZipMember& member : members) {
    plain += member.name.substr(0, member.name.size() - 4) + "\xff\n" + member.bytes + "\xff\n";
  }
  write(folder / (name + "_members"), plain);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER\n");
    return 2;
  }
  const fs::path root = argv[1];
  write_both(root / "native", "dense",
             {array<std::int64_t>("num_nodes", {3}), array<std::int32_t>("edges", {0, 1, 1, 2}, {2, 2}),
              array<float>("features", {1, 2, 3, 4, 5, 6}, {3, 2}), array<std::int32_t>("labels", {0, 1, -1}),
              array<std::int64_t>("num_classes", {2}), array<std::uint8_t>("train_mask_0", {1, 0, 0}),
              array<std::uint8_t>("val_mask_0", {0, 1, 0}), array<std::uint8_t>("test_mask_0", {0, 0, 1})});
  write_both(root / "native", "sparse",
             {array<std::int64_t>("num_nodes", {2}), array<std::int32_t>("edges", {0, 1}, {1, 2}),
              array<std::int32_t>("edges_directed", {1, 0, 0, 0}, {2, 2}),
              array<std::int64_t>("feat_indptr", {0, 1, 2}), array<std::int32_t>("feat_indices", {0, 2}),
              array<std::int64_t>("feat_shape", {2, 3}), array<float>("feat_data", {1, 0.5F}),
              array<std::int64_t>("node_name_offsets", {0, 1, 3}),
              array<std::uint8_t>("node_name_bytes", {97, 98, 99})});
  write_both(root / "scipy_npz", "csr",
             {array<std::int32_t>("indices", {1, 2, 0}),
              array<std::int32_t>("indptr", {0, 1, 2, 3}),
              {.name = "format.npy",
               .bytes = raw_npy("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", "csr")},
              array<std::int64_t>("shape", {3, 3}),
              array<double>("data", {1, 0, 2})});
  write_both(root / "benchmark_npz", "amazon",
             {array<float>("adj_data", {1, 1}), array<std::int32_t>("adj_indices", {1, 0}),
              array<std::int32_t>("adj_indptr", {0, 1, 2}), array<std::int64_t>("adj_shape", {2, 2}),
              array<float>("attr_data", {1, 1}), array<std::int32_t>("attr_indices", {2, 0}),
              array<std::int32_t>("attr_indptr", {0, 2, 2}), array<std::int64_t>("attr_shape", {2, 3}),
              array<std::int64_t>("labels", {1, 0})});
  write_both(
      root / "plain_npz", "planetoid",
      {array<double>("x", {1, 2, 3}, {3, 1}), array<std::int64_t>("y", {0, 1, 1}),
       array<std::int64_t>("edge_index", {0, 1, 1, 2}, {2, 2}), array<std::uint8_t>("train_mask", {1, 0, 0}),
       array<std::uint8_t>("val_mask", {0, 1, 0}), array<std::uint8_t>("test_mask", {0, 0, 1})});
  write(root / "matrix_market/pattern.mtx",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
  write(root / "matrix_market/real.mtx",
        "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n2 1 0.5\n3 2 0\n");
  write(root / "matrix_market/gzip.mtx",
        gzipped("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1\n"));
  write(root / "edge_list/numbers", std::string(1, '\0') + "0,1\n1,2,0.5\n# c\n5,3\r\n");
  write(root / "edge_list/names", std::string(1, '\0') + "source\ttarget\nann\t\"b \"\"o\"\" b\"\n7\tann\n");
  write(root / "edge_list/gzip", std::string(1, '\0') + gzipped("0 1\n1 2\n"));
  write(root / "edge_list/tables",
        "\x07"
        "a,b\n\xff\na,red\nb,\n\xff\na,1,2\nb,3,4e-1\n\xff\nid\nb\na\n");
  write(root / "edge_list/rows",
        "\x0b"
        "0 1\n\xff\n1\n0\n\xff\n1 2\n3 4\n");
  write(root / "edge_list/indices",
        "\x38"
        "0 99\n5 7\n");
  write(root / "ogb/tiny",
        "0,1\n1,2\n\xff\n3\n\xff\n0\nnan\n1.0\n\xff\n1,2\n3,4\n5,6\n\xff\n0\n\xff\n1\n\xff\n2\n");
  fs::create_directories(root / "safetensors");
  privet::tensor::write_safetensors(root / "safetensors/network", {{"0.weight", privet::tensor::Matrix(2, 3)},
                                                                   {"0.bias", privet::tensor::Matrix(1, 3)}});
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  write(root / "safetensors/metadata",
        std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "12345678");
  return 0;
}
