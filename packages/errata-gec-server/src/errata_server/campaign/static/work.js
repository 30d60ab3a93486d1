// The annotator's page: shows screens, keeps answers, and can be worked without a mouse.
import { Clock } from "./clock.js";
import { Outbox, deliver } from "./outbox.js";
import { t, tError } from "./messages.js";
import { Edits } from "./edits.js";
import { ErrorSpans, Spans } from "./spans.js";
import { TASKS as OTHERS, element } from "./tasks.js";

const TASKS = { ...OTHERS, spans: Spans, esa: ErrorSpans, edits: Edits };

const settings = JSON.parse(document.body.dataset.settings);
const $ = (id) => document.getElementById(id);
const stage = $("stage"), footer = document.querySelector("footer"), comment = $("comment");
const clock = new Clock();
const draftName = `${settings.store}-draft`;
let screen = null, task = null, furthest = 0, timer = 0;
let marked = localStorage.getItem("errata-marks") !== "off";

const page = {
  say(text) {
    $("say").textContent = text;
  },
  changed() {
    $("problem").textContent = "";
    keepDraft();
  },
};

const outbox = new Outbox(settings.store, (state, count, error) => {
  const texts = { saved: "saved", saving: "saving", waiting: "offline", paused: "paused_waiting", "signed-out": "signed_out", refused: "not_accepted" };
  $("saved").textContent = t(texts[state], { n: count });
  $("saved").className = state;
  if (state === "refused") $("problem").textContent = t("refused", { error: tError(error) });
});

function keepDraft() {
  if (!screen?.assignment) return;
  const post = { assignment: screen.assignment, draft: { answer: task.answer, comment: comment.value } };
  localStorage.setItem(draftName, JSON.stringify(post));
  clearTimeout(timer);
  timer = setTimeout(() => deliver("/api/draft", post), 1200);
}

function takeDraft() {
  try {
    const kept = JSON.parse(localStorage.getItem(draftName));
    return kept?.assignment === screen.assignment ? kept.draft : screen.draft;
  } catch {
    return screen.draft;
  }
}

// What stands in place of a screen, with the code of those who came from another platform.
function farewell(next) {
  const parts = [element("h2", {}, t(`${next.state}_title`)), element("p", {}, t(`${next.state}_text`))];
  if (next.code) {
    parts.push(element("h3", {}, t("code_title")), element("p", {}, t("code_text")),
      element("p", {}, element("output", { id: "code", class: "code" }, next.code)));
  }
  if (next.code === "") parts.push(element("p", { class: "notice" }, t("no_code")));
  return element("section", { class: "panel farewell" }, ...parts);
}

function show(next) {
  screen = next;
  clearTimeout(timer);
  $("problem").textContent = "";
  furthest = Math.max(furthest, next.last ?? 0);
  $("bar").max = Math.max(1, next.total);
  $("bar").value = next.done;
  const counted = next.exact ? "count" : next.total > next.done ? "count_about" : "count_done";
  $("count").textContent = t(counted, { done: next.done, total: next.total });
  if (next.state !== "work") {
    footer.hidden = false;
    footer.classList.add("resting");
    $("back").disabled = next.state !== "done" || furthest < 1;
    stage.replaceChildren(farewell(next));
    stage.focus();
    task = null;
    return;
  }
  footer.classList.remove("resting");
  task = new TASKS[settings.task](next, settings, page);
  const question = element("h2", { class: "question" }, t(`question_${settings.task}`));
  const parts = [question, ...task.draw()];
  if (next.phase === "qualification") {
    parts.unshift(element("p", { class: "notice" }, t("sample_item", { n: next.position })));
  }
  stage.replaceChildren(...parts);
  // Cards run as their text does: the letter stands where a line begins.
  const source = stage.querySelector(".source");
  stage.querySelector(".cards")?.setAttribute("dir", getComputedStyle(source).direction);
  task.marks(marked);
  const draft = takeDraft();
  task.restore(next.answer);
  if (draft) task.restore(draft.answer);
  comment.value = draft?.comment ?? next.comment;
  openComment(Boolean(comment.value));
  footer.hidden = false;
  $("back").disabled = next.position <= 1;
  $("forward").hidden = next.position >= furthest;
  $("submit").firstChild.textContent = `${t(next.revision ? "change" : "submit")} `;
  page.say(`${t("item_say", { n: next.position })} ${next.cards.length > 1 ? t("texts_say", { n: next.cards.length }) : ""}`);
  clock.reset();
  scrollTo(0, 0);
  task.focus();
}

