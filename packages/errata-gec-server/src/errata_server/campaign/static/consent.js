// The annotator agrees to the text, or does not and is signed out.
import { t, tError } from "./messages.js";

const box = document.getElementById("consent"), status = document.getElementById("status");
const erase = document.getElementById("delete"); // only where the annotator has agreed before

for (const button of box.querySelectorAll("button")) {
  button.addEventListener("click", async () => {
    status.textContent = t("one_moment");
    const agree = button.dataset.agree === "yes";
    try {
      const response = await fetch("/consent", { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ version: box.dataset.version, agree, delete: Boolean(erase?.checked) }) });
      const answer = await response.json();
      if (!response.ok) {
        status.textContent = tError(answer.error);
      } else if (agree) {
        location.replace(answer.to);
      } else {
        await fetch("/leave", { method: "POST" });
        box.remove();
        status.textContent = t(erase ? "consent_withdrawn" : "consent_declined");
      }
    } catch {
      status.textContent = t("unreachable");
    }
  });
}
