// Signs in with the token behind # in the link: that part of an address is never sent to any server.
import { t, tError } from "./messages.js";

const status = document.getElementById("status");
const field = document.getElementById("token");

async function enter(token) {
  status.textContent = t("one_moment");
  try {
    const response = await fetch("/enter", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    const answer = await response.json();
    if (response.ok) {
      location.replace(answer.to);
      return;
    }
    status.textContent = t("enter_failed", { error: tError(answer.error) });
  } catch {
    status.textContent = t("unreachable");
  }
  field.focus();
}

document.getElementById("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value.trim();
  enter(text.slice(text.indexOf("#") + 1));
});

if (location.hash.length > 1) {
  const token = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname); // not in the history either
  enter(token);
}
