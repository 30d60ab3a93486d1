// Keeps the page of a submission fresh until it has been scored.
const timer = setInterval(async () => {
  const live = document.getElementById("live");
  if (!["queued", "running"].includes(live.dataset.state)) {
    clearInterval(timer);
    return;
  }
  const response = await fetch(location.pathname).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const id of ["live", "state"]) {
    document.getElementById(id).replaceWith(document.adoptNode(page.getElementById(id)));
  }
}, 1500);
