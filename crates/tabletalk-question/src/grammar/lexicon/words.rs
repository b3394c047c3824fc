//! The words themselves, in English, German, French and Chinese.

use super::{Concept, Period, Sense};
use Concept as C;
use Sense as S;

/// Phrases of each sense. A later line wins where two have the same phrase.
pub(super) const SENSES: &[(Sense, &str)] = &[
    (
        S::Filler,
        "ai|as|avons|avez|ai je|a t il|a t elle|ont ils|his|was it|it was|company|the company|of ours|cette|ce mois|semaine derniere|fuhren|fiel|fielen|in the end|so far|bisher|until now|ich habe|habe|hast|habt|hatten wir|haben wir|a|an|the|of|in|on|at|to|for|from|with|is|are|was|were|be|been|being|do|does|did|done|has|have|had|having|can|could|would|\
         may i|please|tell|me|us|i|we|our|my|you|your|there|here|it|that|this|these|those|as|into|out|up|so|also|just|only|\
         exactly|currently|now|today|still|yet|already|ever|s|t|and|about|around|altogether there|is there|are there|any|some|\
         give|find|calculate|compute|say|know|want|need|like to know|according to|table|sheet|file|list of|the data|this data|our data|data on|data for|data about|value|values|\
         get|gets|got|make|made|makes|take|takes|took|taken|come|comes|came|stand|stands|belong|belongs|called|named|recorded|\
         listed|registered|given|shown|contain|contains|include|includes|included|exist|exists|happen|happened|occur|occurred|\
         work|works|working|worked|live|lives|living|lived|stay|stays|located|based|situated|held|each one|\
         amount to|add up to|adds up to|by name|name of the|if|then|because|their|its|his|her|them|they|he|she|one|ones|\
         whose|which are|who are|that are|be found|going|go|goes|went|run|runs|put|keep|kept|hi|hello|hey|ok|thanks|anyone|someone|anybody|somebody|\
         within|inside|during|throughout|through|across|among|overall the|the whole|entire|whole|full|given by|per se|et al|\
         der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|ist|sind|war|waren|wird|werden|wurde|wurden|worden|gewesen|sein|\
         hat|haben|hatte|hatten|in|im|am|an|auf|aus|bei|beim|fur|von|vom|zu|zum|zur|mit|und|es|gibt|gab|bitte|mir|uns|wir|ich|\
         unsere|unser|unserer|unserem|unseren|mein|meine|man|da|dort|hier|denn|eigentlich|jetzt|heute|noch|schon|auch|nur|so|\
         liegt|liegen|lag|betragt|betragen|betrug|steht|stehen|stand|gemacht|kommt|kommen|kam|arbeitet|arbeiten|wohnt|wohnen|\
         zeige|zeig|nenne|gib|sag|berechne|insgesamt gibt es|daten|tabelle|datei|wert|werte|welchen wert|uber die|laut|\
         le|la|les|l|un|une|des|du|de|d|est|sont|etait|etaient|a|ont|avait|ete|etre|dans|en|au|aux|sur|pour|avec|et|il|elle|y|ils|\
         elles|ce|cette|ces|c|qu|que|nous|je|on|notre|nos|mon|ma|mes|vous|s il|plait|donne|donnez|moi|montre|affiche|dis|\
         se|trouve|travaille|travaillent|fait|font|t il|valeur|tableau|fichier|donnees|\
         的|了|是|有|在|和|与|及|为|中|里|这|那|些|请|问|我|们|你|吗|呢|啊|一 共|表|表 中|表 格|里 面|数 据|告 诉|给|查 询|查|看 看|\
         情 况|当 前|目 前|现 在|该|其|对 应|所|属 于|属|等 于|为 止|以 及|公 司|我 们|人 员 中|列|位 于|来 自|记 录 中|上|内|则|都|值|数 值|了 多 少 钱|已 经|还|放|单|single|encore|deja|sa|son|ses|sich|at all",
    ),
    (
        S::Filler,
        "on the list|on our list|on this list|in the list|in this list|on the sheet|auf der liste|in der liste|sur la liste|ihr|ihre|ihren|ihrem|ihrer|seine|seinen|seinem|seiner|thats|which is|that is|lol|stp|svp|thx|cheers|being|pls|plz|btw|i mean|a la fois|呀|嘛|吧|帮|帮 我|帮 忙|算 一 下|算 算|统 计|统 计 一 下|而 且|并 且|全 年|整 年|麻 烦|谢 谢|想 知 道|everything|all of it|alles|allem|ganze|ganzen|ganzes|ganzer|im ganzen jahr|zeitraum|gesamten zeitraum|whole period|entire period|whole half year|half year|this season|season|the season|saison|toute|toute l annee|leur|leurs|habite|habitent|vit|vivent|eu|eue|eues|cast|on file|of them all|separately|furs|ubers|ins|drauf|column|columns|spalte|spalten|colonne|colonnes|列|栏|together|owed|driven|withheld|collected|recorded|raised|achieved|charged|produced|planned|said|over the|whole year|in the whole|need|needs|ein wert|etwa|circa|ca|environ|approximately|roughly|about how|right now|at the moment|gebracht|both|sowohl|als auch|beide|beides|inclusive|inklusive|einschließlich|inclus|marked|过|的 一 次|bringt|brachte|brachten|dabei|verbraucht|venu|venus|venue|venues|叫|参 加|bringen|there in|in there|ago|us all|of all|all of the|the following|zahlen|zahlt|bekommt|bekommen|erhalt|erhalten|eintragen|verzeichnet|aufgefuhrt|figure|figures|number|numbers|nummer|numero|level|were there|was there|get for|order",
    ),
    (
        S::Light,
        "use|uses|used|using|log|logs|logged|clock|clocked|report|reported|submit|submitted|enter|entered|place|placed|attend|attended|join in|do|handle in|fahren|fuhr|gespielt|wear|wears|wore|fill|filled|drive|drove|walk|walked|answer|answered|give|gave|gives|given|donate|donated|bring|brings|brought|bringing|serve|serves|played|play|plays|offer|offers|hold|holds|own|owns|carry|carries|lernt|lernen|studiert|studieren|besucht|besuchen|spielt|spielen|nutzt|nutzen|接|接 了",
    ),
    (S::Who, "who|whom|by whom|wer|wen|wem|qui|谁|哪 位|哪 个 人|哪 一 位|哪 些 人|什 么 人|哪 名"),
    (
        S::Which,
        "which|which one|which ones|welche|welcher|welches|welchen|welchem|quel|quelle|quels|quelles|哪|哪 个|哪 一 个|哪 些|哪 种|哪 家|哪 一|哪 几 个|哪 项|哪 款|哪 类|几 号 的",
    ),
    (
        S::What,
        "how|what|what s|whats|what is|what are|what was|what were|was ist|wie|wie ist|wie lautet|wie heißt|wie heisst|wie lauten|was|quoi|quel est|quelle est|quels sont|quelles sont|\
         comment|combien vaut|什 么|何|怎 样|如 何|是 什 么|多 少|是 多 少|有 多 少 的|为 多 少|多 大|多 高|几",
    ),
    (
        S::When,
        "when|what date|what day|which day|on which day|on what date|at what time|what time|wann|an welchem tag|quand|quel jour|a quelle date|什 么 时 候|何 时|哪 天|哪 一 天|几 号|什 么 时 间|哪 日|几 点",
    ),
    (S::Where, "where|in which place|wo|woher|wohin|ou|哪 里|哪 儿|何 处|什 么 地 方"),
    (
        S::HowMany,
        "headcount|head count|kopfzahl|effectif|how many of|how many|number of|the number of|count of|count|count the|how often|how many times|amount of people|no of|total number of|\
         wie viele|wieviele|wie vielen|in how many|on how many|in wie vielen|an wie vielen|bei wie vielen|anzahl|die anzahl|anzahl der|wie oft|combien de|combien d|nombre de|nombre d|le nombre de|combien y a t il de|combien y a t il d|\
         多 少 个|有 多 少|有 几|几 个|几 家|几 人|几 名|几 位|几 条|几 笔|几 种|多 少 人|多 少 名|多 少 位|多 少 家|多 少 条|多 少 笔|多 少 种|多 少 次|多 少 件|多 少 台|多 少 本|几 件|几 次|几 本|几 台|几 部|\
         数 量|个 数|人 数|总 数|有 多 少 个|有 多 少 人|有 多 少 名|有 多 少 位|有 多 少 家|有 多 少 条|有 多 少 笔|有 多 少 种|有 多 少 件|有 多 少 本|有 几 个|有 几 种|有 几 位|有 几 名|有 几 家|总 共 有 多 少 个|共 有 多 少|共 有 几|一 共 有 多 少|一 共 有 几|总 共 有 多 少|总 共 有 几|几 项|多 少 项|多 少 门|几 门",
    ),
    (
        S::HowMuch,
        "welche summe|welchen betrag|welcher betrag|welchen gesamtbetrag|what amount|what sum|quelle somme|quel montant|how much|how much money|how much is|how much are|how much was|how much were|wie viel|wieviel|wie hoch|wie hoch ist|wie hoch sind|wie hoch war|wie hoch waren|wie teuer|wie teuer ist|wie groß|wie gross|wie lange|wie schwer|\
         combien|combien coute|combien coutent|combien vaut|多 少 钱|花 了 多 少|花 了 多 少 钱|花 费 多 少",
    ),
    (
        S::Show,
        "list|list all|show|show all|show me|display|give me|give me all|name|name all|names of|liste|zeige|zeige alle|zeig mir|nenne|nenne alle|auflisten|\
         montre|affiche|lister|列 出|显 示|列 举|给 出|有 哪 些|列 出 所 有",
    ),
    (
        S::Sum,
        "total|totals|sum|sum of|the sum of|in total|total of|total amount of|in sum|combined|altogether|overall|in all|all together|add up|added up|adding up|summed|grand total|\
         how much in total|gesamt|gesamte|gesamter|gesamten|gesamtes|gesamtsumme|summe|summe der|insgesamt|zusammen|total des|totales|somme|somme des|total de|au total|en tout|totale|totaux|ensemble|\
         总|合 计|总 和|总 计|总 额|之 和|总 共|一 共|共|共 计|加 起 来|累 计|总 的|全 部 加 起 来",
    ),
    (
        S::Average,
        "average|mean|avg|on average|the average|averaged|durchschnitt|im mittel|durchschnittlich|durchschnittliche|durchschnittlicher|durchschnittlichen|durchschnittliches|durchschnittlichem|im durchschnitt|im schnitt|mittelwert|mittlere|moyenne|moyen|moyens|en moyenne|平 均|平 均 值|均 值|平 均 数",
    ),
    (
        S::Most,
        "most|highest|largest|biggest|greatest|maximum|max|best|top|peak|strongest|the most|hochste|hochsten|hochster|hochstes|großte|großten|großter|großtes|grosste|grossten|meisten|am meisten|am hochsten|am großten|maximal|maximale|maximum|beste|besten|am besten|\
         plus|le plus|la plus|les plus|plus grand|plus grande|plus haut|plus eleve|plus elevee|maximal|maximale|meilleur|meilleure|le plus grand|la plus grande|le plus eleve|la plus elevee|le plus haut|le plus de|\
         最 高|最 大|最 多|最 大 值|最 高 的|最 好|最 强|排 名 第 一",
    ),
    (
        S::Least,
        "least|lowest|smallest|fewest|minimum|min|worst|the least|tiniest|niedrigste|niedrigsten|niedrigster|kleinste|kleinsten|kleinster|geringste|geringsten|wenigsten|am wenigsten|am niedrigsten|am kleinsten|minimal|minimale|schlechteste|schlechtesten|tiefste|\
         moins|le moins|la moins|les moins|plus petit|plus petite|plus bas|plus basse|le plus petit|la plus petite|le plus bas|la plus basse|minimum|minimale|pire|le plus faible|la plus faible|\
         最 低|最 小|最 少|最 小 值|最 低 的|最 差|最 短",
    ),
    (
        S::MostOf(C::Age),
        "oldest|eldest|alteste|altesten|am altesten|plus age|plus agee|plus vieux|plus vieille|年 龄 最 大|最 老|最 年 长",
    ),
    (
        S::LeastOf(C::Age),
        "youngest|jungste|jungsten|am jungsten|plus jeune|le plus jeune|年 龄 最 小|最 年 轻",
    ),
    (
        S::MostOf(C::Salary),
        "best paid|highest paid|best earning|highest earning|bestbezahlt|bestbezahlte|bestbezahlten|bestverdienende|mieux paye|mieux payee|mieux payes|薪 水 最 高|工 资 最 高",
    ),
    (
        S::MostOf(C::Price),
        "most expensive|priciest|dearest|costliest|teuerste|teuersten|teuerster|teuerstes|am teuersten|plus cher|plus chere|le plus cher|la plus chere|最 贵",
    ),
    (
        S::LeastOf(C::Price),
        "cheapest|least expensive|billigste|billigsten|gunstigste|gunstigsten|am gunstigsten|am billigsten|moins cher|moins chere|le moins cher|la moins chere|最 便 宜",
    ),
    (
        S::MostOf(C::Weight),
        "heaviest|schwerste|schwersten|am schwersten|plus lourd|plus lourde|le plus lourd|最 重",
    ),
    (S::LeastOf(C::Weight), "lightest|leichteste|leichtesten|am leichtesten|plus leger|le plus leger|最 轻"),
    (S::MostOf(C::Height), "tallest|hochgewachsen|最 高 大"),
    (
        S::MostOf(C::Length),
        "longest|langste|langsten|am langsten|plus long|plus longue|le plus long|la plus longue|最 长",
    ),
    (S::LeastOf(C::Length), "shortest|kurzeste|kurzesten|am kurzesten|plus court|plus courte|le plus court"),
    (S::MostOf(C::Distance), "farthest|furthest|weiteste|am weitesten|最 远"),
    (S::LeastOf(C::Distance), "nearest|closest|nachste|am nachsten|最 近 的 距 离"),
    (
        S::MostOf(C::Speed),
        "fastest|quickest|schnellste|schnellsten|am schnellsten|plus rapide|le plus rapide|最 快",
    ),
    (S::LeastOf(C::Speed), "slowest|langsamste|langsamsten|am langsamsten|plus lent|最 慢"),
    (
        S::MostOf(C::Temperature),
        "hottest|warmest|warmste|warmsten|am warmsten|am heißesten|heißesten|heissesten|am heissesten|plus chaud|heißeste|最 热",
    ),
    (S::LeastOf(C::Temperature), "coldest|coolest|kaltesten|am kaltesten|plus froid|kalteste|最 冷"),
    (S::MostOf(C::Population), "most populous|bevolkerungsreichste"),
    (
        S::MostOf(C::Quantity),
        "most numerous|most common in number|best selling|bestselling|best sold|meistverkaufte|meistverkauften|plus vendu|le plus vendu|卖 得 最 多|销 量 最 高|销 量 最 好|最 畅 销",
    ),
    (
        S::Latest,
        "latest|newest|most recent|most recently|last|for the last time|zum letzten mal|das letzte mal|pour la derniere fois|最 后 一 次|neueste|neuesten|neuester|letzte|letzten|letzter|letztes|spateste|zuletzt|dernier|derniere|plus recent|plus recente|le plus recent|la plus recente|最 新|最 近|最 晚|最 后",
    ),
    (
        S::Earliest,
        "earliest|first|for the first time|zum ersten mal|das erste mal|pour la premiere fois|第 一 次|alteste eintrag|fruheste|fruhesten|erste|ersten|erster|erstes|zuerst|premier|premiere|plus ancien|le plus ancien|最 早|最 先|第 一 个|首 次",
    ),
    (
        S::Distinct,
        "different|distinct|unique|various|verschiedene|verschiedenen|unterschiedliche|unterschiedlichen|differents|differentes|distincts|uniques|不 同|不 同 的|不 重 复|种 不 同",
    ),
    (
        S::By,
        "by|per|for each|for every|each|every|broken down by|grouped by|split by|by each|in each|of each|nach|je|pro|fur jede|fur jeden|fur jedes|jede|jeder|jedes|jeden|aufgeschlusselt nach|gruppiert nach|par|pour chaque|chaque|各|各 个|每|每 个|每 一 个|按|按 照|每 位|每 家|每 种|每 名|各 自",
    ),
    (
        S::Period(Period::Month),
        "month|months|monthly|monat|monate|monaten|monatlich|monatliche|monatlichen|monatlicher|mensuelle|mensuels|mois|mensuel|月|月 份|个 月|每 月",
    ),
    (
        S::Period(Period::Year),
        "year|years|yearly|annual|annually|jahr|jahre|jahren|jahrlich|jahrliche|jahrlichen|an|annee|annees|annuel|年|年 份|年 度|每 年",
    ),
    (
        S::Period(Period::Quarter),
        "quarter|quarters|quarterly|quartal|quartale|trimestre|trimestres|季 度|每 季 度|季",
    ),
    (S::Period(Period::Week), "week|weeks|weekly|woche|wochen|semaine|semaines|周|星 期|每 周"),
    (
        S::Period(Period::Weekday),
        "weekday|weekdays|day of the week|wochentag|wochentage|jour de la semaine|星 期 几|周 几",
    ),
    (S::Period(Period::Day), "day|days|daily|tag|tage|tagen|taglich|jour|jours|天|日|每 天|每 日"),
    (
        S::More,
        "more than|over|above|greater than|higher than|larger than|bigger than|exceeding|exceeds|exceed|exceeded|beyond|better than|upwards of|mehr als|uber|großer als|grosser als|hoher als|plus de|plus que|superieur a|superieure a|superieurs a|superieures a|au dessus de|plus grand que|depasse|大 于|高 于|超 过|多 于|超|大 过|以 上 的|超 出|>",
    ),
    (
        S::Less,
        "less than|under|below|lower than|smaller than|fewer than|weniger als|unter|kleiner als|niedriger als|moins de|moins que|inferieur a|inferieure a|inferieurs a|inferieures a|en dessous de|plus petit que|小 于|低 于|少 于|不 足|不 到|不 满|<",
    ),
    (
        S::AtLeast,
        "at least|no less than|not less than|minimum of|or more|or better|or later|and later|and after|onwards|onward|and newer|or newer|oder spater|und spater|oder neuer|ou plus tard|et apres|or over|or higher|or above|and above|and more|mindestens|wenigstens|und mehr|oder mehr|au moins|ou plus|至 少|不 少 于|不 低 于|不 小 于|大 于 等 于|以 上|及 以 上|>=",
    ),
    (
        S::AtMost,
        "at most|no more than|not more than|maximum of|up to|or less|or fewer|or lower|or below|or earlier|and earlier|and before|or before|or older|oder fruher|und fruher|ou plus tot|et avant|hochstens|maximal|bis zu|oder weniger|au plus|jusqu a|ou moins|至 多|不 超 过|不 多 于|不 高 于|不 大 于|小 于 等 于|以 下|以 内|及 以 下|<=",
    ),
    (S::After, "after|later than|nach dem|spater als|apres|apres le|之 后|以 后|晚 于"),
    (S::Before, "before|earlier than|prior to|vor|vor dem|fruher als|avant|avant le|之 前|以 前|早 于"),
    (S::Since, "since|starting|seit|ab|ab dem|depuis|depuis le|自|自 从|从|起|以 来"),
    (S::Until, "until|till|bis|bis zum|jusqu|截 至|直 到|至|到"),
    (S::Between, "between|zwischen|entre|介 于|之 间"),
    (
        S::Not,
        "havent|hasnt|isnt|arent|wasnt|werent|didnt|doesnt|dont|nothing|nichts|rien|still need a|still needs a|still need|still needs|yet to|non|not|isn|aren|wasn|weren|didn|doesn|don|hasn|haven|never|no|none|nobody|niemand|nicht|kein|keine|keinen|keiner|nie|pas|ne|n|aucun|aucune|jamais|不|没|没 有|未|非|尚 未|还 没|还 没 有|并 非|不 是",
    ),
    (
        S::Without,
        "without|except|excluding|besides|other than|but not|missing|lacking|lack|lacks|ohne|außer|ausser|abgesehen von|fehlt|fehlen|sans|sauf|hormis|除|除 了|不 含|不 包 括|缺|缺 少|以 外|之 外|无",
    ),
    (S::And, "and|as well as|plus|und|sowie|et|和|与|及|以 及|、|跟|同"),
    (S::Or, "or|either|oder|entweder|ou|soit|或|或 者|还 是"),
    (
        S::Difference,
        "by how many|um wie viele|how many people more|de combien|difference|the difference|difference between|differ|differs|unterscheiden|unterscheidet|unterscheiden sich|unterscheidet sich|gap between|how much more|how much less|how many more|how many fewer|how much higher|how much lower|how much bigger|how much larger|by how much|unterschied|differenz|wie viel mehr|wie viel weniger|wie viel hoher|um wie viel|difference|ecart|combien de plus|combien de moins|差|相 差|相 差 多 少|差 额|差 距|差 多 少|差 值|多 多 少|少 多 少|高 多 少|低 多 少",
    ),
    (
        S::Share,
        "percent|percentage|percentage of|what percentage|what percent|proportion|share|share of|fraction|what share|what fraction|prozent|prozentsatz|wie viel prozent|anteil|anteil der|pourcentage|part des|proportion|quel pourcentage|占 百 分 之 多 少|百 分 之 多 少|占 百 分 之 几|占 比|比 例|百 分 之 几|百 分 比|占|所 占|占 多 少",
    ),
    (
        S::Rank,
        "rank|ranks|ranked|what rank|what place|which place|what position|which position|place does|platz|auf welchem platz|welchen platz|auf welchem rang|welchen rang|rang|quel rang|quelle place|quelle position|排 第 几|排 名 第 几|第 几 名|排 在 第 几",
    ),
    (S::Top, "top|best|first|erste|ersten|die ersten|premiers|les premiers|前|排 名 前"),
    (S::Bottom, "bottom|worst|letzten|die letzten|derniers|后|倒 数|最 后"),
    (
        S::Row,
        "row|rows|entry|entries|record|records|line|lines|item|items|thing|things|kind of|eintrag|eintrage|eintragen|zeile|zeilen|datensatz|datensatze|posten|positionen|einträge|ligne|lignes|entree|entrees|enregistrement|enregistrements|elements|行|条|条 记 录|记 录|项|个|笔|件|种|家|名|位|台|部|本|只|款|门|次|节|falle|fallen|cases|cas",
    ),
    (
        S::Person,
        "azubi|azubis|auszubildende|auszubildenden|lehrling|lehrlinge|apprentice|apprentices|respondent|respondents|applicant|teilnehmerinnen|freiwillige|people|person|persons|employee|employees|staff|staff member|staff members|worker|workers|colleague|colleagues|member|members|participant|participants|attendee|attendees|guest|guests|student|students|pupil|pupils|child|children|kid|kids|patient|patients|player|players|resident|residents|tenant|tenants|everyone|everybody|man or woman|folks|guys|volunteers|volunteer|candidate|candidates|applicant|applicants|user|users|\
         personen|leute|mitarbeiter|mitarbeiterin|mitarbeiterinnen|mitarbeitern|angestellte|angestellten|teilnehmer|teilnehmern|mitglieder|mitglied|gaste|schuler|studenten|kollegen|kinder|mieter|patienten|bewohner|\
         personne|personnes|employe|employes|salarie|salaries|membre|membres|participants|eleves|eleve|etudiants|invites|gens|collegue|collegues|locataire|locataires|\
         人|员 工|人 员|职 工|职 员|同 事|成 员|学 生|同 学|会 员|参 与 者|参 加 者|患 者|病 人|名 员 工|位 员 工|个 人|名 学 生|大 家",
    ),
    (
        S::Booking,
        "order|orders|transaction|transactions|payment|payments|booking|bookings|purchase|purchases|invoice|invoices|expense|expenses|sale|receipt|receipts|shipment|shipments|delivery|deliveries|reservation|reservations|bestellung|bestellungen|buchung|buchungen|zahlung|zahlungen|rechnung|rechnungen|uberweisung|uberweisungen|transaktion|transaktionen|lieferungen|einkaufe|commande|commandes|facture|factures|paiement|paiements|achat|achats|transaction|reservations|livraisons|订 单|交 易|笔 交 易|笔 订 单|个 订 单|发 票|付 款|单 子|张 发 票|条 订 单",
    ),
    (
        S::Future,
        "will|will be|going to be|next year|next month|next week|tomorrow|forecast|predict|predicted|prediction|expected to|in the future|projected|wird sein|werden wird|nachstes jahr|nachsten monat|morgen|prognose|l annee prochaine|le mois prochain|demain|sera|seront|prevision|明 年|下 个 月|下 月|明 天|将 来|未 来|预 测|将 会|会 是|预 计",
    ),
    (
        S::Reason,
        "why|how come|how do i|how can i|how to|should|recommend|suggest|opinion|explain|warum|weshalb|wieso|soll|sollte|pourquoi|devrais|为 什 么|为 何|怎 么|怎 么 办|应 该|建 议",
    ),
    (
        S::Among,
        "of those|of these|of them|among them|among those|among these|davon|von denen|von diesen|parmi eux|d entre eux|其 中|它 们|他 们|这 些|这 些 中|那 些",
    ),
    (S::Back, "what about|how about|and what about|the same|instead|und was ist mit|et pour|那 么"),
    (
        S::All,
        "all|all of|all the|every one of|alle|aller|allen|samtliche|samtlicher|tous|toutes|tous les|toutes les|所 有|全 部|全 体|每 一",
    ),
    (
        S::Unit,
        "k|mio|mrd|million|millions|euro|euros|eur|dollar|dollars|usd|chf|franken|pound|pounds|gbp|yuan|rmb|元|块|块 钱|钱|万|万 元|亿|亿 元|人 民 币|kg|kilo|kilos|kilogram|kilograms|gram|grams|g|kilometer|kilometers|kilometre|kilometres|km|meter|meters|metre|metres|cm|mm|m|mile|miles|inch|inches|feet|foot|hour|hours|hrs|h|minute|minutes|min|mins|second|seconds|stunde|stunden|minuten|sekunden|heure|heures|小 时|分 钟|公 斤|千 克|公 里|米|岁|years old|year old|jahre alt|ans|liter|liters|litre|litres|kwh|degrees|celsius|points|pieces|stuck|units|m2|m3|sqm|qm|percent|prozent|pour cent|money|geld|argent|points|grad|平 方 米|度|分|bucks|cents|bottle|bottles|box|boxes|can of|cans|jar|jars|crate|crates|pack|packs|bag|bags|cup of|cups of|glass of|flasche|flaschen|kasten|kasten|kiste|kisten|packung|packungen|dose|dosen|sack|bouteille|bouteilles|paquet|paquets|boite|boites|caisse|pot|pots|tin|tins|carton|cartons|packet|packets|punnet|punnets|loaf|loaves|pots de|bocaux|bocal|sachets|sachet|bouquets|pot de|glaser|glas|kartons|karton|tute|tuten|beutel|瓶|箱|包|盒|袋|斤|万 斤|吨|万 吨|亩|万 亩|公 顷|升|毫 升|克|元 斤|张 票",
    ),
    (
        S::Female,
        "women|woman|female|females|girls|girl|ladies|lady|frauen|frau|weiblich|weibliche|weiblichen|madchen|femmes|femme|filles|feminin|女|女 性|女 生|女 员 工|女 士|女 的|女 职 工",
    ),
    (
        S::Male,
        "men|man|male|males|boys|boy|gentlemen|manner|mannlich|mannliche|mannlichen|jungen|hommes|homme|garcons|masculin|男|男 性|男 生|男 员 工|男 士|男 的|男 职 工",
    ),
    (
        S::Of(C::Price),
        "cost|costs|costing|expensive|cheap|price|priced|pricey|kostet|kosten|kostete|kosteten|teuer|coute|coutent|cher|贵|价 钱",
    ),
    (
        S::Of(C::Salary),
        "earn|earns|earned|earning|paid salary|verdient|verdienen|verdiente|gagne|gagnent|挣|赚",
    ),
    (
        S::Of(C::Expense),
        "spend|spends|spent|spending|went out|goes out|go out|going out|ausgegeben|ausgeben|gibt aus|depense|depenses|depensent|花|花 费|花 了|支 出|开 支|开 销",
    ),
    (S::Of(C::Weight), "weigh|weighs|weighed|heavy|wiegt|wiegen|schwer|pese|pesent|lourd|重"),
    (S::Of(C::Height), "tall|high|hoch|groß|gross|grand|高"),
    (
        S::Comparative(true),
        "more often|more frequently|ofter|haufiger|plus souvent|more|higher|larger|bigger|greater|better|mehr|hoher|hohere|hoheren|großer|großere|großeren|plus|superieur|meilleur|高|多|大|好|更 高|更 多|更 大|更 好|强",
    ),
    (
        S::Comparative(false),
        "less often|less frequently|seltener|moins souvent|less|fewer|lower|smaller|worse|weniger|niedriger|niedrigere|kleiner|kleinere|schlechter|moins|低|少|小|差|更 低|更 少|更 小",
    ),
    (S::ComparativeOf(C::Height, true), "taller|taller than|高 于 身 高"),
    (S::ComparativeOf(C::Height, false), "shorter|shorter than"),
    (S::ComparativeOf(C::Age, true), "older|older than|alter als|plus age que|plus agee que"),
    (S::ComparativeOf(C::Age, false), "younger|younger than|junger|junger als|plus jeune que"),
    (S::ComparativeOf(C::Weight, true), "heavier|heavier than|schwerer|schwerer als|plus lourd que"),
    (S::ComparativeOf(C::Weight, false), "lighter|lighter than|leichter|leichter als"),
    (S::ComparativeOf(C::Length, true), "longer|longer than|langer|langer als|plus long que|plus longue que"),
    (
        S::ComparativeOf(C::Price, true),
        "more expensive|more expensive than|dearer|dearer than|teurer|teurer als|plus cher que|plus chere que|贵|更 贵",
    ),
    (
        S::ComparativeOf(C::Price, false),
        "cheaper|cheaper than|less expensive|less expensive than|billiger|billiger als|gunstiger|gunstiger als|moins cher que|moins chere que|便 宜|更 便 宜",
    ),
    (S::ComparativeOf(C::Speed, true), "faster|faster than|schneller|schneller als|plus rapide que"),
    (S::Than, "than|als|que|比"),
    (
        S::Gone,
        "out of stock|sold out|ausverkauft|nicht auf lager|nicht vorratig|en rupture|epuise|缺 货|售 罄|无 库 存|没 有 库 存",
    ),
    (
        S::Change,
        "growth|wachstum|croissance|fall|fell|fallen|rise|rose|risen|grow|grew|grown|increase|increased|decrease|decreased|drop|dropped|change|changed|go up|go down|gestiegen|gesunken|gewachsen|zugenommen|abgenommen|augmente|diminue|baisse|增 长|增 加|减 少|下 降|上 升",
    ),
    (
        S::Head,
        "type|kind|typ|charge|charges|fee|fees|bill|code|number|no|id|nummer|numero|总 量|总 额|value of|mark|marks|rating|ratings|grade|grades|note|noten|points total|stunden|hours|rate|figure|temperature|weight|votes|pay|amount|value|price|cost|costs|score|points|salary|rate|sum|balance|result|reading|count|quantity|time|size|betrag|wert|preis|montant|prix|valeur|成 绩|金 额|数 量|分|分 数|额|价|数|量",
    ),
    (
        S::Item,
        "book|books|film|films|movie|movies|song|songs|car|cars|house|houses|apartment|apartments|flat|flats|animal|animals|plant|plants|country|countries|city|cities|town|towns|river|rivers|mountain|mountains|lake|lakes|school|schools|shop|shops|store|stores|company|companies|team|teams|club|clubs|project|projects|task|tasks|job|jobs|event|events|trip|trips|flight|flights|train|trains|game|games|match|matches|class|classes|course|courses|product|products|article|articles|device|devices|machine|machines|room|rooms|hotel|hotels|dish|dishes|recipe|recipes|ticket|tickets|contract|contracts|meeting|meetings|visit|visits|artikel|produkt|produkte|bucher|filme|autos|spiele|kurse|projekte|aufgaben|produits|articles|livres|films|voitures|产 品|商 品|书|图 书|电 影|项 目|课 程|公 司|城 市|动 物",
    ),
    (
        S::MostOften,
        "most often|most frequently|comes up most|comes up most often|most common|most frequent|most popular|beliebteste|beliebtesten|am beliebtesten|le plus populaire|la plus populaire|最 受 欢 迎|最 热 门|am haufigsten|haufigste|haufigsten|am oftesten|le plus souvent|le plus frequent|出 现 最 多|最 常 见|出 现 次 数 最 多",
    ),
    (
        S::LeastOften,
        "least often|least frequently|comes up least|comes up least often|least common|least frequent|least popular|rarest|am seltensten|seltenste|seltensten|unbeliebteste|le moins souvent|le moins frequent|出 现 最 少|最 少 见",
    ),
    (S::Each, "respectively|each of them|jeweils|respectivement|分 别|各 是|各 为"),
    (
        S::Half,
        "half|half of|half the|half of the|die halfte|halfte|halfte der|la moitie|moitie|moitie des|一 半|半 数",
    ),
    (S::Of(C::Age), "old|aged|alt|age|ages|岁|多 大 年 纪|几 岁|多 大 了"),
    (S::Of(C::Length), "long|lang|lange|dauert|dauerte|lasted|last for|takes long|longue|dure|长"),
    (S::Of(C::Distance), "far|weit|loin|远"),
    (S::Of(C::Birth), "born|birthday|geboren|geburtstag|ne|nee|naissance|出 生|生 日"),
    (
        S::Of(C::Start),
        "hired|joined|started|eingetreten|trat ein|start|starts|begin|began|begins|founded|eingestellt|angefangen|begonnen|beginnt|embauche|embauchee|commence|入 职|加 入|开 始|since when",
    ),
    (
        S::Of(C::End),
        "end|ends|ended|finish|finished|expire|expires|expired|expiry|endet|endete|lauft ab|ablauf|expire|finit|结 束|到 期|截 止",
    ),
    (
        S::Of(C::Date),
        "booked|posted|gebucht|verbucht|gebuchte|paye|payee|paid on|debite|payes|payees|stattgefunden|took place|take place|takes place|happened|bezahlt|uberwiesen|记 账|入 账|发 生|办 理",
    ),
    (S::Of(C::Width), "wide|width|breit|large de|宽"),
    (
        S::Of(C::Stock),
        "left|remaining|in stock|on hand|available|auf lager|vorratig|ubrig|verfugbar|im bestand|noch da|en stock|restant|restants|disponible|剩|还 剩|剩 下|有 货|存 货",
    ),
    (S::Of(C::Due), "due|fallig|echeance"),
    (
        S::Of(C::Quantity),
        "sold|sell|sells|selling|units sold|verkauft|verkauften|vendu|vendus|vendue|vendues|卖 了|卖 出|销 量|售 出|卖",
    ),
    (S::Of(C::Product), "buy|buys|bought|ordered|purchased|gekauft|bestellt|achete|commande|买|买 了|购 买"),
    (S::Of(C::Author), "wrote|write|written|author|geschrieben|ecrit|写"),
    (
        S::Of(C::Phone),
        "call|phone number|telephone number|telefonnummer|numero de telephone|电 话|手 机|电 话 号 码|手 机 号|联 系 方 式",
    ),
    (S::Of(C::Score), "scored|score|points|scoring|punkte|punktzahl|marque|marques|得 分|得 了|考 了"),
    (S::Of(C::Teacher), "teach|teaches|taught|unterrichtet|enseigne|教|上 课"),
    (
        S::Of(C::Income),
        "rapporte|rapportent|rapporter|eingebracht|brought in|bring in|brings in|带 来|received|receive|took in|come in|came in|eingenommen|recu|收 到",
    ),
    (
        S::Of(C::Seller),
        "seller|salesperson|salespeople|rep|reps|verkaufer|vendeur|vendeuse|销 售 员|业 务 员",
    ),
];

