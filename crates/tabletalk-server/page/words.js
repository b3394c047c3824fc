// The words of the page: key = English = Chinese = German. Where English tells one from many by {n}: row(|s), quer(y|ies).

import {keep} from "./dom.js"

const WORDS = new Map(`
skip = Skip to the content = 跳到正文 = Zum Inhalt springen
library = Library = 资料库 = Bibliothek
libraries = Libraries = 资料库 = Bibliotheken
nav.ask = Ask = 提问 = Fragen
nav.documents = Documents = 文档 = Dokumente
nav.tables = Tables = 表格 = Tabellen
tables.all = All tables = 全部表格 = Alle Tabellen
nav.search = Search = 搜索 = Suchen
nav.tree = Tree = 摘要树 = Baum
nav.evaluations = Evaluations = 评测 = Auswertungen
answers = Answers = 回答 = Antworten
nav.tasks = Tasks = 任务 = Aufgaben
nav.settings = Settings = 设置 = Einstellungen
shortcuts = Shortcuts = 快捷键 = Tastenkürzel
drop = Drop files to add them to the library = 松开即可把文件加入资料库 = Loslassen, um die Dateien hinzuzufügen
drop.hint = Files and folders can be dropped anywhere on this page. = 文件和文件夹可以拖到页面任意处。 = Dateien und Ordner lassen sich überall auf diese Seite ziehen.
add = Add = 添加 = Hinzufügen
apply = Apply = 应用 = Anwenden
build = Build = 构建 = Bauen
cancel = Cancel = 取消 = Abbrechen
close = Close = 关闭 = Schließen
copy = Copy = 复制 = Kopieren
copied = Copied. = 已复制。 = Kopiert.
delete = Delete = 删除 = Löschen
delete.sure = Delete {name}? = 删除 {name}？ = {name} löschen?
download = Download = 下载 = Herunterladen
edit = Edit = 编辑 = Bearbeiten
filter = Filter = 筛选 = Filtern
forget = Forget = 忘记 = Vergessen
forget.sure = Forget {name}? The file itself stays where it is. = 忘记 {name}？原文件不会被删除。 = {name} vergessen? Die Datei selbst bleibt, wo sie ist.
more = More = 更多 = Mehr
none = None. = 没有。 = Nichts.
open = Open in full = 完整打开 = Ganz öffnen
options = Options = 选项 = Optionen
remove = Remove = 移除 = Entfernen
save = Save = 保存 = Speichern
saved = Saved. = 已保存。 = Gespeichert.
send = Send = 发送 = Senden
stop = Stop = 停止 = Anhalten
stopped = Stopped. = 已停止。 = Angehalten.
test = Test = 测试 = Prüfen
undo = Undo the correction = 撤销更正 = Berichtigung zurücknehmen
upload = Add files = 添加文件 = Dateien hinzufügen
loading = Loading … = 正在载入… = Wird geladen …
progress = Progress = 进度 = Fortschritt
working = Working = 正在处理 = In Arbeit
waiting = waiting = 等待中 = wartet
sending = sending = 正在发送 = wird gesendet
failed = the server answered with status {status} = 服务器返回状态 {status} = der Server antwortete mit Status {status}
unreachable = the server cannot be reached: is it still running? = 无法连接服务器，它还在运行吗？ = der Server ist nicht erreichbar: läuft er noch?
bug = A mistake of the program: {message} = 这是程序的错误：{message} = Ein Fehler des Programms: {message}
stream.ended = the server stopped before there was an answer = 服务器在给出答案之前中断了 = der Server brach ab, bevor es eine Antwort gab
too.large = the file is larger than the server takes ({most}) = 文件超过服务器允许的大小（{most}） = die Datei ist größer, als der Server annimmt ({most})
claim = Ask your tables. = 向您的表格提问。 = Fragen Sie Ihre Tabellen.
claim.about = {n} table(|s). Every answer shows the cells it rests on. = {n} 个表格。每个答案都标明它所依据的单元格。 = {n} Tabelle(|n). Jede Antwort zeigt die Zellen, auf denen sie beruht.
empty = Nothing is here yet. Drop files anywhere on this page. = 这里还没有内容。把文件拖到页面任意处即可。 = Hier ist noch nichts. Ziehen Sie Dateien irgendwo auf diese Seite.
question = Question = 问题 = Frage
ask.hint = Ask a question … = 输入问题… = Eine Frage stellen …
ask.again = Ask again = 再问一次 = Noch einmal fragen
ask.new = New conversation = 新对话 = Neues Gespräch
judge = Judge a statement = 判断陈述 = Aussage prüfen
judge.hint = State something to be judged … = 输入要判断的陈述… = Eine Aussage, die geprüft werden soll …
earlier = Earlier conversations = 以前的对话 = Frühere Gespräche
try.average = What is the average {column}? = {column}的平均值是多少？ = Was ist der Durchschnitt von {column}?
try.sum = What is the total {column}? = {column}总共是多少？ = Wie hoch ist die Summe von {column}?
try.most = What is the largest {column}? = {column}最大是多少？ = Was ist das Maximum von {column}?
mode = What a model is shown = 给模型看什么 = Was ein Modell zu sehen bekommt
configured = as configured = 按配置 = wie eingestellt
no.model = Without a language model = 不用语言模型 = Ohne Sprachmodell
sure = {share} sure = 把握 {share} = {share} sicher
basis.program = computed = 计算得出 = berechnet
basis.reading = read from cells or passages = 从单元格或段落中读出 = aus Zellen oder Absätzen gelesen
basis.passages = passages = 段落 = Textstellen
rows.read = {read} of {total} rows read = 读取 {total} 行中的 {read} 行 = {read} von {total} Zeilen gelesen
rows.used = {used} of {total} rows used = 用到 {total} 行中的 {used} 行 = {used} von {total} Zeilen verwendet
rows.in = {read} rows in, {indexed} indexed = 读入 {read} 行，索引 {indexed} 行 = {read} Zeilen gelesen, {indexed} aufgenommen
usage = {n} call(|s) of a model, {tokens} tokens = 调用模型 {n} 次，{tokens} 个词元 = {n} Anfrage(|n) an ein Modell, {tokens} Token
citation = Citation {n}: {place} = 引用 {n}：{place} = Beleg {n}: {place}
rests.on = Rests on = 依据 = Beruht auf
nearest = Nearest passages and rows = 最接近的段落和行 = Nächste Textstellen und Zeilen
nearest.tables = Nearest tables = 最接近的表格 = Nächste Tabellen
did.you.mean = Did you mean = 您是不是想问 = Meinten Sie
remembered = Read as you chose before. = 按您以前的选择理解。 = Gelesen, wie Sie es früher gewählt haben.
cut = The result was cut at {n} rows: there are more. = 结果在 {n} 行处截断，还有更多行。 = Das Ergebnis wurde bei {n} Zeilen abgeschnitten: es gibt mehr.
verdict.supported = Supported = 支持 = Bestätigt
verdict.refuted = Refuted = 反驳 = Widerlegt
verdict.not_enough_info = Not enough information = 信息不足 = Zu wenig Angaben
program = Program = 程序 = Programm
result = Result = 结果 = Ergebnis
truncated = There are more rows. = 还有更多行。 = Es gibt weitere Zeilen.
trace = {n} step(|s), {time} = {n} 步，{time} = {n} Schritt(|e), {time}
step.recall = recall = 召回 = suchen
step.read = read the question = 理解问题 = Frage lesen
step.run = run the program = 运行程序 = Programm ausführen
step.cite = cite = 引用 = belegen
step.passages = find passages = 查找段落 = Textstellen suchen
step.judge = judge = 判断 = urteilen
step.extract = read passages = 从段落中找答案 = Textstellen lesen
step.check = check = 核对 = prüfen
step.expand = look for other names = 查找别的名称 = andere Namen suchen
step.resolve = complete the question = 补全问题 = Frage ergänzen
step.built-in = the built-in parser = 内置解析器 = der eingebaute Leser
step.look up = look up = 查阅 = nachschlagen
step.clarify = explain = 说明 = erklären
step.filter = filter = 筛选 = filtern
step.show = show the model = 给模型看 = dem Modell zeigen
step.think = think = 思考 = überlegen
step.vote = vote = 表决 = abstimmen
about.by = by = 方式 = über
about.table = table = 表格 = Tabelle
about.tables = tables = 表格 = Tabellen
about.over = over = 范围 = über
about.share = share = 份额 = Anteil
about.program = program = 程序 = Programm
about.rows = rows = 行 = Zeilen
about.columns = columns = 列 = Spalten
about.cells = cells = 单元格 = Zellen
about.values = values = 值 = Werte
about.readings = readings = 理解 = Lesarten
about.words = words = 说法 = Worte
about.probability = probability = 概率 = Wahrscheinlichkeit
about.unknown = unknown words = 未知的词 = unbekannte Wörter
about.sure = sure = 把握 = sicher
about.sql = SQL = SQL = SQL
about.rows_read = rows read = 读取的行 = gelesene Zeilen
about.rows_total = rows in all = 总行数 = Zeilen insgesamt
about.passages = passages = 段落 = Textstellen
about.mode = mode = 方式 = Art
about.agrees = agrees = 一致 = stimmt überein
about.built_in = built-in parser = 内置解析器 = eingebauter Leser
about.samples = samples = 采样 = Versuche
about.votes = votes = 票数 = Stimmen
about.tokens = tokens = 词元 = Token
about.text = text = 文本 = Text
about.asked = asked = 询问 = gefragt
about.gave = gave = 得到 = erhalten
about.question = question = 问题 = Frage
about.error = error = 错误 = Fehler
about.fault = fault = 责任 = Ursache
about.part = part = 部分 = Teil
about.problem = problem = 问题 = Mangel
about.repaired = repaired = 已修复 = behoben
about.findings = findings = 发现 = Befunde
about.interrupted = interrupted = 已中断 = unterbrochen
about.groups = groups = 组 = Gruppen
about.queries = queries = 查询 = Anfragen
about.took_ms = ms = 毫秒 = ms
about.notes = notes = 注释 = Anmerkungen
list.short = {n}: {part} … {last} = {n} 项：{part} … {last} = {n}: {part} … {last}
way.text = Text = 文本 = Text
page = Page {n} = 第 {n} 页 = Seite {n}
way.page = Page = 页面 = Seite
pages = Pages = 页 = Seiten
frames = Frame what was found = 框出识别到的内容 = Gefundenes einrahmen
n.rows = {n} row(|s) = {n} 行 = {n} Zeile(|n)
n.columns = {n} column(|s) = {n} 列 = {n} Spalte(|n)
n.tables = {n} table(|s) = {n} 个表格 = {n} Tabelle(|n)
n.pages = {n} page(|s) = {n} 页 = {n} Seite(|n)
n.leaves = {n} lea(f|ves) = {n} 个叶子 = {n} Bl(att|ätter)
n.layers = {n} layer(|s) = {n} 层 = {n} Schicht(|en)
n.queries = {n} quer(y|ies) = {n} 个查询 = {n} Anfrage(|n)
n.rejected = {n} row(|s) rejected = {n} 行被拒绝 = {n} Zeile(|n) abgelehnt
n.picked = {n} row(|s) picked: {rows} = 已选 {n} 行：{rows} = {n} Zeile(|n) gewählt: {rows}
n.more = {n} more = 另有 {n} 项 = {n} weitere
shown = {shown} of {total} = {total} 个中的 {shown} 个 = {shown} von {total}
seen = rows {from}–{to} of {total} = 第 {from}–{to} 行，共 {total} 行 = Zeilen {from}–{to} von {total}
name = Name = 名称 = Name
type = Type = 类型 = Art
tables = Tables = 表格 = Tabellen
columns = Columns = 列 = Spalten
way.table = Table = 表格 = Tabelle
rows = Rows = 行 = Zeilen
row = Row = 行 = Zeile
size = Size = 大小 = Größe
state.added = added = 已添加 = hinzugefügt
state.unchanged = unchanged = 未变 = unverändert
state.updated = updated = 已更新 = erneuert
state.forgotten = forgotten = 已忘记 = vergessen
go.row = Go to row = 转到行 = Zu Zeile
kind = Kind = 类型 = Art
kind.integer = whole number = 整数 = ganze Zahl
kind.decimal = decimal = 小数 = Dezimalzahl
kind.boolean = true or false = 是否 = wahr oder falsch
kind.date = date = 日期 = Datum
kind.datetime = date and time = 日期时间 = Datum und Zeit
kind.text = text = 文本 = Text
unit = Unit = 单位 = Einheit
marks = Mark of the picked rows = 所选行的标记 = Was die gewählten Zeilen sind
mark.data = data = 数据 = Daten
mark.subtotal = subtotal = 小计 = Zwischensumme
mark.total = total = 合计 = Summe
mark.section = section = 分节 = Abschnitt
mark.hidden = hidden = 隐藏 = ausgeblendet
mark.derived = derived = 派生 = abgeleitet
pick.rows = Click on row numbers to pick rows; Shift picks a range. = 点击行号选择行，按住 Shift 可连选。 = Klicken Sie auf Zeilennummern, um Zeilen zu wählen; mit Umschalt einen Bereich.
understanding = Understanding = 理解 = Verständnis
title = Title = 标题 = Titel
header.row = First row of the header = 表头起始行 = Erste Zeile des Kopfes
header.rows = Header rows = 表头行数 = Kopfzeilen
notes = Notes = 注释 = Anmerkungen
corrected = Corrected = 已更正 = Berichtigt
corrected.done = The table was read again. = 已重新读取表格。 = Die Tabelle wurde neu gelesen.
search.hint = words, "exact words", prefix*, slip~ = 词、"原文"、前缀*、近似~ = Wörter, "genaue Wörter", Anfang*, ungefähr~
search.similarity = Similarity = 相似度 = Ähnlichkeit
search.strategy = Strategy = 策略 = Strategie
search.group = Group = 组 = Gruppe
search.rerank = Rerank = 重排 = Neu ordnen
search.add = Add a column = 增加一列 = Spalte hinzufügen
search.layers = Layers, {time} = 各层，{time} = Schichten, {time}
scope.library = over the library = 整个资料库 = über die Bibliothek
scope.document = over each document = 每个文档 = über jedes Dokument
rebuild = from scratch = 从头开始 = von vorn
tree.settings = Settings = 设置 = Einstellungen
tree.settings.about = For this build. What is left empty is as configured. = 仅用于这次构建；留空则按配置。 = Für diesen Bau. Was leer bleibt, ist wie eingestellt.
tree.max_token = Tokens of a summary = 每个摘要的词元数 = Tokens einer Zusammenfassung
tree.cluster_token = Tokens summed up at once = 一次归纳的词元数 = Tokens, die auf einmal zusammengefasst werden
tree.max_layers = Layers at most = 最多层数 = Höchstens so viele Schichten
tree.small = A layer short enough for one summary = 短得足以一次归纳的层 = Eine Schicht, die in eine Zusammenfassung passt
tree.method = How clusters are found = 聚类方法 = Wie Gruppen gefunden werden
tree.max_cluster = Clusters at most = 最多簇数 = Höchstens so viele Gruppen
tree.threshold = Probability to belong to a cluster = 归入一簇的概率 = Wahrscheinlichkeit, zu einer Gruppe zu gehören
tree.random_seed = Random seed = 随机种子 = Startwert des Zufalls
tree.none = There is no tree yet. It sums up what belongs together, layer upon layer. = 还没有摘要树。它把相关内容逐层归纳。 = Es gibt noch keinen Baum. Er fasst zusammen, was zusammengehört, Schicht um Schicht.
by.model = by a model = 由模型写成 = von einem Modell
by.extract = sentences = 摘句 = Sätze
layer = layer {n} = 第 {n} 层 = Schicht {n}
way = Way = 方式 = Weg
seconds = Seconds = 秒 = Sekunden
eval.new = New evaluation = 新评测 = Neue Auswertung
eval.queries = Queries, one JSON object a line = 查询，每行一个 JSON 对象 = Anfragen, ein JSON-Objekt je Zeile
eval.run = Measure = 开始评测 = Messen
eval.line = line {n} is not a query: {why} = 第 {n} 行不是查询：{why} = Zeile {n} ist keine Anfrage: {why}
eval.others = other measures = 其他指标 = weitere Maße
runs = Runs = 运行记录 = Läufe
recipe = Recipe = 方案 = Rezept
begun = Begun = 开始时间 = Begonnen
sets = Sets = 数据集 = Datensätze
variants = Variants = 变体 = Varianten
variant = Variant = 变体 = Variante
unfinished = unfinished = 未完成 = unfertig
provenance = How it was made = 运行环境 = Wie es entstand
run.answers = answers = 回答 = Antworten
run.retrieval = retrieval = 检索 = Suche
run.sample = {n} quer(y|ies) a set, seed {seed} = 每个数据集 {n} 个查询，种子 {seed} = {n} Anfrage(|n) je Datensatz, Startwert {seed}
n.cores = {n} core(|s) = {n} 核 = {n} Kern(|e)
n.errors = {n} error(|s) = {n} 个错误 = {n} Fehler
of.size = {name}, {n} row(|s) a table = {name}，每表 {n} 行 = {name}, {n} Zeile(|n) je Tabelle
grown = {name}, as tables grow = {name}：随表格增大 = {name}, mit wachsenden Tabellen
compare = Beside it = 对照 = Daneben
compare.none = no other run = 不对照 = kein anderer Lauf
difference = Difference = 差异 = Unterschied
difference.to = Difference to {name} = 与 {name} 的差异 = Unterschied zu {name}
bars.note = Bars are 95 % confidence intervals. = 横条为 95% 置信区间。 = Balken sind 95-%-Konfidenzintervalle.
marks.note = ▲ and ▼ differ from {name}, p < 0.05. = ▲ 和 ▼ 表示与 {name} 有显著差异，p < 0.05。 = ▲ und ▼ unterscheiden sich von {name}, p < 0,05.
apart.note = ▲ and ▼ where the confidence intervals lie apart. = ▲ 和 ▼ 表示置信区间互不重叠。 = ▲ und ▼, wo die Konfidenzintervalle getrennt liegen.
nothing.common = The runs measured nothing in common. = 两次运行没有共同的指标。 = Die Läufe haben nichts Gemeinsames gemessen.
skipped = skipped = 已跳过 = ausgelassen
all.figures = All figures = 全部数值 = Alle Zahlen
memory = Memory = 内存 = Speicher
metric = Metric = 指标 = Maß
metric.accuracy = accuracy = 准确率 = Genauigkeit
metric.coverage = coverage = 覆盖率 = Abdeckung
metric.precision = precision = 精确率 = Präzision
metric.exact_match = exact match = 完全匹配 = genaue Übereinstimmung
metric.f1 = F1 = F1 = F1
metric.macro_f1 = macro F1 = 宏平均 F1 = Makro-F1
metric.citation = citation = 引用 = Belege
metric.recall = recall = 召回率 = Trefferquote
metric.ndcg = nDCG = nDCG = nDCG
metric.mrr = MRR = MRR = MRR
metric.prompt_tokens = prompt tokens = 提示词元 = Token der Anfrage
metric.reply_tokens = reply tokens = 回复词元 = Token der Antwort
metric.calls = calls = 调用次数 = Aufrufe
metric.ms = ms = 毫秒 = ms
level.row = rows = 行 = Zeilen
level.column = columns = 列 = Spalten
level.cell = cells = 单元格 = Zellen
level.inside = {level} in the right table = 正确表格中的{level} = {level} in der richtigen Tabelle
plot.confidence = {metric} with 95 % confidence intervals = {metric}及其 95% 置信区间 = {metric} mit 95-%-Konfidenzintervallen
plot.against = {metric} against {cost} = {metric}与{cost} = {metric} gegen {cost}
plot.recall = recall over K = 召回率随 K 的变化 = Trefferquote über K
plot.sizes = {metric} over the size of tables = {metric}随表格大小的变化 = {metric} über die Größe der Tabellen
task.add = add files = 添加文件 = Dateien hinzufügen
task.embed = make missing vectors = 补全向量 = fehlende Vektoren berechnen
task.clarify = say what tables are for = 说明表格用途 = sagen, wozu Tabellen da sind
task.raptor = build the tree = 构建摘要树 = Baum bauen
task.doctor = look for damage = 检查损坏 = nach Schäden suchen
task.evaluate = evaluate = 评测 = auswerten
task.correct = read again = 重新读取 = neu lesen
task.restore = restore = 恢复 = wiederherstellen
state.queued = queued = 排队中 = eingereiht
state.running = running = 进行中 = läuft
state.done = done = 完成 = fertig
state.failed = failed = 失败 = fehlgeschlagen
state.cancelled = cancelled = 已取消 = abgebrochen
phase.read = reading = 读取 = liest
phase.make = making = 生成 = erzeugt
phase.wait = waiting = 等待 = wartet
phase.embed = making vectors = 生成向量 = berechnet Vektoren
look = Look = 外观 = Aussehen
language = Language = 语言 = Sprache
theme = Theme = 主题 = Farben
theme.auto = as the system = 跟随系统 = wie das System
theme.light = light = 浅色 = hell
theme.dark = dark = 深色 = dunkel
models = Models = 模型 = Modelle
set.chat = Chat = 对话 = Sprachmodell
set.embed = Vectors = 向量 = Vektoren
set.rerank = Rerankers = 重排器 = Neuordner
no.chat = No language model: the built-in parser answers. = 没有语言模型：由内置解析器回答。 = Kein Sprachmodell: der eingebaute Leser antwortet.
provider = Provider = 提供方 = Anbieter
model = Model = 模型 = Modell
url = Address = 地址 = Adresse
backup = Backup = 备份 = Sicherung
role = Role = 角色 = Rolle
role.read = read = 读 = lesen
role.write = write = 写 = schreiben
role.admin = admin = 管理 = verwalten
keys = API keys = API 密钥 = API-Schlüssel
key = API key = API 密钥 = API-Schlüssel
key.env = Environment variable with the key = 存放密钥的环境变量 = Umgebungsvariable mit dem Schlüssel
key.once = The new key, shown only now: = 新密钥，只显示这一次： = Der neue Schlüssel, nur jetzt gezeigt:
key.title = This server needs a key = 此服务器需要密钥 = Dieser Server braucht einen Schlüssel
key.about = It is kept until this tab is closed. = 密钥保存到关闭此标签页为止。 = Er wird behalten, bis dieser Reiter geschlossen wird.
key.use = Use the key = 使用密钥 = Schlüssel verwenden
keys.question = go to the question = 转到问题框 = zur Frage gehen
keys.help = show these shortcuts = 显示快捷键 = diese Kürzel zeigen
keys.close = close the panel = 关闭面板 = Seitenleiste schließen
keys.send = send the question = 发送问题 = Frage senden
keys.line = new line = 换行 = neue Zeile
keys.move = move in a grid or a tree = 在表格或树中移动 = in Tabelle oder Baum bewegen
keys.page = a screenful up or down = 上下翻屏 = eine Bildschirmseite auf oder ab
keys.ends = first or last row = 第一行或最后一行 = erste oder letzte Zeile
task.sync = keep in step = 同步文件夹 = abgleichen
task.make = make nodes = 生成节点 = Knoten erzeugen
save.as = Save as {format} = 保存为 {format} = Als {format} speichern
copy.link = Copy a link to this answer = 复制此答案的链接 = Link zu dieser Antwort kopieren
chart = Chart = 图表 = Diagramm
chart.bar = Bars = 柱状图 = Balken
chart.line = Line = 折线图 = Linie
report = Report = 报告 = Bericht
rename = Rename = 重命名 = Umbenennen
rename.to = What shall the conversation be called? = 给这个对话起什么名字？ = Wie soll das Gespräch heißen?
delete.conversation = Delete this conversation? = 删除这个对话？ = Dieses Gespräch löschen?
judge.up = This is right = 回答正确 = Das ist richtig
judge.down = This is wrong = 回答错误 = Das ist falsch
judged.good = Thank you. The same question will be read like this again. = 谢谢。以后相同的问题会同样理解。 = Danke. Dieselbe Frage wird wieder so gelesen.
judged.bad = Thank you. The same question will not be read like this again. = 谢谢。以后相同的问题不会再这样理解。 = Danke. Dieselbe Frage wird nicht wieder so gelesen.
feedback = What was said of answers = 对答案的评价 = Was zu Antworten gesagt wurde
feedback.none = Nothing yet: the thumbs below an answer say whether it is right. = 还没有：用答案下方的拇指说明它是否正确。 = Noch nichts: die Daumen unter einer Antwort sagen, ob sie stimmt.
judged = Right or wrong = 对或错 = Richtig oder falsch
judged.right = right = 正确 = richtig
judged.wrong = wrong = 错误 = falsch
answer = Answer = 答案 = Antwort
read.as = Read as = 理解为 = Gelesen als
read.other = Read it otherwise = 换一种理解 = Anders lesen
edit.sql = Change the statement = 修改语句 = Anweisung ändern
statement = Statement = 语句 = Anweisung
run = Run = 运行 = Ausführen
edited = Result of the changed statement = 修改后语句的结果 = Ergebnis der geänderten Anweisung
n.files = {n} file(|s) = {n} 个文件 = {n} Datei(|en)
each.file = Each file = 逐个文件 = Jede Datei
n.done = {n} of {total} done = 完成 {n} / {total} = {n} von {total} fertig
n.failed = {n} failed = {n} 个失败 = {n} fehlgeschlagen
tree.no.text = A tree sums up texts, and this library has none: only tables. Add documents with text. = 摘要树归纳文本，而这个资料库只有表格。请添加含文本的文档。 = Ein Baum fasst Texte zusammen, und diese Bibliothek hat keine: nur Tabellen. Fügen Sie Dokumente mit Text hinzu.
search.lab = Compare ways to search = 比较搜索方式 = Suchwege vergleichen
search.lab.about = The same query, side by side, by words, by meaning, in layers, reordered. = 同一查询并排比较：按词、按含义、分层、重排。 = Dieselbe Anfrage nebeneinander: nach Wörtern, nach Bedeutung, in Schichten, neu geordnet.
first.about = Ask questions about spreadsheets, CSV files, databases, PDF files and office documents. Every answer shows the cells it rests on. = 向电子表格、CSV、数据库、PDF 和办公文档提问。每个答案都标明所依据的单元格。 = Fragen Sie Tabellen, CSV-Dateien, Datenbanken, PDF-Dateien und Bürodokumente. Jede Antwort zeigt die Zellen, auf denen sie beruht.
first.drop = Drop files or folders here, or anywhere on the page = 把文件或文件夹拖到这里，或页面任意处 = Ziehen Sie Dateien oder Ordner hierher oder irgendwo auf die Seite
first.try = Or try an example at once = 或者马上试一个例子 = Oder gleich ein Beispiel ausprobieren
first.added = {name} was added. = 已添加 {name}。 = {name} wurde hinzugefügt.
first.model = Everyday questions are answered without a language model. One would add questions in free words, about texts, and in several steps. = 日常问题无需语言模型即可回答。接入模型后，可以用自由的说法提问、询问文本、分多步推理。 = Alltägliche Fragen werden ohne Sprachmodell beantwortet. Mit einem kommen freie Formulierungen, Fragen nach Texten und mehrere Schritte dazu.
first.connect = Connect a model = 接入模型 = Modell verbinden
find = Find models = 查找模型 = Modelle suchen
find.about = Ollama, llama.cpp, LM Studio, vLLM, and API keys in the environment = Ollama、llama.cpp、LM Studio、vLLM，以及环境变量里的 API 密钥 = Ollama, llama.cpp, LM Studio, vLLM und API-Schlüssel in der Umgebung
find.none = Nothing was found. Start Ollama (ollama.com) on this machine, or enter a provider and its key below. = 没有找到。请在本机启动 Ollama（ollama.com），或在下面填写提供方和密钥。 = Nichts gefunden. Starten Sie Ollama (ollama.com) auf diesem Rechner, oder tragen Sie unten Anbieter und Schlüssel ein.
here = on this machine = 本机 = auf diesem Rechner
elsewhere = over the network = 网络 = über das Netz
use = Use = 使用 = Verwenden
leaves.nothing = Nothing leaves this machine. = 数据不会离开本机。 = Nichts verlässt diesen Rechner.
leaves.to = Questions, and of the tables found for them names, rows and results, go to {url}. Files do not. = 问题以及为其找到的表格的名称、行和结果会发送到 {url}；文件不会发送。 = Fragen sowie Namen, Zeilen und Ergebnisse der dazu gefundenen Tabellen gehen an {url}. Dateien nicht.
provider.key = Key of the provider = 提供方密钥 = Schlüssel des Anbieters
provider.key.about = It is kept in a file that only the server reads, and never shown again. = 密钥保存在只有服务器可读的文件里，不会再显示。 = Er wird in einer Datei gehalten, die nur der Server liest, und nie wieder gezeigt.
key.kept = a key is kept = 已保存密钥 = ein Schlüssel ist hinterlegt
sort = sort = 排序 = sortieren
find.rows = Search in the rows = 在行中搜索 = In den Zeilen suchen
taken.first = Only the first {n} rows were taken. = 只取了前 {n} 行。 = Nur die ersten {n} Zeilen wurden genommen.
seen.first = rows {from}–{to} of the first {total}, {found} in all = 第 {from}–{to} 行，前 {total} 行，共 {found} 行 = Zeilen {from}–{to} der ersten {total}, {found} insgesamt
column = Column = 列 = Spalte
value = Value = 值 = Wert
comparison = Comparison = 比较 = Vergleich
is.has = has = 包含 = enthält
is.equal = equals = 等于 = gleich
is.other = is not = 不等于 = ungleich
is.least = at least = 至少 = mindestens
is.most = at most = 至多 = höchstens
is.empty = is empty = 为空 = ist leer
is.filled = is not empty = 不为空 = ist nicht leer
header.here = The picked rows are the header = 所选行是表头 = Die gewählten Zeilen sind der Kopf
point.about = Point in the sheet: click on row numbers, then say what those rows are. Preview shows it before it is kept. = 在表中点选：点击行号，然后说明这些行是什么。保存前可以预览。 = Zeigen Sie im Blatt: Zeilennummern anklicken, dann sagen, was diese Zeilen sind. Die Vorschau zeigt es, bevor es gilt.
last.here = The picked row is the last = 所选行是最后一行 = Die gewählte Zeile ist die letzte
last.row = Last row = 最后一行 = Letzte Zeile
style = Numbers are written = 数字写法 = Zahlen stehen als
style.short = Numbers = 数字 = Zahlen
style.found = as found = 按识别 = wie gefunden
preview = Preview = 预览 = Vorschau
`.trim().split("\n").map(line => {const [key, ...pair] = line.split(" = "); return [key, pair]}))

const TONGUES = ["en", "zh", "de"]

export const language = () => (TONGUES.includes(document.documentElement.lang) ? document.documentElement.lang : "en")

// Changes it; the page is drawn anew.
export function speak(name) {
	keep("language", name)
	location.reload()
}

// The words for a key with `{names}` filled in; `other` where there are none.
export function t(key, values = {}, other = key, tongue = language()) {
	const text = WORDS.get(key)?.[TONGUES.indexOf(tongue)] ?? other ?? ""
	return text.replace(/\(([\wäöü]*)\|([\wäöü]*)\)/g, String(values.n) === "1" ? "$1" : "$2")
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
