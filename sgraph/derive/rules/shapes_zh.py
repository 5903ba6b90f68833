"""The claim shapes of Chinese: the table of `shapes` once more, over patterns, for words do not inflect.

How to read a row: subject, verb and complement stand in this order, with nothing but listed adverbs and a time between.

    我        the speaker, "we", or "my sister"         谁       any person: the speaker or a name
    家人      a relative of the speaker                 {事}     any noun phrase; it becomes the subject
    不, 没    a negation may, or must, stand here       甲|乙    either word          ?甲   may be missing
    {slot}    words that are kept (see PIECES in `chinese`): {value} makes a claim, {old} a second, negated one
"""

from __future__ import annotations

from sgraph.derive.rules.shapes import Shape

SHAPES: tuple[Shape, ...] = (
    Shape("cancellation", "我", "取消了", "{value}", None, "cancellation", ("我们取消了周三的会议。",),
          status="cancelled", change="cancellation"),
    Shape("cancellation", "{事}", "?被 取消了|取消|黄了|泡汤了", "", None, "cancellation",
          ("去挪威的旅行取消了。",), status="cancelled", change="cancellation"),
    Shape("move", "{事}", "?被 推迟到|改到|延期到|延后到|提前到|挪到 ?了", "{value}", "date", "change",
          ("发布会推迟到九月了。",), status="planned", change="move"),
    Shape("move", "我", "把", "{subject} 推迟到|改到|延期到|延后到|提前到|挪到 ?了 {value}", "date", "change",
          ("我们把发布时间推迟到周五了。",), status="planned", change="move"),
    Shape("completion", "{事}", "完成了|做好了|修好了|建好了|上线了|做完了", "", None, "task_completed",
          ("书架做好了。",), status="occurred", change="completion"),
    Shape("decision", "谁", "决定|选择|选|选用|敲定|确定 ?了 ?用|采用|使用", "{tool} 做|作为|当|来做 {topic}", None,
          "decision", ("我们决定用 Postgres 做数据库。",), status="occurred", scope="project"),
    Shape("decision", "谁", "决定 ?了 不|不再", "{value}", "decision", "decision", ("团队决定不支持旧版本。",),
          status="occurred", ends=True, scope="project"),
    Shape("decision", "谁", "决定 ?了", "{value}", "decision", "decision", ("我决定卖掉那辆车。",),
          status="occurred"),
    Shape("relative", "家人", "叫|名叫|的名字叫|的名字是", "{value}", "kin", "fact", ("我儿子叫小宝。",),
          criticality="identity"),
    Shape("name", "我", "叫|的名字是|的名字叫|名叫", "{value}", "name", "fact", ("我叫林晓。",),
          criticality="identity"),
    Shape("favourite", "我", "最喜欢的|最爱的", "{topic} 是 {value}", "favourite", "preference",
          ("我最喜欢的颜色是青色。",), criticality="preference"),
    Shape("attribute", "我的", "", "{attribute} 是|为 {value}", None, "fact", ("我的邮箱是 lin@example.org。",),
          criticality="identity"),
    Shape("attribute", "我们的", "", "{attribute} 是|为|改成了 {value}", None, "fact",
          ("我们的默认分支是 main。",), scope="project"),
    Shape("attribute", "{事}", "?的", "{attribute} 是|为|改成了|改成|换成了 {value}", None, "fact",
          ("访客网络的密码是 heron-blue。",), scope="project"),
    Shape("allergy", "谁", "对", "{value} 过敏", "allergic_to", "fact", ("我对花生过敏。",), criticality="safety"),
    Shape("diet", "谁", "是|吃", "{diet}", "diet", "fact", ("我吃素。",), criticality="safety"),
    Shape("age", "谁", "", "{years} 岁 ?了", "age", "fact", ("我今年34岁。",), criticality="identity"),
    Shape("works_at", "谁", "不 在", "{value} 上班|工作|任职|就职|打工", "works_at", "fact", ("我在北门公司上班。",)),
    Shape("relocation", "谁", "从", "{old} 搬到|搬去|搬家到 ?了 {value}", "lives_in", "change",
          ("我从图尔库搬到了坦佩雷。",), status="occurred", change="change", criticality="identity"),
    Shape("relocation", "谁", "搬到|搬去|搬家到 ?了", "{value}", "lives_in", "change", ("陈晨上个月搬到了成都。",),
          status="occurred", change="change", criticality="identity"),
    Shape("lives_in", "谁", "不 住在|定居在", "{value}", "lives_in", "fact", ("我住在杭州。",),
          criticality="identity"),
    Shape("origin", "谁", "不 来自", "{value}", "from", "fact", ("我来自芬兰。",), criticality="identity"),
    Shape("origin", "谁", "不 是", "{land} 人", "from", "fact", ("我是芬兰人。",), criticality="identity"),
    Shape("role", "谁", "不 是|当 ?一名|一个|一位", "{role}", "role", "fact", ("我是后端工程师。",),
          criticality="identity"),
    Shape("pet", "我", "养|有|领养 ?了", "{counter} ?叫|名叫 {name_of} 的 {animal}", "pet", "fact",
          ("我养了一只叫饼干的狗。",), criticality="identity"),
    Shape("speaks", "谁", "不 会说|能说|会讲", "{languages}", "speaks", "skill", ("我会说丹麦语。",)),
    Shape("knows", "谁", "不 认识", "{people}", "knows", "fact", ("我认识王芳。",)),
    Shape("switch", "谁", "从", "{old_tool} 换成|换到|切换到|迁移到|改用 ?了 {tool} ?了", "uses", "migration",
          ("我从 VS Code 换成了 Zed。",), status="occurred", change="change", scope="project"),
    Shape("uses", "谁", "不 用|使用|在用 ?着|了", "{tool} ?{purpose}", "uses", "fact",
          ("我一直用 Neovim 写代码。",), scope="project"),
    Shape("sold", "谁", "把", "{value} 卖了|卖掉了|送人了", "owns", "change", ("阿布把他的船卖了。",),
          status="occurred", change="change", ends=True),
    Shape("bought", "谁", "买了|购买了|入手了", "{value}", "owns", "change", ("我昨天买了一台相机。",),
          status="occurred", change="change"),
    Shape("owns", "谁", "有|拥有", "{counted}", "owns", "fact", ("我有一辆货运自行车。",)),
    Shape("preference", "谁", "不 更喜欢|更爱|偏好|偏爱", "{value}", "prefers", "preference",
          ("我更喜欢用空格缩进。",), criticality="preference"),
    Shape("preference", "谁", "不 喜欢|爱|热爱|钟爱", "{value}", "likes", "preference", ("小雨很爱爬山。",),
          criticality="preference"),
    Shape("preference", "谁", "讨厌|厌恶|受不了|恨", "{value}", "dislikes", "preference", ("我讨厌下雨天。",),
          criticality="preference"),
    Shape("progress", "我", "在", "{activity}", None, "task", ("我在学法语。",), status="ongoing"),
    Shape("progress", "我", "正在|正", "{rest}", None, "task", ("我正在学弹尤克里里。",), status="ongoing"),
    Shape("plan", "我", "不 打算|计划|准备|将要|要去|会在|会去|会把|将在|将", "{rest}", None, "plan",
          ("我打算明年学大提琴。",), status="planned"),
    Shape("happening", "我", "没", "{rest}", None, "other", ("我没去参加同学会。",), status="occurred"),
    Shape("happening", "我", "", "{deed}", None, "other", ("昨天我去了攀岩馆。",), status="occurred"),
)  # fmt: skip
