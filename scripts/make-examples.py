#!/usr/bin/env python3
"""Make the files in examples/ and the questions with answers in docs/start/examples.md.

    python3 scripts/make-examples.py [FOLDER]

Everything is about one made-up company, Larkfield Bikes, so that questions can
join across files. Seeds and timestamps are fixed: with the same library
versions, the same bytes come out. Every answer is computed from the same data
that is written to the files.

Needs: XlsxWriter (it stores the cached value of a formula), pyarrow.
"""

import csv
import datetime as dt
import json
import random
import sqlite3
import sys
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter

REPOSITORY = Path(__file__).resolve().parent.parent
MADE_AT = dt.datetime(2025, 1, 15, 9, 0, 0)

# --- the company -------------------------------------------------------------

YEARS = (2023, 2024)
QUARTERS = ("Q1", "Q2", "Q3", "Q4")
CATEGORIES = ("City bikes", "E-bikes", "Cargo bikes", "Kids bikes")

# region -> (warehouse code, city, country, pallets, carriers)
REGIONS = {
    "Nordics": ("AAR", "Aarhus", "Denmark", 1800, ("PostNord", "DSV")),
    "Central Europe": ("RTM", "Rotterdam", "Netherlands", 4200, ("DB Schenker", "GLS", "DSV")),
    "North America": ("PDX", "Portland", "United States", 2600, ("UPS Freight", "Old Dominion")),
    "East Asia": ("SZV", "Suzhou", "China", 3100, ("SF Express", "Deppon")),
}

# sku, name, category, list price (USD), weight (kg), discontinued
PRODUCTS = [
    ("LK-C10", "Commuter One", "City bikes", "649.00", "13.5", 0),
    ("LK-C20", "Commuter Step-Through", "City bikes", "699.00", "14.2", 0),
    ("LK-C30", "Commuter Belt Drive", "City bikes", "989.00", "13.1", 0),
    ("LK-E10", "Volt 400", "E-bikes", "1899.00", "22.4", 0),
    ("LK-E20", "Volt 625 Long Range", "E-bikes", "2599.00", "24.8", 0),
    ("LK-E30", "Volt Fold", "E-bikes", "1749.00", "19.6", 0),
    ("LK-G10", "Haul Longtail", "Cargo bikes", "2199.00", "31.0", 0),
    ("LK-G20", "Haul Front Loader", "Cargo bikes", "4299.00", "42.5", 0),
    ("LK-K10", "Sprout 16", "Kids bikes", "279.00", "7.1", 0),
    ("LK-K20", "Sprout 20", "Kids bikes", "329.00", "8.4", 0),
    ("LK-K30", "Sprout Balance", "Kids bikes", "139.00", "4.2", 1),
    ("LK-A10", "Two-Seat Trailer", "Accessories", "399.00", "12.0", 0),
]

# id, name, city, country, warehouse that serves it
DEALERS = [
    ("D-01", "Cykelhuset Vesterbro", "Copenhagen", "Denmark", "AAR"),
    ("D-02", "Oslo Sykkelverksted", "Oslo", "Norway", "AAR"),
    ("D-03", "Malmö Cykel & Last", "Malmö", "Sweden", "AAR"),
    ("D-04", "Fietsenmakerij De Ketting", "Utrecht", "Netherlands", "RTM"),
    ("D-05", "Radhaus Köln", "Cologne", "Germany", "RTM"),
    ("D-06", "Vélo Rive Gauche", "Paris", "France", "RTM"),
    ("D-07", "Zweirad Zürich", "Zürich", "Switzerland", "RTM"),
    ("D-08", "Hawthorne Cycle Works", "Portland", "United States", "PDX"),
    ("D-09", "Green Lake Bikes", "Seattle", "United States", "PDX"),
    ("D-10", "Le Plateau Vélos", "Montréal", "Canada", "PDX"),
]

STORES = [  # city, store, opened, online and offline sales and target of September 2023, in 10,000 yuan
    ("上海", "南京西路店", dt.date(2019, 5, 1), "38.60", "112.45", "140.00"),
    ("上海", "徐家汇店", dt.date(2020, 9, 12), "29.15", "86.30", "120.00"),
    ("上海", "张江店", dt.date(2023, 9, 1), "12.80", "31.70", "40.00"),
    ("北京", "三里屯店", dt.date(2018, 3, 18), "41.20", "98.75", "150.00"),
    ("北京", "中关村店", dt.date(2021, 6, 6), "36.90", "64.10", "95.00"),
    ("苏州", "观前街店", dt.date(2020, 10, 1), "15.35", "47.65", "60.00"),
    ("苏州", "工业园区店", dt.date(2022, 4, 23), "18.20", "39.05", "65.00"),
    ("成都", "春熙路店", dt.date(2021, 11, 11), "22.75", "58.90", "75.00"),
    ("成都", "高新店", dt.date(2023, 9, 16), "9.40", "17.25", "30.00"),
]


