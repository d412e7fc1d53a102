// The program is written out as instructions: for every device "is it this one? then no", and yes
// at the end.
#include "host/cages/device_filter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace sluice {
namespace {

bpf_insn instruction(int code, int to, int from, int offset, int value) {
  bpf_insn made{};
  made.code = static_cast<__u8>(code);
  made.dst_reg = static_cast<__u8>(to & 0xf);
  made.src_reg = static_cast<__u8>(from & 0xf);
  made.off = static_cast<__s16>(offset);
  made.imm = value;
  return made;
}

std::vector<bpf_insn> program_for(const std::vector<std::string>& denied) {
  constexpr int kLoad = BPF_LDX | BPF_MEM | BPF_W;
  constexpr int kAnd = BPF_ALU | BPF_AND | BPF_K;
  constexpr int kUnlessEqual = BPF_JMP | BPF_JNE | BPF_K;
  constexpr int kSet = BPF_ALU64 | BPF_MOV | BPF_K;
  constexpr int kExit = BPF_JMP | BPF_EXIT;
  std::vector<bpf_insn> code;
  // The context is in r1: what is to be done with what kind of device, its major, its minor.
  code.push_back(instruction(kLoad, 2, 1, offsetof(bpf_cgroup_dev_ctx, access_type), 0));
  code.push_back(instruction(kAnd, 2, 0, 0, 0xffff));
  code.push_back(instruction(kLoad, 3, 1, offsetof(bpf_cgroup_dev_ctx, major), 0));
  code.push_back(instruction(kLoad, 4, 1, offsetof(bpf_cgroup_dev_ctx, minor), 0));
  for (const std::string& device : denied) {
    struct stat found {};
    if (::stat(device.c_str(), &found) != 0 || !S_ISCHR(found.st_mode)) continue;
    code.push_back(instruction(kUnlessEqual, 2, 0, 4, BPF_DEVCG_DEV_CHAR));
    code.push_back(instruction(kUnlessEqual, 3, 0, 3, static_cast<int>(major(found.st_rdev))));
    code.push_back(instruction(kUnlessEqual, 4, 0, 2, static_cast<int>(minor(found.st_rdev))));
    code.push_back(instruction(kSet, 0, 0, 0, 0));
    code.push_back(instruction(kExit, 0, 0, 0, 0));
  }
  code.push_back(instruction(kSet, 0, 0, 0, 1));
  code.push_back(instruction(kExit, 0, 0, 0, 0));
  return code;
}

long bpf(int command, bpf_attr& how) { return ::syscall(SYS_bpf, command, &how, sizeof how); }

}  // namespace

DeviceFilter::DeviceFilter(DeviceFilter&& other) noexcept
    : program_(std::exchange(other.program_, -1)), folder_(std::exchange(other.folder_, -1)) {}

DeviceFilter& DeviceFilter::operator=(DeviceFilter&& other) noexcept {
  std::swap(program_, other.program_);
  std::swap(folder_, other.folder_);
  return *this;
}

DeviceFilter::~DeviceFilter() {
  if (program_ < 0) return;
  bpf_attr how{};
  how.target_fd = static_cast<__u32>(folder_);
  how.attach_bpf_fd = static_cast<__u32>(program_);
  how.attach_type = BPF_CGROUP_DEVICE;
  bpf(BPF_PROG_DETACH, how);
  ::close(program_);
  ::close(folder_);
}

Result<DeviceFilter> DeviceFilter::attach(int folder, const std::vector<std::string>& denied) {
  const std::vector<bpf_insn> code = program_for(denied);
  static const char license[] = "Apache-2.0";
  bpf_attr load{};
  load.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  load.insns = reinterpret_cast<std::uintptr_t>(code.data());
  load.insn_cnt = static_cast<__u32>(code.size());
  load.license = reinterpret_cast<std::uintptr_t>(license);
  DeviceFilter filter;
  filter.program_ = static_cast<int>(bpf(BPF_PROG_LOAD, load));
  if (filter.program_ < 0) {
    return failed(fmt::format("the kernel takes no device filter: {}", std::strerror(errno)));
  }
  ::fcntl(filter.program_, F_SETFD, FD_CLOEXEC);
  filter.folder_ = ::fcntl(folder, F_DUPFD_CLOEXEC, 3);
  bpf_attr attach{};
  attach.target_fd = static_cast<__u32>(folder);
  attach.attach_bpf_fd = static_cast<__u32>(filter.program_);
  attach.attach_type = BPF_CGROUP_DEVICE;
  attach.attach_flags = BPF_F_ALLOW_MULTI;
  if (bpf(BPF_PROG_ATTACH, attach) != 0) {
    const int error = errno;
    ::close(std::exchange(filter.program_, -1));
    ::close(std::exchange(filter.folder_, -1));
    return failed(fmt::format("the device filter cannot be attached: {}", std::strerror(error)));
  }
  return filter;
}

bool DeviceFilter::is_possible(int folder) { return attach(folder, {}).has_value(); }

}  // namespace sluice
