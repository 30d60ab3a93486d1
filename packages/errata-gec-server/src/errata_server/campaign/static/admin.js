// Keeps the figures fresh without disturbing a form one is filling in.
const PAUSE = 15_000;

async function refresh() {
  if (document.visibilityState !== "visible") return;
  try {
    const response = await fetch("/admin");
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.getElementById("live").replaceWith(document.adoptNode(page.getElementById("live")));
    document.getElementById("state").replaceWith(document.adoptNode(page.getElementById("state")));
  } catch {
    // the server is away; try again later
  }
}

setInterval(refresh, PAUSE);
for (const field of document.querySelectorAll("input.link")) {
  field.addEventListener("focus", () => field.select());
}