def make_revenue():
    """Revenue in thousand USD: {(region, category): [8 quarters]}, None where nothing was sold."""
    rng = random.Random(101)
    size = {"Nordics": 420, "Central Europe": 980, "North America": 640, "East Asia": 510}
    share = {"City bikes": 1.0, "E-bikes": 1.7, "Cargo bikes": 0.6, "Kids bikes": 0.35}
    season = (0.7, 1.35, 1.2, 0.75)
    growth = {"Nordics": 1.06, "Central Europe": 1.11, "North America": 0.97, "East Asia": 1.24}
    revenue = {}
    for region in REGIONS:
        for category in CATEGORIES:
            values = []
            for year in range(2):
                for quarter in range(4):
                    base = size[region] * share[category] * season[quarter] * growth[region] ** year
                    values.append(round(base * rng.uniform(0.9, 1.1), 1))
            revenue[region, category] = values
    revenue["North America", "Cargo bikes"][0:2] = [None, None]
    return revenue


def make_stock():
    """sku, warehouse, quantity, reorder level, counted on."""
    rng = random.Random(102)
    rows = []
    for sku, _, _, _, _, discontinued in PRODUCTS:
        for code, *_ in REGIONS.values():
            reorder = 0 if discontinued else rng.choice((20, 30, 40, 60))
            quantity = rng.randint(0, 25) if discontinued else rng.randint(5, 260)
            counted = dt.date(2024, 12, 28) + dt.timedelta(days=rng.randint(0, 3))
            rows.append((sku, code, quantity, reorder, counted.isoformat()))
    return rows


def make_customers():
    """Sixty Chinese customers: id, name, city, province, kind, registered, credit, contact, store, remark."""
    rng = random.Random(103)
    provinces = {"上海": "上海市", "北京": "北京市", "苏州": "江苏省", "南京": "江苏省", "杭州": "浙江省",
                 "宁波": "浙江省", "成都": "四川省", "武汉": "湖北省", "广州": "广东省", "深圳": "广东省"}
    weights = (12, 9, 8, 5, 6, 3, 7, 3, 4, 3)
    brands = ("骏驰", "远行", "绿道", "追风", "捷达", "山海", "蓝天", "飞轮", "乐骑", "云途", "星火", "同行")
    trades = (("自行车销售有限公司", "经销商"), ("户外用品商行", "经销商"), ("共享出行科技有限公司", "企业"),
              ("物流配送有限公司", "企业"), ("骑行俱乐部", "俱乐部"), ("国际学校", "学校"))
    surnames, given = "王李张刘陈杨赵黄周吴徐孙马朱胡林", ("伟", "芳", "娜", "敏", "静", "磊", "洋", "艳", "勇", "杰", "晓燕", "志强", "雨桐", "子涵")
    remarks = ("", "", "", "月结", "需增值税专用发票", "价格另议，按年签约", "VIP客户")
    rows, seen = [], set()
    while len(rows) < 60:
        city = rng.choices(list(provinces), weights)[0]
        trade, kind = rng.choice(trades)
        name = f"{city}{rng.choice(brands)}{trade}"
        if name in seen:
            continue
        seen.add(name)
        registered = dt.date(2019, 1, 1) + dt.timedelta(days=rng.randint(0, 2100))
        local = [store for c, store, *_ in STORES if c == city]
        rows.append((f"K{len(rows) + 1:03}", name, city, provinces[city], kind, f"{registered:%Y/%m/%d}",
                     rng.choice((20, 30, 50, 80, 100, 150, 200)) * 1000,
                     rng.choice(surnames) + rng.choice(given), rng.choice(local) if local else "线上", rng.choice(remarks)))
    return rows


def make_shipments(customers):
    """Five hundred shipments of 2024 as dictionaries; delivered_on is None while under way."""
    rng = random.Random(104)
    weight = {sku: Decimal(kg) for sku, _, _, _, kg, _ in PRODUCTS}
    buyers = {code: [d[0] for d in DEALERS if d[4] == code] for code in ("AAR", "RTM", "PDX")}
    buyers["SZV"] = [c[0] for c in customers]
    carriers = {code: names for code, _, _, _, names in REGIONS.values()}
    days = sorted(rng.randint(0, 365) for _ in range(500))
    rows = []
    for number, day in enumerate(days, 1):
        code = rng.choices(("AAR", "RTM", "PDX", "SZV"), (18, 38, 22, 30))[0]
        sku = rng.choice(PRODUCTS)[0]
        quantity = rng.randint(1, 24)
        ordered = dt.date(2024, 1, 1) + dt.timedelta(days=day)
        shipped = ordered + dt.timedelta(days=rng.randint(1, 6))
        delivered = shipped + dt.timedelta(days=rng.randint(1, 9))
        lost = rng.random() < 0.02
        kilos = quantity * weight[sku]
        rows.append({
            "shipment_id": f"S24-{number:04}", "order_date": ordered, "shipped_on": shipped,
            "delivered_on": None if lost or delivered > dt.date(2024, 12, 31) else delivered,
            "warehouse": code, "customer_id": rng.choice(buyers[code]), "sku": sku, "quantity": quantity,
            "weight_kg": kilos, "freight_usd": (kilos * Decimal(rng.randint(60, 140)) / 100 + 12).quantize(Decimal("0.01")),
            "carrier": rng.choice(carriers[code]),
            "note": "reported lost, claim opened" if lost else rng.choice((None, None, None, None, "tail lift needed", "call before delivery")),
        })
    return rows


