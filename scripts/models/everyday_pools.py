"""Names of people, places and things to fill made-up tables with, by language.

None of them occurs in the everyday suite of the tests, which the locator is measured on.
"""

FIRST = {
    'en': 'James,Sofia,Liam,Olivia,Lucas,Ethan,Ruby,Oscar,Amelia,Harry,Paul,Kate,Sara,Daniel,Rachel,Julia,Fatima,Yuki,Carlos,Elena,Vera,Colin,Ralph,Moira,Alan,Bridget,Kofi,Amara,Aaron,Beatrice,Cyrus,Delia,Edgar,Gideon,Hazel,Imogen,Joel,Keira,Lorna,Marcus,Naomi,Philippa,Quentin,Rosalind,Stewart,Thea,Ulrich,Violet,Wallace,Xavier,Yasmin,Zachary,Anjali,Bilal,Chidi,Esra',
    'de': 'Klaus,Jürgen,Petra,Marie,Jonas,Emil,Frieda,Ute,Karin,Bernd,Stefan,Tobias,Nadine,Moritz,Jana,Oskar,Werner,Gisela,Matthias,Birgit,Sven,Anke,Dirk,Monika,Erik,Konrad,Ilse,Rolf,Sigrid,Annegret,Burkhard,Carsten,Dagmar,Elmar,Friedhelm,Gerlinde,Holger,Ingo,Jutta,Kerstin',
    'fr': 'Anne,Luc,Chloé,Pierre,Marie,Jean,Camille,Léa,Louis,Manon,Jules,Inès,Paul,Antoine,Claire,Nicolas,Sophie,Élise,Mathieu,Julie,Olivier,Nathalie,Gérard,Monique,Thierry,Sylvie,Rémi,Aurélie,Denise,Fabien,Odile,Yves,Lucie',
    'zh': '伟,芳,娜,敏,静,丽,强,磊,军,洋,勇,艳,杰,娟,涛,明,超,秀英,霞,平,刚,桂英,浩,宇,欣怡,子涵,梓轩,雨桐,佳怡,志强,建国,晓明,海燕,文博,思远,婷婷,俊杰,雪梅,国华,玉兰'}
LAST = {
    'en': 'Smith,Jones,Taylor,Wilson,Evans,Thomas,Roberts,Johnson,Walker,Wright,Clarke,Hughes,Khan,Patel,Murphy,Kelly,OBrien,Costa,Larsen,Haddad,Mensah,Tanaka,Singh,Gomez,Fraser,Bell,Foster,Grant,Irwin,Lowe,Marsh,Abbott,Barlow,Carver,Dalton,Ellison,Farrow,Gallagher,Hobbs,Jarvis,Kendall,Lockwood,Mercer,Norton,Osborne,Pritchard,Quigley,Ramsey,Sinclair,Thornton,Underhill',
    'de': 'Schmidt,Weber,Wagner,Becker,Schulz,Hoffmann,Koch,Bauer,Richter,Neumann,Schwarz,Zimmermann,Braun,Hartmann,Werner,Krause,Lehmann,Maier,Köhler,Herrmann,König,Walter,Peters,Kaiser,Fuchs,Scholz,Vogel,Jung,Hahn,Berger,Winkler,Roth,Albrecht,Dietrich,Engel,Freitag,Grimm,Horn,Ziegler',
    'fr': 'Martin,Bernard,Dubois,Thomas,Robert,Richard,Durand,Simon,Laurent,Lefebvre,Michel,Garcia,Bertrand,Roux,Vincent,Fournier,Morel,Girard,André,Mercier,Lambert,Bonnet,Martinez,Legrand,Faure,Rousseau,Guérin,Muller,Chevalier,Delmas,Fontaine,Gauthier,Hubert,Jacquet,Lacroix,Perrin',
    'zh': '王,李,张,刘,陈,杨,赵,黄,周,吴,徐,孙,胡,朱,高,林,何,郭,马,罗,梁,宋,郑,谢,韩,唐,冯,于,董,萧,程,曹,袁,邓,许,傅,沈,曾,彭,吕'}
