// Word-level differences between the source and another text.
const WORDS = /\s+|[\p{L}\p{N}\p{M}'’_-]+|[^\s]/gu;
const LIMIT = 4_000_000; // cells of the table; beyond it a text is shown as all new

export function words(text) {
  return text.match(WORDS) ?? [];
}

// A list of [kind, text]; kind is "same", "ins" or "del".
export function difference(before, after) {
  const a = words(before), b = words(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const x = a.slice(start, a.length - end), y = b.slice(start, b.length - end);
  const steps = a.slice(0, start).map((word) => ["same", word]);
  if (x.length * y.length > LIMIT) {
    steps.push(...x.map((word) => ["del", word]), ...y.map((word) => ["ins", word]));
  } else {
    steps.push(...aligned(x, y));
  }
  steps.push(...a.slice(a.length - end).map((word) => ["same", word]));
  return grouped(steps);
}

function aligned(x, y) {
  const width = y.length + 1;
  const common = new Uint32Array((x.length + 1) * width); // longest common subsequence of the rests
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      common[i * width + j] = x[i] === y[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const steps = [];
  let i = 0, j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      steps.push(["same", x[i++]]);
      j++;
    } else if (i < x.length && (j >= y.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      steps.push(["del", x[i++]]);
    } else {
      steps.push(["ins", y[j++]]);
    }
  }
  return steps;
}

// Deletions before insertions within a change; a blank between two changes belongs to them.
function grouped(steps) {
  const found = [];
  let gone = "", come = "", held = "";
  const flush = () => {
    if (gone) found.push(["del", gone]);
    if (come) found.push(["ins", come]);
    if (held) found.push(["same", held]);
    gone = come = held = "";
  };
  for (const [kind, word] of steps) {
    if (kind === "same" && (gone || come) && !held && /^\s+$/.test(word)) {
      held = word;
    } else if (kind === "same") {
      flush();
      if (found.length && found[found.length - 1][0] === "same") found[found.length - 1][1] += word;
      else found.push(["same", word]);
    } else {
      if (held) {
        if (gone) gone += held;
        if (come) come += held;
        held = "";
      }
      if (kind === "del") gone += word;
      else come += word;
    }
  }
  flush();
  return found;
}

// Fills an element with the text, with or without marks.
export function show(element, before, after, marked) {
  element.replaceChildren();
  if (!marked) {
    element.textContent = after;
    return;
  }
  for (const [kind, text] of difference(before, after)) {
    if (kind === "same") {
      element.append(text);
      continue;
    }
    const mark = document.createElement(kind);
    mark.textContent = text.trim() || text;
    // Blanks stand outside of the marks; those of a deletion are the text's own.
    if (text.trim()) element.append(text.match(/^\s*/)[0], mark, text.match(/\s*$/)[0]);
    else element.append(mark);
  }
}
