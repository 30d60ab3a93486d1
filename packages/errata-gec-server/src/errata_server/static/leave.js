// Buttons that sign out: the session ends on the server, too.
for (const button of document.querySelectorAll("button[data-leave]")) {
  button.addEventListener("click", async () => {
    const response = await fetch("/leave", { method: "POST" });
    if (response.ok) location.assign((await response.json()).to);
  });
}
