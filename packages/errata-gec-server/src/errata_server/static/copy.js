// Gives every field with a secret link a button that copies it.
for (const field of document.querySelectorAll("input.link")) {
  field.addEventListener("focus", () => field.select());
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
    } catch { // without TLS, browsers refuse the clipboard
      field.select();
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  field.after(button);
}
