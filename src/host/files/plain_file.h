// A whole file that another user named: a plain file of sensible length, or an error.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace sluice {

// A policy of 5,000 users with its accounts has about 2 MB.
inline constexpr std::size_t kLongestPolicyFile = std::size_t{16} << 20;

// Never waits: a FIFO, a device, a socket or a folder is refused before anything is read from it,
// and so is a file longer than `most` bytes. Links are followed.
Result<std::string> read_plain_file(const std::string& path, std::size_t most = kLongestPolicyFile);

// The same for what root acts by, as a policy that names programs to run: where root reads, a file
// that is not root's, or that everybody may write, is refused. Other users read what they like.
Result<std::string> read_trusted_file(const std::string& path);

// Whether somebody else may have laid the file, or a link to one, in our way: everybody may write
// to its folder, and it is neither ours nor root's, has other names as well, or can be replaced.
bool may_be_planted(const std::string& path);

}  // namespace sluice
