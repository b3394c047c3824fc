"""Tables with a value where a row and a column cross: budgets by month, marks by subject, figures by year."""

MONTHS = {
    'en': 'January,February,March,April,May,June,July,August,September,October,November,December',
    'de': 'Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember',
    'fr': 'janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre',
    'zh': '一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月'}
WEEKDAYS = {
    'en': 'Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday',
    'de': 'Montag,Dienstag,Mittwoch,Donnerstag,Freitag,Samstag,Sonntag',
    'fr': 'lundi,mardi,mercredi,jeudi,vendredi,samedi,dimanche',
    'zh': '星期一,星期二,星期三,星期四,星期五,星期六,星期日'}
TOTAL = {'en': 'Total,Sum,Grand total,All', 'de': 'Summe,Gesamt,Insgesamt', 'fr': 'Total,Somme,Ensemble', 'zh': '合计,总计,小计'}
LABELS = {
    'spend': {
        'en': 'Rent,Groceries,Travel,Insurance,Salaries,Marketing,Electricity,Phone,Repairs,Clothing,Heating,Software,Training,Office supplies,Leisure',
        'de': 'Miete,Lebensmittel,Reisen,Versicherung,Löhne,Werbung,Strom,Telefon,Reparaturen,Kleidung,Heizung,Freizeit,Bürobedarf',
        'fr': 'Loyer,Alimentation,Voyages,Assurance,Salaires,Publicité,Électricité,Téléphone,Réparations,Vêtements,Chauffage,Loisirs',
        'zh': '房租,餐饮,差旅,保险,工资,广告,电费,通讯,维修,服装,取暖,娱乐,办公用品'},
    'region': {
        'en': 'North,South,East,West,Europe,Asia,Online,Wholesale,Retail,Branch A,Branch B', 'de': 'Nord,Süd,Ost,West,Europa,Asien,Online,Handel,Filiale A,Filiale B',
        'fr': 'Nord,Sud,Est,Ouest,Europe,Asie,En ligne,Magasin A,Magasin B', 'zh': '华北,华东,华南,西南,欧洲,亚洲,线上,一店,二店'},
    'finance': {
        'en': 'Revenue,Cost of sales,Gross profit,Operating expenses,Depreciation,Interest expense,Income tax,Net income,Total assets,Inventories,Trade receivables,Cash and cash equivalents,Long-term debt,Equity,Research and development,Employees,Dividends per share',
        'de': 'Umsatz,Materialaufwand,Rohertrag,Personalaufwand,Abschreibungen,Zinsaufwand,Steuern,Jahresüberschuss,Bilanzsumme,Vorräte,Forderungen,Liquide Mittel,Eigenkapital',
        'fr': 'Chiffre d affaires,Coût des ventes,Marge brute,Charges de personnel,Amortissements,Intérêts,Impôts,Résultat net,Total actif,Stocks,Créances,Trésorerie,Capitaux propres',
        'zh': '营业收入,营业成本,毛利,管理费用,折旧,财务费用,所得税,净利润,资产总计,存货,应收账款,货币资金,所有者权益'}}
# What else the lines of accounts are called by those who ask.
ALIAS = {
    'Revenue': 'sales;turnover;the top line', 'Net income': 'profit;the bottom line;earnings', 'Cost of sales': 'cost of goods sold', 'Cash and cash equivalents': 'cash;money in the bank',
    'Long-term debt': 'borrowings;loans', 'Employees': 'staff;people employed', 'Research and development': 'R&D', 'Inventories': 'stock;goods in store', 'Groceries': 'food', 'Electricity': 'power',
    'Salaries': 'wages;staff pay', 'Marketing': 'advertising', 'Leisure': 'fun;free time', 'Travel': 'trips', 'Trade receivables': 'what customers owe us',
    'Umsatz': 'Erlöse;Verkäufe', 'Jahresüberschuss': 'Gewinn', 'Liquide Mittel': 'Geld auf der Bank', 'Vorräte': 'Lager', 'Lebensmittel': 'Essen', 'Löhne': 'Gehälter', 'Strom': 'Elektrizität',
    'Chiffre d affaires': 'ventes', 'Résultat net': 'bénéfice', 'Alimentation': 'nourriture;courses', 'Salaires': 'paie', '营业收入': '营收;销售收入', '净利润': '纯利;赚的钱', '货币资金': '现金', '存货': '库存', '餐饮': '吃饭', '工资': '薪水', '电费': '用电'}
