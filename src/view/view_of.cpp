#include "view/view_of.hpp"

#include <string>

#include "view/limits.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

namespace {

Status check_displacements(const Pattern& pattern, const std::string& role) {
  if (pattern.lower() < 0)
    return fail(ErrorKind::invalid_type,
                role + " has a negative displacement (" + std::to_string(pattern.lower()) + ")");
  if (!pattern.is_ordered())
    return fail(ErrorKind::invalid_type, role + "'s displacements decrease");
  return {};
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

Result<FileView> view_of(std::int64_t displacement, const TypePattern& etype,
                         const TypePattern& filetype) {
  if (displacement < 0 || displacement >= kOffsetLimit)
    return fail(ErrorKind::invalid_argument,
                "view displacement " + std::to_string(displacement) + " is out of range");
  if (auto sound = check_displacements(etype.pattern, "etype"); !sound)
    return tl::make_unexpected(sound.error());
  if (auto sound = check_displacements(filetype.pattern, "filetype"); !sound)
    return tl::make_unexpected(sound.error());
  if (auto sound = check_filetype(etype, filetype); !sound)
    return tl::make_unexpected(sound.error());
  return make_view(displacement, etype.size, filetype.pattern, filetype.extent);
}

Result<FileView> view_of(std::int64_t displacement, MPI_Datatype etype, MPI_Datatype filetype) {
  const auto element = pattern_of(etype);
  if (!element) return fail(element.error().kind, "etype: " + element.error().message);
  const auto tile = pattern_of(filetype);
  if (!tile) return fail(tile.error().kind, "filetype: " + tile.error().message);
  return view_of(displacement, **element, **tile);
}

}  // namespace tutti