def make_staff():
    """Forty people: number, name, role, office, hired, salary, e-mail. All names fit Latin-1."""
    rng = random.Random(105)
    first = ("Søren", "Åse", "Jürgen", "Zoë", "José", "Chloé", "Françoise", "Björn", "Nuño", "Agnès", "Renée", "Þóra",
             "Inês", "Günther", "Lærke", "Anaïs", "Emily", "Daniel", "Wei", "Marcus")
    last = ("Müller", "Nørgaard", "Gonçalves", "Peña", "Lefèvre", "Åkerström", "Núñez", "Höfer", "Desprès", "Bøe",
            "Weiß", "Carter", "Chen", "Ibáñez", "van den Berg")
    roles = (("Mechanic", 39), ("Warehouse clerk", 36), ("Sales representative", 47), ("Accountant", 52),
             ("Planner", 55), ("Software engineer", 71), ("Site manager", 82))
    sites = [city for _, city, *_ in REGIONS.values()]
    names = rng.sample([f"{a} {b}" for a in first for b in last], 40)
    rows = []
    for number, name in enumerate(names, 1):
        managing = number <= len(sites)
        role, base = roles[-1] if managing else rng.choice(roles[:-1])
        site = sites[number - 1] if managing else rng.choices(sites, (8, 14, 9, 9))[0]
        hired = dt.date(2012, 1, 1) + dt.timedelta(days=rng.randint(0, 4600))
        salary = round(base * rng.uniform(0.9, 1.25), 1) * 1000
        rows.append((f"E{number:03}", name, role, site, f"{hired:%d.%m.%Y}", f"{salary:,.0f}"))
    return rows


def make_events(customers):
    """Workshop visits with nested objects."""
    rng = random.Random(106)
    bikes = [p for p in PRODUCTS if p[2] != "Accessories"]
    parts = ("brake pads", "chain", "battery", "inner tube", "display", "spokes", "motor controller")
    events = []
    for number in range(1, 121):
        sku = rng.choice(bikes)[0]
        kind = rng.choices(("repair", "warranty", "test_ride"), (5, 2, 3))[0]
        when = dt.datetime(2024, 1, 2, 9) + dt.timedelta(hours=rng.randint(0, 8700), minutes=rng.randint(0, 59))
        customer = rng.choice(customers)
        event = {"event": f"V-{number:04}", "time": when.isoformat() + "Z", "type": kind,
                 "customer": {"id": customer[0], "city": customer[2]},
                 "bike": {"sku": sku, "serial": f"{sku[3:]}-{rng.randint(10000, 99999)}"}}
        if kind != "test_ride":
            event["bike"]["km"] = rng.randint(80, 9000)
            event["cost"] = {"parts": round(rng.uniform(0, 180), 2), "labour": rng.randint(1, 8) * 22.5, "currency": "USD"}
            event["replaced"] = rng.sample(parts, rng.randint(0, 2))
        events.append(event)
    return sorted(events, key=lambda e: e["time"])


ENERGY = {  # site: {meter: [2023 H1, 2023 H2, 2024 H1, 2024 H2]} in MWh
    "Aarhus": {"Electricity": [212.4, 231.9, 205.1, 219.6], "District heat": [388.0, 341.5, 362.7, 320.2]},
    "Rotterdam": {"Electricity": [518.3, 542.7, 470.8, 455.2], "Gas": [604.1, 552.6, 431.9, 388.4]},
    "Portland": {"Electricity": [331.0, 348.2, 340.6, 352.9], "Gas": [221.7, 240.3, 218.8, 233.5]},
    "Suzhou": {"Electricity": [402.5, 461.8, 445.3, 498.6], "Gas": [98.4, 121.0, 90.2, 112.7]},
}

# category: bikes sold, warranty claims, most frequent cause (2024)
WARRANTY = {"City bikes": (14210, 284, "Bottom bracket noise"), "E-bikes": (9876, 543, "Display fault"),
            "Cargo bikes": (2140, 96, "Spoke breakage"), "Kids bikes": (11905, 143, "Loose stabiliser")}


class Company:
    def __init__(self):
        self.revenue = make_revenue()
        self.stock = make_stock()
        self.customers = make_customers()
        self.shipments = make_shipments(self.customers)
        self.staff = make_staff()
        self.events = make_events(self.customers)

    def region_year(self, region, year):
        start = YEARS.index(year) * 4
        values = [v for c in CATEGORIES for v in self.revenue[region, c][start:start + 4]]
        return round(sum(v for v in values if v is not None), 1)

    def total_year(self, year):
        return round(sum(self.region_year(r, year) for r in REGIONS), 1)


# --- sales.xlsx --------------------------------------------------------------


