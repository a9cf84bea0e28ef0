#include "privet/learn/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/base/random.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/methods/registry.hpp"
#include "proof/scratch_folder.hpp"

namespace privet::methods {
namespace {

using privacy::testing::ScratchFolder;
namespace fs = std::filesystem;

Model sample_model() {
  Model model{.method = "mlp",
              .options = {{"layers", "2"}, {"width", "3"}, {"batch_norm", "yes"}},
              .unit = "edge",
              .features = 4,
              .class_names = {"red", "blue"},
              .classes = 2,
              .tensors = {}};
  SeededStream stream(1);
  const nn::Network network = dense_network({.layers = 2, .width = 3, .batch_norm = true}, 4, 2);
  store(network, network.initial_parameters(stream), "", model);
  return model;
}

TEST(Model, AReleasedGraphIsADataSetOfItsOwn) {
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / "released.npz";
  const auto with_edge_to = [](graph::NodeId other) {
    Model model = sample_model();
    graph::EdgeList edges;
    edges.add(0, other);
    hand_out(graph::Graph(3, std::move(edges), graph::Direction::undirected), model);
    model.released->node_names = {"ann", "bob", "cy"};
    return model;
  };
  const Model model = with_edge_to(2);
  save_model(model, "hmac-sha256:00", scratch.path());
  const graph::Dataset read = graph::read_native(file);
  EXPECT_EQ(read.graph.edges(), 1U);
  EXPECT_EQ(read.node_names, model.released->node_names);
  EXPECT_EQ(digest_of(load_model(scratch.path()).model), digest_of(model));
  // That of another model is told apart, and so is one beside a model that released none.
  const ScratchFolder other;
  save_model(with_edge_to(1), "hmac-sha256:00", other.path());
  fs::copy_file(other.path() / "released.npz", file, fs::copy_options::overwrite_existing);
  EXPECT_THROW((void)load_model(scratch.path()), DataError);
  save_model(sample_model(), "hmac-sha256:00", scratch.path());
  EXPECT_THROW((void)load_model(scratch.path()), DataError);
  // Nothing of it is left beside the next model; a link goes, and what it points to stays.
  forget_model(scratch.path());
  EXPECT_FALSE(fs::exists(file) || fs::exists(scratch.path() / "model.json"));
  fs::create_symlink(other.path() / "released.npz", file);
  forget_model(scratch.path());
  EXPECT_FALSE(fs::exists(fs::symlink_status(file)));
  EXPECT_TRUE(fs::exists(other.path() / "released.npz"));
}

// Writes the sample with one change to model.json and returns what loading says.
template <typename Change>
std::string fault_after(const Change& change) {
  const ScratchFolder scratch;
  save_model(sample_model(), "hmac-sha256:00", scratch.path());
  const fs::path file = scratch.path() / "model.json";
  Json document = read_json(file);
  change(document);
  write_text(file, to_text(document));
  try {
    (void)load_model(scratch.path());
  } catch (const DataError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find(file.string()), 0U) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
    return what.substr(file.string().size());
  }
  return "no fault";
}

TEST(Model, GoesThereAndBack) {
  const ScratchFolder scratch;
  Model model = sample_model();
  model.prepare = "standardize";
  EXPECT_NE(digest_of(model), digest_of(sample_model()));
  const fs::path folder = scratch.path() / "deep" / "model";
  save_model(model, "hmac-sha256:12ab", folder);
  const SavedModel saved = load_model(folder);
  EXPECT_EQ(saved.fingerprint, "hmac-sha256:12ab");
  EXPECT_EQ(saved.model.method, model.method);
  EXPECT_EQ(saved.model.options, model.options);
  EXPECT_EQ(saved.model.unit, model.unit);
  EXPECT_EQ(saved.model.prepare, model.prepare);
  // Models from before that was kept.
  save_model(sample_model(), "", folder);
  EXPECT_EQ(read_json(folder / "model.json").count("prepare"), 0U);
  EXPECT_FALSE(load_model(folder).model.prepare.has_value());
  save_model(model, "hmac-sha256:12ab", folder);
  EXPECT_EQ(saved.model.features, model.features);
  EXPECT_EQ(saved.model.classes, model.classes);
  EXPECT_EQ(saved.model.class_names, model.class_names);
  EXPECT_EQ(saved.model.tensors, model.tensors);
}

TEST(Model, NothingButTheTwoFilesIsWritten) {
  const ScratchFolder scratch;
  save_model(sample_model(), "", scratch.path());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(scratch.path())) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"model.json", "model.safetensors"}));
}

TEST(Model, EveryKeyIsNeeded) {
  for (const char* key :
       {"format", "method", "options", "unit", "features", "classes", "class_names", "data_fingerprint"}) {
    EXPECT_EQ(fault_after([&](Json& document) { document.erase(key); }),
              std::string(": no '") + key + "' (expected a model of Privet)");
  }
}

