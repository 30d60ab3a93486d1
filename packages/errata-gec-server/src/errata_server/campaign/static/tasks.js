// Rankings, pairs, scores and corrections: each draws itself, listens to keys, and knows its answer.
import { show } from "./diff.js";
import { t } from "./messages.js";

export function element(tag, values = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export const letter = (i) => String.fromCharCode(65 + i);

export class Task {
  constructor(screen, settings, page) {
    Object.assign(this, { screen, settings, page });
    this.texts = [];
    this.current = 0;
  }

  text(value, name = "text", tag = "p") {
    return element(tag, { class: name, dir: "auto", lang: this.settings.language }, value);
  }

  sourceBlock(title = t("source")) {
    const block = element("section", { class: "panel source-block", "aria-label": title });
    block.append(element("h2", { class: "label" }, title), this.text(this.screen.source, "source text"));
    if (this.screen.reference) {
      block.append(element("h2", { class: "label" }, t("reference")), this.text(this.screen.reference, "text reference"));
    }
    return block;
  }

  cardText(value) {
    const place = this.text("");
    this.texts.push([place, value]);
    return place;
  }

  marks(marked) {
    for (const [place, value] of this.texts) show(place, this.screen.source, value, marked);
  }

  changed() {
    this.page.changed();
  }

  get missing() { // what to say where an answer is not complete
    return null;
  }

  restore(answer) {
    if (answer) this.answer = answer;
  }

  focus() {
    this.select(0);
  }

  select(place, { quietly = false } = {}) {
    const cards = this.cards ?? [];
    if (!cards.length) return;
    this.current = Math.max(0, Math.min(cards.length - 1, place));
    cards.forEach((card, i) => {
      card.classList.toggle("current", i === this.current);
      card.tabIndex = i === this.current ? 0 : -1;
    });
    if (!quietly) {
      (cards[this.current].querySelector("input[type=range]") ?? cards[this.current]).focus({ preventScroll: true });
      cards[this.current].scrollIntoView({ block: "nearest" });
    }
  }
}

export class Ranking extends Task {
  draw() {
    const n = this.screen.cards.length;
    this.ranks = Array(n).fill(null);
    this.cards = this.screen.cards.map((text, i) => {
      const buttons = Array.from({ length: n }, (_, r) =>
        element("button", { type: "button", class: "rank", "aria-pressed": "false", "aria-label": t("rank_n", { n: r + 1 }), tabindex: -1,
          onclick: () => { this.select(i, { quietly: true }); this.rank(i, r + 1, false); } }, String(r + 1)));
      return element("article", { class: "card", tabindex: -1, "aria-label": t("text_letter", { letter: letter(i) }),
        onfocus: () => this.select(i, { quietly: true }) },
      element("span", { class: "letter", "aria-hidden": "true" }, letter(i)),
      this.cardText(text),
      element("div", { class: "ranks", role: "group", "aria-label": t("rank_group", { letter: letter(i) }) }, ...buttons));
    });
    const scale = element("p", { class: "quiet scale" }, t("rank_scale", { n }));
    return [this.sourceBlock(), scale, element("div", { class: "cards" }, ...this.cards)];
  }

  get answer() {
    return { ranks: this.ranks };
  }

  set answer({ ranks }) {
    ranks?.forEach((rank, i) => { if (rank !== null) this.mark(i, rank); });
  }

  get missing() {
    const place = this.ranks.indexOf(null);
    if (place < 0) return null;
    this.select(place);
    return t("rank_missing", { letter: letter(place) });
  }

  mark(i, rank) {
    this.ranks[i] = rank;
    this.cards[i].classList.add("answered");
    this.cards[i].querySelectorAll("button.rank").forEach((button, r) => {
      button.setAttribute("aria-pressed", String(r + 1 === rank));
    });
  }

  rank(i, rank, advance = true) {
    if (rank < 1 || rank > this.ranks.length) return;
    this.mark(i, rank);
    this.changed();
    const later = this.ranks.findIndex((value, k) => value === null && k > i);
    const next = later >= 0 ? later : this.ranks.indexOf(null);
    if (advance && next >= 0) this.select(next);
    this.page.say(t("rank_say", { letter: letter(i), n: rank }) + (next < 0 ? ` ${t("all_ranked")}` : ""));
  }

  key(event) {
    if (/^[1-9]$/.test(event.key)) this.rank(this.current, Number(event.key));
    else if (event.key === "ArrowDown" || event.key === "ArrowRight") this.select(this.current + 1);
    else if (event.key === "ArrowUp" || event.key === "ArrowLeft") this.select(this.current - 1);
    else if (event.key === "Home") this.select(0);
    else if (event.key === "End") this.select(this.cards.length - 1);
    else return false;
    return true;
  }

  static keys = [["1 … 9", t("key_rank")], ["↑ ↓", t("key_move")]];
}

export class Pairwise extends Task {
  draw() {
    this.choice = null;
    this.cards = this.screen.cards.map((text, i) =>
      element("article", { class: "card", "aria-label": t("text_letter", { letter: letter(i) }) },
        element("span", { class: "letter", "aria-hidden": "true" }, letter(i)), this.cardText(text)));
    const names = [t("a_better"), t("equal"), t("b_better")];
    this.buttons = names.map((name, i) => element("button", { type: "button", class: "choice", "aria-pressed": "false",
      onclick: () => this.choose(i) }, name, " ", element("kbd", {}, ["1", "0", "2"][i])));
    return [this.sourceBlock(), element("div", { class: "cards pair" }, ...this.cards),
      element("div", { class: "choices", role: "group", tabindex: -1, "aria-label": t("question_pairwise") }, ...this.buttons)];
  }

  get answer() {
    return { ranks: [[1, 2], [1, 1], [2, 1]][this.choice] ?? null };
  }

  set answer({ ranks }) {
    if (ranks) this.choose(1 + Math.sign(ranks[0] - ranks[1]), true);
  }

  get missing() {
    return this.choice === null ? t("choose_first") : null;
  }

  focus() {
    this.buttons[0].parentElement.focus({ preventScroll: true });
  }

  choose(i, quietly = false) {
    this.choice = i;
    this.buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
    this.cards.forEach((card, k) => card.classList.toggle("current", i === 1 || k === (i === 0 ? 0 : 1)));
    if (!quietly) {
      this.changed();
      this.page.say(t("chosen_say", { choice: this.buttons[i].firstChild.textContent }));
    }
  }

  key(event) {
    const place = { 1: 0, ArrowLeft: 0, a: 0, 0: 1, "=": 1, ArrowDown: 1, 2: 2, ArrowRight: 2, b: 2 }[event.key];
    if (place === undefined) return false;
    this.choose(place);
    return true;
  }

  static keys = [["1, ←", t("a_better")], ["2, →", t("b_better")], ["0, ↓", t("equal")]];
}

export class Scalars extends Task {
  draw() {
    const { scale } = this.settings;
    this.scores = Array(this.screen.cards.length).fill(null);
    this.cards = this.screen.cards.map((text, i) => {
      const slider = element("input", { type: "range", min: 0, max: scale, step: 1, value: Math.round(scale / 2), class: "unset",
        "aria-label": t("score_label", { letter: letter(i), scale }), "aria-valuetext": t("no_score_yet"),
        oninput: () => this.score(i, Number(slider.value)), onpointerup: () => this.score(i, Number(slider.value)),
        onfocus: () => this.select(i, { quietly: true }) });
      return element("article", { class: "card scalar", tabindex: -1, "aria-label": t("text_letter", { letter: letter(i) }) },
        element("span", { class: "letter", "aria-hidden": "true" }, letter(i)), this.cardText(text),
        element("div", { class: "slider" }, element("span", { class: "quiet" }, "0"), slider,
          element("span", { class: "quiet" }, String(scale)), element("output", {}, "–")));
    });
    const blocks = [this.context(), element("div", { class: "cards" }, ...this.cards)];
    return [element("p", { class: "quiet scale" }, t("score_question", { scale })), element("div", { class: "beside" }, ...blocks)];
  }

  context() {
    const { before, after } = this.screen.context ?? { before: [], after: [] };
    if (!before.length && !after.length) return this.sourceBlock();
    const block = element("section", { class: "panel source-block context", "aria-label": t("document"), tabindex: 0 });
    const current = this.text(this.screen.source, "source text", "mark");
    const lines = [...before.map((line) => this.text(line, "text", "span")), current, ...after.map((line) => this.text(line, "text", "span"))];
    const body = element("p", { dir: "auto" });
    for (const line of lines) body.append(line, " ");
    block.append(element("h2", { class: "label" }, t("document_title")), body);
    if (this.screen.reference) block.append(element("h2", { class: "label" }, t("reference")), this.text(this.screen.reference));
    requestAnimationFrame(() => { block.scrollTop = current.offsetTop - block.clientHeight / 2; });
    return block;
  }

  get answer() {
    return { scores: this.scores };
  }

  set answer({ scores }) {
    scores?.forEach((score, i) => { if (score !== null) this.mark(i, score); });
  }

  get missing() {
    const place = this.scores.indexOf(null);
    if (place < 0) return null;
    this.select(place);
    return t("score_missing", { letter: letter(place) });
  }

  mark(i, score) {
    this.scores[i] = score;
    const slider = this.cards[i].querySelector("input");
    slider.value = score;
    slider.classList.remove("unset");
    slider.setAttribute("aria-valuetext", String(score));
    this.cards[i].classList.add("answered");
    this.cards[i].querySelector("output").textContent = String(score);
  }

  score(i, score) {
    this.mark(i, Math.max(0, Math.min(this.settings.scale, score)));
    this.changed();
  }

  key(event) {
    const i = this.current, now = this.scores[i];
    if (/^[0-9]$/.test(event.key)) {
      const quick = this.typed && performance.now() - this.typed.when < 700 && this.typed.place === i;
      const both = quick ? Number(this.typed.digits + event.key) : NaN;
      const digits = both <= this.settings.scale ? String(both) : event.key;
      this.typed = { digits, place: i, when: performance.now() };
      if (Number(digits) <= this.settings.scale) this.score(i, Number(digits));
      this.page.say(t("score_say", { letter: letter(i), score: digits }));
    } else if (event.key === "ArrowDown") this.select(i + 1);
    else if (event.key === "ArrowUp") this.select(i - 1);
    else if (event.key === "ArrowRight") this.score(i, now === null ? Math.ceil(this.settings.scale / 2) : now + 1);
    else if (event.key === "ArrowLeft") this.score(i, now === null ? Math.floor(this.settings.scale / 2) : now - 1);
    else if (event.key === "Home") this.score(i, 0);
    else if (event.key === "End") this.score(i, this.settings.scale);
    else return false;
    return true;
  }

  static keys = [["0 … 9", t("key_score")], ["↑ ↓", t("key_move")],
    ["← →", t("key_lower")], ["Home End", t("key_ends")]];
}

export class Correction extends Task {
  draw() {
    const second = this.screen.proposal !== undefined;
    const whole = this.settings.unit === "document";
    const aim = t(this.settings.style === "minimal" ? "aim_minimal" : "aim_fluency");
    this.start = second ? this.screen.proposal : this.screen.source;
    this.box = element("textarea", { id: "correction", dir: "auto", lang: this.settings.language, rows: whole ? 12 : 3,
      spellcheck: "false", maxlength: 100000, "aria-describedby": "aim", oninput: () => { this.compare(); this.changed(); } });
    this.box.value = this.start;
    this.preview = this.text("", "text preview");
    const reset = element("button", { type: "button", onclick: () => { this.box.value = this.start; this.compare(); this.changed(); this.box.focus(); } },
      t(second ? "to_proposal" : "to_source"));
    const title = t(second ? "proposal_title" : "correction_title");
    return [this.sourceBlock(), element("section", { class: "panel" },
      element("label", { for: "correction", class: "label" }, title), this.box,
      element("div", { class: "actions" }, element("span", { class: "quiet", id: "aim" }, aim), element("span", { class: "grow" }), reset)),
    element("section", { class: "panel", "aria-label": t("changes") }, element("h2", { class: "label" }, t("changes")), this.preview)];
  }

  marks(marked) {
    this.marked = marked;
    this.compare();
  }

  compare() {
    const text = this.box.value;
    if (text.trim() === this.screen.source.trim()) {
      this.preview.textContent = t("no_changes");
      this.preview.classList.add("quiet");
    } else {
      this.preview.classList.remove("quiet");
      show(this.preview, this.screen.source, text, this.marked);
    }
  }

  get answer() {
    return { text: this.box.value };
  }

  set answer({ text }) {
    if (typeof text === "string") this.box.value = text;
    this.compare();
  }

  focus() {
    this.box.focus({ preventScroll: true });
  }

  // In the text box a plain Enter submits a sentence; in a document it is a line break.
  submits(event) {
    return event.key === "Enter" && !event.shiftKey && !event.isComposing && (this.settings.unit === "sentence" || event.ctrlKey || event.metaKey);
  }

  key(event) {
    if (event.key !== "e") return false;
    this.box.focus();
    return true;
  }

  static keys = [["Enter", t("key_submit_text")], ["Esc", t("key_escape")], ["E", t("key_edit")]];
}

export class Acceptance extends Task {
  draw() {
    this.choice = null;
    this.buttons = [t("accept"), t("reject")].map((name, i) => element("button", { type: "button", class: "choice", "aria-pressed": "false",
      onclick: () => this.choose(i) }, name, " ", element("kbd", {}, String(i + 1))));
    return [element("section", { class: "panel source-block", "aria-label": t("text_to_judge") }, this.text(this.screen.cards[0], "source text")),
      element("div", { class: "choices", role: "group", tabindex: -1, "aria-label": t("question_acceptance") }, ...this.buttons)];
  }

  get answer() {
    return { accepted: [[true], [false]][this.choice] ?? null };
  }

  set answer({ accepted }) {
    if (accepted) this.choose(accepted[0] ? 0 : 1, true);
  }

  get missing() {
    return this.choice === null ? t("accept_missing") : null;
  }

  focus() {
    this.buttons[0].parentElement.focus({ preventScroll: true });
  }

  choose(i, quietly = false) {
    this.choice = i;
    this.buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
    if (!quietly) {
      this.changed();
      this.page.say(t("chosen_say", { choice: this.buttons[i].firstChild.textContent }));
    }
  }

  key(event) {
    const place = { 1: 0, ArrowLeft: 0, 2: 1, ArrowRight: 1 }[event.key];
    if (place === undefined) return false;
    this.choose(place);
    return true;
  }

  static keys = [["1, ←", t("accept")], ["2, →", t("reject")]];
}

export const TASKS = { ranking: Ranking, pairwise: Pairwise, scalars: Scalars, correction: Correction, acceptance: Acceptance };
