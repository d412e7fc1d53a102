// The JSON of when_card.h.
#pragma once

#include "views/json_fields.h"
#include "views/when_card.h"

namespace sluice {

template <class Fields>
void json_fields(Fields& f, Like<SoonerLine> auto& it) {
  f("what", it.what);
  f("command", it.command);
  f("starts", it.starts);
  f("gains", it.gains);
}

template <class Fields>
void json_fields(Fields& f, Like<StartPlace> auto& it) {
  f("job", it.job);
  f("nodes", it.nodes);
  f("cpus", it.cpus);
  f("partition", it.partition);
}

template <class Fields>
void json_fields(Fields& f, Like<FinishAlone> auto& it) {
  f("done", it.done);
  f("refused", it.refused);
}

template <class Fields>
void json_fields(Fields& f, Like<FinishCard> auto& it) {
  f("schema", it.schema);
  f("asked", it.asked);
  f("tasks", it.tasks);
  f("done", it.done);
  f("middle", it.middle);
  f("done_by_slots", it.done_by_slots);
  f("alone", it.alone);
  f("tried", it.tried);
  f("learnt", it.learnt);
  f("notes", it.notes);
}

template <class Fields>
void json_fields(Fields& f, Like<WhenCard> auto& it) {
  f("schema", it.schema);
  f("id", it.id);
  f("name", it.name);
  f("user", it.user);
  f("state", it.state);
  f("asked", it.asked);
  f("submitted", it.submitted);
  f("started", it.started);
  f("early", it.early);
  f("likely", it.likely);
  f("late", it.late);
  f("last_task", it.last_task);
  f("ends", it.ends);
  f("by_limits", it.by_limits);
  f("place", it.place);
  f("planned", it.planned);
  f("tasks", it.tasks);
  f("runs", it.runs);
  f("learnt", it.learnt);
  f("refused", it.refused);
  f("never", it.never);
  f("sooner", it.sooner);
  f("notes", it.notes);
  f("finish", it.finish);
}

}  // namespace sluice
