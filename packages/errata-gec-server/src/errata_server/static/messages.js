// What the page says, in its language: the server puts the messages into the page.
const messages = JSON.parse(document.getElementById("messages").textContent);

export function t(key, values = {}) {
  return messages[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

// An error of the server in the page's language; as it is where nobody has translated it.
export function tError(text) {
  return messages[`error: ${text}`] ?? `${text[0].toUpperCase()}${text.slice(1)}.`;
}

// The choice of a language is kept in a cookie, which the server reads.
for (const choice of document.querySelectorAll("select[data-language]")) {
  choice.addEventListener("change", () => {
    document.cookie = `errata-language=${choice.value}; path=/; max-age=31536000; samesite=lax`;
    location.reload();
  });
}

t.has = (key) => key in messages;
