// The words of the page: key = English = Chinese. Where English tells one from many by {n}: row(|s), quer(y|ies).

import {keep} from "./dom.js"

const WORDS = new Map(`
skip = Skip to the content = 跳到正文
library = Library = 资料库
libraries = Libraries = 资料库
nav.ask = Ask = 提问
nav.documents = Documents = 文档
nav.tables = Tables = 表格
tables.all = All tables = 全部表格
nav.search = Search = 搜索
nav.tree = Tree = 摘要树
nav.evaluations = Evaluations = 评测
answers = Answers = 回答
nav.tasks = Tasks = 任务
nav.settings = Settings = 设置
shortcuts = Shortcuts = 快捷键
drop = Drop files to add them to the library = 松开即可把文件加入资料库
drop.hint = Files and folders can be dropped anywhere on this page. = 文件和文件夹可以拖到页面任意处。
add = Add = 添加
apply = Apply = 应用
build = Build = 构建
cancel = Cancel = 取消
close = Close = 关闭
copy = Copy = 复制
copied = Copied. = 已复制。
delete = Delete = 删除
delete.sure = Delete {name}? = 删除 {name}？
download = Download = 下载
edit = Edit = 编辑
filter = Filter = 筛选
forget = Forget = 忘记
forget.sure = Forget {name}? The file itself stays where it is. = 忘记 {name}？原文件不会被删除。
more = More = 更多
none = None. = 没有。
open = Open in full = 完整打开
options = Options = 选项
remove = Remove = 移除
save = Save = 保存
saved = Saved. = 已保存。
send = Send = 发送
stop = Stop = 停止
stopped = Stopped. = 已停止。
test = Test = 测试
undo = Undo the correction = 撤销更正
upload = Add files = 添加文件
loading = Loading … = 正在载入…
progress = Progress = 进度
working = Working = 正在处理
waiting = waiting = 等待中
sending = sending = 正在发送
failed = the server answered with status {status} = 服务器返回状态 {status}
unreachable = the server cannot be reached: is it still running? = 无法连接服务器，它还在运行吗？
stream.ended = the server stopped before there was an answer = 服务器在给出答案之前中断了
too.large = the file is larger than the server takes ({most}) = 文件超过服务器允许的大小（{most}）
claim = Ask your tables. = 向你的表格提问。
claim.about = {n} table(|s). Every answer shows the cells it rests on. = {n} 个表格。每个答案都标明它所依据的单元格。
empty = Nothing is here yet. Drop files anywhere on this page. = 这里还没有内容。把文件拖到页面任意处即可。
question = Question = 问题
ask.hint = Ask a question … = 输入问题…
ask.again = Ask again = 再问一次
ask.new = New conversation = 新对话
judge = Judge a statement = 判断陈述
judge.hint = State something to be judged … = 输入要判断的陈述…
earlier = Earlier conversations = 以前的对话
try.average = What is the average {column}? = {column}的平均值是多少？
try.sum = What is the total {column}? = {column}总共是多少？
try.most = What is the largest {column}? = {column}最大是多少？
mode = What a model is shown = 给模型看什么
configured = as configured = 按配置
no.model = Without a language model = 不用语言模型
sure = {share} sure = 把握 {share}
basis.program = computed = 计算得出
basis.reading = read by a model = 由模型读出
basis.passages = passages = 段落
rows.read = {read} of {total} rows read = 读取 {total} 行中的 {read} 行
rows.used = {used} of {total} rows used = 用到 {total} 行中的 {used} 行
rows.in = {read} rows in, {indexed} indexed = 读入 {read} 行，索引 {indexed} 行
usage = {n} call(|s) of a model, {tokens} tokens = 调用模型 {n} 次，{tokens} 个词元
citation = Citation {n}: {place} = 引用 {n}：{place}
rests.on = Rests on = 依据
nearest = Nearest passages and rows = 最接近的段落和行
nearest.tables = Nearest tables = 最接近的表格
did.you.mean = Did you mean = 您是不是想问
remembered = Read as you chose before. = 按您以前的选择理解。
cut = The result was cut at {n} rows: there are more. = 结果在 {n} 行处截断，还有更多行。
verdict.supported = Supported = 支持
verdict.refuted = Refuted = 反驳
verdict.not_enough_info = Not enough information = 信息不足
program = Program = 程序
result = Result = 结果
truncated = There are more rows. = 还有更多行。
trace = {n} step(|s), {time} = {n} 步，{time}
step.recall = recall = 召回
step.read = read the question = 理解问题
step.run = run the program = 运行程序
step.cite = cite = 引用
step.passages = find passages = 查找段落
step.judge = judge = 判断
list.short = {n}: {part} … {last} = {n} 项：{part} … {last}
way.text = Text = 文本
page = Page {n} = 第 {n} 页
way.page = Page = 页面
pages = Pages = 页
frames = Frame what was found = 框出识别到的内容
n.rows = {n} row(|s) = {n} 行
n.columns = {n} column(|s) = {n} 列
n.tables = {n} table(|s) = {n} 个表格
n.pages = {n} page(|s) = {n} 页
n.leaves = {n} lea(f|ves) = {n} 个叶子
n.layers = {n} layer(|s) = {n} 层
n.queries = {n} quer(y|ies) = {n} 个查询
n.rejected = {n} row(|s) rejected = {n} 行被拒绝
n.picked = {n} row(|s) picked: {rows} = 已选 {n} 行：{rows}
n.more = {n} more = 另有 {n} 项
shown = {shown} of {total} = {total} 个中的 {shown} 个
seen = rows {from}–{to} of {total} = 第 {from}–{to} 行，共 {total} 行
name = Name = 名称
type = Type = 类型
tables = Tables = 表格
columns = Columns = 列
way.table = Table = 表格
rows = Rows = 行
row = Row = 行
size = Size = 大小
state.added = added = 已添加
state.unchanged = unchanged = 未变
state.updated = updated = 已更新
state.forgotten = forgotten = 已忘记
go.row = Go to row = 转到行
kind = Kind = 类型
kind.integer = whole number = 整数
kind.decimal = decimal = 小数
kind.boolean = true or false = 是否
kind.date = date = 日期
kind.datetime = date and time = 日期时间
kind.text = text = 文本
unit = Unit = 单位
marks = Mark of the picked rows = 所选行的标记
mark.data = data = 数据
mark.subtotal = subtotal = 小计
mark.total = total = 合计
mark.section = section = 分节
mark.hidden = hidden = 隐藏
mark.derived = derived = 派生
pick.rows = Click on row numbers to pick rows; Shift picks a range. = 点击行号选择行，按住 Shift 可连选。
understanding = Understanding = 理解
title = Title = 标题
header.row = First row of the header = 表头起始行
header.rows = Header rows = 表头行数
notes = Notes = 注释
corrected = Corrected = 已更正
corrected.done = The table was read again. = 已重新读取表格。
search.hint = words, "exact words", prefix*, slip~ = 词、"原文"、前缀*、近似~
search.similarity = Similarity = 相似度
search.strategy = Strategy = 策略
search.group = Group = 组
search.rerank = Rerank = 重排
search.add = Add a column = 增加一列
search.layers = Layers, {time} = 各层，{time}
scope.library = over the library = 整个资料库
scope.document = over each document = 每个文档
rebuild = from scratch = 从头开始
tree.none = There is no tree yet. It sums up what belongs together, layer upon layer. = 还没有摘要树。它把相关内容逐层归纳。
by.model = by a model = 由模型写成
by.extract = sentences = 摘句
layer = layer {n} = 第 {n} 层
way = Way = 方式
seconds = Seconds = 秒
eval.new = New evaluation = 新评测
eval.queries = Queries, one JSON object a line = 查询，每行一个 JSON 对象
eval.run = Measure = 开始评测
eval.line = line {n} is not a query: {why} = 第 {n} 行不是查询：{why}
eval.others = other measures = 其他指标
runs = Runs = 运行记录
recipe = Recipe = 方案
begun = Begun = 开始时间
sets = Sets = 数据集
variants = Variants = 变体
variant = Variant = 变体
unfinished = unfinished = 未完成
provenance = How it was made = 运行环境
run.answers = answers = 回答
run.retrieval = retrieval = 检索
run.sample = {n} quer(y|ies) a set, seed {seed} = 每个数据集 {n} 个查询，种子 {seed}
n.cores = {n} core(|s) = {n} 核
n.errors = {n} error(|s) = {n} 个错误
of.size = {name}, {n} row(|s) a table = {name}，每表 {n} 行
grown = {name}, as tables grow = {name}：随表格增大
compare = Beside it = 对照
compare.none = no other run = 不对照
difference = Difference = 差异
difference.to = Difference to {name} = 与 {name} 的差异
bars.note = Bars are 95 % confidence intervals. = 横条为 95% 置信区间。
marks.note = ▲ and ▼ differ from {name}, p < 0.05. = ▲ 和 ▼ 表示与 {name} 有显著差异，p < 0.05。
apart.note = ▲ and ▼ where the confidence intervals lie apart. = ▲ 和 ▼ 表示置信区间互不重叠。
nothing.common = The runs measured nothing in common. = 两次运行没有共同的指标。
skipped = skipped = 已跳过
all.figures = All figures = 全部数值
memory = Memory = 内存
metric = Metric = 指标
metric.accuracy = accuracy = 准确率
metric.coverage = coverage = 覆盖率
metric.precision = precision = 精确率
metric.exact_match = exact match = 完全匹配
metric.f1 = F1 = F1
metric.macro_f1 = macro F1 = 宏平均 F1
metric.citation = citation = 引用
metric.recall = recall = 召回率
metric.ndcg = nDCG = nDCG
metric.mrr = MRR = MRR
metric.prompt_tokens = prompt tokens = 提示词元
metric.reply_tokens = reply tokens = 回复词元
metric.calls = calls = 调用次数
metric.ms = ms = 毫秒
level.row = rows = 行
level.column = columns = 列
level.cell = cells = 单元格
level.inside = {level} in the right table = 正确表格中的{level}
plot.confidence = {metric} with 95 % confidence intervals = {metric}及其 95% 置信区间
plot.against = {metric} against {cost} = {metric}与{cost}
plot.recall = recall over K = 召回率随 K 的变化
plot.sizes = {metric} over the size of tables = {metric}随表格大小的变化
task.add = add files = 添加文件
task.embed = make missing vectors = 补全向量
task.clarify = say what tables are for = 说明表格用途
task.raptor = build the tree = 构建摘要树
task.doctor = look for damage = 检查损坏
task.evaluate = evaluate = 评测
task.correct = read again = 重新读取
task.restore = restore = 恢复
state.queued = queued = 排队中
state.running = running = 进行中
state.done = done = 完成
state.failed = failed = 失败
state.cancelled = cancelled = 已取消
phase.read = reading = 读取
phase.make = making = 生成
phase.wait = waiting = 等待
phase.embed = making vectors = 生成向量
look = Look = 外观
language = Language = 语言
theme = Theme = 主题
theme.auto = as the system = 跟随系统
theme.light = light = 浅色
theme.dark = dark = 深色
models = Models = 模型
set.chat = Chat = 对话
set.embed = Vectors = 向量
set.rerank = Rerankers = 重排器
no.chat = No language model: the built-in parser answers. = 没有语言模型：由内置解析器回答。
provider = Provider = 提供方
model = Model = 模型
url = Address = 地址
backup = Backup = 备份
role = Role = 角色
role.read = read = 读
role.write = write = 写
role.admin = admin = 管理
keys = API keys = API 密钥
key = API key = API 密钥
key.env = Environment variable with the key = 存放密钥的环境变量
key.once = The new key, shown only now: = 新密钥，只显示这一次：
key.title = This server needs a key = 此服务器需要密钥
key.about = It is kept until this tab is closed. = 密钥保存到关闭此标签页为止。
key.use = Use the key = 使用密钥
keys.question = go to the question = 转到问题框
keys.help = show these shortcuts = 显示快捷键
keys.close = close the panel = 关闭面板
keys.send = send the question = 发送问题
keys.line = new line = 换行
keys.move = move in a grid or a tree = 在表格或树中移动
keys.page = a screenful up or down = 上下翻屏
keys.ends = first or last row = 第一行或最后一行
`.trim().split("\n").map(line => {const [key, ...pair] = line.split(" = "); return [key, pair]}))

export const language = () => (document.documentElement.lang === "zh" ? "zh" : "en")

// Changes it; the page is drawn anew.
export function speak(name) {
	keep("language", name)
	location.reload()
}

// The words for a key with `{names}` filled in; `other` where there are none.
export function t(key, values = {}, other = key, tongue = language()) {
	const text = WORDS.get(key)?.[tongue === "zh" ? 1 : 0] ?? other ?? ""
	return text.replace(/\((\w*)\|(\w*)\)/g, String(values.n) === "1" ? "$1" : "$2")
		.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? number(values[name]) : values[name] ?? ""))
}

const formats = {}

export function number(value = 0, decimals = 0) {
	formats[decimals] ??= new Intl.NumberFormat(language(), {maximumFractionDigits: decimals})
	return formats[decimals].format(value)
}

export const percent = (share, decimals) => `${number(100 * share, decimals)}${language() === "zh" ? "%" : " %"}`

export function apply() {
	for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t)
	for (const node of document.querySelectorAll("[data-t-label]")) node.ariaLabel = t(node.dataset.tLabel)
	document.documentElement.classList.add("ready")
}
