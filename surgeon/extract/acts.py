"""What a sentence does to what was said before: change, patch, cancel, restore, swap, accept, ask, suppose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from surgeon.snapshot.restore import Target
from surgeon.text.times import number

_LEANED = 160  # characters of a sentence that another may lean on
_SENTENCE = re.compile(r"[^。！？!?；;\n]*?(?:[。！？!?；;\n]+|(?<=[^\s.][a-z0-9\])\"'’%€$])\.(?=\s|$)|\.{3}|…+|$)", re.S)


class Sentence(NamedTuple):
    """A sentence with its offsets in the message."""

    start: int
    end: int
    text: str


def sentences(text: str) -> list[Sentence]:
    """Sentences with text in them; punctuation stays with the sentence it ends."""
    out = []
    for match in _SENTENCE.finditer(text):
        body = match.group()
        if body.strip():
            lead = len(body) - len(body.lstrip())
            out.append(Sentence(match.start() + lead, match.start() + len(body.rstrip()), body.strip()))
    return out


# a rule whose verb has no object of its own, or a pronoun: "Never exceed without approval.", "Do not change it.", "未经批准不得超过。"
_LEANS = re.compile(
    r"^(?:please )?(?:never|do not|don[’']?t|must not)(?: ever)? (?!worry|mind|panic|forget|know)[a-z]+(?: (?:it|this|that|them|these|those))?(?: (?:without|unless|until|before|after|under)\b[^,;]{0,40})?[.!]?$"
    r"|^(?:未经\S{1,8}?)?(?:一律|绝对|千万)?(?:不得|不要|不能|不可|不准|不许|严禁|禁止|别)(?:再|随意|擅自|私自)?[\u4e00-\u9fff]{2}(?:它|这个|那个)?[。！]?$", re.I)


def joined(text: str, found: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, one that leans on the statement before it together with that one: alone it would forbid one knows not what."""
    out: list[Sentence] = []
    for sentence in found:
        if out and _LEANS.search(sentence.text) and not _QUESTION.search(out[-1].text) and len(out[-1].text) <= _LEANED:
            before = out.pop()
            sentence = Sentence(before.start, sentence.end, text[before.start : sentence.end])
        out.append(sentence)
    return out


_QUESTION = re.compile(r"[?？]\s*$|(?:吗|呢|么|没有?|不)[？?]?\s*$|^(?:what|which|who|when|where|why|how|is|are|does|do|did|can|could|would|will|should|any)\b[^.!]*[?]?$|是不是|对不对|行不行|好不好|能不能|^(?:多久|几点|怎么|什么|哪|多少|为什么)", re.I)
_CONFIRMS = re.compile(r"(?:^|[^不])是[^？?]{1,20}(?:对吧|是吧|对不对|没错吧)[?？]?\s*$|\b(?:is|are|was)\b[^?]{2,60}, (?:right|correct|isn[’']?t it|yes)\?\s*$", re.I)
_ASKS = re.compile(r"\b(?:what|which|who|when|where|why|how)\b[^.!]*\?\s*$|(?:什么|哪|谁|多少|几|怎么|为啥|为什么)[^。！]*[?？]\s*$", re.I)  # whoever asks so changes nothing
_REQUEST = re.compile(r"\b(?:can|could|would|will) (?:you|we|they|i)\b|^(?:please|kindly)\b|能不能|可以吗|可不可以|好吗|行吗|行不行|麻烦|帮我|请", re.I)
_SUPPOSE = re.compile(
    r"\b(?:what if|if (?:we|i|you|it|they|she|he)\b|suppose|supposing|would (?:it|that|friday|\w+day) |just (?:asking|curious|wondering)|only asking|out of curiosity|hypothetically"
    r"|wondering (?:if|whether)|thinking (?:about|of)|might (?:want|need|go|be)|debating|considering|i (?:was )?almost|were to|could have|would have been)\b"
    r"|如果|要是|假如|万一|假设|倘若|问问(?:而已)?|只是问|就问|随口问|考虑(?:一下)?要不要|说不定|打算问|有人想|会不会", re.I)
