// libm, loaded when a function of it is called first.
//
// Nothing that answers a person needs more of it than SQLite's SQL functions and the decay of
// usage, but a library that is linked is found, mapped and bound before main(), which is a
// twentieth of the time that `sluice submit` takes. A function that is missing here is no harm:
// libm is linked then.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

void* find(const char* name) {
  static void* const libm = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  void* const function = libm != nullptr ? dlsym(libm, name) : nullptr;
  if (function == nullptr) {
    std::fprintf(stderr, "sluice: libm.so.6 cannot be used: %s\n", dlerror());
    std::abort();
  }
  return function;
}

}  // namespace

#define SLUICE_FORWARD(result, name, parameters, arguments)                           \
  extern "C" result name parameters noexcept;                                         \
  extern "C" result name parameters noexcept {                                        \
    static const auto function = reinterpret_cast<result(*) parameters>(find(#name)); \
    return function arguments;                                                        \
  }
#define SLUICE_OF_ONE(name) SLUICE_FORWARD(double, name, (double x), (x))
#define SLUICE_OF_TWO(name) SLUICE_FORWARD(double, name, (double x, double y), (x, y))

SLUICE_OF_ONE(acos)
SLUICE_OF_ONE(acosh)
SLUICE_OF_ONE(asin)
SLUICE_OF_ONE(asinh)
SLUICE_OF_ONE(atan)
SLUICE_OF_ONE(atanh)
SLUICE_OF_ONE(cos)
SLUICE_OF_ONE(cosh)
SLUICE_OF_ONE(exp)
SLUICE_OF_ONE(exp2)
SLUICE_OF_ONE(log)
SLUICE_OF_ONE(log10)
SLUICE_OF_ONE(log2)
SLUICE_OF_ONE(round)
SLUICE_OF_ONE(sin)
SLUICE_OF_ONE(sinh)
SLUICE_OF_ONE(sqrt)
SLUICE_OF_ONE(tan)
SLUICE_OF_ONE(tanh)
SLUICE_OF_ONE(trunc)
SLUICE_OF_TWO(atan2)
SLUICE_OF_TWO(fmod)
SLUICE_OF_TWO(pow)
SLUICE_FORWARD(long long, llround, (double x), (x))
SLUICE_FORWARD(int, fegetround, (), ())
SLUICE_FORWARD(int, fesetround, (int mode), (mode))