CITY = {
    'en': 'Boston,Denver,Austin,Oxford,Cardiff,Leicester,Glasgow,Portland,Dallas,Seattle,Bath,Derby,Exeter,Norwich,Perth,Toronto,Sydney,Chicago,Lincoln,Durham,Albany,Tucson,Omaha,Vienna,Prague,Warsaw,Ipswich,Carlisle,Dundee,Swansea,Hobart,Boise,Tampa,Raleigh,Halifax,Plymouth,Truro,Wells,Fresno,Tulsa',
    'de': 'Frankfurt,Stuttgart,Hannover,Bremen,Nürnberg,Dortmund,Bonn,Mainz,Kiel,Ulm,Jena,Luzern,Kassel,Trier,Potsdam,Rostock,Bamberg,Erfurt,Gera,Celle,Husum,Passau,Görlitz,Marburg,Siegen,Worms,Speyer,Villach,Chur,Solothurn',
    'fr': 'Nantes,Rennes,Dijon,Angers,Tours,Metz,Nancy,Brest,Caen,Rouen,Limoges,Amiens,Genève,Lausanne,Bruxelles,Liège,Namur,Annecy,Pau,Avignon,Colmar,Troyes,Chartres,Beaune,Niort,Vannes,Quimper,Albi,Cahors,Sion',
    'zh': '杭州,重庆,西安,苏州,天津,长沙,青岛,大连,厦门,宁波,郑州,济南,合肥,福州,沈阳,贵阳,南昌,无锡,珠海,兰州,太原,石家庄,洛阳,温州,桂林,烟台,徐州,绵阳,柳州,银川'}
COMPANY = {
    'en': 'Brightside,Northwind,Globex,Initech,Umbra Foods,Kestrel & Co,Harbour Bank,Sunrise Media,Oak Street Bakery,Delta Tools,Blue Ocean,Vertex,Pine Valley,Tailor Bros,Quantum Labs,Riverside Inn,Metro Cabs,Silverline,Apex Partners,Green Fields,Stonebridge,Lumen Energy,Falcon Air,Orchard Press',
    'de': 'Müller GmbH,Nordlicht AG,Technik Sommer,Stahlbau West,Meier & Söhne,Sonnenhof,Rhein Logistik,Alpen Bank,Grünwerk,Elektro Kraus,Autohaus Stern,Hansen KG,Bergmann AG,Verlag Linde,Holz Schuster,Domino Reisen,Kurz und Klein',
    'fr': 'Dupont SA,Boulangerie Leroy,Transports Martin,Soleil Énergie,Nord Textile,Atelier Bleu,Éditions du Port,Garage Morel,Vins Girard,Alpes Sport,Maison Verte,Labo Roux,Cafés Simon,Bâti Plus,Océan Média',
    'zh': '宏远公司,天朗科技,东方贸易,蓝海物流,金桥建设,长城电子,明珠酒店,绿源食品,远大集团,恒信银行,新星传媒,盛世地产,康宁医药,顺风运输,大成机械,万里汽车,青松出版社,泰和实业,百川商贸'}
PRODUCT = {
    'en': 'hammer,desk lamp,coffee mug,office chair,notebook,drill,kettle,toaster,backpack,water bottle,umbrella,paint brush,wheelbarrow,keyboard,mouse,monitor,olive oil,green tea,rice,apple juice,candle,blanket,pillow,bookcase,screwdriver set,bicycle pump,tent,sleeping bag,football,chess set,printer paper,light bulb,battery,thermos,hole punch,step stool,mustard,lentil soup,maple syrup',
    'de': 'Hammer,Gartenschlauch,Schreibtischlampe,Kaffeetasse,Bürostuhl,Spaten,Notizbuch,Bohrmaschine,Wasserkocher,Rucksack,Regenschirm,Leiter,Schubkarre,Tastatur,Bildschirm,Käse,Olivenöl,Äpfel,Mehl,Decke,Kissen,Bücherregal,Zelt,Schlafsack,Fußball,Druckerpapier,Glühbirne,Batterie',
    'fr': 'marteau,tuyau,tasse,carnet,perceuse,bouilloire,parapluie,échelle,clavier,écran,fromage,miel,farine,pommes,huile,couverture,oreiller,étagère,tente,ballon,papier,ampoule,pile,miroir,tabouret,buffet,commode,fauteuil,rideau,bougie',
    'zh': '锤子,台灯,水杯,办公椅,订书机,电钻,水壶,雨伞,梯子,键盘,鼠标,显示器,大米,酱油,绿茶,苹果,牛奶,蜂蜜,毛巾,枕头,书架,螺丝刀,帐篷,足球,打印纸,灯泡,电池,沙发,衣柜'}
