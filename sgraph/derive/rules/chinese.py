"""The matcher for Chinese: the rows of `shapes_zh`, each compiled into one pattern over a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sgraph.chronology import current
from sgraph.derive.rules.shapes import MAX_TITLE, PROJECT, Shape
from sgraph.derive.rules.shapes_zh import SHAPES
from sgraph.derive.rules.text import Sentence
from sgraph.derive.rules.times import spans_of, time_of
from sgraph.records.claim import Claim, Mention, SaidMessage
from sgraph.records.vocabulary import KEY_WORDS, key_of, predicate

KIN: dict[str, str] = {
    "儿子": "child", "女儿": "child", "孩子": "child", "妈妈": "mother", "母亲": "mother", "爸爸": "father",
    "父亲": "father", "哥哥": "sibling", "弟弟": "sibling", "姐姐": "sibling", "妹妹": "sibling", "老婆": "spouse",
    "妻子": "spouse", "太太": "spouse", "老公": "spouse", "丈夫": "spouse", "男朋友": "spouse", "女朋友": "spouse",
    "朋友": "friend", "同事": "colleague", "老板": "colleague", "外婆": "relative", "奶奶": "relative",
    "爷爷": "relative", "外公": "relative", "叔叔": "relative", "阿姨": "relative", "狗": "pet", "猫": "pet",
    "父母": "parent",
}  # fmt: skip

MAX_CLAUSE = 60  # characters; a clause that runs on longer states nothing simple
_TIME = (
    r"(?:(?:今天|昨天|前天|明天|后天|大前天|今早|今晚|昨晚|今年|去年|明年|前年|后年|最近|目前|现在|刚才|以前|从前|小时候|周末|"
    r"(?:大?上|大?下|这|本)个?(?:周末|周|星期|礼拜|月|季度|学期|年)[一二三四五六日天末]?|(?:周|星期|礼拜)[一二三四五六日天末]|"
    r"[零〇一二三四五六七八九十\d]{1,4}(?:年|月|号|日|点)(?:初|底|中旬|半)?|[两几一二三四五六七八九十\d]+(?:天|周|个月|年|个星期)(?:前|之前|以前|后|之后)|"
    r"春天|夏天|秋天|冬天|暑假|寒假|春节|中秋|国庆)(?:的)?(?:早上|上午|下午|晚上|中午|凌晨|夜里|清晨|傍晚)?(?:之前|之后|以前|以后)?)"
)
_ADVERB = (
    r"(?:也|都|还|还是|已经|已|就|又|再|最后|终于|一直|平时|通常|经常|总是|真的|真|很|特别|非常|超级|超|最|挺|"
    r"比较|其实|刚|刚刚|才|一起|最近|目前|现在|今年|有时|偶尔|每天|并|仍然|仍)"
)
_NOT = r"(?:从来不|从不|从来没有?|从未|不再|不太|并不|都不|没有|没|不)"
_NAME = (
    r"(?:(?!我|你|您|他|她|它|这|那|谁|大家|有人|如果|因为|所以|但是|今|昨|明|上|下)"
    r"(?:[\u4e00-\u9fff·]{2,3}?|[A-Za-z][\w·-]*))"
)
_OCCUPATION = "工程师|师|员|医生|学生|家|经理|律师|护士|教授|研究生|作者|总监|司机|翻译|编辑|负责人"
_KIN = "|".join(sorted(KIN, key=len, reverse=True))
_FREE = rf"(?:\s*(?:{_TIME}|{_ADVERB}))*?\s*"
_VALUE = r"[^，,。：:！!？?；;]+?"
_TOOL = r"[A-Za-z][A-Za-z0-9 .+#/-]*?"
_MEASURE = r"(?:一|两|三|几|\d+)(?:辆|台|只|艘|套|栋|部|架|把|条|座|间|匹|艘|张|本|块)"
_ATTRIBUTES = [word for word in KEY_WORDS if "\u4e00" <= word[0] <= "\u9fff"]
PIECES: dict[str, str] = {
    "我": rf"(?P<who>我们|咱们|我(?:的)?(?P<kin>{_KIN})|我|本人)",
    "谁": rf"(?P<who>我们|咱们|我(?:的)?(?P<kin>{_KIN})|我|本人|他|她|{_NAME})",
    "家人": rf"(?P<who>我们?(?:的|家)?(?P<kin>{_KIN}))",
    "我的": r"(?P<who>我)的",
    "我们的": r"(?:我们|咱们)的",
    "{事}": rf"(?:我们的|咱们的|我的)?(?P<subject>(?!我|你|您|他|她|它|这|那|谁){_VALUE})",
    "不": rf"(?P<negation>{_NOT})?",
    "没": r"(?P<negation>没有|没|从未|从来没有?)",
    "{tool}": rf"(?P<value>{_TOOL})",
    "{old_tool}": rf"(?P<old>{_TOOL})",
    "{counted}": rf"(?P<value>{_MEASURE}{_VALUE})",
    "{years}": r"(?P<value>\d{1,3}|[一二三四五六七八九十]{1,3})",
    "{role}": rf"(?P<value>[\u4e00-\u9fffA-Za-z]{{0,10}}(?:{_OCCUPATION}))",
    "{purpose}": r"[\u4e00-\u9fff][^，,。]{0,12}?",
    "{activity}": r"(?P<rest>(?:学|做|写|看|读|找|等|忙|练|修|搬|装|玩|准备|开发|研究|练习|复习|减肥|装修)[^，,。]*?)",
    "{people}": rf"(?P<value>{_VALUE})",
    "{languages}": rf"(?P<value>{_VALUE})",
    "{land}": r"(?P<value>[\u4e00-\u9fff]{1,6}?)",
    "{diet}": r"(?P<value>素食者|素|纯素)",
    "{counter}": r"(?:[一两三几]|\d+)(?:只|条|个|匹)",
    "{name_of}": rf"(?P<value>{_VALUE})",
    "{animal}": r"(?:小)?(?:狗|猫|鸟|兔子|仓鼠|乌龟|鹦鹉)",
    "{attribute}": rf"(?P<attribute>{'|'.join(sorted(_ATTRIBUTES, key=len, reverse=True))})",
    "{deed}": rf"(?P<rest>{_VALUE}(?:了|过|完|成功){_VALUE}|{_VALUE}(?:过|完|完了|好了)|刚{_VALUE}|"
    r"(?![^，,]*[不别])[^，,]{2,}了)",
}  # fmt: skip

_ASKS = re.compile(r"吗|[?？]|呢[?？]|是不是|是否|有没有|要不要|能不能|会不会|什么|怎么|为什么|哪|谁|多少|几点|如何")
_OPEN = re.compile(
    r"如果|要是|假如|假设|假使|倘若|万一|除非|可能|也许|或许|大概|恐怕|应该|希望|但愿|要不|想象|想要|很想|真想|好想|比如|例如|譬如|举例|"
    r"小说|故事|剧本|梦里|梦见|游戏里|角色|差点|险些|本来|原本|原来打算|以为|误以为|不确定|不知道|好像|似乎|据说|听说|传说|谣言|不是真的|才怪|就好了|"
    r"从前有|^请(?!记住|注意|记得)|^帮我|^麻烦|翻译|写一|^把|^别|^不要"
)
_JOKE = re.compile(r"开玩笑|逗你|骗你的|说笑")
_CORRECTS = re.compile(r"^(?:不对|错了|不是|更正|纠正|我说错了|说错了|搞错了|抱歉|对不起)[,，:：]?")
_LEAD = re.compile(
    rf"^(?:\s|而且|但是|但|所以|然后|其实|不过|另外|还有|因为|对了|请记住|请注意|记住|记得|嗯|哦|啊|好的|好|后来|结果|于是|同时|{_TIME}|,|，)+"
)
_TOLD = re.compile(rf"^(?P<reporter>{_NAME})(?:告诉(?:我们?|大家)|跟我说|对我说|说|提到|表示)(?:过)?[,，:：]?")
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|‘[^’]*’")
_TAIL = "了啦呢吧哦呀啊的 　"


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause that a row fits: the row, what its pattern caught, its place in the message, who reported it."""

    shape: Shape
    caught: dict[str, str]
    start: int
    end: int
    reporter: str | None


