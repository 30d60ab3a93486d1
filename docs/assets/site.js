// Mends what the theme leaves to screen readers and keyboards: code and tables that scroll can be reached by the Tab key,
// and the boxes of copy buttons have names of their own.
function mend() {
  for (const code of document.querySelectorAll("pre > code")) {
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0
  }
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
  }
  // Some parts of the table of contents have the same title: their numbers tell them apart.
  document.querySelectorAll("nav.md-nav nav.md-nav").forEach((part, number) => {
    part.removeAttribute("aria-labelledby")
    part.ariaLabel = `Contents ${number + 1}`
  })
  document.querySelectorAll("nav.md-code__nav").forEach((box, number) => (box.ariaLabel = `Code ${number + 1}`))
}
addEventListener("load", () => {
  mend()
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true })
})
addEventListener("resize", mend)
