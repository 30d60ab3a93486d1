"use strict";
// Elements are made by h() and s(); text goes in as text nodes alone, never as HTML.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);
const hidden = (text) => h("span", { class: "hidden" }, text);

function readData(name) {
  const block = byId("data-" + name);
  return block ? JSON.parse(block.textContent) : null;
}
const R = readData("report");

const known = (value) => value !== null && value !== undefined && Number.isFinite(value);
// The rule of `format_number` in errata.tables: to the nearest, and exact ties to the even digit (toFixed takes them up).
const TAIL = 30; // digits behind the last one shown, enough to tell a tie from every other double
function fixed(value, decimals = 3) {
  if (!known(value)) return "–";
  const size = Math.abs(value), exact = size.toFixed(decimals + TAIL), cut = exact.slice(0, -TAIL).replace(/\.$/, "");
  const down = /^50*$/.test(exact.slice(-TAIL)) && /[02468]$/.test(cut);
  return (value < 0 ? "−" : "") + (down ? cut : size.toFixed(decimals));
}
const whole = (value) => (known(value) ? value.toLocaleString("en-US") : "–");
const percent = (value, decimals = 1) => (known(value) ? fixed(100 * value, decimals) + " %" : "–");
const range = (n) => Array.from({ length: n }, (_, i) => i);
const say = (text) => { byId("status").textContent = text; };

// -- light and dark ------------------------------------------------------------------------------

const redraws = new Set();
let paper = 0; // while the page is printed, the width of the figures
const isDark = () => document.documentElement.dataset.theme === "dark";

function setTheme(theme, keep) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `Switch to ${theme === "dark" ? "light" : "dark"} colours`);
  if (keep) try { localStorage.setItem("errata-theme", theme); } catch { /* a page from disk may have no storage */ }
  for (const redraw of redraws) redraw();
}

function startTheme() {
  let theme = null;
  try { theme = localStorage.getItem("errata-theme"); } catch { /* the same */ }
  const system = matchMedia("(prefers-color-scheme: dark)");
  setTheme(theme || (system.matches ? "dark" : "light"));
  system.addEventListener("change", () => setTheme(system.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark", true));
  let before = null;
  addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme; paper = 680; setTheme("light"); });
  addEventListener("afterprint", () => { paper = 0; setTheme(before); });
}

// -- tables --------------------------------------------------------------------------------------

// columns: [{ name, text, show(value), best }]; rows: arrays of values (a value may be { value, node, show })
function makeTable(columns, rows, { caption, sortable, ruled, onsort } = {}) {
  const body = h("tbody");
  const valueOf = (cell) => (cell !== null && typeof cell === "object" ? cell.value : cell);
  const heads = columns.map((column, j) => {
    const head = h("th", { scope: "col", class: column.text ? "text" : null });
    if (!sortable) head.append(column.name);
    else head.append(h("button", { type: "button", onclick: () => sortBy(j) }, column.name));
    return head;
  });
  let order = range(rows.length), sorted = null;
  function draw() {
    body.replaceChildren(...order.map((i, place) => {
      const rule = ruled && ruled(rows, order, place, sorted);
      return h("tr", { class: rule ? "cluster" : null }, rows[i].map((cell, j) => {
        const column = columns[j], value = valueOf(cell);
        const link = typeof value === "string" && R.links && Object.hasOwn(R.links, value) && R.links[value];
        const shown = cell !== null && typeof cell === "object" && cell.node ? cell.node : (column.show || String)(value);
        const content = link ? h("a", { href: link }, shown) : shown;
        const classes = [column.text && "text", cell !== null && typeof cell === "object" && cell.best && "best"].filter(Boolean).join(" ");
        return j ? h("td", { class: classes || null }, content) : h("th", { scope: "row" }, content);
      }));
    }));
  }
  function sortBy(j, direction) {
    const first = columns[j].first || (columns[j].text ? "ascending" : "descending");
    const other = first === "ascending" ? "descending" : "ascending";
    const down = direction || (heads[j].getAttribute("aria-sort") === first ? other : first);
    heads.forEach((head, k) => (k === j ? head.setAttribute("aria-sort", down) : head.removeAttribute("aria-sort")));
    const sign = down === "ascending" ? 1 : -1;
    order.sort((a, b) => {
      const x = valueOf(rows[a][j]), y = valueOf(rows[b][j]);
      if (x === y) return a - b;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
    });
    sorted = j;
    if (onsort) onsort(j, down);
    draw();
    say(`Sorted by ${columns[j].name}, ${down}`);
  }
  draw();
  const table = h("table", {}, caption && h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body);
  return { table, sortBy };
}

