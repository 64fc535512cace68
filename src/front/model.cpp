#include "mollify/model.h"

#include <utility>
#include <vector>

#include "front/domain.h"
#include "front/entropy.h"
#include "front/release.h"
#include "io/model_file.h"
#include "io/text_file.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/whole_text.h"
#include "records/record_writer.h"

namespace mollify::front {

class Model::Inside {
 public:
  Inside(std::string read, const std::string& name)
      : text(std::move(read)), file(inside::parse_model_file(text, name)) {}
  std::string text;
  inside::ModelFile file;
};

Model Model::parse(std::string_view text, const std::string& name) {
  return Model(std::make_shared<const Inside>(std::string(text), name));
}

Model Model::read(const std::string& path) { return parse(inside::read_text_file(path), path); }

const std::string& Model::text() const noexcept { return inside_->text; }
Domain Model::domain() const { return outward(inside_->file.domain); }

void generate(const Model& model, std::uint64_t count, const GivenValues& given, const Sink& sink) {
  inside::require_between("count", count, 1, inside::kMostGenerated);
  const inside::ModelFile& file = model.inside().file;
  std::vector<inside::Evidence> evidence;
  evidence.reserve(given.size());
  for (const auto& [column, value] : given) {
    inside::require_without_nul("given", column);
    inside::require_without_nul("given", value);
    evidence.push_back(inside::evidence_of(file.domain, column, value));
  }
  inside::RecordWriter writer(file.domain, sink.inside());
  inside::write_rows(file.model, count, evidence, entropy(), writer);
  writer.finish();
}

}  // namespace mollify::front
