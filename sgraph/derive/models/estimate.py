"""What a pass would cost, before anything is sent. Writes nothing."""

from __future__ import annotations

from collections import Counter

from sgraph.blocks.levels import estimate_tokens
from sgraph.derive import prompts
from sgraph.derive.models.jobs import Jobs
from sgraph.derive.models.queue import job_id
from sgraph.derive.models.routes import in_order, label
from sgraph.derive.submit import find_target
from sgraph.records.jobs import Estimate

# Steps that follow a step of a Block when all goes well.
_COMING = {"block_summary": ("block_summary", "events", "projection"), "events": ("events", "projection")}
# Tokens besides the messages (prompt, schema, context) and of a reply: typical ones, from benchmarks/models.py.
_BESIDES = {"block_summary": 600, "events": 2_600, "projection": 2_400, "turn_summary": 800}
_REPLY = {"block_summary": 250, "events": 900, "projection": 700, "turn_summary": 90}


def estimate(jobs: Jobs, *, backlog: bool) -> Estimate:
    """Count the calls and tokens of what waits and of what would be found due."""
    models = jobs.models()
    waiting = {job.id: (job.kind, job.target) for job in jobs.queue.list("pending")}
    found = {job_id(kind, target): (kind, target) for kind, target, _ in jobs.due(backlog)}
    new = {id: job for id, job in found.items() if id not in waiting and jobs.queue.get(id) is None}
    counts: Counter[str] = Counter()
    tokens_in = tokens_out = 0
    for kind, target in (*waiting.values(), *new.values()):
        messages = find_target(jobs.desk.journal, target).messages
        size = estimate_tokens("".join(prompts.encode(row) for row in prompts.message_rows(messages)))
        for step in _COMING.get(kind, (kind,)):
            if step in models.steps:
                counts[step] += 1
                tokens_in += size + _BESIDES[step]
                tokens_out += _REPLY[step]
    routes = in_order(models, None)
    return Estimate(
        jobs=dict(counts),
        calls=counts.total(),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        route=label(routes[0]) if routes else None,
        backlog=backlog,
    )
