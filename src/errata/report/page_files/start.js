// Puts the page together.

function signatures() {
  const grid = section("how", "How it was made");
  grid.append(h("div", { class: "card wide" }, h("h3", {}, "Command"), h("pre", { tabindex: "0" }, R.command || "(made from Python)"),
    R.metrics.length > 0 && [h("h3", {}, "Signatures"), h("pre", { tabindex: "0" }, R.metrics.map((metric) => `${metric.name} = ${metric.signature}`).join("\n"))],
    R.inputs.length > 0 && [h("h3", {}, "Checksums of the inputs"), h("pre", { tabindex: "0" }, R.inputs.map(([name, digest]) => `${digest}  ${name}`).join("\n"))],
    h("p", { class: "note" }, `Made${R.made ? " on " + R.made : ""} with errata ${R.version}. Everything on this page is in this file; nothing is loaded from elsewhere.`)));
}

function start() {
  const parts = !R.board.length ? [] : [`${SYSTEMS.length} ${SYSTEMS.length === 1 ? "system" : "systems"}`, `${METRICS.length} ${METRICS.length === 1 ? "metric" : "metrics"}`, `${whole(R.segments)} sentences`];
  if (parts.length && R.references) parts.push(`${R.references} ${R.references === 1 ? "reference" : "references"}`);
  if (R.human) parts.push(`${whole(R.human.items)} human judgments`);
  byId("summary").append(R.up ? h("a", { href: R.up.href }, "← " + R.up.text) : "", (R.up && parts.length ? " · " : "") + parts.join(" · "));
  byId("headline").textContent = R.headline || "";
  document.body.append(tip);
  startTheme();
  startOrder();
  const served = readData("index") && !byId("data-chunk-0"); // the sentences are what the reader came for
  if (served) explorer();
  if (R.board.length) leaderboard();
  tables();
  edits();
  breakdown();
  metricFigures();
  people();
  if (!served) explorer();
  signatures();
  const wanted = /^#[\w-]+$/.test(location.hash) && document.querySelector(location.hash);
  if (wanted) wanted.scrollIntoView({ behavior: "instant" }); // a link to what was not there when the page loaded
}
start();
