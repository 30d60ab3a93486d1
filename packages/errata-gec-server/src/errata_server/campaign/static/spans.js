// Marking what is wrong in a text: spans of words with a category and a severity.
import { t } from "./messages.js";
import { Task, element } from "./tasks.js";

export class Spans extends Task {
  draw() {
    this.marks_ = [];
    this.anchor = this.cursor = 0;
    this.tokens = this.screen.tokens[0].map(([word], i) => element("span", { class: "token", role: "button", tabindex: -1, "data-i": i }, word));
    const line = this.text("", "text tokens", "div");
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", t("spans_text"));
    this.tokens.forEach((token, i) => line.append(this.screen.tokens[0][i][1] ? " " : "", token));
    this.listen(line);
    this.buttons = this.settings.categories.map((category, i) => element("button", { type: "button", class: "category", onclick: () => this.add(category) },
      this.name(category), ...(i < 10 ? [" ", element("kbd", {}, String((i + 1) % 10))] : [])));
    this.list = element("ul", { class: "marks" });
    return [this.sourceBlock(), element("section", { class: "panel" },
      element("h2", { class: "label" }, t("spans_text")), line, element("p", { class: "quiet" }, t("spans_help")),
      element("div", { class: "categories", role: "group", "aria-label": t("spans_categories") }, ...this.buttons)),
    element("section", { class: "panel", "aria-label": t("spans_marks") }, element("h2", { class: "label" }, t("spans_marks")), this.list), this.contextBlock()];
  }

  contextBlock() {
    const { before = [], after = [] } = this.screen.context ?? {};
    if (!before.length && !after.length) return "";
    const body = element("p", { class: "text", dir: "auto", lang: this.settings.language }, [...before.slice(-3), "▸", ...after.slice(0, 3)].join(" "));
    return element("section", { class: "panel context", "aria-label": t("document"), tabindex: 0 }, element("h2", { class: "label" }, t("document")), body);
  }

  // The list that the campaign's settings give may have names of its own.
  name(category) {
    return t.has(`category_${category}`) ? t(`category_${category}`) : category;
  }

  listen(line) {
    const place = (event) => {
      const token = document.elementFromPoint(event.clientX, event.clientY)?.closest(".token");
      return token ? Number(token.dataset.i) : null;
    };
    line.addEventListener("pointerdown", (event) => {
      const i = place(event);
      if (i === null) return;
      event.preventDefault();
      this.dragging = true;
      this.select(event.shiftKey ? this.anchor : i, i);
    });
    line.addEventListener("pointermove", (event) => {
      const i = this.dragging ? place(event) : null;
      if (i !== null && i !== this.cursor) this.select(this.anchor, i);
    });
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { this.dragging = false; });
  }

  select(anchor, cursor = anchor) {
    const within = (i) => Math.max(0, Math.min(this.tokens.length - 1, i));
    this.anchor = within(anchor);
    this.cursor = within(cursor);
    const [start, end] = this.selection;
    this.tokens.forEach((token, i) => {
      token.classList.toggle("selected", i >= start && i < end);
      token.setAttribute("aria-pressed", String(i >= start && i < end));
      token.tabIndex = i === this.cursor ? 0 : -1;
    });
    this.tokens[this.cursor]?.focus({ preventScroll: true });
    this.page.say(t("spans_selected", { words: this.words(start, end) }));
  }

  get selection() {
    return [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor) + 1];
  }

  words(start, end) {
    return this.screen.tokens[0].slice(start, end).map(([word, blank], i) => (blank && i ? " " : "") + word).join("");
  }

  add(category) {
    const [start, end] = this.selection;
    const same = this.marks_.find((mark) => mark.start === start && mark.end === end && mark.category === category);
    this.last = same ?? { start, end, category, severity: this.settings.severities[0] };
    if (!same) this.marks_.push(this.last);
    this.update();
    this.announce();
  }

  announce() {
    const { start, end, category, severity } = this.last;
    this.page.say(t("spans_marked", { words: this.words(start, end), category: this.name(category), severity: t(`severity_${severity}`) }));
  }

  remove(mark) {
    this.marks_ = this.marks_.filter((other) => other !== mark);
    this.last = this.marks_[this.marks_.length - 1];
    this.update();
    this.page.say(t("spans_removed"));
    this.tokens[this.cursor]?.focus({ preventScroll: true });
  }

  update(quietly = false) {
    this.marks_.sort((a, b) => a.start - b.start || a.end - b.end);
    const order = this.settings.severities;
    this.tokens.forEach((token, i) => {
      const severities = this.marks_.filter((mark) => mark.start <= i && i < mark.end).map((mark) => order.indexOf(mark.severity));
      token.dataset.severity = severities.length ? order[Math.max(...severities)] : "";
    });
    this.list.replaceChildren(...(this.marks_.length ? this.marks_.map((mark) => this.row(mark)) : [element("li", { class: "quiet" }, t("spans_none"))]));
    if (!quietly) this.changed();
  }

  row(mark) {
    const words = this.words(mark.start, mark.end);
    const choice = (label, values, name, field) => element("select", { "aria-label": label,
      onchange: (event) => { mark[field] = event.target.value; this.last = mark; this.update(); } },
    ...values.map((value) => element("option", { value, selected: value === mark[field] }, name(value))));
    return element("li", { "data-severity": mark.severity }, element("span", { class: "text", dir: "auto", lang: this.settings.language }, words),
      ...(this.settings.categories.length > 1
        ? [choice(t("spans_category_of", { words }), this.settings.categories, (value) => this.name(value), "category")] : [element("span")]),
      choice(t("spans_severity_of", { words }), this.settings.severities, (value) => t(`severity_${value}`), "severity"),
      element("button", { type: "button", "aria-label": t("spans_remove", { words }), onclick: () => this.remove(mark) }, "×"));
  }

  get answer() {
    return { spans: [this.marks_.map(({ start, end, category, severity }) => ({ start, end, category, severity }))] };
  }

  set answer({ spans }) {
    this.marks_ = (spans?.[0] ?? []).map((mark) => ({ ...mark }));
    this.update(true);
  }

  marks() {
    if (!this.list.children.length) this.update(true);
  }

  focus() {
    this.select(0);
  }

  key(event) {
    if (event.target instanceof HTMLSelectElement) return false;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const order = this.settings.severities;
    if (step) this.select(event.shiftKey ? this.anchor : this.cursor + step, this.cursor + step);
    else if (event.key === "Home" || event.key === "End") {
      const end = event.key === "Home" ? 0 : this.tokens.length - 1;
      this.select(event.shiftKey ? this.anchor : end, end);
    } else if (/^[0-9]$/.test(event.key)) {
      const category = this.settings.categories[(Number(event.key) + 9) % 10];
      if (category) this.add(category);
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && this.last) {
      const place = order.indexOf(this.last.severity) + (event.key === "ArrowUp" ? 1 : -1);
      this.last.severity = order[Math.max(0, Math.min(order.length - 1, place))];
      this.update();
      this.announce();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      const mark = this.marks_.filter((one) => one.start <= this.cursor && this.cursor < one.end).pop();
      if (mark) this.remove(mark);
    } else return false;
    return true;
  }

  static keys = [["← →", t("key_tokens")], ["Shift ← →", t("key_select")], ["1 … 9, 0", t("key_category")], ["↑ ↓", t("key_severity")], ["Delete", t("key_remove")]];
}