def _compiled(shape: Shape) -> re.Pattern[str]:
    pieces = f"{shape.subject} {shape.verb} {shape.complement}".split()
    pattern = _FREE
    for piece in pieces:
        bare = piece.removeprefix("?")
        if bare in PIECES:
            body = PIECES[bare]
        elif bare.startswith("{"):
            body = f"(?P<{bare.strip('{}')}>{_VALUE})"
        else:
            body = f"(?:{'|'.join(map(re.escape, bare.split('|')))})"
        pattern += (f"(?:{body})?" if bare != piece else body) + (_FREE if piece is not pieces[-1] else "")
    return re.compile(pattern + f"[{_TAIL}]*")


_ROWS = tuple((shape, _compiled(shape)) for shape in SHAPES)


def is_chinese(text: str) -> bool:
    """Tell whether a sentence is written in Chinese (Han characters, and no kana)."""
    return any("\u4e00" <= sign <= "\u9fff" for sign in text) and not any("\u3040" <= sign <= "\u30ff" for sign in text)


def is_joke(text: str) -> bool:
    """Tell whether a sentence takes back what was said."""
    return bool(_JOKE.search(text))


def claims(sentence: Sentence, message: SaidMessage, speaker: Mention) -> Iterator[Claim]:
    """Yield what a Chinese sentence asserts; nothing when it asks, supposes, jokes or orders."""
    found = list(_clauses(sentence))
    spans = spans_of(sentence.text, sentence.start, message.sent_at) if found else []
    correcting = bool(_CORRECTS.match(sentence.text))
    for clause in found:
        for claim in _made(clause, message, speaker):
            time = time_of(
                (clause.start, clause.end),
                [(other.start, other.end) for other in found],
                spans,
                last=claim.change == "move",
            )
            if time is None and claim.status in ("occurred", "ongoing"):
                time = current(claim.quote, message.sent_at)
            change = "correction" if correcting and claim.change == "state" else claim.change
            yield claim.model_copy(update={"time": time, "change": change})
    if correcting and not found and not _void(sentence):
        yield _event(_CORRECTION, sentence.start, sentence.start + len(sentence.text), message, speaker, speaker)


