// Plain SVG: axes, dots with intervals, scatter plots, lines, heat maps, bars.

const colour = (i) => `var(--c${i % 8})`;
const dash = (i) => ["", "6 3", "2 3"][Math.floor(i / 8) % 3];
const textWidth = (text, size = 12) => String(text).length * size * 0.57;
const longest = (names) => Math.max(0, ...names.map((name) => textWidth(name)));
const shorten = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

function marker(kind, x, y, attributes, size = 5) {
  const k = kind % 4, r = size;
  if (k === 0) return s("circle", { cx: x, cy: y, r, ...attributes });
  if (k === 1) return s("rect", { x: x - r * 0.9, y: y - r * 0.9, width: 1.8 * r, height: 1.8 * r, ...attributes });
  const d = k === 2 ? `M${x} ${y - 1.25 * r}L${x + 1.15 * r} ${y + 0.85 * r}H${x - 1.15 * r}Z`
    : `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}Z`;
  return s("path", { d, ...attributes });
}

function ticks(low, high, about = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

function extent(values, pad = 0.06) {
  const finite = values.filter(known);
  let low = Math.min(...finite), high = Math.max(...finite);
  if (!finite.length) [low, high] = [0, 1];
  const extra = (high - low || Math.abs(high) * 0.1 || 1) * pad;
  return [low - extra, high + extra];
}

const linear = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
const tickText = (value) => String(Number(value.toPrecision(6))).replace("-", "−");

function frame(width, height, box, x, y, { xTitle, yTitle, xTicks, yTicks, xText = tickText, yText = tickText }) {
  const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  for (const t of yTicks) {
    svg.append(s("line", { class: "grid-line", x1: box.left, x2: box.right, y1: y(t), y2: y(t) }),
      s("text", { class: "tick", x: box.left - 7, y: y(t) + 4, "text-anchor": "end" }, yText(t)));
  }
  for (const t of xTicks) {
    svg.append(s("line", { class: "grid-line", x1: x(t), x2: x(t), y1: box.top, y2: box.bottom }),
      s("text", { class: "tick", x: x(t), y: box.bottom + 17, "text-anchor": "middle" }, xText(t)));
  }
  svg.append(s("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }));
  if (xTitle) svg.append(s("text", { class: "axis-title", x: (box.left + box.right) / 2, y: box.bottom + 36, "text-anchor": "middle" }, xTitle));
  if (yTitle) svg.append(s("text", { class: "axis-title", x: box.left, y: box.top - 9 }, yTitle));
  return svg;
}

// Puts labels beside points so that they overlap neither each other nor other points, as far as it goes.
function placeLabels(points, box) {
  const taken = points.map((p) => ({ x0: p.x - 6, x1: p.x + 6, y0: p.y - 6, y1: p.y + 6 }));
  const spots = [[9, 4, "start"], [-9, 4, "end"], [0, -10, "middle"], [0, 19, "middle"], [8, -8, "start"], [8, 16, "start"], [-8, -8, "end"], [-8, 16, "end"],
    [12, -18, "start"], [-12, -18, "end"], [12, 26, "start"], [-12, 26, "end"], [0, -22, "middle"], [0, 31, "middle"]];
  for (const far of [34, 52, 72, 96]) for (let k = 0; k < 12; k++) { // with a line to the point
    const dx = far * Math.cos((k * Math.PI) / 6), dy = far * Math.sin((k * Math.PI) / 6);
    spots.push([dx, dy + 4, dx > 1 ? "start" : dx < -1 ? "end" : "middle"]);
  }
  const placed = points.map(() => null);
  const choose = (p, own) => {
    const w = textWidth(p.name, 13.5) + 4;
    let best = null;
    for (const [dx, dy, anchor] of spots) {
      const x0 = p.x + dx - (anchor === "end" ? w : anchor === "middle" ? w / 2 : 0);
      const area = { x0, x1: x0 + w, y0: p.y + dy - 11, y1: p.y + dy + 2 };
      let cost = 0;
      [...taken, ...placed.map((label) => label && label.area)].forEach((t, i) => {
        if (!t || i === own || i === own + points.length) return;
        const across = Math.min(area.x1, t.x1) - Math.max(area.x0, t.x0), down = Math.min(area.y1, t.y1) - Math.max(area.y0, t.y0);
        if (across > 0 && down > 0) cost += across * down;
      });
      if (area.x0 < box.left || area.x1 > box.right + 30 || area.y0 < box.top - 8 || area.y1 > box.bottom) cost += 400;
      if (best === null || cost < best.cost) best = { cost, area, x: p.x + dx, y: p.y + dy, anchor, far: Math.hypot(dx, dy - 4) > 30 };
      if (cost === 0) break;
    }
    placed[own] = best;
  };
  for (let round = 0; round < 4; round++) points.forEach(choose); // later rounds know where the others went
  return placed;
}

// points: [{ name, x, y, i, strong, tip }]
function scatter(width, points, { xTitle, yTitle, xRange, yRange, line, iso, xTicks, height = 400 }) {
  const [x0, x1] = xRange || extent(points.map((p) => p.x), 0.1), [y0, y1] = yRange || extent(points.map((p) => p.y), 0.1);
  const box = { left: 54, right: width - 34, top: 28, bottom: height - 48 };
  const x = linear(x0, x1, box.left, box.right), y = linear(y0, y1, box.bottom, box.top);
  const svg = frame(width, height, box, x, y, { xTitle, yTitle, xTicks: xTicks || ticks(x0, x1, width < 420 ? 4 : 6), yTicks: ticks(y0, y1, 6) });
  if (iso) iso(svg, x, y, { x0, x1, y0, y1 }, box);
  if (line) {
    const [slope, intercept] = line;
    let ends = [[x0, intercept + slope * x0], [x1, intercept + slope * x1]];
    if (slope !== 0) ends = ends.map(([a, b]) => { const c = Math.min(y1, Math.max(y0, b)); return [c === b ? a : (c - intercept) / slope, c]; });
    svg.append(s("line", { class: "regression", x1: x(ends[0][0]), y1: y(ends[0][1]), x2: x(ends[1][0]), y2: y(ends[1][1]) }));
  }
  const shown = points.filter((p) => known(p.x) && known(p.y)).map((p) => ({ ...p, px: x(p.x), py: y(p.y), label: p.name }));
  const place = () => placeLabels(shown.map((p) => ({ x: p.px, y: p.py, name: p.label })), box);
  let places = place();
  if (places.some((label) => label.cost > 0)) { // too little room for names: numbers, and a list of them below
    shown.sort((a, b) => a.py - b.py).forEach((p, k) => { p.label = String(k + 1); });
    places = place();
    const names = shown.map((p) => `${p.label} ${p.name}`), columns = Math.max(1, Math.floor(width / (longest(names) + 16))), rows = Math.ceil(names.length / columns);
    names.forEach((name, k) => svg.append(s("text", { class: "tick", x: 4 + Math.floor(k / rows) * (width / columns), y: height + 16 * (1 + (k % rows)) }, name)));
    svg.setAttribute("height", height + 16 * rows + 8);
    svg.setAttribute("viewBox", `0 0 ${width} ${height + 16 * rows + 8}`);
  }
  shown.forEach((p, k) => {
    const mark = marker(p.i, p.px, p.py, { fill: colour(p.i) }, p.strong ? 7 : 5);
    if (places[k].far) svg.append(s("line", { class: "lead", x1: p.px, y1: p.py, x2: places[k].x, y2: places[k].y - 4 }));
    svg.append(tooltip(mark, p.tip || p.name));
    svg.append(s("text", { class: "halo" + (p.strong ? " strong" : ""), x: places[k].x, y: places[k].y, "text-anchor": places[k].anchor }, p.label));
  });
  return svg;
}

// series: [{ name, i, values }] over xs; labels stand at the right end, moved apart
function lines(width, xs, series, { xTitle, yTitle, xText, log, height = 380 }) {
  const room = Math.min(width * 0.3, longest(series.map((one) => one.name)) + 18);
  const box = { left: 54, right: width - room - 8, top: 28, bottom: height - 48 };
  const scale = log ? Math.log10 : (value) => value;
  const x = (value) => linear(scale(xs[0]), scale(xs[xs.length - 1]), box.left + 6, box.right - 6)(scale(value));
  const [y0, y1] = extent(series.flatMap((one) => one.values));
  const y = linear(y0, y1, box.bottom, box.top);
  const xTicks = log ? [0.1, 0.2, 0.5, 1, 2, 5].filter((t) => t >= xs[0] && t <= xs[xs.length - 1]) : xs;
  const svg = frame(width, height, box, x, y, { xTitle, yTitle, xTicks, yTicks: ticks(y0, y1, 6), xText });
  const ends = series.map((one, k) => ({ k, at: y(one.values[one.values.length - 1]) })).filter((end) => known(end.at)).sort((a, b) => a.at - b.at);
  const gap = Math.min(14, (box.bottom - box.top) / Math.max(1, ends.length));
  ends.forEach((end, n) => { end.to = Math.max(end.at, n ? ends[n - 1].to + gap : box.top); });
  for (let n = ends.length - 1, floor = box.bottom; n >= 0; n--, floor -= gap) if (ends[n].to > floor) ends[n].to = floor; else break;
  const groups = series.map((one) => {
    const points = one.values.map((value, k) => (known(value) ? [x(xs[k]), y(value)] : null)).filter(Boolean);
    const d = points.map(([a, b], k) => `${k ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
    const group = s("g", {}, s("path", { class: "series", d, stroke: colour(one.i), "stroke-dasharray": dash(one.i) || null }));
    if (xs.length <= 10) points.forEach(([a, b]) => group.append(marker(one.i, a, b, { fill: colour(one.i) }, 3.5)));
    return group;
  });
  svg.append(...groups);
  for (const end of ends) {
    const one = series[end.k];
    const label = s("text", { x: box.right + 12, y: end.to + 4 }, shorten(one.name, Math.max(6, Math.floor(room / 6.6))));
    const lead = s("line", { x1: box.right - 4, y1: end.at, x2: box.right + 9, y2: end.to, stroke: colour(one.i), "stroke-width": 1.2 });
    const focus = (on) => groups.forEach((group, k) => group.classList.toggle("dim", on && k !== end.k));
    for (const element of [label, groups[end.k]]) {
      element.addEventListener("pointerenter", () => focus(true));
      element.addEventListener("pointerleave", () => focus(false));
    }
    svg.append(lead, tooltip(label, `${one.name}: ${fixed(one.values[0])} → ${fixed(one.values[one.values.length - 1])}`));
  }
  return svg;
}

// rows: [{ name, i, value, low, high, cluster, tip }], the best first
function rankedDots(width, rows, { xTitle, decimals }) {
  const left = Math.min(width * 0.34, longest(rows.map((row) => row.name)) + 20), step = 26;
  const height = rows.length * step + 74, box = { left, right: width - 62, top: 18, bottom: rows.length * step + 24 };
  const [x0, x1] = extent(rows.flatMap((row) => [row.low, row.high, row.value]));
  const x = linear(x0, x1, box.left, box.right), y = (k) => box.top + 16 + k * step;
  const svg = frame(width, height, box, x, () => 0, { xTitle, xTicks: ticks(x0, x1, width < 420 ? 4 : 6), yTicks: [] });
  const bands = s("g");
  svg.prepend(bands);
  rows.forEach((row, k) => {
    if (row.cluster % 2 === 0) bands.append(s("rect", { class: "band", x: 0, y: y(k) - step / 2, width, height: step }));
    if (known(row.low)) svg.append(s("path", { class: "whisker", d: `M${x(row.low)} ${y(k) - 4}v8M${x(row.low)} ${y(k)}H${x(row.high)}M${x(row.high)} ${y(k) - 4}v8` }));
    svg.append(marker(0, x(row.value), y(k), { fill: "var(--c0)" }),
      s("text", { x: left - 10, y: y(k) + 4, "text-anchor": "end" }, shorten(row.name, Math.max(6, Math.floor(left / 7)))),
      s("text", { class: "tick", x: width - 4, y: y(k) + 4, "text-anchor": "end" }, fixed(row.value, decimals)),
      tooltip(s("rect", { class: "hit", x: 0, y: y(k) - step / 2, width, height: step }), row.tip));
  });
  return svg;
}

const mix = (a, b, t) => a.map((value, k) => Math.round(value + (b[k] - value) * t));
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((value) => { const c = value / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
function shade(t) { // one hue, from the page's ground to a strong blue: order is seen without hue
  const stops = isDark() ? [[30, 39, 51], [26, 88, 132], [142, 208, 255]] : [[243, 246, 250], [120, 176, 220], [4, 56, 104]];
  const at = Math.min(1, Math.max(0, t)) * 2, k = Math.min(1, Math.floor(at));
  return mix(stops[k], stops[k + 1], at - k);
}
// p-values: three blues below the level, plain grey above it
function significanceShade(p, alpha) {
  if (p > alpha) return isDark() ? [35, 44, 56] : [238, 241, 245];
  return shade(p <= alpha / 50 ? 0.95 : p <= alpha / 5 ? 0.7 : 0.45);
}
// from −1 (orange) over 0 (the card) to 1 (blue)
function divergingShade(value) {
  const [negative, zero, positive] = isDark() ? [[255, 157, 102], [30, 39, 51], [124, 198, 245]] : [[200, 85, 0], [255, 255, 255], [0, 90, 160]];
  return mix(zero, value < 0 ? negative : positive, Math.min(1, Math.abs(value)));
}
const inkOn = (rgb) => (luminance(rgb) > 0.179 ? "#000000" : "#ffffff");

// values[row][column]; `show` prints a cell, `scale` is [low, high] of the shades, or `colours` gives a cell its own
function heatMap(width, rowNames, columnNames, values, { show, scale, colours, notes, small }) {
  const left = Math.min(width * 0.36, longest(rowNames) + 14);
  const flat = values.flat().filter(known), [low, high] = scale || [Math.min(...flat), Math.max(...flat)];
  const texts = values.map((row) => row.map((value) => (known(value) ? show(value) : "")));
  const least = Math.max(24, longest(texts.flat()) * (small ? 0.75 : 0.95) + 6);
  const fitting = (room) => Math.max(least, Math.min(96, room / columnNames.length)), rowHeight = 27;
  const upright = longest(columnNames) + 8 <= fitting(width - left - 4);
  const top = upright ? 24 : Math.min(130, longest(columnNames) * 0.78 + 16);
  const slant = upright ? 0 : Math.min(110, textWidth(columnNames[columnNames.length - 1]) * 0.72);
  const cell = fitting(width - left - 4 - Math.max(0, slant - least / 2));
  const total = Math.max(width, left + cell * columnNames.length + Math.max(0, slant - cell / 2) + 4);
  const height = top + rowHeight * rowNames.length + 6;
  const svg = s("svg", { width: total, height, viewBox: `0 0 ${total} ${height}` });
  columnNames.forEach((name, j) => {
    const cx = left + cell * (j + 0.5);
    const place = upright ? { x: cx, y: top - 8, "text-anchor": "middle" } : { transform: `translate(${cx - 2} ${top - 6}) rotate(-45)` };
    svg.append(s("text", place, shorten(name, 24)));
  });
  rowNames.forEach((name, i) => {
    const y = top + rowHeight * i;
    svg.append(s("text", { x: left - 8, y: y + 18, "text-anchor": "end" }, shorten(name, Math.max(6, Math.floor(left / 7)))));
    columnNames.forEach((column, j) => {
      const value = values[i][j];
      if (!known(value)) {
        svg.append(s("text", { class: "tick", x: left + cell * (j + 0.5), y: y + 18, "text-anchor": "middle" }, "·"));
        return;
      }
      const rgb = colours ? colours(value) : shade(high !== low ? (value - low) / (high - low) : 0.5);
      const group = s("g", {},
        s("rect", { x: left + cell * j + 1, y: y + 1, width: cell - 2, height: rowHeight - 2, rx: 3, fill: `rgb(${rgb})` }));
      const label = s("text", { class: small && "small", x: left + cell * (j + 0.5), y: y + 18, "text-anchor": "middle" }, texts[i][j]);
      label.style.fill = inkOn(rgb);
      group.append(label);
      svg.append(tooltip(group, `${name}, ${column}: ${texts[i][j]}${notes ? "\n" + notes(i, j) : ""}`));
    });
  });
  return svg;
}

// rows: [{ name, parts: [..] }] stacked; kinds: [{ name, colour, pattern }]
function stackedBars(width, rows, kinds, { xTitle }) {
  const left = Math.min(width * 0.34, longest(rows.map((row) => row.name)) + 20), step = 26;
  const top = 34, box = { left, right: width - 20, top, bottom: top + rows.length * step + 6 }, height = box.bottom + 50;
  const most = Math.max(1, ...rows.map((row) => row.parts.reduce((a, b) => a + b, 0)));
  const x = linear(0, most, box.left, box.right);
  const svg = frame(width, height, box, x, () => 0, { xTitle, xTicks: ticks(0, most, width < 420 ? 3 : 6), yTicks: [], xText: whole });
  let at = left;
  kinds.forEach((kind) => {
    svg.append(s("rect", { x: at, y: 8, width: 12, height: 12, fill: kind.colour, "fill-opacity": kind.opacity ?? 1, stroke: kind.colour }), s("text", { x: at + 17, y: 18 }, kind.name));
    at += textWidth(kind.name) + 34;
  });
  rows.forEach((row, k) => {
    let from = 0;
    svg.append(s("text", { x: left - 10, y: top + k * step + 19, "text-anchor": "end" }, shorten(row.name, Math.max(6, Math.floor(left / 7)))));
    row.parts.forEach((part, n) => {
      const bar = s("rect", { x: x(from), y: top + k * step + 5, width: Math.max(0, x(from + part) - x(from)), height: step - 8,
        fill: kinds[n].colour, "fill-opacity": kinds[n].opacity ?? 1, stroke: kinds[n].colour });
      svg.append(tooltip(bar, `${row.name}: ${whole(part)} ${kinds[n].name}`));
      from += part;
    });
  });
  return svg;
}
