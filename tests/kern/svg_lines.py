# SPDX-License-Identifier: BSD-2-Clause
"""Lines of a picture, against the values that they were drawn of."""
import re

from harness import check, equal


def drawn(svg, name):
    """The points of the line of a picture whose title has `name` in it, in pixels."""
    group = re.search(r"<g><title>[^<]*%s[^<]*</title>(.*?)</g>" % re.escape(name), svg, re.S)
    if not check(group, "no line %s in the picture" % name):
        return []
    points, x, y = [], 0.0, 0.0
    for step in re.findall(r'd="([^"]*)"', group[1]):
        for verb, text in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", step):
            numbers = [float(number) for number in re.findall(r"-?\d*\.?\d+", text)]
            if verb.lower() in "hv":
                pairs = [(number, 0.0) if verb.lower() == "h" else (0.0, number)
                         for number in numbers]
            else:
                pairs = list(zip(numbers[::2], numbers[1::2]))
            for dx, dy in pairs:
                if verb == "M" or verb == "L":
                    x, y = dx, dy
                else:
                    x, y = x + dx, y + dy
                points.append((x, y))
    return points


def check_line(svg, name, points):
    """That pixels are values: by the least and the greatest in both directions, all others must
    fit, but for half a pixel of rounding in each; and a value is there for each drawn point."""
    pixels = drawn(svg, name)
    if len(pixels) < 2:
        return
    left, right = min(x for x, _ in pixels), max(x for x, _ in pixels)
    top, bottom = min(y for _, y in pixels), max(y for _, y in pixels)
    first, last = points[0][0], points[-1][0]
    low, high = min(value for _, value in points), max(value for _, value in points)
    to_x = (right - left) / (last - first)
    to_y = (bottom - top) / (high - low)
    wanted = {}
    for moment, value in points:
        at = left + (moment - first) * to_x
        for column in (int(at) - 1, int(at), int(at) + 1):
            wanted.setdefault(column, []).append((at, bottom - (value - low) * to_y))
    # Of a step: the value before it, at the time of the next one.
    corners = {i for i in range(1, len(pixels)) if abs(pixels[i][1] - pixels[i - 1][1]) < 0.1}
    wrong = [(x, y) for i, (x, y) in enumerate(pixels)
             if not any(abs(x - one[0]) <= 1.5 and (i in corners or abs(y - one[1]) <= 1.5)
                        for one in wanted.get(int(x), []))]
    equal("%s: drawn, but no value" % name, wrong, [])
