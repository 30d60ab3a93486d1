// Shows times in the reader's zone, asks before what cannot be undone, and selects links to copy.
export function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const when = new Date(time.dateTime);
    if (!Number.isNaN(when.valueOf())) {
      time.title = time.dateTime;
      time.textContent = when.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
  }
}

export function askFirst(part) {
  for (const form of part.querySelectorAll("form[data-sure]")) {
    form.addEventListener("submit", (event) => {
      if (!confirm(form.dataset.sure)) event.preventDefault();
    });
  }
}

// Replaces a part of this page by the same part of the page as it is now.
export async function refresh(address, ...ids) {
  const response = await fetch(address).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const id of ids) {
    const fresh = document.adoptNode(page.getElementById(id));
    localise(fresh);
    askFirst(fresh);
    document.getElementById(id).replaceWith(fresh);
  }
}

localise(document);
askFirst(document);
for (const field of document.querySelectorAll("input.link")) {
  field.addEventListener("focus", () => field.select());
}
