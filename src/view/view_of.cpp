#include "view/view_of.hpp"

#include <string>

#include "view/limits.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

namespace {

using Shared = std::shared_ptr<const TypePattern>;

Result<Shared> typed(MPI_Datatype type, const std::string& role) {
  auto found = pattern_of(type);
  if (!found) return fail(found.error().kind, role + ": " + found.error().message);
  const Pattern& pattern = (*found)->pattern;
  if (pattern.lower() < 0)
    return fail(ErrorKind::invalid_type,
                role + " has a negative displacement (" + std::to_string(pattern.lower()) + ")");
  if (!pattern.is_ordered())
    return fail(ErrorKind::invalid_type, role + "'s displacements decrease");
  return found;
}

Status check_filetype(const TypePattern& etype, const TypePattern& filetype) {
  if (etype.size == 0) return fail(ErrorKind::invalid_type, "etype has no bytes");
  if (filetype.size % etype.size != 0)
    return fail(ErrorKind::invalid_type, "filetype of " + std::to_string(filetype.size) +
                                             " bytes is not a whole number of etypes of " +
                                             std::to_string(etype.size) + " bytes");
  if (filetype.size > 0 && filetype.extent < 0)
    return fail(ErrorKind::invalid_type,
                "filetype has a negative extent (" + std::to_string(filetype.extent) + ")");
  return {};
}

}  // namespace

Result<FileView> view_of(std::int64_t displacement, MPI_Datatype etype, MPI_Datatype filetype) {
  if (displacement < 0 || displacement >= kOffsetLimit)
    return fail(ErrorKind::invalid_argument,
                "view displacement " + std::to_string(displacement) + " is out of range");
  const auto element = typed(etype, "etype");
  if (!element) return tl::make_unexpected(element.error());
  const auto tile = typed(filetype, "filetype");
  if (!tile) return tl::make_unexpected(tile.error());
  if (auto sound = check_filetype(**element, **tile); !sound)
    return tl::make_unexpected(sound.error());
  return make_view(displacement, (*element)->size, (*tile)->pattern, (*tile)->extent);
}

}  // namespace tutti
