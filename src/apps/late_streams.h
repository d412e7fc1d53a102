// std::cin, std::cout and their like, made by whoever uses them rather than before main().
//
// Every object of a library that includes <iostream> makes them at the start: eight streams, a
// locale and its facets, a tenth of the time that `sluice submit` takes. So the release build wraps
// that constructor (cmake/quick_start.cmake): before allow_streams() it does nothing. Who needs a
// stream afterwards says so, as the standard has it: static const std::ios_base::Init streams;
#pragma once

namespace sluice {

void allow_streams();

}  // namespace sluice
