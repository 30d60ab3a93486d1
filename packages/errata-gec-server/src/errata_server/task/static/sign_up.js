// Signs a team or a member up, and shows the personal link once.
const form = document.getElementById("sign-up");
const status = document.getElementById("status");

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  status.textContent = "One moment …";
  try {
    const response = await fetch("/sign-up", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(Object.fromEntries(new FormData(form))),
    });
    const answer = await response.json();
    if (!response.ok) {
      status.textContent = answer.error;
      return;
    }
    form.hidden = true;
    status.textContent = "You are signed up.";
    document.getElementById("done").hidden = false;
    document.getElementById("link").value = answer.link;
    document.getElementById("link").focus();
  } catch {
    status.textContent = "The server cannot be reached. Try again in a moment.";
  }
});
