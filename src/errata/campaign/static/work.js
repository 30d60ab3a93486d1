// The annotator's page: shows screens, keeps answers, and can be worked without a mouse.
import { Clock } from "./clock.js";
import { Outbox, deliver } from "./outbox.js";
import { TASKS, element } from "./tasks.js";

const settings = JSON.parse(document.body.dataset.settings);
const $ = (id) => document.getElementById(id);
const stage = $("stage"), footer = document.querySelector("footer"), comment = $("comment");
const clock = new Clock();
const draftName = `${settings.store}-draft`;
let screen = null, task = null, furthest = 0, timer = 0;
let marked = localStorage.getItem("errata-marks") !== "off";

const REASONS = { unclear: "I cannot tell what is meant", broken: "The text is broken or not a sentence",
  offensive: "It is offensive or personal", other: "Another reason (please comment)" };
const FAREWELLS = {
  done: ["All done", "Thank you! There is nothing left to do for you. You may close this page."],
  paused: ["A short break", "The campaign is paused. Your work is saved; come back later."],
  closed: ["Closed", "The campaign is closed. Thank you for your work!"],
  disqualified: ["Thank you", "Thank you for trying the sample items. They did not come out as expected, so there are no further items for you. Ask whoever runs the campaign if you think this is wrong."],
};

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
  const texts = { saved: "Saved", saving: "Saving …", waiting: `Offline: ${count} waiting, kept on this device`, paused: `Paused: ${count} waiting, kept on this device`, "signed-out": "Signed out", refused: "Not accepted" };
  $("saved").textContent = texts[state];
  $("saved").className = state;
  if (state === "refused") $("problem").textContent = `The server did not accept an answer: ${error}.`;
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

function show(next) {
  screen = next;
  clearTimeout(timer);
  $("problem").textContent = "";
  furthest = Math.max(furthest, next.last ?? 0);
  $("bar").max = Math.max(1, next.total);
  $("bar").value = next.done;
  $("count").textContent = next.total > next.done || next.exact ? `${next.done} of ${next.exact ? "" : "about "}${next.total}` : `${next.done} done`;
  if (next.state !== "work") {
    const [title, text] = FAREWELLS[next.state];
    footer.hidden = false;
    footer.classList.add("resting");
    $("back").disabled = next.state !== "done" || furthest < 1;
    stage.replaceChildren(element("section", { class: "panel farewell" }, element("h2", {}, title), element("p", {}, text)));
    stage.focus();
    task = null;
    return;
  }
  footer.classList.remove("resting");
  task = new TASKS[settings.task](next, settings, page);
  const parts = task.draw();
  if (next.phase === "qualification") {
    parts.unshift(element("p", { class: "notice" }, `Sample item ${next.position}: these show whether the task is clear.`));
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
  $("submit").firstChild.textContent = next.revision ? "Change " : "Submit ";
  page.say(`Item ${next.position}. ${next.cards.length ? `${next.cards.length} texts.` : ""}`);
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
      if (response.ok) return show(await response.json());
      if (response.status === 404 && position !== undefined) return load();
      if (response.status < 500 && response.status !== 429) throw new Error((await response.json()).error);
    } catch (error) {
      if (!(error instanceof TypeError) && error.name !== "TimeoutError") {
        $("problem").textContent = String(error.message);
        return undefined;
      }
    }
    $("saved").textContent = "No connection, trying again …";
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
  page.say(on ? "Changes are marked." : "Changes are not marked.");
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
const KEY_LIST = [...TASKS[settings.task].keys, ["Enter", "submit"], ["Page up, Page down", "back, forward; an answer can be changed"],
  ["S", "skip"], ["C", "comment"], ["D", "mark changes against the source, or not"], ["I", "instructions"], ["?", "these keys"]];

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) {
    if (/^[1-9]$/.test(event.key) && $("skipping").open) $("reasons").children[Number(event.key) - 1]?.click();
    return;
  }
  const typing = event.target instanceof HTMLTextAreaElement;
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
  const onButton = event.target instanceof HTMLButtonElement && !event.target.matches(".rank, .choice, #submit");
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
  onclick: () => { $("skipping").close(); submit(reason); } }, element("kbd", {}, String(i + 1)), " ", REASONS[reason] ?? reason)));
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => task?.focus());
}
$("show-diff").setAttribute("aria-pressed", String(marked));

if (!localStorage.getItem(`${settings.store}-welcomed`)) {
  localStorage.setItem(`${settings.store}-welcomed`, "yes");
  $("instructions").showModal();
}
await outbox.flush();
await load();
