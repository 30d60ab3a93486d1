// The sentence explorer: an index of all sentences in memory, the sentences themselves in chunks.

const ROW = 58;

function unpack(packed, systems, count) {
  const buffer = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer;
  const values = new Float64Array(buffer(packed.values));
  const codes = packed.wide ? new Uint32Array(buffer(packed.codes)) : new Uint16Array(buffer(packed.codes));
  return (system, i) => {
    const code = codes[system * count + i];
    return code < values.length ? values[code] : null;
  };
}

// Where the sentences come from: blocks of this page, or the local server.
function sentenceStore(index) {
  const chunks = new Map();
  const served = !byId("data-chunk-0");
  function load(number) {
    if (!chunks.has(number)) {
      const got = served ? fetch(`chunk/${number}.json`).then((answer) => answer.json()) : readData("chunk-" + number);
      chunks.set(number, got);
      if (served) got.then((records) => chunks.set(number, records), () => chunks.delete(number));
    }
    return chunks.get(number);
  }
  return {
    served,
    chunks: Math.ceil(index.count / index.chunk),
    load,
    now(i) { // the sentence, or null while it is on its way
      const records = load(Math.floor(i / index.chunk));
      return records instanceof Promise ? null : records[i % index.chunk];
    },
    async get(i) { return (await load(Math.floor(i / index.chunk)))[i % index.chunk]; },
  };
}

function tokensOf(source) { return source.split(/\s+/).filter(Boolean); }

const SIGN = { correct: "✓", wrong: "✗", missed: "○", gold: "", changed: "" };
const WORD = { correct: "right edit: ", wrong: "wrong edit: ", missed: "missed: ", gold: "edit: ", changed: "edit: " };

// An edit may span words that stay (M² merges across them): only those that change are struck out or bold.
function changes(before, after) {
  const a = tokensOf(before), b = tokensOf(after);
  const common = range(a.length + 1).map(() => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--)
    common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const steps = [];
  const add = (kind, word) => { const last = steps[steps.length - 1]; if (last && last.kind === kind) last.words.push(word); else steps.push({ kind, words: [word] }); };
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add("keep", a[i]); i++; j++; }
    else if (i < a.length && (j === b.length || common[i + 1][j] >= common[i][j + 1])) add("del", a[i++]);
    else add("ins", b[j++]);
  }
  return steps.flatMap(({ kind, words }, k) => [k > 0 && " ", kind === "keep" ? words.join(" ") : h(kind, {}, words.join(" "))]);
}

function editNode(kind, before, after, type) {
  return h("span", { class: "edit " + kind }, hidden(WORD[kind]), SIGN[kind] && h("span", { "aria-hidden": "true" }, SIGN[kind] + " "),
    changes(before, after), !after && hidden(" deleted"), type && h("sub", {}, type), hidden(". "));
}

// pieces: [{ start, end, kind, text, type }], sorted; they may overlap where a missed edit crosses one that was made
function markedSentence(tokens, pieces) {
  const line = h("p", { class: "sentence" });
  let at = 0;
  for (const piece of pieces) {
    if (piece.start > at) line.append(tokens.slice(at, piece.start).join(" ") + " ");
    const node = editNode(piece.kind, tokens.slice(piece.start, piece.end).join(" "), piece.text, piece.type);
    if (piece.crossed) node.classList.add("crossed");
    line.append(node, " ");
    at = Math.max(at, piece.crossed ? piece.start : piece.end); // words under a crossed edit are shown by the other
  }
  if (at < tokens.length) line.append(tokens.slice(at).join(" "));
  return line;
}

function piecesOf(sentence, output) {
  const gold = output.a === undefined ? null : sentence.g.find((one) => one.a === output.a);
  const found = new Set(output.e.flatMap((edit) => edit.slice(3)).filter((n) => n >= 0));
  const pieces = output.e.map((edit) => {
    const hit = edit[3] >= 0;
    const kind = edit[3] === -2 ? "changed" : hit ? "correct" : "wrong";
    return { start: edit[0], end: edit[1], text: edit[2], kind, type: hit && gold ? gold.e[edit[3]][3] : "" };
  });
  if (gold) {
    gold.e.forEach((edit, n) => {
      if (found.has(n) || !edit[2]) return;
      const crossed = pieces.some((p) => p.kind !== "missed" && p.start < edit[1] && edit[0] < p.end);
      pieces.push({ start: edit[0], end: edit[1], text: edit[4], kind: "missed", type: edit[3], crossed });
    });
  }
  return pieces.sort((a, b) => a.start - b.start || a.end - b.end || (a.kind === "missed") - (b.kind === "missed"));
}

