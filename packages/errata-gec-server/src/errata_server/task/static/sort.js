// Makes the headings of tables sort them: numbers the greatest first, texts by the alphabet.
function valueOf(row, column, kind) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.querySelector("time")?.dateTime ?? cell.textContent.trim();
  if (kind === "text") return text;
  const number = Number.parseFloat(text);
  return Number.isNaN(number) ? -Infinity : number;
}

function sort(table, heading, column) {
  const kind = heading.dataset.kind;
  const first = kind === "text" || column === 0 ? "ascending" : "descending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = heading.getAttribute("aria-sort") === first ? other : first;
  for (const each of table.tHead.rows[0].cells) {
    if (each.dataset.kind) each.setAttribute("aria-sort", "none");
  }
  heading.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const x = valueOf(a, column, kind);
    const y = valueOf(b, column, kind);
    return sign * (kind === "text" ? x.localeCompare(y) : x === y ? 0 : x < y ? -1 : 1);
  });
  for (const row of rows) row.classList.remove("rule"); // the lines between clusters hold in one order only
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (!heading.dataset.kind) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sort(table, heading, column));
  });
}
