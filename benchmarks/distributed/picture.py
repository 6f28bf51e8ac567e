"""The picture of docs/distributed.md: CPU of a pass as measured, and the time of one as predicted."""
import math

MEASURED, PREDICTED, IDEAL, INK = "#0072b2", "#e69f00", "#bbbbbb", "#222222"  # safe for colour-blind eyes
WIDTH, HEIGHT, LEFT, TOP = 300, 220, 70, 60


def axes(left, title, below, beside, xs, ys):
    """Lines and labels of two logarithmic axes, and where a point lies on them."""
    at = lambda value, low, high: (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
    place = lambda x, y: (left + WIDTH * at(x, xs[0], xs[-1]), TOP + HEIGHT * (1 - at(y, ys[0], ys[-1])))
    parts = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{title}</text>']
    for x in xs:
        parts.append(f'<text x="{place(x, ys[0])[0]:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{x:g}</text>')
    for y in ys:
        height = place(xs[0], y)[1]
        parts.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{height:.1f}" y2="{height:.1f}" stroke="#eeeeee"/>')
        parts.append(f'<text x="{left - 8}" y="{height + 4:.1f}" text-anchor="end">{y:g}</text>')
    parts.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">{below}</text>')
    parts.append(f'<text transform="translate({left - 46},{TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle">{beside}</text>')
    return parts, place


def line(place, points, colour, dashes=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*p) for p in points))
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'


def dots(place, points, colour):
    return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in (place(*p) for p in points)]


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**p for p in range(low, max(high, low + 1) + 1)]


def picture(per_pass, predicted):
    """`per_pass`: CPU seconds of all processes by their number. `predicted`: (cores, seconds per pass)."""
    measured = [(ranks, seconds / ranks) for ranks, seconds in per_pass.items()]
    ideal = [(ranks, measured[0][1] / ranks) for ranks in per_pass]
    one, place = axes(LEFT, "Measured", "processes", "CPU seconds of a process per pass", list(per_pass),
                      decades([s for _, s in measured + ideal]))
    one += [line(place, ideal, IDEAL, "4 4"), line(place, measured, MEASURED), *dots(place, measured, MEASURED)]
    cores = [c for c, _ in predicted]
    wished = [(c, predicted[0][1] * cores[0] / c) for c in cores]
    two, place = axes(LEFT + WIDTH + 110, "Predicted, 1,000,000 rows", "cores", "seconds per pass", cores,
                      decades([s for _, s in predicted + wished]))
    two += [line(place, wished, IDEAL, "4 4"), line(place, predicted, PREDICTED, "8 3"), *dots(place, predicted, PREDICTED)]
    size = (LEFT + 2 * WIDTH + 150, TOP + HEIGHT + 60)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} '
                      f'{size[1]}" font-family="sans-serif" font-size="12" fill="{INK}">',
                      '<rect width="100%" height="100%" fill="white"/>',
                      f'<text x="{LEFT}" y="22" font-size="15">A pass over an exact kernel matrix (dashed grey: perfect sharing)</text>',
                      *one, *two, "</svg>"]) + "\n"
