// Which keys each section of a policy file has, and which field of the model each one is.
#pragma once

#include "model/policy.h"
#include "policyfile/fields.h"

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

}  // namespace sluice