GRIDS = [
    # rows, columns, values, name of the first column, titles, questions by language
    ('spend', 'period', 'money 20 3000',
     {'en': 'Category;Item;Expense;Budget item', 'de': 'Kategorie;Posten;Ausgabe', 'fr': 'Poste;Catégorie;Dépense', 'zh': '项目;类别;支出'},
     {'en': 'Budget;Household expenses;Spending 2024', 'de': 'Haushaltsbuch;Ausgaben', 'fr': 'Budget;Dépenses', 'zh': '家庭支出;预算'},
     {'en': 'how much did we spend on {r} in {c}?;what did {r} cost in {c}?;how much went on {r} in {c}?;{r} in {c}?;how much was {r} in {c}?;what did we pay for {r} in {c}?',
      'de': 'Wie viel haben wir im {c} für {r} ausgegeben?;Was hat {r} im {c} gekostet?;{r} im {c}?;Wie hoch war {r} im {c}?',
      'fr': 'Combien avons-nous dépensé pour {r} en {c} ?;Combien a coûté {r} en {c} ?;{r} en {c} ?', 'zh': '{c}的{r}花了多少？;{c}{r}多少钱？;{r}在{c}支出多少？;{c}用在{r}上的钱是多少？'}),
    ('region', 'period', 'int 50 90000',
     {'en': 'Region;Branch;Market;Channel', 'de': 'Region;Filiale;Markt', 'fr': 'Région;Magasin;Marché', 'zh': '地区;门店;渠道'},
     {'en': 'Sales;Revenue by region;Turnover', 'de': 'Umsatz;Absatz nach Region', 'fr': 'Ventes;Chiffre d affaires', 'zh': '销售额;各地区销量'},
     {'en': 'how much did {r} sell in {c}?;what did {r} make in {c}?;how did {r} do in {c}?;how much business did {r} do in {c}?;{r} {c}?',
      'de': 'Wie viel hat {r} im {c} verkauft?;Wie lief {r} im {c}?;{r} {c}?', 'fr': 'Combien a vendu {r} en {c} ?;Comment a marché {r} en {c} ?', 'zh': '{r}{c}卖了多少？;{c}{r}的业绩如何？'}),
    ('finance', 'years', 'int 100 90000',
     {'en': ';(in millions);Item;Year ended;$ million;Thousands of euros', 'de': 'Position;in Mio. Euro;', 'fr': 'Poste;en millions;', 'zh': '项目;科目;'},
     {'en': 'Income statement;Balance sheet;Selected figures;Five-year summary', 'de': 'Kennzahlen;Gewinn und Verlust', 'fr': 'Chiffres clés;Compte de résultat', 'zh': '利润表;主要财务数据'},
     {'en': 'what was {r} in {c}?;how high was {r} in {c}?;how much {r} did the company report for {c}?;what did {r} amount to in {c}?;{r} for {c};how large was {r} in fiscal {c}?',
      'de': 'Wie hoch war {r} {c}?;Was betrug {r} im Jahr {c}?', 'fr': 'De combien était {r} en {c} ?;Quel était {r} en {c} ?', 'zh': '{c}年的{r}是多少？;{r}{c}年有多少？'}),
    ('person', 'subjects', 'int 1 100',
     {'en': 'Student;Pupil;Name', 'de': 'Schüler;Name', 'fr': 'Élève;Nom', 'zh': '姓名;学生'}, {'en': 'Marks;Test results;Grades', 'de': 'Noten;Zeugnis', 'fr': 'Notes;Bulletin', 'zh': '成绩单;期末成绩'},
     {'en': 'what did {r} get in {c}?;how did {r} do in {c}?;how good is {r} at {c}?;how many points does {r} have in {c}?', 'de': 'Was hat {r} in {c} bekommen?;Wie gut ist {r} in {c}?;Welche Note hat {r} in {c}?',
      'fr': 'Combien a eu {r} en {c} ?;Quelle note a {r} en {c} ?', 'zh': '{r}的{c}考了多少？;{r}{c}多少分？;{r}{c}考得怎么样？'}),
    ('person', 'weekdays', 'dec 0 10',
     {'en': 'Name;Employee;Worker', 'de': 'Name;Mitarbeiter', 'fr': 'Nom;Salarié', 'zh': '姓名;员工'}, {'en': 'Hours;Time sheet;Shifts', 'de': 'Stunden;Zeiterfassung', 'fr': 'Heures;Pointage', 'zh': '工时表;考勤'},
     {'en': 'how long did {r} work on {c}?;how many hours did {r} do on {c}?;how busy was {r} on {c}?', 'de': 'Wie lange hat {r} am {c} gearbeitet?;Wie viele Stunden hatte {r} am {c}?',
      'fr': 'Combien de temps a travaillé {r} {c} ?', 'zh': '{r}{c}干了多久？;{c}{r}上了几个小时？'}),
    ('city', 'years', 'int 900 3000000',
     {'en': 'City;Town;Place;Country', 'de': 'Stadt;Ort', 'fr': 'Ville;Commune', 'zh': '城市;地区'}, {'en': 'Population;Inhabitants;Number of residents', 'de': 'Einwohner;Bevölkerung', 'fr': 'Population', 'zh': '人口'},
     {'en': 'how many people lived in {r} in {c}?;how big was {r} in {c}?;what was the population of {r} in {c}?', 'de': 'Wie viele Menschen lebten {c} in {r}?;Wie groß war {r} {c}?',
      'fr': 'Combien de gens vivaient à {r} en {c} ?', 'zh': '{c}年{r}住着多少人？;{r}{c}年有多少人？'}),
    ('times', 'weekdays', 'subject',
     {'en': 'Time;Hour;Period', 'de': 'Uhrzeit;Stunde', 'fr': 'Heure', 'zh': '时间;节次'}, {'en': 'Timetable;Schedule;Programme', 'de': 'Stundenplan', 'fr': 'Emploi du temps', 'zh': '课程表'},
     {'en': 'what is on at {r} on {c}?;what do we have on {c} at {r}?;what class is there on {c} at {r}?', 'de': 'Was haben wir am {c} um {r}?;Was ist {c} um {r}?', 'fr': "Qu'avons-nous {c} à {r} ?", 'zh': '{c}{r}上什么？;{c}{r}是什么课？'}),
    ('product', 'companies', 'money 1 300',
     {'en': 'Product;Item', 'de': 'Artikel', 'fr': 'Article', 'zh': '商品'}, {'en': 'Price comparison;Offers;Quotes', 'de': 'Preisvergleich;Angebote', 'fr': 'Comparaison;Devis', 'zh': '比价表;报价'},
     {'en': 'how much is the {r} at {c}?;what does {c} charge for the {r}?;what would the {r} cost me at {c}?', 'de': 'Was kostet {r} bei {c}?;Wie viel verlangt {c} für {r}?', 'fr': 'Combien coûte {r} chez {c} ?', 'zh': '{r}在{c}卖多少？;{c}的{r}多少钱？'}),
]
# Questions that no single cell answers: sums, means, counts, extremes, comparisons. {n} is what is counted, {a} a column.
COMPUTED = {
    'en': {'column': 'what is the average {a}?;what is the total {a}?;what is the sum of all {a}?;what is the {a} on average?;how much {a} is that altogether?;what is the median {a}?;what is the highest {a}?;what is the lowest {a}?;what percentage of the {a} is that?',
           'key': 'which of the {n} has the highest {a}?;which of the {n} has the lowest {a}?;who has the most {a}?;which has the smallest {a}?;list all {n};which {n} have more than 10 {a}?;which {n} have a {a} above average?',
           'none': 'how many {n} are there?;how many {n} are in the list?;how many different {a} are there?;how many {n} per {a}?;how many {n} have no {a}?;what is the capital of France?;will it rain tomorrow?;who wrote Hamlet?;what is the meaning of life?;what time is it?;can you help me?;thank you',
           'pair': 'what is the difference in {a} between {x} and {y}?;how much more {a} does {x} have than {y}?;what do {x} and {y} have together in {a}?;is the {a} of {x} larger than that of {y}?'},
    'de': {'column': 'Wie hoch ist {a} im Durchschnitt?;Wie viel {a} ist das insgesamt?;Was ist die Summe von {a}?;Was ist {a} höchstens?;Welcher Mittelwert ergibt sich für {a}?',
           'key': 'Welche {n} haben am meisten {a}?;Wer hat die höchste {a}?;Wer hat am wenigsten {a}?;Liste alle {n} auf', 'none': 'Wie viele {n} gibt es?;Wie viele verschiedene {a} gibt es?;Wie wird das Wetter morgen?;Wer hat Faust geschrieben?;Wie heißt die Hauptstadt von Italien?',
           'pair': 'Wie groß ist der Unterschied bei {a} zwischen {x} und {y}?;Wie viel {a} haben {x} und {y} zusammen?'},
    'fr': {'column': 'Quelle est la moyenne de {a} ?;Quel est le total de {a} ?;Quelle est la somme de {a} ?', 'key': 'Qui a le plus de {a} ?;Qui a le moins de {a} ?;Quels {n} ont plus de 10 {a} ?',
           'none': 'Combien de {n} y a-t-il ?;Combien de {a} différents y a-t-il ?;Quel temps fera-t-il demain ?;Qui a écrit Les Misérables ?', 'pair': 'Quelle est la différence de {a} entre {x} et {y} ?;Combien de {a} ont {x} et {y} ensemble ?'},
    'zh': {'column': '{a}平均是多少？;{a}总共多少？;所有{a}加起来是多少？;{a}最高是多少？;{a}最低是多少？;{a}的合计是多少？', 'key': '谁的{a}最高？;哪个{a}最少？;哪些{n}的{a}超过10？;{a}排第一的是谁？',
           'none': '一共有多少{n}？;有几个{n}？;有多少种{a}？;明天天气怎么样？;法国的首都是哪里？;红楼梦是谁写的？', 'pair': '{x}和{y}的{a}差多少？;{x}和{y}的{a}一共多少？;{x}的{a}比{y}高吗？'}}
