// A file that is there as a whole or not at all, written piece by piece.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice {

// Written beside its place and renamed by finish(); without that, nothing is left behind.
class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // "-" is standard output.
  Result<void> open(const std::string& path);
  Result<void> write(std::string_view bytes);
  Result<void> finish();

 private:
  bool flush();

  std::string path_;
  std::string beside_;  // Empty: written in place (a device, a pipe).
  std::string unwritten_;
  int file_ = -1;
};

// The whole text at once.
Result<void> write_output(const std::string& path, std::string_view text);

}  // namespace sluice
