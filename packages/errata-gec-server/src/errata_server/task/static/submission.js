// Keeps the page of a submission fresh until it has been scored.
import { refresh } from "/static/task.js";

const timer = setInterval(async () => {
  if (["queued", "running"].includes(document.getElementById("live").dataset.state)) {
    await refresh(location.pathname, "live", "state");
  } else {
    clearInterval(timer);
  }
}, 1500);