_CORRECTION = Shape("correction", "", "", "", None, "change", (), status="ongoing", change="correction")


def _void(sentence: Sentence) -> bool:
    text = _masked(sentence.text)
    return bool(sentence.end_mark in ("?", "？") or _ASKS.search(text) or _OPEN.search(text) or is_joke(text))


def _masked(text: str) -> str:
    return _QUOTED.sub(lambda found: "\ue000" * len(found.group()), text)


def _clauses(sentence: Sentence) -> Iterator[_Clause]:
    if _void(sentence):
        return
    text = _masked(sentence.text)
    corrected = _CORRECTS.match(text)
    place = corrected.end() if corrected else 0
    reporter: str | None = None
    spoken = False  # whether the clause before was about the speaker: the next may leave that out
    for part in re.split(r"([，,；;：:])", text[place:]):
        told = _TOLD.match(part)
        if told:
            reporter = told["reporter"]
        found = _clause(part, told.end() if told else 0, sentence.start + place, reporter, spoken)
        if found:
            spoken = found.caught.get("who", "").startswith("我")
            yield found
        place += len(part)


def _clause(part: str, offset: int, place: int, reporter: str | None, spoken: bool) -> _Clause | None:
    if len(part) > MAX_CLAUSE:
        return None
    body = part[offset:]
    lead = _LEAD.match(body)
    bare = body[lead.end() if lead else 0 :]
    for reading in dict.fromkeys((body, bare, "我" + bare) if spoken and bare else (body, bare)):
        for shape, pattern in _ROWS:
            caught = pattern.fullmatch(reading.rstrip())
            if caught and "\ue000" not in caught.group() and _points_nowhere(caught.groupdict(), reporter):
                start, end = place + len(part) - len(part.lstrip()), place + len(part.rstrip())
                return _Clause(
                    shape,
                    {name: text.strip() for name, text in caught.groupdict().items() if text},
                    start,
                    end,
                    reporter,
                )
    return None