async function load(position) {
  const query = position === undefined ? "" : `?position=${position}`;
  for (let pause = 500; ; pause = Math.min(2 * pause, 15_000)) {
    try {
      const response = await fetch(`/api/screen${query}`, { signal: AbortSignal.timeout(15_000) });
      if (response.status === 401) return location.assign("/enter");
      if (response.status === 403) return location.assign("/consent");
      if (response.ok) return show(await response.json());
      if (response.status === 404 && position !== undefined) return load();
      if (response.status < 500 && response.status !== 429) throw new Error(tError((await response.json()).error));
    } catch (error) {
      if (!(error instanceof TypeError) && error.name !== "TimeoutError") {
        $("problem").textContent = String(error.message);
        return undefined;
      }
    }
    $("saved").textContent = t("no_connection");
    $("saved").className = "waiting";
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

async function submit(skipped = null) {
  if (!task) return;
  const problem = skipped ? null : task.missing;
  if (problem) {
    $("problem").textContent = problem;
    return;
  }
  const past = screen.position < furthest;
  const position = screen.position;
  outbox.add({ key: newKey(), assignment: screen.assignment, version: screen.version, revision: screen.revision + 1,
    answer: skipped ? null : task.answer, skipped, comment: comment.value, seconds: Math.min(clock.seconds, 86_400) });
  localStorage.removeItem(draftName);
  clearTimeout(timer);
  task = null; // a second Enter must not send it twice
  stage.classList.add("leaving");
  const answer = await outbox.flush();
  stage.classList.remove("leaving");
  if (past) await load(position + 1);
  else if (answer) show(answer.next);
  else await load();
}

// crypto.randomUUID exists on HTTPS and localhost only.
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function openComment(open) {
  $("comment-box").hidden = !open;
  $("add-comment").setAttribute("aria-expanded", String(open));
}

function setMarks(on) {
  marked = on;
  localStorage.setItem("errata-marks", on ? "on" : "off");
  $("show-diff").setAttribute("aria-pressed", String(on));
  task?.marks(on);
  page.say(t(on ? "marks_on" : "marks_off"));
}

const actions = {
  back: () => screen && !$("back").disabled && load(screen.state === "work" ? screen.position - 1 : furthest),
  forward: () => screen?.position < furthest && load(screen.position + 1),
  comment: () => {
    const open = $("comment-box").hidden;
    openComment(open);
    if (open) comment.focus();
  },
  skip: () => task && $("skipping").showModal(),
  marks: () => setMarks(!marked),
  instructions: () => $("instructions").showModal(),
  keys: () => $("keys").showModal(),
  submit: () => submit(),
};

const KEYS = { Enter: "submit", PageUp: "back", PageDown: "forward", c: "comment", s: "skip", d: "marks", i: "instructions", "?": "keys" };
const unmarked = ["spans", "esa", "edits", "acceptance"].includes(settings.task); // no changes are marked there
const KEY_LIST = [...TASKS[settings.task].keys, ["Enter", t("key_submit")], ["Page Up, Page Down", t("key_pages")],
  ["S", t("key_skip")], ["C", t("key_comment")], ...(unmarked ? [] : [["D", t("key_marks")]]), ["I", t("key_instructions")], ["?", t("key_keys")]];

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) {
    if (/^[1-9]$/.test(event.key) && $("skipping").open) $("reasons").children[Number(event.key) - 1]?.click();
    return;
  }
  const typing = event.target instanceof HTMLTextAreaElement;
  if (event.target instanceof HTMLSelectElement) return;
  if (typing) {
    if (event.key === "Escape") {
      event.target.blur();
      stage.focus();
    } else if (event.target === task?.box ? task.submits(event) : event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    }
    return;
  }
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const onButton = event.target instanceof HTMLButtonElement && !event.target.matches(".rank, .choice, .edit, #submit");
  if (onButton && (event.key === "Enter" || event.key === " ")) return; // the button's own
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (task?.key(event)) event.preventDefault();
  else if (action) {
    event.preventDefault();
    actions[action]();
  }
});

for (const [id, action] of Object.entries({ back: "back", forward: "forward", "add-comment": "comment", skip: "skip",
  submit: "submit", "show-diff": "marks", "show-instructions": "instructions", "show-keys": "keys" })) {
  $(id).addEventListener("click", actions[action]);
}
comment.addEventListener("input", () => page.changed());
$("key-list").append(...KEY_LIST.map(([key, text]) => element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, text))));
$("reasons").append(...settings.reasons.map((reason, i) => element("button", { type: "button",
  onclick: () => { $("skipping").close(); submit(reason); } }, element("kbd", {}, String(i + 1)), " ", t(`reason_${reason}`))));
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => task?.focus());
}
$("show-diff").setAttribute("aria-pressed", String(marked));
$("show-diff").hidden = unmarked;

if (!localStorage.getItem(`${settings.store}-welcomed`)) {
  localStorage.setItem(`${settings.store}-welcomed`, "yes");
  actions.instructions();
}
const wide = matchMedia("(min-width: 40.01rem)");
const unfold = () => { $("tools").open = wide.matches; };
wide.addEventListener("change", unfold);
unfold();
$("tools").addEventListener("click", (event) => { if (!wide.matches && event.target.closest("button")) $("tools").open = false; });
await outbox.flush();
await load();
