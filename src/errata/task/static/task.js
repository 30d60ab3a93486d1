// Shows times in the reader's zone, asks before what cannot be undone, and selects links to copy.
for (const time of document.querySelectorAll("time[datetime]")) {
  const when = new Date(time.dateTime);
  if (!Number.isNaN(when.valueOf())) {
    time.title = time.dateTime;
    time.textContent = when.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
}
for (const form of document.querySelectorAll("form[data-sure]")) {
  form.addEventListener("submit", (event) => {
    if (!confirm(form.dataset.sure)) event.preventDefault();
  });
}
for (const field of document.querySelectorAll("input.link")) {
  field.addEventListener("focus", () => field.select());
}