// Error spans with a score: marks may be there at the beginning, as suggestions.
export class ErrorSpans extends Spans {
  draw() {
    const { scale } = this.settings;
    const blocks = super.draw();
    this.marks_ = (this.screen.edits?.[0] ?? []).map(([start, end]) => ({ start, end, category: "error", severity: this.settings.severities[0] }));
    this.score = null;
    this.slider = element("input", { type: "range", min: 0, max: scale, step: 1, value: Math.round(scale / 2), class: "unset", "aria-label": t("esa_score", { scale }),
      "aria-valuetext": t("no_score_yet"), oninput: () => this.rate(Number(this.slider.value)), onpointerup: () => this.rate(Number(this.slider.value)) });
    this.shown = element("output", {}, "–");
    const score = element("section", { class: "panel" }, element("h2", { class: "label" }, t("esa_score", { scale })),
      element("div", { class: "slider" }, element("span", { class: "quiet" }, "0"), this.slider, element("span", { class: "quiet" }, String(scale)), this.shown));
    return [...blocks.slice(0, 3), score, ...blocks.slice(3)];
  }

  rate(score, quietly = false) {
    this.score = Math.max(0, Math.min(this.settings.scale, score));
    this.slider.value = this.score;
    this.slider.classList.remove("unset");
    this.slider.setAttribute("aria-valuetext", String(this.score));
    this.shown.textContent = String(this.score);
    if (!quietly) this.changed();
  }

  get missing() {
    if (this.score !== null) return null;
    this.slider.focus();
    return t("esa_missing");
  }

  get answer() {
    return { ...super.answer, scores: [this.score] };
  }

  set answer({ spans, scores }) {
    super.answer = { spans };
    if (scores && scores[0] !== null) this.rate(scores[0], true);
  }

  key(event) {
    if (event.target !== this.slider) {
      if (event.key !== "g") return super.key(event);
      this.slider.focus();
      return true;
    }
    if (!/^[0-9]$/.test(event.key)) return false; // arrows, Home and End are the slider's own
    const quick = this.typed && performance.now() - this.typed.when < 1000;
    const both = Number((quick ? this.typed.digits : "") + event.key);
    this.typed = { digits: String(both <= this.settings.scale ? both : event.key), when: performance.now() };
    this.rate(Number(this.typed.digits));
    this.page.say(t("esa_say", { score: this.score }));
    return true;
  }

  static keys = [...Spans.keys, ["G", t("key_esa_score")]];
}