function toCsv(columns, rows) {
  const quote = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    // a leading = + - @ that is not a number would be a formula in a spreadsheet
    const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? "'" + text : text;
    return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  const plain = (cell) => (cell !== null && typeof cell === "object" ? cell.value : cell);
  return [columns.map((column) => column.name), ...rows.map((row) => row.map(plain))]
    .map((row) => row.map(quote).join(",")).join("\r\n") + "\r\n";
}

// -- files ---------------------------------------------------------------------------------------

function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const INLINED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity",
  "font-family", "font-size", "font-weight"];

function standalone(svg) {
  const copy = svg.cloneNode(true);
  const from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const property of INLINED) to[i].setAttribute(property, style.getPropertyValue(property));
    to[i].removeAttribute("class");
    to[i].removeAttribute("tabindex");
  });
  const background = getComputedStyle(document.documentElement).getPropertyValue("--card");
  copy.prepend(s("rect", { width: "100%", height: "100%", fill: background.trim() }));
  copy.setAttribute("xmlns", SVG);
  return new XMLSerializer().serializeToString(copy);
}

function savePng(name, svg) {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
  image.onload = () => {
    const canvas = h("canvas", { width: 2 * svg.width.baseVal.value, height: 2 * svg.height.baseVal.value });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => save(name, "image/png", blob));
  };
  image.src = url;
}

// -- sections and figures ------------------------------------------------------------------------

function section(id, title, note) {
  const heading = h("h2", { id: id + "-heading" }, title);
  const grid = h("div", { class: "grid" });
  byId("main").append(h("section", { id, "aria-labelledby": id + "-heading" }, heading, note && h("p", { class: "note" }, note), grid));
  byId("sections").append(h("li", {}, h("a", { href: "#" + id }, title)));
  return grid;
}

// A number on its colour.
function shaded(value, shown) {
  const rgb = shade(value), node = h("span", { class: "shaded" }, shown);
  node.style.background = `rgb(${rgb})`;
  node.style.color = inkOn(rgb);
  return { value, node };
}

// Sections of plain tables: [{ id, title, note, tables: [{ title, notes, columns: [{ name, decimals, text }], rows, rules, shaded }] }]
function tables() {
  for (const part of R.sections || []) {
    const grid = section(part.id, part.title, part.note);
    part.tables.forEach((table, k) => {
      const columns = table.columns.map((column) => ({ name: column.name, text: column.text,
        show: (v) => (typeof v === "string" ? v : !known(v) ? "–" : column.decimals === null ? String(v) : fixed(v, column.decimals)) }));
      const ruled = (_, order, place, sorted) => sorted === null && table.rules.includes(place);
      const rows = table.rows.map((row) => row.map((cell, j) => (table.shaded && typeof cell === "number" ? shaded(cell, columns[j].show(cell)) : cell === null || typeof cell !== "object" ? (String(cell).length > 50 ? { value: cell, node: h("span", { class: "long" }, cell) } : cell)
        : { value: cell.value, node: [columns[j].show(cell.value), h("span", { class: "ci" }, `[${columns[j].show(cell.low)}, ${columns[j].show(cell.high)}]`)] })));
      const name = table.title || part.title;
      grid.append(h("div", { class: "card wide" }, h("header", {}, name === part.title ? h("span") : h("h3", {}, name), h("div", { class: "tools" }, h("button", {
        type: "button", "aria-label": "CSV of " + name, onclick: () => save(`${part.id}-${k + 1}.csv`, "text/csv", toCsv(columns, rows)) }, "CSV"))),
      table.notes.map((note) => h("p", { class: "note" }, note)),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name + ": table" }, makeTable(columns, rows, { sortable: true, ruled }).table)));
    });
  }
}

