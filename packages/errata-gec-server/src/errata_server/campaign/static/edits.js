// A label for each change of a text: useful or not.
import { t } from "./messages.js";
import { Task, element } from "./tasks.js";

export class Edits extends Task {
  draw() {
    const edits = this.screen.edits[0], tokens = this.screen.tokens[0];
    this.labels = Array(edits.length).fill(null);
    const words = (start, end) => tokens.slice(start, end).map(([word, blank], i) => (blank && i ? " " : "") + word).join("");
    const line = this.text("", "text edits", "div");
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", t("edits_text"));
    let place = 0;
    this.names = [];
    this.cards = edits.map(([start, end, text], n) => {
      line.append(words(place, start), " ");
      place = end;
      this.names.push(t("edits_n", { n: n + 1, edit: `${words(start, end) || t("edits_nothing")} → ${text || t("edits_nothing")}` }));
      const edit = element("button", { type: "button", class: "edit", tabindex: -1, onclick: () => this.select(n), onfocus: () => this.select(n, { quietly: true }) },
        ...(start < end ? [element("del", {}, words(start, end))] : []), ...(text ? [element("ins", {}, text)] : []), element("sup", { "aria-hidden": "true" }, "?"));
      line.append(edit, " ");
      return edit;
    });
    line.append(words(place));
    this.buttons = ["edits_useful", "edits_useless"].map((name, i) => element("button", { type: "button", class: "choice",
      onclick: () => this.label(this.current, i === 0) }, t(name), " ", element("kbd", {}, String(i + 1))));
    const text = element("section", { class: "panel" }, element("h2", { class: "label" }, t("edits_text")), line);
    return [this.sourceBlock(), text, element("div", { class: "choices two", role: "group", "aria-label": t("question_edits") }, ...this.buttons)];
  }

  marks() {
    this.labels.forEach((label, n) => this.mark(n, label));
  }

  mark(n, label) {
    this.labels[n] = label;
    const name = label === null ? "none" : label ? "useful" : "useless";
    this.cards[n].dataset.label = name;
    this.cards[n].setAttribute("aria-label", `${this.names[n]}, ${t(label === null ? "edits_label_none" : `edits_${name}`)}`);
    this.cards[n].lastChild.textContent = { none: "?", useful: "✓", useless: "✗" }[name];
  }

  label(n, good) {
    this.mark(n, good);
    this.changed();
    const later = this.labels.findIndex((label, k) => label === null && k > n);
    const next = later >= 0 ? later : this.labels.indexOf(null);
    if (next >= 0) this.select(next);
    else this.select(n);
    this.page.say(t("edits_say", { n: n + 1, label: t(good ? "edits_useful" : "edits_useless") }));
  }

  get answer() {
    return { labels: [this.labels] };
  }

  set answer({ labels }) {
    labels?.[0].forEach((label, n) => this.mark(n, label));
  }

  get missing() {
    const n = this.labels.indexOf(null);
    if (n < 0) return null;
    this.select(n);
    return t("edits_missing", { n: n + 1 });
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) this.select(this.current + step);
    else if (event.key === "1" || event.key === "2") this.label(this.current, event.key === "1");
    else return false;
    return true;
  }

  static keys = [["1", t("edits_useful")], ["2", t("edits_useless")], ["← →", t("key_edits_move")]];
}