function explorer() {
  const index = readData("index");
  if (!index) return;
  const grid = section("explorer", "Sentences");
  const n = index.count, store = sentenceStore(index);
  const scoreOf = index.scores.map((packed) => unpack(packed, SYSTEMS.length, n));
  const judged = new Map(Object.entries(index.judged).map(([line, items]) => [Number(line), items]));
  const EVERYTHING = { text: "", system: -1, type: -1, disagree: false, people: false, low: null, high: null, order: SYSTEMS.length > 1 ? "spread" : "corpus", first: -1, second: -1, won: "any" };
  const state = { metric: 0, labels: {}, ...EVERYTHING };
  let shown = range(n), selected = -1, asked = 0;

  // -- numbers of a sentence, kept for the metric at hand
  const cache = new Map();
  function summary(metric) {
    if (cache.has(metric)) return cache.get(metric);
    const mean = new Float64Array(n), spread = new Float64Array(n), deviation = new Float64Array(n), score = scoreOf[metric];
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < n; i++) {
      let sum = 0, squares = 0, count = 0, least = Infinity, most = -Infinity;
      for (let k = 0; k < SYSTEMS.length; k++) {
        const value = score(k, i);
        if (value === null) continue;
        sum += value; squares += value * value; count += 1; least = Math.min(least, value); most = Math.max(most, value);
      }
      mean[i] = count ? sum / count : NaN;
      spread[i] = count ? most - least : 0;
      deviation[i] = count ? Math.sqrt(Math.max(0, squares / count - mean[i] ** 2)) : 0;
      low = Math.min(low, least); high = Math.max(high, most);
    }
    const made = { mean, spread, deviation, low, high };
    cache.set(metric, made);
    return made;
  }
  const scoreFor = (i) => (state.system < 0 ? summary(state.metric).mean[i] : scoreOf[state.metric](state.system, i));

  // -- two systems against each other
  const isPair = () => state.first >= 0 && state.second >= 0 && state.first !== state.second;
  const lead = (i) => { // how much better the first one is on a sentence; nothing where a score is missing
    const a = scoreOf[state.metric](state.first, i), b = scoreOf[state.metric](state.second, i);
    return a === null || b === null ? null : (R.metrics[state.metric].higher ? 1 : -1) * (a - b);
  };
  const winner = (i) => { const by = lead(i); return by === null ? "none" : by > 1e-12 ? "first" : by < -1e-12 ? "second" : "tie"; };

  // humans and the metric disagree where more of people's decided pairs go against the metric than with it
  function against(i) {
    const sign = R.metrics[state.metric].higher ? 1 : -1, score = scoreOf[state.metric];
    let withIt = 0, againstIt = 0;
    for (const { ranks } of judged.get(i) || []) {
      for (let a = 0; a < ranks.length; a++) for (let b = a + 1; b < ranks.length; b++) {
        const human = Math.sign(ranks[b][1] - ranks[a][1]), metric = sign * Math.sign(score(ranks[a][0], i) - score(ranks[b][0], i));
        if (human * metric > 0) withIt += 1; else if (human * metric < 0) againstIt += 1;
      }
    }
    return againstIt > withIt;
  }

  const haystacks = new Map();
  function haystack(sentence, i) {
    if (!haystacks.has(i)) haystacks.set(i, [sentence.s, ...(sentence.t || []), ...sentence.g.flatMap((g) => g.e.map((e) => e.slice(4).join(" "))), ...sentence.o.flatMap((o) => o.e.map((e) => e[2]))].join("\n").toLowerCase());
    return haystacks.get(i);
  }

  // Counts who wins on these sentences, shows it, and keeps those that are asked for.
  function versus(found) {
    const pair = isPair(), names = pair ? [SYSTEMS[state.first], SYSTEMS[state.second]] : [], of = { first: [], second: [], tie: [], none: [] };
    versusBox.hidden = wonPick.hidden = !pair;
    if (!pair) return found;
    for (const i of found) of[winner(i)].push(i);
    const [first, second, tie] = [of.first.length, of.second.length, of.tie.length], bar = h("div", { class: "wins", "aria-hidden": "true" });
    for (const [name, count] of [["first", first], ["tie", tie], ["second", second]]) {
      const piece = h("span", { class: name });
      piece.style.flexGrow = count;
      bar.append(piece);
    }
    versusBox.replaceChildren(h("span", {}, `By ${METRICS[state.metric]}, sentence by sentence: ${names[0]} wins `, h("b", {}, whole(first)), `, ${names[1]} wins `, h("b", {}, whole(second)), ", equal ", h("b", {}, whole(tie)), "."), bar);
    return state.won === "any" ? found : of[state.won];
  }

  async function apply(linked = true) {
    const mine = ++asked, { spread, deviation, low, high } = summary(state.metric);
    const wanted = state.text.trim().toLowerCase();
    if (wanted) for (let c = 0; c < store.chunks; c++) { const got = store.load(c); if (got instanceof Promise) { say("Searching…"); await got; } }
    if (mine !== asked) return;
    const labels = Object.entries(state.labels).filter(([, value]) => value >= 0);
    let found = [];
    for (let i = 0; i < n; i++) {
      if (state.type >= 0 && !index.types.of[i].includes(state.type)) continue;
      if (labels.some(([name, value]) => index.labels[name].of[i] !== value)) continue;
      if (state.disagree && !(index.distinct[i] > 1 && spread[i] >= 0.5 * (high - low))) continue;
      if (state.people && !against(i)) continue;
      if (state.low !== null || state.high !== null) {
        const value = scoreFor(i);
        if (!known(value) || (state.low !== null && value < state.low - 5e-4) || (state.high !== null && value > state.high + 5e-4)) continue;
      }
      if (wanted && !haystack(store.now(i), i).includes(wanted)) continue;
      found.push(i);
    }
    found = versus(found);
    const by = { spread: (i) => -deviation[i].toFixed(9), lowest: (i) => scoreFor(i), highest: (i) => -scoreFor(i), distinct: (i) => -index.distinct[i],
      ...(isPair() && { first: (i) => -lead(i), second: (i) => lead(i) }) }[state.order];
    if (by) { const keys = new Map(found.map((i) => [i, by(i)])); found.sort((a, b) => (keys.get(a) || 0) - (keys.get(b) || 0) || (state.order === "spread" ? index.distinct[b] - index.distinct[a] : 0) || a - b); }
    shown = found;
    rows.style.height = shown.length * ROW + "px";
    counted.textContent = shown.length === n ? `${whole(n)} sentences` : `${whole(shown.length)} of ${whole(n)} sentences`;
    if (!shown.includes(selected) && shown.length) select(shown[0], false);
    else if (selected >= 0) select(selected, false);
    if (linked) history.replaceState(null, "", address());
    list.scrollTop = Math.max(0, shown.indexOf(selected) * ROW - 2 * ROW);
    drawRows();
  }

  // -- the list: only the rows in view exist
  const rows = h("div", { class: "rows", role: "presentation" });
  const list = h("div", { class: "list", role: "listbox", tabindex: "0", "aria-label": "Sentences" }, rows);
  const detail = h("div", { class: "detail", role: "region", "aria-label": "The chosen sentence", tabindex: "0" });
  const counted = h("span", { role: "status", "aria-live": "polite" });
  function rowScore(i) {
    const decimals = R.metrics[state.metric].decimals, score = (system) => fixed(scoreOf[state.metric](system, i), decimals);
    return isPair() ? `${score(state.first)} : ${score(state.second)}` : `${METRICS[state.metric]} ${fixed(scoreFor(i), decimals)}`;
  }
  function drawRows() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4), last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 4);
    let waiting = null;
    rows.replaceChildren(...range(Math.max(0, last - first)).map((k) => {
      const i = shown[first + k], sentence = store.now(i);
      if (!sentence) waiting = store.load(Math.floor(i / index.chunk));
      const row = h("div", { class: "row", role: "option", id: "row-" + i, "aria-selected": i === selected ? "true" : "false", "aria-setsize": shown.length, "aria-posinset": first + k + 1, onclick: () => select(i, true) },
        h("div", { class: "line", dir: "auto" }, sentence ? sentence.s : "…"),
        h("div", { class: "sub" }, h("span", {}, `#${i + 1} · ${index.distinct[i]} different`), h("span", {}, rowScore(i))));
      row.style.top = (first + k) * ROW + "px";
      return row;
    }));
    if (document.getElementById("row-" + selected)) list.setAttribute("aria-activedescendant", "row-" + selected);
    else list.removeAttribute("aria-activedescendant");
    if (waiting) waiting.then(drawRows);
  }
  let queued = false;
  list.addEventListener("scroll", () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => { queued = false; drawRows(); });
  });

  function select(i, link) {
    selected = i;
    const place = shown.indexOf(i);
    if (place >= 0) {
      if (place * ROW < list.scrollTop) list.scrollTop = place * ROW;
      else if ((place + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (place + 1) * ROW - list.clientHeight;
    }
    drawRows();
    if (link) history.replaceState(null, "", address());
    Promise.resolve(store.get(i)).then((sentence) => { if (selected === i) showSentence(sentence, i); });
  }
  function step(by) {
    if (!shown.length) return;
    const place = shown.indexOf(selected);
    select(shown[Math.min(shown.length - 1, Math.max(0, place + by))], true);
  }
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -n, End: n }[event.key];
    if (by) { event.preventDefault(); step(by); }
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "/") { event.preventDefault(); search.focus(); }
  });

  // -- one sentence
  function showSentence(sentence, i) {
    const tokens = tokensOf(sentence.s);
    const facts = Object.entries(index.labels).filter(([, label]) => label.names[label.of[i]]).map(([name, label]) => `${name} ${label.names[label.of[i]]}`);
    const head = h("header", {}, h("h3", {}, `Sentence ${i + 1}`), h("div", { class: "controls" },
      h("button", { type: "button", onclick: () => step(-1) }, "← Previous"), h("button", { type: "button", onclick: () => step(1) }, "Next →"),
      h("a", { href: address() }, "Link to it")));
    const references = sentence.g.map((gold) => h("div", {}, h("p", { class: "what" }, `Reference ${gold.a}`, gold.e.length === 0 && " · nothing to correct"),
      markedSentence(tokens, gold.e.filter((e) => e[2]).map((e) => ({ start: e[0], end: e[1], text: e.length === 5 ? e[4] : e.slice(4).map((c) => c || "∅").join(" | "), kind: "gold", type: e[3] })))));
    const texts = (sentence.t || []).map((reference, k) => h("div", {}, h("p", { class: "what" }, `Reference text ${k}`), h("p", { class: "sentence", dir: "auto" }, reference)));
    const bySystem = sentence.o.map((_, k) => range(SYSTEMS.length).filter((system) => sentence.of[system] === k));
    const sign = R.metrics[state.metric].higher ? -1 : 1;
    const order = range(sentence.o.length).sort((a, b) => sign * ((scoreOf[state.metric](bySystem[a][0], i) || 0) - (scoreOf[state.metric](bySystem[b][0], i) || 0)));
    const node = (k, systems) => outputNode(sentence, tokens, i, sentence.o[k], systems || bySystem[k]);
    const [first, second] = [state.first, state.second];
    const outputs = isPair()
      ? [h("div", { class: "pair" }, node(sentence.of[first], [first]), node(sentence.of[second], [second])),
        h("details", {}, h("summary", {}, "All systems"), order.map((k) => node(k)))]
      : order.map((k) => node(k));
    const items = judged.get(i) || [];
    detail.replaceChildren(...[head, facts.length > 0 && h("p", { class: "note" }, facts.join(" · ")), h("p", { class: "what" }, "Source"), h("p", { class: "sentence", dir: "auto" }, sentence.s), ...references, ...texts, ...outputs,
      items.length > 0 && h("div", { class: "output" }, h("p", { class: "what" }, h("b", {}, "People"), `${items.length} ${items.length === 1 ? "judgment" : "judgments"}, best first`),
        h("ul", { class: "why" }, items.map(({ judge, ranks }) => {
          const levels = [...new Set(ranks.map(([, rank]) => rank))].sort((a, b) => a - b);
          return h("li", {}, h("b", {}, judge + ": "), levels.map((rank) => ranks.filter(([, r]) => r === rank).map(([system]) => SYSTEMS[system]).join(" = ")).join(" > "));
        })))].filter(Boolean));
    detail.scrollTop = 0;
  }

  function outputNode(sentence, tokens, i, output, systems) {
    const pieces = piecesOf(sentence, output);
    const scores = METRICS.map((name, m) => h("span", {}, name + " ", h("b", {}, fixed(scoreOf[m](systems[0], i), R.metrics[m].decimals))));
    const changed = output.e.length > 0;
    const box = h("div", { class: "output" }, h("p", { class: "what" }, h("b", {}, systems.map((k) => SYSTEMS[k]).join(", ")), !changed && "unchanged"),
      markedSentence(tokens, pieces), output.h && h("p", { class: "note" }, "Its text: " + output.h), h("p", { class: "scores" }, scores));
    if (output.m) {
      const [correct, proposed, gold] = output.m;
      const why = pieces.map((p) => {
        const before = tokens.slice(p.start, p.end).join(" ") || "∅";
        return h("li", {}, `${SIGN[p.kind]} ${before} → ${p.text || "∅"} `, h("span", { class: "muted" }, p.kind === "wrong" ? "not in the reference" : p.kind === "missed" ? `${p.type}, missed` : p.type));
      });
      box.append(h("details", {}, h("summary", {}, `Why: ${correct} right of ${proposed} made and ${gold} wanted`),
        h("p", { class: "note" }, `M² against reference ${output.a}: precision ${correct}/${proposed}${proposed ? "" : " (1 by definition)"}, recall ${correct}/${gold}${gold ? "" : " (1 by definition)"}.`),
        why.length > 0 && h("ul", { class: "why" }, why), store.served && explanations(i, systems[0])));
    }
    return box;
  }

  // a server can explain the score of every metric: lines of pieces, each a text with its verdict
  function explanations(i, system) {
    const place = h("pre", { hidden: true, tabindex: "0" });
    return h("div", {}, h("div", { class: "tools" }, METRICS.map((name, m) => h("button", { type: "button", onclick: async () => {
      const answer = await fetch(`explain?sentence=${i}&system=${system}&metric=${m}`);
      place.hidden = false;
      const lines = await answer.json();
      place.replaceChildren(...lines.flatMap((line) => [...line.map(([text, verdict]) => h("span", { class: verdict }, text)), "\n"]));
    } }, `Explain ${name}`))), place);
  }

  // -- filters
  const controls = []; // of each control, a function that shows the state in it
  const update = (change) => (event) => { change(event.target); apply(); };
  function pick(name, options, get, set) {
    const select = h("select", { onchange: update((input) => set(options[input.selectedIndex][0])) }, options.map(([key, label]) => h("option", { value: key }, label)));
    controls.push(() => { select.selectedIndex = Math.max(0, options.findIndex(([key]) => key === get())); });
    return h("label", {}, name, select);
  }
  const field = (name, side, options) => pick(name, options, () => state[side], (value) => { state[side] = value; });
  const all = (label) => [[-1, label]];
  const search = h("input", { type: "search", placeholder: "words of source or outputs", oninput: (() => {
    let timer;
    return (event) => { clearTimeout(timer); timer = setTimeout(() => { state.text = event.target.value; apply(); }, 150); };
  })() });
  controls.push(() => { if (search.value.trim() !== state.text.trim()) search.value = state.text; });
  function bound(name, side) {
    const input = h("input", { type: "number", step: "0.05", onchange: update(() => { state[side] = input.value === "" ? null : Number(input.value); }) });
    controls.push(() => { input.value = state[side] === null ? "" : state[side]; });
    return h("label", {}, name, input);
  }
  function check(name, side, title) {
    const input = h("input", { type: "checkbox", onchange: update(() => { state[side] = input.checked; }) });
    controls.push(() => { input.checked = state[side]; });
    return h("label", { title }, input, name);
  }
  const labels = Object.entries(index.labels).filter(([name, label]) => name !== "paragraph" && label.names.length > 1 && label.names.length <= 400);
  const typeNames = index.types.names.map((name, k) => [k, name]).sort((a, b) => a[1].localeCompare(b[1]));
  const systems = SYSTEMS.map((name, k) => [k, name]);
  const ORDERS = [["corpus", "as in the corpus"], ["spread", "systems disagree most"], ["distinct", "most different outputs"], ["lowest", "lowest score"], ["highest", "highest score"],
    ...(SYSTEMS.length > 1 ? [["first", "first most ahead of second"], ["second", "second most ahead of first"]] : [])];
  const WON = [["any", "all sentences"], ["first", "first wins"], ["second", "second wins"], ["tie", "equal"]];
  const wonPick = field("Show", "won", WON);
  const versusBox = h("div", { class: "versus", role: "status", hidden: true });
  function reset(linked = true) {
    Object.assign(state, EVERYTHING, { labels: {} });
    controls.forEach((show) => show());
    return apply(linked);
  }

  // -- the link: the sentence, and every filter that is set, by name
  const LINKED = [["metric", "metric", METRICS], ["system", "system", SYSTEMS], ["type", "type", index.types.names], ["first", "first", SYSTEMS], ["second", "second", SYSTEMS]];
  const WORDS = { order: ORDERS.map(([key]) => key), won: WON.map(([key]) => key) };
  function address() {
    const said = new URLSearchParams();
    if (selected >= 0) said.set("s", selected + 1);
    if (state.text.trim()) said.set("text", state.text.trim());
    for (const [key, side, names] of LINKED) if (state[side] > (side === "metric" ? 0 : -1)) said.set(key, names[state[side]]);
    for (const side of ["low", "high"]) if (state[side] !== null) said.set(side, state[side]);
    for (const side of ["disagree", "people"]) if (state[side]) said.set(side, "yes");
    for (const side of ["order", "won"]) if (state[side] !== EVERYTHING[side]) said.set(side, state[side]);
    for (const [name, value] of Object.entries(state.labels)) if (value >= 0) said.set("label." + name, index.labels[name].names[value]);
    return "#" + said;
  }
  function takeFilters(said) { // what the link does not know or this page does not have is left out
    Object.assign(state, EVERYTHING, { metric: 0, labels: {}, text: said.get("text") || "" });
    for (const [key, side, names] of LINKED) if (said.has(key) && names.includes(said.get(key))) state[side] = names.indexOf(said.get(key));
    for (const side of ["low", "high"]) if (said.get(side) && known(Number(said.get(side)))) state[side] = Number(said.get(side));
    for (const side of ["disagree", "people"]) state[side] = said.get(side) === "yes";
    for (const [side, words] of Object.entries(WORDS)) if (words.includes(said.get(side))) state[side] = said.get(side);
    for (const [name, label] of Object.entries(index.labels)) if (said.has("label." + name)) state.labels[name] = label.names.indexOf(said.get("label." + name));
    controls.forEach((show) => show());
  }

  const more = h("details", { class: "more" }, h("summary", {}, "Filters and order"), h("div", { class: "fields" },
    field("Metric", "metric", METRICS.map((name, m) => [m, name])),
    field("System", "system", [...all("mean of all"), ...systems]),
    bound("Score from", "low"), bound("to", "high"),
    typeNames.length > 1 && field("Error type", "type", [...all("any"), ...typeNames]),
    labels.map(([name, label]) => pick(name[0].toUpperCase() + name.slice(1), [...all("any"), ...label.names.map((value, k) => [k, value || "(none)"])],
      () => state.labels[name] ?? -1, (k) => { state.labels[name] = k; })),
    check("Systems disagree", "disagree", "Best and worst score at least half of the metric’s range apart"),
    judged.size > 0 && check("Metric and people disagree", "people", "Most of people’s decided pairs go against the metric"),
    SYSTEMS.length > 1 && [field("Compare", "first", [...all("–"), ...systems]), field("with", "second", [...all("–"), ...systems]), wonPick],
    field("Sort", "order", ORDERS),
    h("button", { type: "button", onclick: () => reset() }, "Reset")));
  const wide = matchMedia("(min-width: 861px)"), unfold = () => { more.open = wide.matches; };
  wide.addEventListener("change", unfold);
  unfold();
  const filters = h("div", { class: "filters", role: "search", "aria-label": "Filter sentences" },
    h("label", { class: "search" }, "Search", search), more, counted);
  grid.append(h("div", { class: "wide" },
    h("div", { class: "legend" }, h("span", {}, editNode("correct", "", "right"), " in the reference"), h("span", {}, editNode("wrong", "", "wrong"), " not in the reference"), h("span", {}, editNode("missed", "", "missed"), " in the reference, not made"),
      h("span", { class: "keys" }, h("kbd", {}, "j"), " ", h("kbd", {}, "k"), " next and previous, ", h("kbd", {}, "/"), " search")),
    h("div", { class: "explorer" }, filters, versusBox, list, detail)));

  function follow() {
    const said = new URLSearchParams(location.hash.slice(1)), i = Number(said.get("s")) - 1;
    if (!said.has("s") || !(i >= 0 && i < n)) return false;
    selected = i;
    if ([...said.keys()].length > 1) { takeFilters(said); apply(false); }
    else if (!rows.style.height || !shown.includes(i)) reset(false);
    select(i, false);
    byId("explorer").scrollIntoView({ behavior: "instant" });
    return true;
  }
  addEventListener("hashchange", follow);
  new ResizeObserver(drawRows).observe(list);
  wonPick.hidden = true;
  if (!follow()) reset(false);
}
