// The compiled part of the Python package: the front for programs, and what hands arrays over.
#include <string>

#include <mollify/mollify.h>

#include "bindings.h"
#include "release.h"

namespace mollify::python {
/// Sentences name the command's flags, of which Python's names differ by their dashes; what has
/// another name in a spec has not in Python; and what the command alone allows is left out.
std::string with_python_names(std::string sentence) {
  struct Words {
    std::string first, last;  // what is replaced begins and ends with these
    std::string ours;
  };
  const Words only_the_commands[] = {
      {"(--data-set names one)", "", "(data_set names one)"},
      {"(mollify ledger --ledger", "(--no-total)", "(Ledger.declare)"},
      {", or say that another data set is meant (--another-data-set)", "", ""},
      {"(--replace)", "", "(replace=True)"},
      {"mollify check", "", "method.check"},
      {"mollify estimate", "", "mo.estimate"},
  };
  for (const auto& [first, last, ours] : only_the_commands) {
    const std::size_t begin = sentence.find(first);
    if (begin == std::string::npos) continue;
    const std::size_t end = sentence.find(last, begin + first.size());
    if (end != std::string::npos) sentence.replace(begin, end + last.size() - begin, ours);
  }
  const std::string in_spec = " in a spec)";
  for (std::size_t end = sentence.find(in_spec); end != std::string::npos;
       end = sentence.find(in_spec)) {
    const std::size_t begin = sentence.rfind(", ", end);
    if (begin == std::string::npos) break;
    sentence.erase(begin, end + in_spec.size() - 1 - begin);
  }
  for (const SpecPart& part : spec_parts()) {
    const std::string flag = "--" + part.name;
    for (std::size_t at = sentence.find(flag); at != std::string::npos;
         at = sentence.find(flag, at + 1)) {
      const std::size_t end = at + flag.size();
      const bool is_longer =
          end < sentence.size() && (sentence[end] == '-' || sentence[end] == '_');
      if (is_longer) continue;
      std::string name = part.name;
      for (char& letter : name) {
        if (letter == '-') letter = '_';
      }
      sentence.replace(at, flag.size(), name);
    }
  }
  return sentence;
}

NB_MODULE(_core, module) {
  // What lives on at the end, because another library holds it, is no fault to tell the user of.
  nb::set_leak_warnings(false);
  module.doc() = "mollify's library. Use the package mollify, which says what all this means.";
  module.attr("__version__") = kVersion;

  static const nb::exception<InvalidInput> invalid_input(module, "InvalidInput", PyExc_ValueError);
  // Python's own sentences quote what they were given, whole.
  nb::cpp_function_def(
      [](const nb::object& error) -> nb::object {
        const nb::tuple parts(error.attr("args"));
        if (parts.size() == 0) return nb::str("");
        const nb::object sentence = parts[0];
        std::string whole;
        if (!nb::try_cast(sentence, whole)) return nb::str(sentence);  // half of a surrogate pair
        return text(readable(whole));
      },
      nb::scope(invalid_input), nb::name("__str__"), nb::is_method());
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InvalidInput& error) {
      PyErr_SetString(invalid_input.ptr(), with_python_names(error.what()).c_str());
    }
  });

  add_domain(module);
  add_columns(module);
  add_release(module);
  add_ledger(module);
  add_sampler(module);
  add_accounting(module);
  add_distributed(module);
  add_laboratory(module);
}

}  // namespace mollify::python