/* A plot with its controls, its table and its downloads. `choices` become selects; `make(chosen)` gives
   { draw(width) -> svg, columns, rows, label }. */
function figure(grid, { id, title, note, wide, choices = [], make }) {
  const chosen = choices.map((choice) => choice.value || 0);
  const chart = h("div", { class: "chart" });
  const holder = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title + ": table" });
  const folded = h("details", {}, h("summary", {}, "The numbers as a table"), holder);
  let current = null, width = 0, sorted = null; // the sort outlives a change of the choices
  const svg = () => chart.querySelector("svg");
  function update() {
    current = make(...chosen);
    if (folded.open) showTable();
    redraw();
  }
  function redraw() {
    if (!current || !width) return;
    const made = current.draw(paper || width);
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", `${title}. ${current.label || ""} The numbers are in the table below.`);
    chart.replaceChildren(made);
    const wider = made.width.baseVal.value > width; // it scrolls: let the keyboard in
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", title]]) {
      if (wider) chart.setAttribute(name, value); else chart.removeAttribute(name);
    }
  }
  function showTable() {
    const { table, sortBy } = makeTable(current.columns, current.rows, { sortable: true, onsort: (j, direction) => { sorted = [j, direction]; } });
    if (sorted && sorted[0] < current.columns.length) sortBy(...sorted);
    holder.replaceChildren(table);
  }
  folded.addEventListener("toggle", () => folded.open && showTable());
  const controls = choices.map((choice, k) => h("label", {}, choice.name, h("select", {
    onchange: (event) => { chosen[k] = Number(event.target.value); update(); },
  }, choice.options.map((option, i) => h("option", { value: i, selected: i === chosen[k] }, option)))));
  const tools = h("div", { class: "tools", role: "group", "aria-label": "Download: " + title },
    h("button", { type: "button", onclick: () => save(id + ".svg", "image/svg+xml", standalone(svg())), "aria-label": "SVG of " + title }, "SVG"),
    h("button", { type: "button", onclick: () => savePng(id + ".png", svg()), "aria-label": "PNG of " + title }, "PNG"),
    h("button", { type: "button", onclick: () => save(id + ".csv", "text/csv", toCsv(current.columns, current.rows)), "aria-label": "CSV of " + title }, "CSV"));
  grid.append(h("figure", { id, class: "card" + (wide ? " wide" : ""), "aria-labelledby": id + "-title" },
    h("header", {}, h("h3", { id: id + "-title" }, title), controls.length > 0 && h("div", { class: "controls" }, controls)),
    note && h("p", { class: "note" }, note), chart, tools, folded));
  redraws.add(redraw);
  new ResizeObserver((entries) => {
    const now = Math.floor(entries[0].contentRect.width);
    if (now && Math.abs(now - width) > 1) { width = now; redraw(); }
  }).observe(chart);
  width = Math.floor(chart.clientWidth); // drawn at once: what is below must not move afterwards
  update();
  order.redraws.push(update);
}

// -- tooltips ------------------------------------------------------------------------------------

const tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
function tooltip(element, text) {
  const show = (event) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 6)) + "px";
    tip.style.top = Math.max(4, event.clientY - box.height - 10) + "px";
  };
  element.addEventListener("pointermove", show);
  element.addEventListener("pointerleave", () => { tip.hidden = true; });
  return element;
}
