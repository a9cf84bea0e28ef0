#include "privet/learn/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/base/sha256.hpp"
#include "privet/base/version.hpp"
#include "privet/graph/io/native.hpp"

namespace privet::methods {
namespace {

constexpr std::uint64_t kFormat = 1;

const Json& member(const Json& document, const char* key, const std::string& where) {
  if (!document.is_object() || !document.contains(key))
    throw DataError({.what = fmt::format("no '{}'", key), .where = where, .expected = "a model of Privet"});
  return document[key];
}

std::string text(const Json& document, const char* key, const std::string& where) {
  const Json& value = member(document, key, where);
  if (!value.is_string()) throw DataError({.what = fmt::format("'{}' is no text", key), .where = where});
  return value.get<std::string>();
}

std::size_t count(const Json& document, const char* key, const std::string& where) {
  const Json& value = member(document, key, where);
  if (!value.is_number_unsigned())
    throw DataError({.what = fmt::format("'{}' is no whole number", key), .where = where});
  return value.get<std::size_t>();
}

constexpr const char* kReleased = "released.npz";

std::string digest_of_file(const std::filesystem::path& path) {
  InputFile file(path);
  Sha256 digest;
  std::vector<char> room(std::size_t{1} << 16);
  while (const std::size_t count = file.read(room))
    digest.update(std::as_bytes(std::span(room).first(count)));
  return to_hex(digest.finish());
}

}  // namespace

const tensor::Matrix& Model::tensor(const std::string& name, std::size_t rows, std::size_t columns) const {
  for (const tensor::NamedMatrix& matrix : tensors) {
    if (matrix.name != name) continue;
    if (matrix.values.rows() != rows || matrix.values.columns() != columns) {
      throw DataError(
          {.what = fmt::format("array {} is {} x {}", name, matrix.values.rows(), matrix.values.columns()),
           .where = fmt::format("model of {}", method),
           .expected = fmt::format("{} x {}", rows, columns)});
    }
    return matrix.values;
  }
  throw DataError({.what = fmt::format("no array {}", name), .where = fmt::format("model of {}", method)});
}

void hand_out(graph::Graph released, Model& model) {
  model.released.emplace();
  model.released->name = "released";
  model.released->graph = std::move(released);
}

std::string digest_of(const Model& model) {
  Sha256 digest;
  const auto add = [&](const std::string& text) { digest.update(std::uint64_t{text.size()}).update(text); };
  add(model.method);
  add(model.unit);
  if (model.prepare && !model.prepare->empty()) add(*model.prepare);
  auto options = model.options;
  std::ranges::sort(options);
  for (const auto& [name, value] : options) {
    add(name);
    add(value);
  }
  for (const std::string& name : model.class_names) add(name);
  digest.update(std::uint64_t{model.features}).update(std::uint64_t{model.classes});
  std::vector<const tensor::NamedMatrix*> tensors;
  for (const tensor::NamedMatrix& named : model.tensors) tensors.push_back(&named);
  std::ranges::sort(tensors, {}, &tensor::NamedMatrix::name);
  for (const tensor::NamedMatrix* named : tensors) {
    add(named->name);
    digest.update(std::uint64_t{named->values.rows()}).update(std::uint64_t{named->values.columns()});
    digest.update(std::as_bytes(named->values.values()));
  }
  return to_hex(digest.finish());
}

void forget_model(const std::filesystem::path& folder) {
  for (const char* name : {"model.json", kReleased}) {
    std::error_code error;
    std::filesystem::remove(folder / name, error);
    if (error) throw IoError({.what = "can't be removed", .where = (folder / name).string()});
  }
}

void save_model(const Model& model, const std::string& fingerprint, const std::filesystem::path& folder,
                const std::string& certificate) {
  make_folder(folder);
  if (model.released) graph::write_native_file(*model.released, folder / kReleased);
  tensor::write_safetensors(folder / "model.safetensors", model.tensors);
  Json options = Json::object();
  for (const auto& [name, value] : model.options) options[name] = value;
  Json document = {{"format", kFormat},
                   {"method", model.method},
                   {"options", options},
                   {"unit", model.unit},
                   {"features", model.features},
                   {"classes", model.classes},
                   {"class_names", model.class_names},
                   {"data_fingerprint", fingerprint},
                   {"certificate_digest", certificate},
                   {"digest", digest_of(model)},
                   {"released_digest", model.released ? digest_of_file(folder / kReleased) : ""},
                   {"privet_version", version()}};
  if (model.prepare) document["prepare"] = *model.prepare;
  write_text(folder / "model.json", to_text(document));
}

SavedModel load_model(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "model.json";
  const std::string where = file.string();
  const Json document = read_json(file);
  const std::size_t format = count(document, "format", where);
  if (format != kFormat) {
    throw DataError({.what = fmt::format("a model of format {}", format),
                     .where = where,
                     .expected = fmt::format("{}", kFormat),
                     .remedy = "use the Privet that wrote it, or a newer one"});
  }
  SavedModel saved;
  saved.model.method = text(document, "method", where);
  saved.model.unit = text(document, "unit", where);
  if (document.contains("prepare")) saved.model.prepare = text(document, "prepare", where);
  saved.model.features = count(document, "features", where);
  saved.model.classes = count(document, "classes", where);
  const Json& class_names = member(document, "class_names", where);
  if (!class_names.is_array() || (!class_names.empty() && class_names.size() != saved.model.classes)) {
    throw DataError({.what = "'class_names' does not fit the classes",
                     .where = where,
                     .expected = fmt::format("none, or a list of {} names", saved.model.classes)});
  }
  for (const Json& name : class_names) {
    if (!name.is_string()) throw DataError({.what = "a class name that is no text", .where = where});
    saved.model.class_names.push_back(name.get<std::string>());
  }
  const Json& options = member(document, "options", where);
  if (!options.is_object()) throw DataError({.what = "'options' is no object", .where = where});
  for (const auto& [name, value] : options.items()) {
    if (!value.is_string())
      throw DataError({.what = fmt::format("option {} is no text", name), .where = where});
    saved.model.options.emplace_back(name, value.get<std::string>());
  }
  saved.fingerprint = text(document, "data_fingerprint", where);
  saved.model.tensors = tensor::read_safetensors(folder / "model.safetensors");
  if (document.contains("certificate_digest"))
    saved.certificate = text(document, "certificate_digest", where);
  if (document.contains("digest") && text(document, "digest", where) != digest_of(saved.model)) {
    throw DataError({.what = "does not fit model.safetensors, or was edited",
                     .where = where,
                     .expected = "the two files as 'privet train' wrote them"});
  }
  const std::filesystem::path released = folder / kReleased;
  std::error_code unknown;
  const std::string known =
      document.contains("released_digest") ? text(document, "released_digest", where) : "";
  if (std::filesystem::exists(released, unknown) && digest_of_file(released) != known) {
    throw DataError({.what = "is not the graph that was released with the model beside it",
                     .where = released.string(),
                     .expected = "the folder as 'privet train' wrote it"});
  }
  return saved;
}

}  // namespace privet::methods
