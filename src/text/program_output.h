// What programs of other users printed, made safe for a terminal as it comes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// As printable(), but newlines and tabs stay.
std::string printable_output(std::string_view text);
// How many bytes of the text are whole characters: where it was cut inside one, the rest of that
// comes with the next piece.
std::size_t whole_characters(std::string_view text);

}  // namespace sluice
