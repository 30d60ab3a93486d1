// Shows times in the reader's zone and how long it is to a deadline, and asks before what cannot be undone.
import "/static/copy.js";

function until(when) {
  const minutes = Math.floor((when - Date.now()) / 60000);
  if (minutes < 0) return "";
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const words = days > 2 ? `${days} days` : days ? `${days} d ${hours} h` : hours ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
  return ` (in ${words})`;
}

export function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const when = new Date(time.dateTime);
    if (!Number.isNaN(when.valueOf())) {
      time.title = time.dateTime;
      const zone = time.hasAttribute("data-deadline");
      const parts = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
      time.textContent = when.toLocaleString(undefined, zone ? { ...parts, timeZoneName: "short" } : parts) + (zone ? until(when) : "");
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
setInterval(() => localise(document), 60000); // the countdown
