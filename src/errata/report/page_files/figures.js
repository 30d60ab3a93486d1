// The figures about systems and metrics.

const SYSTEMS = R.systems;
const METRICS = R.metrics.map((metric) => metric.name);
const metricChoice = { name: "Metric", options: METRICS };
const text = (name) => ({ name, text: true });
const num = (name, decimals = 3) => ({ name, show: (value) => fixed(value, decimals) });
const int = (name) => ({ name, show: whole });

// One order of systems in all cards: that of the metric chosen in the bar.
const order = { metric: 0, redraws: [] };
function ranked(m = order.metric) {
  const board = R.board[m], sign = R.metrics[m].higher ? -1 : 1;
  return range(SYSTEMS.length).sort((a, b) => sign * (board.scores[a] - board.scores[b]) || a - b);
}

function startOrder() {
  if (METRICS.length < 2 || !R.board.length) return;
  byId("theme").before(h("label", { class: "order" }, "Systems by ", h("select", { onchange: (event) => {
    order.metric = event.target.selectedIndex;
    for (const redraw of order.redraws) redraw();
    say(`Systems are ordered by ${METRICS[order.metric]}`);
  } }, METRICS.map((name) => h("option", {}, name)))));
}

function leaderboard() {
  const grid = section("leaderboard", "Leaderboard");
  const parts = (m) => (state.parts ? Object.keys(R.board[m].parts) : []);
  const many = R.board.reduce((sum, board) => sum + Object.keys(board.parts).length, 0);
  const state = { parts: many > 0 && many + METRICS.length < 6 && innerWidth > 600 };
  const holder = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All systems by all metrics: table" });
  let sorted = null; // name and direction, kept when the parts come and go
  const made = () => {
    const columns = [{ name: "System", text: true }], best = [];
    R.metrics.forEach((metric, m) => {
      for (const part of parts(m)) columns.push({ name: `${metric.name} ${part}`, show: (v) => fixed(v, metric.decimals) });
      columns.push({ name: metric.name + (metric.higher ? "" : " (lower is better)"), first: metric.higher ? "descending" : "ascending" });
      best.push(R.board[m].scores[ranked(m)[0]]);
    });
    if (R.human) columns.push({ name: "Human", show: (v) => fixed(v, 3) });
    const rows = SYSTEMS.map((system, i) => {
      const row = [system];
      R.metrics.forEach((metric, m) => {
        const board = R.board[m], value = board.scores[i], d = metric.decimals;
        for (const part of parts(m)) row.push(board.parts[part][i]);
        const bits = [fixed(value, d)];
        if (board.clusters) bits.push(h("span", { class: "group", title: "cluster" }, hidden("cluster "), board.clusters[i]));
        if (board.low) bits.push(h("span", { class: "ci" }, `[${fixed(board.low[i], d)}, ${fixed(board.high[i], d)}]`));
        row.push({ value, node: bits, best: fixed(value, d) === fixed(best[m], d) });
      });
      if (R.human) {
        const k = R.human.systems.indexOf(system);
        row.push(k < 0 ? null : R.human.scores[k]);
      }
      return row;
    });
    const metricOf = new Map();
    let at = 1;
    R.metrics.forEach((_, m) => { at += parts(m).length; metricOf.set(at, m); at += 1; });
    const ruled = (_, order, place, sorted) => {
      const m = metricOf.get(sorted), clusters = m !== undefined && R.board[m].clusters;
      return clusters && place > 0 && clusters[order[place]] !== clusters[order[place - 1]];
    };
    const { table, sortBy } = makeTable(columns, rows, { sortable: true, ruled, onsort: (j, direction) => { sorted = [columns[j].name, direction]; } });
    const kept = sorted ? columns.findIndex((column) => column.name === sorted[0]) : -1;
    const first = [...metricOf].find(([, m]) => m === order.metric)[0];
    if (kept >= 0) sortBy(kept, sorted[1]);
    else sortBy(first, columns[first].first);
    if (kept < 0) sorted = null; // the order of the bar, until a head is clicked
    say("");
    holder.replaceChildren(table);
  };
  made();
  const p = R.plan, note = [
    R.board[0].low && `[low, high]: 95 % bootstrap interval (${whole(p.samples)} samples, seed ${p.seed}).`,
    R.board[0].clusters && `The boxed number is the cluster: where a new one begins, everything above differs significantly from everything below (${p.test}).`,
    "Sort by any column."].filter(Boolean).join(" ");
  order.redraws.push(() => { sorted = null; made(); });
  grid.append(h("div", { class: "card wide" },
    h("header", {}, h("h3", {}, "All systems by all metrics"), h("div", { class: "controls" },
      many > 0 && h("label", {}, h("input", { type: "checkbox", checked: state.parts, onchange: (event) => { state.parts = event.target.checked; made(); } }), "Precision, recall and other parts"),
      h("div", { class: "tools" }, h("button", { type: "button", "aria-label": "CSV of the leaderboard", onclick: () => save("leaderboard.csv", "text/csv", leaderboardCsv()) }, "CSV")))),
    h("p", { class: "note" }, note), holder));
  figure(grid, {
    id: "ranking", title: "Ranking with intervals",
    note: R.board[0].low ? "Dots are scores, whiskers 95 % bootstrap intervals" + (R.board[0].clusters ? "; shading alternates from cluster to cluster." : ".") : null,
    make: () => {
      const m = order.metric, board = R.board[m], metric = R.metrics[m];
      const rows = ranked(m).map((i) => ({ name: SYSTEMS[i], i, value: board.scores[i], low: board.low && board.low[i], high: board.high && board.high[i],
        cluster: board.clusters ? board.clusters[i] : 1,
        tip: `${SYSTEMS[i]}: ${fixed(board.scores[i], metric.decimals)}` + (board.low ? ` [${fixed(board.low[i], metric.decimals)}, ${fixed(board.high[i], metric.decimals)}]` : "") + (board.clusters ? `, cluster ${board.clusters[i]}` : "") }));
      return { label: `The best is ${rows[0].name}.`, draw: (width) => rankedDots(width, rows, { xTitle: metric.name, decimals: metric.decimals }),
        columns: [text("System"), num(metric.name, metric.decimals), num("low", metric.decimals), num("high", metric.decimals), int("cluster")],
        rows: rows.map((row) => [row.name, row.value, row.low ?? null, row.high ?? null, row.cluster]) };
    },
  });
  if (R.years) figure(grid, {
    id: "years", title: "Year against score",
    note: "The year in which an output was published.",
    make: () => {
      const m = order.metric, metric = R.metrics[m], first = Math.min(...R.years), last = Math.max(...R.years);
      const points = SYSTEMS.map((name, i) => ({ name, i, x: R.years[i], y: R.board[m].scores[i], tip: `${name}, ${R.years[i]}: ${fixed(R.board[m].scores[i], metric.decimals)}` }));
      return { draw: (width) => scatter(width, points, { xTitle: "year", yTitle: metric.name, xRange: [first - 1, last + 1],
        xTicks: range(last - first + 1).map((k) => first + k).filter((year, k, all) => k % Math.ceil(all.length / (width < 420 ? 4 : 10)) === 0) }),
      columns: [text("System"), { name: "year", show: String }, num(metric.name, metric.decimals)], rows: points.map((p) => [p.name, p.x, p.y]) };
    },
  });
  if (R.board[0].p) figure(grid, {
    id: "significance", title: "Which systems differ",
    note: `Blue cells differ significantly (p ≤ ${R.plan.alpha}), grey ones do not. Corrected p-values: ${R.plan.test}.`,
    make: () => {
      const places = ranked(), p = R.board[order.metric].p;
      const values = places.map((i) => places.map((j) => p[i][j])), names = places.map((i) => SYSTEMS[i]);
      const show = (value) => (value < 0.001 ? "<.001" : value >= 0.995 ? "1" : fixed(value, value < 0.01 ? 3 : 2).replace(/^0/, ""));
      return { draw: (width) => heatMap(width, names, names, values.map((row) => row.map((v) => (known(v) ? v : null))), {
        show, colours: (value) => significanceShade(value, R.plan.alpha), small: true, notes: (i, j) => (values[i][j] <= R.plan.alpha ? "significant" : "not significant") }),
      columns: [text("System"), ...names.map((name) => ({ name, show: (v) => (known(v) ? show(v) : "–") }))],
      rows: places.map((i, k) => [SYSTEMS[i], ...values[k]]) };
    },
  });
}