def open_workbook(path):
    book = xlsxwriter.Workbook(str(path))
    book.set_properties({"created": MADE_AT, "author": "Larkfield Bikes"})
    return book


def write_sales(company, path):
    book = open_workbook(path)
    f = {
        "title": book.add_format({"bold": True, "font_size": 14}),
        "head": book.add_format({"bold": True, "border": 1, "align": "center", "valign": "vcenter", "bg_color": "#DDE8F0"}),
        "region": book.add_format({"valign": "top", "border": 1}),
        "number": book.add_format({"num_format": "#,##0.0"}),
        "bold": book.add_format({"bold": True, "top": 1}),
        "sum": book.add_format({"bold": True, "top": 1, "num_format": "#,##0.0"}),
        "percent": book.add_format({"num_format": "0.0%"}),
        "note": book.add_format({"italic": True, "font_color": "#666666"}),
    }
    write_revenue_sheet(company, book.add_worksheet("Revenue"), f)
    write_overview_sheet(company, book.add_worksheet("Overview"), f)
    book.close()


def write_revenue_sheet(company, sheet, f):
    sheet.set_column("A:B", 16)
    sheet.set_column("K:L", 14)
    sheet.set_column("N:N", 12, None, {"hidden": True})
    sheet.write("A1", "Larkfield Bikes: revenue by region and product line (USD k)", f["title"])
    write_revenue_head(sheet, f)
    row, subtotals = 4, []
    for region in REGIONS:
        first = row
        for category in CATEGORIES:
            write_revenue_row(sheet, f, row, category, company.revenue[region, category])
            sheet.write(row, 13, f"{REGIONS[region][0]}-{category[:3].upper()}")
            row += 1
        sheet.merge_range(first, 0, row - 1, 0, region, f["region"])
        write_sum_row(sheet, f, row, f"Subtotal {region}", [(first, row - 1)], sums(company, [region]))
        subtotals.append(row)
        row += 1
    # A hidden row that is no part of the sums, as people leave them behind.
    write_revenue_row(sheet, f, row, "Trailers (pilot, not in totals)", [1.2, 3.4, 2.8, 0.9, None, None, None, None])
    sheet.set_row(row, None, None, {"hidden": True})
    row += 1
    write_sum_row(sheet, f, row, "Grand total", [(r, r) for r in subtotals], sums(company, REGIONS))
    sheet.write(row + 2, 0, "Note: cargo bikes went on sale in North America in Q3 2023. Figures before audit.", f["note"])
    sheet.freeze_panes(4, 2)


def write_revenue_head(sheet, f):
    for column, text in ((0, "Region"), (1, "Product line"), (10, "Revenue 2023 (USD k)"), (11, "Revenue 2024 (USD k)"),
                         (12, "Growth (%)"), (13, "Code")):
        sheet.merge_range(2, column, 3, column, text, f["head"])
    for year, column in ((2023, 2), (2024, 6)):
        sheet.merge_range(2, column, 2, column + 3, year, f["head"])
        for offset, quarter in enumerate(QUARTERS):
            sheet.write(3, column + offset, quarter, f["head"])


def write_revenue_row(sheet, f, row, label, values):
    sheet.write(row, 1, label)
    for column, value in enumerate(values, 2):
        sheet.write(row, column, "–" if value is None else value, f["number"])
    years = [round(sum(v or 0 for v in part), 1) for part in (values[:4], values[4:])]
    sheet.write_formula(row, 10, f"=SUM(C{row + 1}:F{row + 1})", f["number"], years[0])
    sheet.write_formula(row, 11, f"=SUM(G{row + 1}:J{row + 1})", f["number"], years[1])
    sheet.write_formula(row, 12, f"=L{row + 1}/K{row + 1}-1", f["percent"], years[1] / years[0] - 1)


def write_sum_row(sheet, f, row, label, spans, values):
    sheet.write(row, 0, label, f["bold"])
    sheet.write(row, 1, "", f["bold"])
    for column, value in enumerate(values, 2):
        letter = chr(ord("A") + column)
        cells = ",".join(f"{letter}{a + 1}:{letter}{b + 1}" if a != b else f"{letter}{a + 1}" for a, b in spans)
        sheet.write_formula(row, column, f"=SUM({cells})", f["sum"], value)
    sheet.write_formula(row, 12, f"=L{row + 1}/K{row + 1}-1", f["percent"], values[9] / values[8] - 1)


def sums(company, regions):
    """The eight quarters and two years, summed over regions."""
    quarters = [round(sum(company.revenue[r, c][i] or 0 for r in regions for c in CATEGORIES), 1) for i in range(8)]
    return quarters + [round(sum(quarters[:4]), 1), round(sum(quarters[4:]), 1)]


