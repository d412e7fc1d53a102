// Which process may write a chain's ledger: one at a time, on whatever host.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace sluice {

// A file that names host, boot, process and its start. On one host a holder that is gone is
// recognised at once; on another host by a lease that was not renewed for kLasts.
class Lease {
 public:
  static constexpr Duration kLasts = seconds(180);

  // Waits up to `patience` for another holder. The error (exit 75) names it.
  static Result<Lease> take(const std::string& folder, Duration patience);
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  // Says that we are still there.
  void renew() const;

 private:
  explicit Lease(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// A process that did not get the lease leaves word that there is something to look at: one
// immutable file each, whole or not there.
Result<void> leave_word(const std::string& folder, const std::string& text);
// The holder takes the words away; true where there were any.
bool take_words(const std::string& folder);

}  // namespace sluice