SUBJECT = {
    'en': 'Chemistry,Biology,Art,French,Spanish for beginners,Watercolour,Zumba,Swimming,Photography,First aid,Excel basics,Baking,Geography,Drama,Philosophy,Economics,Algebra,Civics,Astronomy,Choir,Tai chi,Judo,Weaving,Violin,Knitting,Portuguese,Robotics,Bookbinding',
    'de': 'Chemie,Geschichte,Biologie,Physik,Kunst,Musik,Englisch,Töpfern,Malen,Schwimmen,Fotografie,Gitarre,Erste Hilfe,Backen,Nähen,Erdkunde,Latein,Schach,Italienisch,Algebra,Astronomie,Chor,Judo,Geige',
    'fr': 'Chimie,Mathématiques,Histoire,Biologie,Physique,Dessin,Musique,Anglais,Poterie,Natation,Photo,Guitare,Cuisine,Couture,Géographie,Échecs,Théâtre,Espagnol',
    'zh': '化学,历史,生物,美术,音乐,瑜伽,书法,游泳,摄影,吉他,急救,烘焙,地理,围棋,舞蹈,编程,政治,天文,合唱,柔道'}
PROJECT = {
    'en': 'Website relaunch,Apollo,Warehouse move,Solar roof,New logo,Customer survey,Phoenix,Office party,Annual report,App redesign,Bridge repair,Data centre,Project Falcon,School garden,Tax return,Trade fair,Orion,CRM migration,Paint the fence,Order flowers',
    'de': 'Webseite,Apollo,Lagerumzug,Solardach,Neues Logo,Kundenumfrage,Phoenix,Weihnachtsfeier,Jahresbericht,Brückensanierung,Rechenzentrum,Projekt Falke,Schulgarten,Steuererklärung,Messeauftritt,Orion',
    'fr': 'Site web,Apollo,Déménagement,Toit solaire,Nouveau logo,Enquête clients,Phénix,Fête annuelle,Rapport annuel,Réfection du pont,Projet Faucon,Jardin scolaire,Orion',
    'zh': '官网改版,阿波罗计划,仓库搬迁,屋顶光伏,客户调研,凤凰项目,年会,年度报告,桥梁维修,数据中心,校园绿化,展会筹备,系统迁移,老旧小区改造'}
STREET = {
    'en': '12 Oak Street,4 Mill Lane,27 High Street,8 Rose Court,51 Station Road,3 Park Avenue,19 Elm Drive,Flat 2 Kings House,66 Bridge Street,7 Church Lane,15 Lake View,90 Hill Road,Flat 5 Queens House,22 Market Square',
    'de': 'Lindenstraße 12,Hauptstr. 4,Bahnhofstraße 27,Rosenweg 8,Mühlgasse 51,Parkallee 3,Am Markt 19,Kirchweg 7,Seestraße 15,Bergstraße 90,Gartenweg 22,Schulstraße 6',
    'fr': '12 rue des Lilas,4 avenue Foch,27 rue de la Gare,8 place du Marché,51 rue du Moulin,3 allée des Roses,19 boulevard Victor Hugo,7 rue de l Église,15 quai du Lac,22 rue Pasteur',
    'zh': '阳光花园,翠湖小区,幸福路12号,中山路27号,金色家园,碧水湾,东方名邸,人民路8号,星河湾,和平里3号楼,锦绣江南,学府苑'}
PLACE = {
    'en': 'town hall,room 12,main hall,sports centre,cafeteria,church,beach hotel,basement,first floor,reception,lab 2,conference room,archive,courtyard,gallery',
    'de': 'Rathaus,Raum 12,Aula,Bibliothek,Sporthalle,Kirche,Strandhotel,Empfang,Labor 2,Konferenzraum,Archiv,Innenhof,Galerie,Foyer',
    'fr': 'mairie,salle 12,grande salle,bibliothèque,gymnase,jardin,cantine,église,hôtel de la plage,musée,sous-sol,accueil,atelier,labo 2',
    'zh': '市政厅,一号会议室,大礼堂,图书馆,体育馆,花园,食堂,酒店,博物馆,地下室,前台,车间,实验室,三楼'}
