#include "privet/cli/report_command.hpp"

#include <fmt/format.h>

#include <memory>

#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/cli/epsilon_of.hpp"
#include "privet/report/page.hpp"

namespace privet::cli {
namespace {

struct Options {
  std::string folder;
  std::optional<std::string> out;
  std::optional<std::string> title;
  bool json = false;
};

std::filesystem::path usual_file(const std::filesystem::path& folder) { return folder / "report.html"; }

void report(const Options& options) {
  const report::Page page =
      report::report_page(report::read_folder(options.folder, epsilon_of), options.title);
  const std::filesystem::path file =
      options.out ? std::filesystem::path(*options.out) : usual_file(options.folder);
  if (file.has_parent_path()) make_folder(file.parent_path());
  write_text(file, page.html);
  if (options.json) {
    Json sections = Json::array();
    for (const report::PageEntry& entry : page.sections)
      sections.push_back({{"id", entry.id}, {"title", entry.title}});
    fmt::print("{}", to_text(Json{{"report", file.string()}, {"sections", sections}}));
    return;
  }
  fmt::print("wrote {}\n", file.string());
}

}  // namespace

std::filesystem::path write_report(const std::filesystem::path& folder,
                                   const std::optional<std::string>& title) {
  const std::filesystem::path file = usual_file(folder);
  write_text(file, report::report_page(report::read_folder(folder, epsilon_of), title).html);
  return file;
}

void declare_report_command(Command& root) {
  auto options = std::make_shared<Options>();
  Command& command =
      root.command("report", "makes one HTML page of the results, certificates and audits in a folder");
  command.positional("DIR", options->folder,
                     "folder of compare, train or audit --out, or one that has such folders in it");
  command.option("--out", options->out, "the page (default DIR/report.html)");
  command.option("--title", options->title, "heading of the page (default: the names of the data sets)");
  command.flag("--json", options->json, "one JSON document on stdout: where the page is and what is on it");
  command.example("privet report results");
  command.example("privet report demo --title 'Pilot study' --out demo/report.html");
  command.action([options] { report(*options); });
}

}  // namespace privet::cli