function leaderboardCsv() { // everything, whatever the table shows at the moment
  const columns = [text("System")];
  R.metrics.forEach((metric, m) => columns.push(...[metric.name, ...(R.board[m].low ? ["low", "high", "cluster"] : []), ...Object.keys(R.board[m].parts)]
    .map((name, k) => text(k ? `${metric.name} ${name}` : name))));
  const rows = SYSTEMS.map((system, i) => [system, ...R.board.flatMap((board) =>
    [board.scores[i], ...(board.low ? [board.low[i], board.high[i], board.clusters[i]] : []), ...Object.values(board.parts).map((part) => part[i])])]);
  return toCsv(columns, rows);
}

function isoLines(beta) {
  return (svg, x, y, { x0, x1, y0, y1 }, box) => {
    const b2 = beta * beta, best = (1 + b2) * x1 * y1 / (b2 * Math.max(y1, 1e-9) + Math.max(x1, 1e-9));
    for (const f of ticks(0, best || 1, 8).filter((value) => value > 0 && value < 1)) {
      const points = [];
      for (let k = 0; k <= 120; k++) { // x is recall, y precision: P = F R / ((1 + β²) R − β² F)
        const r = x0 + ((x1 - x0) * k) / 120, bottom = (1 + b2) * r - b2 * f, precision = (f * r) / bottom;
        if (bottom > 0 && precision <= y1 && precision >= y0) points.push([x(r), y(precision)]);
      }
      if (points.length < 2) continue;
      svg.append(s("path", { class: "iso", d: points.map(([a, b], k) => `${k ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("") }));
      const [ex, ey] = points[points.length - 1];
      svg.append(s("text", { class: "tick", x: Math.min(ex + 4, box.right + 4), y: ey + 4 }, tickText(f)));
    }
  };
}

// What was hit, corrected wrongly, missed and changed without need, in chunks of CLEME2.
function overCorrection(grid) {
  const P = R.profile, counted = (name, systems) => ({ name, systems });
  const parts = [counted("everything", P.whole),
    ...Object.entries(P.groups).flatMap(([label, values]) => Object.entries(values).map(([value, systems]) => counted(`${label} ${value || "(none)"}`, systems))),
    ...Object.entries(P.types).slice(0, 30).map(([type, systems]) => counted(`type ${type}`, systems))];
  const [hit, wrong, missed, unnecessary] = range(4);
  figure(grid, {
    id: "over-correction", title: "Over-correction and under-correction", wide: true, choices: [{ name: "Of", options: parts.map((part) => part.name) }],
    note: "Chunks of CLEME2. Hit, wrong and missed are relative to the chunks that need a change, unnecessary to the changes made; the table has 95 % intervals.",
    make: (k) => ({
      draw: (width) => stackedBars(width, ranked().map((i) => ({ name: SYSTEMS[i], parts: [hit, wrong, unnecessary, missed].map((n) => parts[k].systems[i].counts[n]) })),
        [{ name: "✓ hit", colour: "var(--c0)" }, { name: "✗ corrected wrongly", colour: "var(--c4)" }, { name: "+ unnecessary", colour: "var(--c1)" }, { name: "○ missed", colour: "var(--muted)", opacity: 0.15 }], { xTitle: "chunks" }),
      columns: [text("System"), ...P.names.flatMap((name) => [int(name), { name: name + " rate", show: (v) => percent(v) }, { name: name + " low", show: (v) => percent(v) }, { name: name + " high", show: (v) => percent(v) }])],
      rows: ranked().map((i) => { const one = parts[k].systems[i]; return [SYSTEMS[i], ...P.names.flatMap((_, n) => [one.counts[n], one.rates[n], one.low[n], one.high[n]])]; }),
    }),
  });
}

function edits() {
  if (!R.planes.length && !R.edits && !R.profile) return;
  const grid = section("edits", "Edits");
  const planes = R.planes.map((plane) => METRICS[plane.metric]);
  const choices = planes.length > 1 ? [{ name: "Metric", options: planes }] : [];
  if (planes.length) {
    figure(grid, {
      id: "precision-recall", title: "Precision and recall", choices,
      note: "Dashed lines join points of equal F; towards the upper right is better.",
      make: (k = 0) => {
        const plane = R.planes[k], board = R.board[plane.metric];
        const points = SYSTEMS.map((name, i) => ({ name, i, x: plane.recall[i], y: plane.precision[i],
          tip: `${name}\nP ${fixed(plane.precision[i])}, R ${fixed(plane.recall[i])}, F ${fixed(board.scores[i])}` }))
          .filter((p) => !(p.x === 0 && p.y === 1)); // a system without edits: precision is 1 by definition
        const most = Math.min(1, 1.12 * Math.max(0.05, ...points.map((p) => p.x))), top = Math.min(1, 1.12 * Math.max(0.05, ...points.map((p) => p.y)));
        return { draw: (width) => scatter(width, points, { xTitle: "recall", yTitle: `precision · dashed: equal F (β = ${plane.beta})`, xRange: [0, most], yRange: [0, top], iso: isoLines(plane.beta) }),
          columns: [text("System"), num("precision", 4), num("recall", 4), num("F", 4)],
          rows: ranked().map((i) => [SYSTEMS[i], plane.precision[i], plane.recall[i], board.scores[i]]) };
      },
    });
    figure(grid, {
      id: "beta-sweep", title: "F over β", choices,
      note: "Small β asks for precision, large β for recall. Where lines cross, the ranking depends on the choice.",
      make: (k = 0) => {
        const plane = R.planes[k];
        return { draw: (width) => lines(width, plane.betas, SYSTEMS.map((name, i) => ({ name, i, values: plane.sweep[i] })),
          { xTitle: "β (logarithmic)", yTitle: "F", log: true }),
        columns: [text("System"), ...plane.betas.map((beta) => num("β=" + beta, 4))],
        rows: ranked().map((i) => [SYSTEMS[i], ...plane.sweep[i]]) };
      },
    });
  }
  if (R.profile) overCorrection(grid);
  if (R.edits) {
    figure(grid, {
      id: "edit-counts", title: "Edits: right, wrong and missed",
      note: "As M² counts them, against the annotator each sentence agrees with best.",
      make: () => ({
        draw: (width) => stackedBars(width, ranked().map((i) => ({ name: SYSTEMS[i], parts: [R.edits[i].correct, R.edits[i].wrong, R.edits[i].missed] })),
          [{ name: "✓ right", colour: "var(--c0)" }, { name: "✗ wrong", colour: "var(--c1)" }, { name: "○ missed", colour: "var(--muted)", opacity: 0.15 }], { xTitle: "edits" }),
        columns: [text("System"), int("right"), int("wrong"), int("missed")],
        rows: ranked().map((i) => [SYSTEMS[i], R.edits[i].correct, R.edits[i].wrong, R.edits[i].missed]),
      }),
    });
    figure(grid, {
      id: "edit-kinds", title: "Edits: what they do",
      note: "How much each system changes, and how.",
      make: () => ({
        draw: (width) => stackedBars(width, ranked().map((i) => ({ name: SYSTEMS[i], parts: [R.edits[i].replacements, R.edits[i].insertions, R.edits[i].deletions] })),
          [{ name: "replace", colour: "var(--c0)" }, { name: "insert", colour: "var(--c4)" }, { name: "delete", colour: "var(--c3)" }], { xTitle: "edits" }),
        columns: [text("System"), int("edits"), int("replace"), int("insert"), int("delete"), { name: "sentences changed", show: (v) => percent(v) }, num("edits a sentence", 2), num("tokens an edit", 2)],
        rows: ranked().map((i) => { const e = R.edits[i]; return [SYSTEMS[i], e.edits, e.replacements, e.insertions, e.deletions, e.changed / R.segments, e.edits / R.segments, e.edits ? e.tokens / e.edits : null]; }),
      }),
    });
  }
}

function breakdown() {
  if (!R.types && !R.groups.length && !R.typed.length) return;
  const grid = section("breakdown", "By type and domain");
  if (R.types && R.types.names.length > 1) {
    const most = 28, names = R.types.names, total = names.map((_, t) => Math.max(...R.types.found.map((row) => row[t][1])));
    figure(grid, {
      id: "by-type", title: "Error types found", wide: true,
      note: "Share of gold edits of each type that a system made (recall by M²), frequent types first." + (names.length > most ? ` The ${most} most frequent of ${names.length}; the table has all.` : ""),
      make: () => {
        const share = (i, t) => (R.types.found[i][t][1] ? R.types.found[i][t][0] / R.types.found[i][t][1] : null);
        const shown = range(Math.min(most, names.length));
        return { draw: (width) => heatMap(width, ranked().map((i) => SYSTEMS[i]), shown.map((t) => names[t]), ranked().map((i) => shown.map((t) => share(i, t))),
          { show: (v) => fixed(100 * v, 0), scale: [0, Math.max(0.2, ...ranked().flatMap((i) => shown.map((t) => share(i, t) || 0)))], notes: (a, b) => `${R.types.found[ranked()[a]][shown[b]].join(" of ")} gold edits, %` }),
        columns: [text("System"), ...names.map((name, t) => ({ name: `${name} (${total[t]})`, show: (v) => percent(v) }))],
        rows: ranked().map((i) => [SYSTEMS[i], ...names.map((_, t) => share(i, t))]) };
      },
    });
  }
  R.typed.forEach((typed) => {
    const most = 28, name = METRICS[typed.metric], measures = ["precision", "recall", "F"];
    const shown = range(Math.min(most, typed.names.length));
    figure(grid, {
      id: `by-type-${typed.metric}`, title: `${name} by error type`, wide: true, choices: [{ name: "Show", options: measures, value: 2 }],
      note: "In per cent, frequent types first." + (typed.names.length > most ? ` The ${most} most frequent of ${typed.names.length}; the table has all.` : ""),
      make: (k) => {
        const value = (i, t) => (typed.cells[i][t].counts.some(Boolean) ? typed.cells[i][t].scores[k] : null);
        return { draw: (width) => heatMap(width, ranked().map((i) => SYSTEMS[i]), shown.map((t) => typed.names[t]), ranked().map((i) => shown.map((t) => value(i, t))),
          { show: (v) => fixed(100 * v, 0), scale: [0, 1], notes: (a, b) => { const [tp, fp, fn] = typed.cells[ranked()[a]][shown[b]].counts; return `${tp} right, ${fp} wrong, ${fn} missed`; } }),
        columns: [text("System"), ...typed.names.map((type) => ({ name: type, show: (v) => percent(v) }))],
        rows: ranked().map((i) => [SYSTEMS[i], ...typed.names.map((_, t) => value(i, t))]) };
      },
    });
  });
  R.groups.forEach((group) => figure(grid, {
    id: "by-" + group.label.replace(/[^\w-]/g, "_"), title: `By ${group.label}`, wide: group.names.length > 6, choices: [metricChoice],
    note: "Each part of the corpus scored by itself; the number of sentences is in brackets.",
    make: (m) => {
      const places = ranked(), names = group.names.map((name, k) => `${name} (${group.sizes[k]})`), metric = R.metrics[m];
      return { draw: (width) => heatMap(width, ranked().map((i) => SYSTEMS[i]), names, places.map((i) => group.scores[m][i]), { show: (v) => fixed(v, 2),
        scale: metric.higher ? null : [...places.flatMap((i) => group.scores[m][i])].filter(known).reduce(([hi, lo], v) => [Math.max(hi, v), Math.min(lo, v)], [-Infinity, Infinity]) }),
      columns: [text("System"), ...names.map((name) => num(name, metric.decimals))], rows: ranked().map((i) => [SYSTEMS[i], ...group.scores[m][i]]) };
    },
  }));
}

function metricFigures() {
  if (!R.agreement && !R.curves.length) return;
  const grid = section("metrics", "Metrics");
  if (R.agreement) {
    const kinds = [["Pearson, systems", R.agreement.pearson], ["Spearman, systems", R.agreement.spearman], ["Pearson, sentences", R.agreement.sentences]].filter(([, matrix]) => matrix);
    if (kinds.length) figure(grid, {
      id: "metric-agreement", title: "How far metrics agree", choices: [{ name: "By", options: kinds.map(([name]) => name) }],
      note: "Correlations between metrics: blue agrees, orange disagrees, no colour is 0. Error rates count with their sign turned.",
      make: (k) => ({ draw: (width) => heatMap(width, METRICS, METRICS, kinds[k][1], { show: (v) => fixed(v, 2), colours: divergingShade }),
        columns: [text("Metric"), ...METRICS.map((name) => num(name))], rows: METRICS.map((name, i) => [name, ...kinds[k][1][i]]) }),
    });
  }
  if (R.curves.length) figure(grid, {
    id: "reference-curve", title: "More references", choices: [{ name: "Metric", options: R.curves.map((curve) => METRICS[curve.metric]) }],
    note: "The score with 1, 2, … references, the mean over sets of so many annotators.",
    make: (k) => {
      const curve = R.curves[k], xs = curve.scores[0].map((_, n) => n + 1);
      return { draw: (width) => lines(width, xs, SYSTEMS.map((name, i) => ({ name, i, values: curve.scores[i] })), { xTitle: "references", yTitle: METRICS[curve.metric] }),
        columns: [text("System"), ...xs.map((n) => num(n + (n > 1 ? " references" : " reference"), 4))], rows: ranked().map((i) => [SYSTEMS[i], ...curve.scores[i]]) };
    },
  });
}
