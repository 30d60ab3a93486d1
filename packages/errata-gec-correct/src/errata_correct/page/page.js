"use strict";
const field = (id) => document.getElementById(id);
const text = field("text"), view = field("view"), state = field("state"), choice = field("choice");
let checked = "", matches = [], ignored = new Set(), open = null, waiting = 0, asked = 0;

const key = (match) => checked.slice(match.offset, match.offset + match.length) + "\0" + match.replacements[0].value;
const spacing = (match) => match.rule.id === "ERRATA_SPACING";  // a rule, not an estimate
const shown = () => matches.filter((match) => !ignored.has(key(match)));

function close() {
  open = null;
  choice.hidden = true;
}

/* What a suggestion deletes and inserts, shown in place; blanks that go are made visible. */
function difference(old, replacement) {
  let start = 0, end = 0;
  const shorter = Math.min(old.length, replacement.length);
  while (start < shorter && old[start] === replacement[start]) start += 1;
  while (end < shorter - start && old.at(-1 - end) === replacement.at(-1 - end)) end += 1;
  const part = (old.length > replacement.length ? old : replacement).slice(start).slice(0, -end || undefined);
  if (start + end < shorter || /^[\p{L}\p{M}\p{N}]+$/u.test(part)) start = end = 0;  // a reader compares whole words
  const parts = [];
  const add = (tag, content) => {
    if (!content) return;
    const element = document.createElement(tag);
    element.textContent = content;
    parts.push(element);
  };
  const gone = old.slice(start, old.length - end), come = replacement.slice(start, replacement.length - end);
  add("span", old.slice(0, start));
  add("del", gone.trim() ? gone : gone.replaceAll(/[ \t]/g, "␣"));
  if (gone && come) parts.push(" ");
  add("ins", come);
  add("span", end ? old.slice(-end) : "");
  return parts;
}

function draw() {
  const left = shown();
  view.replaceChildren();
  let position = 0;
  for (const match of left) {
    view.append(checked.slice(position, match.offset));
    const mark = document.createElement("button");
    const old = checked.slice(match.offset, match.offset + match.length);
    mark.type = "button";
    mark.append(...difference(old, match.replacements[0].value));
    mark.setAttribute("aria-label", `${old}: suggestion ${match.replacements[0].value || "delete"}`);
    mark.setAttribute("aria-expanded", String(match === open));
    mark.addEventListener("click", () => show(match));
    view.append(mark);
    position = match.offset + match.length;
  }
  view.append(checked.slice(position));
  field("all").disabled = !left.length;
  state.textContent = !checked.trim() ? "Write or paste a text."
    : left.length ? `${left.length} suggestion${left.length > 1 ? "s" : ""}` : "No suggestions.";
}

function show(match) {
  open = match;
  field("old").textContent = checked.slice(match.offset, match.offset + match.length);
  field("new").textContent = match.replacements[0].value || "(delete)";
  field("why").textContent = `${match.message}${spacing(match) ? "" : ` Confidence ${Math.round(100 * match.confidence)} %.`}`;
  choice.hidden = false;
  draw();
  field("accept").focus();
}

function replace(accepted) {
  if (text.value !== checked) {  // the marks belong to an earlier text, which would undo what was typed since
    check();
    return;
  }
  const left = [];
  let made = "", position = 0;
  for (const match of matches) {
    made += checked.slice(position, match.offset);
    position = match.offset;
    if (accepted.includes(match)) {
      made += match.replacements[0].value;
      position += match.length;
    } else {
      left.push({ ...match, offset: made.length });
    }
  }
  checked = text.value = made + checked.slice(position);
  matches = left;
  draw();
  check();
}

async function check() {
  const number = ++asked, value = text.value;
  close();
  if (!value.trim()) {
    checked = value;
    matches = [];
    draw();
    return;
  }
  state.textContent = "Checking …";
  try {
    const body = new URLSearchParams({ text: value, language: field("language").value });
    const answer = await fetch("v2/check", { method: "POST", body });
    if (number !== asked) return;
    if (!answer.ok) throw new Error(await answer.text());
    const found = await answer.json();
    if (number !== asked) return;
    const same = value === checked && open;  // what was opened while this answer was on its way
    checked = value;
    matches = found.matches;
    open = same && matches.find((match) => match.offset === same.offset && key(match) === key(same));
    if (!open) close();
    draw();
  } catch (error) {
    if (number === asked) state.textContent = String(error.message || error);
  }
}

text.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(check, 400);
});
field("language").addEventListener("change", check);
field("accept").addEventListener("click", () => replace([open]));
field("ignore").addEventListener("click", () => {
  ignored.add(key(open));
  close();
  draw();
});
field("all").addEventListener("click", () => replace(shown()));
field("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(text.value);
  } catch {
    text.select();
    document.execCommand("copy");
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && open) {
    close();
    draw();
  }
});
fetch("v2/languages").then((answer) => answer.json()).then((known) => {
  const several = new Set(known.map((one) => one.code)).size > 1;
  const options = known.filter((one) => one.code === one.longCode).map((one) => new Option(one.name, one.code));
  field("language").append(...(several ? [new Option("Detect", "auto")] : []), ...options);
  if (text.value) check();
});