EVENT = {
    'en': 'summer party,jazz night,board meeting,school trip,book fair,charity run,wine tasting,flea market,chess tournament,open day,Easter brunch,film night,hiking weekend,training camp,Christmas market',
    'de': 'Sommerfest,Jazzabend,Vorstandssitzung,Klassenfahrt,Buchmesse,Spendenlauf,Weinprobe,Hochzeit,Flohmarkt,Schachturnier,Tag der offenen Tür,Osterbrunch,Filmabend,Wanderwochenende',
    'fr': 'fête d été,soirée jazz,conseil,sortie scolaire,salon du livre,course solidaire,dégustation,mariage,brocante,tournoi d échecs,portes ouvertes,ciné-club,randonnée',
    'zh': '夏日晚会,爵士之夜,董事会,春游,书展,慈善跑,品酒会,婚礼,跳蚤市场,象棋比赛,开放日,电影之夜,登山活动'}
WORK = {
    'en': 'The Silent River,Night Train,Red Dust,A Winter Tale,Broken Glass,The Last Garden,Moon Harbour,Golden Hour,Paper Boats,The Iron Door,Small Mercies,Deep Water,Salt and Stone,The Clockmaker,Wild Geese,Blue Hotel',
    'de': 'Der stille Fluss,Nachtzug,Roter Staub,Wintermärchen,Scherben,Der letzte Garten,Mondhafen,Goldene Stunde,Papierboote,Die eiserne Tür,Tiefes Wasser,Salz und Stein,Der Uhrmacher',
    'fr': 'La rivière muette,Train de nuit,Poussière rouge,Conte d hiver,Le dernier jardin,Heure dorée,Bateaux de papier,La porte de fer,Eau profonde,L horloger',
    'zh': '夜行列车,红尘往事,冬日故事,最后的花园,月光港,黄金时刻,纸船,铁门,深水,钟表匠,远山,北国旧梦'}
PET = {'en': 'Bella,Milo,Daisy,Rocky,Nala,Simba,Molly,Oscar,Pepper,Shadow,Ginger,Biscuit,Waffles,Nutmeg,Ziggy,Clover'}
DEVICE = {
    'en': 'laptop 14,projector,coffee machine,forklift,3D printer,scanner,server rack,dishwasher,tablet 3,microscope,drill press,freezer,shredder,tripod,hedge trimmer,modem',
    'de': 'Laptop 14,Drucker,Beamer,Kaffeemaschine,Gabelstapler,Kamera,Scanner,Server,Rasenmäher,Spülmaschine,Tablet 3,Mikroskop,Kühltruhe',
    'fr': 'ordinateur 14,imprimante,projecteur,machine à café,chariot élévateur,caméra,scanner,serveur,tondeuse,lave-vaisselle,tablette 3,microscope,routeur',
    'zh': '笔记本电脑,打印机,投影仪,咖啡机,叉车,照相机,扫描仪,服务器,割草机,洗碗机,平板电脑,显微镜,路由器,冰箱'}
DISH = {'en': 'apple pie,chicken curry,greek salad,fish and chips,beef stew,veggie burger,sushi,pad thai,chilli,carrot cake,moussaka,leek soup,paella,waffles,goulash,frittata'}
BOOKING = {
    'en': 'supermarket,train ticket,phone bill,car insurance,birthday present,haircut,water bill,pharmacy,mortgage,gas bill,optician,bus pass,swimming pool,takeaway,magazines,hostel',
    'de': 'Zahnarzt,Bahnticket,Telefon,Fitnessstudio,Kfz-Versicherung,Geschenk,Benzin,Bücher,Friseur,Blumen,Wasser,Kredit,Drogerie,Imbiss,Pension,Mobilfunk,Optiker',
    'fr': 'supermarché,dentiste,billet de train,salle de sport,assurance auto,cadeau,essence,livres,coiffeur,hôtel,fleurs,eau,gaz,mobile,traiteur,fibre,opticien',
    'zh': '电费,看牙,火车票,话费,健身房,车险,生日礼物,加油,买书,理发,酒店,鲜花,水费,网费,药店,贷款,菜市场,外卖'}
POOLS = {name: {language: words.split(',') for language, words in pool.items()} for name, pool in dict(
    first=FIRST, last=LAST, city=CITY, company=COMPANY, product=PRODUCT, subject=SUBJECT, project=PROJECT, street=STREET,
    place=PLACE, event=EVENT, work=WORK, pet=PET, device=DEVICE, dish=DISH, booking=BOOKING).items()}


def pool(name, language):
    by_language = POOLS[name]
    return by_language.get(language) or by_language['en']
