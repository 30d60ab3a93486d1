// Keeps the figures fresh without disturbing a form one is filling in.
import "/static/copy.js";

const PAUSE = 15_000;
const SOON = 3_000; // while statistics are being computed

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

function wait() {
  const current = document.getElementById("live").dataset.current === "yes";
  setTimeout(() => refresh().finally(wait), current ? PAUSE : SOON);
}

wait();
