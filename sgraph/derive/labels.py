"""The words that replies may use for the closed lists: other words for the same label, English and Chinese.

A label is compared in NFKC, without case, spaces, "_" and "-". A word that is neither a label nor listed here is
refused, never guessed at: an unknown status or type would be junk in the graph.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator

from sgraph.records.claim import Criticality, EventType, Outcome, Scope, Status

_TYPE_WORDS = {
    "decision": ("decided", "decide", "choice", "决定", "决策"),
    "release": ("released", "launch", "launched", "发布", "版本发布", "上线"),
    "task_completed": ("completed", "completion", "done", "finished", "完成", "任务完成", "已完成"),
    "plan": ("planned", "planning", "intention", "计划", "打算"),
    "change": ("changed", "update", "updated", "变更", "修改", "更改"),
    "cancellation": ("cancelled", "canceled", "cancel", "取消", "已取消"),
    "incident": ("outage", "failure", "error", "故障", "事故"),
    "meeting": ("met", "appointment", "会议", "开会"),
    "collaboration": ("cooperation", "协作", "合作"),
    "migration": ("migrated", "migrate", "迁移"),
    "preference": ("prefers", "preferred", "偏好", "喜好"),
    "fact": ("statement", "事实"),
    "task": ("todo", "任务", "待办"),
    "skill": ("procedure", "技能"),
    "note": ("remark", "memo", "备注", "笔记"),
    "other": ("others", "misc", "其他", "其它"),
}
_STATUS_WORDS = {
    "occurred": ("completed", "done", "finished", "happened", "past", "已发生", "完成", "已完成", "发生"),
    "planned": ("plan", "scheduled", "upcoming", "future", "计划", "计划中", "待办"),
    "ongoing": ("in progress", "current", "active", "进行中", "正在进行"),
    "cancelled": ("canceled", "called off", "取消", "已取消"),
    "unknown": ("unclear", "未知", "不明"),
}


def _key(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    return "".join(char for char in folded if char not in "_-" and not char.isspace())


class _Reader:
    """Turns a word into its label; what it does not know it leaves for the closed list to refuse."""

    def __init__(self, labels: Any, words: dict[str, tuple[str, ...]] | None = None) -> None:
        self._labels = {_key(label): label for label in get_args(labels)}
        for label, others in (words or {}).items():
            self._labels |= {_key(word): label for word in others}

    def __call__(self, value: Any) -> Any:
        return self._labels.get(_key(value), value) if isinstance(value, str) else value


EventTypeLabel = Annotated[EventType, BeforeValidator(_Reader(EventType, _TYPE_WORDS))]
StatusLabel = Annotated[Status, BeforeValidator(_Reader(Status, _STATUS_WORDS))]
CriticalityLabel = Annotated[Criticality, BeforeValidator(_Reader(Criticality))]
ScopeLabel = Annotated[Scope, BeforeValidator(_Reader(Scope))]
OutcomeLabel = Annotated[Outcome, BeforeValidator(_Reader(Outcome))]
