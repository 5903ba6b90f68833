"""The claim vocabulary: the keys that facts are stored under, and what each key admits.

A key is either a **relation** (its value names another entity, of `value_kind`) or an **attribute** (its value is
plain text). `cardinality` decides what a later value does: with "one" it replaces the value before it, with
"many" both stand. A key that is not listed is a plain attribute with cardinality "many", so an unknown key never
retires anything. To teach sgraph a key, add a row here; `KEY_WORDS` maps the words people say, in any language,
to the key.
"""

from __future__ import annotations

from typing import Literal

from sgraph.records.base import Record

Cardinality = Literal["one", "many"]


class Predicate(Record):
    """One key: how it is shown, how many values it admits, and the entity kind of its value (None: plain text)."""

    key: str
    label: str
    cardinality: Cardinality = "many"
    value_kind: str | None = None

    @property
    def is_relation(self) -> bool:
        """Tell whether the value is an entity of its own."""
        return self.value_kind is not None


def _row(key: str, label: str, cardinality: Cardinality = "many", value_kind: str | None = None) -> Predicate:
    return Predicate(key=key, label=label, cardinality=cardinality, value_kind=value_kind)


PREDICATES: dict[str, Predicate] = {
    row.key: row
    for row in (
        # what a person likes
        _row("prefers", "prefers"),
        _row("likes", "likes"),
        _row("dislikes", "dislikes"),
        # who a person is
        _row("name", "is named", "one"),
        _row("age", "is aged", "one"),
        _row("birthday", "has the birthday", "one"),
        _row("role", "is"),
        _row("from", "comes from", "one"),
        _row("diet", "keeps the diet", "one"),
        _row("allergic_to", "is allergic to"),
        _row("condition", "has the condition"),
        _row("eats", "eats"),
        _row("drinks", "drinks"),
        _row("speaks", "speaks"),
        _row("email", "has the email address", "one"),
        _row("phone", "has the phone number", "one"),
        _row("address", "has the address", "one"),
        _row("timezone", "is in the time zone", "one"),
        # where and with whom
        _row("lives_in", "lives in", "one", "place"),
        _row("works_at", "works at", "one", "organization"),
        _row("studies_at", "studies at", "many", "organization"),
        _row("member_of", "is a member of", "many", "organization"),
        _row("knows", "knows", "many", "person"),
        _row("spouse", "is the partner of", "one", "person"),
        _row("mother", "has the mother", "one", "person"),
        _row("father", "has the father", "one", "person"),
        _row("child", "has the child", "many", "person"),
        _row("sibling", "has the sibling", "many", "person"),
        _row("relative", "has the relative", "many", "person"),
        _row("friend", "is a friend of", "many", "person"),
        _row("colleague", "works with", "many", "person"),
        _row("pet", "has the pet", "many", "pet"),
        # things and tools
        _row("owns", "owns"),
        _row("uses", "uses", "many", "tool"),
        # a project
        _row("database", "has the database", "one", "tool"),
        _row("cache", "has the cache", "one", "tool"),
        _row("framework", "has the framework", "one", "tool"),
        _row("web_framework", "has the web framework", "one", "tool"),
        _row("language", "has the language", "one", "tool"),
        _row("queue", "has the queue", "one", "tool"),
        _row("editor", "has the editor", "one", "tool"),
        _row("hosting", "is hosted on", "one", "tool"),
        _row("monitoring", "is monitored with", "one", "tool"),
        _row("license", "has the license", "one"),
        _row("password", "has the password", "one"),
        _row("port", "has the port", "one"),
        _row("version", "has the version", "one"),
        _row("default_branch", "has the default branch", "one"),
        _row("url", "has the address", "one"),
        _row("deadline", "has the deadline", "one"),
        _row("budget", "has the budget", "one"),
        _row("owner", "is owned by", "one", "person"),
        _row("date", "takes place on", "one"),
        _row("decision", "decided"),
        _row("allowed", "is"),
    )
}

# A key made from what was said ("favourite colour" -> favourite_colour) holds one value.
ONE_VALUE_FAMILIES = ("favourite_", "default_")

KEY_WORDS: dict[str, str] = {
    "db": "database",
    "data store": "database",
    "caching": "cache",
    "caching layer": "cache",
    "wi-fi password": "password",
    "passcode": "password",
    "passphrase": "password",
    "email address": "email",
    "e-mail": "email",
    "phone number": "phone",
    "number": "phone",
    "time zone": "timezone",
    "due date": "deadline",
    "main branch": "default_branch",
    "message queue": "queue",
    "color": "colour",
    "programming language": "language",
    "数据库": "database",
    "缓存": "cache",
    "框架": "framework",
    "语言": "language",
    "队列": "queue",
    "消息队列": "queue",
    "编辑器": "editor",
    "监控": "monitoring",
    "密码": "password",
    "端口": "port",
    "版本": "version",
    "默认分支": "default_branch",
    "截止日期": "deadline",
    "预算": "budget",
    "负责人": "owner",
    "地址": "address",
    "邮箱": "email",
    "电话": "phone",
    "生日": "birthday",
    "时区": "timezone",
    "名字": "name",
    "颜色": "colour",
}


def predicate(key: str) -> Predicate:
    """Return the row of a key; an unlisted key is an attribute with many values, a family key one with one."""
    if row := PREDICATES.get(key):
        return row
    single = key.startswith(ONE_VALUE_FAMILIES)
    return _row(key, key.replace("_", " "), "one" if single else "many")


def key_of(words: str) -> str:
    """Turn the words of a slot ("Web Framework", "数据库") into its key: a synonym, else the words joined by `_`."""
    plain = " ".join(words.casefold().split())
    return KEY_WORDS.get(plain) or plain.replace(" ", "_").replace("-", "_")