_CANCEL = re.compile(
    r"\b(?:cancel(?:led|ling)?|call(?:ed)? off|scrap|drop the|drop that|lose the|forget (?:the|about|that|it)|forget that one|skip (?:the|it|that)|remove the|remove that|never ?mind|no longer need|don[’']?t need (?:the|that|it|a)|not needed|take (?:the |that |it )?(?:\w+ )?off|get rid of|leave out|(?<=, )without the|(?<=but )without the)\b"
    r"|取消|不用了|不要了|不需要了|算了不|作废|去掉|删掉|删除|撤掉|(?<!不)不用(?:排|送|寄|做|加|订|去)|免了|别(?:排|订|送|做)了|没必要|划掉|剔掉", re.I)
_SWAP = re.compile(r"\b(?:swap|switch|flip|trade|exchange) (?:the |those |them |places|around|over|these|my |[A-Z]\w+ and )|\bthe other way (?:a)?round\b|对调|互换|调个个|换一下顺序|调换|掉个个|反过来|颠倒", re.I)
_UPDATE = re.compile(
    r"\b(?:actually|instead|make (?:it|that|this)|change|changed|switch|update|rather|correction|i meant?|should be|not \w+,? but|no,? wait|wait|hang on|scratch that|let(?:[’']s| us) (?:say|do|make|go)|swap|replace|move (?:it|that)|push (?:it|that)|bump|now (?:it|we)|typo|my mistake|wrong|moved|corrected|sorry|in fact|after all|on second thoughts?|better|stick with|use|go(?= \d))\b"
    r"|^(?:no|nope|nah)\b|改|换|不对|错了|更正|应该是|还是|说反|不是|挪|推迟|提前|推到|往后|往前|缩短|延长|升到|降到|降|调到|调成|改回|按.{1,8}吧|就.{1,8}吧|那就|变了|变成|等下|等会|算了|重新|(?:^|[，,])[^，,。]{1,10}吧(?=$|[，。！,])|(\S{2,8})就\1", re.I)
_ACCEPT = re.compile(
    r"^(?:yes|yep|yeah|yup|ok(?:ay)?|sure|sounds (?:good|great|yum)|perfect|great|good|fine|deal|agreed|love it|go ahead|do it|that works|works for me|please do|correct|right|exactly|book it|that one)\b"
    r"|^(?:好|行|可以|嗯|对|没问题|同意|就这个|就这样|就它|成|中|要得|听你的|没错|是的|好的|定了)|可以$|[一-鿿]{1,6}可以[。！]?$|好啊|挺好|不错", re.I)
_REJECT = re.compile(r"^(?:no|nope|nah|not that|that[’']?s (?:not|wrong)|wrong)\b|^(?:不|不对|不是|不行|不要|错)", re.I)
_SAME = re.compile(r"\b(?:everything else|the rest|all else|others?) (?:the same|unchanged|as (?:it )?is|stays?|as before)|keep everything|其[他它余](?:都|的)?(?:不变|不动|照旧|维持)|别的(?:都)?不(?:动|变|改)|其余维持", re.I)
_BACK = re.compile(
    r"\b(?:back|revert|restore|undo|return to|return it|reinstate|(?:use|be|is|make|set|put|want|need|go|with|to|on|in|at)\b[^.,!?]{1,30}\bagain|after all|original(?:ly)?|as before|as it was|like before|previous(?:ly)?|initial(?:ly)?|(?:i|we)[’']?d? (?:gave|said|told|mentioned|asked|named|had|set|picked|chose)\b.{0,24}\b(?:first|before|earlier|originally)|first (?:one|address|choice|option|date|version|plan|time|number|name)|before (?:i|we|it) (?:changed|was)|(?:i|we) (?:started|began) with)\b"
    r"|恢复|改回|换回|还原|撤销|撤回|挂回|回到|退回|原来|原先|最初|最早|一开始|最开始|开头|起初|第一次|第一个|之前(?:那|的|说)|(?:按|照|用|跟|像|和|同)上次|上次(?:说|那|的)|刚才(?:那|说|的)|照排|照旧|还按|按我?[一-鿿]{0,4}说的|第[二三四五六七八九十\d]+个|中间(?:那|看|的)|那还是|还是[^不没]", re.I)
