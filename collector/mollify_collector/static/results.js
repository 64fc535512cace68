// Asks for the page again and shows what changed. A reader's place, focus and selection stay.
const seconds = 5;

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.pathname, {cache: "no-store"});
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const shown = document.querySelector("main");
    const fresh = page.querySelector("main");
    if (shown.innerHTML !== fresh.innerHTML) shown.replaceChildren(...fresh.childNodes);
  } catch {
    // The next try may reach the collector.
  }
}

setInterval(refresh, 1000 * seconds);
