#include "completion.h"

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "mollify/version.h"

namespace mollify::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
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
    page += fmt::format(".SH DESCRIPTION\n.nf\n{}\n.fi\n",
                        roff(description.substr(first_line(description).size() + 2)));
  }
  page += ".SH OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_expected_max() > 0 ? " " + option->get_type_name() : "";
    page += fmt::format(".TP\n.B {}{}\n{}\n", roff(option->get_name()), roff(type),
                        roff(option->get_description()));
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
    return page + fmt::format(".SH EXIT STATUS\n{}\n", roff(app.get_footer()));
  }
  std::vector<std::string> known = {"mollify"};
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return page_of(*command);
    known.push_back(command->get_name());
  }
  throw InvalidInput(fmt::format("there is no command \"{}\" to print the manual of{}", name,
                                 did_you_mean(name, known)));
}

}  // namespace mollify::cli