# "the previous code no longer works" asks for nothing back
_DEAD = re.compile(
    r"\b(?:previous|original|old|earlier|first|initial)\b(?: [\w-]+){0,3}? (?:no longer|is (?:retired|dead|invalid|void|obsolete|gone|wrong|out)|was wrong|has expired|expired|doesn[’']?t|does not|won[’']?t|will not|stopped)"
    r"|(?:原来|之前|以前|最初|上次|旧)[^，。！？]{0,8}(?:作废|失效|不再|不能用|不用了|停用|过期|错了|无效)", re.I)
_FIRST = re.compile(r"\b(?:first|(?:started|began) with|original(?:ly)?|initial(?:ly)?|at the (?:start|outset|beginning)|to begin with)\b|第一次|第一个|最初|最早|一开始|最开始|开头|起初|原先", re.I)
_NTH = re.compile(r"\b(second|third|fourth|fifth|last)\b(?! (?:thought|time|night|one more))|第\s?([二三四五六七八九十\d]+)\s?(?:个|次|种|版)", re.I)
_MIDDLE = re.compile(r"\bmiddle one\b|\bthe middle\b|中间(?:那|的|看)", re.I)
_ROUND = re.compile(r"\bround (\d+)\b|第\s?(\d+)\s?轮", re.I)
_ORD = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_QUOTE = re.compile(r"^\s*>|\b(?:he|she|they|boss|colleague|someone|everyone|people) (?:said|says|say|suggest\w*|wrote|thinks?|wants?|asked)\b|(?:他|她|他们|有人|领导|朋友|教练|同事|别人|隔壁\S{0,3})(?:说|问|想|写|建议|觉得)", re.I)
_KEPT = re.compile(r"\b(?:not|don[’']?t|never)\b(?:\s+\w+){0,2}\s*$|(?:不要|不能|不得|别|请勿|切勿|严禁|禁止)[^，,。]{0,4}$", re.I)  # "never cancel …" calls nothing off

# what comes after a change cue is the new value: "instead of A" and "A换成B" name the old one too
PAIRS = (
    re.compile(r"(?P<new>[\w£$€.,:/ -]{1,40}?)\s+(?:instead of|rather than|not)\s+(?P<old>[\w£$€.:/-]{1,30})", re.I),
    re.compile(r"\b(?:swap|replace|change|switch)\s+(?:the\s+)?(?P<old>[\w£$€.:/-]{1,30}(?: [\w-]+)?)\s+(?:for|with|to|by)\s+(?P<new>[\w£$€.:/-]{1,40}(?: [\w-]+){0,2})", re.I),
    re.compile(r"(?:把|将)?(?P<old>[^\s，。！？；、把将]{1,16}?)(?:换成|改成|改为|换为|替换成|替换为)(?P<new>[^，。！？；]{1,30})"),
    re.compile(r"(?:定的|应该|其实)?是(?P<new>[^，。！？；是]{1,16})[，,]\s?不是(?P<old>[^，。！？；]{1,16})"),
    re.compile(r"不是(?P<old>[^，。！？；]{1,16})[，,]\s?(?:而|应该)?是(?P<new>[^，。！？；]{1,16})"),
    re.compile(r"\bit[’']?s (?P<new>[\w£$€.:/-]{1,30}),? not (?P<old>[\w£$€.:/-]{1,30})", re.I),
    re.compile(r"\bnot (?P<old>[\w£$€.:/-]{1,30})[,;:]? (?:but|it[’']?s) (?P<new>[\w£$€.:/-]{1,30})", re.I),
)
# the new value in words that carry no type
OBJECT = (
    re.compile(r"\b(?:make (?:it|that|this)|let(?:[’']s| us) (?:say|go with|do|take)|(?:change|switch|set|update|move|return|go back|back|revert|stick)(?: it| that| this| the [\w ]{1,20}?)? (?:to|with|as)|i meant?|should be|stick with|use|go(?= \d))\s+(?:an?\s+|the\s+|my\s+|our\s+)?(?P<new>[^,.;!?()\n—]{1,40})", re.I),
    re.compile(r"(?:改成|改为|换成|换到|换为|改到|挪到|调到|调成|降到|升到|改回|换回|恢复成|应该是|那就|就定|定|按|还是)(?:用|要|选|是|去)?(?P<new>[^，。！？；\s]{1,20}?)(?:吧|了|呗|算了|好了)?(?=[，。！？；\s]|$)"),
)