def write_overview_sheet(company, sheet, f):
    """Four tables: two side by side, two stacked below them."""
    sheet.set_column("A:K", 18)
    targets = {"Nordics": 6500, "Central Europe": 16000, "North America": 9500, "East Asia": 9000}
    rows = [(r, t, t * 1.05) for r, t in targets.items()]
    write_small_table(sheet, f, 0, 0, "Revenue targets (USD k)", ("Region", "Target 2024", "Target 2025"), rows)
    people = Counter(s[3] for s in company.staff)
    rows = [(city, people[city], f"{area:,} m²") for (_, city, *_), area in zip(REGIONS.values(), (2100, 6800, 3900, 5200))]
    write_small_table(sheet, f, 0, 5, "Sites", ("Site", "Staff", "Floor area"), rows)
    rows = [("EUR", 0.924, "euro"), ("DKK", 6.893, "Danish krone"), ("CNY", 7.197, "yuan"), ("CAD", 1.37, "Canadian dollar")]
    write_small_table(sheet, f, 8, 0, "Exchange rates 2024 (average, per USD)", ("Currency", "Rate", "Name"), rows)
    write_small_table(sheet, f, 15, 0, "Dealers", ("Dealer", "Name", "City", "Country", "Served from"), DEALERS)


def write_small_table(sheet, f, top, left, title, header, rows):
    sheet.write(top, left, title, f["title"])
    sheet.write_row(top + 1, left, header, f["head"])
    for offset, row in enumerate(rows, top + 2):
        sheet.write_row(offset, left, row)


# --- 门店业绩.xlsx -------------------------------------------------------------


def chinese_date(day):
    return f"{day.year}年{day.month}月{day.day}日"


def write_stores(path):
    book = open_workbook(path)
    f = {
        "title": book.add_format({"bold": True, "font_size": 14, "align": "center"}),
        "head": book.add_format({"bold": True, "border": 1, "align": "center", "valign": "vcenter"}),
        "money": book.add_format({"num_format": "#,##0.00"}),
        "percent": book.add_format({"num_format": "0.0%"}),
        "date": book.add_format({"num_format": 'yyyy"年"m"月"d"日"'}),
        "plain": book.add_format({"valign": "top"}),
    }
    write_store_sheet(book.add_worksheet("门店业绩"), f)
    write_daily_sheet(book.add_worksheet("南京西路店日销售"), f)
    book.close()


def write_store_sheet(sheet, f):
    sheet.set_column("A:H", 14)
    sheet.merge_range("A1:H1", "云雀单车2023年9月门店业绩表", f["title"])
    sheet.write("A2", "单位：万元")
    sheet.write("G2", "制表日期：2023年10月8日")
    for column, text in ((0, "城市"), (1, "门店"), (2, "开业日期"), (6, "月度目标"), (7, "完成率")):
        sheet.merge_range(2, column, 3, column, text, f["head"])
    sheet.merge_range(2, 3, 2, 5, "销售额", f["head"])
    sheet.write_row(3, 3, ("线上", "线下", "小计"), f["head"])
    row, spans = 4, []
    for city in dict.fromkeys(s[0] for s in STORES):
        first, stores = row, [s for s in STORES if s[0] == city]
        for store in stores:
            write_store_row(sheet, f, row, store)
            row += 1
        sheet.merge_range(first, 0, row - 1, 0, city, f["plain"])
        write_store_sum(sheet, f, row, f"{city}小计", [(first, row - 1)], stores)
        spans.append((row, row))
        row += 1
    write_store_sum(sheet, f, row, "合计", spans, STORES)
    sheet.write(row + 2, 0, "注：张江店、高新店为2023年9月新开门店。")


def write_store_row(sheet, f, row, store):
    _, name, opened, online, offline, target = store
    total = Decimal(online) + Decimal(offline)
    sheet.write(row, 1, name)
    sheet.write(row, 2, chinese_date(opened))
    sheet.write(row, 3, float(online), f["money"])
    sheet.write(row, 4, float(offline), f["money"])
    sheet.write_formula(row, 5, f"=D{row + 1}+E{row + 1}", f["money"], float(total))
    sheet.write(row, 6, float(target), f["money"])
    sheet.write_formula(row, 7, f"=F{row + 1}/G{row + 1}", f["percent"], float(total / Decimal(target)))


def write_store_sum(sheet, f, row, label, spans, stores):
    online, offline, target = (sum(Decimal(s[i]) for s in stores) for i in (3, 4, 5))
    sheet.write(row, 0, label)
    for column, value in ((3, online), (4, offline), (5, online + offline), (6, target)):
        letter = chr(ord("A") + column)
        cells = ",".join(f"{letter}{a + 1}:{letter}{b + 1}" if a != b else f"{letter}{a + 1}" for a, b in spans)
        sheet.write_formula(row, column, f"=SUM({cells})", f["money"], float(value))
    sheet.write_formula(row, 7, f"=F{row + 1}/G{row + 1}", f["percent"], float((online + offline) / target))


