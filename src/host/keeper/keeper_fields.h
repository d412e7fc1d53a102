// The numbered fields of the keeper's messages. Rules for adding one: storage/fields.h.
#pragma once

#include "engine/event_body.h"
#include "host/keeper/keeper_protocol.h"
#include "storage/fields.h"

namespace sluice {

template <class Fields>
void each_field(Fields& f, Like<RunKey> auto& item) {
  auto& [job, attempt] = item;
  f(1, job);
  f(2, attempt);
}

template <class Fields>
void each_field(Fields& f, Like<Identity> auto& item) {
  auto& [user, group, uid, gid, groups, home, shell] = item;
  f(1, user);
  f(2, group);
  f(3, uid);
  f(4, gid);
  f(5, groups);
  f(6, home);
  f(7, shell);
}

template <class Fields>
void each_field(Fields& f, Like<ResourceLimit> auto& item) {
  auto& [resource, soft] = item;
  f(1, resource);
  f(2, soft);
}

template <class Fields>
void each_field(Fields& f, Like<Assignment> auto& item) {
  auto& [run, identity, script, program, arguments, working_directory, stdin_path, stdout_path,
         stderr_path, append, capture, environment, umask, limits, cpus, memory_mb, processes,
         own_cpus, devices, other_devices, prolog, epilog, prolog_limit, time_limit, kill_wait,
         output_room, node] = item;
  f(1, run);
  f(2, identity);
  f(3, script);
  f(4, program);
  f(5, arguments);
  f(6, working_directory);
  f(7, stdin_path);
  f(8, stdout_path);
  f(9, stderr_path);
  f(10, append);
  f(11, capture);
  f(12, environment);
  f(13, umask);
  f(14, cpus);
  f(15, memory_mb);
  f(16, own_cpus);
  f(17, devices);
  f(18, other_devices);
  f(19, prolog);
  f(20, epilog);
  f(21, prolog_limit);
  f(22, limits);
  f(23, time_limit);
  f(24, kill_wait);
  f(25, output_room);
  f(26, processes);
  f(27, node);
}

template <class Fields>
void each_field(Fields& f, Like<LaunchRun> auto& item) {
  auto& [assignment, after, within] = item;
  f(1, assignment);
  f(2, after);
  f(3, within);
}

template <class Fields>
void each_field(Fields& f, Like<EndRun> auto& item) {
  auto& [run, kill_wait, last_words] = item;
  f(1, run);
  f(2, kill_wait);
  f(3, last_words);
}

template <class Fields>
void each_field(Fields& f, Like<SignalRun> auto& item) {
  auto& [run, signal, batch_only] = item;
  f(1, run);
  f(2, signal);
  f(3, batch_only);
}

template <class Fields>
void each_field(Fields& f, Like<PauseRun> auto& item) {
  auto& [run] = item;
  f(1, run);
}

template <class Fields>
void each_field(Fields& f, Like<ContinueRun> auto& item) {
  auto& [run] = item;
  f(1, run);
}

template <class Fields>
void each_field(Fields& f, Like<AcknowledgeRun> auto& item) {
  auto& [run] = item;
  f(1, run);
}

template <class Fields>
void each_field(Fields& f, Like<ReadRunOutput> auto& item) {
  auto& [run, from] = item;
  f(1, run);
  f(2, from);
}

template <class Fields>
void each_field(Fields&, Like<QuitKeeper> auto&) {}

template <class Fields>
void each_field(Fields& f, Like<LimitRun> auto& item) {
  auto& [run, time_limit] = item;
  f(1, run);
  f(2, time_limit);
}

template <class Fields>
void each_field(Fields& f, Like<RunIsOver> auto& item) {
  auto& [run, outcome, ended, why, output, next] = item;
  f(1, run);
  f(2, outcome);
  f(3, ended);
  f(4, why);
  f(5, output);
  f(6, next);
}

template <class Fields>
void each_field(Fields& f, Like<RunIsReturned> auto& item) {
  auto& [run] = item;
  f(1, run);
}

template <class Fields>
void each_field(Fields& f, Like<RunIsUp> auto& item) {
  auto& [run, pid, started] = item;
  f(1, run);
  f(2, pid);
  f(3, started);
}

template <class Fields>
void each_field(Fields& f, Like<RunOutput> auto& item) {
  auto& [run, from, bytes, running] = item;
  f(1, run);
  f(2, from);
  f(3, bytes);
  f(4, running);
}

template <class Fields>
void each_field(Fields& f, Like<Enforcement> auto& item) {
  auto& [memory, cpus, devices, pause] = item;
  f(1, memory);
  f(2, cpus);
  f(3, devices);
  f(4, pause);
}

template <class Fields>
void each_field(Fields& f, Like<KeeperHello> auto& item) {
  auto& [version, instance, boot, pid, enforces, up, over, writes_last_words] = item;
  f(1, version);
  f(2, instance);
  f(3, boot);
  f(4, pid);
  f(5, enforces);
  f(6, up);
  f(7, over);
  f(8, writes_last_words);
}

}  // namespace sluice
