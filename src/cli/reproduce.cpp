// mollify reproduce: the sources' figures and tables. NOT PRIVATE.
#include <chrono>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/names.h"
#include "cli/main.h"
#include "cli/progress.h"
#include "core/invalid_input.h"
#include "laboratory/figure/figure.h"
#include "laboratory/reproduction/reproduction.h"

namespace mollify::cli {

namespace {

constexpr const char* kReproductionNotice =
    "NOT PRIVATE: everything here starts from distributions that are known, or compares with a "
    "baseline; what is random comes from a seed";

struct ReproduceOptions {
  std::vector<std::string> figures;
  std::optional<std::string> out;
  std::optional<std::uint64_t> seed;
  bool quick = false;
  bool list = false;
  bool json = false;
};

std::vector<Reproduction> chosen_figures(const std::vector<std::string>& ids) {
  std::vector<Reproduction> chosen;
  for (const std::string& id : ids) {
    bool found = false;
    for (const Reproduction& reproduction : reproductions()) {
      // park stands for park-1 and all others of that source.
      const bool is_meant =
          reproduction.id == id ||
          (reproduction.id.starts_with(id) && reproduction.id.substr(id.size()).starts_with('-'));
      if (!is_meant) continue;
      found = true;
      chosen.push_back(reproduction);
    }
    if (!found) {
      std::vector<std::string> known;
      for (const Reproduction& one : reproductions()) known.emplace_back(one.id);
      throw InvalidInput(fmt::format("there is no figure \"{}\"{}; see mollify reproduce --list",
                                     id, did_you_mean(id, known)));
    }
  }
  if (ids.empty()) chosen.assign(reproductions().begin(), reproductions().end());
  return chosen;
}

void print_list(bool json) {
  Json list = Json::array();
  for (const Reproduction& reproduction : reproductions()) {
    if (json) {
      list.push_back({{"figure", reproduction.id},
                      {"source", reproduction.source},
                      {"title", reproduction.title}});
    } else {
      fmt::print("{:<26} {} ({})\n", reproduction.id, reproduction.title, reproduction.source);
    }
  }
  if (json) print_json(list);
}

Json optional_json(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json figure_json(const Figure& figure, double seconds) {
  Json comparisons = Json::array();
  for (const PublishedNumber& row : figure.comparisons) {
    comparisons.push_back({{"what", row.what},
                           {"published", optional_json(row.published)},
                           {"expected", optional_json(row.expected)},
                           {"ours", optional_json(row.ours)},
                           {"spread", optional_json(row.spread)},
                           {"why", row.why}});
  }
  Json rows = Json::array();
  for (const auto& row : figure.table.rows) rows.push_back(row);
  Json files = Json::array();
  for (const FigureFile& file : files_of(figure)) files.push_back(file.name);
  return {{"figure", figure.id},
          {"source", figure.source},
          {"title", figure.title},
          {"seconds", seconds},
          {"files", files},
          {"comparisons", comparisons},
          {"columns", figure.table.columns},
          {"rows", rows}};
}

int run(const ReproduceOptions& options) {
  if (options.list) {
    print_list(options.json);
    return kSuccess;
  }
  const std::vector<Reproduction> chosen = chosen_figures(options.figures);
  const std::filesystem::path folder = options.out.value_or("figures");
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed || !std::filesystem::is_directory(folder)) {
    throw InvalidInput(
        fmt::format("--out must be a folder that can be made, but is \"{}\"", folder.string()));
  }
  const std::string index = (folder / "index.html").string();
  require_writable(index);
  if (!options.json) fmt::print("{}\n", kReproductionNotice);
  std::string page_notice = kReproductionNotice;
  if (options.quick) {
    page_notice += ". Computed with --quick: fewer samples, cells and steps than the texts tell of";
  }
  std::vector<Figure> figures;
  Json list = Json::array();
  Progress progress("figures", chosen.size());
  for (const Reproduction& reproduction : chosen) {
    const auto begin = std::chrono::steady_clock::now();
    ReproductionOptions how{.quick = options.quick, .seed = options.seed.value_or(2026)};
    how.progress = [&](const std::string& part) {
      progress.reached(figures.size() + 1, fmt::format("{}: {}", reproduction.id, part));
    };
    figures.push_back(reproduced(reproduction, how));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::vector<OutputFile> files;
    for (const FigureFile& file : files_of(figures.back())) {
      files.push_back({(folder / file.name).string(), file.text});
    }
    // The page grows with each figure, so that an interrupted run leaves what is done.
    files.push_back({index, figure_page(figures, page_notice, words_of_reproductions())});
    write_files(files);
    progress.finish();
    if (options.json) {
      list.push_back(figure_json(figures.back(), seconds));
    } else {
      fmt::print("{:<26} {:>7.1f} s  {} ({})\n", reproduction.id, seconds, reproduction.title,
                 reproduction.source);
      flush_output();
    }
  }
  if (options.json) {
    print_json({{"notice", kReproductionNotice},
                {"quick", options.quick},
                {"seed", options.seed.value_or(2026)},
                {"index", index},
                {"figures", list}});
  } else {
    fmt::print("{}\n", index);
  }
  return kSuccess;
}

}  // namespace

void add_reproduce(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "reproduce",
      "Draw the sources' figures and tables, with published and expected numbers beside ours\n\n"
      "For each figure the numbers as CSV and a picture as SVG, and one page, index.html, with "
      "all\n"
      "of them. Some minutes for everything. NOT PRIVATE.");
  const auto options = std::make_shared<ReproduceOptions>();
  command
      .add_option("figures", options->figures,
                  "which figures, by the names that --list prints or their beginnings, as park "
                  "(default: all)")
      ->type_name("FIGURE");
  add_text(command, "--out", options->out, "FOLDER", "where the files go (default: figures)");
  add_whole_number(command, "--seed", options->seed,
                   "settles samples and learning (default: 2026)");
  command.add_flag("--quick", options->quick,
                   "coarser and with less learning: seconds for everything, to try it");
  command.add_flag("--list", options->list, "print the names of all figures");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
