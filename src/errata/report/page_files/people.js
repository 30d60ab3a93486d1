// The figures about people's judgments.

function people() {
  if (!R.human) return;
  const H = R.human, J = H.judges, grid = section("people", "People");
  const spots = (k) => (H.best[k] === H.worst[k] ? String(H.best[k]) : `${H.best[k]}–${H.worst[k]}`);
  figure(grid, {
    id: "human-ranking", title: "Ranking by people",
    note: `${H.method} from ${whole(H.pairs)} pairs (${whole(H.ties)} ties) in ${whole(H.items)} judgments by ${J.names.length} judges; whiskers from ${whole(H.runs)} resamples of segments. Shading alternates from cluster to cluster.`,
    make: () => {
      const rows = H.systems.map((name, k) => ({ name, i: k, value: H.scores[k], low: H.low[k], high: H.high[k], cluster: H.clusters[k], tip: `${name}: ${fixed(H.scores[k])}, ranks ${spots(k)}, cluster ${H.clusters[k]}` }));
      return { label: `People prefer ${rows[0].name}.`, draw: (width) => rankedDots(width, rows, { xTitle: H.method, decimals: 3 }),
        columns: [text("System"), num("score"), num("low"), num("high"), text("ranks"), int("cluster")],
        rows: rows.map((row, k) => [row.name, row.value, row.low, row.high, spots(k), row.cluster]) };
    },
  });
  figure(grid, {
    id: "metric-human", title: "Metric against people", choices: [metricChoice],
    note: "The dashed line is the regression; systems more than two studentised residuals away are in bold.",
    make: (m) => {
      const fit = H.scatter[m], metric = R.metrics[m];
      const points = SYSTEMS.map((name, i) => ({ name, i, x: R.board[m].scores[i], k: H.systems.indexOf(name) })).filter((p) => p.k >= 0)
        .map((p) => ({ ...p, y: H.scores[p.k], strong: fit.outliers.includes(p.name), tip: `${p.name}\n${metric.name} ${fixed(p.x, metric.decimals)}, people ${fixed(H.scores[p.k])}` }));
      const r = fit.pearson ? `r = ${fixed(fit.pearson[0], 2)} [${fixed(fit.pearson[1], 2)}, ${fixed(fit.pearson[2], 2)}], ρ = ${fixed(fit.spearman[0], 2)}` : "";
      return { label: r + (fit.outliers.length ? ` Outliers: ${fit.outliers.join(", ")}.` : " No outliers."),
        draw: (width) => scatter(width, points, { xTitle: metric.name, yTitle: `people · ${r}`, line: fit.line }),
        columns: [text("System"), num(metric.name, metric.decimals), num("people"), text("outlier")],
        rows: points.map((p) => [p.name, p.x, p.y, p.strong ? "outlier" : ""]) };
    },
  });
  figure(grid, {
    id: "correlations", title: "Which metric agrees with people",
    note: "Correlation of systems' scores with people's, 95 % Fisher intervals; error rates with their sign turned.",
    choices: [{ name: "By", options: ["Pearson", "Spearman"] }],
    make: (k) => {
      const kind = ["pearson", "spearman"][k];
      const rows = H.scatter.filter((fit) => fit[kind]).map((fit) => ({ name: METRICS[fit.metric], i: fit.metric, value: fit[kind][0], low: fit[kind][1], high: fit[kind][2], cluster: 1,
        tip: `${METRICS[fit.metric]}: ${fixed(fit[kind][0])} [${fixed(fit[kind][1])}, ${fixed(fit[kind][2])}]` })).sort((a, b) => b.value - a.value);
      return { draw: (width) => rankedDots(width, rows, { xTitle: ["Pearson’s r", "Spearman’s ρ"][k], decimals: 3 }),
        columns: [text("Metric"), num("correlation"), num("low"), num("high")], rows: rows.map((row) => [row.name, row.value, row.low, row.high]) };
    },
  });
  const judge = (j) => `${J.names[j]} (${J.items[j]})`;
  figure(grid, {
    id: "judge-agreement", title: "Judges: agreement",
    note: `κ of every two judges on the comparisons they share, on the diagonal of each with himself; too few comparisons are left out. Overall κ: ${fixed(J.inter, 2)} between judges, ${fixed(J.intra, 2)} within.`,
    make: () => ({ draw: (width) => heatMap(width, J.names, J.names, J.kappas, { show: (v) => fixed(v, 2), scale: [Math.min(0, ...J.kappas.flat().filter(known)), 1] }),
      columns: [text("Judge"), ...J.names.map((name) => num(name)), int("items"), int("pairs"), int("ties"), num("median seconds", 1)],
      rows: J.names.map((name, j) => [name, ...J.kappas[j], J.items[j], J.pairs[j], J.ties[j], J.seconds[j]]) }),
  });
  const order = H.systems.map((name) => J.systems.indexOf(name));
  figure(grid, {
    id: "judges", title: "Judges: whom each prefers", wide: true,
    note: "Expected Wins of every system from one judge’s rankings alone; systems from people’s best to worst, judgments in brackets.",
    make: () => ({ draw: (width) => heatMap(width, range(J.names.length).map(judge), H.systems, J.wins.map((row) => order.map((i) => row[i])), { show: (v) => fixed(v, 2), scale: [0, 1] }),
      columns: [text("Judge"), ...H.systems.map((name) => num(name))], rows: J.names.map((_, j) => [judge(j), ...order.map((i) => J.wins[j][i])]) }),
  });
}