def write_daily_sheet(sheet, f):
    """Thirty days in yuan that add up to the store's month."""
    rng = random.Random(107)
    _, _, _, online, offline, _ = STORES[0]
    yuan = int((Decimal(online) + Decimal(offline)) * 10000)
    weights = [rng.uniform(0.8, 1.2) * (1.6 if dt.date(2023, 9, d).weekday() >= 5 else 1) for d in range(1, 31)]
    daily = [int(yuan * w / sum(weights)) for w in weights]
    daily[-1] += yuan - sum(daily)
    sheet.set_column("A:D", 16)
    sheet.write_row(0, 0, ("日期", "销售额（元）", "客流量（人次）", "天气"), f["head"])
    for row, value in enumerate(daily, 1):
        sheet.write_datetime(row, 0, dt.datetime(2023, 9, row), f["date"])
        sheet.write(row, 1, value, f["money"])
        sheet.write(row, 2, value // rng.randint(95, 160))
        sheet.write(row, 3, rng.choice(("晴", "多云", "小雨", "阴")))
    sheet.write(31, 0, "合计")
    sheet.write_formula(31, 1, "=SUM(B2:B31)", f["money"], yuan)


# --- the other files ---------------------------------------------------------


def write_customers(company, path):
    header = ("客户编号", "客户名称", "城市", "省份", "客户类型", "注册日期", "信用额度(元)", "联系人", "对口门店", "备注")
    with open(path, "w", encoding="gbk", newline="") as file:
        out = csv.writer(file)
        out.writerow(header)
        out.writerows(row[:6] + (f"{row[6]:,}",) + row[7:] for row in company.customers)


def write_staff(company, path):
    with open(path, "w", encoding="latin-1", newline="") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        out.writerow(("employee", "name", "role", "site", "hired", "salary (EUR)"))
        out.writerows(company.staff)


def write_events(company, path):
    lines = (json.dumps(event, ensure_ascii=False) for event in company.events)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_shipments(company, path):
    schema = pa.schema([
        ("shipment_id", pa.string()), ("order_date", pa.date32()), ("shipped_on", pa.date32()),
        ("delivered_on", pa.date32()), ("warehouse", pa.string()), ("customer_id", pa.string()), ("sku", pa.string()),
        ("quantity", pa.int32()), ("weight_kg", pa.decimal128(8, 1)), ("freight_usd", pa.decimal128(10, 2)),
        ("carrier", pa.string()), ("note", pa.string()),
    ])
    pq.write_table(pa.Table.from_pylist(company.shipments, schema=schema), path, compression="zstd")


def write_inventory(company, path):
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.executescript("""
        PRAGMA page_size = 4096;
        CREATE TABLE products (
            sku TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL,
            list_price_usd NUMERIC NOT NULL, weight_kg REAL NOT NULL, discontinued BOOLEAN NOT NULL);
        CREATE TABLE warehouses (
            code TEXT PRIMARY KEY, city TEXT NOT NULL, country TEXT NOT NULL,
            region TEXT NOT NULL, capacity_pallets INTEGER NOT NULL);
        CREATE TABLE stock (
            sku TEXT NOT NULL REFERENCES products(sku), warehouse TEXT NOT NULL REFERENCES warehouses(code),
            quantity INTEGER NOT NULL, reorder_level INTEGER NOT NULL, counted_on DATE NOT NULL,
            PRIMARY KEY (sku, warehouse));
        CREATE VIEW low_stock AS
            SELECT p.name AS product, w.city AS warehouse, s.quantity, s.reorder_level
            FROM stock s JOIN products p USING (sku) JOIN warehouses w ON w.code = s.warehouse
            WHERE s.quantity < s.reorder_level ORDER BY p.name, w.city;
    """)
    db.executemany("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?)", PRODUCTS)
    places = [(code, city, country, region, pallets) for region, (code, city, country, pallets, _) in REGIONS.items()]
    db.executemany("INSERT INTO warehouses VALUES (?, ?, ?, ?, ?)", places)
    db.executemany("INSERT INTO stock VALUES (?, ?, ?, ?, ?)", company.stock)
    db.commit()
    db.execute("VACUUM")
    db.close()


def write_report(company, path):
    claims = "\n".join(f"| {name} | {sold:,} | {count} | {count / sold:.1%} | {cause} |" for name, (sold, count, cause) in WARRANTY.items())
    sold, count = (sum(w[i] for w in WARRANTY.values()) for i in (0, 1))
    growth = company.total_year(2024) / company.total_year(2023) - 1
    path.write_text(f"""# Larkfield Bikes annual report 2024

## The year in short

Revenue grew by {growth:.1%} to USD {company.total_year(2024) / 1000:,.1f} million. East Asia did best, helped by
new stores in Shanghai and Chengdu; North America fell behind its plan after two dealers closed.

## Quality

Warranty claims are counted once for each bike, in the year in which the claim was accepted.
E-bikes remain our main concern: the display supplied until May let in water.

Table 1: Warranty claims by product line in 2024

| Product line | Bikes sold | Claims | Claim rate | Most frequent cause |
|:-------------|-----------:|-------:|-----------:|:--------------------|
{claims}
| **Total**    | {sold:,} | {count} | {count / sold:.1%} | |

A new display (part `DX-7`) is fitted since June. Early figures show **half as many** faults.

## Plans

We will open three service points and close one. Dates may move by up to a month.

| Service point | Country | Planned opening | Investment (EUR) |
|---------------|---------|-----------------|-----------------:|
| Gothenburg    | Sweden  | 1 Mar 2025      |         € 410,000 |
| Antwerp       | Belgium | 15 May 2025     |         € 365,500 |
| Vancouver     | Canada  | 2025-09-01      |         € 520,000 |

*Table 2: Service points to be opened in 2025. The one in Malmö closes on 30 June 2025.*
""", encoding="utf-8")


def write_energy(path):
    body = []
    for site, meters in ENERGY.items():
        for number, (meter, values) in enumerate(meters.items()):
            head = f'<th scope="rowgroup" rowspan="{len(meters)}">{site}</th>' if number == 0 else ""
            cells = "".join(f"<td>{v}</td>" for v in values)
            body.append(f"      <tr>{head}<td>{meter}</td>{cells}</tr>")
    totals = [round(sum(v[i] for m in ENERGY.values() for v in m.values()), 1) for i in range(4)]
    cells = "".join(f"<td><b>{v:,}</b></td>" for v in totals)
    rows = "\n".join(body)
    path.write_text(f"""<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Energy at our sites | Larkfield Bikes</title>
  <style>td {{ text-align: right }}</style>
</head>
<body>
  <nav><a href="/">Home</a> <a href="/sites">Sites</a></nav>
  <h1>Energy at our sites</h1>
  <p>We publish what our four sites use <em>twice a year</em>. The figures come from the suppliers&rsquo;
     meters; the heat pump in <strong>Rotterdam</strong> took over half of the gas heating in October&nbsp;2023.</p>
  <img src="rotterdam-roof.jpg" alt="The roof of the Rotterdam warehouse with 640 solar panels">
  <table class="data">
    <caption>Energy used by site, in MWh</caption>
    <thead>
      <tr><th rowspan="2">Site</th><th rowspan="2">Meter</th><th colspan="2">2023</th><th colspan="2">2024</th></tr>
      <tr><th>H1</th><th>H2</th><th>H1</th><th>H2<sup><a href="#n1">1</a></sup></th></tr>
    </thead>
    <tbody>
{rows}
    </tbody>
    <tfoot>
      <tr><th colspan="2">All sites</th>{cells}</tr>
    </tfoot>
  </table>
  <p id="n1"><small>1. December 2024 is estimated.</small></p>
  <h2>What comes next</h2>
  <ul>
    <li>Suzhou: <span>1,200 m² of solar panels</span> by August 2025</li>
    <li>Aarhus: LED light in the hall, 40&nbsp;MWh a year less</li>
  </ul>
</body>
</html>
""", encoding="utf-8")


def write_notes(path):
    path.write_text("""Operations meeting, 9 January 2025

Present: the four site managers, planning, quality.

1. Year-end count. Done at all sites between 28 and 31 December. Differences under 0.4 percent.

2. Display fault. Quality asks every workshop to log the serial number when a display is replaced.
   The supplier pays for claims up to 31 March 2025.

3. Sprout Balance is discontinued. What is left goes to the schools programme; no new orders.

4. Carriers. The contract with Old Dominion ends in April. Planning gets offers from two others.

5. 苏州仓库：春节期间（1月28日至2月4日）不发货，急单请在1月22日前确认。

Next meeting: 13 February 2025.
""", encoding="utf-8")


# --- questions and answers ---------------------------------------------------


def questions(company):
    """(question, answer, files it needs)."""
    names = {c[0]: c[1] for c in company.customers}
    product = {p[0]: p for p in PRODUCTS}
    shipped = Counter()
    for s in company.shipments:
        if s["customer_id"] in names:
            shipped[names[s["customer_id"]]] += s["quantity"]
    (top, most), (_, second) = shipped.most_common(2)
    assert most > second, "the most supplied customer must be one"
    growth = {r: company.region_year(r, 2024) / company.region_year(r, 2023) - 1 for r in REGIONS}
    best = max(growth, key=growth.get)
    nordic = round(sum(company.revenue["Nordics", "E-bikes"][4:]), 1)
    rate = {s[1]: (Decimal(s[3]) + Decimal(s[4])) / Decimal(s[5]) for s in STORES}
    store = max(rate, key=rate.get)
    shanghai = sum(c[2] == "上海" for c in company.customers)
    under_way = sum(s["delivered_on"] is None for s in company.shipments)
    freight = defaultdict(Decimal)
    for s in company.shipments:
        if s["warehouse"] == "RTM":
            freight[s["carrier"]] += s["freight_usd"]
    dearest = max(freight, key=freight.get)
    low = [s for s in company.stock if s[2] < s[3]]
    power = {site: round(sum(m["Electricity"][2:]), 1) for site, m in ENERGY.items()}
    greedy = max(power, key=power.get)
    _, big, *_ = max(REGIONS.values(), key=lambda r: r[3])
    crew = sum(s[3] == big for s in company.staff)
    ebike = [e for e in company.events if e["type"] == "warranty" and product[e["bike"]["sku"]][2] == "E-bikes"]
    labour = sum(e["cost"]["labour"] for e in ebike)
    return [
        ("What was the revenue from e-bikes in the Nordics in 2024?", f"{nordic:,} thousand USD", "sales.xlsx"),
        ("Which region grew most from 2023 to 2024?", f"{best}, by {growth[best]:.1%}", "sales.xlsx"),
        ("2023年9月哪家门店的完成率最高？", f"{store}，{rate[store]:.1%}", "门店业绩.xlsx"),
        ("上海有多少家客户？", f"{shanghai} 家", "customers_gbk.csv"),
        ("How many shipments have not been delivered?", f"{under_way} of {len(company.shipments)}", "shipments.parquet"),
        ("Which carrier cost us most in freight from Rotterdam?", f"{dearest}, USD {freight[dearest]:,}", "shipments.parquet, inventory.sqlite"),
        ("How many products are below their reorder level, counting each warehouse?", f"{len(low)}", "inventory.sqlite"),
        ("Which site used the most electricity in 2024?", f"{greedy}, {power[greedy]:,} MWh", "energy.html"),
        ("Which Chinese customer was sent the most items in 2024?", f"{top}, {most} items", "shipments.parquet, customers_gbk.csv"),
        ("How many people work at the site with the largest warehouse?", f"{crew}, at {big}", "inventory.sqlite, staff.tsv"),
        ("What did labour for warranty work on e-bikes cost?", f"USD {labour:,.2f} for {len(ebike)} visits", "events.jsonl, inventory.sqlite"),
        ("Which product line has the highest warranty claim rate?", f"E-bikes, {543 / 9876:.1%}", "report.md"),
    ]


CONTENTS = [
    ("sales.xlsx", "revenue by region, product line and quarter: title, merged two-row header (`2023 / Q1`), formulas, subtotals, a grand total, percent, a footnote, a hidden row and a hidden column; a second sheet with four tables beside and below one another"),
    ("门店业绩.xlsx", "September 2023 of nine Chinese stores in 万元: merged header, 小计 and 合计 rows, written-out dates; a second sheet with thirty days of one store in 元 that add up to its month"),
    ("customers_gbk.csv", "60 Chinese customers, encoded in GBK, with commas inside quotes"),
    ("staff.tsv", "40 people, encoded in Latin-1, days as `31.12.2020`"),
    ("shipments.parquet", "500 shipments of 2024 with dates, decimals and missing values"),
    ("inventory.sqlite", "tables `products`, `warehouses`, `stock` and a view `low_stock`"),
    ("events.jsonl", "120 workshop visits as nested objects"),
    ("energy.html", "a page with a table with row and column spans, a caption, a picture and text"),
    ("report.md", "an annual report with two tables, one captioned above and one below"),
    ("notes.txt", "minutes of a meeting, mostly English"),
    ("suppliers.docx", "supplier audits: text and a table"),
    ("warranty.pdf", "a report on warranty claims: two pages, a table on each"),
]


def write_docs(company, docs):
    files = "\n".join(f"| `{name}` | {what} |" for name, what in CONTENTS)
    rows = "\n".join(f"| {n} | {q} | {a} | {found} |" for n, (q, a, found) in enumerate(questions(company), 1))
    docs.write_text(f"""# The example files

The files in `examples/` are about one made-up company, Larkfield Bikes (云雀单车), so that questions can join
across files. `scripts/make-examples.py` and `scripts/make-example-documents.py` make them, and the answers below
are computed from the same data. The list is here and not in that folder, so that a search cannot find it.

| file | what is in it |
|---|---|
{files}

Some of these questions need a language model; [First questions](first-questions.md) has ones that do not.

| | question | answer | found in |
|---|---|---|---|
{rows}

How the files are related:

- `warehouse` in `shipments.parquet` and in `stock` (SQLite) is `code` in `warehouses`, whose `city` is `site` in `staff.tsv` and in `energy.html`.
- `sku` is the same in `products`, `stock`, `shipments.parquet` and `events.jsonl` (`bike.sku`).
- `customer_id` in `shipments.parquet` is `客户编号` in `customers_gbk.csv` (`K…`) or `Dealer` on the sheet Overview of `sales.xlsx` (`D-…`).
- `对口门店` in `customers_gbk.csv` is `门店` in `门店业绩.xlsx`.
""", encoding="utf-8")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "examples"
    folder.mkdir(parents=True, exist_ok=True)
    docs = (REPOSITORY / "docs/start" if len(sys.argv) < 2 else folder.parent) / "examples.md"
    docs.parent.mkdir(parents=True, exist_ok=True)
    company = Company()
    write_sales(company, folder / "sales.xlsx")
    write_stores(folder / "门店业绩.xlsx")
    write_customers(company, folder / "customers_gbk.csv")
    write_staff(company, folder / "staff.tsv")
    write_events(company, folder / "events.jsonl")
    write_shipments(company, folder / "shipments.parquet")
    write_inventory(company, folder / "inventory.sqlite")
    write_report(company, folder / "report.md")
    write_energy(folder / "energy.html")
    write_notes(folder / "notes.txt")
    write_docs(company, docs)


if __name__ == "__main__":
    main()