def _points_nowhere(caught: dict[str, str | None], reporter: str | None) -> bool:
    """Tell that neither subject nor value only points at something else: 他 without a name before, 你的想法."""
    value = caught.get("value") or ""
    pointing = value.startswith(("你", "您", "它", "他们", "她们")) or value in (
        "这",
        "那",
        "这个",
        "那个",
        "他",
        "她",
        "这样",
        "那样",
    )
    return not pointing and (caught.get("who") not in ("他", "她") or reporter is not None)


def _made(clause: _Clause, message: SaidMessage, speaker: Mention) -> Iterator[Claim]:
    shape, caught = clause.shape, clause.caught
    subject = _subject(clause, speaker)
    base = _event(shape, clause.start, clause.end, message, speaker, subject).model_copy(
        update={
            "negated": ("negation" in caught) != shape.ends,
            "change": "state" if shape.ends else shape.change,
            "reporter": Mention(name=clause.reporter, kind="person") if clause.reporter else None,
        }
    )
    key = _key(clause)
    if key is None:
        yield base
        return
    row = predicate(key)
    fixed = {"key": key, "value_kind": row.value_kind, "cardinality": row.cardinality}
    value = _plain(caught.get("value", ""))
    parts = re.split(r"[、和及]", value) if shape.name in ("speaks", "knows") else [value]
    for part in filter(None, parts):
        yield base.model_copy(update=fixed | {"value": part})
    if "old" in caught:
        yield base.model_copy(update=fixed | {"value": _plain(caught["old"]), "negated": True, "change": "state"})


def _subject(clause: _Clause, speaker: Mention) -> Mention:
    shape, caught = clause.shape, clause.caught
    if shape.name == "cancellation" and "value" in caught:
        return Mention(name=_plain(caught["value"]), kind="other")
    if "subject" in caught:
        return Mention(name=_plain(caught["subject"]), kind="other")
    if ("topic" in caught and shape.name == "decision") or shape.subject == "我们的":
        return PROJECT
    who = caught.get("who", "我")
    if who in ("他", "她"):
        who = clause.reporter or who
    if "kin" in caught and shape.name != "relative":
        return Mention(name=f"{speaker.name}的{caught['kin']}", kind="pet" if KIN[caught["kin"]] == "pet" else "person")
    return speaker if who.startswith(("我", "咱", "本人")) else Mention(name=who, kind="person")


def _key(clause: _Clause) -> str | None:
    shape, caught = clause.shape, clause.caught
    if shape.name == "relative":
        return KIN[caught["kin"]]
    if shape.name == "favourite":
        return "favourite_" + key_of(caught["topic"])
    if shape.name == "decision" and "topic" in caught:
        return key_of(_plain(caught["topic"]))
    return key_of(caught["attribute"]) if "attribute" in caught else shape.key


def _event(shape: Shape, start: int, end: int, message: SaidMessage, speaker: Mention, subject: Mention) -> Claim:
    quote = message.content[start:end]
    summary = re.sub(r"我们|咱们", f"{speaker.name}等人", quote)
    summary = re.sub(r"我|本人", speaker.name, summary)
    return Claim(
        shape=shape.name, event_type=shape.event_type, status=shape.status or "ongoing", title=summary[:MAX_TITLE],
        summary=summary, quote=quote, start=start, end=end, subject=subject, speaker=speaker, change=shape.change,
        criticality=shape.criticality, scope=shape.scope,
    )  # fmt: skip


def _plain(text: str) -> str:
    """Strip the particles that end a clause, and quotation marks, from a value."""
    return text.strip().rstrip(_TAIL).strip("“”「」\"' ")
