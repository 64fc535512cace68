#include "cli/help.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/names.h"
#include "base/refusal.h"
#include "cli/main.h"
#include "mollify/version.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What --help prints: at most 40 lines of 80 columns.

namespace {

constexpr std::size_t kMostLines = 40;
constexpr std::size_t kFlagWidth = 25;
constexpr char kUnbroken = '\x1f';  // a space at which no line ends
constexpr const char* kExitStatus = "0: done. 1: failed, or the answer is no. 2: refused.";

/// Flags that --help names without their meaning if it is too long otherwise, the first ones first.
constexpr std::array kRare = {"--threads",
                              "--counts-column",
                              "--another-data-set",
                              "--no-total",
                              "--questions-file",
                              "--units-column",
                              "--mean-weight",
                              "--weight-step",
                              "--invalid-weight",
                              "--greatest-weight",
                              "--weights",
                              "--gamma",
                              "--c1",
                              "--c2",
                              "--renyi",
                              "--hockey-stick",
                              "--raster-box",
                              "--raster",
                              "--channel",
                              "--print-spec",
                              "--paper-variance",
                              "--fresh",
                              "--cells",
                              "--candidates-file",
                              "--mu",
                              "--accept-large-delta",
                              "--accept-error",
                              "--region",
                              "--mean-bound",
                              "--overwrite",
                              "--json",
                              "--data-set",
                              "--candidates",
                              "--band",
                              "--score",
                              "--curve",
                              "--strong",
                              "--certificate",
                              "--space"};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A flag's help: its first line is a fragment, the others are sentences for the manual.
std::string whole_help(const std::string& help) {
  const std::string first = first_line(help);
  return first.size() == help.size() ? help : first + ". " + help.substr(first.size() + 1);
}

/// "--epsilon NUMBER".
std::string flag_and_value(const CLI::Option& option) {
  std::string text = option.get_name(false, true);
  if (text == "-h,--help") return "--help";
  if (option.get_expected_max() > 0 && option.get_type_size_max() > 0)
    text += " " + option.get_type_name();
  return text;
}

std::string option_lines(const CLI::Option& option) {
  const std::string left = "  " + flag_and_value(option);
  const std::string help = wrapped(first_line(option.get_description()), kLineWidth - kFlagWidth);
  std::string made = left;
  made.resize(std::max(kFlagWidth, left.size() + 1), ' ');
  bool first = left.size() < kFlagWidth;
  if (!first) made = left + "\n";
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = help.find('\n', begin);
    if (!first) made += std::string(kFlagWidth, ' ');
    first = false;
    made += help.substr(begin, end + 1 - begin);
    begin = end + 1;
  }
  return made;
}

class HelpFormatter final : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(const Session& session) : session_(session) {}

  std::string make_help(const CLI::App* app, std::string /*before*/,
                        CLI::AppFormatMode /*mode*/) const override {
    std::vector<std::string_view> left_out;
    std::string text = help(*app, left_out);
    const auto is_long = [&] {
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) > kMostLines;
    };
    for (std::size_t i = 0; i < kRare.size() && is_long(); ++i) {
      const CLI::Option* option = app->get_option_no_throw(kRare[i]);
      if (option == nullptr || option->get_group().empty()) continue;
      left_out.push_back(kRare[i]);
      text = help(*app, left_out);
    }
    return text;
  }

 private:
  [[nodiscard]] std::string help(const CLI::App& app,
                                 const std::vector<std::string_view>& left_out) const {
    const bool whole = app.get_parent() == nullptr;
    const std::string& name = app.get_name();
    std::string usage = whole ? "mollify COMMAND [FLAGS]" : "mollify " + name;
    if (!whole && has_method(name)) {
      usage += session_.method ? fmt::format(" {}", name_of(*session_.method)) : " METHOD";
    }
    if (!whole) usage += " [FLAGS]";
    // The title and the first paragraph; others are in the manual.
    const std::string description = app.get_description();
    const std::size_t end = description.find("\n\n", description.find("\n\n") + 2);
    std::string text = wrapped(description.substr(0, end), kLineWidth);
    text += fmt::format("\nUsage: {}\n", usage);
    if (whole) {
      text += "\nCommands:\n";
      for (const CLI::App* command : app.get_subcommands({})) {
        text += wrapped(
            fmt::format("  {:<11} {}", command->get_name(), first_line(command->get_description())),
            kLineWidth, 12);
      }
    }
    for (const std::string& group : app.get_groups()) {
      if (group.empty()) continue;
      std::string lines;
      for (const CLI::Option* option : app.get_options()) {
        const bool is_left_out =
            std::find(left_out.begin(), left_out.end(), option->get_name()) != left_out.end();
        if (option->get_group() == group && !is_left_out) lines += option_lines(*option);
      }
      // CLI11 called the flags without a group "Options", and calls them "OPTIONS" by 2.6.
      const std::string title = group == "OPTIONS" ? "Options" : group;
      if (!lines.empty()) text += fmt::format("\n{}:\n{}", title, lines);
    }
    if (!left_out.empty()) {
      std::string flags = "  ";
      for (const std::string_view flag : left_out) {
        std::string one = flag_and_value(*app.get_option(std::string(flag)));
        std::replace(one.begin(), one.end(), ' ', kUnbroken);
        flags += fmt::format("{}{}", flags == "  " ? "" : ", ", one);
      }
      text += "\nMore flags:\n" + wrapped(flags, kLineWidth);
      std::replace(text.begin(), text.end(), kUnbroken, ' ');
    }
    return text +
           (whole ? fmt::format("\nmollify COMMAND --help lists the flags of a command. "
                                "Exit status:\n{}\n",
                                kExitStatus)
                  : fmt::format("\nEvery flag explained: mollify --manual {} | man -l -\n", name));
  }

  const Session& session_;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter(const Session& session) {
  return std::make_shared<HelpFormatter>(session);
}

