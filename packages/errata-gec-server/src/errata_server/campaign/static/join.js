// Takes a place in the campaign, for people whom a platform sent here.
import { t, tError } from "./messages.js";

const form = document.getElementById("join"), status = document.getElementById("status");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  status.textContent = t("one_moment");
  try {
    const { key, name, participant } = form.dataset;
    const response = await fetch("/join", { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key, [name]: participant }) });
    const answer = await response.json();
    if (response.ok) location.replace(answer.to);
    else status.textContent = tError(answer.error);
  } catch {
    status.textContent = t("unreachable");
  }
});
