// Shows the whole text under the pointer if the line is too short for it. Titles in the page would make it a quarter larger.
{
  const LINES = ".fit, .objects .path, .objects tbody th > a, .outages :is(th, td, .path)";

  function isCut(line) {
    return [line, ...line.children].some((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0);
  }

  document.addEventListener("pointerover", ({ target }) => {
    const line = target.closest(LINES);
    if (line !== null && !line.hasAttribute("title") && isCut(line)) line.title = line.innerText.trim();
  });
}
