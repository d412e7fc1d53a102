// Which keys each section of a policy file has, and which field of the model each one is.
#pragma once

#include "model/policy.h"
#include "policyfile/read/fields.h"

namespace sluice {

void describe_node(FieldVisitor& visit, Node& node);
void describe_partition(FieldVisitor& visit, Partition& partition);
void describe_qos(FieldVisitor& visit, Qos& qos);
void describe_association(FieldVisitor& visit, Association& association);
void describe_user(FieldVisitor& visit, User& user);
void describe_priority(FieldVisitor& visit, PrioritySettings& priority);
void describe_preemption(FieldVisitor& visit, PreemptSettings& preemption);
void describe_scheduler(FieldVisitor& visit, SchedulerSettings& scheduler);
void describe_jobs(FieldVisitor& visit, JobSettings& jobs);
void describe_enforce(FieldVisitor& visit, EnforceSettings& enforce);

// A switch as the file writes it: hostlists of nodes, or of other switches.
struct SwitchWords {
  std::string nodes;
  std::string switches;
};
void describe_switch(FieldVisitor& visit, SwitchWords& words);

// A reservation as the file writes it; reservation_section.cc says what its words mean.
struct ReservationWords {
  std::string start;
  std::string end;
  std::string duration;
  std::string nodes;
  std::int32_t node_count = 0;
  std::string partition;
  std::vector<std::string> features;
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> flags;
};
void describe_reservation(FieldVisitor& visit, ReservationWords& reservation);
ReservationWords words_of(const ReservationRequest& request);

}  // namespace sluice
