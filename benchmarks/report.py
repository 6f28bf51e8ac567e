#!/usr/bin/python3
"""report.py RESULTS FOLDER: what the benchmarks recorded, as report.md, report.json and report.svg (a bar for each peer:
how many times longer than Mercer it takes, on a logarithmic scale)."""
import html
import json
import math
import sys

BAR, GAP, LEFT, WIDTH = 16, 5, 330, 560
OURS, PEER, LIMIT, INK = "#0072b2", "#e69f00", "#999999", "#222222"  # safe for colour-blind eyes


def colour(row):
    return OURS if "Mercer" in row["name"] or row["ours"] else LIMIT if row["name"].startswith("limit") else PEER


def chart(tables):
    ratios = [r["ratio"] for t in tables for r in t["rows"]]
    low, high = math.floor(math.log10(min(ratios))), math.ceil(math.log10(max(ratios)))
    at = lambda ratio: LEFT + WIDTH * (math.log10(ratio) - low) / (high - low)
    parts, y = [], 60
    for t in tables:
        parts.append(f'<text x="10" y="{y + 14}" font-weight="bold">{html.escape(t["title"])}</text>')
        y += 24
        for row in t["rows"]:
            begin, end = sorted((at(1), at(row["ratio"])))
            parts.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{html.escape(row["name"])}</text>')
            parts.append(f'<rect x="{begin:.1f}" y="{y}" width="{max(2, end - begin):.1f}" height="{BAR}" fill="{colour(row)}"/>')
            parts.append(f'<text x="{end + 6:.1f}" y="{y + 12}">{row["ratio"]:.2f}</text>')
            y += BAR + GAP
        y += 14
    axis = []
    for power in range(low, high + 1):
        x = at(10.0**power)
        axis.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="50" y2="{y}" stroke="#dddddd"/>')
        axis.append(f'<text x="{x:.1f}" y="44" text-anchor="middle">{10.0**power:g}</text>')
    size = f'width="{LEFT + WIDTH + 90}" height="{y + 10}" viewBox="0 0 {LEFT + WIDTH + 90} {y + 10}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12" fill="{INK}">',
                      f'<rect width="100%" height="100%" fill="white"/>',
                      '<text x="10" y="22" font-size="15">Time as a multiple of Mercer\'s (logarithmic)</text>',
                      *axis, *parts, "</svg>"]) + "\n"


results, folder = sys.argv[1], sys.argv[2]
with open(results) as lines:
    tables = [json.loads(line) for line in lines]
with open(f"{folder}/report.json", "w") as out:
    json.dump(tables, out, indent=1, ensure_ascii=False)
with open(f"{folder}/report.md", "w") as out:
    out.write(f"# Benchmarks\n\n{tables[0]['machine'] if tables else ''}\n\n" + "\n".join(t["markdown"] for t in tables))
with open(f"{folder}/report.svg", "w") as out:
    out.write(chart([t for t in tables if len(t["rows"]) > 1]))
print(f"{folder}/report.md, report.json, report.svg")