// -----------------------------------------------------------------------------------------------
// What shells and manuals want to know of the command, made from its help.

namespace {

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

/// Completes flags after a dash, else files. zsh takes it by its own emulation.
std::string bash_script(const CLI::App& app) {
  std::string names;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += command->get_name() + " ";
    std::string flags;
    for (const std::string& flag : flags_of(*command)) flags += flag + " ";
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", command->get_name(), flags);
  }
  return fmt::format(
      "_mollify() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" flags=\"--help --version\"\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}"
      "  esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}$flags\" -- \"$word\"))\n"
      "  elif [ \"${{word#-}}\" != \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _mollify mollify\n",
      cases, names);
}

/// In single quotes, as fish reads them.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return "'" + safe + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string script;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string& name = command->get_name();
    script += fmt::format("complete -c mollify -n __fish_use_subcommand -a {} -d {}\n", name,
                          quoted(first_line(command->get_description())));
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& flag : option->get_lnames()) {
        script +=
            fmt::format("complete -c mollify -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n",
                        name, flag, option->get_expected_max() > 0 ? " -r" : "",
                        quoted(first_line(option->get_description())));
      }
    }
  }
  return script;
}

/// A line that roff takes for text: no request begins it, and no backslash or dash means more.
std::string roff(const std::string& text) {
  std::string safe;
  bool begins = true;
  for (const char letter : text) {
    if (begins && (letter == '.' || letter == '\'')) safe += "\\&";
    if (letter == '\\') {
      safe += "\\e";
    } else if (letter == '-') {
      safe += "\\-";
    } else {
      safe += letter;
    }
    begins = letter == '\n';
  }
  return safe;
}

std::string head(const std::string& title, const std::string& name, const std::string& summary,
                 const std::string& synopsis) {
  return fmt::format(".TH {} 1 \"\" \"mollify {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n",
                     title, kVersion, name, roff(summary), roff(synopsis));
}

std::string page_of(const CLI::App& command) {
  const std::string& name = command.get_name();
  const std::string& description = command.get_description();
  std::string page = head("MOLLIFY-" + name, "mollify-" + name, first_line(description),
                          "mollify " + name + " [OPTIONS]");
  if (description.size() > first_line(description).size()) {
    page += fmt::format(
        ".SH DESCRIPTION\n.nf\n{}.fi\n",
        roff(wrapped(description.substr(first_line(description).size() + 2), kLineWidth - 8)));
  }
  page += ".SH OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_expected_max() > 0 ? " " + option->get_type_name() : "";
    page += fmt::format(".TP\n.B {}{}\n{}\n", roff(option->get_name()), roff(type),
                        roff(whole_help(option->get_description())));
  }
  return page + ".SH SEE ALSO\n.BR mollify (1)\n";
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(app);
  if (shell == "fish") return fish_script(app);
  refuse_name("completion", shell, std::vector<std::string>{"bash", "zsh", "fish"});
}

std::string manual_page(const CLI::App& app, const std::string& name) {
  if (name == "mollify") {
    std::string page =
        head("MOLLIFY", "mollify", first_line(app.get_description()), "mollify COMMAND [OPTIONS]") +
        ".SH COMMANDS\n";
    for (const CLI::App* command : app.get_subcommands({})) {
      page += fmt::format(".TP\n.BR mollify\\-{} (1)\n{}\n", command->get_name(),
                          roff(first_line(command->get_description())));
    }
    return page + fmt::format(".SH EXIT STATUS\n{}\n", kExitStatus);
  }
  std::vector<std::string> known = {"mollify"};
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return page_of(*command);
    known.push_back(command->get_name());
  }
  refuse_input("unknown-command", "manual", ways_to_mean("manual", name, known),
               "there is no command \"{}\" to print the manual of{}", name,
               did_you_mean(name, known));
}

}  // namespace mollify::cli