TEST(Model, AnEditedOneIsRefused) {
  const std::string edited =
      ": does not fit model.safetensors, or was edited (expected the two files as 'privet train' wrote them)";
  EXPECT_EQ(fault_after([](Json& d) { d["options"]["width"] = "4"; }), edited);
  EXPECT_EQ(fault_after([](Json& d) { d["method"] = "gcn"; }), edited);
  EXPECT_EQ(fault_after([](Json& d) { d["unit"] = "none"; }), edited);
  EXPECT_EQ(fault_after([](Json& d) { d["digest"] = std::string(64, '0'); }), edited);
  EXPECT_EQ(fault_after([](Json& d) { d.erase("digest"); }), "no fault");  // of before there was one
}

TEST(Model, EveryKeyHasItsType) {
  for (const char* key : {"method", "unit", "data_fingerprint"})
    EXPECT_EQ(fault_after([&](Json& d) { d[key] = 1; }), std::string(": '") + key + "' is no text");
  for (const char* key : {"format", "features", "classes"}) {
    for (const Json& wrong : {Json(-1), Json(1.5), Json("1"), Json(nullptr)}) {
      EXPECT_EQ(fault_after([&](Json& d) { d[key] = wrong; }),
                std::string(": '") + key + "' is no whole number");
    }
  }
  EXPECT_EQ(fault_after([](Json& d) { d["options"] = Json::array(); }), ": 'options' is no object");
  EXPECT_EQ(fault_after([](Json& d) { d["options"]["width"] = 3; }), ": option width is no text");
  EXPECT_EQ(fault_after([](Json& d) { d = Json::array(); }), ": no 'format' (expected a model of Privet)");
}

// Whoever prints a prediction looks its class up in the list of names.
TEST(Model, NamesAreAsManyAsClassesOrNone) {
  const auto nameless = [](Json& d) {
    d["class_names"] = Json::array();
    d.erase("digest");
  };
  EXPECT_EQ(fault_after(nameless), "no fault");
  const std::string wrong = ": 'class_names' does not fit the classes (expected none, or a list of 2 names)";
  EXPECT_EQ(fault_after([](Json& d) { d["class_names"] = {"red"}; }), wrong);
  EXPECT_EQ(fault_after([](Json& d) { d["class_names"] = {"red", "blue", "green"}; }), wrong);
  EXPECT_EQ(fault_after([](Json& d) { d["class_names"] = "re"; }), wrong);
  EXPECT_EQ(fault_after([](Json& d) { d["class_names"] = Json{{"a", "red"}, {"b", "blue"}}; }), wrong);
  EXPECT_EQ(fault_after([](Json& d) { d["class_names"] = {"red", 2}; }), ": a class name that is no text");
}

TEST(Model, AnotherFormatIsRefused) {
  EXPECT_EQ(fault_after([](Json& d) { d["format"] = 2; }),
            ": a model of format 2 (expected 1); use the Privet that wrote it, or a newer one");
}

TEST(Model, ArraysAreThereInTheirShape) {
  const Model model = sample_model();
  EXPECT_EQ(model.tensor("0.bias", 1, 3).columns(), 3U);
  EXPECT_THROW((void)model.tensor("0.bias", 3, 1), DataError);
  EXPECT_THROW((void)model.tensor("9.bias", 1, 3), DataError);
}

TEST(Model, ANetworkComesBackWhole) {
  const nn::Network network = dense_network({.layers = 2, .width = 3, .batch_norm = true}, 4, 2);
  SeededStream stream(1);
  const nn::Parameters initial = network.initial_parameters(stream);
  const nn::Parameters restored = restore(network, "", sample_model());
  EXPECT_EQ(restored.learnt, initial.learnt);
  EXPECT_EQ(restored.statistics, initial.statistics);
}

// A damaged model may describe a network of petabytes; it is refused for the arrays that it lacks, before
// there is room for them.
TEST(Model, ADescriptionDecidesNoMemory) {
  Model model = sample_model();
  const nn::Network wide = dense_network({.layers = 64, .width = 65536}, 4, 2);
  EXPECT_THROW((void)restore(wide, "", model), DataError);
  const nn::Network many = dense_network({.layers = 1}, 4, std::size_t{1} << 60);
  EXPECT_THROW((void)restore(many, "", model), DataError);
  std::erase_if(model.tensors, [](const tensor::NamedMatrix& matrix) { return matrix.name == "statistics"; });
  EXPECT_THROW((void)restore(dense_network({.layers = 2, .width = 3, .batch_norm = true}, 4, 2), "", model),
               DataError);
}

TEST(Model, ItsMethodHasItsOptions) {
  const std::unique_ptr<Method> method = method_of(sample_model());
  EXPECT_EQ(method->name(), "mlp");
  const auto options = method->current_options();
  EXPECT_TRUE(std::ranges::count(options, std::pair<std::string, std::string>("width", "3")));
  EXPECT_TRUE(std::ranges::count(options, std::pair<std::string, std::string>("batch_norm", "yes")));
  Model foreign = sample_model();
  foreign.options.emplace_back("wdith", "3");
  EXPECT_THROW((void)method_of(foreign), InvalidArgument);
  foreign.method = "mlq";
  EXPECT_THROW((void)method_of(foreign), InvalidArgument);
}

}  // namespace
}  // namespace privet::methods