DECISION = re.compile(
    r"\b(?:let[’']?s|let us)\s+(?!see|say\b|know|hope|talk|wait|chat|meet|speak|catch|call it|continue|start over|not\b|be\b|get (?:back|going))\w+|\bi think we should\b|\bwe should (?:just )?(?!not)\w+|\bgo(?:ing)? with\b|\bfinal answer\b|\bwe(?:[’']ll| will) (?:use|do|go|take)\b|\bplan is to\b"
    r"|(?:我们|咱们)?(?:就|决定|还是)(?:用|采用|选|按)(?!不)|那就(?!这样)\S|方案(?:定|改)(?:为|成)|我(?:觉得|看)(?:我们)?(?:应该|可以)", re.I)
RETRACT = re.compile(
    r"\bscratch that\b|\b(?:forget|ignore|drop|disregard)\b[^.!?]{0,24}\b(?:earlier|previous|that|first|instruction|idea|plan|a and b|both)\b|\binstead\b|\blet me revise\b|\brevis(?:e|ing)\b|\bfinal answer\b"
    r"|\bon second thoughts?\b|\bchange of plans?\b|\bchanged my mind\b|\bno,? wait\b|\brather\b|算了|不对|改主意|重新(?:定|来)|推翻|前面(?:说的|那个)不算|作废|还是改", re.I)


class Act(NamedTuple):
    """What one sentence does. `target` is set for a restore."""

    update: bool = False
    cancel: bool = False
    swap: bool = False
    accept: bool = False
    reject: bool = False
    question: bool = False
    suppose: bool = False
    quoted: bool = False
    same: bool = False
    target: Target | None = None


def act_of(text: str) -> Act:
    """The act of a sentence, from its cues in both languages."""
    question = bool(_QUESTION.search(text)) and not _REQUEST.search(text)
    if _CONFIRMS.search(text):
        question = False  # "it is X, right?" says X
    asks = question and bool(_ASKS.search(text))
    suppose = bool(_SUPPOSE.search(text)) and not re.search(r"\bif (?:you|we) (?:can|could|please)\b", text, re.I)
    back = _BACK.search(text)
    return Act(
        update=bool(_UPDATE.search(text)) and not asks,
        cancel=any(not _KEPT.search(text[: m.start()]) for m in _CANCEL.finditer(text)),
        swap=bool(_SWAP.search(text)),
        accept=bool(_ACCEPT.search(text.strip())),
        reject=bool(_REJECT.search(text.strip())),
        question=question,
        suppose=suppose,
        quoted=bool(_QUOTE.search(text)),
        same=bool(_SAME.search(text)),
        target=_target(text) if back and not _DEAD.search(text) else None,
    )


def _target(text: str) -> Target:
    if at := _ROUND.search(text):
        return Target("round", int(at[1] or at[2]))
    if _MIDDLE.search(text):
        return Target("middle")
    if _FIRST.search(text):
        return Target("first")
    if nth := _NTH.search(text):
        return Target("nth", _ORD.get((nth[1] or "").lower()) or number(nth[2] or "") or 0)
    return Target("previous")


def pairs(text: str) -> list[tuple[str, str]]:
    """(old, new) where a sentence names both."""
    out = []
    for pattern in PAIRS:
        for match in pattern.finditer(text):
            old, new = match["old"].strip(" .,:"), re.sub(r"^(?:and|use|have|it|a|an|the|就|用)\s*", "", match["new"].strip())
            new = re.sub(r"(?:吧|了|呗|please)$", "", new).strip()
            if old and new and old != new:
                out.append((old, new))
    return out


def objects(text: str) -> list[str]:
    """New values in words that no type recognises ("growth", "二等座")."""
    out = []
    for pattern in OBJECT:
        for match in pattern.finditer(text):
            value = re.sub(r"\s+(?:please|instead|then|now|again|after all|for me|ok|okay)\b.*$", "", match["new"].strip(), flags=re.I)
            if value and not _BACK.search(match.group()) and not re.fullmatch(r"(?:it|that|this|them|one|so|up|sure|me|you)(?:\s.*)?|[一二三四五六七八九十]?个?", value, re.I):
                out.append(value)
    return out
