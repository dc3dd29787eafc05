import { element } from "./element.js";

// Tabs. `panels` are { name, title, content }; `chosen(name)` is called when the user picks one. Returns the element,
// and `show(name)`. Arrow keys move between tabs.
export function tabs(label, panels, chosen) {
  const buttons = panels.map(({ name, title }) => element("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => chosen(name),
  }, title));
  const bodies = panels.map(({ name, content }) =>
    element("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}` }, content));
  const list = element("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: move }, buttons);

  list.addEventListener("scroll", fade);
  new ResizeObserver(reveal).observe(list);

  // On a narrow screen the list scrolls: the chosen tab is in sight, whatever the width was when it was chosen.
  function reveal() {
    const here = buttons.find((button) => button.getAttribute("aria-selected") === "true");
    list.scrollLeft = here.offsetLeft - (list.clientWidth - here.offsetWidth) / 2;
    fade();
  }

  // The edge behind which there is more is faded.
  function fade() {
    list.classList.toggle("before", list.scrollLeft > 1);
    list.classList.toggle("after", list.scrollLeft + list.clientWidth < list.scrollWidth - 1);
  }

  function move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    buttons[next].focus();
    chosen(panels[next].name);
  }

  function show(name) {
    panels.forEach((panel, place) => {
      const here = panel.name === name;
      buttons[place].setAttribute("aria-selected", String(here));
      buttons[place].tabIndex = here ? 0 : -1;
      bodies[place].hidden = !here;
    });
    reveal();
  }

  show(panels[0].name);
  return { made: element("div", {}, list, bodies), show };
}