/// Words for the same kind of column. A column is of a kind when a word of its name is; a word of a question may
/// then mean it though it is called otherwise.
pub(crate) const CONCEPTS: &[(Concept, &str)] = &[
    (
        C::Money,
        "amount|value|sum|money|total|betrag|summe|wert|montant|somme|valeur|金额|总额|数额|款项|umsatz|umsatzbetrag|amt|eur|usd|chf|gbp|rmb|元|euro",
    ),
    (
        C::Revenue,
        "revenue|sales|turnover|proceeds|takings|umsatz|umsatze|erlos|erlose|einnahmen|chiffre d affaires|chiffre|ventes|ca|recettes|销售额|营业额|销售|收入|营收|销售收入|营业收入",
    ),
    (
        C::Expense,
        "money out|paid out|cash out|debit|debits|withdrawals|belastung|ausgang|spesen|auslagen|ausgabe|expense|expenses|spending|spent|spend|cost|costs|expenditure|outlay|ausgaben|ausgabe|kosten|aufwand|depenses|depense|cout|couts|charges|frais|支出|费用|花费|开支|成本|开销",
    ),
    (
        C::Income,
        "money in|paid in|cash in|credits|einnahme|recette|income|incoming|received|receipts|deposit|deposits|credit|einnahmen|einkommen|haben|gutschrift|eingang|revenu|revenus|recettes|credit|收入|存入|进账",
    ),
    (
        C::Salary,
        "salary|salaries|wage|wages|pay|earning|earnings|income|compensation|gehalt|gehalter|lohn|lohne|verdienst|brutto|bruttogehalt|monatsgehalt|jahresgehalt|salaire|salaires|paie|remuneration|工资|薪资|薪水|月薪|年薪|薪酬|收入|基本工资",
    ),
    (
        C::Price,
        "dues|cotisation|cotisations|beitrag|beitrage|jahresbeitrag|mitgliedsbeitrag|会费|price|prices|cost|costs|rate|fee|fees|fare|charge|preis|preise|kosten|einzelpreis|stuckpreis|gebuhr|prix|cout|tarif|tarifs|价格|单价|售价|价钱|费用|定价|票价|价",
    ),
    (
        C::Quantity,
        "quantity|quantities|qty|units|pieces|pcs|count|number|sold|volume|menge|anzahl|stuck|stuckzahl|quantite|quantites|nombre|qte|数量|件数|销量|个数|销售量|销售数量",
    ),
    (
        C::Profit,
        "profit|profits|margin|margins|earnings|gewinn|gewinne|uberschuss|marge|benefice|benefices|利润|毛利|净利润|盈利",
    ),
    (
        C::Tax,
        "tax|taxes|vat|steuer|steuern|mwst|ust|mehrwertsteuer|umsatzsteuer|taxe|taxes|tva|impot|税|税额|税费|增值税",
    ),
    (C::Age, "age|ages|years old|alter|age|年龄|岁数|岁"),
    (
        C::Birth,
        "birth|birthday|birthdate|dob|born|geburtstag|geburtsdatum|geboren|naissance|出生日期|生日|出生",
    ),
    (C::Width, "width|wide|breite|largeur|宽|宽度"),
    (
        C::Height,
        "height|tall|size|elevation|altitude|high|hohe|große|groesse|grosse|hauteur|taille|身高|高度",
    ),
    (C::Weight, "weight|weights|mass|gewicht|gewichte|masse|poids|重量|体重|净重|毛重"),
    (
        C::Length,
        "minutes|min|runtime|running time|length|duration|long|lange|dauer|longueur|duree|长度|时长|片长|时间",
    ),
    (C::Area, "area|size|surface|flache|wohnflache|superficie|面积|建筑面积"),
    (C::Distance, "distance|km|kilometers|miles|mileage|distanz|entfernung|strecke|距离|里程|公里"),
    (C::Duration, "duration|length|time|minutes|min|dauer|zeit|spieldauer|duree|temps|时长|持续时间|用时"),
    (
        C::Hours,
        "hours|hour|hrs|time|stunden|std|arbeitsstunden|arbeitszeit|heures|工时|小时|小时数|时数|加班时间|课时",
    ),
    (
        C::Score,
        "score|scores|points|grade|grades|mark|marks|rating|result|note|noten|punkte|punktzahl|ergebnis|bewertung|points|notes|分数|成绩|得分|评分|总分|积分",
    ),
    (
        C::Population,
        "population|inhabitants|residents|people|einwohner|bevolkerung|einwohnerzahl|habitants|population|人口|居民数|常住人口",
    ),
    (C::Speed, "speed|velocity|pace|time|geschwindigkeit|tempo|vitesse|速度|zeit|用时|时间"),
    (C::Date, "date|day|datum|tag|buchungstag|buchungsdatum|jour|date|日期|时间|日|订单日期"),
    (
        C::Start,
        "start|started|begin|beginning|hired|hire|joined|join|since|founded|opened|start date|entry|eintritt|eintrittsdatum|beginn|anfang|seit|startdatum|grundung|debut|embauche|entree|入职|入职日期|开始|开始日期|加入|成立",
    ),
    (
        C::End,
        "end|ended|finish|expiry|expires|expiration|until|deadline|ende|enddatum|ablauf|ablaufdatum|austritt|fin|expiration|结束|到期|到期日|结束日期|截止|有效期",
    ),
    (C::Due, "due|deadline|payable|fallig|falligkeit|faellig|frist|echeance|到期|截止|到期日|截止日期"),
    (C::Name, "name|names|full name|vorname|nachname|bezeichnung|nom|prenom|intitule|姓名|名称|名字|品名|名"),
    (
        C::Person,
        "person|people|employee|employees|member|staff|worker|colleague|participant|guest|student|pupil|patient|player|tenant|resident|child|owner|teacher|nurse|doctor|driver|mitarbeiter|mitarbeiterin|angestellter|teilnehmer|mitglied|gast|schuler|kollege|mieter|spieler|patient|fahrer|personne|employe|salarie|membre|eleve|etudiant|invite|locataire|joueur|姓名|员工|人员|学生|成员|职工|会员|患者|住户|租户|责任人|负责人|经理|name",
    ),
    (
        C::Department,
        "department|dept|team|unit|division|group|section|office|abteilung|bereich|team|gruppe|departement|service|equipe|部门|科室|团队|小组|组别|班级",
    ),
    (
        C::Product,
        "product|products|item|items|article|articles|goods|description|material|artikel|produkt|produkte|ware|gegenstand|bezeichnung|produit|produits|article|designation|libelle|产品|商品|品名|物品|货品|产品名称|商品名称|菜品|品种|名称",
    ),
    (
        C::Category,
        "category|categories|type|kind|class|group|genre|art|kategorie|typ|gruppe|rubrik|warengruppe|categorie|type|genre|类别|类型|分类|种类|品类|科目|项目",
    ),
    (
        C::Customer,
        "customer|customers|client|clients|buyer|account|company|kunde|kunden|kundin|auftraggeber|firma|client|acheteur|客户|客户名称|顾客|买家|公司",
    ),
    (
        C::Seller,
        "salesperson|rep|reps|seller|agent|sales rep|representative|verkaufer|vertreter|vertrieb|vendeur|commercial|销售员|业务员|销售人员|销售代表",
    ),
    (
        C::Supplier,
        "supplier|suppliers|vendor|vendors|manufacturer|producer|maker|brand|lieferant|lieferanten|hersteller|fournisseur|fournisseurs|fabricant|供应商|厂家|厂商|制造商|品牌",
    ),
    (C::City, "city|cities|town|stadt|stadte|ort|ville|villes|commune|城市|市"),
    (C::Country, "country|countries|nation|land|lander|staat|pays|国家|国别"),
    (
        C::Place,
        "place|location|venue|station|supermarket|tankstelle|site|city|town|branch|store|shop|office|room|address|ort|standort|filiale|lieu|endroit|emplacement|magasin|地点|位置|地址|门店|场地|城市|地区|所在地",
    ),
    (
        C::Region,
        "ward|precinct|constituency|wahlkreis|stadtteil|arrondissement|region|area|territory|state|province|district|county|zone|bundesland|gebiet|bezirk|kanton|region|departement|secteur|地区|区域|省份|省|大区",
    ),
    (C::Address, "address|street|adresse|straße|strasse|anschrift|rue|地址|住址"),
    (
        C::Phone,
        "phone|telephone|tel|mobile|cell|telefon|telefonnummer|handy|rufnummer|telephone|portable|电话|手机|联系电话|手机号|电话号码",
    ),
    (C::Mail, "email|mail|e mail|mailadresse|courriel|邮箱|电子邮件|邮件"),
    (C::Rent, "rent|rents|rental|miete|mieten|kaltmiete|warmmiete|loyer|loyers|租金|房租|月租"),
    (
        C::Stock,
        "stock|inventory|on hand|available|bestand|lager|lagerbestand|vorrat|stock|stocks|库存|库存量|存货|库存数量",
    ),
    (C::Gender, "gender|sex|geschlecht|sexe|genre|性别"),
    (C::Status, "status|state|stand|zustand|statut|etat|状态|情况"),
    (
        C::Comment,
        "comment|comments|note|notes|remark|remarks|description|kommentar|bemerkung|notiz|commentaire|remarque|备注|说明",
    ),
    (C::Temperature, "temperature|temp|temperatur|temperature|气温|温度"),
    (
        C::Percentage,
        "percent|percentage|pct|rate|share|ratio|prozent|quote|anteil|pourcentage|taux|part|百分比|比例|占比|率",
    ),
    (C::Time, "time|hour|clock|uhrzeit|zeit|heure|horaire|时间|时刻"),
    (C::Balance, "balance|saldo|kontostand|solde|余额|结余"),
    (C::Room, "room|rooms|raum|zimmer|salle|chambre|房间|教室|房号|会议室"),
    (
        C::Teacher,
        "teacher|teachers|instructor|lehrer|lehrerin|dozent|professeur|enseignant|老师|教师|任课老师",
    ),
    (C::Title, "title|titles|titel|titre|标题|书名|片名|题目"),
    (C::Author, "author|authors|writer|autor|autorin|verfasser|auteur|作者"),
    (
        C::Attendance,
        "attendance|attendees|visitors|visits|besucher|besuche|visiteurs|participants|出勤|参加人数|访客|人次",
    ),
    (
        C::Code,
        "id|no|nr|number|code|num|nummer|numero|reference|ref|sku|编号|号码|代码|工号|学号|订单号|单号",
    ),
];
