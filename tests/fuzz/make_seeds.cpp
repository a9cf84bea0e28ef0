// Writes a few tiny files of every format into the folder given, one folder per fuzz target.
#include <cstdio>
#include <filesystem>

#include "graph/io/archives.hpp"
#include "privet/core/memberships.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/reports/query_message.hpp"
#include "privet/reports/report.hpp"
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

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the program writes and reads again, from the kept files.
void write_documents(const fs::path& root) {
  const fs::path fixtures = fs::path(PRIVET_SOURCE_DIR) / "tests/fixtures";
  for (const auto& file : fs::recursive_directory_iterator(fixtures)) {
    const std::string name = file.path().filename().string();
    const std::string owner = file.path().parent_path().filename().string();
    if (name.starts_with("certificate") && name.ends_with(".json"))
      write(root / "certificate" / (owner + name), bytes_of(file.path()));
    if (name == "result.json") write(root / "results" / owner, bytes_of(file.path()));
    if (name == "model.json")
      write(root / "model" / owner,
            bytes_of(file.path()) + "\xff\n" + bytes_of(file.path().parent_path() / "model.safetensors"));
    if (name.ends_with(".sqlite") || name.ends_with(".ledger"))
      write(root / "ledger" / name, bytes_of(file.path()));
    if (name == "audit.json") write(root / "audit/audit", bytes_of(file.path()));
    if (name == "attacks.json") write(root / "audit/attacks", "a" + bytes_of(file.path()));
  }
  for (const auto& file : fs::directory_iterator(fs::path(PRIVET_SOURCE_DIR) / "experiments")) {
    if (file.path().extension() == ".toml" && file.file_size() < 4096)
      write(root / "configuration" / file.path().stem(), bytes_of(file.path()));
  }
  write(root / "configuration/one",
        "method = \"gap\"\ndata = \"x\"\nunit = \"edge\"\nepsilon = 1\n[options]\nhops = 2\n");
  write(root / "configuration/letter", "\xc3\xa9 = 1\n");  // once undefined behaviour
  write(root / "configuration/plan",
        "p[[mechanism]]\nkind = \"gaussian\"\nsensitivity = 1.5\nstddev = 6.0\n\n[[mechanism]]\nkind = "
        "\"subsampled-gaussian\"\nrate = 0.01\nsteps = 10\nweight = 2.0\n");
  const char* const units[] = {"edge", "node:20:add-remove", "k-neighbor:3", "record:replace", "local-edge"};
  for (const char* unit : units) write(root / "options" / unit, std::string(1, '\0') + unit);
  write(root / "options/prepare", "\x01min-class=10,classes=a+b,drop-isolated,row-normalize");
  write(root / "options/width", "\x05width=32");
  write(root / "options/learning_rate", "\x0clearning_rate=1e-2");
}

// Messages of local collections.
void write_messages(const fs::path& root) {
  using namespace privet::privacy;
  const auto text = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  LocalQuery query{.nodes = 40, .bits_epsilon = 1, .degrees_epsilon = 1, .pair_key = 7};
  std::vector<std::int32_t> groups(query.nodes);
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<std::int32_t>(i % 3);
  query.clusters = 3;
  query.memberships = hard_memberships(groups, 3);
  write(root / "query/hard", text(encode(query)));
  query.ranks.assign(query.nodes, 1);
  write(root / "query/ranks", text(encode(query)));
  LocalReport report{.own = 3, .query = digest(query), .degrees = {100, -5, 0}, .ones = {}};
  write(root / "report_message/quiet", std::string(1, '\1') + text(encode(report)));
  report.ones = {1, 7, 20, 39};
  write(root / "report_message/ones", std::string(1, '\1') + text(encode(report)));
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
  write_documents(root);
  write_messages(root);
  return 0;
}