# A question that names the column by another of its names, for every kind of column.
PLAIN = {
    'en': 'what is the {a} of {x}?;what is {x}\'s {a}?;{a} of {x}?;{x} {a};which {a} does {x} have?;tell me the {a} for {x};give me {x}\'s {a};I need the {a} of {x};what {a} is listed for {x}?',
    'de': 'Was ist {a} von {x}?;{a} von {x}?;Welche {a} hat {x}?;Welchen {a} hat {x}?;Wie lautet {a} von {x}?;{x} {a};Wie hoch ist {a} von {x}?',
    'fr': 'Quel est le {a} de {x} ?;Quelle est la {a} de {x} ?;{a} de {x} ?;{x} {a};Donne-moi {a} de {x}', 'zh': '{x}的{a}是多少？;{x}的{a}是什么？;{x}的{a}？;{x}{a};请问{x}的{a}是什么？;查一下{x}的{a};告诉我{x}的{a}'}
SECTIONS = {'en': 'North,South,Team A,Team B,2023,2024,Ground floor,First floor,Internal,External,Fixed,Variable,Assets,Liabilities', 'de': 'Nord,Süd,Team A,Team B,2023,2024,Erdgeschoss,Intern,Extern,Fix,Variabel',
            'fr': 'Nord,Sud,Équipe A,Équipe B,2023,2024,Interne,Externe', 'zh': '一组,二组,2023年,2024年,一楼,二楼,内部,外部,固定,流动'}
OVER = {'en': 'Details,Contact,Info,Figures,General,Data', 'de': 'Angaben,Kontakt,Daten,Allgemein', 'fr': 'Détails,Contact,Données', 'zh': '基本信息,联系信息,数据,详情'}
