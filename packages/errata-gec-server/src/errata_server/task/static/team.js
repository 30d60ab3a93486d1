// Sends a file, shows what the checks found in it, and goes to the page of the submission.
import { refresh } from "/static/task.js";

const form = document.getElementById("submit");
const status = document.getElementById("status");
const progress = document.getElementById("progress");
const findings = document.getElementById("findings");

function table(found) {
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const name of ["line", "code", "what", "what to do"]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  const body = made.createTBody();
  for (const finding of found) {
    const row = body.insertRow();
    for (const name of ["line", "code", "message", "fix"]) {
      const cell = row.insertCell();
      cell.className = "wide";
      cell.textContent = finding[name];
    }
  }
  return made;
}

function send(url, file) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) progress.value = event.loaded / event.total;
    };
    request.upload.onload = () => {
      progress.removeAttribute("value");
      status.textContent = "The file is being checked …";
    };
    request.onload = () => resolve(request);
    request.onerror = () => reject(new Error("network"));
    request.send(file);
  });
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  const [track, phase] = form.place.value.split("/");
  const file = form.file.files[0];
  const asked = new URLSearchParams({ track, phase, name: file.name, note: form.note.value });
  if (form.anyway.checked) asked.set("anyway", "yes");
  button.disabled = true;
  progress.hidden = false;
  findings.replaceChildren();
  status.textContent = "The file is being sent …";
  try {
    const request = await send(`/api/submissions?${asked}`, file);
    const answer = JSON.parse(request.responseText);
    if (request.status === 201) {
      location.assign(`/team/submissions/${answer.uid}`);
      return;
    }
    if (request.status === 200) status.textContent = "Your team has sent this same file before; it is not scored twice.";
    else if (answer.findings?.length) {
      status.textContent = "The file was not accepted. It does not count for your limits.";
      findings.append(table(answer.findings));
    } else status.textContent = `The file was not accepted: ${answer.error}.`;
  } catch {
    status.textContent = "The server could not be reached, or refused the file because of its size.";
  } finally {
    button.disabled = false;
    progress.hidden = true;
  }
});

// While something is being scored, the list is kept fresh.
const waiting = () => document.querySelector('#submissions tr[data-state="queued"], #submissions tr[data-state="running"]');
setInterval(async () => {
  if (waiting() && document.visibilityState === "visible") await refresh("/team", "submissions");
}, 3000);
